//! Text on a grid of cells: what it shows, how wide that is, and what is left out where it does not fit.
//!
//! Every text that reaches the screen passes through [`Line`], and so through [`printable`]; nothing stored can move the
//! terminal's cursor, and what takes no room at all is written as an escape, so that it cannot hide.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color as Paint, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::domain::json::search::Needle;
use crate::domain::mark::Mark;
use crate::domain::ui::{Color, Look, Role, Theme};
use crate::report::printable;

/// What stands for text that was left out.
const CUT: &str = "…";

/// How many bytes of a text are looked at.
const KEPT: usize = 16 << 10;

/// Gives the pieces of a text as they are shown, each with its width in cells.
fn pieces(text: &str) -> impl Iterator<Item = (String, usize)> {
    text.graphemes(true).map(|grapheme| {
        let mut shown = printable(grapheme);
        let mut wide = shown.width();
        if wide == 0 {
            shown = grapheme.escape_unicode().to_string();
            wide = shown.len();
        }
        (shown, wide)
    })
}

/// Gives how many cells a text takes, or `limit` and more when it takes more than that; looks no further than it must.
pub fn width_up_to(text: &str, limit: usize) -> usize {
    let mut total = 0;
    for (_, width) in pieces(text) {
        total += width;
        if total > limit {
            break;
        }
    }
    total
}

/// Gives how many cells a short text takes.
pub fn width(text: &str) -> usize {
    pieces(text).map(|(_, width)| width).sum()
}

/// Gives the beginning of a text, with an ellipsis behind it when something was left out.
pub fn elide(text: &str, columns: usize) -> String {
    let mut shown = String::new();
    let mut used = 0;
    let mut fits = 0;
    for (piece, width) in pieces(text) {
        if used + width > columns {
            shown.truncate(fits);
            if columns > 0 {
                shown.push_str(CUT);
            }
            return shown;
        }
        shown.push_str(&piece);
        used += width;
        if used < columns {
            fits = shown.len();
        }
    }
    shown
}

/// Gives the beginning and the end of a text, with an ellipsis where something was left out.
pub fn elide_middle(text: &str, columns: usize) -> String {
    if columns < 8 || width_up_to(text, columns) <= columns {
        return elide(text, columns);
    }
    let (tail, used) = ending(text, (columns - 1) * 2 / 5);
    elide(text, columns - used) + &tail
}

/// Gives the end of a text, with an ellipsis before it when something was left out.
pub fn elide_start(text: &str, columns: usize) -> String {
    if width_up_to(text, columns) <= columns {
        return elide(text, columns);
    }
    if columns == 0 {
        return String::new();
    }
    format!("{CUT}{}", ending(text, columns - 1).0)
}

/// Gives as much of the end of a text as fits, and how many cells that takes.
fn ending(text: &str, columns: usize) -> (String, usize) {
    let mut tail = Vec::new();
    let mut used = 0;
    for (piece, width) in text
        .graphemes(true)
        .rev()
        .filter_map(|one| pieces(one).next())
    {
        if used + width > columns {
            break;
        }
        used += width;
        tail.push(piece);
    }
    tail.reverse();
    (tail.concat(), used)
}

/// Breaks a text between words into lines that fit; a word that is wider than a line is broken too.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let kept = &text[..text.floor_char_boundary(KEPT)];
    let mut lines: Vec<String> = Vec::new();
    for word in kept.split_whitespace() {
        let behind = lines.last().map_or(columns, |line| width(line) + 1);
        let left = columns.saturating_sub(behind);
        match lines.last_mut() {
            Some(line) if width_up_to(word, left) <= left => {
                line.push(' ');
                line.push_str(&elide(word, left));
            }
            _ => lines.extend(broken(word, columns)),
        }
    }
    lines
}

/// Breaks a text anywhere into lines that fit.
pub fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left = 0;
    for (piece, wide) in pieces(text) {
        match lines.last_mut() {
            Some(line) if wide <= left => line.push_str(&piece),
            _ => {
                lines.push(piece);
                left = columns;
            }
        }
        left = left.saturating_sub(wide);
    }
    lines
}

