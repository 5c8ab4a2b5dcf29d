//! Jobs as a table for people.

use std::io;

use jiff::Timestamp;

use super::{Other, Row, Sink};
use crate::cli::output::{Cell, Output, Tone, widths};
use crate::domain::history::Run;
use crate::domain::id::StateId;
use crate::domain::job::Job;
use crate::domain::lint::{Finding, Severity};
use crate::domain::lock::LockStanding;
use crate::domain::mark;
use crate::domain::moment::{age, duration};
use crate::domain::quantity;
use crate::domain::state::BookmarkAges;
use crate::report::printable;

/// The place of the state ID among the cells of a row.
const ID: usize = 1;

/// How wide a state ID may be for the columns behind it to be aligned with its longer siblings.
const ALIGNED: usize = 80;

/// How many columns of state IDs are aligned however narrow the terminal is.
const NARROWEST: usize = 20;

/// The place of the lock among the cells of a row, from their end.
const BEHIND_LOCK: usize = 2;

/// What stands between two columns.
const GAP: usize = 2;

/// Writes jobs as aligned columns, so it holds them until all are known. State IDs are never cut: they are there to be copied.
pub(super) struct TableRows {
    now: Timestamp,
    with_source: bool,
    rows: Vec<Vec<Cell>>,
    /// Where the present source's rows begin.
    start: usize,
}

impl TableRows {
    pub(super) fn new(now: Timestamp, with_source: bool) -> Self {
        Self {
            now,
            with_source,
            rows: Vec::new(),
            start: 0,
        }
    }

    /// Takes the column of the locks out when no job has one.
    fn drop_empty_locks(&mut self) {
        let Some(place) = self.rows.first().map(|row| row.len() - BEHIND_LOCK) else {
            return;
        };
        if widths(&self.rows).get(place) == Some(&0) {
            for row in &mut self.rows {
                row.remove(place);
            }
        }
    }

    /// Names the columns.
    fn heading(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::empty(), Cell::new("state ID").gap(" ")];
        if self.with_source {
            cells.push(Cell::new("source"));
        }
        cells.extend([
            Cell::new("run").right(),
            Cell::empty(),
            Cell::new("bookmark").right(),
            Cell::new("size").right(),
        ]);
        cells
            .into_iter()
            .map(|cell| cell.tone(Tone::Heading))
            .collect()
    }
}

impl Sink for TableRows {
    fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        let job = row.job;
        let mark = mark::of_job(job, self.now);
        let tone = Tone::of(mark.role);
        let ran = job.last_run.as_ref().or(job.last_edit.as_ref());
        let mut cells = vec![
            Cell::new(mark.sign).tone(tone),
            Cell::new(shown(&job.id)).gap(" "),
        ];
        if self.with_source {
            cells.push(Cell::new(printable(row.name)).tone(Tone::Faint));
        }
        let bookmark = job.bookmark.as_ref();
        cells.extend([
            Cell::new(ran.map_or_else(String::new, |run| run_age(run, self.now))).right(),
            Cell::new(standing(job, self.now)).tone(tone),
            Cell::new(bookmark.map_or_else(String::new, |ages| bookmark_age(ages, self.now)))
                .right(),
            Cell::new(if job.has_state {
                quantity::bytes(job.size)
            } else {
                String::new()
            })
            .right(),
            beside(&row.elsewhere),
            locked(job, self.now),
            worst(&job.findings),
        ]);
        self.rows.push(cells);
        Ok(())
    }

    fn forget(&mut self) {
        self.rows.truncate(self.start);
    }

    fn next_source(&mut self, _: &mut Output) -> io::Result<()> {
        self.start = self.rows.len();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) -> io::Result<()> {
        self.drop_empty_locks();
        if out.is_terminal() && !self.rows.is_empty() {
            let heading = self.heading();
            self.rows.insert(0, heading);
        }
        let mut widths = widths(&self.rows);
        let columns = widths.iter().filter(|width| **width > 0);
        let beside: usize = columns.map(|width| width + GAP).sum();
        if let Some(ids) = widths.get_mut(ID) {
            let left = |width: usize| width.saturating_sub(beside - *ids).max(NARROWEST);
            *ids = (*ids).min(out.width().map_or(ALIGNED, left));
        }
        self.rows.iter().try_for_each(|row| out.row(row, &widths))
    }
}

/// Writes a state ID; the empty one, which is one like any other, as a shell would take it.
fn shown(id: &StateId) -> String {
    if id.as_str().is_empty() {
        return "''".to_owned();
    }
    printable(id.as_str())
}

/// Says how a job stands, in words.
fn standing(job: &Job, now: Timestamp) -> String {
    let Some(run) = &job.last_run else {
        let word = match (&job.last_edit, job.has_state) {
            (Some(_), true) => "edited by hand",
            (None, true) => "no run known",
            (None, false) if job.lock.is_some() => "no state",
            (_, false) => "state gone",
        };
        return word.to_owned();
    };
    let word = printable(run.standing(now));
    let left_a_state = run.is_complete() || run.is_incomplete() || job.last_edit.is_some();
    match (job.has_state, left_a_state) {
        (true, _) => word,
        (false, true) => format!("{word}, state gone"),
        (false, false) => format!("{word}, no state"),
    }
}

fn run_age(run: &Run, now: Timestamp) -> String {
    if run.is_alive(now) {
        return "now".to_owned();
    }
    match run.at() {
        None => String::new(),
        Some(stamp) => match stamp.instant {
            Some(at) => age(at, now),
            None => printable(&stamp.text),
        },
    }
}

/// Writes the age of the newest bookmark.
fn bookmark_age(ages: &BookmarkAges, now: Timestamp) -> String {
    age(ages.newest, now)
}

/// Says whether the state ID has the same state in other sources.
fn beside(elsewhere: &[Other<'_>]) -> Cell {
    let all = |wanted: Option<bool>| elsewhere.iter().all(|other| other.equal == wanted);
    match elsewhere {
        [] => Cell::empty(),
        _ if all(Some(true)) => Cell::new("= elsewhere").tone(Tone::Faint),
        _ if elsewhere.iter().any(|other| other.equal == Some(false)) => {
            Cell::new("≠ elsewhere").tone(Tone::Warning)
        }
        _ => Cell::new("? elsewhere").tone(Tone::Warning),
    }
}

/// Says how the lock of its state stands, and since when it is there.
fn locked(job: &Job, now: Timestamp) -> Cell {
    let Some(lock) = &job.lock else {
        return Cell::empty();
    };
    let standing = lock.standing(now);
    let tone = match standing {
        LockStanding::Held | LockStanding::Expired => Tone::Plain,
        LockStanding::Future | LockStanding::Empty | LockStanding::Unreadable => Tone::Warning,
    };
    let since = lock.held_since();
    let since = since.map(|since| duration(now.duration_since(since)));
    let text = match (standing, since) {
        (LockStanding::Held, Some(age)) => format!("{standing} {age}"),
        (LockStanding::Expired, Some(age)) => format!("{standing}, {age} old"),
        _ => standing.to_string(),
    };
    Cell::new(text).tone(tone)
}

/// Names the worst finding.
fn worst(findings: &[Finding]) -> Cell {
    let Some(finding) = findings.iter().max_by_key(|finding| finding.severity) else {
        return Cell::empty();
    };
    let tone = match finding.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    };
    Cell::new(format!("! {}", finding.rule)).tone(tone)
}
