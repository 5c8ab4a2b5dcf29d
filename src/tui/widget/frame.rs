//! The frame around a pane.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::symbols::line::NORMAL;

use crate::domain::ui::{Role, Theme};
use crate::tui::text::Line;

/// Draws a frame with a title at the left and at the right of its upper edge.
pub fn draw(area: Rect, left: Line, right: Line, focused: bool, theme: Theme, buffer: &mut Buffer) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let role = if focused { Role::Focus } else { Role::Border };
    edge(
        area,
        0,
        (NORMAL.top_left, NORMAL.top_right),
        role,
        theme,
        buffer,
    );
    let bottom = area.height - 1;
    edge(
        area,
        bottom,
        (NORMAL.bottom_left, NORMAL.bottom_right),
        role,
        theme,
        buffer,
    );
    for y in 1..bottom {
        for x in [0, area.width - 1] {
            let cell = Rect::new(area.x + x, area.y + y, 1, 1);
            Line::of(NORMAL.vertical, role).draw(cell, buffer, theme);
        }
    }
    titles(row(area, 0), left, right, theme, buffer);
}

/// Draws a line across a frame, with a title at its left and right.
pub fn divide(
    area: Rect,
    y: u16,
    titled: (Line, Line),
    focused: bool,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let role = if focused { Role::Focus } else { Role::Border };
    edge(
        area,
        y,
        (NORMAL.vertical_right, NORMAL.vertical_left),
        role,
        theme,
        buffer,
    );
    titles(row(area, y), titled.0, titled.1, theme, buffer);
}

/// Gives what a frame leaves free.
pub fn inside(area: Rect) -> Rect {
    area.inner(Margin::new(1, 1))
}

fn row(area: Rect, y: u16) -> Rect {
    Rect {
        y: area.y + y,
        height: 1,
        ..area
    }
}

fn edge(area: Rect, y: u16, ends: (&str, &str), role: Role, theme: Theme, buffer: &mut Buffer) {
    let between = NORMAL
        .horizontal
        .repeat(usize::from(area.width.saturating_sub(2)));
    Line::of(format!("{}{between}{}", ends.0, ends.1), role).draw(row(area, y), buffer, theme);
}

/// Puts the titles into an edge, the left one first; the right one only where both fit.
fn titles(row: Rect, left: Line, right: Line, theme: Theme, buffer: &mut Buffer) {
    let room = row.inner(Margin::new(1, 0));
    let columns = usize::from(room.width);
    let left = padded(left);
    let right = padded(right);
    let (left_wide, right_wide) = (left.width(), right.width());
    left.draw(room, buffer, theme);
    if right_wide > 0 && left_wide + 1 + right_wide <= columns {
        let offset = u16::try_from(columns - right_wide).unwrap_or(u16::MAX);
        let area = Rect {
            x: room.x.saturating_add(offset),
            width: room.width.saturating_sub(offset),
            ..room
        };
        right.draw(area, buffer, theme);
    }
}

/// Puts a blank around a title, so that it stands off the edge.
fn padded(title: Line) -> Line {
    if title.is_empty() {
        return title;
    }
    let mut padded = Line::of(" ", Role::Text);
    padded.append(title);
    padded.with(" ", Role::Text)
}