/// Gives the style that a theme has for a role.
pub fn style(theme: Theme, role: Role) -> Style {
    let Look {
        color,
        bold,
        dim,
        reversed,
    } = theme.look(role);
    let mut style = Style::new();
    if let Some(color) = color {
        style = style.fg(match color {
            Color::Red => Paint::Red,
            Color::Green => Paint::Green,
            Color::Yellow => Paint::Yellow,
            Color::Blue => Paint::Blue,
            Color::Magenta => Paint::Magenta,
            Color::Cyan => Paint::Cyan,
        });
    }
    for (on, modifier) in [
        (bold, Modifier::BOLD),
        (dim, Modifier::DIM),
        (reversed, Modifier::REVERSED),
    ] {
        if on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

/// Holds pieces of text that stand one behind the other on a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line(Vec<(String, Role)>);

impl Line {
    /// Begins an empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a line of one piece.
    pub fn of(text: impl AsRef<str>, role: Role) -> Self {
        Self::new().with(text, role)
    }

    /// Adds a piece.
    #[must_use]
    pub fn with(mut self, text: impl AsRef<str>, role: Role) -> Self {
        self.push(text, role);
        self
    }

    /// Adds a piece.
    ///
    /// Of a text of more than 16 KiB, which no screen has room for, only the beginning is kept.
    pub fn push(&mut self, text: impl AsRef<str>, role: Role) {
        let text = text.as_ref();
        if text.is_empty() {
            return;
        }
        let kept = &text[..text.floor_char_boundary(KEPT)];
        let mut kept = kept.to_owned();
        if kept.len() < text.len() {
            kept.push_str(CUT);
        }
        self.0.push((kept, role));
    }

    /// Adds blanks until the line is that wide.
    pub fn pad_to(&mut self, columns: usize) {
        let missing = columns.saturating_sub(self.width());
        self.push(" ".repeat(missing), Role::Text);
    }

    /// Adds a text in a column of its own: elided to it, and followed by blanks.
    pub fn column(&mut self, text: impl AsRef<str>, role: Role, columns: usize) {
        let end = self.width() + columns;
        self.push(elide(text.as_ref(), columns), role);
        self.pad_to(end);
    }

    /// Adds a text at the right edge of a column of its own.
    pub fn column_right(&mut self, text: impl AsRef<str>, role: Role, columns: usize) {
        let shown = elide(text.as_ref(), columns);
        self.pad_to(self.width() + columns.saturating_sub(width(&shown)));
        self.push(shown, role);
    }

    /// Adds another line's pieces as far as they fit into so many cells, with an ellipsis where they do not.
    pub fn fit(&mut self, other: Self, columns: usize) {
        let mut left = columns;
        let mut rest = other.0.into_iter().peekable();
        while let Some((text, role)) = rest.next() {
            let wide = width_up_to(&text, left);
            if wide > left || (wide == left && rest.peek().is_some()) {
                self.push(elide(&format!("{text} {CUT}"), left), role);
                return;
            }
            left -= wide;
            self.push(text, role);
        }
    }

    /// Gives the same line with every place of a text in it in a look of its own.
    #[must_use]
    pub fn highlighted(self, needle: &Needle) -> Self {
        let mut line = Self::new();
        for (text, role) in self.0 {
            let mut rest = text.as_str();
            while let Some(found) = needle.find(rest) {
                line.push(&rest[..found.start], role);
                line.push(&rest[found.clone()], Role::Match);
                rest = &rest[found.end..];
            }
            line.push(rest, role);
        }
        line
    }

    /// Adds another line's pieces.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Puts `right` at the right edge of `columns`, when both have room with a blank between them; else leaves it out.
    #[must_use]
    pub fn and_right(mut self, right: Self, columns: usize) -> Self {
        let wide = right.width();
        if self.width() + 1 + wide <= columns {
            self.pad_to(columns - wide);
            self.append(right);
        }
        self
    }

    /// Gives how many cells it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| width(text)).sum()
    }

    /// Gives the text alone.
    #[cfg(test)]
    pub fn text(&self) -> String {
        self.0.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// Tells whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Draws the line into the first row of an area, with an ellipsis where it does not fit.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.draw_over(area, buffer, theme, None);
    }

    /// Draws the line as [`Self::draw`] does, with a look over the whole row; that of the cursor leaves no other.
    pub fn draw_over(&self, area: Rect, buffer: &mut Buffer, theme: Theme, over: Option<Role>) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let mut x = area.x;
        let plain = Style::reset();
        let mut fitted = Self::new();
        fitted.fit(self.clone(), usize::from(area.width));
        for (text, role) in &fitted.0 {
            let left = usize::from(area.right() - x);
            let shown = elide(text, left);
            (x, _) = buffer.set_stringn(x, area.y, &shown, left, plain.patch(style(theme, *role)));
        }
        if let Some(role) = over {
            let row = Rect { height: 1, ..area };
            let whole = if role == Role::Cursor {
                plain
            } else {
                Style::new()
            };
            buffer.set_style(row, whole.patch(style(theme, role)));
        }
    }
}

