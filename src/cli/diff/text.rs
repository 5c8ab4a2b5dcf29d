//! A diff for people.

use std::io::{self, Write as _};

use unicode_width::UnicodeWidthStr;

use super::Side;
use crate::cli::output::{Cell, Output, Tone, elide, widths};
use crate::cli::session::Session;
use crate::domain::diff::{Change, ChangeKind, Counts, Diff, Distance};
use crate::domain::json::{Kind, Node};
use crate::domain::moment::{Instant, duration};
use crate::report::printable;

/// How many changes are shown; JSON has them all.
const MOST: usize = 1_000;

/// How many columns of an array or object are shown whole.
const SHORT: usize = 80;

/// How wide a value may be for the column behind it to be aligned with its longer siblings.
const ALIGNED: usize = 64;

/// How few columns are left of a value on a narrow terminal.
const NARROWEST: usize = 8;

/// The place of the values among the cells of a line.
const VALUES: usize = 3;

/// Writes the two sides, the counts, the changes by stream, and behind them what is only spelled otherwise.
pub(super) fn write(
    session: &mut Session,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    let sides = format!(
        "A {} → B {}",
        title(session, left, right),
        title(session, right, left)
    );
    let out = &mut session.out;
    out.line(Tone::Heading, &sides)?;
    out.line(Tone::Plain, &summary(diff))?;
    let is_respelled = |change: &&Change| change.kind == ChangeKind::Respelled;
    let apart = diff.changes.iter().filter(is_respelled).take(MOST);
    let others = diff.changes.iter().filter(|change| !is_respelled(change));
    let shown: Vec<&Change> = others.take(MOST).collect();
    let apart: Vec<&Change> = apart.take(MOST - shown.len()).collect();
    let rest = diff.changes.len() - shown.len() - apart.len();
    let mut lines = lines(diff, &shown);
    if !apart.is_empty() {
        lines.push(Line::heading("the same, spelled otherwise".to_owned()));
        lines.extend(apart.iter().map(|change| Line::of(diff, change, true)));
    }
    write_lines(out, &lines)?;
    if rest > 0 {
        writeln!(out, "… and {rest} more; --json gives them all")?;
    }
    Ok(())
}

/// Names a side so that it can be named so again, with the source when the other is from elsewhere, and its time.
fn title(session: &Session, side: &Side, other: &Side) -> String {
    let mut title = match &side.source {
        Some(source) if side.source != other.source => format!("{source}::"),
        _ => String::new(),
    };
    title.push_str(&side.name);
    if let Some(taken) = &side.snapshot {
        title.push('@');
        title.push_str(&taken.short);
        if let Some(at) = &taken.at {
            title.extend([" (", session.stamp(at).as_str(), ")"]);
        }
    }
    printable(&title)
}

fn summary(diff: &Diff) -> String {
    if diff.identical {
        return "identical, byte for byte".to_owned();
    }
    if diff.is_equal() {
        return "the same value, in other bytes".to_owned();
    }
    let Counts {
        added,
        removed,
        changed,
        back,
        respelled,
    } = diff.counts();
    [
        (changed, "changed"),
        (back, "of them went back"),
        (added, "added"),
        (removed, "removed"),
        (respelled, "spelled otherwise"),
        (diff.same, "the same"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect::<Vec<_>>()
    .join(" · ")
}

/// Holds one line: a heading alone, or one change.
struct Line {
    sign: &'static str,
    tone: Tone,
    head: String,
    name: String,
    before: Option<String>,
    after: Option<String>,
    moved: String,
}

/// Makes the lines of changes; several of one stream stand below its name.
fn lines(diff: &Diff, changes: &[&Change]) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in changes.chunk_by(|a, b| a.place.stream == b.place.stream) {
        let stream = group
            .first()
            .and_then(|change| change.place.stream.as_ref());
        let below = group.len() > 1 && stream.is_some();
        if let Some(stream) = stream.filter(|_| below) {
            lines.push(Line::heading(printable(stream)));
        }
        lines.extend(group.iter().map(|change| Line::of(diff, change, !below)));
    }
    lines
}

impl Line {
    fn heading(head: String) -> Self {
        Self {
            sign: "",
            tone: Tone::Heading,
            head,
            name: String::new(),
            before: None,
            after: None,
            moved: String::new(),
        }
    }

    fn of(diff: &Diff, change: &Change, with_stream: bool) -> Self {
        let (sign, tone) = match change.kind {
            _ if change.back => ("", Tone::Warning),
            ChangeKind::Added => ("+", Tone::Good),
            ChangeKind::Removed => ("-", Tone::Bad),
            ChangeKind::Respelled => ("", Tone::Faint),
            ChangeKind::Changed | ChangeKind::Reordered => ("", Tone::Plain),
        };
        let (before, after) = (diff.before(change), diff.after(change));
        let mut line = Self {
            sign,
            tone,
            head: head(change, with_stream),
            name: printable(&change.place.rest.join(".")),
            before: before.map(value),
            after: after.map(value),
            moved: moved(change),
        };
        if change.kind == ChangeKind::Reordered {
            line.before = None;
            line.after = after.map(|node| format!("the same {}, in another order", contents(node)));
        }
        if let Some(node) = before.or(after).filter(|_| line.name.is_empty()) {
            whole(&mut line, change, node);
        }
        line
    }

    fn values(&self, each: Option<usize>) -> String {
        let cut = |text: &String| each.map_or_else(|| text.clone(), |width| elide(text, width));
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("{} → {}", cut(before), cut(after)),
            (one, other) => {
                let both = each.map(|width| width * 2 + " → ".width());
                let one = one.as_ref().or(other.as_ref()).cloned().unwrap_or_default();
                both.map_or_else(|| one.clone(), |width| elide(&one, width))
            }
        }
    }

    fn cells(&self, each: Option<usize>) -> Vec<Cell> {
        if self.tone == Tone::Heading {
            return vec![
                Cell::empty(),
                Cell::new(&*self.head).gap(" ").tone(self.tone),
            ];
        }
        vec![
            Cell::new(self.sign).tone(self.tone),
            Cell::new(&*self.head).gap(" "),
            Cell::new(&*self.name),
            Cell::new(self.values(each)).tone(self.tone),
            Cell::new(&*self.moved).gap("   ").tone(self.tone),
        ]
    }
}

