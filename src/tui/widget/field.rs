//! A field of one line that keys go to.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::{Input, InputRequest};

use crate::domain::ui::{Key, KeyPress, Role, Theme};
use crate::tui::text::{Line, elide_start, width};

/// Holds the text of a field, and the cursor in it.
#[derive(Debug, Default)]
pub struct Field(Input);

impl Field {
    /// Gives the text.
    pub fn value(&self) -> &str {
        self.0.value()
    }

    /// Empties the field.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// Takes a key in, and tells whether it meant something; keys that no field knows change nothing.
    pub fn edit(&mut self, press: KeyPress) -> bool {
        request(press).is_some_and(|request| self.0.handle(request).is_some())
    }

    /// Takes pasted text in, its line breaks as blanks.
    pub fn paste(&mut self, text: &str) {
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            self.0.handle(InputRequest::InsertChar(c));
        }
    }

    /// Draws the text behind a sign, and something at the right where there is room; gives where the cursor belongs. Of a
    /// text that is too long, what is around the cursor is shown.
    pub fn draw(
        &self,
        sign: &str,
        right: Line,
        area: Rect,
        buffer: &mut Buffer,
        theme: Theme,
    ) -> Option<Position> {
        let value = self.value();
        let place = value.char_indices().nth(self.0.cursor());
        let (before, behind) = place.map_or((value, ""), |(at, _)| value.split_at(at));
        let lead = width(sign) + 1;
        let room = usize::from(area.width).saturating_sub(lead + 1);
        let before = elide_start(before, room);
        let cursor = lead + width(&before);
        Line::of(sign, Role::Key)
            .with(" ", Role::Text)
            .with(before, Role::Text)
            .with(behind, Role::Text)
            .and_right(right, usize::from(area.width))
            .draw(area, buffer, theme);
        let x = area
            .x
            .saturating_add(u16::try_from(cursor).unwrap_or(u16::MAX));
        (!area.is_empty()).then_some(Position::new(x, area.y))
    }
}

/// Says what a key does in a field of text.
fn request(press: KeyPress) -> Option<InputRequest> {
    Some(match (press.key, press.ctrl, press.alt) {
        (Key::Char(c), false, false) => InputRequest::InsertChar(c),
        (Key::Backspace, false, false) | (Key::Char('h'), true, false) => {
            InputRequest::DeletePrevChar
        }
        (Key::Backspace, ..) | (Key::Char('w'), true, false) => InputRequest::DeletePrevWord,
        (Key::Delete, false, false) => InputRequest::DeleteNextChar,
        (Key::Left, false, false) | (Key::Char('b'), true, false) => InputRequest::GoToPrevChar,
        (Key::Right, false, false) | (Key::Char('f'), true, false) => InputRequest::GoToNextChar,
        (Key::Left, ..) | (Key::Char('b'), false, true) => InputRequest::GoToPrevWord,
        (Key::Right, ..) | (Key::Char('f'), false, true) => InputRequest::GoToNextWord,
        (Key::Home, ..) | (Key::Char('a'), true, false) => InputRequest::GoToStart,
        (Key::End, ..) | (Key::Char('e'), true, false) => InputRequest::GoToEnd,
        (Key::Char('u'), true, false) => InputRequest::DeleteFromStart,
        (Key::Char('k'), true, false) => InputRequest::DeleteTillEnd,
        (Key::Char('y'), true, false) => InputRequest::Yank,
        _ => return None,
    })
}
