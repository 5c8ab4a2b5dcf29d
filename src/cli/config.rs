//! `config`: what is configured and what chose it, and the first file; and what a command line is configured by.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, ValueEnum as _};
use serde::Serialize;
use serde_json::Value as Json;

use super::journal::Place;
use super::json::{self, Array};
use super::output::{Cell, Failure, Output, Tone};
use super::sites::Chosen;
use super::{Color, Options};
use crate::config::{
    self, Config, KEYS, Key, Looked, Lookup, Named, Origin, Setting, Value, Whose,
};
use crate::project::{Surroundings, without_secrets};
use crate::report::{Fault, Report, printable};

/// The file that `config init` writes.
const COMMENTED: &str = include_str!("../../assets/config.toml");

#[derive(clap::Subcommand, Clone, Copy)]
pub(super) enum Action {
    /// Shows every key with its value, and where that comes from.
    Show,
    /// Names the files that are looked for, and says which are there.
    Path,
    /// Writes a file of yours in which every key is explained, with its default as a comment.
    Init,
}

/// Says where the configuration of a command line is looked for, and what the line itself sets.
pub(super) fn lookup(
    options: &Options,
    matches: &ArgMatches,
    chosen: &Chosen,
    surroundings: &Surroundings,
) -> Lookup {
    let named = options.config.as_ref().filter(|file| !file.is_empty());
    let named = named.map(|file: &OsString| surroundings.directory.join(file));
    let user = || Some(surroundings.config_folder()?.join("statescope/config.toml"));
    let given = KEYS.iter();
    let given = given.filter_map(|key| given_by(key, options, matches, surroundings));
    Lookup {
        is_named: named.is_some(),
        user: named.or_else(user),
        projects: projects(chosen, surroundings),
        home: surroundings.variables.get("HOME").map(PathBuf::from),
        given: given.collect(),
    }
}

/// Reads the configuration of a command line, with the files of the projects that it names by a configured name.
pub(super) fn read(
    mut lookup: Lookup,
    chosen: &Chosen,
    surroundings: &Surroundings,
) -> Result<Config, Vec<Report>> {
    let config = config::read(&lookup)?;
    let known = lookup.projects.len();
    let names = chosen.sources.iter();
    for named in names.filter_map(|name| config.names().get(name)) {
        add_project(
            &mut lookup.projects,
            surroundings.directory.join(&named.source),
        );
    }
    if lookup.projects.len() == known {
        return Ok(config);
    }
    config::read(&lookup)
}

/// Lists the folders of the projects that are named; without any, the one that the working directory is in.
fn projects(chosen: &Chosen, surroundings: &Surroundings) -> Vec<PathBuf> {
    let mut projects = Vec::new();
    let named = chosen.project.iter().map(PathBuf::as_path);
    for folder in named.chain(chosen.sources.iter().map(Path::new)) {
        add_project(&mut projects, surroundings.directory.join(folder));
    }
    if projects.is_empty() {
        projects.extend(surroundings.project_folder().map(Path::to_owned));
    }
    projects
}

fn add_project(projects: &mut Vec<PathBuf>, folder: PathBuf) {
    if folder.join("meltano.yml").is_file() && !projects.contains(&folder) {
        projects.push(folder);
    }
}

/// Gives what the command line or the environment sets a key to.
fn given_by(
    key: &Key,
    options: &Options,
    matches: &ArgMatches,
    surroundings: &Surroundings,
) -> Option<(&'static str, String, Origin)> {
    let Some(option) = key.option else {
        let variable = key.variable?;
        let text = surroundings.variables.get(variable)?;
        let is_set = !text.trim().is_empty();
        return is_set.then(|| (key.name, text.clone(), Origin::Environment(variable)));
    };
    let (id, text) = match option {
        "--color" => ("color", word(options.color)),
        "--read-only" => ("read_only", Some(options.read_only.to_string())),
        "--journal" => ("journal", options.journal.clone()),
        "--journal-limit" => ("journal_limit", options.journal_limit.clone()),
        _ => return None,
    };
    let origin = match matches.value_source(id)? {
        ValueSource::CommandLine => Origin::Option(option),
        ValueSource::EnvVariable => Origin::Environment(key.variable?),
        _ => return None,
    };
    let text = text.filter(|text| !text.is_empty())?;
    Some((key.name, text, origin))
}

fn word(color: Color) -> Option<String> {
    Some(color.to_possible_value()?.get_name().to_owned())
}

impl Color {
    /// Gives what is configured.
    pub(super) fn configured(config: &Config) -> Self {
        Self::from_str(config.color(), false).unwrap_or(Self::Auto)
    }
}

