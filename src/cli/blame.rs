//! `blame`: which snapshot gave each value of a state.

use std::collections::HashMap;
use std::io::{self, Write as _};

use super::changes;
use super::get;
use super::json::{self, Array, Values};
use super::names::Names;
use super::narrow::Narrowing;
use super::output::{Cell, Failure, Tone, elide, widths};
use super::session::Session;
use crate::domain::diff::Place;
use crate::domain::history::{self, Blamed, Snapshot, Timeline};
use crate::domain::json::{Document, Node};
use crate::domain::mark;
use crate::domain::moment::Instant;
use crate::domain::narrow::holds;
use crate::report::printable;

/// The places of the values among the cells of a row: what it is, and what it was.
const VALUES: [usize; 2] = [3, 8];

/// The place of the name of the snapshot.
const NAME: usize = 6;

/// How few columns are left of a value on a narrow terminal.
const NARROWEST: usize = 12;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: String,
    /// The state at an earlier snapshot: its ID or the beginning of it, its number in `log`, -2 for the one before the
    /// newest, or a time.
    #[arg(long, value_name = "SNAPSHOT", allow_hyphen_values = true)]
    at: Option<String>,
    #[command(flatten)]
    narrowing: Narrowing,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let (located, timeline) = session.timeline_of(&arguments.job).await?;
    let snapshot = session.find(&timeline, arguments.at.as_deref().unwrap_or("now"))?;
    let state = get::held(&located, &timeline, snapshot)?;
    let document = get::effective(&located, state)?;
    let documents = std::iter::once(&document);
    let section = arguments.narrowing.section(&located, documents)?;
    let part = section.and_then(|section| section.find(&document));
    let mut blamed = history::blame(&timeline, snapshot.number - 1);
    if let Some(part) = part {
        blamed.retain(|leaf| holds(part, leaf.value.id()));
    }
    if session.voice.json {
        write_json(session, &timeline, &blamed)?;
    } else {
        write_text(session, &timeline, &blamed)?;
    }
    Ok(0)
}

/// Finds what JSON does not have in each document once.
#[derive(Default)]
struct Written(HashMap<*const Document, Values>);

impl Written {
    fn write(&mut self, out: &mut impl io::Write, node: Option<Node<'_>>) -> io::Result<()> {
        let Some(node) = node else {
            return out.write_all(b"null");
        };
        let document = node.document();
        let values = (self.0)
            .entry(std::ptr::from_ref(document))
            .or_insert_with(|| Values::of(document));
        values.write(out, node)
    }
}

