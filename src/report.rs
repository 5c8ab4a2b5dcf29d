//! What failed, on what, why, and what to do about it, with the exit code that a script sees.

use std::fmt;

/// Names the situation that a [`Report`] is about; each has one exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The question was answered, and the answer is no: an unknown state ID in `get`.
    No,
    /// The command line, or a value on it, is wrong.
    Usage,
    /// A source, a state or a snapshot is not there.
    NotFound,
    /// The operating system or the store refuses access.
    Denied,
    /// The source cannot be reached.
    Unreachable,
    /// What is stored cannot be read as what it should be.
    Corrupt,
    /// The source is of a kind, or at a revision, that this program does not read.
    Unsupported,
    /// The source gave no answer in time, or another program held it for too long.
    Timeout,
    /// What was to be changed is no longer what was read.
    Conflict,
    /// A guard stands against it.
    Refused,
    /// Something in this program is wrong.
    Internal,
}

impl Fault {
    /// Gives the exit code that belongs to the situation.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::No => 1,
            Self::Usage => 2,
            Self::NotFound
            | Self::Denied
            | Self::Unreachable
            | Self::Corrupt
            | Self::Unsupported
            | Self::Timeout
            | Self::Internal => 3,
            Self::Conflict => 4,
            Self::Refused => 5,
        }
    }

    /// Gives the stable name that JSON errors carry in `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Usage => "usage",
            Self::NotFound => "not-found",
            Self::Denied => "denied",
            Self::Unreachable => "unreachable",
            Self::Corrupt => "corrupt",
            Self::Unsupported => "unsupported",
            Self::Timeout => "timeout",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::Internal => "internal",
        }
    }
}

/// Tells a person, or a script, about one failure.
///
/// The text is at most three lines: what failed and on what, why, what to do. No text in it holds a secret or a control
/// character: [`fmt::Display`] and the accessors give the latter as escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The situation.
    pub fault: Fault,
    /// What failed, and on what. A sentence without a full stop.
    pub message: String,
    /// Why, when that is known and not already said.
    pub cause: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// The display name of the source that it happened on.
    pub source: Option<String>,
    /// The state ID that it happened on.
    pub state_id: Option<String>,
}

impl Report {
    /// Begins a report of a situation.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self {
            fault,
            message: message.into(),
            cause: None,
            hint: None,
            source: None,
            state_id: None,
        }
    }

    /// Adds why it failed.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the source that it happened on.
    #[must_use]
    pub fn on_source(mut self, source: impl fmt::Display) -> Self {
        self.source = Some(source.to_string());
        self
    }

    /// Adds the state ID that it happened on.
    #[must_use]
    pub fn on_state(mut self, state_id: impl fmt::Display) -> Self {
        self.state_id = Some(state_id.to_string());
        self
    }

    /// Gives the message and the cause as one line, control characters as escapes.
    pub fn sentence(&self) -> String {
        match &self.cause {
            Some(cause) => printable(&format!("{}: {cause}", self.message)),
            None => printable(&self.message),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message))?;
        if let Some(cause) = &self.cause {
            write!(f, "\n  why: {}", printable(cause))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  try: {}", printable(hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

/// Makes any text safe for a terminal and for one line of output.
///
/// Control characters (C0, DEL, C1), line and paragraph separators, and the invisible marks that reorder text come out as
/// escapes (`\n`, `\x1b`, `\u{202e}`); every other character is kept. Every value, name and error that is shown passes
/// through here, so nothing stored can move the cursor or forge a line.
pub fn printable(text: &str) -> String {
    if !text.chars().any(needs_escape) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x100 && needs_escape(c) => {
                out.extend(format!("\\x{:02x}", c as u32).chars());
            }
            c if needs_escape(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Tells whether a character must not reach a terminal as it is; see [`printable`].
pub(crate) fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{061c}'
        )
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_lets_no_escape_sequence_through() {
        assert_eq!(printable("a\u{1b}[2Jb"), "a\\x1b[2Jb");
        assert_eq!(printable("a\u{9b}1m"), "a\\x9b1m");
        assert_eq!(printable("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(printable("tab\tline\n"), "tab\\tline\\n");
        assert_eq!(printable("größe 日本語 🚀"), "größe 日本語 🚀");
    }

    #[test]
    fn a_report_says_what_why_and_what_next() {
        let report = Report::new(Fault::NotFound, "cannot open a.db")
            .because("no such file")
            .hint("check the path");
        assert_eq!(
            report.to_string(),
            "cannot open a.db\n  why: no such file\n  try: check the path"
        );
        assert_eq!(report.fault.exit_code(), 3);
    }
}
