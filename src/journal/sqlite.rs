//! The journal in a SQLite file.
//!
//! Each question is one transaction on a connection of its own, on a thread that may wait. A rollback journal, no log: home
//! folders are on network file systems too, where several hosts cannot share a log's index.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::task::spawn_blocking;

use super::{JournalError, JournalStore, NewOperation, Ongoing, Pruned, Query, Result};
use crate::domain::operation::{Event, Operation, OperationId};
use crate::domain::version::ContentHash;

mod contents;
mod fault;
mod formats;
mod open;
mod read;
mod room;
mod sign;
mod write;

/// Keeps a journal in a SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteJournal {
    path: PathBuf,
    limit: u64,
}

impl SqliteJournal {
    /// Names the file; nothing is touched yet. It takes `limit` bytes at most.
    pub fn new(path: PathBuf, limit: u64) -> Self {
        Self { path, limit }
    }

    /// Works on the file, on a thread that may wait. Work that has begun is done also when nobody waits for it any more.
    async fn on_a_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = self.path.clone();
        let done = spawn_blocking(move || work(&path)).await;
        done.map_err(|error| {
            JournalError::Unwritable(format!("the work on it stopped half-way: {error}"))
        })?
    }
}

impl fmt::Display for SqliteJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::report::printable(&self.path.display().to_string()))
    }
}

#[async_trait]
impl JournalStore for SqliteJournal {
    async fn plan(&self, operation: NewOperation) -> Result<Ongoing> {
        let limit = self.limit;
        self.on_a_thread(move |path| write::plan(path, limit, &operation))
            .await
    }

    async fn record(&self, id: OperationId, at: Timestamp, events: Vec<Event>) -> Result<()> {
        self.on_a_thread(move |path| write::record(path, id, at, &events))
            .await
    }

    async fn find(&self, query: Query) -> Result<Vec<Operation>> {
        self.on_a_thread(move |path| read::find(path, &query)).await
    }

    async fn get(&self, id: OperationId) -> Result<Option<Operation>> {
        self.on_a_thread(move |path| read::get(path, id)).await
    }

    async fn contents(&self, hashes: Vec<ContentHash>) -> Result<HashMap<ContentHash, Vec<u8>>> {
        self.on_a_thread(move |path| read::contents_of(path, &hashes))
            .await
    }

    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<Pruned> {
        self.on_a_thread(move |path| room::prune(path, before, now))
            .await
    }
}

#[cfg(test)]
mod tests;
