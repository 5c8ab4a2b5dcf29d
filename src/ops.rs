//! Use cases. The only callers of stores; the screen and the command line reach stores by the same functions.

use std::sync::Arc;

use crate::backend::{
    self, BackendError, Capabilities, Current, Opened, StateBackend, SystemDatabase,
};
use crate::domain::edit::Protected;
use crate::domain::id::StateId;
use crate::domain::location::SourceKey;
use crate::domain::operation::Author;
use crate::project::{Site, Source};
use crate::report::Report;

pub mod compare;
pub mod demo;
pub mod read;
pub mod write;

/// Holds a site whose stores are open.
#[derive(Debug, Clone)]
pub struct OpenSite {
    /// What was found on disk or named on the command line.
    pub site: Site,
    /// The display form of the URI of its states' source.
    pub source: Arc<str>,
    states: Arc<dyn StateBackend>,
    runs: Option<Runs>,
    protected: Protected,
}

/// Holds the store of a site's runs.
#[derive(Debug, Clone)]
struct Runs {
    database: Arc<dyn SystemDatabase>,
    /// The display form of its URI.
    source: Arc<str>,
    /// Whether it holds the site's states too, so that both can be read from one moment.
    holds_states: bool,
}

impl OpenSite {
    /// Opens a site; touches nothing yet, so it cannot fail. `read_only` says why it is not to be written to, if it is not.
    pub fn new(site: Site, read_only: Option<String>) -> Self {
        let Opened { states, runs } =
            backend::open(&site.states.location, site.lock_timeout, read_only.clone());
        let runs = match (&site.runs, runs) {
            (Some(_), Some(database)) if site.is_one_source() => Some((database, true)),
            (Some(source), _) => {
                let opened = backend::open(&source.location, site.lock_timeout, read_only);
                opened.runs.map(|database| (database, false))
            }
            (None, _) => None,
        };
        let name = |source: &Source| source.location.to_string().into();
        let source_of_runs = site.runs.as_ref().unwrap_or(&site.states);
        Self {
            source: name(&site.states),
            states,
            runs: runs.map(|(database, holds_states)| Runs {
                database,
                source: name(source_of_runs),
                holds_states,
            }),
            site,
            protected: Protected::default(),
        }
    }

    /// Sets which of its states are protected, instead of those that are where nothing is configured.
    #[must_use]
    pub fn protecting(self, protected: Protected) -> Self {
        Self { protected, ..self }
    }

    /// Tells whether the site's runs are seen, from what the source of its states can do.
    fn sees_runs(&self, able: &Capabilities) -> bool {
        let runs = self.runs.as_ref();
        runs.is_some_and(|runs| able.runs || !runs.holds_states)
    }

    /// Reads what is held of some jobs now, in their order: from one moment where one source holds both states and runs.
    async fn current(&self, ids: &[StateId]) -> Result<Vec<Current>, Report> {
        let failed = |error: BackendError| error.report(&self.source);
        if let Some(runs) = self.runs.as_ref().filter(|runs| runs.holds_states) {
            return runs.database.current(ids).await.map_err(failed);
        }
        let mut all = match &self.runs {
            Some(runs) => runs.current(ids).await?,
            None => ids.iter().map(without_runs).collect(),
        };
        for current in &mut all {
            let stored = self.states.read(&current.id).await;
            current.stored = stored.map_err(|error| failed(error).on_state(current.id.as_str()))?;
        }
        Ok(all)
    }

    /// Names the place of its states' source for good, as the journal knows it.
    pub async fn key(&self) -> Result<SourceKey, Report> {
        let key = self.states.key().await;
        key.map_err(|error| error.report(&self.source))
    }
}

impl Runs {
    /// Gives what an answer holds; nothing, of a database that is not there: Meltano makes it when it first needs it.
    fn if_there<T: Default>(&self, answer: backend::Result<T>) -> Result<T, Report> {
        match answer {
            Err(BackendError::NotFound) => Ok(T::default()),
            answer => answer.map_err(|error| error.report(&self.source)),
        }
    }

    /// Reads the runs of some jobs without their payloads; the states are left out.
    async fn current(&self, ids: &[StateId]) -> Result<Vec<Current>, Report> {
        let found = self.if_there(self.database.current(ids).await)?;
        if found.is_empty() {
            return Ok(ids.iter().map(without_runs).collect());
        }
        Ok(found)
    }
}

fn without_runs(id: &StateId) -> Current {
    Current {
        id: id.clone(),
        stored: None,
        runs: Vec::new(),
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
