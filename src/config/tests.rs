use rstest::rstest;
use tempfile::TempDir;

use super::*;
use crate::domain::id::StateId;

/// A user's file and a project's, in a folder of their own.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(user: Option<&str>, project: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Self { folder };
        std::fs::create_dir(files.path("project")).unwrap();
        for (name, text) in [("config.toml", user), ("project/.statescope.toml", project)] {
            if let Some(text) = text {
                std::fs::write(files.path(name), text).unwrap();
            }
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn lookup(&self) -> Lookup {
        Lookup {
            user: Some(self.path("config.toml")),
            projects: vec![self.path("project")],
            home: Some(PathBuf::from("/home/me")),
            ..Lookup::default()
        }
    }

    fn read(&self) -> Config {
        read(&self.lookup()).unwrap()
    }

    /// Gives the mistakes, the folder left out.
    fn mistakes(&self) -> Vec<String> {
        let folder = format!("{}/", self.folder.path().display());
        let reports = read(&self.lookup()).unwrap_err();
        let text = |report: &Report| report.to_string().replace(&folder, "");
        reports.iter().map(text).collect()
    }
}

fn given(key: &'static str, text: &str, origin: Origin) -> (&'static str, String, Origin) {
    (key, text.to_owned(), origin)
}

#[test]
fn each_layer_gives_way_to_the_next() {
    let files = Files::new(Some("color = \"never\"\n"), Some("\ncolor = \"always\"\n"));
    let config = files.read();
    assert_eq!(config.color(), "always");
    let path = files.path("project/.statescope.toml");
    assert_eq!(
        config.setting("color").unwrap().origin,
        Origin::File { path, line: 2 }
    );
    let mut lookup = files.lookup();
    let environment = Origin::Environment("STATESCOPE_COLOR");
    lookup.given = vec![given("color", "never", environment.clone())];
    let config = read(&lookup).unwrap();
    assert_eq!(
        (config.color(), &config.setting("color").unwrap().origin),
        ("never", &environment)
    );
    let option = Origin::Option("--color");
    lookup.given.push(given("color", "auto", option.clone()));
    let config = read(&lookup).unwrap();
    assert_eq!(
        (config.color(), &config.setting("color").unwrap().origin),
        ("auto", &option)
    );
    let none = Files::new(None, None).read();
    assert_eq!(none, Config::built_in());
    assert_eq!(none.setting("color").unwrap().origin, Origin::BuiltIn);
}

#[rstest]
#[case(None, None, None, None)]
#[case(Some(true), None, None, Some("config.toml:1"))]
#[case(None, Some(true), None, Some("project/.statescope.toml:1"))]
#[case(Some(true), Some(false), None, Some("config.toml:1"))]
#[case(Some(true), Some(false), Some(false), Some("config.toml:1"))]
#[case(Some(false), Some(false), Some(true), Some("--read-only"))]
#[case(
    Some(false),
    Some(true),
    Some(false),
    Some("project/.statescope.toml:1")
)]
fn what_is_read_only_stays_so(
    #[case] user: Option<bool>,
    #[case] project: Option<bool>,
    #[case] option: Option<bool>,
    #[case] want: Option<&str>,
) {
    let line = |flag: bool| format!("read_only = {flag}\n");
    let (user, project) = (user.map(line), project.map(line));
    let files = Files::new(user.as_deref(), project.as_deref());
    let mut lookup = files.lookup();
    let option = option.map(|flag| flag.to_string());
    lookup.given = option
        .map(|text| given("read_only", &text, Origin::Option("--read-only")))
        .into_iter()
        .collect();
    let config = read(&lookup).unwrap();
    let folder = format!("{}/", files.folder.path().display());
    let origin = config
        .read_only()
        .map(|origin| origin.to_string().replace(&folder, ""));
    assert_eq!(origin.as_deref(), want);
}