/// Writes a sentence behind a mark, in as many lines as it takes.
pub fn paragraph(mark: Mark, text: &str, columns: usize) -> Vec<Line> {
    let wrapped = wrap(text, columns.saturating_sub(2)).into_iter();
    let signs = std::iter::once(mark.sign).chain(std::iter::repeat(" "));
    signs
        .zip(wrapped)
        .map(|(sign, text)| Line::of(format!("{sign} {text}"), mark.role))
        .collect()
}

/// Writes a sentence behind a mark, in two lines at most.
pub fn note(mark: Mark, text: &str, columns: usize) -> Vec<Line> {
    let wrapped = wrap(text, columns.saturating_sub(2));
    let mut lines = wrapped.iter();
    let first = Line::of(mark.sign, mark.role).with(" ", Role::Text);
    let mut noted: Vec<Line> = lines
        .next()
        .map(|text| first.with(text, mark.role))
        .into_iter()
        .collect();
    let rest: Vec<&str> = lines.map(String::as_str).collect();
    if !rest.is_empty() {
        noted.push(Line::of("  ", Role::Text).with(rest.join(" "), mark.role));
    }
    noted
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("abc", 3, "abc")]
    #[case("abcd", 3, "ab…")]
    #[case("日本語", 6, "日本語")]
    #[case("日本語", 5, "日本…")]
    #[case("日本語", 4, "日…")]
    #[case("日本語", 1, "…")]
    #[case("abc", 0, "")]
    #[case("", 0, "")]
    #[case("a\u{1b}[31mb", 20, "a\\x1b[31mb")]
    #[case("a\u{200b}b", 20, "a\\u{200b}b")]
    #[case("🚀🚀", 3, "🚀…")]
    #[case("e\u{301}x", 2, "e\u{301}x")]
    fn the_end_is_elided(#[case] text: &str, #[case] columns: usize, #[case] want: &str) {
        assert_eq!(elide(text, columns), want);
    }

    #[rstest]
    #[case(
        "prod:tap-github-to-target-snowflake",
        35,
        "prod:tap-github-to-target-snowflake"
    )]
    #[case("prod:tap-github-to-target-snowflake", 20, "prod:tap-git…owflake")]
    #[case("日本語日本語日本語", 10, "日本語…語")]
    #[case("abcdefghijkl", 7, "abcdef…")]
    fn the_middle_is_elided(#[case] text: &str, #[case] columns: usize, #[case] want: &str) {
        let shown = elide_middle(text, columns);
        assert_eq!(shown, want);
        assert!(width(&shown) <= columns);
    }

    #[test]
    fn words_wrap_and_long_ones_are_broken() {
        assert_eq!(
            wrap("one two  three-four 5", 7),
            ["one two", "three-f", "our 5"]
        );
        assert_eq!(wrap("日本語日本語", 7), ["日本語", "日本語"]);
        assert!(wrap(" ", 7).is_empty());
        assert_eq!(elide_start("abcdef", 4), "…def");
        assert_eq!(elide_start("日本語", 4), "…語");
    }

    #[test]
    fn a_line_that_does_not_fit_says_so() {
        let area = Rect::new(0, 0, 6, 1);
        let mut buffer = Buffer::empty(area);
        Line::of("abc", Role::Text)
            .with("def", Role::Quiet)
            .with("g", Role::Text)
            .draw(area, &mut buffer, Theme::Plain);
        assert_eq!(buffer, Buffer::with_lines(["abcde…"]).dimmed());
    }

    trait Dimmed {
        fn dimmed(self) -> Self;
    }

    impl Dimmed for Buffer {
        fn dimmed(mut self) -> Self {
            self.set_style(Rect::new(3, 0, 3, 1), style(Theme::Plain, Role::Quiet));
            self
        }
    }
}
