//! What SQLite and the operating system say, as situations.

use std::io;
use std::time::Duration;

use rusqlite::ffi::{
    SQLITE_IOERR_SHORT_READ, SQLITE_READONLY_CANTINIT, SQLITE_READONLY_DBMOVED,
    SQLITE_READONLY_DIRECTORY, SQLITE_READONLY_RECOVERY, SQLITE_READONLY_ROLLBACK,
};
use rusqlite::{Error, ErrorCode};

use crate::backend::BackendError;

impl From<Error> for BackendError {
    fn from(error: Error) -> Self {
        match error {
            Error::SqliteFailure(code, said) => {
                let said = said.unwrap_or_else(|| code.to_string());
                of_sqlite(code, &said)
            }
            Error::SqlInputError { error, msg, .. } => of_sqlite(error, &msg),
            other => Self::Unsupported(other.to_string()),
        }
    }
}

fn of_sqlite(code: rusqlite::ffi::Error, said: &str) -> BackendError {
    match (code.code, code.extended_code) {
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => held(super::open::PATIENCE),
        (ErrorCode::DiskFull, _) => BackendError::DiskFull,
        (ErrorCode::NotADatabase, _) => BackendError::Corrupt(not_a_database()),
        (ErrorCode::DatabaseCorrupt, _) | (_, SQLITE_IOERR_SHORT_READ) => {
            BackendError::Corrupt(format!("it is damaged; SQLite says: {said}"))
        }
        (_, SQLITE_READONLY_ROLLBACK) => BackendError::Interrupted,
        (_, SQLITE_READONLY_RECOVERY | SQLITE_READONLY_CANTINIT) => BackendError::Denied(
            "the index of its log must be made anew, and this user may not".to_owned(),
        ),
        (_, SQLITE_READONLY_DBMOVED) => moved(),
        (_, SQLITE_READONLY_DIRECTORY) => BackendError::ReadOnly(
            "its folder cannot be written to, where SQLite needs a file beside it".to_owned(),
        ),
        (ErrorCode::ReadOnly, _) => {
            BackendError::ReadOnly(format!("it cannot be written to; SQLite says: {said}"))
        }
        (ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig, _) => {
            BackendError::Unsupported(format!("it does not take the row; SQLite says: {said}"))
        }
        (ErrorCode::CannotOpen | ErrorCode::PermissionDenied, _) => {
            BackendError::Denied(format!("SQLite cannot open it, or its log: {said}"))
        }
        (ErrorCode::Unknown, _) => BackendError::Unsupported(format!("SQLite says: {said}")),
        _ => BackendError::Unreachable(format!("SQLite says: {said}")),
    }
}

/// Says that another program did not let go of it.
pub(super) fn held(patience: Duration) -> BackendError {
    BackendError::Timeout(format!(
        "another program held it locked for {} seconds",
        patience.as_secs_f64()
    ))
}

/// Says that the file that was opened has lost its name.
pub(super) fn moved() -> BackendError {
    BackendError::Unreachable(
        "it was moved, or another file put in its place, while it was written to".to_owned(),
    )
}

/// Says that the operating system lets nobody, or not this user, write to a file.
pub(super) fn not_writable(said: &io::Error) -> BackendError {
    BackendError::ReadOnly(format!("it cannot be written to: {said}"))
}

/// Says that a file is no database; an encrypted one looks no different.
pub(super) fn not_a_database() -> String {
    "it is not a SQLite database, or it is an encrypted one".to_owned()
}

/// Names the situation that an operation on a file met.
pub(super) fn of_file(error: &io::Error) -> BackendError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => BackendError::NotFound,
        io::ErrorKind::PermissionDenied => {
            BackendError::Denied(format!("this user may not read it: {error}"))
        }
        _ => BackendError::Unreachable(error.to_string()),
    }
}
