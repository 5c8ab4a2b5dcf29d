//! A diff for a pull request or a note: Markdown as GitHub and GitLab read it.

use std::io::{self, Write};

use super::Side;
use super::text::title;
use crate::cli::changes::{self, MOST};
use crate::cli::output::elide;
use crate::cli::session::Session;
use crate::domain::diff::{Change, ChangeKind, Diff};
use crate::report::printable;

/// How many columns of a value are shown.
const LONGEST: usize = 120;

/// Writes the two sides, the counts, and a table of the changes.
pub(super) fn write(
    session: &mut Session,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    let (a, b) = (title(session, left, right), title(session, right, left));
    let out = &mut session.out;
    writeln!(out, "A {} → B {}\n", code(&a), code(&b))?;
    writeln!(out, "{}", changes::summary(diff))?;
    if diff.is_equal() {
        return Ok(());
    }
    write!(
        out,
        "\n| | where | before | after | moved |\n| --- | --- | --- | --- | --- |\n"
    )?;
    for change in diff.changes.iter().take(MOST) {
        row(out, diff, change)?;
    }
    let rest = diff.changes.len().saturating_sub(MOST);
    if rest > 0 {
        writeln!(out, "\n… and {rest} more; `--json` gives them all")?;
    }
    Ok(())
}

fn row(out: &mut impl Write, diff: &Diff, change: &Change) -> io::Result<()> {
    let shown = |node| code(&elide(&changes::value(diff, node), LONGEST));
    let mut before = diff.before(change).map(shown);
    let mut after = diff.after(change).map(shown);
    if change.kind == ChangeKind::Reordered {
        before = None;
        after = diff.after(change).map(changes::reordered);
    }
    writeln!(
        out,
        "| {} | {} | {} | {} | {} |",
        changes::what(change),
        code(&printable(&change.place.to_string())),
        before.unwrap_or_default(),
        after.unwrap_or_default(),
        changes::moved(change),
    )
}

/// Writes a printable text so that it is shown as it is, in a table too: nothing in it is markup, a link or a mention.
///
/// In a code span nothing is markup but the backtick that ends it, and in a table the bar. A text with one of them stands in a
/// `code` element, each of its signs as a reference to a character, and so does one whose last backslash would stand before
/// the backtick.
pub(super) fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    if !text.contains(['`', '|']) && !text.ends_with('\\') && text.trim() == text {
        return format!("`{text}`");
    }
    let mut out = "<code>".to_owned();
    for c in text.chars() {
        if c.is_ascii_punctuation() && !"-,=+".contains(c) {
            out.extend(format!("&#{};", u32::from(c)).chars());
        } else {
            out.push(c);
        }
    }
    out.push_str("</code>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", "")]
    #[case("2026-11-30T00:00:00Z", "`2026-11-30T00:00:00Z`")]
    #[case(
        "<img src=x> @me [a](http://b) **c**",
        "`<img src=x> @me [a](http://b) **c**`"
    )]
    #[case("a|b", "<code>a&#124;b</code>")]
    #[case(r"a\|b", "<code>a&#92;&#124;b</code>")]
    #[case("`<b>`", "<code>&#96;&#60;b&#62;&#96;</code>")]
    #[case(
        "`www.x https://y @me",
        "<code>&#96;www&#46;x https&#58;&#47;&#47;y &#64;me</code>"
    )]
    #[case(r"a\nb", r"`a\nb`")]
    #[case(r"a\", "<code>a&#92;</code>")]
    #[case(" a", "<code> a</code>")]
    fn nothing_in_a_text_is_markup(#[case] text: &str, #[case] want: &str) {
        assert_eq!(code(text), want);
    }
}