#[test]
fn every_mistake_of_every_file_is_told_with_its_place() {
    let user =
        "colour = \"never\"\ntime_zone = \"utc\"\n[journal]\nlimit = \"2 GiX\"\npth = \"x\"\n";
    let project = "  read_only = \"yes\"\nprotected_environments = [\"prod*\", 7, \"\"]\n\n[journal]\npath = \"elsewhere.db\"\n\
                   [sources]\n\"a b\" = \"x\"\nok = \"ftp://x\"\n[jurnal]\n";
    let mistakes = Files::new(Some(user), Some(project)).mistakes();
    assert_eq!(
        mistakes,
        [
            "config.toml:1:1: there is no key 'colour'\n  try: did you mean color?",
            "config.toml:2:13: 'utc' is no value for time_zone\n  try: write \"local\" or \"UTC\"",
            "config.toml:4:9: '2 GiX' is no value for journal.limit\n  try: write a size, \"2GiB\" or a number of bytes",
            "config.toml:5:1: there is no key 'journal.pth'\n  try: did you mean journal.path?",
            "project/.statescope.toml:1:15: '\"yes\"' is no value for read_only\n  try: write true or false",
            "project/.statescope.toml:2:36: 'integer' is no value for protected_environments\n  try: write a list of patterns",
            "project/.statescope.toml:2:39: in protected_environments, the pattern '' cannot be used: it is empty and would match \
             nothing\n  try: `*` matches any characters, `?` one, `[ab]` one of a set; write `[*]` for a star",
            "project/.statescope.toml:5:1: a project's file cannot set journal.path\n  try: set it in your own file, which \
             `statescope config path` names",
            "project/.statescope.toml:7:1: 'a b' cannot be the name of a source\n  try: for sources.NAME, write letters, digits, \
             `_` and `-`; a colon, a slash or a space would make it something else",
            "project/.statescope.toml:8:6: 'ftp' is not a scheme of any source\n  try: sources are `sqlite:///FILE`, `file:///DIR` or a path",
            "project/.statescope.toml:9:2: there is no key 'jurnal'\n  try: did you mean journal?",
        ]
    );
}

#[test]
fn what_is_no_toml_is_told_wherever_it_is_none() {
    let mistakes = Files::new(
        Some("a = \nb = [1\n"),
        Some("color = \"auto\"\ncolor = \"never\"\n"),
    )
    .mistakes();
    let places: Vec<&str> = mistakes
        .iter()
        .map(|text| text.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "config.toml:1:5",
            "config.toml:2:7",
            "project/.statescope.toml:2:1"
        ]
    );
    let files = Files::new(None, None);
    std::fs::write(files.path("config.toml"), b"# \xe4\n\nx = \"\xff\"").unwrap();
    assert_eq!(files.mistakes(), ["config.toml:1:3: this is no UTF-8"]);
}

#[test]
fn no_mistake_tells_a_password() {
    let user = "sources = { a = [\"postgresql://me:secret@h/db\"], b = \"ftp://me:secret@h\", \"c d\" = \"x://me:secret@h\" }\n\
                journal.path = \"postgresql://me:secret@h/db\"\nx = \"postgresql://me:secret@h/db\n";
    let broken = Files::new(Some(user), None).mistakes();
    assert_eq!(broken.len(), 1, "{broken:?}");
    let mistakes = Files::new(Some(&user.replace("/db\n", "/db\"\n")), None).mistakes();
    assert_eq!(mistakes.len(), 5, "{mistakes:?}");
    for mistake in broken.iter().chain(&mistakes) {
        assert!(!mistake.contains("secret"), "{mistake}");
    }
}

#[test]
fn a_column_counts_characters() {
    let files = Files::new(
        Some("sources = { \"größe\" = \"x\", \"ü ü\" = \"y\" }\n"),
        None,
    );
    let mistakes = files.mistakes();
    assert!(
        mistakes[0].starts_with("config.toml:1:28: 'ü ü' cannot"),
        "{mistakes:?}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_no_file_that_is_absent() {
    let files = Files::new(None, None);
    std::fs::create_dir(files.path("config.toml")).unwrap();
    let reports = read(&files.lookup()).unwrap_err();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].fault.exit_code(), 3);
    let absent = Files::new(None, None);
    let mut lookup = absent.lookup();
    lookup.is_named = true;
    assert_eq!(read(&lookup).unwrap_err()[0].fault, Fault::NotFound);
}

