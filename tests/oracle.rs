//! The real Meltano 4.4.1 as the judge: what it says of a system database, we say, byte for byte.
//!
//! `tests/run` installs it and names its executable in `STATESCOPE_ORACLE_MELTANO`. Without that these tests fail; they
//! are never passed over in silence.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

mod support;

#[path = "oracle/logs.rs"]
mod logs;
#[path = "oracle/writes.rs"]
mod writes;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, TryRecvError};

use rstest::rstest;
use serde_json::Value;
use support::{Answer, Sandbox, fixture_text};

const VARIABLE: &str = "STATESCOPE_ORACLE_MELTANO";

/// A Meltano project in a sandbox, and the real Meltano to run in it.
struct Project {
    sandbox: Sandbox,
    meltano: PathBuf,
}

impl Project {
    fn new() -> Self {
        let meltano = std::env::var_os(VARIABLE)
            .unwrap_or_else(|| panic!("{VARIABLE} must name the executable of Meltano 4.4.1"));
        let sandbox = Sandbox::new();
        sandbox.write(
            "project/meltano.yml",
            "default_environment: dev\nenvironments:\n- name: dev\n- name: prod\n",
        );
        std::fs::create_dir(sandbox.path("project/.meltano")).expect("a folder can be made");
        Self {
            sandbox,
            meltano: meltano.into(),
        }
    }

    fn with_database(fixture: &str) -> Self {
        let project = Self::new();
        project.sandbox.copy(fixture, project.database());
        project
    }

    fn database(&self) -> PathBuf {
        self.sandbox.path("project/.meltano/meltano.db")
    }

    /// The names of the files that belong to the database: itself, and a log and its index if there are any.
    fn database_files(&self) -> BTreeSet<String> {
        let folder = self.database();
        let folder = folder.parent().expect("it has a folder");
        std::fs::read_dir(folder)
            .expect("the folder can be listed")
            .map(|entry| entry.expect("an entry can be read").file_name())
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.starts_with("meltano.db"))
            .collect()
    }

    fn confine(&self, command: &mut Command) {
        self.sandbox.confine(command);
        command
            .current_dir(self.sandbox.path("project"))
            .env("NO_COLOR", "1")
            .env("MELTANO_SEND_ANONYMOUS_USAGE_STATS", "false");
    }

    /// Runs one real Meltano command as a process of its own, as a person does.
    fn meltano(&self, arguments: &[&str]) -> Answer {
        let mut command = Command::new(&self.meltano);
        self.confine(&mut command);
        Answer::of(command.args(arguments))
    }

    /// Runs many real Meltano commands one after the other.
    fn meltano_many(&self, commands: &[Vec<String>]) -> Vec<Answer> {
        let python = self.meltano.with_file_name("python");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/meltano_many.py");
        let mut command = Command::new(python);
        self.confine(&mut command);
        let mut child = command
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the Python of Meltano can be started");
        let mut input = child.stdin.take().expect("its input is a pipe");
        let lines = serde_json::to_vec(commands).expect("arguments are JSON");
        input.write_all(&lines).expect("it reads what it is to run");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let answers = serde_json::Deserializer::from_slice(&output.stdout)
            .into_iter::<Value>()
            .map(|answer| answer_from(&answer.expect("an answer is JSON")))
            .collect::<Vec<_>>();
        assert_eq!(answers.len(), commands.len(), "{said}");
        answers
    }

    fn get(&self, state_id: &str) -> Answer {
        self.statescope(&["get", state_id])
    }

    fn statescope(&self, arguments: &[&str]) -> Answer {
        let mut command = self.sandbox.program();
        command.args(arguments).arg("--source").arg(self.database());
        Answer::of(&mut command)
    }

    /// The IDs that `list --with-state` gives, in its order.
    fn listed(&self) -> Vec<String> {
        let answer = self.statescope(&["list", "--with-state", "--json"]);
        let jobs: Vec<Value> =
            serde_json::from_str(&answer.out_of_success()).expect("the list is a JSON array");
        jobs.iter()
            .map(|job| job["state_id"].as_str().expect("a state ID").to_owned())
            .collect()
    }

    /// Asks both for the list and for each of these states, and fails where the answers differ.
    fn agrees(&self, state_ids: &[String]) {
        assert!(!state_ids.is_empty(), "nothing to compare");
        let mut commands = vec![words(&["state", "list"])];
        commands.extend(state_ids.iter().map(|id| words(&["state", "get", id])));
        let theirs = self.meltano_many(&commands);
        let ours = self.listed().join("\n") + "\n";
        assert_eq!(ours, theirs[0].clone().out_of_success());
        for (state_id, theirs) in state_ids.iter().zip(&theirs[1..]) {
            let theirs = theirs.clone().out_of_success();
            let ours = self.get(state_id);
            assert_eq!(
                (ours.code, ours.out.as_str()),
                (Some(0), theirs.as_str()),
                "{state_id:?}: {}",
                ours.err
            );
        }
    }
}

