//! Finding what to open: Meltano projects on disk, files, URIs. Reads files, opens no store.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use serde_json::Value;

use crate::domain::location::Location;
use crate::report::{Fault, Report};

mod logs;

/// Says what chose a source's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// The command line named it.
    CommandLine,
    /// An environment variable of this process.
    Environment(&'static str),
    /// A setting in a file: its name and the file.
    Setting(String, PathBuf),
    /// Meltano's own default for a project.
    Default,
    /// An operation in the journal, by its number.
    Operation(i64),
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => f.write_str("the command line"),
            Self::Environment(name) => write!(f, "{name} in the environment"),
            Self::Setting(name, file) => write!(f, "{name} in {}", file.display()),
            Self::Default => f.write_str("Meltano's default"),
            Self::Operation(id) => write!(f, "operation {id} in the journal"),
        }
    }
}

/// Holds what one Meltano project, or one bare source, uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The project's folder name, or the file's name.
    pub name: String,
    /// Where the states are, unless `elsewhere` says that Meltano reads others.
    pub states: Source,
    /// Where the runs are; the same source as that of the states, where one plays both roles, and `None` for a bare source
    /// that holds no runs.
    pub runs: Option<Source>,
    /// The state backend that the project names and that this version does not open, and what named it. The source of the
    /// states is then the system database, and what it holds is not what Meltano reads.
    pub elsewhere: Option<(String, DecidedBy)>,
    /// How long a lock on a state holds, where the project says.
    pub lock_timeout: Option<SignedDuration>,
    /// The folder that the project's Meltano keeps its own things in, `.meltano` by default; `None` for a bare source.
    pub system: Option<PathBuf>,
}

/// Names one source of a site, and what chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its place.
    pub location: Location,
    /// What chose that place.
    pub decided_by: DecidedBy,
}

impl Site {
    /// Makes one of a single source that plays both roles.
    pub fn of_one(name: impl Into<String>, source: Source) -> Self {
        Self {
            name: name.into(),
            runs: Some(source.clone()),
            states: source,
            elsewhere: None,
            lock_timeout: None,
            system: None,
        }
    }

    /// Tells whether one source plays both roles.
    pub fn is_one_source(&self) -> bool {
        let runs = self.runs.as_ref();
        runs.is_some_and(|runs| runs.location == self.states.location)
    }

    /// Tells whether the project's Meltano would read its states from here.
    pub fn is_live(&self) -> bool {
        self.elsewhere.is_none()
    }

    fn bare(location: Location) -> Self {
        let (Location::Sqlite(path) | Location::Directory(path)) = &location;
        let name = path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let holds_runs = matches!(location, Location::Sqlite(_));
        let source = Source {
            location,
            decided_by: DecidedBy::CommandLine,
        };
        let mut site = Self::of_one(name, source);
        site.runs = site.runs.filter(|_| holds_runs);
        site
    }
}

/// Holds what a process knows of its surroundings, so that finding a source can be tested.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The working directory.
    pub directory: PathBuf,
    /// The environment's variables.
    pub variables: BTreeMap<String, String>,
}

impl Surroundings {
    /// Takes those of this process.
    pub fn of_process() -> Result<Self, Report> {
        let directory = std::env::current_dir().map_err(|error| {
            Report::new(Fault::Unreachable, "cannot tell the working directory").because(error)
        })?;
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(Self {
            directory,
            variables,
        })
    }

