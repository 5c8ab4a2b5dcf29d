//! Stores: how each technology's states and runs are read and written. One file a technology.

use std::fmt::{Debug, Display};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use jiff::SignedDuration;
use tokio::task::JoinError;

use crate::domain::edit::{Batch, Confirmed};
use crate::domain::history::{Folding, Run, RunRecord, Stored};
use crate::domain::id::StateId;
use crate::domain::job::Listed;
use crate::domain::location::{Location, SourceKey};
use crate::domain::lock::LOCK_TIMEOUT;
use crate::domain::version::Version;
use crate::report::{Fault, Report};

mod chunks;
pub mod files;
mod guard;
pub mod memory;
pub mod sqlite;

/// The result of asking a store.
pub type Result<T> = std::result::Result<T, BackendError>;

/// Says what a store can do; what it cannot is shown, never guessed by the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether it holds runs too.
    pub runs: bool,
    /// How its runs add up to states.
    pub folding: Folding,
    /// Whether states are written to it.
    pub access: Access,
}

/// Says whether a store is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It is.
    ReadWrite,
    /// It is not; says why, and what would change that.
    ReadOnly(String),
}

/// Holds what a store has of one job now: all of it is of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Current {
    /// The job.
    pub id: StateId,
    /// Its state.
    pub stored: Option<Stored>,
    /// Its runs without their payloads, in the order of the rows; none where the store holds no runs.
    pub runs: Vec<Run>,
}

/// Says what a write left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// What stands for each state that the group put, in order; `None` for a state that was deleted.
    pub versions: Vec<Option<Version>>,
}

/// Holds some jobs of a list.
///
/// A source that changed while it was read begins again: rows of an earlier generation than the latest count no more.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Which reading of the source the rows belong to, from 0.
    pub generation: u32,
    /// The rows, in the order of the source.
    pub rows: Vec<Listed>,
}

/// Reads and writes the states of one source.
#[async_trait]
pub trait StateBackend: Debug + Display + Send + Sync {
    /// Tells what the store can do.
    async fn capabilities(&self) -> Result<Capabilities>;

    /// Lists the jobs in chunks, in the order of the source, jobs that are known from runs only behind the others.
    ///
    /// A source that locks keeps its read lock while the stream lives, so take from it without waiting, or drop it.
    fn list(&self) -> BoxStream<'_, Result<Listing>>;

    /// Reads one state; `None` when the source holds none for the ID.
    async fn read(&self, id: &StateId) -> Result<Option<Stored>>;

    /// Names the place for good: whatever way leads to it, the key is the same.
    async fn key(&self) -> Result<SourceKey>;

    /// Writes, and gives one result a group: a group happens whole or not at all, and only when the store holds what each of
    /// its changes expects, else it gives [`BackendError::Conflict`]. The only way to write; called by `ops::write` alone.
    ///
    /// Returns when what was written is on disk.
    async fn commit(&self, batch: Confirmed<Batch>) -> Vec<Result<Committed>>;
}

/// Reads what only a system database has.
#[async_trait]
pub trait SystemDatabase: StateBackend {
    /// Reads every run of a job with its payload, in the order of the rows. Reads no other job's payload.
    async fn runs(&self, id: &StateId) -> Result<Vec<RunRecord>>;

    /// Reads a job's state and runs from one moment, so that neither is newer than the other.
    async fn history(&self, id: &StateId) -> Result<(Option<Stored>, Vec<RunRecord>)>;

    /// Reads what is held of some jobs now, in their order, from one moment.
    async fn current(&self, ids: &[StateId]) -> Result<Vec<Current>>;

    /// Reads what the database is: its revision and its schema.
    async fn facts(&self) -> Result<DatabaseFacts>;
}

/// Says what a system database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// The rows of `alembic_version`; a healthy database has exactly one.
    pub revisions: Vec<String>,
    /// The table that holds the runs: `runs`, or `job` before revision 5b43800443d1.
    pub runs_table: Option<&'static str>,
    /// The key column of the `state` table: `state_id`, or `job_name` as Meltano 2.7.0 made it; `None` without the table.
    pub state_key: Option<&'static str>,
}

