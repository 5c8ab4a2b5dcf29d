//! What a store is asked to write.

use jiff::Timestamp;

use crate::domain::id::StateId;
use crate::domain::json::Document;
use crate::domain::state::State;
use crate::domain::version::{Expect, Version};

/// Is one change of a store.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Puts every part of a state.
    Put {
        /// The state.
        id: StateId,
        /// Its parts, verbatim.
        state: State,
        /// What the store must hold.
        expect: Expect,
    },
    /// Deletes a state.
    Delete {
        /// The state.
        id: StateId,
        /// What the store must hold.
        expect: Version,
    },
    /// Adds the run that tells of an edit.
    AppendEdit(EditRun),
}

/// Holds a row of runs that tells of an edit by hand, as Meltano 4.4.1 writes one: status `STATE_EDIT`, begun and ended at one
/// time, without a heartbeat.
#[derive(Debug, Clone, PartialEq)]
pub struct EditRun {
    /// The job.
    pub state_id: StateId,
    /// The run's ID, 32 hexadecimal digits: a `UUIDv7`, as Meltano 4.4.1 makes them.
    pub run_id: String,
    /// When; stored in UTC, in microseconds.
    pub at: Timestamp,
    /// What started it: `cli`, unless `MELTANO_JOB_TRIGGER` says otherwise.
    pub trigger: String,
    /// 1 for a payload that is a whole state, 2 for one that comes on top.
    pub flags: i64,
    /// The state.
    pub payload: Document,
}

/// Holds changes that happen together or not at all, where the store can: a state and the run that tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Group(pub Vec<Change>);

/// Holds groups, one after the other. A group that fails does not keep the others from happening.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The groups.
    pub groups: Vec<Group>,
}
