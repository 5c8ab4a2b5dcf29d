//! State directories: Meltano's layout in folders on disk, `STATE_ID/state.json`. Read only in this version.
//!
//! Nothing is opened for writing, and nothing is made. One entry that cannot be read does not keep the others from being.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use jiff::SignedDuration;
use tokio::sync::mpsc::Sender;
use tokio::task::spawn_blocking;

use super::chunks::{self, Chunks, Sink};
use super::{
    Access, BackendError, Capabilities, Committed, Listing, Result, StateBackend, key_of, stopped,
};
use crate::domain::edit::{Batch, Confirmed};
use crate::domain::history::{Folding, Stored};
use crate::domain::id::StateId;
use crate::domain::location::{Location, SourceKey};

mod body;
mod entry;
mod name;
mod walk;

/// The name of the file that holds a state.
const STATE: &str = "state.json";

/// The name of the file that locks a state.
const LOCK: &str = "lock";

/// Why nothing is written, and what to do.
const READ_ONLY: &str = "this version edits states in SQLite system databases; `meltano state` edits those of a directory";

/// Reads a state directory.
#[derive(Debug, Clone)]
pub struct Files {
    path: PathBuf,
    lock_timeout: SignedDuration,
}

impl Files {
    /// Names the directory, and how long a lock in it holds.
    pub fn new(path: PathBuf, lock_timeout: SignedDuration) -> Self {
        Self { path, lock_timeout }
    }

    async fn ask<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Path) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = self.path.clone();
        let answer = spawn_blocking(move || {
            check(&path)?;
            read(&path)
        });
        answer.await.map_err(|error| stopped("reading", &error))?
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Location::Directory(self.path.clone()).fmt(f)
    }
}

#[async_trait]
impl StateBackend for Files {
    async fn capabilities(&self) -> Result<Capabilities> {
        self.ask(|_| {
            Ok(Capabilities {
                runs: false,
                folding: Folding::Written,
                access: Access::ReadOnly(READ_ONLY.to_owned()),
            })
        })
        .await
    }

    fn list(&self) -> BoxStream<'_, Result<Listing>> {
        chunks::stream(|| {
            let (path, timeout) = (self.path.clone(), self.lock_timeout);
            Chunks::begin(move |to| send(&path, timeout, to))
        })
    }

    async fn read(&self, id: &StateId) -> Result<Option<Stored>> {
        let id = id.clone();
        self.ask(move |path| match name::folder_of(path, &id)? {
            None => Ok(None),
            Some(folder) => {
                let found = entry::read_state(&path.join(folder).join(STATE))?;
                Ok(found.map(|found| found.stored))
            }
        })
        .await
    }

    async fn key(&self) -> Result<SourceKey> {
        self.ask(|path| {
            let canonical = fs::canonicalize(path).map_err(|error| of_io(&error))?;
            Ok(key_of("directory", &canonical))
        })
        .await
    }

    async fn commit(&self, batch: Confirmed<Batch>) -> Vec<Result<Committed>> {
        let refused = || Err(BackendError::ReadOnly(READ_ONLY.to_owned()));
        batch.get().groups.iter().map(|_| refused()).collect()
    }
}

/// Looks whether it is a folder.
fn check(path: &Path) -> Result<()> {
    let about = fs::metadata(path).map_err(|error| of_io(&error))?;
    if about.is_dir() {
        Ok(())
    } else {
        Err(BackendError::Unsupported(
            "it is no folder, and a state directory is one".to_owned(),
        ))
    }
}

/// Lists the states by the names of their folders; stops early, and without an error, when nobody receives them any more.
fn send(path: &Path, timeout: SignedDuration, to: &Sender<Result<Listing>>) -> Result<()> {
    check(path)?;
    let mut sink = Sink::new(0, to);
    let mut wanted = true;
    walk::walk(path, &mut |folder| {
        let (listed, bytes) = entry::listed(path, folder, timeout);
        wanted = sink.push(listed, bytes);
        wanted
    })?;
    if wanted {
        sink.finish();
    }
    Ok(())
}

fn of_io(error: &io::Error) -> BackendError {
    match error.kind() {
        io::ErrorKind::NotFound => BackendError::NotFound,
        io::ErrorKind::PermissionDenied => BackendError::Denied(error.to_string()),
        _ => BackendError::Unreachable(error.to_string()),
    }
}
