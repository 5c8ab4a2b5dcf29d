//! Writing answers: standard output, tables aligned by display width, and the few colours.

use std::io::{self, BufWriter, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::pager::{Pager, Writer};
use crate::domain::ui::Role;
use crate::report::Report;

/// Says why a command stopped before its end.
#[derive(Debug)]
pub(super) enum Failure {
    /// It could not answer.
    Report(Box<Report>),
    /// Standard output takes nothing more; a closed pipe is no fault, its reader has seen enough.
    Output(io::Error),
}

impl From<Report> for Failure {
    fn from(report: Report) -> Self {
        Self::Report(Box::new(report))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Names what a colour repeats; each piece of text says the same in words or by a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Heading,
    Good,
    Bad,
    Active,
    Warning,
    Faint,
}

impl Tone {
    /// Gives the colour of a mark.
    pub(super) fn of(role: Role) -> Self {
        match role {
            Role::Good => Self::Good,
            Role::Bad => Self::Bad,
            Role::Busy => Self::Active,
            Role::Warning | Role::Back => Self::Warning,
            Role::Quiet => Self::Faint,
            _ => Self::Plain,
        }
    }
}

impl Tone {
    /// Gives the parameter of the terminal's own colours.
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Heading => Some("1"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Active => Some("36"),
            Self::Warning => Some("33"),
            Self::Faint => Some("2"),
        }
    }
}

/// Writes to standard output, or standard error, locked and buffered.
pub(super) struct Output {
    out: BufWriter<Writer>,
    /// What pages, where a command wants that.
    pager: Option<Pager>,
    /// Whether colours are wanted.
    colour: bool,
    /// The width of the terminal; `None` when it writes to none.
    width: Option<usize>,
}

impl Output {
    pub(super) fn new(colour: bool, width: Option<usize>) -> Self {
        Self::to(Box::new(io::stdout().lock()), colour, width)
    }

    /// Writes to standard error instead, where what is no answer goes; not locked, so that errors can go between.
    pub(super) fn aside(colour: bool, width: Option<usize>) -> Self {
        Self::to(Box::new(io::stderr()), colour, width)
    }

    fn to(out: Box<dyn Write>, colour: bool, width: Option<usize>) -> Self {
        Self {
            out: BufWriter::with_capacity(1 << 16, Writer::new(out)),
            pager: None,
            colour,
            width,
        }
    }

    /// Takes the program that pages.
    pub(super) fn paged_by(self, pager: Option<Pager>) -> Self {
        Self { pager, ..self }
    }

    /// Lets an answer that is more than a screen go through the pager, when there is one: it is for people, on a terminal.
    pub(super) fn page(&mut self) {
        if let Some(pager) = self.pager.take() {
            self.out.get_mut().page(pager);
        }
    }

    /// Gives the width of the terminal; `None` when nobody is looking, and nothing is shortened.
    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.width.is_some()
    }

    /// Writes a text in a tone.
    pub(super) fn toned(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        match tone.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => write!(self.out, "\x1b[{code}m{text}\x1b[0m"),
            None => self.out.write_all(text.as_bytes()),
        }
    }

    /// Writes a line in a tone.
    pub(super) fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        self.toned(tone, text)?;
        self.out.write_all(b"\n")
    }

    /// Writes rows, each column as wide as its widest cell, with nothing at the ends of lines.
    pub(super) fn table(&mut self, rows: &[Vec<Cell>]) -> io::Result<()> {
        let widths = widths(rows);
        rows.iter().try_for_each(|row| self.row(row, &widths))
    }

    /// Writes one row of a table whose columns have these widths.
    pub(super) fn row(&mut self, row: &[Cell], widths: &[usize]) -> io::Result<()> {
        let end = row.iter().rposition(|cell| !cell.text.is_empty());
        let shown = end.map_or(0, |end| end + 1);
        for (place, (cell, width)) in row.iter().zip(widths).take(shown).enumerate() {
            let padding = width.saturating_sub(cell.text.width());
            if place > 0 {
                self.out.write_all(cell.gap.as_bytes())?;
            }
            if cell.right {
                self.pad(padding)?;
            }
            self.toned(cell.tone, &cell.text)?;
            if !cell.right && place + 1 < shown {
                self.pad(padding)?;
            }
        }
        self.out.write_all(b"\n")
    }

    fn pad(&mut self, width: usize) -> io::Result<()> {
        write!(self.out, "{:width$}", "")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Measures the columns of a table.
pub(super) fn widths(rows: &[Vec<Cell>]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.text.width());
        }
    }
    widths
}

/// Holds one cell of a table; its text has no control characters.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) tone: Tone,
    right: bool,
    /// What stands between it and the column before.
    gap: &'static str,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone: Tone::Plain,
            right: false,
            gap: "  ",
        }
    }

    pub(super) fn empty() -> Self {
        Self::new("")
    }

    pub(super) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// Puts the text at the right edge of its column.
    pub(super) fn right(self) -> Self {
        Self {
            right: true,
            ..self
        }
    }

    /// Puts the column closer to the one before, or further away.
    pub(super) fn gap(self, gap: &'static str) -> Self {
        Self { gap, ..self }
    }
}

/// Shortens a text in its middle to a display width, where what tells values apart is seldom.
pub(super) fn elide(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let head = fitting(text.chars(), room.div_ceil(2));
    let tail = fitting(text.chars().rev(), room / 2);
    let count = text.chars().count();
    let front: String = text.chars().take(head).collect();
    let back: String = text.chars().skip(count - tail).collect();
    format!("{front}…{back}")
}

/// Counts how many characters fit into a width.
fn fitting(characters: impl Iterator<Item = char>, width: usize) -> usize {
    let mut used = 0;
    characters
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= width
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("short", 5, "short")]
    #[case("2026-11-30T03:59:58Z", 9, "2026…:58Z")]
    #[case("日本語日本語", 7, "日…語")]
    #[case("abc", 1, "…")]
    fn eliding_keeps_both_ends(#[case] text: &str, #[case] width: usize, #[case] want: &str) {
        let elided = elide(text, width);
        assert_eq!(elided, want);
        assert!(elided.width() <= width);
    }
}
