//! Operations: what the journal keeps of each confirmed plan.

use std::fmt;

use jiff::Timestamp;

use crate::domain::id::StateId;
use crate::domain::json::Pointer;
use crate::domain::location::SourceKey;
use crate::domain::state::Part;
use crate::domain::version::{ContentHash, Sides};

/// Numbers an operation within one journal, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub i64);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Says what kind of command made an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Whole states were put in place of others.
    Set,
    /// A value was put at a place.
    Put,
    /// States were deleted.
    Clear,
    /// An operation, or one item of it, was taken back.
    Undo,
}

impl OperationKind {
    /// Holds every kind.
    pub const ALL: [Self; 4] = [Self::Set, Self::Put, Self::Clear, Self::Undo];

    /// Gives the name that the command line, JSON output and the journal use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Put => "put",
            Self::Clear => "clear",
            Self::Undo => "undo",
        }
    }

    /// Finds the kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Says who does an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The user's name on the host.
    pub user: String,
    /// The host's name.
    pub host: String,
}

/// Names what an operation of kind undo takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undoes {
    /// The operation.
    pub operation: OperationId,
    /// One item of it; `None` for all of them.
    pub item: Option<u32>,
}

/// Says how far an operation came: what its last event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is written down; the source was not touched.
    Planned,
    /// The source may have been touched.
    Begun,
    /// It ended as it was planned.
    Done,
    /// Some or all of its items were not done.
    Failed,
    /// It was taken back.
    Undone,
    /// Another program wrote over what it had done.
    Overwritten,
}

impl Status {
    /// Holds every status.
    pub const ALL: [Self; 6] = [
        Self::Planned,
        Self::Begun,
        Self::Done,
        Self::Failed,
        Self::Undone,
        Self::Overwritten,
    ];

    /// Gives the name that JSON output and the journal use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Undone => "undone",
            Self::Overwritten => "overwritten",
        }
    }

    /// Finds the status of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Tells whether the operation came to an end, good or bad.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Planned | Self::Begun)
    }
}

/// Says how one item of an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemResult {
    /// It was written, and read back.
    Done,
    /// The source had moved on; nothing was written for it.
    Conflict,
    /// It could not be written.
    Failed,
    /// It was written, and another program wrote over it.
    Overwritten,
    /// It was taken back.
    Undone,
}

impl ItemResult {
    /// Holds every result.
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::Conflict,
        Self::Failed,
        Self::Overwritten,
        Self::Undone,
    ];

    /// Gives the name that JSON output and the journal use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
            Self::Overwritten => "overwritten",
            Self::Undone => "undone",
        }
    }

    /// Finds the result of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.name() == name)
    }
}

/// Is something that happened to an operation after it was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The source is about to be touched.
    Begun,
    /// One item ended.
    Item {
        /// Its number, from 1.
        number: u32,
        /// How it ended.
        result: ItemResult,
        /// Why, when it was not done.
        message: Option<String>,
    },
    /// The operation came to a new status.
    Ended {
        /// The status.
        status: Status,
        /// Why, or by what.
        message: Option<String>,
    },
}

/// Is an edit as the journal keeps it: what holds a document holds its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedEdit {
    /// A whole state was set.
    Set {
        /// The document, as it was given.
        document: ContentHash,
        /// Whether it had to be a Singer state.
        validate: bool,
    },
    /// A value was put at a place.
    Put {
        /// The part; `None` for the effective state.
        part: Option<Part>,
        /// The place.
        at: Pointer,
        /// The value.
        value: ContentHash,
    },
    /// The state was deleted.
    Clear,
    /// What is after it was put back.
    Restore,
}

/// Holds one state of an operation, with both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationItem {
    /// Its number in the operation, from 1.
    pub number: u32,
    /// The state.
    pub state_id: StateId,
    /// What was wanted.
    pub edit: RecordedEdit,
    /// What the source held; `None` when it held no state.
    pub before: Option<Sides>,
    /// What it was to hold; `None` for no state.
    pub after: Option<Sides>,
    /// How it ended; `None` while that is not known.
    pub result: Option<ItemResult>,
    /// Why, when it was not done.
    pub message: Option<String>,
}

/// Holds an operation, without the bytes of its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// When it was planned.
    pub at: Timestamp,
    /// What made it.
    pub kind: OperationKind,
    /// Who.
    pub author: Author,
    /// Why, as the person said.
    pub reason: Option<String>,
    /// The place that it wrote to.
    pub source: SourceKey,
    /// The display form of that source's URI.
    pub source_name: String,
    /// What it takes back.
    pub undoes: Option<Undoes>,
    /// Its states.
    pub items: Vec<OperationItem>,
    /// How far it came.
    pub status: Status,
    /// What its last event said.
    pub message: Option<String>,
    /// Whether the process that does it still lives.
    pub is_running: bool,
    /// Whether the journal still holds the bytes of its states.
    pub has_bodies: bool,
}

impl Operation {
    /// Tells whether it was cut short: it has no end, and nobody works on it.
    pub fn is_interrupted(&self) -> bool {
        !self.status.is_final() && !self.is_running
    }

    /// Tells whether there is something to take back, and the journal can.
    pub fn is_undoable(&self) -> bool {
        let was_written = match self.status {
            Status::Planned | Status::Undone => false,
            Status::Begun => !self.is_running,
            Status::Done | Status::Overwritten => true,
            Status::Failed => {
                let mut items = self.items.iter();
                items.any(|item| item.result == Some(ItemResult::Done))
            }
        };
        was_written && self.has_bodies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in OperationKind::ALL {
            assert_eq!(OperationKind::named(kind.name()), Some(kind));
        }
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
        }
        for result in ItemResult::ALL {
            assert_eq!(ItemResult::named(result.name()), Some(result));
        }
    }
}
