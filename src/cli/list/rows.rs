//! Jobs in JSON.

use std::io::{self, Write as _};

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::{Other, Row, Sink};
use crate::cli::json::{self, Array, Text};
use crate::cli::output::Output;
use crate::domain::history::Run;
use crate::domain::job::Job;
use crate::domain::lint::Finding;

/// Writes jobs as an array; of a source, only the bytes to be written are kept until it has given all.
pub(super) struct JsonRows {
    now: Timestamp,
    array: Array,
    rows: Vec<u8>,
    /// Where each row begins.
    starts: Vec<usize>,
}

impl JsonRows {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            now,
            array: Array::default(),
            rows: Vec::new(),
            starts: Vec::new(),
        }
    }
}

impl Sink for JsonRows {
    fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.starts.push(self.rows.len());
        json::write(&mut self.rows, &JobLine::of(row, self.now))
    }

    fn forget(&mut self) {
        self.rows.clear();
        self.starts.clear();
    }

    fn next_source(&mut self, out: &mut Output) -> io::Result<()> {
        self.array.begin(out)?;
        let ends = self.starts.iter().skip(1).copied().chain([self.rows.len()]);
        for (start, end) in self.starts.iter().zip(ends) {
            self.array.element(out)?;
            out.write_all(self.rows.get(*start..end).unwrap_or_default())?;
        }
        self.forget();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) -> io::Result<()> {
        self.array.end(out)
    }
}

/// Is one job, with every key of the JSON form.
#[derive(Serialize)]
struct JobLine<'j> {
    state_id: &'j str,
    source: &'j str,
    live: bool,
    has_state: bool,
    environment: Option<&'j str>,
    tap: Option<&'j str>,
    target: Option<&'j str>,
    suffix: Option<&'j str>,
    streams: Option<usize>,
    size_bytes: u64,
    updated_at: Option<Text<Timestamp>>,
    updated_at_zone: Option<&'static str>,
    bookmark: Option<Ages<'j>>,
    last_run: Option<LastRun<'j>>,
    last_edit: Option<Text<Timestamp>>,
    lock: Option<()>,
    elsewhere: Seq<'j, Other<'j>>,
    bot: Option<()>,
    findings: Seq<'j, Finding>,
}

#[derive(Serialize)]
struct Ages<'j> {
    newest: Text<Timestamp>,
    oldest: Text<Timestamp>,
    oldest_stream: &'j str,
}

#[derive(Serialize)]
struct LastRun<'j> {
    run_id: Option<&'j str>,
    status: Option<&'j str>,
    flags: Option<i64>,
    started_at: Option<Text<Timestamp>>,
    ended_at: Option<Text<Timestamp>>,
    /// Whether it is running now, as far as its heartbeat tells.
    alive: bool,
}

/// Is serialised element by element, each as its own kind of line.
struct Seq<'j, T>(&'j [T]);

impl Serialize for Seq<'_, Other<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'o> {
            source: &'o str,
            equal: Option<bool>,
        }
        serializer.collect_seq(self.0.iter().map(|other| Line {
            source: other.source,
            equal: other.equal,
        }))
    }
}

impl Serialize for Seq<'_, Finding> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'f> {
            rule: &'static str,
            severity: &'static str,
            message: &'f str,
        }
        serializer.collect_seq(self.0.iter().map(|finding| Line {
            rule: finding.rule,
            severity: finding.severity.name(),
            message: &finding.message,
        }))
    }
}

impl<'j> JobLine<'j> {
    fn of(row: &'j Row<'j>, now: Timestamp) -> Self {
        let Job {
            id,
            source,
            has_state,
            streams,
            size,
            updated_at,
            bookmark,
            last_run,
            last_edit,
            findings,
        } = row.job;
        let parts = id.parts();
        Self {
            state_id: id.as_str(),
            source,
            live: row.live,
            has_state: *has_state,
            environment: parts.map(|parts| parts.environment),
            tap: parts.map(|parts| parts.tap),
            target: parts.map(|parts| parts.target),
            suffix: parts.and_then(|parts| parts.suffix),
            streams: *streams,
            size_bytes: *size,
            updated_at: json::instant(updated_at.as_ref()),
            updated_at_zone: updated_at.as_ref().map(|stamp| stamp.zone.name()),
            bookmark: bookmark.as_ref().map(|ages| Ages {
                newest: Text(ages.newest),
                oldest: Text(ages.oldest),
                oldest_stream: &ages.oldest_stream,
            }),
            last_run: last_run.as_ref().map(|run| LastRun::of(run, now)),
            last_edit: json::instant(last_edit.as_ref().and_then(Run::at)),
            lock: None,
            elsewhere: Seq(&row.elsewhere),
            bot: None,
            findings: Seq(findings),
        }
    }
}

impl<'j> LastRun<'j> {
    fn of(run: &'j Run, now: Timestamp) -> Self {
        Self {
            run_id: run.run_id.as_deref(),
            status: json::status(&run.status),
            flags: run.flags,
            started_at: json::instant(run.started_at.as_ref()),
            ended_at: json::instant(run.ended_at.as_ref()),
            alive: run.is_alive(now),
        }
    }
}
