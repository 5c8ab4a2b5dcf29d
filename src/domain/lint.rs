//! Named rules, and what they find.

use std::fmt;

use crate::domain::json::{Document, Pointer};
use crate::domain::lock::{Lock, Since};
use crate::domain::state::{Content, NoEffective, State};

/// Says how bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Will go wrong, or may have.
    Warning,
    /// Is wrong: the job, or a command of its own tool, fails.
    Error,
}

impl Severity {
    /// Gives the name that JSON output carries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Says what one rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The place in the effective state, or in the part that the message names.
    pub path: Option<Pointer>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
}

/// Describes a rule, for help and reference.
pub struct Rule {
    /// Its name, which never changes.
    pub name: &'static str,
    /// What it looks for and why that matters.
    pub about: &'static str,
    check: fn(&State, &Effective) -> Option<Finding>,
}

type Effective = Result<Document, NoEffective>;

/// Holds every rule about a single state.
pub const STATE_RULES: &[Rule] = &[
    Rule {
        name: "null-part",
        about: "a part is NULL: Meltano 4.4.1 cannot read this state, and its `state list` fails for all",
        check: null_part,
    },
    Rule {
        name: "unreadable",
        about: "a part is not JSON, or no JSON object: Meltano cannot read this state",
        check: unreadable,
    },
    Rule {
        name: "merge-conflict",
        about: "partial cannot be merged onto completed: Meltano 4.4.1's `state get`, `state list` and the next run fail",
        check: merge_conflict,
    },
    Rule {
        name: "duplicate-key",
        about: "an object has a key twice: Python keeps the last one, and the next write drops the others",
        check: duplicate_key,
    },
];

/// Describes a rule about where a state lies, which the source itself looks for.
#[derive(Debug)]
pub struct SourceRule {
    /// Its name, which never changes.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it looks for and why that matters.
    pub about: &'static str,
}

impl SourceRule {
    /// Makes its finding.
    pub fn finds(&self, message: impl Into<String>) -> Finding {
        Finding {
            rule: self.name,
            severity: self.severity,
            path: None,
            message: message.into(),
        }
    }
}

/// Finds a state that is there and cannot be read.
pub const UNREAD: SourceRule = SourceRule {
    name: "unread",
    severity: Severity::Error,
    about: "the state is there and cannot be read: permission, a broken link, something that is no file",
};

/// Finds a state that Meltano reads by its ID, and does not list.
pub const UNLISTED: SourceRule = SourceRule {
    name: "unlisted",
    severity: Severity::Warning,
    about: "Meltano 4.4.1 reads this state by its ID, and `state list` and `state export` leave it out",
};

/// Finds a folder that a Meltano on Windows made.
pub const WINDOWS_NAME: SourceRule = SourceRule {
    name: "windows-name",
    severity: Severity::Note,
    about: "the folder is named by the base64 of the state ID, as Meltano on Windows does; elsewhere Meltano takes that for the ID",
};

/// Finds a folder whose name is no text.
pub const NOT_UTF_8: SourceRule = SourceRule {
    name: "not-utf-8",
    severity: Severity::Warning,
    about: "the folder's name is not UTF-8, so no state ID spells it",
};

/// Finds keys of a state file that Meltano does not know.
pub const UNKNOWN_KEY: SourceRule = SourceRule {
    name: "unknown-key",
    severity: Severity::Warning,
    about: "the file has keys beside `completed` and `partial`: Meltano drops them at the next write",
};

/// Finds a state file that has a part twice.
pub const DOUBLE_PART: SourceRule = SourceRule {
    name: "double-part",
    severity: Severity::Warning,
    about: "the file has a key twice: Python keeps the last one, and the next write drops the others",
};

/// Finds a lock that Meltano cannot read.
pub const BROKEN_LOCK: SourceRule = SourceRule {
    name: "broken-lock",
    severity: Severity::Error,
    about: "the lock is empty or holds no time: the next write of Meltano 4.4.1 fails on it, and removes it",
};

/// Holds every rule about where a state lies.
pub const SOURCE_RULES: &[SourceRule] = &[
    UNREAD,
    UNLISTED,
    WINDOWS_NAME,
    NOT_UTF_8,
    UNKNOWN_KEY,
    DOUBLE_PART,
    BROKEN_LOCK,
];

/// Looks at a lock.
pub fn lock(lock: &Lock) -> Option<Finding> {
    let what = match &lock.since {
        Since::At(_) => return None,
        Since::Empty => "the lock is empty".to_owned(),
        Since::Unreadable(text) => format!("the lock holds no time, but '{text}'"),
        Since::Closed(why) => format!("the lock cannot be read: {why}"),
    };
    Some(BROKEN_LOCK.finds(format!("{what}; the next write of Meltano fails on it")))
}

/// Runs every rule on a state and its effective state, in the order of the table.
pub fn state(state: &State, effective: &Result<Document, NoEffective>) -> Vec<Finding> {
    STATE_RULES
        .iter()
        .filter_map(|rule| (rule.check)(state, effective))
        .collect()
}

fn null_part(state: &State, _: &Effective) -> Option<Finding> {
    let (part, _) = state
        .parts()
        .iter()
        .find(|(_, content)| *content == Content::Null)?;
    Some(Finding {
        rule: "null-part",
        severity: Severity::Error,
        path: None,
        message: format!("the {part} part is NULL, which Meltano cannot read"),
    })
}

fn unreadable(_: &State, effective: &Effective) -> Option<Finding> {
    let Err(why @ (NoEffective::Unreadable(..) | NoEffective::NotAnObject(_))) = effective else {
        return None;
    };
    Some(Finding {
        rule: "unreadable",
        severity: Severity::Error,
        path: None,
        message: why.to_string(),
    })
}

fn merge_conflict(_: &State, effective: &Effective) -> Option<Finding> {
    let Err(NoEffective::Conflict(conflict)) = effective else {
        return None;
    };
    Some(Finding {
        rule: "merge-conflict",
        severity: Severity::Error,
        message: conflict.to_string(),
        path: Some(conflict.path.clone()),
    })
}

fn duplicate_key(state: &State, _: &Effective) -> Option<Finding> {
    state.parts().iter().find_map(|(part, content)| {
        let document = content.document()?;
        let hidden = document.node(*document.duplicate_keys().first()?)?;
        Some(Finding {
            rule: "duplicate-key",
            severity: Severity::Warning,
            path: Some(hidden.pointer()),
            message: format!(
                "the {part} part has a key twice at {}; the last one counts",
                hidden.pointer()
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Some("{}"), Some("{}"), &[])]
    #[case(None, Some("{}"), &["null-part"])]
    #[case(Some("{}"), Some("[1]"), &["unreadable"])]
    #[case(Some("{"), Some("{}"), &["unreadable"])]
    #[case(Some(r#"{"a": 1}"#), Some(r#"{"a": {"b": 1}}"#), &["merge-conflict"])]
    #[case(Some(r#"{"a": 1, "a": 2}"#), Some("{}"), &["duplicate-key"])]
    fn rules(
        #[case] completed: Option<&str>,
        #[case] partial: Option<&str>,
        #[case] want: &[&str],
    ) {
        let content = |text: Option<&str>| Content::read(text.map(str::as_bytes));
        let of = State::meltano(content(completed), content(partial));
        let found = state(&of, &of.effective());
        assert_eq!(
            found.iter().map(|finding| finding.rule).collect::<Vec<_>>(),
            want
        );
        assert!(
            found
                .iter()
                .all(|finding| STATE_RULES.iter().any(|rule| rule.name == finding.rule))
        );
    }
}
