//! Stores around stores, that forbid or bound what the inner one does.

use std::fmt;

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::{
    Access, BackendError, Capabilities, Committed, Current, DatabaseFacts, Listing, Result,
    StateBackend, SystemDatabase,
};
use crate::domain::edit::{Batch, Confirmed};
use crate::domain::history::{RunRecord, Stored};
use crate::domain::id::StateId;
use crate::domain::location::SourceKey;

/// Lets nothing be written to a store. The one place where that is enforced.
#[derive(Debug)]
pub(super) struct ReadOnly<S> {
    inner: S,
    why: String,
}

impl<S> ReadOnly<S> {
    /// Wraps a store; `why` is told to whoever tries.
    pub fn new(inner: S, why: String) -> Self {
        Self { inner, why }
    }
}

impl<S: fmt::Display> fmt::Display for ReadOnly<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

#[async_trait]
impl<S: StateBackend> StateBackend for ReadOnly<S> {
    async fn capabilities(&self) -> Result<Capabilities> {
        Ok(Capabilities {
            access: Access::ReadOnly(self.why.clone()),
            ..self.inner.capabilities().await?
        })
    }

    fn list(&self) -> BoxStream<'_, Result<Listing>> {
        self.inner.list()
    }

    async fn read(&self, id: &StateId) -> Result<Option<Stored>> {
        self.inner.read(id).await
    }

    async fn key(&self) -> Result<SourceKey> {
        self.inner.key().await
    }

    async fn commit(&self, batch: Confirmed<Batch>) -> Vec<Result<Committed>> {
        let refused = || Err(BackendError::ReadOnly(self.why.clone()));
        batch.get().groups.iter().map(|_| refused()).collect()
    }
}

#[async_trait]
impl<S: SystemDatabase> SystemDatabase for ReadOnly<S> {
    async fn runs(&self, id: &StateId) -> Result<Vec<RunRecord>> {
        self.inner.runs(id).await
    }

    async fn history(&self, id: &StateId) -> Result<(Option<Stored>, Vec<RunRecord>)> {
        self.inner.history(id).await
    }

    async fn current(&self, ids: &[StateId]) -> Result<Vec<Current>> {
        self.inner.current(ids).await
    }

    async fn facts(&self) -> Result<DatabaseFacts> {
        self.inner.facts().await
    }
}
