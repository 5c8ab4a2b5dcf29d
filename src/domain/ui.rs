//! Key presses and looks, as values: what a configuration names, a terminal sends, and a screen uses.

use std::fmt;

use jiff::tz::TimeZone;

/// Names a key, whatever terminal it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character, with shift already applied.
    Char(char),
    /// The return key.
    Enter,
    /// The escape key.
    Esc,
    /// The tabulator.
    Tab,
    /// The tabulator with shift.
    BackTab,
    /// Deletes before the cursor.
    Backspace,
    /// Deletes behind the cursor.
    Delete,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// Goes to the beginning.
    Home,
    /// Goes to the end.
    End,
    /// Goes a page up.
    PageUp,
    /// Goes a page down.
    PageDown,
}

/// Holds one press of a key with what was held down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyPress {
    /// The key.
    pub key: Key,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
}

impl KeyPress {
    /// Makes a press of a key alone.
    pub const fn of(key: Key) -> Self {
        Self {
            key,
            ctrl: false,
            alt: false,
        }
    }

    /// Makes a press of a character alone.
    pub const fn char(c: char) -> Self {
        Self::of(Key::Char(c))
    }

    /// Makes a press of a character with Ctrl.
    pub const fn ctrl(c: char) -> Self {
        Self {
            key: Key::Char(c),
            ctrl: true,
            alt: false,
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        f.write_str(match self.key {
            Key::Char(' ') => "Space",
            Key::Char(c) => {
                return f.write_str(&crate::report::printable(c.encode_utf8(&mut [0; 4])));
            }
            Key::Enter => "Enter",
            Key::Esc => "Esc",
            Key::Tab => "Tab",
            Key::BackTab => "Shift-Tab",
            Key::Backspace => "Backspace",
            Key::Delete => "Delete",
            Key::Up => "Up",
            Key::Down => "Down",
            Key::Left => "Left",
            Key::Right => "Right",
            Key::Home => "Home",
            Key::End => "End",
            Key::PageUp => "PgUp",
            Key::PageDown => "PgDn",
        })
    }
}

/// Names one of the terminal's own colours; how it looks is the user's choice, not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Color {
    /// Failed, gone back, removed.
    Red,
    /// Went well, added.
    Green,
    /// Wants attention.
    Yellow,
    /// Where the focus is.
    Blue,
    /// Done by hand.
    Magenta,
    /// Happening now.
    Cyan,
}

/// Says how a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Look {
    /// The colour; `None`: the terminal's own foreground.
    pub color: Option<Color>,
    /// Whether it stands out.
    pub bold: bool,
    /// Whether it steps back.
    pub dim: bool,
    /// Whether foreground and background are exchanged.
    pub reversed: bool,
}

/// Names what a piece of a screen is; a theme says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Text like any other.
    Text,
    /// What is there to be found, not to be read: labels, ages, counts.
    Quiet,
    /// What a pane, or the screen, is about.
    Title,
    /// A frame around a pane.
    Border,
    /// A frame around the pane that the keys go to.
    Focus,
    /// The line under the cursor, in the pane that the keys go to.
    Cursor,
    /// The line under the cursor, in another pane.
    Selected,
    /// A key in a list of keys.
    Key,
    /// A run that went well, a source that answers.
    Good,
    /// A run that failed, a source that does not answer, an error.
    Bad,
    /// What is going on now.
    Busy,
    /// An edit by hand.
    Edit,
    /// What wants attention.
    Warning,
    /// A value that went back.
    Back,
    /// Text that was searched for.
    Match,
    /// What is only on the right of a diff.
    Added,
    /// What is only on the left of a diff.
    Removed,
}

/// Holds what a person chose of how things are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// Whether colours are wanted.
    pub colour: bool,
}

/// Says how each role looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's own 16 colours.
    Ansi,
    /// No colour at all: bold, dim and reversed alone.
    Plain,
}

impl Theme {
    /// Gives the look of a role.
    pub fn look(self, role: Role) -> Look {
        let look = ansi(role);
        match self {
            Self::Ansi => look,
            Self::Plain => Look {
                color: None,
                ..look
            },
        }
    }
}

fn ansi(role: Role) -> Look {
    let none = Look::default();
    let colored = |color| Look {
        color: Some(color),
        ..none
    };
    match role {
        Role::Text => none,
        Role::Quiet | Role::Border => Look { dim: true, ..none },
        Role::Title | Role::Key | Role::Selected => Look { bold: true, ..none },
        Role::Focus => colored(Color::Blue),
        Role::Cursor => Look {
            reversed: true,
            ..none
        },
        Role::Good | Role::Added => colored(Color::Green),
        Role::Bad | Role::Removed => colored(Color::Red),
        Role::Back => Look {
            bold: true,
            ..colored(Color::Red)
        },
        Role::Match => Look {
            bold: true,
            reversed: true,
            ..colored(Color::Yellow)
        },
        Role::Busy => colored(Color::Cyan),
        Role::Edit => colored(Color::Magenta),
        Role::Warning => colored(Color::Yellow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_read_as_people_write_them() {
        let shown = [
            KeyPress::char('j'),
            KeyPress::char('?'),
            KeyPress::char(' '),
            KeyPress::ctrl('d'),
            KeyPress::of(Key::BackTab),
            KeyPress::char('\u{1b}'),
        ]
        .map(|press| press.to_string());
        assert_eq!(shown, ["j", "?", "Space", "Ctrl-d", "Shift-Tab", "\\x1b"]);
    }

    #[test]
    fn the_plain_theme_keeps_everything_but_colour() {
        let look = Theme::Plain.look(Role::Back);
        assert_eq!((look.color, look.bold), (None, true));
    }
}