#[test]
fn a_wrong_value_in_the_environment_is_told_beside_the_others() {
    let files = Files::new(Some("x = 1\n"), None);
    let mut lookup = files.lookup();
    let origin = Origin::Environment("STATESCOPE_TIME_ZONE");
    lookup.given = vec![given("time_zone", "lokal", origin)];
    let reports = read(&lookup).unwrap_err();
    assert_eq!(reports.len(), 2);
    assert_eq!(
        reports[1].to_string(),
        "STATESCOPE_TIME_ZONE in the environment: 'lokal' is no value for time_zone\n  try: did you mean \"local\"?"
    );
}

#[test]
fn values_mean_what_they_say() {
    let user = "time_zone = \"UTC\"\nprotected_environments = [\"stag*\"]\n[journal]\npath = \"~/j.db\"\nlimit = 1_000\n\
                [sources]\nhere = \"x.db\"\nthere = \"sqlite:///y.db\"\nhome = \"~/wh\"\n";
    let files = Files::new(Some(user), Some("[sources]\nhere = \"z.db\"\n"));
    let config = files.read();
    assert!(config.is_utc());
    let environment = |id: &str| config.protected().environment(&StateId::from(id)).is_some();
    assert!(environment("staging:tap-a-to-target-b") && !environment("prod:tap-a-to-target-b"));
    assert_eq!(config.journal_path(), Some("/home/me/j.db"));
    assert_eq!(config.journal_limit(), Some(1_000));
    let source = |name: &str| config.names()[name].source.clone();
    assert_eq!(
        source("here"),
        files.path("project/z.db").display().to_string()
    );
    assert_eq!(source("there"), "sqlite:///y.db");
    assert_eq!(config.names()["there"].base, files.folder.path());
    assert_eq!(source("home"), "/home/me/wh");
}

#[test]
fn the_project_that_is_named_first_counts() {
    let files = Files::new(None, Some("color = \"never\"\n"));
    std::fs::create_dir(files.path("other")).unwrap();
    std::fs::write(
        files.path("other/.statescope.toml"),
        "color = \"always\"\nread_only = true\n",
    )
    .unwrap();
    let mut lookup = files.lookup();
    lookup.projects.push(files.path("other"));
    let config = read(&lookup).unwrap();
    assert_eq!(config.color(), "never");
    assert!(config.read_only().is_some());
}

/// Removes the `#` before tables and keys.
fn uncommented(text: &str) -> String {
    let is_setting = |line: &str| {
        let name = line.split(" = ").next().unwrap_or_default();
        line.starts_with('[') || (line.contains(" = ") && !name.contains([' ', '"']))
    };
    let line = |line: &str| match line.strip_prefix("# ").filter(|line| is_setting(line)) {
        Some(line) => format!("{line}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_commented_file_has_every_key_with_its_default() {
    let asset = include_str!("../../assets/config.toml");
    assert_eq!(
        asset,
        commented(),
        "assets/config.toml is made of the table"
    );
    let as_it_is = Files::new(Some(asset), None).read();
    assert_eq!(as_it_is, Config::built_in());
    let files = Files::new(Some(&uncommented(asset)), None);
    let config = files.read();
    for (setting, built_in) in config.settings.iter().zip(Config::built_in().settings) {
        assert_ne!(setting.origin, Origin::BuiltIn, "{}", setting.key.name);
        if setting.key.kind != Kind::Path {
            assert_eq!(setting.value, built_in.value, "{}", setting.key.name);
        }
    }
    assert_eq!(
        config.journal_path(),
        Some("/home/me/.local/state/statescope/journal.db")
    );
    assert_eq!(
        config.journal_limit(),
        Some(crate::domain::quantity::read_bytes("2GiB").unwrap())
    );
    assert_eq!(config.names().len(), 1);
}

#[test]
fn every_key_of_the_table_can_be_read_from_its_own_default() {
    for key in KEYS {
        let text = match key.default {
            Fixed::Text(text) => text.to_owned(),
            Fixed::Flag(flag) => flag.to_string(),
            Fixed::List(items) => items.join(","),
        };
        assert_eq!(key.read(&text), Ok(key.default.into()), "{}", key.name);
        assert!(key.about.ends_with('.'), "{}", key.name);
    }
}
