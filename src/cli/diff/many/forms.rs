//! The forms in which many states are answered.

use std::io::{self, Write as _};

use unicode_width::UnicodeWidthStr;

use super::super::{Arguments, Format, answer, markdown::code};
use super::{Group, Pair, Totals, Verdict};
use crate::cli::changes::{self, MOST};
use crate::cli::json::{self, Array};
use crate::cli::output::{Cell, Output, Tone};
use crate::cli::session::Session;
use crate::domain::diff::Diff;
use crate::domain::id::StateId;
use crate::report::printable;

/// How wide the names may be for what stands behind them to be aligned.
const ALIGNED: usize = 80;

/// Writes pair by pair in one form.
pub(super) enum Form {
    /// A line a pair; the number is how wide the names are.
    Lines(usize),
    /// The totals alone.
    Stat,
    /// A table of the pairs that are not equal; the number says how many there were.
    Markdown(usize),
    Json(Array),
}

impl Form {
    pub(super) fn of(session: &Session, arguments: &Arguments) -> Self {
        if session.voice.json {
            Self::Json(Array::default())
        } else if arguments.stat {
            Self::Stat
        } else if arguments.format == Some(Format::Markdown) {
            Self::Markdown(0)
        } else {
            Self::Lines(0)
        }
    }

    /// Writes what stands before the pairs.
    pub(super) fn begin(
        &mut self,
        session: &mut Session,
        groups: &[Group; 2],
        pairs: &[Pair],
    ) -> io::Result<()> {
        let [left, right] = groups;
        let (a, b) = (left.title(right), right.title(left));
        let out = &mut session.out;
        match self {
            Self::Lines(width) => {
                let widths = pairs.iter().map(|pair| pair.name().width());
                *width = widths.max().unwrap_or_default().min(ALIGNED);
                out.line(Tone::Heading, &format!("A {a} → B {b}"))
            }
            Self::Stat => out.line(Tone::Heading, &format!("A {a} → B {b}")),
            Self::Markdown(_) => writeln!(out, "A {} → B {}", code(&a), code(&b)),
            Self::Json(array) => {
                out.write_all(b"{\"left\":")?;
                left.write(out)?;
                out.write_all(b",\"right\":")?;
                right.write(out)?;
                out.write_all(b",\"pairs\":")?;
                array.begin(out)
            }
        }
    }

    pub(super) fn pair(
        &mut self,
        session: &mut Session,
        pair: &Pair,
        diff: Option<&Diff>,
    ) -> io::Result<()> {
        let out = &mut session.out;
        match self {
            Self::Lines(width) => pair.line(out, diff, *width),
            Self::Stat => Ok(()),
            Self::Markdown(rows) => {
                if pair.verdict == Verdict::Equal {
                    return Ok(());
                }
                *rows += 1;
                if *rows == 1 {
                    write!(
                        out,
                        "\n| | left | right | changes |\n| --- | --- | --- | --- |\n"
                    )?;
                }
                if *rows > MOST {
                    return Ok(());
                }
                pair.row(out, diff)
            }
            Self::Json(array) => {
                array.element(out)?;
                pair.write(out, diff)
            }
        }
    }

    /// Writes what stands behind the pairs.
    pub(super) fn end(&mut self, session: &mut Session, totals: &Totals) -> io::Result<()> {
        let out = &mut session.out;
        let changes = changes::counted(totals.changes, 0);
        match self {
            Self::Lines(_) => out.line(Tone::Plain, &totals.words()),
            Self::Stat => {
                out.line(Tone::Plain, &totals.words())?;
                if changes.is_empty() {
                    return Ok(());
                }
                out.line(Tone::Plain, &changes)
            }
            Self::Markdown(rows) => {
                let rest = rows.saturating_sub(MOST);
                if rest > 0 {
                    writeln!(out, "\n… and {rest} more; `--json` gives them all")?;
                }
                writeln!(out, "\n{}", totals.words())
            }
            Self::Json(array) => {
                array.close(out)?;
                writeln!(out, ",\"equal\":{}}}", totals.all_equal())
            }
        }
    }
}

