//! Changes for people: one line a change, by stream, in columns.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::output::{Cell, Output, Tone, elide, widths};
use crate::domain::diff::{Change, ChangeKind, Counts, Diff, Distance};
use crate::domain::json::{Kind, Node};
use crate::domain::moment::{Instant, duration};
use crate::report::printable;

/// How many changes are shown at most; JSON has them all.
pub(super) const MOST: usize = 1_000;

/// How many columns of an array or object are shown whole.
const SHORT: usize = 80;

/// How wide a value may be for the column behind it to be aligned with its longer siblings.
const ALIGNED: usize = 72;

/// How few columns are left of two values on a narrow terminal.
const NARROWEST: usize = 19;

/// The place of the values among the cells of a line.
const VALUES: usize = 2;

/// Writes at most so many changes, by stream, and behind them what is only spelled otherwise; gives how many are left out.
pub(super) fn write(out: &mut Output, diff: &Diff, most: usize) -> io::Result<usize> {
    let is_respelled = |change: &&Change| change.kind == ChangeKind::Respelled;
    let apart = diff.changes.iter().filter(is_respelled).take(most);
    let others = diff.changes.iter().filter(|change| !is_respelled(change));
    let shown: Vec<&Change> = others.take(most).collect();
    let apart: Vec<&Change> = apart.take(most - shown.len()).collect();
    let rest = diff.changes.len() - shown.len() - apart.len();
    let mut lines = lines(diff, &shown);
    if !apart.is_empty() {
        lines.push(Line::heading("the same, spelled otherwise".to_owned()));
        lines.extend(apart.iter().map(|change| Line::of(diff, change, false)));
    }
    write_lines(out, &lines)?;
    Ok(rest)
}

/// Counts what differs, in words.
pub(super) fn summary(diff: &Diff) -> String {
    if diff.identical {
        return "identical, byte for byte".to_owned();
    }
    if diff.is_equal() && diff.shapes {
        return "the same shape".to_owned();
    }
    if diff.is_equal() {
        return "the same value, in other bytes".to_owned();
    }
    counted(diff.counts(), diff.same)
}

/// Writes counts of changes, and of what is the same, in words; none that is 0.
pub(super) fn counted(counts: Counts, same: usize) -> String {
    let Counts {
        added,
        removed,
        changed,
        back,
        respelled,
    } = counts;
    [
        (changed, "changed"),
        (back, "of them went back"),
        (added, "added"),
        (removed, "removed"),
        (respelled, "spelled otherwise"),
        (same, "the same"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect::<Vec<_>>()
    .join(" · ")
}

/// Holds one line: a heading alone, or one change.
struct Line {
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
            lines.push(Line::heading(format!("  {}", printable(stream))));
        }
        lines.extend(group.iter().map(|change| Line::of(diff, change, below)));
    }
    lines
}

impl Line {
    fn heading(head: String) -> Self {
        Self {
            tone: Tone::Heading,
            head,
            name: String::new(),
            before: None,
            after: None,
            moved: String::new(),
        }
    }

    fn of(diff: &Diff, change: &Change, below: bool) -> Self {
        let in_stream = change.place.stream.is_some();
        let rest = in_stream.then(|| change.place.rest.join("."));
        let (before, after) = (diff.before(change), diff.after(change));
        let mut line = Self {
            tone: tone(change),
            head: head(change, below),
            name: printable(&rest.unwrap_or_default()),
            before: before.map(|node| value(diff, node)),
            after: after.map(|node| value(diff, node)),
            moved: moved(change),
        };
        if change.kind == ChangeKind::Reordered {
            line.before = None;
            line.after = after.map(reordered);
        }
        if let Some(node) = before.or(after).filter(|_| change.place.rest.is_empty()) {
            whole(&mut line, change, node);
        }
        line
    }

    /// Writes the values, in no more columns than there is room for, when that is limited.
    fn values(&self, room: Option<usize>) -> String {
        let (before, after) = match (&self.before, &self.after) {
            (Some(before), Some(after)) => (before, after),
            (one, other) => {
                let one = one.as_deref().or(other.as_deref()).unwrap_or_default();
                return room.map_or_else(|| one.to_owned(), |room| elide(one, room));
            }
        };
        let both = |after: &str| format!("{before} → {after}");
        let fits = |text: &String| room.is_none_or(|room| text.width() <= room);
        let short = || both(&without_common(before, after));
        Some(both(after))
            .filter(fits)
            .or_else(|| Some(short()).filter(fits))
            .unwrap_or_else(|| {
                let each = room.unwrap_or_default().saturating_sub(" → ".width()) / 2;
                format!("{} → {}", elide(before, each), elide(after, each))
            })
    }

    fn cells(&self, room: Option<usize>) -> Vec<Cell> {
        if self.tone == Tone::Heading {
            return vec![Cell::new(&*self.head).tone(self.tone)];
        }
        vec![
            Cell::new(&*self.head).tone(self.tone),
            Cell::new(&*self.name),
            Cell::new(self.values(room)).tone(self.tone),
            Cell::new(&*self.moved).gap("   ").tone(self.tone),
        ]
    }
}