    /// Gives the folder in which programs keep what they remember: `XDG_STATE_HOME`, else `.local/state` in `HOME`; `None` when
    /// neither names one. A relative path counts as none, as the XDG Base Directory Specification says.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.base_folder("XDG_STATE_HOME", ".local/state")
    }

    /// Gives the folder in which programs are configured: `XDG_CONFIG_HOME`, else `.config` in `HOME`; else as
    /// [`Self::state_folder`].
    pub fn config_folder(&self) -> Option<PathBuf> {
        self.base_folder("XDG_CONFIG_HOME", ".config")
    }

    fn base_folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let folder = |name| {
            let path = PathBuf::from(self.variables.get(name)?);
            path.is_absolute().then_some(path)
        };
        folder(variable).or_else(|| Some(folder("HOME")?.join(below_home)))
    }

    /// Finds the folder of the Meltano project that the working directory is in.
    pub fn project_folder(&self) -> Option<&Path> {
        let mut folders = self.directory.ancestors();
        folders.find(|folder| folder.join("meltano.yml").is_file())
    }

    /// Finds what a SOURCE on the command line means: a URI, a file, the folder of a Meltano project, else a state directory.
    pub fn source(&self, text: &str) -> Result<Site, Report> {
        if let Some(location) = Location::parse(text, &self.directory) {
            return location.map(Site::bare);
        }
        if text.is_empty() {
            return Err(Report::new(Fault::Usage, "a source has an empty name")
                .hint("name a SQLite file, a state directory or a Meltano project"));
        }
        let path = self.directory.join(text);
        if path.is_dir() {
            if path.join("meltano.yml").is_file() {
                return self.project(&path);
            }
            if is_state_directory(&path) {
                return Ok(Site::bare(Location::Directory(path.components().collect())));
            }
            return Err(Report::new(
                Fault::NotFound,
                format!("{} is no Meltano project", path.display()),
            )
            .because("the folder has no meltano.yml, and no folder in it has a state.json")
            .hint(
                "name a project's folder, the SQLite file itself, or an empty state directory as `file:///DIR`",
            ));
        }
        Ok(Site::bare(Location::Sqlite(path)))
    }

    /// Finds the Meltano project that the working directory is in.
    pub fn nearest(&self) -> Result<Site, Report> {
        match self.project_folder() {
            Some(folder) => self.project(folder),
            None => Err(Report::new(
                Fault::NotFound,
                format!(
                    "there is no Meltano project in {} or above it",
                    self.directory.display()
                ),
            )
            .hint("name a source (`statescope meltano.db`), or try `statescope demo`")),
        }
    }

    /// Resolves a project's `database_uri` and `state_backend.uri` by Meltano 4.4.1's precedence: the process environment,
    /// `env` of meltano.yml, `.env`, the key in meltano.yml, the default. What environments configure has no influence.
    pub fn project(&self, folder: &Path) -> Result<Site, Report> {
        let settings = Settings::read(self, folder)?;
        let database = settings.get("database_uri", "MELTANO_DATABASE_URI");
        let database = match database {
            None => {
                let file = PathBuf::from(settings.system_directory()).join("meltano.db");
                Source {
                    location: Location::Sqlite(file),
                    decided_by: DecidedBy::Default,
                }
            }
            Some((uri, decided_by)) => Source {
                location: database_at(&uri, folder, &decided_by)?,
                decided_by,
            },
        };
        let named = settings.get("state_backend.uri", "MELTANO_STATE_BACKEND_URI");
        let named = named.filter(|(uri, _)| uri != "systemdb");
        let (mut states, mut elsewhere) = (database.clone(), None);
        if let Some((uri, decided_by)) = named {
            match Location::of_state_backend(&uri) {
                None => elsewhere = Some((without_secrets(&uri), decided_by)),
                Some(location) => {
                    let location = location.map_err(chosen_by(&decided_by))?;
                    states = Source {
                        location,
                        decided_by,
                    };
                }
            }
        }
        let name = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(Site {
            name,
            states,
            runs: Some(database),
            elsewhere,
            lock_timeout: settings.lock_timeout(),
            system: Some(PathBuf::from(settings.system_directory())),
        })
    }
}

/// Says of a setting's value that is wrong what chose it.
fn chosen_by(decided_by: &DecidedBy) -> impl Fn(Report) -> Report + '_ {
    move |report| Report {
        message: format!("{} (chosen by {decided_by})", report.message),
        ..report
    }
}

/// Tells whether a folder holds a state in Meltano's layout: whether a folder in it has a `state.json`.
pub fn is_state_directory(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut entries = entries.flatten();
    entries.any(|entry| {
        let state = entry.path().join("state.json");
        state.symlink_metadata().is_ok()
    })
}

fn database_at(uri: &str, folder: &Path, decided_by: &DecidedBy) -> Result<Location, Report> {
    let wrong = chosen_by(decided_by);
    match Location::parse(uri, folder) {
        Some(location) => location.map_err(wrong),
        None => Err(wrong(
            Report::new(Fault::Usage, "the database_uri is no URI")
                .hint("Meltano takes `sqlite:///FILE` or `postgresql+psycopg://…`"),
        )),
    }
}

