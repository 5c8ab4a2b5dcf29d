//! What differs between two snapshots, grouped by stream.

use std::collections::HashSet;
use std::sync::Arc;

use crate::domain::diff::{Change, ChangeKind, Counts, Diff, Distance};
use crate::domain::json::Node;
use crate::domain::mark;
use crate::domain::moment;
use crate::domain::quantity::count;
use crate::domain::state::bookmarks_of;
use crate::domain::ui::Role;
use crate::tui::command::Step;
use crate::tui::text::{Line, elide, width_up_to};
use crate::tui::widget::cursor::Cursor;
use crate::tui::words::{self, counted};

/// From how many columns on a change takes one row; else it takes two.
const ONE_ROW: usize = 88;

/// How wide the column of distances is.
const DISTANCE_COLUMNS: usize = 17;

/// Is something in the list: a stream's name, a title, or a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The stream of the change with this number, over the changes in it.
    Stream(usize),
    /// What follows is spelled another way, no more.
    Respelled,
    /// A change, below its stream's name or not.
    Change { number: usize, below: bool },
}

/// Says how many rows a change takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Two,
}

impl Form {
    fn of(columns: usize) -> Self {
        if columns >= ONE_ROW {
            Self::One
        } else {
            Self::Two
        }
    }

    fn height(self, entry: Entry) -> usize {
        match (entry, self) {
            (Entry::Stream(_) | Entry::Respelled, _) | (Entry::Change { .. }, Self::One) => 1,
            (Entry::Change { .. }, Self::Two) => 2,
        }
    }
}

/// Holds a diff as a list with a cursor on one of its changes.
#[derive(Debug)]
pub struct Changes {
    diff: Arc<Diff>,
    counts: Counts,
    streams: usize,
    entries: Vec<Entry>,
    /// The places of the changes among the entries.
    stops: Vec<usize>,
    /// The change under the cursor, and the first entry on the screen.
    cursor: Cursor,
}

impl Changes {
    /// Groups a diff.
    pub fn new(diff: Arc<Diff>) -> Self {
        let entries = entries(&diff);
        let is_change = |entry: &Entry| matches!(entry, Entry::Change { .. });
        let stops = entries
            .iter()
            .enumerate()
            .filter_map(|(place, entry)| is_change(entry).then_some(place))
            .collect();
        let moved: HashSet<&str> = diff
            .changes
            .iter()
            .filter(|change| change.kind != ChangeKind::Respelled)
            .filter_map(|change| change.place.stream.as_deref())
            .collect();
        Self {
            counts: diff.counts(),
            streams: moved.len(),
            entries,
            stops,
            cursor: Cursor::default(),
            diff,
        }
    }

    /// Says in a few words what moved.
    pub fn summary(&self) -> Line {
        let moved = match (self.streams, self.diff.changes.len()) {
            (0, 0) => "nothing moved".to_owned(),
            (0, _) => counted(self.diff.changes.len(), "change", "changes"),
            (streams, _) => format!("{} moved", counted(streams, "stream", "streams")),
        };
        let mut line = Line::new();
        if self.counts.back > 0 {
            let back = count(self.counts.back);
            line.push(format!("{} {back} back", mark::BACK.sign), Role::Back);
            line.push(" · ", Role::Text);
        }
        line.with(moved, Role::Text)
    }

    /// Counts the changes by kind.
    pub fn counted(&self) -> Line {
        let counts = self.counts;
        let mut line = Line::new();
        for (number, what, role) in [
            (counts.back, "back", Role::Back),
            (
                counts.changed - counts.back.min(counts.changed),
                "changed",
                Role::Text,
            ),
            (counts.added, "added", Role::Added),
            (counts.removed, "removed", Role::Removed),
            (counts.respelled, "respelled", Role::Quiet),
            (self.diff.same, "the same", Role::Quiet),
        ] {
            if number == 0 {
                continue;
            }
            line.push(if line.is_empty() { "" } else { " · " }, Role::Quiet);
            let sign = if what == "back" { "◀ " } else { "" };
            line.push(format!("{sign}{} {what}", count(number)), role);
        }
        line
    }

    /// Tells whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Tells whether even the bytes are the same.
    pub fn is_identical(&self) -> bool {
        self.diff.identical
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, columns: usize, page: usize) {
        let height = Form::of(columns).height(Entry::Change {
            number: 0,
            below: false,
        });
        self.cursor
            .step(step, self.stops.len(), (page / height).max(1));
    }