/// Writes the stream, unless it stands above, and the partition by the values of its context.
fn head(change: &Change, with_stream: bool) -> String {
    let place = &change.place;
    let context = place
        .context
        .as_ref()
        .map(|values| format!("{{{}}}", values.join(", ")));
    let parts = match (&place.stream, context, with_stream) {
        (Some(stream), Some(context), true) => format!("{stream} {context}"),
        (Some(stream), None, true) => stream.clone(),
        (_, context, false) => format!("  {}", context.unwrap_or_default()),
        (None, context, true) => context.unwrap_or_default(),
    };
    printable(&parts)
}

/// Says that a whole stream or partition is meant, where no name in it is left to say.
fn whole(line: &mut Line, change: &Change, node: Node<'_>) {
    let place = &change.place;
    let what = match (&place.stream, &place.context) {
        (Some(_), Some(_)) => "whole partition",
        (Some(_), None) if node.is_container() => "whole stream",
        (Some(_), None) => return,
        (None, _) => "whole document",
    };
    line.name.push_str(what);
    if place.context.is_some() && matches!(change.kind, ChangeKind::Added | ChangeKind::Removed) {
        (line.before, line.after) = (None, None);
    }
}

/// Writes a value: a time as it is spelled, what is long by what it holds, all else as stored.
fn value(node: Node<'_>) -> String {
    if let Some(text) = node.as_str() {
        let decoded = text.decoded();
        if Instant::parse(&decoded).is_some() {
            return printable(&decoded);
        }
    }
    if node.is_container() && node.raw().len() > SHORT {
        return contents(node);
    }
    printable(node.raw())
}

fn contents(node: Node<'_>) -> String {
    let (count, what) = (
        node.len(),
        if node.kind() == Kind::Array {
            "element"
        } else {
            "key"
        },
    );
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn moved(change: &Change) -> String {
    let length = match &change.distance {
        None => String::new(),
        Some(Distance::Time(length)) => duration(*length),
        Some(Distance::Integer(digits)) => digits.trim_start_matches('-').to_owned(),
    };
    let goes_back = change.distance.as_ref().is_some_and(Distance::is_back);
    match (change.back, length.is_empty(), goes_back) {
        (true, _, _) => format!("◀ back {length}").trim_end().to_owned(),
        (false, true, _) => String::new(),
        (false, false, true) => format!("- {length}"),
        (false, false, false) => format!("+ {length}"),
    }
}

/// Writes lines in columns, the values shortened to what a terminal leaves for them.
fn write_lines(out: &mut Output, lines: &[Line]) -> io::Result<()> {
    let cells = |each| {
        lines
            .iter()
            .map(|line| line.cells(each))
            .collect::<Vec<_>>()
    };
    let mut rows = cells(None);
    let mut widths = widths(&rows);
    if let Some(width) = out.width() {
        let beside: usize = widths
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != VALUES)
            .map(|(_, width)| width)
            .sum();
        let gaps = " ".len() + "  ".len() * 2 + "   ".len();
        let left = width.saturating_sub(beside + gaps);
        if widths.get(VALUES).is_some_and(|values| *values > left) {
            let each = left.saturating_sub(" → ".width()) / 2;
            rows = cells(Some(each.max(NARROWEST)));
            widths = crate::cli::output::widths(&rows);
        }
    }
    if let Some(values) = widths.get_mut(VALUES) {
        *values = (*values).min(ALIGNED);
    }
    rows.iter().try_for_each(|row| out.row(row, &widths))
}
