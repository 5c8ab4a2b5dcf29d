//! The one table of configuration keys, and the values that they take.

use std::fmt;

use crate::domain::edit::Protected;
use crate::domain::nearest::nearest;
use crate::domain::quantity;

/// Says which values a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A list of patterns of environments.
    Patterns,
    /// The path of a file; in a configuration file, `~/` is the home folder and a relative path starts at the file's folder.
    Path,
    /// A number of bytes, or a text with a unit.
    Size,
    /// Names of sources, each with a path or a URI.
    Sources,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                f.write_str(&words.join(" or "))
            }
            Self::Flag => f.write_str("true or false"),
            Self::Patterns => f.write_str("a list of patterns"),
            Self::Path => f.write_str("the path of a file"),
            Self::Size => f.write_str("a size, \"2GiB\" or a number of bytes"),
            Self::Sources => f.write_str("a path or a URI for each name"),
        }
    }
}

/// Describes a configuration key, for help, reference, and the file that `config init` writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, as `config show` has it: a dot stands between a table and what is in it.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is where nothing says otherwise; for sources, which have no default, an example.
    pub default: Fixed,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The option that sets it.
    pub option: Option<&'static str>,
    /// Whether a project's file may set it.
    pub in_project: bool,
    /// What it does, in sentences.
    pub about: &'static str,
}

/// Holds every key, in the order in which they are shown. Those of a table stand together, behind those of none.
pub const KEYS: &[Key] = &[
    Key {
        name: "color",
        kind: Kind::OneOf(&["auto", "always", "never"]),
        default: Fixed::Text("auto"),
        variable: Some("STATESCOPE_COLOR"),
        option: Some("--color"),
        in_project: true,
        about: "When the commands use colours; \"auto\" is on a terminal only. NO_COLOR in the environment means never \
                where this is \"auto\".",
    },
    Key {
        name: "time_zone",
        kind: Kind::OneOf(&["local", "UTC"]),
        default: Fixed::Text("local"),
        variable: Some("STATESCOPE_TIME_ZONE"),
        option: None,
        in_project: true,
        about: "The zone in which times are shown, and in which a time without an offset is read. JSON is always in UTC.",
    },
    Key {
        name: "read_only",
        kind: Kind::Flag,
        default: Fixed::Flag(false),
        variable: Some("STATESCOPE_READ_ONLY"),
        option: Some("--read-only"),
        in_project: true,
        about: "Whether no source is written to. One `true` anywhere counts; a `false` elsewhere does not undo it.",
    },
    Key {
        name: "protected_environments",
        kind: Kind::Patterns,
        default: Fixed::List(&Protected::DEFAULT),
        variable: Some("STATESCOPE_PROTECTED_ENVIRONMENTS"),
        option: None,
        in_project: true,
        about: "The environments whose states want their ID typed before they are changed. The list replaces the built-in \
                one; in the environment, commas stand between the patterns. mainnet-fork is protected only by its own name.",
    },
    Key {
        name: "journal.path",
        kind: Kind::Path,
        default: Fixed::Text("~/.local/state/statescope/journal.db"),
        variable: Some("STATESCOPE_JOURNAL"),
        option: Some("--journal"),
        in_project: false,
        about: "The file that keeps what was before and after each edit. Without it, it is statescope/journal.db in \
                $XDG_STATE_HOME.",
    },
    Key {
        name: "journal.limit",
        kind: Kind::Size,
        default: Fixed::Text("2GiB"),
        variable: Some("STATESCOPE_JOURNAL_LIMIT"),
        option: Some("--journal-limit"),
        in_project: false,
        about: "How large the journal may become.",
    },
    Key {
        name: "sources.NAME",
        kind: Kind::Sources,
        default: Fixed::Text("sqlite:////srv/warehouse/.meltano/meltano.db"),
        variable: None,
        option: None,
        in_project: true,
        about: "A name for a source, for --source NAME and NAME::STATE_ID: a Meltano project's folder, a file, or a URI. \
                A relative one starts at the folder of the file that it stands in.",
    },
];