impl Group {
    /// Names the group, with its source when the other is of another one.
    fn title(&self, other: &Self) -> String {
        let source = &self.source.open.source;
        let title = match (self.is_whole, *source == other.source.open.source) {
            (true, _) => format!("{source}::"),
            (false, true) => self.pattern.as_str().to_owned(),
            (false, false) => format!("{source}::{}", self.pattern.as_str()),
        };
        printable(&title)
    }

    fn write(&self, out: &mut Output) -> io::Result<()> {
        out.write_all(b"{\"source\":")?;
        json::write(out, &&*self.source.open.source)?;
        out.write_all(b",\"pattern\":")?;
        json::write(out, &(!self.is_whole).then(|| self.pattern.as_str()))?;
        out.write_all(b"}")
    }
}

impl Pair {
    /// Names the pair: by one ID where both have the same.
    fn name(&self) -> String {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) if left != right => format!("{left} → {right}"),
            (Some(id), _) | (None, Some(id)) => id.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Says what became of it, in words.
    fn words(&self, diff: Option<&Diff>) -> String {
        match self.verdict {
            Verdict::Equal => String::new(),
            Verdict::Different => {
                diff.map_or_else(String::new, |diff| changes::counted(diff.counts(), 0))
            }
            Verdict::OnlyLeft => "only left".to_owned(),
            Verdict::OnlyRight => "only right".to_owned(),
            Verdict::Unknown => "cannot be compared".to_owned(),
        }
    }

    fn mark(&self) -> &'static str {
        match self.verdict {
            Verdict::Equal => "=",
            Verdict::Different => "≠",
            Verdict::OnlyLeft => "-",
            Verdict::OnlyRight => "+",
            Verdict::Unknown => "?",
        }
    }

    fn line(&self, out: &mut Output, diff: Option<&Diff>, width: usize) -> io::Result<()> {
        let back = diff.is_some_and(|diff| diff.counts().back > 0);
        let tone = match self.verdict {
            _ if back => Tone::Warning,
            Verdict::Equal => Tone::Faint,
            Verdict::Different => Tone::Plain,
            Verdict::OnlyLeft | Verdict::Unknown => Tone::Bad,
            Verdict::OnlyRight => Tone::Good,
        };
        let cells = [
            Cell::new(self.mark()).tone(tone),
            Cell::new(self.name()).gap(" ").tone(tone),
            Cell::new(self.words(diff)).tone(tone),
        ];
        out.row(&cells, &[1, width, 0])
    }

    fn row(&self, out: &mut Output, diff: Option<&Diff>) -> io::Result<()> {
        let id = |id: &Option<StateId>| {
            id.as_ref()
                .map_or_else(String::new, |id| code(&id.to_string()))
        };
        let (left, right) = (id(&self.left), id(&self.right));
        writeln!(
            out,
            "| {} | {left} | {right} | {} |",
            self.mark(),
            self.words(diff)
        )
    }

    fn write(&self, out: &mut Output, diff: Option<&Diff>) -> io::Result<()> {
        let id = |id: &Option<StateId>| id.as_ref().map(|id| id.as_str().to_owned());
        out.write_all(b"{\"left\":")?;
        json::write(out, &id(&self.left))?;
        out.write_all(b",\"right\":")?;
        json::write(out, &id(&self.right))?;
        let (equal, only) = match self.verdict {
            Verdict::Equal => ("true", "null"),
            Verdict::Different => ("false", "null"),
            Verdict::OnlyLeft => ("false", "\"left\""),
            Verdict::OnlyRight => ("false", "\"right\""),
            Verdict::Unknown => ("null", "null"),
        };
        write!(out, ",\"equal\":{equal},\"only\":{only},\"changes\":")?;
        match (self.verdict, diff) {
            (_, Some(diff)) => answer::write_changes(out, diff)?,
            (Verdict::Equal, None) => out.write_all(b"[]")?,
            (_, None) => out.write_all(b"null")?,
        }
        out.write_all(b"}")
    }
}
