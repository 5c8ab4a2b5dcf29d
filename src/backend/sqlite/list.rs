//! Lists all jobs in as few passes as the schema allows, and never holds more than a few chunks of states.
//!
//! `runs` has no index on the job's name, and a payload lies in the file before the columns behind it: so one pass reads the
//! names and the columns before the payload, and only the two runs that a list shows are then read whole, by row number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::tz::TimeZone;
use rusqlite::{Connection, Row};
use tokio::sync::mpsc::Sender;

use super::rows::{self, Runs};
use super::schema::{RunsTable, Schema, StatesTable};
use crate::backend::chunks::Sink;
use crate::backend::{Listing, Result};
use crate::domain::history::{Run, RunStatus, Stored, derive, derives_from};
use crate::domain::id::StateId;
use crate::domain::job::{Beside, Listed};
use crate::domain::moment::Stamp;

/// How many rows are looked at between two looks at whether anyone still wants them.
const ROWS_BETWEEN_LOOKS: usize = 1024;

/// How many runs a derived state may come from before any of them is looked at again.
const SOURCES_KEPT: usize = 8;

/// Reads the list and sends it; stops early, and without an error, when nobody receives it any more.
pub(super) fn send(
    connection: &Connection,
    generation: u32,
    zone: &TimeZone,
    to: &Sender<Result<Listing>>,
) -> Result<()> {
    let schema = Schema::read(connection)?;
    let mut sink = Sink::new(generation, to);
    match (schema.states, schema.runs) {
        (Some(states), runs) => written(connection, states, runs, zone, &mut sink)?,
        (None, Some(runs)) => derived(connection, &runs, &mut sink)?,
        (None, None) => {}
    }
    sink.finish();
    Ok(())
}

/// Lists the rows of the `state` table, then the jobs that only runs know.
fn written(
    connection: &Connection,
    states: StatesTable,
    runs: Option<RunsTable>,
    zone: &TimeZone,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let mut known = Known::default();
    if let Some(runs) = &runs {
        known.scan(connection, runs, sink)?;
    }
    let mut runs = runs
        .map(|runs| Runs::prepare(connection, &runs))
        .transpose()?;
    let mut statement = connection.prepare(&format!(
        "SELECT {}, {} FROM state ORDER BY rowid",
        states.key,
        rows::STATE_COLUMNS
    ))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let Some(name) = rows::borrowed_text(row.get_ref(0)?) else {
            continue;
        };
        let (id, latest) = known.take(&name);
        let size = rows::length(row.get_ref(1)?) + rows::length(row.get_ref(2)?);
        let stored = rows::stored(row, 1, zone)?;
        let listed = latest.listed(id, Some(stored), runs.as_mut())?;
        if !sink.push(listed, size) {
            return Ok(());
        }
    }
    for (id, latest) in known.rest() {
        if !sink.push(latest.listed(id, None, runs.as_mut())?, 0) {
            return Ok(());
        }
    }
    Ok(())
}

/// Lists every job that has a run, with the state that its runs add up to.
fn derived(connection: &Connection, table: &RunsTable, sink: &mut Sink<'_>) -> Result<()> {
    let mut known = Known {
        keeps_sources: true,
        ..Known::default()
    };
    known.scan(connection, table, sink)?;
    let mut runs = Runs::prepare(connection, table)?;
    for (id, latest) in known.rest() {
        let records = latest
            .source_rows()
            .into_iter()
            .map(|row| runs.record(row, &id))
            .collect::<Result<Vec<_>>>()?;
        let stored = Stored::of_content(derive(records), None);
        let size = usize::try_from(stored.state.size()).unwrap_or(usize::MAX);
        let listed = latest.listed(id, Some(stored), Some(&mut runs))?;
        if !sink.push(listed, size) {
            return Ok(());
        }
    }
    Ok(())
}

/// Holds what is known of each job that runs name.
#[derive(Default)]
struct Known {
    jobs: HashMap<Arc<str>, Latest>,
    /// Whether to keep what a derived state is made of.
    keeps_sources: bool,
}