/// Is a value of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// A word, a path or a size.
    Text(&'static str),
    /// A switch.
    Flag(bool),
    /// Patterns.
    List(&'static [&'static str]),
}

/// Finds a key by its name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Is the value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A word, a path or a size.
    Text(String),
    /// A switch.
    Flag(bool),
    /// Patterns.
    List(Vec<String>),
}

impl From<Fixed> for Value {
    fn from(fixed: Fixed) -> Self {
        match fixed {
            Fixed::Text(text) => Self::Text(text.to_owned()),
            Fixed::Flag(flag) => Self::Flag(flag),
            Fixed::List(items) => Self::List(items.iter().map(|item| (*item).to_owned()).collect()),
        }
    }
}

/// Writes the value as TOML does.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

/// Quotes a text; what JSON escapes, TOML reads alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Says what is wrong with a value, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub(super) why: String,
    pub(super) hint: String,
}

impl Key {
    /// Reads a value that is written as plain text: in the environment, on the command line, or in quotes in a file.
    pub(super) fn read(&self, text: &str) -> Result<Value, Wrong> {
        match self.kind {
            Kind::OneOf(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(Value::Text((*word).to_owned())),
                None => Err(self.not_one_of(text, words)),
            },
            Kind::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err(self.wrong(text)),
            },
            Kind::Patterns => {
                let patterns = text.split(',').map(str::trim);
                let patterns = patterns.filter(|pattern| !pattern.is_empty());
                let patterns: Result<_, _> =
                    patterns.map(|pattern| self.pattern(pattern)).collect();
                Ok(Value::List(patterns?))
            }
            Kind::Size if quantity::read_bytes(text).is_none() => Err(self.wrong(text)),
            Kind::Path | Kind::Size | Kind::Sources => Ok(Value::Text(text.to_owned())),
        }
    }

    /// Reads one pattern of a list.
    pub(super) fn pattern(&self, text: &str) -> Result<String, Wrong> {
        match Protected::parse([text]) {
            Ok(_) => Ok(text.to_owned()),
            Err(report) => Err(Wrong {
                why: format!("in {}, {}", self.name, report.sentence()),
                hint: report.hint.unwrap_or_default(),
            }),
        }
    }

    /// Says of a value, written in some form, that it is none for this key.
    pub(super) fn wrong(&self, text: impl fmt::Display) -> Wrong {
        Wrong {
            why: format!("'{text}' is no value for {}", self.name),
            hint: format!("write {}", self.kind),
        }
    }

    fn not_one_of(&self, text: &str, words: &[&'static str]) -> Wrong {
        let near = nearest(text, words.iter().copied());
        let Wrong { why, hint } = self.wrong(text);
        let hint = near.map_or(hint, |near| format!("did you mean \"{near}\"?"));
        Wrong { why, hint }
    }
}

/// Writes the file that `config init` makes: every key with what it does and its default, as comments.
pub fn commented() -> String {
    let mut out = String::from(
        "# The configuration of statescope. Each key is here with what it is without this file; to set one, remove the `#`\n\
         # before it, and before the `[table]` above it. `statescope config show` says what is in force, and why.\n",
    );
    let mut table = None;
    for key in KEYS {
        let (of, name) = match key.name.split_once('.') {
            Some((of, name)) => (Some(of), name),
            None => (None, key.name),
        };
        out.push('\n');
        if let (true, Some(of)) = (of != table, of) {
            out.push_str(&format_args!("# [{of}]\n\n").to_string());
        }
        table = of;
        for line in wrapped(key.about, 98) {
            out.push_str(&format_args!("# {line}\n").to_string());
        }
        let name = if key.kind == Kind::Sources {
            "warehouse"
        } else {
            name
        };
        out.push_str(&format_args!("# {name} = {}\n", Value::from(key.default)).to_string());
    }
    out
}

/// Breaks a text into lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