fn answer_from(answer: &Value) -> Answer {
    let text = |key: &str| answer[key].as_str().expect("text").to_owned();
    Answer {
        code: answer["code"]
            .as_i64()
            .and_then(|code| code.try_into().ok()),
        out: text("out"),
        err: text("err"),
    }
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(ToString::to_string).collect()
}

#[test]
fn states_that_its_own_commands_made_read_the_same() {
    let project = Project::new();
    let set = |id: &str, state: &str| words(&["state", "set", "--force", id, state]);
    let merge = |id: &str, state: &str| words(&["state", "merge", id, state]);
    let made = [
        set(
            "dev:tap-github-to-target-jsonl",
            r#"{"singer_state": {"bookmarks": {"commits": {"since": "2024-01-01", "n": 1}, "issues": {"page": 7}}}}"#,
        ),
        set(
            "numbers",
            r#"{"singer_state": {"a": [1E3, 1e-7, 0.1, -0, -0.0, 1e16, 1e22, 9007199254740993, 123456789012345678901234567890, NaN, -Infinity]}}"#,
        ),
        set(
            "straße 日本語 🚀",
            r#"{"singer_state": {"straße": "naïve ☃ 𝄞", "lone": "\ud800", "ctl": "\u0000\u001f\u007f\/"}}"#,
        ),
        set(
            "duplicates",
            r#"{"singer_state": {"b": 1, "a": 2, "b": {"x": 3}}}"#,
        ),
        set(
            "both",
            r#"{"singer_state": {"a": {"x": 1, "y": [1, 2]}, "z": 1}}"#,
        ),
        merge(
            "both",
            r#"{"singer_state": {"a": {"y": [], "w": null}, "new": {"k": 2.50}}}"#,
        ),
        merge(
            "only-partial",
            r#"{"singer_state": {"bookmarks": {"orders": 5}}}"#,
        ),
        merge(
            "only-partial",
            r#"{"singer_state": {"bookmarks": {"refunds": {}}}}"#,
        ),
        set("moved-away", r#"{"singer_state": {"a": 1}}"#),
        words(&["state", "move", "--force", "moved-away", "moved-here"]),
        words(&["state", "copy", "--force", "both", "copied"]),
        set("cleared", r#"{"singer_state": {"a": 1}}"#),
        words(&["state", "clear", "--force", "cleared"]),
        words(&["state", "set", "--force", "--no-validate", "empty", "{}"]),
        set(
            "dev:tap-github-to-target-jsonl",
            r#"{"singer_state": {"bookmarks": {"commits": {"since": "2024-02-01"}}}}"#,
        ),
    ];
    for (command, answer) in made.iter().zip(project.meltano_many(&made)) {
        assert_eq!(answer.code, Some(0), "{command:?}: {answer:#?}");
    }
    let state_ids = project.listed();
    assert_eq!(state_ids.len(), 9, "{state_ids:?}");
    project.agrees(&state_ids);
    for state_id in ["moved-away", "cleared", "never-there"] {
        let answer = project.get(state_id);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(1), ""),
            "{state_id}"
        );
    }
}