impl Known {
    /// Looks at every run, at no payload, and at no column behind one that it does not need.
    fn scan(&mut self, connection: &Connection, table: &RunsTable, sink: &Sink<'_>) -> Result<()> {
        let behind_payload = if self.keeps_sources {
            ", ended_at, payload_flags"
        } else {
            ""
        };
        let mut statement = connection.prepare(&format!(
            "SELECT rowid, {}, state, started_at{behind_payload} FROM {} ORDER BY rowid",
            table.key, table.name
        ))?;
        let mut rows = statement.query([])?;
        let mut looked_at = 0_usize;
        while let Some(row) = rows.next()? {
            looked_at += 1;
            if looked_at.is_multiple_of(ROWS_BETWEEN_LOOKS) && sink.is_closed() {
                return Ok(());
            }
            let Some(name) = rows::borrowed_text(row.get_ref(1)?) else {
                continue;
            };
            if let Some(latest) = self.jobs.get_mut(&*name) {
                latest.see(row, self.keeps_sources)?;
                continue;
            }
            let mut latest = Latest {
                first: row.get(0)?,
                ..Latest::default()
            };
            latest.see(row, self.keeps_sources)?;
            self.jobs.insert(name.into(), latest);
        }
        Ok(())
    }

    /// Takes out what is known of a job; nothing is, of one that no run names.
    fn take(&mut self, name: &str) -> (StateId, Latest) {
        match self.jobs.remove_entry(name) {
            Some((id, latest)) => (StateId::new(id), latest),
            None => (StateId::from(name), Latest::default()),
        }
    }

    /// Gives the jobs that were not taken out, in the order in which they first appear.
    fn rest(self) -> impl Iterator<Item = (StateId, Latest)> {
        let mut rest: Vec<_> = self.jobs.into_iter().collect();
        rest.sort_unstable_by_key(|(_, latest)| latest.first);
        rest.into_iter()
            .map(|(id, latest)| (StateId::new(id), latest))
    }
}

/// Holds which runs of a job a list shows.
#[derive(Default)]
struct Latest {
    /// The row in which the job first appears.
    first: i64,
    run: Option<Started>,
    edit: Option<Started>,
    /// The runs that the state is derived from so far, with no more than deriving looks at.
    sources: Vec<Run>,
    drop_at: usize,
}

/// Orders runs by the text of their start, then by their rows; one without a start comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Started {
    at: Option<Box<str>>,
    row: i64,
}

impl Latest {
    /// Looks at a row of `rowid, key, state, started_at` and, for a derived state, `ended_at, payload_flags`.
    fn see(&mut self, values: &Row<'_>, keeps_sources: bool) -> Result<()> {
        let row = values.get(0)?;
        let status = rows::borrowed_text(values.get_ref(2)?);
        let slot = match status.as_deref() {
            Some("STATE_EDIT") => &mut self.edit,
            _ => &mut self.run,
        };
        let at = rows::borrowed_text(values.get_ref(3)?);
        if slot
            .as_ref()
            .is_none_or(|latest| (latest.at.as_deref(), latest.row) < (at.as_deref(), row))
        {
            *slot = Some(Started {
                at: at.map(Into::into),
                row,
            });
        }
        if keeps_sources
            && let Some(flags @ 1..) = rows::flags(values.get_ref(5)?)
            && let Some(ended) = rows::text(values.get_ref(4)?)
        {
            self.add_source(bare_run(row, flags, ended));
        }
        Ok(())
    }

    /// Keeps a run that the state may come from; what later ones replace is dropped each time that they have doubled.
    fn add_source(&mut self, run: Run) {
        self.sources.push(run);
        if self.sources.len() >= self.drop_at.max(SOURCES_KEPT) {
            let kept: HashSet<i64> = self.source_rows().into_iter().collect();
            self.sources.retain(|run| kept.contains(&run.row));
            self.drop_at = 2 * self.sources.len();
        }
    }

    fn source_rows(&self) -> Vec<i64> {
        derives_from(&self.sources)
    }

    fn listed(
        self,
        id: StateId,
        stored: Option<Stored>,
        runs: Option<&mut Runs<'_>>,
    ) -> Result<Listed> {
        let (mut last_run, mut last_edit) = (None, None);
        if let Some(runs) = runs {
            let mut read = |started: Option<Started>| {
                started
                    .map(|started| runs.run(started.row, &id))
                    .transpose()
            };
            (last_run, last_edit) = (read(self.run)?, read(self.edit)?);
        }
        Ok(Listed {
            id,
            stored,
            last_run,
            last_edit,
            beside: Beside::default(),
        })
    }
}

fn bare_run(row: i64, flags: i64, ended: String) -> Run {
    Run {
        row,
        state_id: StateId::from(""),
        run_id: None,
        status: RunStatus::Other(None),
        started_at: None,
        ended_at: Some(Stamp::utc(ended)),
        heartbeat_at: None,
        trigger: None,
        flags: Some(flags),
    }
}
