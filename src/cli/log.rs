//! `log`: a job's timeline.

use jiff::Timestamp;
use serde::Serialize;

use super::changes;
use super::json::{self, Array, Text};
use super::names::Names;
use super::narrow::Narrowing;
use super::output::{Cell, Failure, Tone, elide, widths};
use super::session::Session;
use crate::domain::diff::{Change, Counts, Diff, diff};
use crate::domain::history::{Origin, Snapshot, Timeline};
use crate::domain::json::Document;
use crate::domain::mark;
use crate::domain::narrow::Section;
use crate::report::{Fault, Report, printable};

/// To how few columns an error is cut on a narrow terminal.
const NARROWEST: usize = 16;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: String,
    /// The newest N snapshots only.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Snapshots that were left at this time or later, those whose time is not known, and `now`: RFC 3339, a date,
    /// `yesterday 03:00`, or an age (`2h`).
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only the snapshots in which a bookmark went backwards, with what went back, and how far.
    #[arg(long)]
    back: bool,
    #[command(flatten)]
    narrowing: Narrowing,
}

/// Holds a snapshot with what it changed.
struct Entry<'t> {
    snapshot: &'t Snapshot,
    /// Against the snapshot before; `None` when either has no effective state.
    changed: Option<Counts>,
    /// What went back, for people; gathered when only that is wanted.
    back: Vec<String>,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let since = arguments
        .since
        .as_deref()
        .map(|text| read_since(session, text));
    let since = since.transpose()?;
    let (located, timeline) = session.timeline_of(&arguments.job).await?;
    let effective = timeline.snapshots.iter().rev();
    let effective = effective.filter_map(|snapshot| snapshot.effective.as_ref().ok());
    let section = arguments.narrowing.section(&located, effective)?;
    let wanted = Wanted {
        section,
        back: arguments.back,
    };
    let snapshots = timeline.snapshots.iter().enumerate().rev();
    let entries = snapshots
        .filter(|(_, snapshot)| since.is_none_or(|since| !is_older(snapshot, since)))
        .filter_map(|(place, snapshot)| wanted.entry(timeline.before(place), snapshot))
        .take(arguments.limit.unwrap_or(usize::MAX));
    if session.voice.json {
        write_json(session, &timeline, entries)?;
    } else {
        write_text(session, &timeline, entries)?;
    }
    Ok(0)
}

/// Reads a time that a person wrote, and says which instant it was taken for.
pub(super) fn read_since(session: &Session, text: &str) -> Result<Timestamp, Report> {
    let at = session.clock.parse(text).ok_or_else(|| {
        Report::new(Fault::Usage, format!("'{text}' is no time")).hint(
            "write RFC 3339, a date (`2026-11-30`), `yesterday 03:00`, or an age (`2h`, `3d`)",
        )
    })?;
    session.taken_for(text, at);
    Ok(at)
}

fn is_older(snapshot: &Snapshot, since: Timestamp) -> bool {
    let at = snapshot.at.as_ref().and_then(|stamp| stamp.instant);
    !snapshot.is_now() && at.is_some_and(|at| at < since)
}

/// Says which snapshots are wanted, and which of their changes count.
struct Wanted {
    /// Only what changed in this part, and only the snapshots in which something did, or it cannot be told.
    section: Option<Section>,
    /// Only the snapshots in which a bookmark went back.
    back: bool,
}

impl Wanted {
    fn entry<'t>(&self, before: Option<&Snapshot>, snapshot: &'t Snapshot) -> Option<Entry<'t>> {
        let Some(found) = changes(before, snapshot) else {
            return (!self.back).then_some(Entry {
                snapshot,
                changed: None,
                back: Vec::new(),
            });
        };
        let changes = match (&found, &self.section) {
            (None, _) => Vec::new(),
            (Some(diff), None) => diff.changes.iter().collect(),
            (Some(diff), Some(section)) => section.changes(diff),
        };
        let counts: Counts = changes.iter().copied().collect();
        if (self.back && counts.back == 0) || (self.section.is_some() && changes.is_empty()) {
            return None;
        }
        let back = changes.iter().filter(|change| self.back && change.back);
        let back = back.filter_map(|change| Some(went_back(found.as_ref()?, change)));
        Some(Entry {
            snapshot,
            changed: Some(counts),
            back: back.collect(),
        })
    }
}

