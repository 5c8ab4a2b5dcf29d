//! A diff for people.

use std::io::{self, Write as _};

use unicode_width::UnicodeWidthStr;

use super::Side;
use crate::cli::changes::{self, MOST};
use crate::cli::output::Tone;
use crate::cli::session::Session;
use crate::domain::diff::Diff;
use crate::report::printable;

/// Writes the two sides, the counts, the changes by stream, and behind them what is only spelled otherwise.
pub(super) fn write(
    session: &mut Session,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    heading(session, left, right)?;
    let out = &mut session.out;
    out.line(Tone::Plain, &changes::summary(diff))?;
    let rest = changes::write(out, diff, MOST)?;
    if rest > 0 {
        writeln!(out, "… and {rest} more; --json gives them all")?;
    }
    Ok(())
}

/// Writes the names of the two sides, on one line where they fit.
pub(super) fn heading(session: &mut Session, left: &Side, right: &Side) -> io::Result<()> {
    let (a, b) = (title(session, left, right), title(session, right, left));
    let out = &mut session.out;
    let sides = format!("A {a} → B {b}");
    if out.width().is_some_and(|width| sides.width() > width) {
        out.line(Tone::Heading, &format!("A {a}"))?;
        out.line(Tone::Heading, &format!("B {b}"))
    } else {
        out.line(Tone::Heading, &sides)
    }
}

/// Names a side so that it can be named so again, with the source when the other is from elsewhere, and its time.
pub(super) fn title(session: &Session, side: &Side, other: &Side) -> String {
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
