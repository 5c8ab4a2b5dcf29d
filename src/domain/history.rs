//! Runs, the snapshots that they left, and the timeline that these make.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::domain::id::StateId;
use crate::domain::json::Document;
use crate::domain::moment::Stamp;
use crate::domain::state::{Content, NoEffective, Part, State};
use crate::domain::version::Version;

mod blame;
mod find;
mod fold;

pub use blame::{Blamed, blame};
pub use find::{Clock, length};
pub use fold::{Folding, derive, derives_from};

/// How long after its last heartbeat a running row still counts as alive: Meltano 4.4.1 writes one each second.
pub const HEARTBEAT_VALID_FOR: SignedDuration = SignedDuration::from_mins(5);

/// How long after its start a running row without any heartbeat still counts as alive, in Meltano 4.4.1.
pub const HEARTBEATLESS_VALID_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Tells what `runs.state` says of a run; never called its state here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// Created, never started.
    Idle,
    /// Started, and not known to have ended.
    Running,
    /// Ended well.
    Success,
    /// Ended with an error; its last state counts all the same.
    Fail,
    /// Found dead by Meltano 1.
    Dead,
    /// No run: an edit of the state by hand.
    StateEdit,
    /// A name that no release of Meltano writes, or none.
    Other(Option<String>),
}

impl RunStatus {
    /// Reads the column.
    pub fn read(text: Option<&str>) -> Self {
        match text {
            Some("IDLE") => Self::Idle,
            Some("RUNNING") => Self::Running,
            Some("SUCCESS") => Self::Success,
            Some("FAIL") => Self::Fail,
            Some("DEAD") => Self::Dead,
            Some("STATE_EDIT") => Self::StateEdit,
            other => Self::Other(other.map(str::to_owned)),
        }
    }

    /// Gives the column's text, as JSON output carries it.
    pub fn name(&self) -> &str {
        match self {
            Self::Idle => "IDLE",
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Fail => "FAIL",
            Self::Dead => "DEAD",
            Self::StateEdit => "STATE_EDIT",
            Self::Other(text) => text.as_deref().unwrap_or(""),
        }
    }

    /// Gives the word that people read.
    pub fn word(&self) -> &str {
        match self {
            Self::Idle => "never started",
            Self::Running => "running",
            Self::Success => "succeeded",
            Self::Fail => "failed",
            Self::Dead => "dead",
            Self::StateEdit => "edited by hand",
            Self::Other(text) => text.as_deref().unwrap_or("unknown status"),
        }
    }
}

/// Holds a row of Meltano's `runs` table (older name `job`), without its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The row's own number; the order in which rows were made, not always that in which they ended.
    pub row: i64,
    /// The job that ran.
    pub state_id: StateId,
    /// The run's ID, 32 hexadecimal digits in SQLite; older schemas have none.
    pub run_id: Option<String>,
    /// How it stands or ended.
    pub status: RunStatus,
    /// When it started; UTC.
    pub started_at: Option<Stamp>,
    /// When it ended; UTC.
    pub ended_at: Option<Stamp>,
    /// When it last said that it lives; UTC.
    pub heartbeat_at: Option<Stamp>,
    /// What started it: `cli`, `schedule`, or what `MELTANO_JOB_TRIGGER` said.
    pub trigger: Option<String>,
    /// What the payload is: bit 1 a state, bit 2 an incomplete one; 0 or NULL none.
    pub flags: Option<i64>,
}

impl Run {
    /// Tells whether the payload counts as a whole state.
    pub fn is_complete(&self) -> bool {
        self.flags.unwrap_or(0) & 1 != 0
    }

    /// Tells whether the payload counts as an incomplete state.
    pub fn is_incomplete(&self) -> bool {
        self.flags.unwrap_or(0) & 2 != 0
    }

    /// Gives the time that the run is placed at: its end, else its last sign of life, else its start.
    pub fn at(&self) -> Option<&Stamp> {
        self.ended_at
            .as_ref()
            .or(self.heartbeat_at.as_ref())
            .or(self.started_at.as_ref())
    }