/// Compares a snapshot with the one before it: `None` when that cannot be told, `Some(None)` when they are identical.
#[expect(
    clippy::option_option,
    reason = "not told and no difference are two answers"
)]
fn changes(before: Option<&Snapshot>, after: &Snapshot) -> Option<Option<Diff>> {
    let nothing = Document::empty_object();
    let before = before.map_or(Ok(&nothing), |snapshot| snapshot.effective.as_ref());
    let (before, after) = (before.ok()?, after.effective.as_ref().ok()?);
    Some((before != after).then(|| diff(before, after)))
}

/// Writes which bookmark went back, from where to where, and how far.
fn went_back(diff: &Diff, change: &Change) -> String {
    let value = |node: Option<_>| node.map(changes::shown).unwrap_or_default();
    format!(
        "{}  {} → {}   {}",
        printable(&change.place.to_string()),
        value(diff.before(change)),
        value(diff.after(change)),
        changes::moved(change)
    )
}

/// Is one snapshot, with every key of the JSON form.
#[derive(Serialize)]
struct Line<'t> {
    number: usize,
    id: &'t str,
    at: Option<Text<Timestamp>>,
    at_text: Option<&'t str>,
    origins: Vec<&'static str>,
    run_id: Option<&'t str>,
    status: Option<&'t str>,
    flags: Option<i64>,
    trigger: Option<&'t str>,
    started_at: Option<Text<Timestamp>>,
    ended_at: Option<Text<Timestamp>>,
    parts: Vec<&'static str>,
    error: Option<&'t str>,
    trouble: Option<&'t str>,
    actor: Option<()>,
    changed: Option<Difference>,
    agreement: Option<&'static str>,
}

/// Counts what changed.
#[derive(Serialize)]
struct Difference {
    added: usize,
    removed: usize,
    changed: usize,
    back: usize,
    respelled: usize,
}

impl<'t> Line<'t> {
    fn of(entry: &Entry<'t>, timeline: &Timeline) -> Self {
        let snapshot = entry.snapshot;
        let run = snapshot.run();
        Self {
            number: snapshot.number,
            id: snapshot.id.as_str(),
            at: json::instant(snapshot.at.as_ref()),
            at_text: snapshot.at.as_ref().map(|stamp| stamp.text.as_str()),
            origins: snapshot.origins.iter().map(Origin::name).collect(),
            run_id: run.and_then(|run| run.run_id.as_deref()),
            status: run.and_then(|run| json::status(&run.status)),
            flags: run.and_then(|run| run.flags),
            trigger: run.and_then(|run| run.trigger.as_deref()),
            started_at: json::instant(run.and_then(|run| run.started_at.as_ref())),
            ended_at: json::instant(run.and_then(|run| run.ended_at.as_ref())),
            parts: snapshot.wrote.iter().map(|part| part.name()).collect(),
            error: snapshot.error.as_deref(),
            trouble: snapshot.trouble.as_deref(),
            actor: None,
            changed: entry.changed.map(|counts| Difference {
                added: counts.added,
                removed: counts.removed,
                changed: counts.changed,
                back: counts.back,
                respelled: counts.respelled,
            }),
            agreement: snapshot.is_now().then(|| timeline.agreement.name()),
        }
    }
}

fn write_json<'t>(
    session: &mut Session,
    timeline: &'t Timeline,
    entries: impl Iterator<Item = Entry<'t>>,
) -> std::io::Result<()> {
    let mut array = Array::default();
    array.begin(&mut session.out)?;
    for entry in entries {
        array.element(&mut session.out)?;
        json::write(&mut session.out, &Line::of(&entry, timeline))?;
    }
    array.end(&mut session.out)
}

