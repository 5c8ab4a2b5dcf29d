//! The marks of runs, with the word and the colour that go with each.

use jiff::Timestamp;

use super::output::Tone;
use crate::domain::history::{Run, RunStatus};
use crate::report::printable;

/// Says how a run stands: its mark, the colour, and the word.
///
/// A run that its row calls running, and that gave no sign of life for longer than Meltano 4.4.1 waits, is stale: the next
/// run of the job marks it failed.
pub(super) fn run_standing(run: &Run, now: Timestamp) -> (&'static str, Tone, String) {
    let (mark, tone) = match run.status {
        RunStatus::Success => ("●", Tone::Good),
        RunStatus::Fail | RunStatus::Dead => ("✗", Tone::Bad),
        RunStatus::Running if run.is_alive(now) => ("◐", Tone::Active),
        RunStatus::Running => return ("✗", Tone::Warning, "stale".to_owned()),
        RunStatus::StateEdit => ("◆", Tone::Plain),
        RunStatus::Idle | RunStatus::Other(_) => ("○", Tone::Faint),
    };
    (mark, tone, printable(run.status.word()))
}
