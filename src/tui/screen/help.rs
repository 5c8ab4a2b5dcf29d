//! The overlay that shows every key, and what the marks mean.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

use crate::domain::mark::MARKS;
use crate::domain::ui::Role;
use crate::tui::command::{self, Context, Step};
use crate::tui::model::Model;
use crate::tui::screen::jobs::lines;
use crate::tui::text::{Line, width};
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::frame;

/// How wide the overlay is where there is room.
const COLUMNS: u16 = 62;

/// How wide the column of keys is.
const KEYS: usize = 17;

/// Places the overlay in the middle, with the first and the last two lines of the screen free where it is high enough.
fn area(size: Size) -> Rect {
    let (top, room) = if size.height >= 10 {
        (1, size.height - 3)
    } else {
        (0, size.height)
    };
    let wanted = u16::try_from(content(size).len() + 2).unwrap_or(u16::MAX);
    let (width, height) = (COLUMNS.min(size.width), wanted.min(room));
    Rect::new(
        (size.width - width) / 2,
        top + (room - height) / 2,
        width,
        height,
    )
}

fn page(size: Size) -> usize {
    usize::from(area(size).height.saturating_sub(2))
}

/// Scrolls.
pub fn step(cursor: &mut Cursor, step: Step, size: Size) {
    let further = content(size).len().saturating_sub(page(size)) + 1;
    cursor.step(step, further, page(size));
}

/// Brings what is shown in line with the size of the screen.
pub fn settle(cursor: &mut Cursor, size: Size) {
    let further = content(size).len().saturating_sub(page(size)) + 1;
    cursor.settle(further, 1);
}

fn content(size: Size) -> Vec<Line> {
    let keys = KEYS.min(usize::from(size.width) / 3);
    let sections = [
        (
            "everywhere",
            &[Context::Jobs, Context::State, Context::Json, Context::Diff][..],
        ),
        ("jobs", &[Context::Jobs]),
        ("the filter", &[Context::Field]),
        ("a job", &[Context::State, Context::Json, Context::Diff]),
        ("its state", &[Context::State, Context::Json]),
        ("its state as a tree", &[Context::State]),
        ("the search", &[Context::Search]),
        ("copy", &[Context::Copy]),
        ("its diff", &[Context::Diff]),
    ];
    let mut told: Vec<usize> = Vec::new();
    let mut content = Vec::new();
    for (title, contexts) in sections {
        let before = content.len();
        for (place, entry) in command::COMMANDS.iter().enumerate() {
            let here = contexts
                .iter()
                .all(|context| entry.contexts.contains(context));
            if !here || told.contains(&place) {
                continue;
            }
            told.push(place);
            if content.len() == before {
                content.push(Line::of(title, Role::Title));
            }
            let named: Vec<_> = entry.keys.iter().map(ToString::to_string).collect();
            let named = named.join("  ");
            let mut line = Line::of("  ", Role::Text).with(&named, Role::Key);
            line.pad_to((keys + 2).max(width(&named) + 4));
            content.push(line.with(entry.about, Role::Text));
        }
    }
    content.push(Line::of("marks", Role::Title));
    for mark in MARKS {
        let mut line = Line::of("  ", Role::Text).with(mark.sign, mark.role);
        line.pad_to(keys + 2);
        content.push(line.with(mark.about, Role::Text));
    }
    content
}

/// Draws the overlay over everything.
pub fn view(model: &Model, cursor: Cursor, buffer: &mut Buffer) {
    let area = area(model.size).intersection(buffer.area);
    let blank = Line::of(" ".repeat(usize::from(area.width)), Role::Text);
    for row in lines(area) {
        buffer.set_style(row, ratatui::style::Style::reset());
        blank.draw(row, buffer, model.theme);
    }
    let content = content(model.size);
    let inside = frame::inside(area);
    let last = content.len().min(cursor.top + usize::from(inside.height));
    let place = Line::of(
        format!("{}–{last} of {}", cursor.top + 1, content.len()),
        Role::Quiet,
    );
    let all = content.len() <= usize::from(inside.height);
    let right = if all { Line::new() } else { place };
    frame::draw(
        area,
        Line::of("Keys", Role::Title),
        right,
        true,
        model.theme,
        buffer,
    );
    for (row, line) in lines(inside).zip(content.iter().skip(cursor.top)) {
        line.draw(row, buffer, model.theme);
    }
}