#[rstest]
fn a_database_that_it_upgraded_reads_the_same(
    #[values(
        "real-1.68.0-d135f52a6f49",
        "real-1.105.0-13e8639c6d2b",
        "real-2.6.0-5b43800443d1",
        "real-2.7.0-f4c225a9492f",
        "real-2.20.0-6828cc5b1a4f",
        "real-3.5.4-6828cc5b1a4f",
        "real-4.0.0-6828cc5b1a4f",
        "real-4.4.1-c0efb3c314eb"
    )]
    era: &str,
) {
    let folder = format!("meltano/upgrade/{era}");
    let project = Project::with_database(&format!("{folder}/before.db"));
    let upgraded = project.meltano_many(&[words(&["upgrade", "database"])]);
    assert_eq!(upgraded[0].code, Some(0), "{upgraded:#?}");
    let answers: serde_json::Map<String, Value> =
        serde_json::from_str(&fixture_text(format!("{folder}/state-get.json")))
            .expect("the answers are an object");
    let state_ids: Vec<String> = answers.keys().cloned().collect();
    project.agrees(&state_ids);
}

#[test]
fn the_demo_reads_the_same() {
    let project = Project::new();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let read = |name| std::fs::read_to_string(assets.join(name)).expect("an asset can be read");
    project
        .sandbox
        .write("project/meltano.yml", read("meltano.yml"));
    rusqlite::Connection::open(project.database())
        .and_then(|database| database.execute_batch(&read("meltano.sql")))
        .expect("the demo's database can be made");
    let state_ids = project.listed();
    assert_eq!(state_ids.len(), 10, "{state_ids:?}");
    project.agrees(&state_ids);
}

/// What `meltano state set` writes at each turn of the loop below, and how `get` shows it.
fn turn(number: u32) -> (String, String) {
    let document = format!(r#"{{"singer_state": {{"bookmarks": {{"s": {{"turn": {number}}}}}}}}}"#);
    let shown = format!(r#"{{"singer_state":{{"bookmarks":{{"s":{{"turn":{number}}}}}}}}}"#);
    (document, shown + "\n")
}

#[test]
fn a_busy_meltano_beside_us_is_read_right_and_nothing_is_left() {
    const TURNS: u32 = 16;
    let state_id = "dev:tap-github-to-target-jsonl";
    let project = Project::new();
    let set = |number| {
        let (document, _) = turn(number);
        let answer = project.meltano(&["state", "set", "--force", state_id, &document]);
        assert!(!answer.err.contains("database is locked"), "{answer:#?}");
        assert_eq!(answer.code, Some(0), "{answer:#?}");
    };
    let shown: Vec<String> = (0..=TURNS).map(|number| turn(number).1).collect();
    let read = || {
        let answer = project.get(state_id).out_of_success();
        let position = shown.iter().position(|shown| *shown == answer);
        position.unwrap_or_else(|| panic!("{answer:?} was never written"))
    };

    set(0);
    let answers = std::thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        scope.spawn(move || {
            for number in 1..=TURNS {
                set(number);
                ended.send(number).expect("the reader is there");
                may_go_on.recv().expect("the reader is content");
            }
        });
        let mut answers = Vec::new();
        loop {
            match ends.try_recv() {
                Err(TryRecvError::Empty) => answers.push(read()),
                Err(TryRecvError::Disconnected) => return answers,
                // Nobody has the database open now: whatever appears beside it would be ours.
                Ok(number) => {
                    let before = project.database_files();
                    assert_eq!(read(), number as usize);
                    let after = project.database_files();
                    assert!(after.is_subset(&before), "{before:?} became {after:?}");
                    go_on.send(()).expect("the writer is there");
                }
            }
        }
    });

    assert!(answers.is_sorted(), "a state went back: {answers:?}");
    let seen: BTreeSet<usize> = answers.iter().copied().collect();
    assert!(seen.len() > TURNS as usize / 2, "too little seen: {seen:?}");
    set(TURNS);
    assert_eq!(
        project.database_files(),
        BTreeSet::from(["meltano.db".to_owned()])
    );
    assert_eq!(read(), TURNS as usize);
    assert_eq!(
        project.database_files(),
        BTreeSet::from(["meltano.db".to_owned()])
    );
}