    /// Tells whether the run is running at a given time, as far as its row can tell, by the rule of Meltano 4.4.1.
    ///
    /// A running row is stale when its heartbeat is older than five minutes, or when it has none and started over a day ago.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        if self.status != RunStatus::Running {
            return false;
        }
        let within = |stamp: &Option<Stamp>, limit| {
            stamp
                .as_ref()
                .and_then(|stamp| stamp.instant)
                .map(|at| now.duration_since(at) <= limit)
        };
        within(&self.heartbeat_at, HEARTBEAT_VALID_FOR)
            .or_else(|| within(&self.started_at, HEARTBEATLESS_VALID_FOR))
            .unwrap_or(false)
    }

    /// Says in words how it stands at a given time: `stale` for one that its row calls running, and that gave no sign of life
    /// for longer than Meltano 4.4.1 waits; the next run of the job marks it failed.
    pub fn standing(&self, now: Timestamp) -> &str {
        if self.status == RunStatus::Running && !self.is_alive(now) {
            return "stale";
        }
        self.status.word()
    }

    /// Gives how long it ran, when both ends are known.
    pub fn length(&self) -> Option<SignedDuration> {
        let ended = self.ended_at.as_ref()?.instant?;
        Some(ended.duration_since(self.started_at.as_ref()?.instant?))
    }
}

/// Holds a run together with its payload.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The row.
    pub run: Run,
    /// Its payload, as stored.
    pub payload: Content,
}

/// Names a snapshot for good: `run:` and the run's ID, or `now`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SnapshotId(String);

impl SnapshotId {
    /// Gives the name of what the source holds now.
    pub fn now() -> Self {
        Self("now".to_owned())
    }

    fn of_run(run: &Run) -> Self {
        match &run.run_id {
            Some(id) => Self(format!("run:{id}")),
            None => Self(format!("run:#{}", run.row)),
        }
    }

    /// Gives the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Gives a form short enough for a line: the first twelve digits, which of Meltano 4's time-ordered IDs are the
    /// milliseconds. It names the snapshot wherever no other of the timeline begins so.
    pub fn short(&self) -> String {
        match self.0.strip_prefix("run:") {
            Some(id) if id.len() > 12 && id.is_ascii() => format!("run:{}", &id[..12]),
            _ => self.0.clone(),
        }
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::report::printable(&self.0))
    }
}

/// Says where a snapshot comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A run, or an edit by hand when its status says so.
    Run(Box<Run>),
    /// What the source holds now.
    Now,
}

impl Origin {
    /// Gives the name that JSON output carries: `run`, `state_edit` or `now`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Run(run) if run.status == RunStatus::StateEdit => "state_edit",
            Self::Run(_) => "run",
            Self::Now => "now",
        }
    }
}

/// Holds a state at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Its lasting name.
    pub id: SnapshotId,
    /// Its place in this timeline, 1 the oldest.
    pub number: usize,
    /// When it was left.
    pub at: Option<Stamp>,
    /// Where it comes from.
    pub origins: Vec<Origin>,
    /// The parts that its origin wrote; none for a run that received no state.
    pub wrote: Vec<Part>,
    /// What the source held then, as the fold tells, or holds now; `None`: no state.
    pub state: Option<State>,
    /// The effective state; an empty document when there is no state.
    pub effective: Result<Document, NoEffective>,
    /// The run's own error, as its payload holds it.
    pub error: Option<String>,
    /// Why its payload did not count, when it did not.
    pub trouble: Option<String>,
}

impl Snapshot {
    /// Gives the run, or the edit, that it comes from.
    pub fn run(&self) -> Option<&Run> {
        self.origins.iter().find_map(|origin| match origin {
            Origin::Run(run) => Some(&**run),
            Origin::Now => None,
        })
    }

    /// Tells whether it is what the source holds now.
    pub fn is_now(&self) -> bool {
        self.origins.contains(&Origin::Now)
    }
}

/// Says how what the source holds now relates to what its runs and edits add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// It is what they add up to.
    Same,
    /// The runs left a state, and the source has none: `state clear` deletes the row and writes no run.
    Cleared,
    /// It is what they add up to by the rule that the upgrade to revision 6828cc5b1a4f used.
    Upgraded,
    /// The source holds a state, and no run of the job is known: it was imported, or ran where other runs are kept.
    NoRuns,
    /// The row was written once and never updated, and no run left what it holds: `state import` does that.
    Imported,
    /// Nothing that is known to Meltano explains the difference.
    Unexplained,
    /// It is not what they add up to, in a source that keeps no trace of an import, and that anyone may have written to.
    Untraced,
}

