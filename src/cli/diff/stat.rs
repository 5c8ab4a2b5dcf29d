//! How many changes a diff has, stream by stream.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::Side;
use super::text::heading;
use crate::cli::changes;
use crate::cli::output::{Cell, Tone, elide};
use crate::cli::session::Session;
use crate::domain::diff::{Change, ChangeKind, Diff};
use crate::report::printable;

/// How many columns a row may take where no terminal says.
const WIDTH: usize = 100;

/// How many columns the marks take at most.
const LONGEST: usize = 40;

/// The marks, in the order in which they stand.
const MARKS: [(char, Tone); 5] = [
    ('◀', Tone::Warning),
    ('~', Tone::Plain),
    ('+', Tone::Good),
    ('-', Tone::Bad),
    ('≈', Tone::Faint),
];

/// Counts the changes of one stream.
struct Row {
    stream: Option<String>,
    /// As many as there are of each of [`MARKS`].
    counts: [usize; MARKS.len()],
}

/// Writes the two sides, a row a stream in the order of their first changes, and the counts of all.
pub(super) fn write(
    session: &mut Session,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    heading(session, left, right)?;
    let out = &mut session.out;
    let rows = rows(&diff.changes);
    let most = rows.iter().map(Row::total).max().unwrap_or_default();
    let width = out.width().unwrap_or(WIDTH);
    let digits = most.to_string().len();
    let widest = width
        .saturating_sub(LONGEST / 2 + digits + " |  ".len())
        .max(8);
    let names: Vec<String> = rows.iter().map(|row| elide(&row.name(), widest)).collect();
    let widest_name = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let room = width
        .saturating_sub(widest_name + digits + " |  ".len())
        .clamp(5, LONGEST);
    for (row, name) in rows.iter().zip(names) {
        let mut cells = vec![
            Cell::new(name),
            Cell::new(row.total().to_string()).right().gap(" | "),
        ];
        let widths = [widest_name, digits];
        for (marks, tone) in row.marks(most, room) {
            let gap = if cells.len() == widths.len() { " " } else { "" };
            cells.push(Cell::new(marks).tone(tone).gap(gap));
        }
        let marks = cells.len() - widths.len();
        let widths: Vec<usize> = widths.into_iter().chain(vec![0; marks]).collect();
        out.row(&cells, &widths)?;
    }
    out.line(Tone::Plain, &changes::summary(diff))
}

fn rows(changes: &[Change]) -> Vec<Row> {
    let mut rows: Vec<Row> = vec![];
    let mut known = std::collections::HashMap::new();
    for change in changes {
        let stream = &change.place.stream;
        let at = *known.entry(stream).or_insert_with(|| {
            rows.push(Row {
                stream: stream.clone(),
                counts: [0; MARKS.len()],
            });
            rows.len() - 1
        });
        let mark = match change.kind {
            _ if change.back => 0,
            ChangeKind::Changed | ChangeKind::Reordered => 1,
            ChangeKind::Added => 2,
            ChangeKind::Removed => 3,
            ChangeKind::Respelled => 4,
        };
        let row = rows.get_mut(at);
        if let Some(count) = row.and_then(|row| row.counts.get_mut(mark)) {
            *count += 1;
        }
    }
    rows
}

impl Row {
    fn name(&self) -> String {
        match &self.stream {
            Some(stream) => printable(stream),
            None => "(outside streams)".to_owned(),
        }
    }

    fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Draws the counts, scaled down when the largest row has not enough room; what is there at all has a mark.
    fn marks(&self, most: usize, room: usize) -> Vec<(String, Tone)> {
        let scaled = |count: usize| match count {
            0 => 0,
            count if most <= room => count,
            count => (count * room / most).max(1),
        };
        let marks = MARKS.iter().zip(self.counts);
        marks
            .map(|((mark, tone), count)| (mark.to_string().repeat(scaled(count)), *tone))
            .filter(|(marks, _)| !marks.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_scaled_and_none_is_lost() {
        let row = Row {
            stream: None,
            counts: [1, 500, 250, 0, 0],
        };
        let marks = |most, room| {
            let marks = row.marks(most, room).into_iter();
            marks.map(|(marks, _)| marks).collect::<String>()
        };
        assert_eq!(marks(751, 9), "◀~~~~~++");
        assert_eq!(marks(1_502, 6), "◀~+");
        assert_eq!(marks(751, 751).chars().count(), 751);
    }
}