fn write_text<'t>(
    session: &mut Session,
    timeline: &'t Timeline,
    entries: impl Iterator<Item = Entry<'t>>,
) -> std::io::Result<()> {
    let names = Names::of(timeline);
    let mut has_now = false;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut below: Vec<Vec<String>> = Vec::new();
    for entry in entries {
        has_now |= entry.snapshot.is_now();
        rows.push(row(session, &names, &entry));
        below.push(entry.back);
    }
    session.out.page();
    if let Some(width) = session.out.width() {
        shorten_last(&mut rows, width);
    }
    let widths = widths(&rows);
    let indent = widths.first().map_or(0, |number| number + 3);
    // It is about `now`, which stands first.
    let sentence = timeline.agreement.sentence().filter(|_| has_now);
    let mut sentence = sentence.map(str::to_owned);
    for (row, below) in rows.iter().zip(below) {
        session.out.row(row, &widths)?;
        for line in sentence.take().into_iter().chain(below) {
            let line = format!("{:indent$}{line}", "");
            session.out.line(Tone::Warning, &line)?;
        }
    }
    Ok(())
}

/// Cuts what stands in the last column to what is left of the terminal.
fn shorten_last(rows: &mut [Vec<Cell>], width: usize) {
    let taken: usize = widths(rows)
        .iter()
        .rev()
        .skip(1)
        .map(|width| width + 2)
        .sum();
    let left = width.saturating_sub(taken).max(NARROWEST);
    for cell in rows.iter_mut().filter_map(|row| row.last_mut()) {
        cell.text = elide(&cell.text, left);
    }
}

fn row(session: &Session, names: &Names, entry: &Entry<'_>) -> Vec<Cell> {
    let snapshot = entry.snapshot;
    let mark = mark::of_snapshot(snapshot);
    let tone = Tone::of(mark.role);
    let at = snapshot.at.as_ref();
    let (counts, counts_tone) = counts(entry.changed);
    let trouble = snapshot.error.as_deref().or(snapshot.trouble.as_deref());
    let trouble = trouble.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    vec![
        Cell::new(snapshot.number.to_string()).right(),
        Cell::new(mark.sign).tone(tone).gap(" "),
        Cell::new(names.of_snapshot(snapshot)).gap(" "),
        Cell::new(at.map_or_else(String::new, |stamp| session.stamp(stamp))),
        Cell::new(standing(snapshot, session.clock.now)).tone(tone),
        Cell::new(part(snapshot)),
        Cell::new(counts).tone(counts_tone),
        Cell::new(printable(trouble.unwrap_or_default())).tone(Tone::Bad),
    ]
}

/// Says how a snapshot's run stands, or what the source holds now.
fn standing(snapshot: &Snapshot, now: Timestamp) -> String {
    match snapshot.run() {
        Some(run) => printable(run.standing(now)),
        None if snapshot.state.is_some() => String::new(),
        None => "no state".to_owned(),
    }
}

/// Names the part that a run wrote; one that wrote completed has emptied partial, which goes without saying.
fn part(snapshot: &Snapshot) -> &'static str {
    match snapshot.wrote.first() {
        Some(part) => part.name(),
        None if snapshot.is_now() => "",
        None => "left no state",
    }
}

/// Writes `+1 -2 ~3 ◀1`, what is not zero of it; `=` when nothing changed.
fn counts(changed: Option<Counts>) -> (String, Tone) {
    let Some(counts) = changed else {
        return ("?".to_owned(), Tone::Warning);
    };
    let named = [
        ("+", counts.added),
        ("-", counts.removed),
        ("~", counts.changed),
        ("≈", counts.respelled),
        ("◀", counts.back),
    ];
    let shown: Vec<String> = named
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(sign, count)| format!("{sign}{count}"))
        .collect();
    match shown.as_slice() {
        [] => ("=".to_owned(), Tone::Faint),
        _ if counts.back > 0 => (shown.join(" "), Tone::Warning),
        _ => (shown.join(" "), Tone::Plain),
    }
}