    /// Puts the cursor on the change at a row of the screen.
    pub fn put_on_row(&mut self, row: usize, columns: usize) {
        let form = Form::of(columns);
        let mut left = row;
        for (place, entry) in self.entries.iter().enumerate().skip(self.cursor.top) {
            let height = form.height(*entry);
            if left < height {
                if let Ok(stop) = self.stops.binary_search(&place) {
                    self.cursor.at = stop;
                }
                return;
            }
            left -= height;
        }
    }

    /// Brings the change under the cursor onto the screen, with its stream's name where there is room.
    pub fn settle(&mut self, columns: usize, page: usize) {
        self.cursor.at = self.cursor.at.min(self.stops.len().saturating_sub(1));
        let Some(entry) = self.stops.get(self.cursor.at).copied() else {
            self.cursor.top = 0;
            return;
        };
        let form = Form::of(columns);
        let highest =
            if entry > 0 && page > form.height(self.entries[entry]) && !self.is_change(entry - 1) {
                entry - 1
            } else {
                entry
            };
        let last = self.entries.len().saturating_sub(1);
        self.cursor.top = self
            .cursor
            .top
            .min(highest)
            .max(self.first_with(entry, form, page))
            .min(self.first_with(last, form, page));
    }

    fn is_change(&self, place: usize) -> bool {
        matches!(self.entries.get(place), Some(Entry::Change { .. }))
    }

    /// Finds the first entry that is on a page together with a later one.
    fn first_with(&self, entry: usize, form: Form, page: usize) -> usize {
        let mut room = page;
        let mut first = entry;
        for place in (0..=entry).rev() {
            let Some(height) = self.entries.get(place).map(|entry| form.height(*entry)) else {
                break;
            };
            if height > room {
                break;
            }
            room -= height;
            first = place;
        }
        first
    }

    /// Gives the rows on the screen; each with whether it belongs to the change under the cursor.
    pub fn rows(&self, columns: usize, page: usize) -> Vec<(Line, bool)> {
        let form = Form::of(columns);
        let under = self.stops.get(self.cursor.at).copied();
        let mut rows = Vec::new();
        for (place, entry) in self.entries.iter().enumerate().skip(self.cursor.top) {
            if rows.len() >= page {
                break;
            }
            let lines = self.entry(*entry, form, columns);
            rows.extend(lines.into_iter().map(|line| (line, under == Some(place))));
        }
        rows.truncate(page);
        rows
    }

    fn entry(&self, entry: Entry, form: Form, columns: usize) -> Vec<Line> {
        match entry {
            Entry::Stream(number) => {
                let stream = self
                    .change(number)
                    .and_then(|change| change.place.stream.as_deref());
                vec![Line::of("  ", Role::Text).with(stream.unwrap_or_default(), Role::Title)]
            }
            Entry::Respelled => vec![Line::of(
                "  respelled: the same instants and numbers, written another way",
                Role::Quiet,
            )],
            Entry::Change { number, below } => {
                let Some(change) = self.change(number) else {
                    return Vec::new();
                };
                Shown::of(&self.diff, change, below).lines(form, columns)
            }
        }
    }

    fn change(&self, number: usize) -> Option<&Change> {
        self.diff.changes.get(number)
    }

    /// Gives the new value of the change under the cursor, or else the old one.
    pub fn under_cursor(&self) -> Option<Node<'_>> {
        let Some(Entry::Change { number, .. }) = self.entries.get(*self.stops.get(self.cursor.at)?)
        else {
            return None;
        };
        let change = self.change(*number)?;
        self.diff.after(change).or(self.diff.before(change))
    }

    /// Gives the change under the cursor whole: its pointer, and both its values.
    pub fn status(&self) -> Option<(String, String)> {
        let Some(Entry::Change { number, .. }) = self.entries.get(*self.stops.get(self.cursor.at)?)
        else {
            return None;
        };
        let change = self.change(*number)?;
        let values = match (self.diff.before(change), self.diff.after(change)) {
            (Some(before), Some(after)) => format!("{} → {}", before.raw(), after.raw()),
            (Some(one), None) | (None, Some(one)) => one.raw().to_owned(),
            (None, None) => String::new(),
        };
        Some((change.path.to_string(), values))
    }
}

/// Puts changes under their streams' names where there are several, or a partition is named; respelled ones come last.
fn entries(diff: &Diff) -> Vec<Entry> {
    let is_respelled = |number: &usize| diff.changes[*number].kind == ChangeKind::Respelled;
    let (respelled, others): (Vec<usize>, Vec<usize>) =
        (0..diff.changes.len()).partition(is_respelled);
    let mut entries = Vec::with_capacity(diff.changes.len() + 8);
    group(diff, &others, &mut entries);
    if !respelled.is_empty() {
        entries.push(Entry::Respelled);
        group(diff, &respelled, &mut entries);
    }
    entries
}