/// Answers `config path`.
pub(super) fn path(lookup: &Lookup, out: &mut Output, as_json: bool) -> Result<u8, Failure> {
    #[derive(Serialize)]
    struct Line<'l> {
        whose: &'static str,
        path: std::borrow::Cow<'l, str>,
        exists: bool,
    }
    let files = config::files(lookup);
    if as_json {
        let mut array = Array::default();
        array.begin(out)?;
        for file in &files {
            array.element(out)?;
            let line = Line {
                whose: whose(file),
                path: file.path.to_string_lossy(),
                exists: file.exists,
            };
            json::write(out, &line)?;
        }
        array.end(out)?;
    } else {
        let row = |file: &Looked| {
            let (there, tone) = if file.exists {
                ("is there", Tone::Good)
            } else {
                ("is not there", Tone::Faint)
            };
            vec![
                Cell::new(printable(&file.path.display().to_string())),
                Cell::new(whose(file)),
                Cell::new(there).tone(tone),
            ]
        };
        let rows: Vec<Vec<Cell>> = files.iter().map(row).collect();
        out.table(&rows)?;
    }
    Ok(0)
}

fn whose(file: &Looked) -> &'static str {
    match file.whose {
        Whose::User => "user",
        Whose::Project => "project",
    }
}

/// Answers `config init`: writes the file, and refuses where there is one.
pub(super) fn init(lookup: &Lookup, out: &mut Output) -> Result<u8, Failure> {
    let Some(path) = &lookup.user else {
        let report = Report::new(Fault::NotFound, "there is no place for your configuration");
        return Err(report
            .because("neither XDG_CONFIG_HOME nor HOME names a folder")
            .hint("name a file by --config")
            .into());
    };
    write_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Report::new(
            Fault::Refused,
            format!("{} is there already", path.display()),
        )
        .hint("edit it; `statescope help configuration` names the keys"),
        kind => {
            let fault = match kind {
                ErrorKind::PermissionDenied => Fault::Denied,
                _ => Fault::Unreachable,
            };
            Report::new(fault, format!("cannot write {}", path.display())).because(error)
        }
    })?;
    out.line(Tone::Plain, &printable(&path.display().to_string()))?;
    Ok(0)
}

/// Writes a file that is not there yet, for its owner's eyes alone: the place of a source may hold a password.
fn write_new(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(COMMENTED.as_bytes())
}

/// Is one key, with its value and where that comes from.
#[derive(Serialize)]
struct Told {
    key: String,
    value: Json,
    origin: &'static str,
    /// The file that sets it.
    file: Option<String>,
    line: Option<usize>,
    /// The variable or the option that sets it.
    name: Option<&'static str>,
    #[serde(skip)]
    shown: String,
    #[serde(skip)]
    from: String,
}

impl Told {
    fn new(key: String, value: &Value, origin: &Origin) -> Self {
        let (kind, file, line, name) = match origin {
            Origin::BuiltIn => ("built-in", None, None, None),
            Origin::File { path, line } => ("file", Some(path), Some(*line), None),
            Origin::Environment(name) => ("environment", None, None, Some(*name)),
            Origin::Option(name) => ("command-line", None, None, Some(*name)),
        };
        Self {
            key,
            value: match value {
                Value::Text(text) => Json::from(text.as_str()),
                Value::Flag(flag) => Json::from(*flag),
                Value::List(items) => Json::from(items.as_slice()),
            },
            origin: kind,
            file: file.map(|path| path.to_string_lossy().into_owned()),
            line,
            name,
            shown: printable(&value.to_string()),
            from: printable(&origin.to_string()),
        }
    }

    fn of(setting: &Setting, journal: &Place) -> Self {
        // Where the journal is without a setting depends on the environment.
        let value = match (setting.key.name, journal.path()) {
            ("journal.path", Some(path)) => Value::Text(path.to_string_lossy().into_owned()),
            _ => setting.value.clone(),
        };
        Self::new(setting.key.name.to_owned(), &value, &setting.origin)
    }

    fn of_name(name: &str, named: &Named) -> Self {
        let mut source = without_secrets(&named.source);
        if source.contains("://")
            && let Some(at) = source.find('?')
        {
            source.replace_range(at + 1.., "•••");
        }
        let value = Value::Text(source);
        Self::new(format!("sources.{name}"), &value, &named.origin)
    }
}

/// Answers `config show`.
pub(super) fn show(
    config: &Config,
    journal: &Place,
    out: &mut Output,
    as_json: bool,
) -> Result<u8, Failure> {
    let settings = config.settings().iter();
    let settings = settings.map(|setting| Told::of(setting, journal));
    let names = config.names().iter();
    let names = names.map(|(name, named)| Told::of_name(name, named));
    let lines: Vec<Told> = settings.chain(names).collect();
    if as_json {
        let mut array = Array::default();
        array.begin(out)?;
        for line in &lines {
            array.element(out)?;
            json::write(out, line)?;
        }
        array.end(out)?;
    } else {
        let row = |line: &Told| {
            vec![
                Cell::new(printable(&line.key)),
                Cell::new(line.shown.as_str()),
                Cell::new(line.from.as_str()).tone(Tone::Faint),
            ]
        };
        let rows: Vec<Vec<Cell>> = lines.iter().map(row).collect();
        out.table(&rows)?;
    }
    Ok(0)
}
