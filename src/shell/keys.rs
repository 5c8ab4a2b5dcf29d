//! Translates what the terminal sends.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Position, Size};

use crate::domain::ui::{Key, KeyPress};
use crate::tui::{Message, Mouse};

/// Makes a message of an event; `None` for one that means nothing here.
pub fn message(event: &Event) -> Option<Message> {
    match event {
        Event::Key(event) => press(event).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text.clone())),
        Event::Resize(width, height) => Some(Message::Resize(Size::new(*width, *height))),
        Event::Mouse(event) => mouse(*event),
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn mouse(event: MouseEvent) -> Option<Message> {
    let does = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Mouse::Click,
        MouseEventKind::ScrollUp => Mouse::WheelUp,
        MouseEventKind::ScrollDown => Mouse::WheelDown,
        _ => return None,
    };
    let at = Position::new(event.column, event.row);
    Some(Message::Mouse { does, at })
}

fn press(event: &KeyEvent) -> Option<KeyPress> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let key = match event.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    };
    Some(KeyPress {
        key,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_keep_what_is_held_and_releases_are_dropped() {
        let mut event = KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL);
        assert_eq!(press(&event), Some(KeyPress::ctrl('d')));
        event.kind = KeyEventKind::Release;
        assert_eq!(press(&event), None);
        let shifted = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(press(&shifted), Some(KeyPress::char('G')));
    }
}