fn group(diff: &Diff, numbers: &[usize], entries: &mut Vec<Entry>) {
    let place = |number: usize| &diff.changes[number].place;
    for run in numbers.chunk_by(|a, b| place(*a).stream == place(*b).stream) {
        let Some(first) = run.first() else { continue };
        let named =
            place(*first).stream.is_some() && (run.len() > 1 || place(*first).context.is_some());
        if named {
            entries.push(Entry::Stream(*first));
        }
        entries.extend(run.iter().map(|number| Entry::Change {
            number: *number,
            below: named,
        }));
    }
}

/// Holds what is written of a change.
struct Shown {
    sign: (&'static str, Role),
    indent: usize,
    label: String,
    name: String,
    before: Option<String>,
    after: Option<String>,
    distance: Option<(String, Role)>,
}

impl Shown {
    fn of(diff: &Diff, change: &Change, below: bool) -> Self {
        let (before, after) = (diff.before(change), diff.after(change));
        let (label, name) = label(change, after.or(before), below);
        let whole = whole(change);
        let shown = |node: Option<Node<'_>>| node.map(|node| shown(node, whole));
        let (mut before, mut after) = (shown(before), shown(after));
        if change.kind == ChangeKind::Reordered {
            before = None;
            after = Some("the same items in another order".to_owned());
        }
        Self {
            sign: sign(change.kind),
            indent: if below { 2 } else { 0 },
            label,
            name,
            before,
            after,
            distance: distance(change),
        }
    }

    fn lines(&self, form: Form, columns: usize) -> Vec<Line> {
        let mut head = Line::of(format!("{} ", self.sign.0), self.sign.1);
        head.push(" ".repeat(self.indent), Role::Text);
        match form {
            Form::One => vec![self.in_one_row(head, columns)],
            Form::Two => {
                let lead = if columns < 52 { 4 } else { 4 + self.indent };
                let second = Line::of(" ".repeat(lead), Role::Text);
                vec![self.named(head, columns), self.values(second, columns)]
            }
        }
    }

    /// Writes the name, and the distance at the right.
    fn named(&self, mut line: Line, columns: usize) -> Line {
        line.push(&self.label, Role::Text);
        if !self.name.is_empty() {
            line.push("  ", Role::Text);
            line.push(&self.name, Role::Quiet);
        }
        match &self.distance {
            Some((text, role)) => {
                let room = columns.saturating_sub(width_up_to(text, columns) + 1);
                let mut fitted = Line::new();
                fitted.fit(line, room);
                fitted.and_right(Line::of(text, *role), columns)
            }
            None => line,
        }
    }

    /// Writes the values; where they do not both fit, the new one gets the room.
    fn values(&self, mut line: Line, columns: usize) -> Line {
        let room = columns.saturating_sub(line.width());
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let room = room.saturating_sub(3);
                let first = width_up_to(before, room).min(room / 3);
                let second = width_up_to(after, room - first).min(room - first);
                line.push(elide(before, room - second), Role::Quiet);
                line.push(" → ", Role::Quiet);
                line.push(elide(after, second), Role::Text);
            }
            (Some(one), None) | (None, Some(one)) => line.push(elide(one, room), Role::Text),
            (None, None) => {}
        }
        line
    }

    fn in_one_row(&self, mut line: Line, columns: usize) -> Line {
        let names = columns
            .saturating_sub(DISTANCE_COLUMNS + 4 + 43)
            .clamp(26, 60);
        let label = names * 3 / 5;
        if self.name.is_empty() {
            line.column(&self.label, Role::Text, names + 1 - self.indent);
        } else {
            line.column(&self.label, Role::Text, label + 2 - self.indent);
            line.push(" ", Role::Text);
            line.column(&self.name, Role::Quiet, names - label - 2);
        }
        line.push(" ", Role::Text);
        let reserved = if self.distance.is_some() {
            DISTANCE_COLUMNS
        } else {
            0
        };
        let line = self.values(line, columns - reserved);
        match &self.distance {
            Some((text, role)) => line.and_right(Line::of(text, *role), columns),
            None => line,
        }
    }
}

/// Names what a change is about, when that is no value in it.
fn whole(change: &Change) -> Option<&'static str> {
    let place = &change.place;
    let is_whole = place.rest.is_empty();
    match (&place.context, &place.stream) {
        (Some(_), _) if is_whole => Some("whole partition"),
        (None, Some(_)) if is_whole => Some("whole stream"),
        _ => None,
    }
}