/// Leaves out what stands before the `@` of a URI's host.
pub fn without_secrets(uri: &str) -> String {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return uri.to_owned();
    };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://•••@{host}{path}"),
        None => uri.to_owned(),
    }
}

/// Holds where the settings of one project can come from.
struct Settings<'s> {
    surroundings: &'s Surroundings,
    folder: &'s Path,
    file: PathBuf,
    document: Value,
    dotenv_file: PathBuf,
    dotenv: BTreeMap<String, String>,
}

impl<'s> Settings<'s> {
    fn read(surroundings: &'s Surroundings, folder: &'s Path) -> Result<Self, Report> {
        let file = folder.join("meltano.yml");
        let unreadable = |why: &dyn fmt::Display| {
            Report::new(Fault::Corrupt, format!("cannot read {}", file.display()))
                .because(why)
                .hint(
                    "mend the file, or name the database itself (`statescope .meltano/meltano.db`)",
                )
        };
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&error))?;
        let document = serde_saphyr::from_str(&text).map_err(|error| unreadable(&error))?;
        let dotenv_file = folder.join(".env");
        let dotenv = match dotenvy::from_path_iter(&dotenv_file) {
            Ok(pairs) => pairs
                .collect::<Result<BTreeMap<_, _>, _>>()
                .map_err(|error| {
                    Report::new(
                        Fault::Corrupt,
                        format!("cannot read {}", dotenv_file.display()),
                    )
                    .because(error)
                    .hint("mend the file, or name the database itself")
                })?,
            Err(_) => BTreeMap::new(),
        };
        Ok(Self {
            surroundings,
            folder,
            file,
            document,
            dotenv_file,
            dotenv,
        })
    }

    fn system_directory(&self) -> String {
        self.surroundings
            .variables
            .get("MELTANO_SYS_DIR_ROOT")
            .cloned()
            .unwrap_or_else(|| self.folder.join(".meltano").display().to_string())
    }

    /// Gives a setting's value and what decided it. Only values of meltano.yml are expanded.
    fn get(&self, setting: &str, variable: &'static str) -> Option<(String, DecidedBy)> {
        if let Some(value) = self.surroundings.variables.get(variable) {
            return Some((value.clone(), DecidedBy::Environment(variable)));
        }
        let in_file = |name: String| DecidedBy::Setting(name, self.file.clone());
        let from_env = self.document.get("env").and_then(|env| env.get(variable));
        if let Some(value) = from_env.and_then(|value| self.expanded(value)) {
            return Some((value, in_file(format!("env.{variable}"))));
        }
        if let Some(value) = self.dotenv.get(variable) {
            let decided_by = DecidedBy::Setting(variable.to_owned(), self.dotenv_file.clone());
            return Some((value.clone(), decided_by));
        }
        let value = self.expanded(self.lookup(setting)?)?;
        Some((value, in_file(setting.to_owned())))
    }

    /// Gives the seconds for which a lock holds; `None` where they are not set, and where they are no number, which Meltano
    /// refuses.
    fn lock_timeout(&self) -> Option<SignedDuration> {
        let setting = "state_backend.lock_timeout_seconds";
        let (text, _) = self.get(setting, "MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS")?;
        let seconds = text.trim().parse::<u32>().ok()?;
        Some(SignedDuration::from_secs(seconds.into()))
    }

    /// Finds a setting in its flat (`a.b:`) or nested (`a: {b:}`) form; the later one in the file wins, as in Meltano.
    fn lookup(&self, setting: &str) -> Option<&Value> {
        let top = self.document.as_object()?;
        let (outer, inner) = setting.split_once('.').unwrap_or((setting, ""));
        top.iter()
            .filter_map(|(key, value)| match key {
                key if key == setting => Some(value),
                key if key == outer => value.get(inner),
                _ => None,
            })
            .next_back()
    }

    fn expanded(&self, value: &Value) -> Option<String> {
        let text = match value {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let out = expand(&text, &|name| self.variable(name));
        (!out.is_empty()).then_some(out)
    }

    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "MELTANO_PROJECT_ROOT" => return Some(self.folder.display().to_string()),
            "MELTANO_SYS_DIR_ROOT" => return Some(self.system_directory()),
            _ => {}
        }
        let own = self
            .document
            .get("env")
            .and_then(|env| env.get(name)?.as_str());
        self.surroundings
            .variables
            .get(name)
            .or_else(|| self.dotenv.get(name))
            .cloned()
            .or_else(|| own.map(str::to_owned))
    }
}

