//! What a command says of earlier operations before its own work: cut short, or written over by another program.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::session::Session;
use super::sites::{Located, Source};
use crate::domain::id::StateId;
use crate::domain::operation::{Operation, OperationId};
use crate::journal::JournalStore;
use crate::ops::write::{self, Interrupted, Overwritten};
use crate::report::{Fault, Report};

/// For how long a command that reads speaks of an operation that was written over.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Holds what was said already, so that it is said once.
#[derive(Debug, Default)]
pub(super) struct Told {
    operations: HashSet<OperationId>,
    /// Why the journal could not be read; it is not asked again, since each time it may be waited for.
    unreadable: Option<Report>,
    /// Whether the command fails when the journal cannot be read, so that it need not be said before.
    fails_by_itself: bool,
}

impl Session {
    /// Says which operations on a source were cut short, what the source holds, and what can be done. Nothing is asked of
    /// anyone when there is no journal, or nobody listens.
    pub(super) async fn look_back(&mut self, source: &Source) {
        let Some(journal) = self.readable().filter(|_| self.voice.speaks()) else {
            return;
        };
        match write::interrupted(&source.open, &*journal).await {
            Ok(all) => {
                for found in all {
                    if self.told.operations.insert(found.operation.id) {
                        self.tell_interrupted(&found);
                    }
                }
            }
            Err(report) => self.cannot_look(&report),
        }
    }

    /// Does so for a command that writes, which fails by itself when the journal cannot be read.
    pub(super) async fn look_back_to_write(&mut self, source: &Source) {
        self.told.fails_by_itself = true;
        self.look_back(source).await;
    }

    /// Says whether another program wrote over the newest operation on a state, when that is not long ago.
    pub(super) async fn look_for_overwritten(&mut self, located: &Located) {
        let ids = std::slice::from_ref(&located.id);
        self.look_for_all_overwritten(&located.source, ids, false)
            .await;
    }

    /// Says on which of some states another program wrote over the newest operation; of old ones only `always`.
    pub(super) async fn look_for_all_overwritten(
        &mut self,
        source: &Source,
        ids: &[StateId],
        always: bool,
    ) {
        let Some(journal) = self.readable() else {
            return;
        };
        if !self.voice.speaks() && !self.voice.json {
            return;
        }
        match write::overwritten(&source.open, &*journal, ids).await {
            Ok(all) => {
                for found in all {
                    let counts = always || self.is_recent(found.operation.at);
                    if counts && self.told.operations.insert(found.operation.id) {
                        self.voice.warn("overwritten", &overwritten(&found, source));
                    }
                }
            }
            Err(report) => self.cannot_look(&report),
        }
    }

    /// Leaves an operation out of the notes, since the command itself is about it.
    pub(super) fn will_tell(&mut self, operation: OperationId) {
        self.told.operations.insert(operation);
    }

    /// Gives the journal when its file is there and was not found to be unreadable.
    fn readable(&self) -> Option<Arc<dyn JournalStore>> {
        let existing = self.journal.existing();
        existing.filter(|_| self.told.unreadable.is_none())
    }

    /// Fails when the journal was found to be unreadable, before anybody is asked about a write that needs it.
    pub(super) fn needs_the_journal(&self) -> Result<(), Report> {
        match &self.told.unreadable {
            None => Ok(()),
            Some(report) => Err(write::nothing_written(report.clone())),
        }
    }

    fn is_recent(&self, at: Timestamp) -> bool {
        self.clock.now.duration_since(at) < RECENT
    }

    /// Says once that the journal could not be read. What is wrong with the source is told by who reads it for its answer.
    fn cannot_look(&mut self, report: &Report) {
        if report.source.is_none() && self.told.unreadable.is_none() {
            self.told.unreadable = Some(report.clone());
            if !self.told.fails_by_itself {
                self.voice.note(report.sentence());
            }
        }
    }

    fn tell_interrupted(&self, found: &Interrupted) {
        let operation = &found.operation;
        let id = operation.id;
        self.voice.note(format_args!(
            "operation {id} ({}) was cut short {}, and {}",
            deed(operation),
            self.day(operation.at),
            found.found()
        ));
        self.voice.more(format_args!(
            "finish it: `statescope operations --again {id}`"
        ));
        self.voice
            .more(format_args!("take it back: `statescope undo {id}`"));
    }

    /// Writes an instant in the zone of the reader, to the minute, a day that is near by its name.
    pub(super) fn day(&self, at: Timestamp) -> String {
        let local = |at: Timestamp| self.clock.zone.to_datetime(at);
        let (then, today) = (local(at), local(self.clock.now).date());
        let day = match today.yesterday() {
            _ if then.date() == today => "today".to_owned(),
            Ok(yesterday) if then.date() == yesterday => "yesterday".to_owned(),
            _ => then.date().to_string(),
        };
        format!("{day} {}", then.strftime("%H:%M"))
    }
}

/// Says what an operation does, and to which states.
pub(super) fn deed(operation: &Operation) -> String {
    format!("{} {}", operation.kind.name(), states(operation))
}

/// Names the states of an operation: the first, and how many more there are.
pub(super) fn states(operation: &Operation) -> String {
    match operation.items.as_slice() {
        [] => "nothing".to_owned(),
        [item] => item.state_id.to_string(),
        [first, others @ ..] => format!("{} and {} more", first.state_id, others.len()),
    }
}

fn overwritten(found: &Overwritten, source: &Source) -> Report {
    let Overwritten {
        operation,
        item,
        id,
        by,
    } = found;
    let number = match operation.items.len() {
        0 | 1 => operation.id.to_string(),
        _ => format!("{}.{item}", operation.id),
    };
    let kind = operation.kind.name();
    let report = Report::new(
        Fault::Conflict,
        format!("the newest operation on '{id}', {kind} {number}, was written over"),
    );
    // What the journal has of one that was written over at once is a sentence that says as much.
    let report = if by.starts_with('\'') {
        report
    } else {
        report.because(format!("by {by}"))
    };
    let again = format!("apply it again: `statescope operations --again {number}`");
    report
        .hint(again)
        .on_source(&source.open.source)
        .on_state(id.as_str())
}