/// Names what went wrong with a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is nothing at the place.
    #[error("there is no such file")]
    NotFound,
    /// The operating system or the store refuses access.
    #[error("{0}")]
    Denied(String),
    /// The store could not be reached, or reading stopped half-way.
    #[error("{0}")]
    Unreachable(String),
    /// What is there is damaged, or not what it should be; says where, when that is known.
    #[error("{0}")]
    Corrupt(String),
    /// What is there is of a kind or revision that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// A write to it was cut short, and must be undone by a program that may write before anyone can read.
    #[error(
        "a program was stopped in the middle of a write, which must be undone before it can be read"
    )]
    Interrupted,
    /// Another program held it for too long, or it changed faster than it could be read.
    #[error("{0}")]
    Timeout(String),
    /// It does not hold what a write expects; nothing was written.
    #[error("it changed since it was read")]
    Conflict,
    /// It is not written to.
    #[error("{0}")]
    ReadOnly(String),
    /// The disk that holds it is full; nothing was written.
    #[error("the disk that holds it is full")]
    DiskFull,
}

impl BackendError {
    /// Makes the report that a person sees when reading a source failed.
    pub fn report(&self, source: &dyn Display) -> Report {
        self.report_of("read", source)
    }

    /// Makes the report that a person sees when writing to a source failed.
    pub fn report_of_write(&self, source: &dyn Display) -> Report {
        let report = self.report_of("write to", source);
        match self {
            Self::Unsupported(_) => {
                report.hint("mend what the database has there, or write to another source")
            }
            Self::Denied(_) => report.hint("run as a user who may write to it and its folder"),
            _ => report,
        }
    }

    fn report_of(&self, doing: &str, source: &dyn Display) -> Report {
        let (fault, hint) = match self {
            Self::NotFound => (
                Fault::NotFound,
                "check the path; `statescope demo` needs none",
            ),
            Self::Denied(_) => (Fault::Denied, "run as a user who may read it, or copy it"),
            Self::Unreachable(_) => (
                Fault::Unreachable,
                "check that the disk or the network that holds it is there",
            ),
            Self::Corrupt(_) => (
                Fault::Corrupt,
                "check that the path names a system database; restore it from a backup if it does",
            ),
            Self::Unsupported(_) => (
                Fault::Unsupported,
                "name a Meltano system database or a state directory",
            ),
            Self::Interrupted => (
                Fault::Unreachable,
                "any Meltano command on it undoes that, as `meltano state list`; nothing that was finished is lost",
            ),
            Self::Timeout(_) => (
                Fault::Timeout,
                "try again when the program that writes it is done",
            ),
            Self::Conflict => (
                Fault::Conflict,
                "look at what it holds now, and do it again if it is still wanted",
            ),
            Self::ReadOnly(_) => (Fault::Refused, "write to a copy, or to another source"),
            Self::DiskFull => (Fault::Unreachable, "make room, and do it again"),
        };
        Report::new(fault, format!("cannot {doing} {source}"))
            .because(self)
            .hint(hint)
            .on_source(source)
    }
}

/// Says that a thread which asked a store came to a bad end.
fn stopped(doing: &str, error: &JoinError) -> BackendError {
    BackendError::Unreachable(format!("{doing} it stopped half-way: {error}"))
}

/// Names a place on disk for good. What is no text in its path, and the sign that stands for it, is written as `%` and two
/// digits, so that no two paths have one key.
fn key_of(kind: &str, path: &Path) -> SourceKey {
    let mut key = format!("{kind}:");
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        key.push_str(&chunk.valid().replace('%', "%25"));
        key.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    SourceKey::new(key)
}

/// Holds an open store, by what it can be asked.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The store.
    pub states: Arc<dyn StateBackend>,
    /// The same store, when it is a system database.
    pub runs: Option<Arc<dyn SystemDatabase>>,
}

impl Opened {
    fn database(store: impl SystemDatabase + 'static) -> Self {
        let runs: Arc<dyn SystemDatabase> = Arc::new(store);
        Self {
            states: Arc::clone(&runs) as Arc<dyn StateBackend>,
            runs: Some(runs),
        }
    }
}

/// Opens the store at a location; touches nothing yet. `read_only` says why it is not to be written to, if it is not; locks of a
/// store that has some hold for `lock_timeout`, Meltano's default unless it is given.
pub fn open(
    location: &Location,
    lock_timeout: Option<SignedDuration>,
    read_only: Option<String>,
) -> Opened {
    match (location, read_only) {
        (Location::Directory(path), read_only) => {
            let store = files::Files::new(path.clone(), lock_timeout.unwrap_or(LOCK_TIMEOUT));
            let states: Arc<dyn StateBackend> = match read_only {
                None => Arc::new(store),
                Some(why) => Arc::new(guard::ReadOnly::new(store, why)),
            };
            Opened { states, runs: None }
        }
        (Location::Sqlite(path), None) => Opened::database(sqlite::Sqlite::new(path.clone())),
        (Location::Sqlite(path), Some(why)) => {
            let store = sqlite::Sqlite::new(path.clone());
            Opened::database(guard::ReadOnly::new(store, why))
        }
    }
}
