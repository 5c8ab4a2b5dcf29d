//! The one table of marks: what stands before a job, and for a snapshot, on the screen and on the command line.

use jiff::Timestamp;

use crate::domain::history::{Run, RunStatus, Snapshot};
use crate::domain::job::Job;
use crate::domain::ui::Role;

/// Is a sign that needs no colour, with what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The sign, one cell wide.
    pub sign: &'static str,
    /// What stands for it where there is only ASCII.
    pub ascii: &'static str,
    /// What it says.
    pub about: &'static str,
    /// How it looks.
    pub role: Role,
}

const SUCCEEDED: Mark = mark("●", "@", "a run that succeeded", Role::Good);
const FAILED: Mark = mark(
    "✗",
    "x",
    "a run that failed; a source that cannot be read",
    Role::Bad,
);
const RUNNING: Mark = mark(
    "◐",
    "%",
    "running, or said to be and stale; reading",
    Role::Busy,
);
const HELD: Mark = mark("○", "o", "what the source holds, no run known", Role::Text);
const NOTHING: Mark = mark("·", ".", "a run that left no state", Role::Quiet);
const GONE: Mark = mark(
    "∅",
    "0",
    "no state: cleared, deleted, or never left",
    Role::Warning,
);
const EDIT: Mark = mark("◆", "#", "an edit by hand", Role::Edit);

/// Says that a bookmark went back.
pub const BACK: Mark = mark("◀", "<", "a bookmark went back", Role::Back);
/// Says that others are compared with it.
pub const MARKED: Mark = mark("*", "*", "marked: others are compared with it", Role::Key);
/// Says that something is wrong.
pub const FINDING: Mark = mark("!", "!", "something is wrong with it", Role::Warning);
/// Says that a source answers.
pub const ANSWERS: Mark = mark("●", "@", "a source that answers", Role::Good);
/// Says that a source is being read.
pub const READING: Mark = RUNNING;
/// Says that a source cannot be read.
pub const BROKEN: Mark = FAILED;

/// Holds every mark that the help explains.
pub const MARKS: &[Mark] = &[
    SUCCEEDED, FAILED, RUNNING, HELD, NOTHING, GONE, EDIT, BACK, MARKED, FINDING,
];

const fn mark(sign: &'static str, ascii: &'static str, about: &'static str, role: Role) -> Mark {
    Mark {
        sign,
        ascii,
        about,
        role,
    }
}

/// Gives the mark that stands before a job.
pub fn of_job(job: &Job, now: Timestamp) -> Mark {
    match &job.last_run {
        Some(run) if run.is_alive(now) => RUNNING,
        _ if !job.has_state => GONE,
        Some(run) => of_run(run),
        None if job.last_edit.is_some() => EDIT,
        None => HELD,
    }
}

/// Gives the mark that stands for a snapshot in the strip.
pub fn of_snapshot(snapshot: &Snapshot) -> Mark {
    match snapshot.run() {
        Some(run) if run.status == RunStatus::Success && snapshot.wrote.is_empty() => NOTHING,
        Some(run) => of_run(run),
        None if snapshot.state.is_some() => HELD,
        None => GONE,
    }
}

/// Gives the mark that stands for a run.
pub fn of_run(run: &Run) -> Mark {
    match run.status {
        RunStatus::Success => SUCCEEDED,
        RunStatus::Fail | RunStatus::Dead => FAILED,
        RunStatus::Running => RUNNING,
        RunStatus::StateEdit => EDIT,
        RunStatus::Idle | RunStatus::Other(_) => NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn every_mark_is_one_cell_and_means_one_thing() {
        for (place, mark) in MARKS.iter().enumerate() {
            assert_eq!(mark.sign.width(), 1, "{}", mark.sign);
            assert!(mark.ascii.is_ascii() && mark.ascii.len() == 1);
            assert!(
                MARKS[place + 1..]
                    .iter()
                    .all(|other| other.sign != mark.sign && other.ascii != mark.ascii)
            );
        }
    }
}
