//! What SQLite and the operating system say, as situations.

use std::io;

use rusqlite::ffi::{
    SQLITE_IOERR_SHORT_READ, SQLITE_READONLY_CANTINIT, SQLITE_READONLY_RECOVERY,
    SQLITE_READONLY_ROLLBACK,
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
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => BackendError::Timeout(format!(
            "another program held it locked for {} seconds",
            super::open::PATIENCE.as_secs()
        )),
        (ErrorCode::NotADatabase, _) => BackendError::Corrupt(not_a_database()),
        (ErrorCode::DatabaseCorrupt, _) | (_, SQLITE_IOERR_SHORT_READ) => {
            BackendError::Corrupt(format!("it is damaged; SQLite says: {said}"))
        }
        (_, SQLITE_READONLY_ROLLBACK) => BackendError::Interrupted,
        (_, SQLITE_READONLY_RECOVERY | SQLITE_READONLY_CANTINIT) => BackendError::Denied(
            "the index of its log must be made anew, and this user may not".to_owned(),
        ),
        (ErrorCode::CannotOpen | ErrorCode::PermissionDenied, _) => {
            BackendError::Denied(format!("SQLite cannot open it, or its log: {said}"))
        }
        (ErrorCode::Unknown, _) => BackendError::Unsupported(format!("SQLite says: {said}")),
        _ => BackendError::Unreachable(format!("SQLite says: {said}")),
    }
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