/// Expands `$VAR` and `${VAR}` once, as Meltano 4.4.1 does: `$$` is a dollar, an unset variable is empty, anything else stays.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let braced = rest.strip_prefix('{');
        let name = identifier(braced.unwrap_or(rest));
        let after = braced.unwrap_or(rest).get(name.len()..).unwrap_or_default();
        match (braced, name.is_empty(), after.strip_prefix('}')) {
            (None, false, _) => {
                out.push_str(&variable(name).unwrap_or_default());
                rest = after;
            }
            (Some(_), false, Some(after)) => {
                out.push_str(&variable(name).unwrap_or_default());
                rest = after;
            }
            _ => out.push('$'),
        }
    }
    out.push_str(rest);
    out
}

fn identifier(text: &str) -> &str {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    if first { &text[..end] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn project(
        files: &[(&str, &str)],
        variables: &[(&str, &str)],
    ) -> (tempfile::TempDir, Result<Site, Report>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let surroundings = Surroundings {
            directory: folder.path().to_owned(),
            variables: variables
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
        };
        let site = surroundings.nearest();
        (folder, site)
    }

    #[rstest]
    #[case::default(&[("meltano.yml", "version: 1\n")], &[], ".meltano/meltano.db")]
    #[case::relative_to_the_project(&[("meltano.yml", "database_uri: sqlite:///x.db\n")], &[], "x.db")]
    #[case::expanded(&[("meltano.yml", "database_uri: sqlite:///${MELTANO_SYS_DIR_ROOT}/p.db\n")], &[], ".meltano/p.db")]
    #[case::dotenv_over_key(&[("meltano.yml", "database_uri: sqlite:///x.db\n"), (".env", "MELTANO_DATABASE_URI='sqlite:///y.db'\n")], &[], "y.db")]
    #[case::env_key_over_dotenv(&[("meltano.yml", "env: {MELTANO_DATABASE_URI: 'sqlite:///z.db'}\n"), (".env", "MELTANO_DATABASE_URI=sqlite:///y.db\n")], &[], "z.db")]
    #[case::process_first(&[("meltano.yml", "database_uri: sqlite:///x.db\n")], &[("MELTANO_DATABASE_URI", "sqlite:///p$X.db")], "p$X.db")]
    #[case::environments_do_not_count(&[("meltano.yml", "environments:\n- name: dev\n  config: {database_uri: 'sqlite:///no.db'}\n")], &[], ".meltano/meltano.db")]
    fn database_uri(
        #[case] files: &[(&str, &str)],
        #[case] variables: &[(&str, &str)],
        #[case] want: &str,
    ) {
        let (folder, site) = project(files, variables);
        let site = site.unwrap();
        assert_eq!(
            site.states.location,
            Location::Sqlite(folder.path().join(want))
        );
        assert!(site.is_one_source());
    }

    #[test]
    fn a_state_backend_elsewhere_is_told_without_its_secrets() {
        let (_folder, site) = project(
            &[(
                "meltano.yml",
                "state_backend:\n  uri: s3://KEY:SECRET@bucket/state\n",
            )],
            &[],
        );
        let site = site.unwrap();
        assert!(!site.is_live());
        assert_eq!(site.elsewhere.unwrap().0, "s3://•••@bucket/state");
    }

    #[rstest]
    #[case::key(&[("meltano.yml", "state_backend: {uri: 'file:///s/x', lock_timeout_seconds: 20}\n")], &[], "/s/x", Some(20))]
    #[case::flat(&[("meltano.yml", "state_backend.uri: file:///s/x\n")], &[], "/s/x", None)]
    #[case::expanded(&[("meltano.yml", "state_backend: {uri: 'file://${MELTANO_PROJECT_ROOT}/state'}\n")], &[], "ROOT/state", None)]
    #[case::dotenv(&[("meltano.yml", "state_backend: {uri: 'file:///no'}\n"), (".env", "MELTANO_STATE_BACKEND_URI=file:///yes\n")], &[], "/yes", None)]
    #[case::process_first(
        &[("meltano.yml", "state_backend: {uri: 'file:///no'}\n")],
        &[("MELTANO_STATE_BACKEND_URI", "file:///p%20$X"), ("MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS", "30")],
        "/p%20$X", Some(30)
    )]
    fn a_state_directory_is_the_source_of_the_states(
        #[case] files: &[(&str, &str)],
        #[case] variables: &[(&str, &str)],
        #[case] want: &str,
        #[case] timeout: Option<i64>,
    ) {
        let (folder, site) = project(files, variables);
        let site = site.unwrap();
        let root = folder.path().display().to_string();
        let want = PathBuf::from(want.replace("ROOT", &root));
        assert_eq!(site.states.location, Location::Directory(want));
        let database = Location::Sqlite(folder.path().join(".meltano/meltano.db"));
        assert_eq!(site.runs.as_ref().unwrap().location, database);
        assert!(site.is_live() && !site.is_one_source());
        assert_eq!(site.lock_timeout, timeout.map(SignedDuration::from_secs));
    }

    #[test]
    fn a_folder_is_a_project_before_it_is_a_state_directory() {
        let folder = tempfile::tempdir().unwrap();
        let surroundings = Surroundings {
            directory: folder.path().to_owned(),
            variables: BTreeMap::new(),
        };
        let nothing = surroundings.source(".").unwrap_err();
        assert_eq!(nothing.fault, Fault::NotFound);
        std::fs::create_dir(folder.path().join("job")).unwrap();
        std::fs::write(folder.path().join("job/state.json"), "{}").unwrap();
        let site = surroundings.source(".").unwrap();
        assert_eq!(
            site.states.location,
            Location::Directory(folder.path().to_owned())
        );
        assert_eq!(site.runs, None);
        std::fs::write(folder.path().join("meltano.yml"), "version: 1\n").unwrap();
        let site = surroundings.source(".").unwrap();
        assert!(site.is_one_source());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (_folder, broken) = project(&[("meltano.yml", "version: [1\n")], &[]);
        let broken = broken.unwrap_err();
        assert_eq!(broken.fault, Fault::Corrupt);
        assert!(broken.to_string().contains("line"), "{broken}");
        let (_folder, none) = project(&[], &[]);
        assert_eq!(none.unwrap_err().fault, Fault::NotFound);
        let (_folder, other) = project(
            &[(
                "meltano.yml",
                "database_uri: postgresql+psycopg://u:hunter2@h/db\n",
            )],
            &[],
        );
        let (_folder, relative) = project(
            &[("meltano.yml", "state_backend: {uri: 'file:state'}\n")],
            &[],
        );
        let relative = relative.unwrap_err().to_string();
        assert!(
            relative.contains("meltano.yml") && relative.contains("file:state"),
            "{relative}"
        );
        let other = other.unwrap_err().to_string();
        assert!(
            other.contains("meltano.yml") && !other.contains("hunter2"),
            "{other}"
        );
    }

    #[rstest]
    #[case(&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")], Some("/x"))]
    #[case(&[("XDG_STATE_HOME", "x"), ("HOME", "/h")], Some("/h/.local/state"))]
    #[case(&[("XDG_STATE_HOME", ""), ("HOME", "/h")], Some("/h/.local/state"))]
    #[case(&[("HOME", "h")], None)]
    #[case(&[], None)]
    fn state_folders(#[case] variables: &[(&str, &str)], #[case] want: Option<&str>) {
        let variables = variables.iter();
        let surroundings = Surroundings {
            directory: PathBuf::from("/"),
            variables: variables
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        assert_eq!(surroundings.state_folder(), want.map(PathBuf::from));
    }

    #[rstest]
    #[case("a$$b", "a$b")]
    #[case("${A}-$A.x", "1-1.x")]
    #[case("${A:-d}", "${A:-d}")]
    #[case("$9 ${} $", "$9 ${} $")]
    #[case("[$NOPE]", "[]")]
    fn expansion(#[case] text: &str, #[case] want: &str) {
        let one = |name: &str| (name == "A").then(|| "1".to_owned());
        assert_eq!(expand(text, &one), want);
    }
}
