//! What is configured, and what follows from it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use assert_cmd::Command;
use rstest::rstest;
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::database::Database;
use crate::run::{Answer, answer, without};

const STATE: &str = r#"{"singer_state":{"bookmarks":{"s":{"a":1}}}}"#;

/// A home, and a Meltano project in which the program runs.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = Self { folder };
        home.write("project/meltano.yml", "version: 1\n");
        home.database("project/.meltano/meltano.db");
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a database with two states at a place.
    fn database(&self, name: &str) {
        let database = Database::new();
        for id in ["dev:tap-a-to-target-b", "prod:tap-a-to-target-b"] {
            database.state(id, Some(STATE), Some("{}"));
        }
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(database.file(), path).unwrap();
    }

    fn user(&self, text: &str) {
        self.write("config/statescope/config.toml", text);
    }

    fn project(&self, text: &str) {
        self.write("project/.statescope.toml", text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crate::run::command(arguments);
        command
            .current_dir(self.path("project"))
            .env("HOME", self.path(""))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"));
        command
    }

    /// Runs a command; the folder is left out of what it says.
    fn run(&self, arguments: &[&str]) -> Answer {
        self.said(self.command(arguments))
    }

    fn said(&self, command: Command) -> Answer {
        let Answer {
            code,
            stdout,
            stderr,
        } = answer(command);
        Answer {
            code,
            stdout: without(&self.path(""), &stdout),
            stderr: without(&self.path(""), &stderr),
        }
    }
}

