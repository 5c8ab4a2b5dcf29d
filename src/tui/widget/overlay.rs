//! Lines in a frame over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

use crate::domain::ui::{Role, Theme};
use crate::tui::command::Step;
use crate::tui::screen::jobs::lines;
use crate::tui::text::Line;
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::frame;

/// How wide an overlay is where there is room.
const COLUMNS: u16 = 62;

/// Places an overlay of so many lines in the middle, with the first and the last two lines of the screen free where it is high
/// enough.
pub fn area(size: Size, lines: usize) -> Rect {
    let (top, room) = if size.height >= 10 {
        (1, size.height - 3)
    } else {
        (0, size.height)
    };
    let wanted = u16::try_from(lines + 2).unwrap_or(u16::MAX);
    let (width, height) = (COLUMNS.min(size.width), wanted.min(room));
    Rect::new(
        (size.width - width) / 2,
        top + (room - height) / 2,
        width,
        height,
    )
}

/// Gives how many cells wide a line is inside.
pub fn columns(size: Size) -> usize {
    usize::from(COLUMNS.min(size.width)).saturating_sub(2)
}

/// Gives how many of so many lines are on the screen.
pub fn page(size: Size, lines: usize) -> usize {
    usize::from(area(size, lines).height.saturating_sub(2))
}

/// Scrolls.
pub fn step(cursor: &mut Cursor, step: Step, size: Size, lines: usize) {
    let page = page(size, lines);
    cursor.step(step, lines.saturating_sub(page) + 1, page);
}

/// Brings what is shown in line with the size of the screen.
pub fn settle(cursor: &mut Cursor, size: Size, lines: usize) {
    cursor.settle(lines.saturating_sub(page(size, lines)) + 1, 1);
}

/// Empties an area of the screen and draws a frame around it; gives what is inside.
pub fn clear(area: Rect, title: &str, right: Line, theme: Theme, buffer: &mut Buffer) -> Rect {
    let area = area.intersection(buffer.area);
    let blank = Line::of(" ".repeat(usize::from(area.width)), Role::Text);
    for row in lines(area) {
        buffer.set_style(row, Style::reset());
        blank.draw(row, buffer, theme);
    }
    frame::draw(
        area,
        Line::of(title, Role::Title),
        right,
        true,
        theme,
        buffer,
    );
    frame::inside(area)
}

/// Draws lines over everything, from the first that is on the screen.
pub fn view(
    title: &str,
    content: &[Line],
    cursor: Cursor,
    size: Size,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let height = page(size, content.len());
    let last = content.len().min(cursor.top + height);
    let place = Line::of(
        format!("{}–{last} of {}", cursor.top + 1, content.len()),
        Role::Quiet,
    );
    let right = if content.len() <= height {
        Line::new()
    } else {
        place
    };
    let inside = clear(area(size, content.len()), title, right, theme, buffer);
    for (row, line) in lines(inside).zip(content.iter().skip(cursor.top)) {
        line.draw(row, buffer, theme);
    }
}
