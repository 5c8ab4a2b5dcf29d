//! The sign that a process works on an operation: a file beside the journal that it holds locked.
//!
//! The kernel lets go of the lock when the process ends, however it ends. Who looks takes a shared lock, so that two who look
//! do not take each other for somebody who works.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::fault;
use crate::domain::operation::OperationId;
use crate::journal::{JournalError, Result, Sign};

/// Holds the lock; the file goes with it.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    _file: File,
}

impl Sign for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // While the lock is held: nobody may find a file that can be locked and then is gone. A sign that stays says nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Makes the sign of an operation; before anybody can see the operation, and while no other can be planned.
pub(super) fn take(journal: &Path, id: OperationId) -> Result<Held> {
    let path = path(journal, id);
    // One of a process that was killed before anybody could see its operation is taken over.
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|error| fault::of_file("a file beside it cannot be made", &error))?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => JournalError::Unwritable(format!(
            "another program holds the sign of its next operation, {id}"
        )),
        TryLockError::Error(error) => fault::of_file("a file beside it cannot be locked", &error),
    })?;
    Ok(Held { path, _file: file })
}

/// Tells whether the process that planned an operation still works on it.
///
/// A sign that may not be looked at counts as one that is held: nobody's work is taken for dead because of a right.
pub(super) fn is_held(journal: &Path, id: OperationId) -> bool {
    match File::open(path(journal, id)) {
        Ok(file) => file.try_lock_shared().is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Removes the sign of an operation that ended, which a killed process has left.
pub(super) fn remove(journal: &Path, id: OperationId) {
    // Nobody looks at it any more; mostly there is none.
    let _ = fs::remove_file(path(journal, id));
}

pub(super) fn path(journal: &Path, id: OperationId) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(format!(".op-{id}"));
    name.into()
}