#[test]
fn show_tells_each_value_and_what_chose_it() {
    let home = Home::new();
    home.user(
        "\ntime_zone = \"UTC\"\n[sources]\nold = \"postgresql://me:secret@db/x?password=secret\"\n",
    );
    home.project("read_only = true\n[sources]\nbeside = \"../beside.db\"\n");
    let mut command = home.command(&["config", "show", "--color", "never"]);
    command.env("STATESCOPE_JOURNAL_LIMIT", "1 GB");
    let shown = home.said(command).quiet(0);
    let cells = |line: &str| {
        let cells = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        cells.collect::<Vec<_>>().join(" · ") + "\n"
    };
    assert_eq!(
        shown.lines().map(cells).collect::<String>(),
        "\
color · \"never\" · --color
time_zone · \"UTC\" · [DIR]config/statescope/config.toml:2
read_only · true · [DIR]project/.statescope.toml:1
protected_environments · [\"prod*\", \"prd*\", \"live*\", \"mainnet*\"] · built in
journal.path · \"[DIR]state/statescope/journal.db\" · built in
journal.limit · \"1 GB\" · STATESCOPE_JOURNAL_LIMIT in the environment
sources.beside · \"[DIR]project/../beside.db\" · [DIR]project/.statescope.toml:3
sources.old · \"postgresql://•••@db/x?•••\" · [DIR]config/statescope/config.toml:4
"
    );
}

#[test]
fn show_is_the_same_as_json() {
    let home = Home::new();
    home.user("protected_environments = [\"stag*\"]\n");
    let (shown, _) = home
        .run(&["config", "show", "--json", "--read-only"])
        .json(0);
    let shown = shown.as_array().unwrap();
    let find = |key: &str| shown.iter().find(|line| line["key"] == key).unwrap();
    assert_eq!(
        find("protected_environments"),
        &json!({"key": "protected_environments", "value": ["stag*"], "origin": "file",
            "file": "[DIR]config/statescope/config.toml", "line": 1, "name": null})
    );
    assert_eq!(
        find("read_only"),
        &json!({"key": "read_only", "value": true, "origin": "command-line", "file": null, "line": null, "name": "--read-only"})
    );
    assert_eq!(
        find("journal.path")["value"],
        "[DIR]state/statescope/journal.db"
    );
}

#[test]
fn path_names_the_files_and_says_which_are_there() {
    let home = Home::new();
    home.project("this is = no TOML [\n");
    assert_eq!(
        home.run(&["config", "path"]).quiet(0),
        "[DIR]config/statescope/config.toml  user     is not there\n\
         [DIR]project/.statescope.toml       project  is there\n"
    );
    let (files, _) = home.run(&["config", "path", "--json"]).json(0);
    assert_eq!(
        files,
        json!([
            {"whose": "user", "path": "[DIR]config/statescope/config.toml", "exists": false},
            {"whose": "project", "path": "[DIR]project/.statescope.toml", "exists": true},
        ])
    );
}

#[test]
fn init_writes_a_file_that_changes_nothing_and_replaces_none() {
    let home = Home::new();
    let before = home.run(&["config", "show"]).quiet(0);
    let path = home.run(&["config", "init"]).quiet(0);
    assert_eq!(path, "[DIR]config/statescope/config.toml\n");
    let file = home.path("config/statescope/config.toml");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert_eq!(home.run(&["config", "show"]).quiet(0), before);
    fs::write(&file, "color = \"never\"\n").unwrap();
    let refused = home.run(&["config", "init"]).failed(5);
    assert!(
        refused.contains("config.toml is there already"),
        "{refused}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "color = \"never\"\n");
}

#[test]
fn every_mistake_is_told_before_anything_is_done() {
    let home = Home::new();
    home.user("colour = \"never\"\n");
    home.project("[journal]\npath = \"x.db\"\n");
    let mut command = home.command(&["list"]);
    command.env("STATESCOPE_TIME_ZONE", "here");
    let told = home.said(command).failed(2);
    assert_eq!(
        told,
        "statescope: [DIR]config/statescope/config.toml:1:1: there is no key 'colour'\n  try: did you mean color?\n\
         statescope: [DIR]project/.statescope.toml:2:1: a project's file cannot set journal.path\n  \
         try: set it in your own file, which `statescope config path` names\n\
         statescope: STATESCOPE_TIME_ZONE in the environment: 'here' is no value for time_zone\n  \
         try: write \"local\" or \"UTC\"\n"
    );
    let errors = home.run(&["list", "--json"]).errors();
    assert_eq!(errors.len(), 2);
    assert_eq!(errors[0]["error"], "usage");
}

#[test]
fn a_file_that_is_named_takes_the_place_of_the_users() {
    let home = Home::new();
    home.user("color = \"always\"\n");
    home.write("project/other.toml", "color = \"never\"\n");
    let color = |arguments: &[&str]| {
        let (shown, _) = home
            .run(&[&["config", "show", "--json"], arguments].concat())
            .json(0);
        shown[0]["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(color(&[]), "always");
    assert_eq!(color(&["--config", "other.toml"]), "never");
    let told = home.run(&["list", "--config", "none.toml"]).failed(3);
    assert!(
        told.contains("there is no configuration file [DIR]project/none.toml"),
        "{told}"
    );
}

#[rstest]
#[case::before(&["--source", "spare", "list", "--ids"])]
#[case::behind(&["list", "--ids", "--source", "spare"])]
fn a_configured_name_is_a_source(#[case] arguments: &[&str]) {
    let home = Home::new();
    home.database("spare/other.db");
    let spare = home.path("spare/other.db");
    Connection::open(&spare)
        .unwrap()
        .execute(
            "UPDATE state SET state_id = 'only:tap-a-to-target-b' WHERE state_id LIKE 'dev%'",
            [],
        )
        .unwrap();
    home.project("[sources]\nspare = \"../spare/other.db\"\n");
    let listed = home.run(arguments).quiet(0);
    assert_eq!(listed, "only:tap-a-to-target-b\nprod:tap-a-to-target-b\n");
    let (sources, _) = home
        .run(&["sources", "--source", "spare", "--json"])
        .json(0);
    assert_eq!(sources[0]["name"], "spare");
    assert_eq!(
        sources[0]["decided_by"],
        "sources.spare in [DIR]project/.statescope.toml"
    );
    let got = home.run(&["get", "spare::only:tap-a-to-target-b"]).quiet(0);
    assert_eq!(got, format!("{STATE}\n"));
}

#[test]
fn a_configured_name_comes_before_a_path() {
    let home = Home::new();
    home.database("project/spare");
    home.user("[sources]\nspare = \"nothing.db\"\n");
    let told = home.run(&["list", "--source", "spare"]);
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.stderr.contains("nothing.db"), "{told:?}");
    assert_eq!(home.run(&["list", "--ids", "--source", "./spare"]).code, 0);
}

fn put(id: &'static str) -> [&'static str; 5] {
    ["put", id, "/singer_state/bookmarks/s/a", "2", "--yes"]
}

#[test]
fn what_is_protected_can_be_configured() {
    let home = Home::new();
    let [dev, prod] = ["dev:tap-a-to-target-b", "prod:tap-a-to-target-b"];
    home.user("protected_environments = [\"d*\"]\n");
    let told = home.run(&put(dev));
    assert_eq!(told.code, 5, "{told:?}");
    assert!(told.stderr.contains("dev is protected"), "{told:?}");
    let mut command = home.command(&put(prod));
    command.env("STATESCOPE_PROTECTED_ENVIRONMENTS", "x, prod");
    assert_eq!(answer(command).code, 5);
    assert_eq!(home.run(&put(prod)).code, 0);
}

#[test]
fn a_project_that_is_read_only_is_so_however_it_is_named() {
    let home = Home::new();
    home.project("read_only = true\n");
    home.user("read_only = false\n[sources]\nwarehouse = \"../../project\"\n");
    let project = home.path("project").display().to_string();
    for named in [
        &[][..],
        &["--project", &project],
        &["--source", &project],
        &["--source", "warehouse"],
    ] {
        let mut command = home.command(&[&put("dev:tap-a-to-target-b")[..], named].concat());
        command.current_dir(if named.is_empty() {
            home.path("project")
        } else {
            home.path("")
        });
        command.env("STATESCOPE_READ_ONLY", "false");
        let told = home.said(command);
        assert_eq!(told.code, 5, "{named:?}: {told:?}");
        let why = "project/.statescope.toml:1 says so";
        assert!(told.stderr.contains(why), "{named:?}: {told:?}");
    }
}

#[test]
fn the_journal_is_where_the_users_file_says() {
    let home = Home::new();
    home.user("[journal]\npath = \"~/elsewhere/j.db\"\n");
    assert_eq!(home.run(&put("dev:tap-a-to-target-b")).code, 0);
    assert!(home.path("elsewhere/j.db").exists());
    assert!(!home.path("state").exists());
    let (operations, _) = home.run(&["operations", "--json"]).json(0);
    assert_eq!(operations.as_array().unwrap().len(), 1);
}

#[test]
fn the_journal_is_as_large_as_the_users_file_lets_it_be() {
    let home = Home::new();
    home.user("[journal]\nlimit = \"1 kB\"\n");
    let told = home.run(&put("dev:tap-a-to-target-b"));
    assert_ne!(told.code, 0, "{told:?}");
    assert!(told.stderr.contains("nothing was written"), "{told:?}");
    let more = home.run(
        &[
            &put("dev:tap-a-to-target-b")[..],
            &["--journal-limit", "10MB"],
        ]
        .concat(),
    );
    assert_eq!(more.code, 0, "{more:?}");
}

#[test]
fn colours_are_as_configured() {
    let home = Home::new();
    let is_coloured = |arguments: &[&str]| {
        let listed = home.run(&[&["sources"], arguments].concat()).quiet(0);
        listed.contains('\u{1b}')
    };
    assert!(!is_coloured(&[]));
    home.user("color = \"always\"\n");
    assert!(is_coloured(&[]));
    assert!(!is_coloured(&["--color", "never"]));
}

#[test]
fn times_are_shown_and_read_in_the_configured_zone() {
    let home = Home::new();
    Connection::open(home.path("project/.meltano/meltano.db"))
        .unwrap()
        .execute_batch(
            "INSERT INTO runs (job_name, state, started_at, ended_at, payload, payload_flags, run_id) VALUES \
             ('dev:tap-a-to-target-b', 'SUCCESS', '2026-11-30 20:00:00', '2026-11-30 20:05:00', '{}', 1, \
             '00000000000000000000000000000001')",
        )
        .unwrap();
    let log = |arguments: &[&str]| {
        let mut command = home.command(&[&["log", "dev:tap-a-to-target-b"], arguments].concat());
        command.env("TZ", "Asia/Tokyo");
        home.said(command)
    };
    assert!(
        log(&[]).stdout.contains("2026-12-01 05:05:00 JST"),
        "{:?}",
        log(&[])
    );
    home.user("time_zone = \"UTC\"\n");
    assert!(
        log(&[]).stdout.contains("2026-11-30 20:05:00 UTC"),
        "{:?}",
        log(&[])
    );
    let since = log(&["--since", "2026-11-30 20:01"]);
    assert!(
        since
            .stderr
            .contains("is taken for 2026-11-30 20:01:00 UTC"),
        "{since:?}"
    );
}
