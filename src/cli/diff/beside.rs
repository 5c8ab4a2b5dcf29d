//! A diff in two columns.

use std::io::{self, Write as _};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Side;
use super::text::{self, title};
use crate::cli::changes::{self, MOST};
use crate::cli::output::{Output, Tone};
use crate::cli::session::Session;
use crate::domain::diff::{Change, ChangeKind, Diff};
use crate::domain::json::Node;
use crate::report::printable;

/// How wide the answer is where neither a terminal nor `COLUMNS` says.
const WIDTH: usize = 100;

/// Two columns in less room show nothing.
const NARROWEST: usize = 60;

/// How many lines of one value are shown.
const TALLEST: usize = 24;

/// What stands between the columns.
const BETWEEN: &str = " │ ";

/// Writes the place of each change, and below it the left and the right value side by side.
pub(super) fn write(
    session: &mut Session,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    let width = width(session);
    if width < NARROWEST {
        session.voice.note(format_args!(
            "two columns want {NARROWEST} columns of the terminal, and it has {width}; this is --format text"
        ));
        return text::write(session, diff, left, right);
    }
    let titles = [title(session, left, right), title(session, right, left)];
    let out = &mut session.out;
    let column = (width - BETWEEN.width()) / 2;
    let [a, b] = titles.map(|title| wrap(&title, column - "A ".len()));
    let named = |name: &str, lines: Vec<String>| {
        let mut lines = lines.into_iter();
        let first = lines.next().map(|line| format!("{name} {line}"));
        let rest = lines.map(|line| format!("  {line}"));
        first.into_iter().chain(rest).collect::<Vec<_>>()
    };
    columns(
        out,
        column,
        [&named("A", a), &named("B", b)],
        [Tone::Heading; 2],
    )?;
    out.line(Tone::Plain, &changes::summary(diff))?;
    for change in diff.changes.iter().take(MOST) {
        change_beside(out, diff, change, width)?;
    }
    let rest = diff.changes.len().saturating_sub(MOST);
    if rest > 0 {
        writeln!(out, "… and {rest} more; --json gives them all")?;
    }
    Ok(())
}

/// Gives the terminal's width; where there is none, what `COLUMNS` says.
fn width(session: &Session) -> usize {
    let told = || session.surroundings.variables.get("COLUMNS")?.parse().ok();
    session.out.width().or_else(told).unwrap_or(WIDTH)
}

fn change_beside(out: &mut Output, diff: &Diff, change: &Change, width: usize) -> io::Result<()> {
    let place = printable(&change.place.to_string());
    let moved = changes::moved(change);
    let apart = if change.kind == ChangeKind::Respelled {
        "the same, spelled otherwise"
    } else {
        &moved
    };
    let head = [place.as_str(), apart].join("   ");
    out.write_all(b"\n")?;
    for line in wrap(head.trim_end(), width) {
        out.line(Tone::Heading, &line)?;
    }
    let column = (width - BETWEEN.width()) / 2;
    if change.kind == ChangeKind::Reordered {
        let note = diff.after(change).map(changes::reordered);
        return out.line(Tone::Plain, &note.unwrap_or_default());
    }
    let shown =
        |node: Option<Node<'_>>| node.map_or_else(Vec::new, |node| value(diff, node, column));
    let (before, after) = (shown(diff.before(change)), shown(diff.after(change)));
    let tone = changes::tone(change);
    columns(out, column, [&before, &after], [tone; 2])
}

/// Writes lines beside lines.
fn columns(
    out: &mut Output,
    column: usize,
    lines: [&[String]; 2],
    tones: [Tone; 2],
) -> io::Result<()> {
    let [left, right] = lines;
    for at in 0..left.len().max(right.len()) {
        let line = |side: &[String]| side.get(at).cloned().unwrap_or_default();
        let (left, right) = (line(left), line(right));
        out.toned(tones[0], &left)?;
        let padding = column.saturating_sub(left.width());
        write!(out, "{:padding$}{}", "", BETWEEN.trim_end())?;
        if !right.is_empty() {
            out.write_all(b" ")?;
            out.toned(tones[1], &right)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a value in lines of a width: what is in an array or object on lines of its own.
fn value(diff: &Diff, node: Node<'_>, width: usize) -> Vec<String> {
    let lines = if node.is_container() {
        spread(node.raw(), TALLEST + 1)
    } else {
        vec![changes::value(diff, node)]
    };
    let lines = lines.iter().flat_map(|line| wrap(line, width));
    let mut lines: Vec<String> = lines.take(TALLEST + 1).collect();
    if lines.len() > TALLEST {
        lines.truncate(TALLEST - 1);
        lines.push(format!(
            "… ({} in all)",
            if node.is_container() {
                changes::contents(node)
            } else {
                format!("{} bytes", node.raw().len())
            }
        ));
    }
    lines
}

/// Lays JSON text out in at most so many lines, its tokens as they are spelled.
fn spread(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    let mut opened = false;
    for c in text.chars() {
        if lines.len() > most {
            break;
        }
        if !in_string && c.is_ascii_whitespace() {
            continue;
        }
        let closes = !in_string && matches!(c, '}' | ']');
        depth -= usize::from(closes && depth > 0);
        if opened != closes && (opened || closes) {
            lines.push("  ".repeat(depth));
        }
        opened = !in_string && matches!(c, '{' | '[');
        depth += usize::from(opened);
        if let Some(line) = lines.last_mut() {
            line.push_str(&printable(c.encode_utf8(&mut [0; 4])));
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_string,
            '"' => in_string = !in_string,
            ',' if !in_string => lines.push("  ".repeat(depth)),
            ':' if !in_string => {
                if let Some(line) = lines.last_mut() {
                    line.push(' ');
                }
            }
            _ => {}
        }
    }
    lines
}

/// Breaks a text into lines that are no wider than this; an empty text is one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide > width {
            lines.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("abcdef", 4, &["abcd", "ef"])]
    #[case("日本語", 5, &["日本", "語"])]
    #[case("", 5, &[""])]
    fn lines_are_broken_by_width(#[case] text: &str, #[case] width: usize, #[case] want: &[&str]) {
        assert_eq!(wrap(text, width), want);
    }

    #[rstest]
    #[case("[]", &["[]"])]
    #[case(r#"{"a":1e5,"b":[ ],"c":{"d":"x, {y}\""}}"#,
        &["{", "  \"a\": 1e5,", "  \"b\": [],", "  \"c\": {", "    \"d\": \"x, {y}\\\"\"", "  }", "}"])]
    #[case("[[1,2]]", &["[", "  [", "    1,", "    2", "  ]", "]"])]
    fn values_are_spread_over_lines(#[case] text: &str, #[case] want: &[&str]) {
        assert_eq!(spread(text, 100), want);
    }
}
