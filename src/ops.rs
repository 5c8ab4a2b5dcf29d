//! Use cases. The only callers of stores; the screen and the command line reach stores by the same functions.

use std::sync::Arc;

use crate::backend::{self, SystemDatabase};
use crate::domain::edit::Protected;
use crate::domain::location::SourceKey;
use crate::domain::operation::Author;
use crate::project::Site;
use crate::report::Report;

pub mod demo;
pub mod read;
pub mod write;

/// Holds a site whose store is open for reading.
#[derive(Debug, Clone)]
pub struct OpenSite {
    /// What was found on disk or named on the command line.
    pub site: Site,
    /// The display form of the source's URI.
    pub source: Arc<str>,
    backend: Arc<dyn SystemDatabase>,
    protected: Protected,
}

impl OpenSite {
    /// Opens a site; touches nothing yet, so it cannot fail. `read_only` says why it is not to be written to, if it is not.
    pub fn new(site: Site, read_only: Option<String>) -> Self {
        let backend = backend::open(&site.location, read_only);
        Self {
            source: site.location.to_string().into(),
            site,
            backend,
            protected: Protected::default(),
        }
    }

    /// Sets which of its states are protected, instead of those that are where nothing is configured.
    #[must_use]
    pub fn protecting(self, protected: Protected) -> Self {
        Self { protected, ..self }
    }

    /// Names the place of its source for good, as the journal knows it.
    pub async fn key(&self) -> Result<SourceKey, Report> {
        let key = self.backend.key().await;
        key.map_err(|error| error.report(&self.source))
    }
}

/// Tells who this process works for: the user's name and the host's, as the system has them.
pub fn author() -> Author {
    let known =
        |name: Result<String, _>| name.unwrap_or_else(|_: whoami::Error| "unknown".to_owned());
    Author {
        user: known(whoami::username()),
        host: known(whoami::hostname()),
    }
}
