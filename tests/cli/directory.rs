//! State directories, alone and as the states of a project.

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::database::{JOB, story};
use crate::run::{Answer, answer, command, on, statescope, without};
use crate::tree::Tree;

const BODY: &str =
    r#"{"completed": {"singer_state": {"bookmarks": {"s": {"a": 1E3}}}}, "partial": {}}"#;

/// A project whose states are in a directory and whose runs are those of [`story`].
struct Project {
    database: crate::database::Database,
    tree: Tree,
}

impl Project {
    fn new(tree: Tree) -> Self {
        let database = story();
        let yml = format!(
            "state_backend:\n  uri: {}\n  lock_timeout_seconds: 3600\ndatabase_uri: sqlite:///meltano.db\n",
            tree.uri()
        );
        fs::write(database.folder().join("meltano.yml"), yml).unwrap();
        Self { database, tree }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut here = command(arguments);
        here.current_dir(self.database.folder());
        here
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        answer(self.command(arguments))
    }

    /// Replaces what is another on every machine.
    fn plain(&self, text: &str) -> String {
        let name = self.database.folder().file_name().unwrap();
        let text = without(&self.tree.path(), text).replace("[DIR]", "[STATES]");
        let text = without(self.database.folder(), &text);
        let text = text.replace(name.to_str().unwrap(), "[PROJECT]");
        let words = text.split("  ").map(str::trim_start);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("  ")
    }
}

fn job<'j>(found: &'j Value, id: &str) -> &'j Value {
    let jobs = found.as_array().unwrap();
    let mut jobs = jobs.iter().filter(|job| job["state_id"] == id);
    jobs.next().unwrap()
}

#[test]
fn a_list_shows_locks_and_what_is_damaged() {
    let tree = Tree::with_corrupt();
    let before = tree.exact();
    let path = tree.path().display().to_string();
    let text = on(&path, &["list", "--pattern", "[cel]*-*"]).quiet(0);
    insta::assert_snapshot!(text, @r"
    ○ corrupt-empty             no run known     0 B                                  ! unreadable
    ○ corrupt-truncated         no run known    45 B                                  ! unreadable
    ○ extra-keys                no run known    28 B                                  ! unknown-key
    ○ lock-empty                no run known    33 B    empty lock                    ! broken-lock
    ○ lock-far-future           no run known    33 B    locked from the future
    ○ lock-garbage              no run known    33 B    unreadable lock               ! broken-lock
    ○ lock-stale                no run known    33 B    lock expired, 1112 d 1 h old
    ∅ locked-by-dead-process    no state                lock expired, 22 m 3 s old
    ");
    assert_eq!(tree.exact(), before);
}

#[test]
fn a_list_in_json_has_the_locks() {
    let tree = Tree::with_corrupt();
    let uri = tree.uri();
    let (found, errors) = on(&uri, &["list", "--json"]).json(0);
    assert_eq!(errors, Vec::<Value>::new());
    let lock = |id: &str| &job(&found, id)["lock"];
    assert_eq!(*lock("set-by-cli"), Value::Null);
    assert_eq!(
        *lock("lock-stale"),
        json!({"since": "2023-11-14T22:13:20Z", "expires": "2023-11-14T22:13:30Z", "standing": "expired"})
    );
    assert_eq!(
        *lock("lock-far-future"),
        json!({"since": "2100-01-01T00:00:00Z", "expires": "2100-01-01T00:00:10Z", "standing": "future"})
    );
    let nameless = |standing: &str| json!({"since": null, "expires": null, "standing": standing});
    assert_eq!(*lock("lock-empty"), nameless("empty"));
    assert_eq!(*lock("lock-garbage"), nameless("unreadable"));
    let truncated = job(&found, "corrupt-truncated");
    assert_eq!(truncated["has_state"], true);
    let finding = &truncated["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["severity"]),
        (&json!("unreadable"), &json!("error"))
    );
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("line 1, column 46"), "{message}");
    let plain = job(&found, "with spaces");
    assert_eq!(
        (
            &plain["source"],
            &plain["live"],
            &plain["updated_at"],
            &plain["updated_at_zone"],
            &plain["last_run"]
        ),
        (
            &json!(uri),
            &json!(true),
            &json!("2026-11-30T12:00:00Z"),
            &json!("UTC"),
            &Value::Null
        )
    );
}

