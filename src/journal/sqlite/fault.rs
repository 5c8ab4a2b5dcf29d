//! What SQLite and the operating system say, as situations.

use std::io;

use rusqlite::ffi::{SQLITE_IOERR_SHORT_READ, SQLITE_READONLY_ROLLBACK};
use rusqlite::{Error, ErrorCode, ffi};

use super::open::PATIENCE;
use crate::journal::JournalError;

impl From<Error> for JournalError {
    fn from(error: Error) -> Self {
        match error {
            Error::SqliteFailure(code, said) => {
                let said = said.unwrap_or_else(|| code.to_string());
                of_sqlite(code, &said)
            }
            Error::SqlInputError { error, msg, .. } => of_sqlite(error, &msg),
            other => damaged(&other.to_string()),
        }
    }
}

fn of_sqlite(code: ffi::Error, said: &str) -> JournalError {
    match (code.code, code.extended_code) {
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => {
            JournalError::Locked(PATIENCE.as_secs())
        }
        (ErrorCode::DiskFull, _) => JournalError::DiskFull,
        (ErrorCode::NotADatabase, _) => JournalError::Corrupt(NOT_A_DATABASE.to_owned()),
        (ErrorCode::DatabaseCorrupt | ErrorCode::ConstraintViolation | ErrorCode::Unknown, _)
        | (_, SQLITE_IOERR_SHORT_READ) => damaged(said),
        (_, SQLITE_READONLY_ROLLBACK) => JournalError::Unwritable(
            "a write to it was cut short, and this user may not take that back".to_owned(),
        ),
        (ErrorCode::CannotOpen, _) => JournalError::Unwritable(format!(
            "SQLite cannot open it, or make a file beside it: {said}"
        )),
        _ => JournalError::Unwritable(format!("SQLite says: {said}")),
    }
}

/// Says that a file is no database; an encrypted one looks no different.
pub(super) const NOT_A_DATABASE: &str = "it is not a SQLite database, or it is an encrypted one";

/// Says that what is in a journal is not what a journal holds.
pub(super) fn damaged(said: &str) -> JournalError {
    JournalError::Corrupt(format!("it is damaged; SQLite says: {said}"))
}

/// Names the situation that an operation on a file met; `what` could not be done.
pub(super) fn of_file(what: &str, error: &io::Error) -> JournalError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => JournalError::DiskFull,
        _ => JournalError::Unwritable(format!("{what}: {error}")),
    }
}
