//! What is configured: built in, by the user's file, by a project's file, by the environment, by the command line, each
//! before the one that it gives way to; and where each value comes from.
//!
//! The table of [`KEYS`] is the only place that knows the keys: help, reference and the file that `config init` writes are
//! made of it. Every mistake of every file is told at once.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::domain::edit::Protected;
use crate::domain::quantity;
use crate::report::{Fault, Report};

mod file;
mod key;

pub use file::Whose;
pub use key::{Fixed, KEYS, Key, Kind, Value, commented};

/// The name of a project's file, beside its `meltano.yml`.
pub const PROJECT_FILE: &str = ".statescope.toml";

/// Says where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The program itself.
    BuiltIn,
    /// A line of a file, from 1.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// A variable of the environment.
    Environment(&'static str),
    /// An option on the command line.
    Option(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "{name} in the environment"),
            Self::Option(name) => f.write_str(name),
        }
    }
}

/// Says where to look, and what the environment and the command line set.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    /// The user's file; `None` when there is no place for one.
    pub user: Option<PathBuf>,
    /// Whether the user's file was named, so that it has to be there.
    pub is_named: bool,
    /// The folders of the projects, the one whose file counts first in front.
    pub projects: Vec<PathBuf>,
    /// The home folder, for `~/`.
    pub home: Option<PathBuf>,
    /// What the environment and the command line set: a key's name, the text, and which of them.
    pub given: Vec<(&'static str, String, Origin)>,
}

/// Is one key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static Key,
    /// Its value.
    pub value: Value,
    /// Where that comes from.
    pub origin: Origin,
}

/// Is a source with a name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// A path or a URI.
    pub source: String,
    /// The folder at which a relative one starts.
    pub base: PathBuf,
    /// The line that names it.
    pub origin: Origin,
}

/// Is a file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Whose it is.
    pub whose: Whose,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

/// Holds every value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    settings: Vec<Setting>,
    names: BTreeMap<String, Named>,
}

/// Lists the files that are looked for, the user's first.
pub fn files(lookup: &Lookup) -> Vec<Looked> {
    let user = lookup.user.iter().map(|path| (Whose::User, path.clone()));
    let projects = lookup.projects.iter();
    let projects = projects.map(|folder| (Whose::Project, folder.join(PROJECT_FILE)));
    let looked = |(whose, path): (Whose, PathBuf)| Looked {
        whose,
        exists: !matches!(path.try_exists(), Ok(false)),
        path,
    };
    user.chain(projects).map(looked).collect()
}

/// Reads everything, or tells every mistake of every file and of the environment.
///
/// A file that is not there is no mistake, unless it was named; one that cannot be read is.
pub fn read(lookup: &Lookup) -> Result<Config, Vec<Report>> {
    let mut config = Config::built_in();
    let mut wrong = Vec::new();
    let home = lookup.home.as_deref();
    // The last one that is taken wins, so the project that counts first comes last.
    let projects = lookup.projects.iter().rev();
    let projects = projects.map(|folder| (Whose::Project, folder.join(PROJECT_FILE)));
    let user = lookup.user.iter().map(|path| (Whose::User, path.clone()));
    for (whose, path) in user.chain(projects) {
        match file::read(&path, whose, home) {
            Some((found, mistakes)) => {
                config.take(&path, found);
                wrong.extend(mistakes);
            }
            None if whose == Whose::User && lookup.is_named => wrong.push(not_there(&path)),
            None => {}
        }
    }
    for (name, text, origin) in &lookup.given {
        match key::find(name).map(|key| (key, key.read(text))) {
            Some((key, Ok(value))) => config.set(key, value, origin.clone()),
            Some((_, Err(mistake))) => wrong.push(
                Report::new(Fault::Usage, format!("{origin}: {}", mistake.why)).hint(mistake.hint),
            ),
            None => {}
        }
    }
    if wrong.is_empty() {
        Ok(config)
    } else {
        Err(wrong)
    }
}

fn not_there(path: &Path) -> Report {
    Report::new(
        Fault::NotFound,
        format!("there is no configuration file {}", path.display()),
    )
    .hint("name one that is there by --config")
}

impl Config {
    /// Holds what is in force where nothing else says anything.
    pub fn built_in() -> Self {
        let settings = KEYS.iter().filter(|key| key.kind != Kind::Sources);
        let settings = settings.map(|key| Setting {
            key,
            value: key.default.into(),
            origin: Origin::BuiltIn,
        });
        Self {
            settings: settings.collect(),
            names: BTreeMap::new(),
        }
    }

    fn take(&mut self, path: &Path, found: Vec<file::Found>) {
        for file::Found {
            key,
            name,
            value,
            line,
        } in found
        {
            let origin = Origin::File {
                path: path.to_owned(),
                line,
            };
            match (name, value) {
                (Some(name), Value::Text(source)) => {
                    let base = file::folder_of(path).to_owned();
                    let named = Named {
                        source,
                        base,
                        origin,
                    };
                    self.names.insert(name, named);
                }
                (_, value) => self.set(key, value, origin),
            }
        }
    }

    /// Sets a value. That nothing is written can be added, never taken away.
    fn set(&mut self, key: &Key, value: Value, origin: Origin) {
        let mut settings = self.settings.iter_mut();
        let Some(setting) = settings.find(|setting| setting.key == key) else {
            return;
        };
        let loosens = key.name == "read_only"
            && setting.value == Value::Flag(true)
            && value == Value::Flag(false);
        if !loosens {
            setting.value = value;
            setting.origin = origin;
        }
    }

    /// Lists every key but the names of sources, in the order of the table.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// Gives the sources that have names.
    pub fn names(&self) -> &BTreeMap<String, Named> {
        &self.names
    }

    /// Gives when colours are used: `auto`, `always` or `never`.
    pub fn color(&self) -> &str {
        self.text("color").unwrap_or("auto")
    }

    /// Tells whether times are shown and read in UTC.
    pub fn is_utc(&self) -> bool {
        self.text("time_zone") == Some("UTC")
    }

    /// Says what keeps every source from being written to, if anything does.
    pub fn read_only(&self) -> Option<&Origin> {
        let setting = self.setting("read_only")?;
        (setting.value == Value::Flag(true)).then_some(&setting.origin)
    }

    /// Gives the environments that are protected.
    pub fn protected(&self) -> Protected {
        match self.setting("protected_environments") {
            Some(Setting {
                value: Value::List(patterns),
                ..
            }) => Protected::parse(patterns).unwrap_or_default(),
            _ => Protected::default(),
        }
    }

    /// Gives the file of the journal, where anything names one.
    pub fn journal_path(&self) -> Option<&str> {
        let setting = self.setting("journal.path")?;
        match &setting.value {
            Value::Text(text) if setting.origin != Origin::BuiltIn => Some(text),
            _ => None,
        }
    }

    /// Gives how large the journal may become, in bytes, where anything says so.
    pub fn journal_limit(&self) -> Option<u64> {
        let setting = self.setting("journal.limit")?;
        match &setting.value {
            Value::Text(text) if setting.origin != Origin::BuiltIn => quantity::read_bytes(text),
            _ => None,
        }
    }

    fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings
            .iter()
            .find(|setting| setting.key.name == name)
    }

    fn text(&self, name: &str) -> Option<&str> {
        match &self.setting(name)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
