//! One configuration file: its settings with their places, and every mistake in it.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{KEYS, Key, Kind, Value, Wrong, find};
use crate::domain::location::Location;
use crate::domain::nearest::nearest;
use crate::report::{Fault, Report, printable};

/// Says whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The user's own.
    User,
    /// A project's, which comes with the project.
    Project,
}

/// Is one setting of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) key: &'static Key,
    /// The name that stands for `NAME` in the key.
    pub(super) name: Option<String>,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// Reads a file; `None` when it is not there. The settings that are right come with the reports of those that are not.
///
/// Of a file that is no TOML only the places where it is none are told: what else it says is a guess.
pub(super) fn read(
    path: &Path,
    whose: Whose,
    home: Option<&Path>,
) -> Option<(Vec<Found>, Vec<Report>)> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if is_absent(&error) => return None,
        Err(error) => {
            let fault = match error.kind() {
                ErrorKind::PermissionDenied => Fault::Denied,
                _ => Fault::Unreachable,
            };
            let report = Report::new(fault, format!("cannot read {}", path.display()));
            return Some((Vec::new(), vec![report.because(error)]));
        }
    };
    Some(settings(path, whose, home, &bytes))
}

/// Tells whether an error says that nothing is there.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn settings(
    path: &Path,
    whose: Whose,
    home: Option<&Path>,
    bytes: &[u8],
) -> (Vec<Found>, Vec<Report>) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let place = place(&String::from_utf8_lossy(before), before.len());
            let report = mistake(path, place, "this is no UTF-8", "");
            return (Vec::new(), vec![report]);
        }
    };
    let mut reading = Reading {
        path,
        text,
        whose,
        home,
        found: Vec::new(),
        mistakes: Vec::new(),
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    let places = errors.iter();
    let mut places: Vec<(usize, &str)> = places
        .map(|error| (error.span().unwrap_or_default().start, error.message()))
        .collect();
    places.sort_unstable();
    for (at, message) in places {
        reading.mistake(at, message, "");
    }
    if errors.is_empty() {
        reading.table(table.get_ref());
    }
    (reading.found, reading.mistakes)
}

/// Holds what a file has said so far.
struct Reading<'r> {
    path: &'r Path,
    text: &'r str,
    whose: Whose,
    home: Option<&'r Path>,
    found: Vec<Found>,
    mistakes: Vec<Report>,
}