fn write_json(session: &mut Session, timeline: &Timeline, blamed: &[Blamed<'_>]) -> io::Result<()> {
    let mut array = Array::default();
    let mut written = Written::default();
    let out = &mut session.out;
    array.begin(out)?;
    for leaf in blamed {
        let snapshot = timeline.snapshots.get(leaf.snapshot);
        array.element(out)?;
        out.write_all(br#"{"path":"#)?;
        json::write(out, &json::Text(&leaf.path))?;
        out.write_all(br#","value":"#)?;
        written.write(out, Some(leaf.value))?;
        out.write_all(br#","snapshot":"#)?;
        json::write(out, &snapshot.map(|snapshot| snapshot.id.as_str()))?;
        out.write_all(br#","at":"#)?;
        json::write(
            out,
            &json::instant(snapshot.and_then(|snapshot| snapshot.at.as_ref())),
        )?;
        out.write_all(br#","previous":"#)?;
        written.write(out, leaf.previous)?;
        out.write_all(b"}")?;
    }
    array.end(out)
}

fn write_text(session: &mut Session, timeline: &Timeline, blamed: &[Blamed<'_>]) -> io::Result<()> {
    let names = Names::of(timeline);
    let shown = blamed.iter().filter(|leaf| !is_context(&leaf.place));
    let rows = shown.filter_map(|leaf| {
        let snapshot = timeline.snapshots.get(leaf.snapshot)?;
        Some(row(session, &names, leaf, snapshot))
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    if let Some(width) = session.out.width() {
        shorten(&mut rows, width);
    }
    let is_used: Vec<bool> = widths(&rows).iter().map(|width| *width > 0).collect();
    for row in &mut rows {
        let mut used = is_used.iter();
        row.retain(|_| used.next().is_some_and(|used| *used));
    }
    session.out.page();
    session.out.table(&rows)
}

/// Tells whether a leaf is of a partition's context, which stands before every other line of the partition.
fn is_context(place: &Place) -> bool {
    place.context.is_some() && place.rest.first().is_some_and(|step| step == "context")
}

fn row(session: &Session, names: &Names, leaf: &Blamed<'_>, snapshot: &Snapshot) -> Vec<Cell> {
    let place = &leaf.place;
    let context = place.context.as_ref();
    let context = context.map(|values| format!("{{{}}}", values.join(", ")));
    let mark = mark::of_snapshot(snapshot);
    let is_edit = snapshot.origins.iter().any(|origin| origin.name() == EDIT);
    let (name, tone) = if is_edit {
        ("edit by hand".to_owned(), Tone::Warning)
    } else {
        (names.of_snapshot(snapshot), Tone::of(mark.role))
    };
    let at = snapshot.at.as_ref();
    let when = at.map(|stamp| match stamp.instant {
        Some(at) => session.day(at),
        None => printable(&stamp.text),
    });
    let key = if *place == Place::default() {
        place.to_string()
    } else {
        place.rest.join(".")
    };
    let was = leaf.previous.map(changes::shown);
    vec![
        Cell::new(printable(place.stream.as_deref().unwrap_or_default())),
        Cell::new(printable(&context.unwrap_or_default())),
        Cell::new(printable(&key)),
        Cell::new(changes::shown(leaf.value)),
        Cell::new(snapshot.number.to_string()).right(),
        Cell::new(mark.sign).tone(tone).gap(" "),
        Cell::new(name).gap(" "),
        Cell::new(when.unwrap_or_default()),
        Cell::new(was.map_or_else(String::new, |was| format!("{WAS}{was}"))).tone(Tone::Faint),
    ]
}

/// What stands before the value that was there before.
const WAS: &str = "was ";

/// The name of the origin of an edit by hand.
const EDIT: &str = "state_edit";

/// Makes rows fit a terminal where that can be: names of runs and edits go first, since the number before each says as much;
/// then what a value is and was is cut to what is left, and what is short keeps its length.
fn shorten(rows: &mut [Vec<Cell>], width: usize) {
    if taken(&widths(rows)) <= width {
        return;
    }
    for name in rows.iter_mut().filter_map(|row| row.get_mut(NAME)) {
        let short = ["run", "edit"].into_iter();
        let mut short = short.filter(|short| name.text.starts_with(short));
        if let Some(short) = short.next() {
            short.clone_into(&mut name.text);
        }
    }
    let widths = widths(rows);
    let at = |place: usize| widths.get(place).copied().unwrap_or_default();
    let (is, was) = (at(VALUES[0]), at(VALUES[1]));
    let room = (width + is + was).saturating_sub(taken(&widths));
    let own = |wanted: usize, other: usize| {
        let left = room.saturating_sub(other.min(room / 2));
        wanted.min(left.max(NARROWEST))
    };
    for (place, room) in [(VALUES[0], own(is, was)), (VALUES[1], own(was, is))] {
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(place)) {
            cell.text = cut(&cell.text, room);
        }
    }
}

/// Cuts a value to a width: of a time the end, since its day says most, of all else the middle.
fn cut(text: &str, width: usize) -> String {
    let value = text.strip_prefix(WAS).unwrap_or(text);
    if text.len() <= width || Instant::parse(value).is_none() {
        return elide(text, width);
    }
    let kept = text.get(..width.saturating_sub(1)).unwrap_or(text);
    format!("{kept}…")
}

/// Counts the columns of the terminal that a row takes; a column that holds nothing takes none.
fn taken(widths: &[usize]) -> usize {
    let used = widths.iter().filter(|width| **width > 0);
    // Two stand between columns, but only one before a mark, and before a name.
    used.map(|width| width + 2).sum::<usize>().saturating_sub(4)
}