impl Agreement {
    /// Gives one sentence for people; `None` when there is nothing to say.
    pub fn sentence(&self) -> Option<&'static str> {
        match self {
            Self::Same => None,
            Self::Cleared => Some(
                "runs left a state, the source has none: it was cleared (a clear leaves no run)",
            ),
            Self::Upgraded => {
                Some("now is what the system database's upgrade computed from these runs")
            }
            Self::NoRuns => Some(
                "no run of it is known: it was imported (an import leaves no run), or ran elsewhere",
            ),
            Self::Imported => {
                Some("now is not what the runs left: it was imported (an import leaves no run)")
            }
            Self::Unexplained => {
                Some("now is not what the runs left, and no clear, import or upgrade explains it")
            }
            Self::Untraced => Some(
                "now is not what the runs left: it was imported, or its file was replaced (neither leaves a run)",
            ),
        }
    }

    /// Gives the name that JSON output carries.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Cleared => "cleared",
            Self::Upgraded => "upgraded",
            Self::NoRuns => "no-runs",
            Self::Imported => "imported",
            Self::Unexplained => "unexplained",
            Self::Untraced => "untraced",
        }
    }
}

/// Holds what a store has for a state ID now.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The state.
    pub state: State,
    /// When the store says that it was written; `None` when it does not say.
    pub modified: Option<Stamp>,
    /// What stands for all of this; a write is conditional on it.
    pub version: Version,
}

impl Stored {
    /// Makes one of what a store holds that has no token of its own.
    pub fn of_content(state: State, modified: Option<Stamp>) -> Self {
        let text = modified.as_ref().map(|stamp| stamp.text.as_str());
        Self {
            version: Version::of_content(&state, text),
            state,
            modified,
        }
    }
}

/// Holds a job's snapshots in order, the oldest first; the last is always `now`.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The job.
    pub state_id: StateId,
    /// The snapshots; never empty.
    pub snapshots: Vec<Snapshot>,
    /// How `now` relates to the rest.
    pub agreement: Agreement,
}

impl Timeline {
    /// Folds runs, in whatever order they come, as the Meltano that wrote them did, and puts `now` behind them.
    pub fn build(
        state_id: StateId,
        records: Vec<RunRecord>,
        folding: Folding,
        now: Option<Stored>,
    ) -> Self {
        let records = fold::in_order(records, folding);
        let mut snapshots = fold::fold(&records, folding);
        let agreement = fold::agreement(&records, snapshots.last(), folding, now.as_ref());
        let number = snapshots.len() + 1;
        snapshots.push(now_snapshot(number, now));
        Self {
            state_id,
            snapshots,
            agreement,
        }
    }

    /// Builds one of runs and of a state that are in two sources: that of the states tells neither an import nor an upgrade.
    pub fn of_two_sources(
        state_id: StateId,
        records: Vec<RunRecord>,
        folding: Folding,
        now: Option<Stored>,
    ) -> Self {
        let mut timeline = Self::build(state_id, records, folding, now);
        if matches!(
            timeline.agreement,
            Agreement::Unexplained | Agreement::Imported | Agreement::Upgraded
        ) {
            timeline.agreement = Agreement::Untraced;
        }
        timeline
    }

    /// Gives the snapshot before one, by place.
    pub fn before(&self, place: usize) -> Option<&Snapshot> {
        self.snapshots.get(place.checked_sub(1)?)
    }
}

fn now_snapshot(number: usize, now: Option<Stored>) -> Snapshot {
    let (state, modified) = match now {
        Some(stored) => (Some(stored.state), stored.modified),
        None => (None, None),
    };
    Snapshot {
        id: SnapshotId::now(),
        number,
        at: modified,
        origins: vec![Origin::Now],
        wrote: Vec::new(),
        effective: effective(state.as_ref()),
        state,
        error: None,
        trouble: None,
    }
}

/// Gives the effective state; no state is `{}`, which is what a run would start from.
fn effective(state: Option<&State>) -> Result<Document, NoEffective> {
    state.map_or_else(|| Ok(Document::empty_object()), State::effective)
}

#[cfg(test)]
mod tests;
