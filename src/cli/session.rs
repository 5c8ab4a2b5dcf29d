//! What every command shares: where it writes, what time it is, which sources it may ask.

use std::fmt::Display;
use std::io::Write as _;

use jiff::Timestamp;

use super::journal::Place;
use super::json;
use super::notices::Told;
use super::output::Output;
use super::sites::{Sites, Source};
use crate::domain::history::{Clock, Snapshot, Timeline};
use crate::domain::moment::{Instant, Stamp};
use crate::project::Surroundings;
use crate::report::{Report, printable};

/// Speaks on standard error, where what is no answer goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Voice {
    /// Whether each error is a line of JSON; then nothing else is said.
    pub(super) json: bool,
    pub(super) quiet: bool,
    pub(super) verbose: bool,
}

impl Voice {
    pub(super) fn of(options: &super::Options) -> Self {
        Self {
            json: options.json,
            quiet: options.quiet,
            verbose: options.verbose,
        }
    }

    /// Says the last word of a command that wrote.
    pub(super) fn last(self, text: impl Display) {
        if self.speaks() {
            let _ = writeln!(std::io::stderr(), "{}", printable(&text.to_string()));
        }
    }

    /// Tells whether anything but errors is said.
    pub(super) fn speaks(self) -> bool {
        !self.quiet && !self.json
    }

    /// Says what became of something that a script should hear of too: a note for people, an error line for scripts.
    pub(super) fn warn(self, name: &str, report: &Report) {
        if self.json {
            let _ = std::io::stderr().write_all(&json::named_line(name, report));
        } else {
            self.note(report.sentence());
            if let Some(hint) = &report.hint {
                self.more(hint);
            }
        }
    }

    /// Says more of what was just noted, on a line of its own.
    pub(super) fn more(self, text: impl Display) {
        if self.speaks() {
            let _ = writeln!(std::io::stderr(), "  {}", printable(&text.to_string()));
        }
    }

    /// Says what failed.
    pub(super) fn error(self, report: &Report) {
        let mut stderr = std::io::stderr().lock();
        // Nobody is left to tell when standard error is closed.
        let _ = if self.json {
            stderr.write_all(&json::error_line(report))
        } else {
            writeln!(stderr, "statescope: {report}")
        };
    }

    /// Says what only who wants to know more wants to know.
    pub(super) fn verbose_note(self, text: impl Display) {
        if self.verbose {
            self.note(text);
        }
    }

    /// Says what is worth knowing beside the answer.
    pub(super) fn note(self, text: impl Display) {
        if self.speaks() {
            let _ = writeln!(
                std::io::stderr(),
                "statescope: {}",
                printable(&text.to_string())
            );
        }
    }
}

/// Holds what the commands share.
pub(super) struct Session {
    pub(super) out: Output,
    pub(super) voice: Voice,
    pub(super) clock: Clock,
    pub(super) surroundings: Surroundings,
    pub(super) sites: Sites,
    /// Where the journal is.
    pub(super) journal: Place,
    /// Whether colours are wanted on standard error.
    pub(super) colour_aside: bool,
    /// What was said of the journal already.
    pub(super) told: Told,
    /// Whether something could not be read, while others answered.
    pub(super) missed: bool,
}

impl Session {
    /// Says that one source of several failed.
    pub(super) fn miss(&mut self, report: &Report) {
        self.voice.error(report);
        self.missed = true;
    }

    /// Says what a reader should know of a source before believing the answer.
    pub(super) async fn mention(&mut self, source: &Source) {
        let site = &source.open.site;
        self.voice.verbose_note(format_args!(
            "reading {} (chosen by {})",
            source.open.source, site.states.decided_by
        ));
        if let Some((uri, decided_by)) = &site.elsewhere {
            self.voice.note(format_args!(
                "Meltano does not read the states of {}: {decided_by} names {uri}",
                source.open.source
            ));
        }
        self.look_back(source).await;
    }

    /// Finds a snapshot of a timeline, and says which instant a time without an offset was taken for.
    pub(super) fn find<'t>(
        &self,
        timeline: &'t Timeline,
        text: &str,
    ) -> Result<&'t Snapshot, Report> {
        let snapshot = timeline.find(text, &self.clock)?;
        let is_name = text.parse::<i64>().is_ok() || snapshot.id.as_str().starts_with(text);
        if !is_name && let Some(at) = self.clock.parse(text) {
            self.taken_for(text, at);
        }
        Ok(snapshot)
    }

    /// Says which instant a time was taken for, when its text left that open.
    pub(super) fn taken_for(&self, text: &str, at: Timestamp) {
        if !Instant::parse(text.trim()).is_some_and(|found| found.has_offset) {
            self.voice
                .note(format_args!("'{text}' is taken for {}", self.local(at)));
        }
    }

    /// Writes an instant in the zone of the reader, with the zone's name.
    pub(super) fn local(&self, at: Timestamp) -> String {
        let zoned = at.to_zoned_datetime(self.clock.zone.clone());
        zoned.strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
    }

    /// Writes a stored time in the zone of the reader, as stored when it is no time.
    pub(super) fn stamp(&self, stamp: &Stamp) -> String {
        stamp
            .instant
            .map_or_else(|| printable(&stamp.text), |at| self.local(at))
    }
}
