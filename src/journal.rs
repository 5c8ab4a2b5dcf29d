//! The journal: statescope's own store of operations, where before and after of every write are on disk before the source
//! is touched.

use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::domain::edit::Edit;
use crate::domain::id::StateId;
use crate::domain::location::SourceKey;
use crate::domain::operation::{Author, Event, Operation, OperationId, OperationKind, Undoes};
use crate::domain::state::State;
use crate::domain::version::ContentHash;
use crate::report::{Fault, Report};

pub mod sqlite;

/// The result of asking a journal.
pub type Result<T> = std::result::Result<T, JournalError>;

/// How many bytes a journal takes at most, unless it is told otherwise: 2 GiB.
pub const LIMIT: u64 = 2 << 30;

/// How long the bytes of an operation are kept whatever the limit, in days.
pub const KEPT_FOR_DAYS: i64 = 90;

/// Holds an operation that is to be written down.
#[derive(Debug, Clone)]
pub struct NewOperation {
    /// When it is planned.
    pub at: Timestamp,
    /// What makes it.
    pub kind: OperationKind,
    /// Who.
    pub author: Author,
    /// Why, as the person said.
    pub reason: Option<String>,
    /// The place that it is to write to.
    pub source: SourceKey,
    /// The display form of that source's URI.
    pub source_name: String,
    /// What it takes back.
    pub undoes: Option<Undoes>,
    /// Its states, numbered from 1 in this order.
    pub items: Vec<NewItem>,
}

/// Holds one state of an operation that is to be written down.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// The state.
    pub state_id: StateId,
    /// What is wanted.
    pub edit: Edit,
    /// What the source holds; `None` for no state.
    pub before: Option<State>,
    /// What it is to hold; `None` for no state.
    pub after: Option<State>,
}

/// Stands for an operation that this process works on: while it lives, others see the operation as running.
#[derive(Debug)]
pub struct Ongoing {
    /// The operation.
    pub id: OperationId,
    /// What others look at; dropped with this.
    pub(crate) _sign: Box<dyn Sign>,
}

/// Is what a store keeps to show that a process lives.
pub(crate) trait Sign: Debug + Send + Sync {}

/// Says which operations are asked for; the newest come first.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Only of these sources; empty for any.
    pub sources: Vec<SourceKey>,
    /// Only of this user.
    pub user: Option<String>,
    /// Only since this time.
    pub since: Option<Timestamp>,
    /// Only those with an item of one of these states; empty for any.
    pub state_ids: Vec<StateId>,
    /// Only those without an end.
    pub unfinished: bool,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Says what was dropped from a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// How many operations lost their bytes.
    pub operations: usize,
    /// How many bytes the journal takes less.
    pub bytes: u64,
}

/// Keeps operations.
#[async_trait]
pub trait JournalStore: Debug + Display + Send + Sync {
    /// Writes an operation down with both sides of each state, and returns when that is on disk.
    ///
    /// Drops the bytes of old operations first when the journal would pass its limit. Fails, and nothing may be written to
    /// any source then, when the journal is locked, full, unwritable or of a newer format.
    async fn plan(&self, operation: NewOperation) -> Result<Ongoing>;

    /// Writes down what happened to an operation, in one step, and returns when that is on disk.
    async fn record(&self, id: OperationId, at: Timestamp, events: Vec<Event>) -> Result<()>;

    /// Finds operations, the newest first. A journal that does not exist holds none, and is not made.
    async fn find(&self, query: Query) -> Result<Vec<Operation>>;

    /// Reads one operation.
    async fn get(&self, id: OperationId) -> Result<Option<Operation>>;

    /// Reads bytes by their hashes; those that were dropped are left out.
    async fn contents(&self, hashes: Vec<ContentHash>) -> Result<HashMap<ContentHash, Vec<u8>>>;

    /// Drops the bytes that only operations need which ended, and were planned before a time; the time is taken as
    /// [`KEPT_FOR_DAYS`] before now when it is later than that.
    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<Pruned>;
}

/// Names what is wrong with a journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// It cannot be made, opened or written.
    #[error("{0}")]
    Unwritable(String),
    /// The disk is full.
    #[error("the disk that holds it is full")]
    DiskFull,
    /// It is at its limit, and everything in it is still needed.
    #[error(
        "it takes {size} bytes of {limit}, all of them needed for operations of the last 90 days"
    )]
    AtLimit {
        /// How many bytes it takes.
        size: u64,
        /// How many it may take.
        limit: u64,
    },
    /// Another program held it for too long.
    #[error("another program held it locked for {0} seconds")]
    Locked(u64),
    /// A newer statescope made it.
    #[error("it has format {found}, and this statescope knows formats up to {known}")]
    Newer {
        /// The format that it has.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// It is damaged, or no journal.
    #[error("{0}")]
    Corrupt(String),
}

impl JournalError {
    /// Makes the report that a person sees when an operation needs the journal and cannot have it.
    pub fn report(&self, journal: &dyn Display) -> Report {
        let (fault, hint) = match self {
            Self::Unwritable(_) => (
                Fault::Denied,
                "name a place that can be written by --journal",
            ),
            Self::DiskFull => (
                Fault::Unreachable,
                "make room, or name a place on another disk by --journal",
            ),
            Self::AtLimit { .. } => (
                Fault::Refused,
                "raise it by --journal-limit, or begin a new one by --journal",
            ),
            Self::Locked(_) => (
                Fault::Timeout,
                "try again when the other statescope is done",
            ),
            Self::Newer { .. } => (
                Fault::Unsupported,
                "use the newer statescope, or name another journal by --journal",
            ),
            Self::Corrupt(_) => (
                Fault::Corrupt,
                "move it away and keep it, or name another one by --journal",
            ),
        };
        Report::new(fault, format!("the journal {journal} cannot be used"))
            .because(self)
            .hint(hint)
    }
}

/// Opens the journal at a path; touches nothing yet. It takes `limit` bytes at most.
pub fn open(path: &Path, limit: u64) -> Arc<dyn JournalStore> {
    Arc::new(sqlite::SqliteJournal::new(path.to_owned(), limit))
}