#[test]
fn a_state_is_read_by_its_id_wherever_it_lies() {
    let tree = Tree::with_corrupt().with("bmlnaHRseQ==", BODY);
    let uri = tree.uri();
    assert_eq!(
        on(&uri, &["get", "set-by-cli"]).quiet(0),
        "{\"singer_state\":{\"bookmarks\":{\"a\":1,\"b\":2}}}\n"
    );
    assert_eq!(
        on(&uri, &["get", "slash/in/id"]).quiet(0),
        "{\"singer_state\":{\"bookmarks\":{\"n\":\"slash\"}}}\n"
    );
    let verbatim = on(
        &uri,
        &["get", "nightly", "--part", "completed", "--verbatim"],
    )
    .quiet(0);
    assert_eq!(
        verbatim,
        r#"{"singer_state": {"bookmarks": {"s": {"a": 1E3}}}}"#
    );
    let qualified = format!("{uri}::a_b");
    assert_eq!(
        statescope(&["get", &qualified, "--source", "cli/base.db"]).quiet(0),
        "{\"singer_state\":{\"bookmarks\":{\"n\":0}}}\n"
    );
}

#[test]
fn what_cannot_be_read_says_why_and_gives_its_bytes() {
    let tree = Tree::with_corrupt();
    let uri = tree.uri();
    let failed =
        |arguments: &[&str], code| without(&tree.path(), &on(&uri, arguments).failed(code));
    insta::assert_snapshot!(failed(&["get", "corrupt-truncated"], 3), @r#"
    statescope: the state of 'corrupt-truncated' cannot be told
      why: it is not JSON: line 1, column 46: expected a closing '"', found the end of the text
      try: `--part body --verbatim` gives the bytes of the file
    "#);
    let body = on(
        &uri,
        &["get", "corrupt-truncated", "--part", "body", "--verbatim"],
    )
    .quiet(0);
    assert_eq!(body, r#"{"completed": {"singer_state": {"a": 1}, "par"#);
    insta::assert_snapshot!(failed(&["get", "a_b", "--part", "body"], 1), @r"
    statescope: the state of 'a_b' has no body part
      why: it has completed and partial
    ");
    insta::assert_snapshot!(failed(&["get", "locked-by-dead-process"], 1), @r"
    statescope: there is no state ID 'locked-by-dead-process' in file://[DIR]
      why: it has a lock there, and neither a state nor a run
    ");
    fs::create_dir_all(tree.path().join("pipe/state.json")).unwrap();
    insta::assert_snapshot!(failed(&["get", "pipe"], 3), @r"
    statescope: cannot read file://[DIR]
      why: it is a folder
      try: name a Meltano system database or a state directory
    ");
}

#[test]
fn a_directory_has_no_history() {
    let tree = Tree::of_meltano();
    let (found, _) = on(&tree.uri(), &["log", "a_b", "--json"]).json(0);
    let [now] = &found.as_array().unwrap()[..] else {
        panic!("{found}");
    };
    assert_eq!(
        (&now["id"], &now["at"]),
        (&json!("now"), &json!("2026-11-30T12:00:00Z"))
    );
    assert!(
        on(&tree.uri(), &["log", "nope"])
            .failed(3)
            .contains("no state ID 'nope'")
    );
}

#[test]
fn nothing_is_written_and_it_is_said_why() {
    let tree = Tree::of_meltano();
    let before = tree.exact();
    let journal = tree.outside().join("journal.db").display().to_string();
    for arguments in [
        &["put", "a_b", "/singer_state/x", "1", "--yes"][..],
        &["set", "new", "{\"singer_state\": {}}", "--yes"],
        &["clear", "a_b", "--yes"],
    ] {
        let mut command = command(arguments);
        command
            .arg("--source")
            .arg(tree.path())
            .env("STATESCOPE_JOURNAL", &journal);
        let refused = answer(command);
        assert_eq!(refused.code, 5, "{refused:?}");
        // What a store that is written to would do is not said of this one.
        assert!(!refused.stdout.contains("STATE_EDIT"), "{refused:?}");
        assert!(
            refused
                .stderr
                .contains("this version edits states in SQLite system databases"),
            "{refused:?}"
        );
    }
    assert_eq!(tree.exact(), before);
}

#[test]
fn a_projects_states_come_from_its_directory_and_its_runs_from_its_database() {
    let tree = Tree::new().with("other", BODY);
    let project = Project::new(tree);
    insta::assert_snapshot!(project.plain(&project.run(&["sources"]).quiet(0)), @r"
    ● [PROJECT]  file://[STATES]  states  states stored  chosen by state_backend.uri in [DIR]/meltano.yml
    ● [PROJECT]  sqlite:///[DIR]/meltano.db  runs  revision c0efb3c314eb, states stored  chosen by database_uri in [DIR]/meltano.yml
    ");
    let (found, _) = project.run(&["sources", "--json"]).json(0);
    assert_eq!(
        (&found[0]["roles"], &found[1]["roles"]),
        (&json!(["states"]), &json!(["runs"]))
    );
    assert_eq!(
        (&found[0]["kind"], &found[1]["kind"]),
        (&json!("directory"), &json!("sqlite"))
    );
    assert_eq!(
        found[0]["capabilities"],
        json!({"runs": false, "states": "stored"})
    );
    assert_eq!(found[0]["revision"], Value::Null);

    // The database's own state of the job is not the project's: the job has run, and has none.
    insta::assert_snapshot!(project.run(&["list"]).quiet(0), @r"
    ○ other                       no run known             52 B
    ∅ dev:tap-a-to-target-b  7 h  succeeded, state gone
    ");
    assert_eq!(project.run(&["get", JOB]).code, 1);
    let (log, _) = project.run(&["log", JOB, "--json"]).json(0);
    assert_eq!(log.as_array().unwrap().len(), 6);
    assert_eq!(
        (&log[0]["id"], &log[0]["parts"]),
        (&json!("now"), &json!([]))
    );
}

#[test]
fn a_state_in_a_directory_is_joined_with_its_runs() {
    let tree = Tree::new().with(JOB, BODY);
    tree.write(format!("{JOB}/lock"), "1796079600");
    let project = Project::new(tree);
    let (found, _) = project.run(&["list", "--json"]).json(0);
    let [only] = &found.as_array().unwrap()[..] else {
        panic!("{found}");
    };
    assert_eq!(only["last_run"]["status"], "SUCCESS");
    assert_eq!(only["last_edit"], "2026-11-29T17:40:00.000003Z");
    // The project's own time-out.
    assert_eq!(
        only["lock"],
        json!({"since": "2026-11-30T23:00:00Z", "expires": "2026-12-01T00:00:00Z", "standing": "held"})
    );
    let log = project.run(&["log", JOB]).quiet(0);
    assert!(
        log.contains("it was imported, or its file was replaced"),
        "{log}"
    );
    assert_eq!(project.run(&["get", JOB, "--at", "1"]).code, 0);
    // The job of the same name in the database alone is another state.
    let file = project.database.path();
    let (both, _) = statescope(&[
        "list",
        "--json",
        "--project",
        project.database.folder().to_str().unwrap(),
        "--source",
        &file,
    ])
    .json(0);
    assert_eq!(
        both[0]["elsewhere"],
        json!([{"source": format!("sqlite:///{file}"), "equal": false}])
    );
}

#[test]
fn a_project_whose_database_is_not_there_yet_has_states() {
    let project = Project::new(Tree::new().with("job", BODY));
    fs::remove_file(project.database.file()).unwrap();
    assert_eq!(project.run(&["list", "--ids"]).quiet(0), "job\n");
    assert_eq!(
        project.run(&["get", "job"]).quiet(0),
        "{\"singer_state\":{\"bookmarks\":{\"s\":{\"a\":1000.0}}}}\n"
    );
    assert_eq!(project.run(&["log", "job"]).code, 0);
    assert_eq!(project.run(&["sources"]).code, 3);
}

#[test]
fn a_projects_database_that_cannot_be_read_is_named_and_its_directory_can_be_read_alone() {
    let project = Project::new(Tree::new().with("job", BODY));
    fs::write(project.database.file(), "no database").unwrap();
    for arguments in [&["list"][..], &["log", "job"]] {
        let failed = project.run(arguments).failed(3);
        assert!(failed.contains("meltano.db"), "{failed}");
    }
    let alone = on(&project.tree.uri(), &["list", "--ids"]);
    assert_eq!(alone.quiet(0), "job\n");
}

#[test]
fn a_directory_that_is_not_there_is_said() {
    let project = Project::new(Tree::new());
    fs::remove_dir(project.tree.path()).unwrap();
    let gone = project.run(&["list"]).failed(3);
    assert!(gone.contains("there is no such file"), "{gone}");
    let named = statescope(&["list", "--source", "file://relative/dir"]).failed(2);
    assert!(named.contains("three slashes"), "{named}");
}