/// Gives the colour of a change.
pub(super) fn tone(change: &Change) -> Tone {
    match change.kind {
        _ if change.back => Tone::Warning,
        ChangeKind::Added => Tone::Good,
        ChangeKind::Removed => Tone::Bad,
        ChangeKind::Respelled => Tone::Faint,
        ChangeKind::Changed | ChangeKind::Reordered => Tone::Plain,
    }
}

/// Says of an array whose elements stand in another order that they are the same.
pub(super) fn reordered(node: Node<'_>) -> String {
    format!("the same {}, in another order", contents(node))
}

/// Says what happened to a place, in words.
pub(super) fn what(change: &Change) -> &'static str {
    match change.kind {
        _ if change.back => "went back",
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Changed => "changed",
        ChangeKind::Reordered => "reordered",
        ChangeKind::Respelled => "spelled otherwise",
    }
}

/// Leaves out of the second of two values what it begins with like the first, back to where a word begins.
fn without_common(before: &str, after: &str) -> String {
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b);
    let same = same.count();
    let word: Vec<char> = after.chars().take(same).collect();
    let kept = word.iter().rposition(|c| !c.is_alphanumeric());
    match kept {
        Some(place) if place > 0 => {
            let rest: String = after.chars().skip(place + 1).collect();
            format!("…{rest}")
        }
        _ => after.to_owned(),
    }
}

/// Writes the sign, and the stream unless it stands above, and the partition by the values of its context; outside streams
/// the path.
fn head(change: &Change, below: bool) -> String {
    let place = &change.place;
    let sign = match change.kind {
        ChangeKind::Added => "+",
        ChangeKind::Removed => "-",
        ChangeKind::Changed | ChangeKind::Respelled | ChangeKind::Reordered => " ",
    };
    let context = place.context.as_ref();
    let context = context.map(|values| format!("{{{}}}", values.join(", ")));
    let what = match (&place.stream, context) {
        (None, _) => place.rest.join("."),
        (Some(_), context) if below => context.unwrap_or_default(),
        (Some(stream), Some(context)) => format!("{stream} {context}"),
        (Some(stream), None) => stream.clone(),
    };
    let indent = if below { "  " } else { "" };
    format!("{indent}{sign} {}", printable(&what))
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

/// Writes a value of a difference, or of one of shapes the kind of a value.
pub(super) fn value(diff: &Diff, node: Node<'_>) -> String {
    match node.as_str() {
        Some(kind) if diff.shapes => printable(&kind.decoded()),
        _ => shown(node),
    }
}

/// Writes a value: a time as it is spelled, what is long by what it holds, all else as stored.
pub(super) fn shown(node: Node<'_>) -> String {
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

/// Says how much an array or object holds.
pub(super) fn contents(node: Node<'_>) -> String {
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

/// Says how far a value moved, and whether it went back; nothing of one that did not move.
pub(super) fn moved(change: &Change) -> String {
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
    let cells = |room| {
        lines
            .iter()
            .map(|line| line.cells(room))
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
        let gaps = "  ".len() * 2 + "   ".len();
        let left = width.saturating_sub(beside + gaps);
        if widths.get(VALUES).is_some_and(|values| *values > left) {
            rows = cells(Some(left.max(NARROWEST)));
            widths = super::output::widths(&rows);
        }
    }
    if let Some(values) = widths.get_mut(VALUES) {
        *values = (*values).min(ALIGNED);
    }
    rows.iter().try_for_each(|row| out.row(row, &widths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn line(before: Option<&str>, after: Option<&str>) -> Line {
        Line {
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            ..Line::heading(String::new())
        }
    }

    #[rstest]
    #[case(None, "2026-11-23T14:36:29Z → 2026-11-23T17:51:40Z")]
    #[case(Some(43), "2026-11-23T14:36:29Z → 2026-11-23T17:51:40Z")]
    #[case(Some(42), "2026-11-23T14:36:29Z → …23T17:51:40Z")]
    #[case(Some(30), "2026-1…36:29Z → 2026-1…51:40Z")]
    #[case(Some(19), "2026…29Z → 2026…40Z")]
    fn two_values_take_no_more_room_than_there_is(#[case] room: Option<usize>, #[case] want: &str) {
        let line = line(Some("2026-11-23T14:36:29Z"), Some("2026-11-23T17:51:40Z"));
        assert_eq!(line.values(room), want);
    }

    #[rstest]
    #[case("8812331", "8813007", "8813007")]
    #[case("a/b/c", "a/b/d", "…d")]
    #[case("\"x\"", "\"y\"", "\"y\"")]
    fn what_is_common_is_left_out_word_by_word(
        #[case] before: &str,
        #[case] after: &str,
        #[case] want: &str,
    ) {
        assert_eq!(without_common(before, after), want);
    }

    #[test]
    fn one_value_is_cut_in_its_middle() {
        assert_eq!(line(None, Some("0123456789")).values(Some(5)), "01…89");
        assert_eq!(line(Some("0123456789"), None).values(None), "0123456789");
    }
}