/// Writes a value; of a whole stream or partition, what it goes on from.
fn shown(node: Node<'_>, whole: Option<&str>) -> String {
    let Some(whole) = whole.filter(|_| node.is_container()) else {
        return words::value(node);
    };
    match words::principal(&bookmarks_of(node)) {
        None => match node.get("partitions").map(|partitions| partitions.len()) {
            Some(number @ 1..) => {
                format!("{whole} · {}", counted(number, "partition", "partitions"))
            }
            _ => whole.to_owned(),
        },
        Some(bookmark) => {
            let (name, value) = (bookmark.name.decoded(), words::value(bookmark.value));
            format!("{whole} · {name} {value}")
        }
    }
}

fn sign(kind: ChangeKind) -> (&'static str, Role) {
    match kind {
        ChangeKind::Added => ("+", Role::Added),
        ChangeKind::Removed => ("-", Role::Removed),
        ChangeKind::Changed | ChangeKind::Respelled | ChangeKind::Reordered => (" ", Role::Text),
    }
}

/// Names the place of a change: the partition or the stream, and the value in it.
fn label(change: &Change, node: Option<Node<'_>>, below: bool) -> (String, String) {
    let place = &change.place;
    let rest = rest(&place.rest, node);
    match (&place.context, &place.stream) {
        (Some(values), _) => (format!("{{{}}}", values.join(", ")), rest),
        (None, Some(stream)) if !below || place.rest.is_empty() => (stream.clone(), rest),
        (None, Some(_)) => (rest, String::new()),
        (None, None) => {
            let inner = rest.strip_prefix("singer_state.").unwrap_or(&rest);
            (inner.to_owned(), String::new())
        }
    }
}

/// Joins what is left of a path; a `replication_key_value` is called by the replication key that stands beside it.
fn rest(steps: &[String], node: Option<Node<'_>>) -> String {
    let beside = || {
        let text = node?.parent()?.get("replication_key")?.as_str()?;
        Some(text.decoded().into_owned())
    };
    let mut steps = steps.to_vec();
    if let Some(last) = steps.last_mut()
        && last == "replication_key_value"
        && let Some(key) = beside()
    {
        *last = key;
    }
    steps.join(".")
}

fn distance(change: &Change) -> Option<(String, Role)> {
    let distance = change.distance.as_ref()?;
    let length = match distance {
        Distance::Time(length) => moment::duration(*length),
        Distance::Integer(digits) => digits.trim_start_matches('-').to_owned(),
    };
    Some(if change.back {
        (format!("{} back {length}", mark::BACK.sign), Role::Back)
    } else if distance.is_back() {
        (format!("- {length}"), Role::Text)
    } else {
        (format!("+ {length}"), Role::Text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::diff;
    use crate::domain::json::Document;
    use proptest::prelude::*;

    fn changes(streams: usize) -> Changes {
        let document = |day: usize| {
            let each: Vec<_> = (0..streams)
                .map(|n| match n % 3 {
                    0 => format!(r#""s{n}": {{"at": "2026-11-{:02}"}}"#, day + 10),
                    1 => format!(
                        r#""s{n}": {{"at": "2026-11-{:02}", "id": {day}}}"#,
                        day + 10
                    ),
                    _ => format!(r#""s{n}": {{"id": 1}}"#),
                })
                .collect();
            let text = format!(
                r#"{{"singer_state": {{"bookmarks": {{{}}}}}}}"#,
                each.join(", ")
            );
            Document::parse(text).unwrap()
        };
        Changes::new(Arc::new(diff::diff(&document(1), &document(2))))
    }

    fn steps() -> impl Strategy<Value = Step> {
        prop::sample::select(vec![
            Step::Down,
            Step::Up,
            Step::HalfDown,
            Step::HalfUp,
            Step::PageDown,
            Step::PageUp,
            Step::First,
            Step::Last,
        ])
    }

    proptest! {
        #[test]
        fn the_change_under_the_cursor_is_on_the_screen_and_no_room_is_unused(
            streams in 1..60_usize,
            moves in prop::collection::vec((steps(), 10..200_usize, 1..30_usize), 1..20),
        ) {
            let mut changes = changes(streams);
            for (step, columns, page) in moves {
                changes.step(step, columns, page);
                changes.settle(columns, page);
                let rows = changes.rows(columns, page);
                prop_assert!(rows.iter().any(|(_, under)| *under));
                let all: usize = changes.entries.iter().map(|entry| Form::of(columns).height(*entry)).sum();
                prop_assert!(rows.len() <= page);
                prop_assert!(rows.len() + 1 >= page.min(all));
            }
        }
    }

    #[test]
    fn the_first_change_comes_with_its_streams_name() {
        let mut changes = changes(2);
        changes.step(Step::Last, 40, 4);
        changes.settle(40, 4);
        changes.step(Step::First, 40, 4);
        changes.settle(40, 4);
        assert_eq!(changes.cursor.top, 0);
    }
}