impl Reading<'_> {
    fn table(&mut self, table: &DeTable<'_>) {
        for (name, value) in in_order(table) {
            if let Some(key) = find(name.get_ref()) {
                self.setting(key, None, name.span(), value);
            } else if !tables().any(|known| known == name.get_ref()) {
                let known = KEYS.iter().map(|key| key.name.split('.').next());
                self.unknown(name.get_ref(), name.span(), known.flatten());
            } else if let DeValue::Table(inner) = value.get_ref() {
                self.inner(name.get_ref(), inner);
            } else {
                let hint = format!(
                    "write `[{}]`, and below it what belongs there",
                    name.get_ref()
                );
                let message = format!("{} is a table", name.get_ref());
                self.mistake(name.span().start, &message, &hint);
            }
        }
    }

    fn inner(&mut self, of: &str, table: &DeTable<'_>) {
        for (name, value) in in_order(table) {
            let full = format!("{of}.{}", name.get_ref());
            let any = find(&format!("{of}.NAME"));
            if let Some(key) = find(&full).filter(|_| any.is_none()) {
                self.setting(key, None, name.span(), value);
            } else if let Some(key) = any {
                self.setting(key, Some(name.get_ref()), name.span(), value);
            } else {
                self.unknown(&full, name.span(), KEYS.iter().map(|key| key.name));
            }
        }
    }

    fn setting(
        &mut self,
        key: &'static Key,
        name: Option<&str>,
        at: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) {
        if self.whose == Whose::Project && !key.in_project {
            let message = format!("a project's file cannot set {}", key.name);
            let hint = "set it in your own file, which `statescope config path` names";
            self.mistake(at.start, &message, hint);
            return;
        }
        if let Some(wrong) = name.and_then(|name| wrong_name(key, name)) {
            self.mistake(at.start, &wrong.why, &wrong.hint);
            return;
        }
        if let Some(value) = self.value(key, value) {
            let (line, _) = place(self.text, at.start);
            let name = name.map(str::to_owned);
            self.found.push(Found {
                key,
                name,
                value,
                line,
            });
        }
    }

    fn value(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let read = match (key.kind, value.get_ref()) {
            (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
            (Kind::Patterns, DeValue::Array(items)) => return self.patterns(key, items),
            (Kind::Size, DeValue::Integer(number)) => match number.radix() {
                10 => key.read(number.as_str()),
                _ => Err(key.wrong(number)),
            },
            (Kind::Path, DeValue::String(text)) => self.file(key, text),
            (Kind::Sources, DeValue::String(text)) => self.source(key, text),
            (Kind::OneOf(_) | Kind::Size, DeValue::String(text)) => key.read(text),
            // What was to be a source may hold a password.
            (Kind::Sources, other) => Err(key.wrong(other.type_str())),
            (_, other) => {
                let written = self.text.get(value.span()).unwrap_or(other.type_str());
                Err(key.wrong(shortened(written)))
            }
        };
        match read {
            Ok(value) => Some(value),
            Err(wrong) => {
                self.mistake(value.span().start, &wrong.why, &wrong.hint);
                None
            }
        }
    }

    fn patterns(&mut self, key: &Key, items: &[Spanned<DeValue<'_>>]) -> Option<Value> {
        let mut patterns = Vec::with_capacity(items.len());
        for item in items {
            let read = match item.get_ref() {
                DeValue::String(text) => key.pattern(text),
                other => Err(key.wrong(other.type_str())),
            };
            match read {
                Ok(pattern) => patterns.push(pattern),
                Err(wrong) => self.mistake(item.span().start, &wrong.why, &wrong.hint),
            }
        }
        (patterns.len() == items.len()).then_some(Value::List(patterns))
    }

    fn file(&self, key: &Key, text: &str) -> Result<Value, Wrong> {
        if text.is_empty() || text.contains("://") {
            return Err(key.wrong(text.split("://").next().unwrap_or_default()));
        }
        let path = self.below(text);
        Ok(Value::Text(path.to_string_lossy().into_owned()))
    }

    /// Keeps a path or a URI as it is written, but `~/`; a URI that no version could open is a mistake.
    fn source(&self, key: &Key, text: &str) -> Result<Value, Wrong> {
        if text.is_empty() {
            return Err(key.wrong(text));
        }
        match Location::parse(text, Path::new("")) {
            Some(Err(report)) if report.fault == Fault::Usage => Err(Wrong {
                why: report.sentence(),
                hint: report.hint.unwrap_or_default(),
            }),
            Some(_) => Ok(Value::Text(text.to_owned())),
            None => Ok(Value::Text(self.below(text).to_string_lossy().into_owned())),
        }
    }

    /// Gives the place that a path in the file means.
    fn below(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder_of(self.path).join(text),
        }
    }

    fn unknown<'k>(
        &mut self,
        name: &str,
        at: Range<usize>,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let near = nearest(name, known);
        let hint = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "`statescope help configuration` names the keys".to_owned(),
        };
        self.mistake(at.start, &format!("there is no key '{name}'"), &hint);
    }

    fn mistake(&mut self, at: usize, message: &str, hint: &str) {
        let report = mistake(self.path, place(self.text, at), message, hint);
        self.mistakes.push(report);
    }
}

/// Gives the folder that a file lies in.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// Lists the names of the tables of the configuration.
fn tables() -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter_map(|key| Some(key.name.split_once('.')?.0))
}

/// Gives the members of a table in the order of the file.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(
    &'t Spanned<std::borrow::Cow<'i, str>>,
    &'t Spanned<DeValue<'i>>,
)> {
    let mut members: Vec<_> = table.iter().collect();
    members.sort_by_key(|(name, _)| name.span().start);
    members
}

/// Says what is wrong with the name of a source: one that would be read as something else names nothing.
fn wrong_name(key: &Key, name: &str) -> Option<Wrong> {
    let is_taken = name.is_empty()
        || name.starts_with(['.', '-', '~'])
        || name.contains([':', '/', '\\'])
        || name.chars().any(|c| c.is_control() || c.is_whitespace());
    is_taken.then(|| Wrong {
        why: format!("'{name}' cannot be the name of a source"),
        hint: format!(
            "for {}, write letters, digits, `_` and `-`; a colon, a slash or a space would make it something else",
            key.name
        ),
    })
}

fn shortened(text: &str) -> String {
    const ENOUGH: usize = 30;
    let mut short: String = text.chars().take(ENOUGH).collect();
    if text.chars().count() > ENOUGH {
        short.push('…');
    }
    short
}

/// Gives line and column of a place, from 1; the column in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn mistake(path: &Path, (line, column): (usize, usize), message: &str, hint: &str) -> Report {
    let message = printable(message);
    let message = format!("{}:{line}:{column}: {message}", path.display());
    let report = Report::new(Fault::Usage, message);
    if hint.is_empty() {
        report
    } else {
        report.hint(hint)
    }
}
