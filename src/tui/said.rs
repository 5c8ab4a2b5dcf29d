//! What was said to the user: the newest on the status line until a key is pressed, and all of it, for later.

use jiff::Timestamp;

use crate::domain::ui::Role;

/// How many sentences are kept; the oldest go first.
const KEPT: usize = 1_000;

/// Is one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// When it was said.
    pub at: Timestamp,
    /// The sentence.
    pub text: String,
    /// How it looks.
    pub role: Role,
}

/// Holds what was said, the oldest first.
#[derive(Debug, Default)]
pub struct Messages {
    all: Vec<Said>,
    standing: Option<Said>,
}

impl Messages {
    /// Says a sentence.
    pub fn say(&mut self, at: Timestamp, role: Role, text: impl Into<String>) {
        let said = Said {
            at,
            text: text.into(),
            role,
        };
        self.standing = Some(said.clone());
        self.keep(said);
    }

    /// Keeps a sentence that is read elsewhere on the screen.
    pub fn note(&mut self, at: Timestamp, role: Role, text: impl Into<String>) {
        let text = text.into();
        self.keep(Said { at, text, role });
    }

    fn keep(&mut self, said: Said) {
        if self.all.len() >= KEPT {
            self.all.remove(0);
        }
        self.all.push(said);
    }

    /// Takes what stands on the status line off it; it is kept.
    pub fn read(&mut self) {
        self.standing = None;
    }

    /// Gives what stands on the status line.
    pub fn standing(&self) -> Option<&Said> {
        self.standing.as_ref()
    }

    /// Gives everything, the oldest first.
    pub fn all(&self) -> &[Said] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stands_until_it_is_read_and_the_oldest_go_first() {
        let mut messages = Messages::default();
        for number in 0..=KEPT {
            messages.say(Timestamp::UNIX_EPOCH, Role::Text, number.to_string());
        }
        assert_eq!(messages.standing().unwrap().text, KEPT.to_string());
        messages.read();
        assert_eq!(messages.standing(), None);
        assert_eq!(messages.all().len(), KEPT);
        assert_eq!(messages.all()[0].text, "1");
    }
}
