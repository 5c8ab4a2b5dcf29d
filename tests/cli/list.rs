//! `list`.

use serde_json::{Value, json};

use crate::database::{Database, JOB, Row, story};
use crate::run::{answer, command, statescope, without};

const KEYS: &[&str] = &[
    "state_id",
    "source",
    "live",
    "has_state",
    "environment",
    "tap",
    "target",
    "suffix",
    "streams",
    "size_bytes",
    "updated_at",
    "updated_at_zone",
    "bookmark",
    "last_run",
    "last_edit",
    "lock",
    "elsewhere",
    "bot",
    "findings",
];

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// Makes jobs that stand in every way in which a job can.
fn zoo() -> Database {
    let database = Database::new();
    let state = r#"{"singer_state": {"bookmarks": {"s": {"since": "2026-11-30T12:00:00Z"}}}}"#;
    let row = Row {
        job: "",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: state,
    };
    for id in [
        "good",
        "failed",
        "running",
        "stale",
        "no run",
        "",
        "日本語 🚀",
    ] {
        database.state(id, Some(state), Some("{}"));
    }
    database.state("conflict", Some(r#"{"a": 1}"#), Some(r#"{"a": {"b": 1}}"#));
    database.state("null", None, Some("{}"));
    database.state("esc\u{1b}[2J\u{9b}1m\ttab\nline", Some("{}"), Some("{}"));
    database.run(&Row { job: "good", ..row });
    database.run(&Row {
        job: "failed",
        status: "FAIL",
        ..row
    });
    database.run(&Row {
        job: "running",
        status: "RUNNING",
        ended: None,
        flags: 0,
        payload: "{}",
        ..row
    });
    database.run(&Row {
        job: "stale",
        status: "RUNNING",
        started: "2026-11-28 23:00:00",
        ended: None,
        ..row
    });
    database.run(&Row {
        job: "edited",
        status: "STATE_EDIT",
        ..row
    });
    database.run(&Row {
        job: "cleared",
        ..row
    });
    database.run(&Row {
        job: "never had one",
        flags: 0,
        payload: "{}",
        ..row
    });
    database
}

#[test]
fn a_line_a_job_says_how_it_stands() {
    let zoo = zoo();
    let text = statescope(&["list", "--source", &zoo.path()]).quiet(0);
    insta::assert_snapshot!(text, @r"
    ● good                         50 m  succeeded              12 h  75 B
    ✗ failed                       50 m  failed                 12 h  75 B
    ◐ running                       now  running                12 h  75 B
    ◐ stale                         2 d  stale                  12 h  75 B
    ○ no run                             no run known           12 h  75 B
    ○ ''                                 no run known           12 h  75 B
    ○ 日本語 🚀                          no run known           12 h  75 B
    ○ conflict                           no run known                 23 B    ! merge-conflict
    ○ null                               no run known                  2 B    ! null-part
    ○ esc\x1b[2J\x9b1m\ttab\nline        no run known                  4 B
    ∅ edited                       50 m  state gone
    ∅ cleared                      50 m  succeeded, state gone
    ∅ never had one                50 m  succeeded, no state
    ");
}

#[test]
fn json_has_every_key_and_null_for_what_is_absent() {
    let zoo = zoo();
    let (answer, errors) = statescope(&["list", "--json", "--source", &zoo.path()]).json(0);
    assert_eq!(errors, [] as [Value; 0]);
    let jobs = answer.as_array().unwrap();
    assert_eq!(jobs.len(), 13);
    assert!(jobs.iter().all(|job| keys(job) == KEYS));
    let source = format!("sqlite:///{}", zoo.path());
    assert_eq!(
        jobs[0],
        json!({
            "state_id": "good", "source": source, "live": true, "has_state": true,
            "environment": null, "tap": null, "target": null, "suffix": null,
            "streams": 1, "size_bytes": 75, "updated_at": null, "updated_at_zone": null,
            "bookmark": {"newest": "2026-11-30T12:00:00Z", "oldest": "2026-11-30T12:00:00Z", "oldest_stream": "s"},
            "last_run": {"run_id": "00000001000000000000000000000000", "status": "SUCCESS", "flags": 1,
                "started_at": "2026-11-30T23:00:00Z", "ended_at": "2026-11-30T23:10:00Z", "alive": false},
            "last_edit": null, "lock": null, "elsewhere": [], "bot": null, "findings": []
        })
    );
    let of = |id: &str| jobs.iter().find(|job| job["state_id"] == id).unwrap();
    assert_eq!(of("running")["last_run"]["alive"], true);
    assert_eq!(of("stale")["last_run"]["alive"], false);
    assert_eq!(of("cleared")["has_state"], false);
    assert_eq!(of("cleared")["streams"], Value::Null);
    assert_eq!(of("edited")["last_edit"], "2026-11-30T23:10:00Z");
    assert_eq!(of("edited")["last_run"], Value::Null);
    assert_eq!(of("conflict")["findings"][0]["rule"], "merge-conflict");
    assert_eq!(
        keys(&of("null")["findings"][0]),
        ["rule", "severity", "message"]
    );
}

#[test]
fn ids_follow_meltanos_convention() {
    let arguments = [
        "list",
        "--json",
        "--source",
        "cli/base.db",
        "--pattern",
        "prod:*suffix",
    ];
    let (answer, _) = statescope(&arguments).json(0);
    let job = &answer[0];
    let parts = ["environment", "tap", "target", "suffix"].map(|key| job[key].as_str().unwrap());
    assert_eq!(parts, ["prod", "tap-shopify", "target-bigquery", "suffix"]);
}

#[test]
fn no_value_reaches_the_terminal_as_a_control_character() {
    let zoo = zoo();
    for form in [&["list"][..], &["list", "--json"]] {
        let output = statescope(&[form, &["--color", "always", "--source", &zoo.path()]].concat());
        let stray = |c: char| c.is_control() && c != '\n' && c != '\u{1b}';
        assert!(!output.stdout.contains(stray), "{output:?}");
        assert!(!output.stdout.contains("\u{1b}[2J"), "{output:?}");
    }
}

#[test]
fn ids_are_given_as_stored() {
    let zoo = zoo();
    let arguments = [
        "list",
        "--ids",
        "--pattern",
        "esc*",
        "--source",
        &zoo.path(),
    ];
    assert_eq!(
        statescope(&arguments).quiet(0),
        "esc\u{1b}[2J\u{9b}1m\ttab\nline\n"
    );
}

#[test]
fn jobs_without_a_state_can_be_left_out() {
    let zoo = zoo();
    let path = zoo.path();
    let all = ["list", "--ids", "--pattern", "[!e]*", "--source", &path];
    let count = |more: &[&str]| {
        let arguments = [&all[..], more].concat();
        statescope(&arguments).quiet(0).lines().count()
    };
    assert_eq!((count(&[]), count(&["--with-state"])), (10, 8));
}

#[test]
fn a_state_id_in_several_sources_is_compared() {
    let (one, other) = (Database::new(), Database::new());
    one.state("same", Some(r#"{"a": [1, 1e3], "b": 2}"#), Some("{}"));
    other.state("same", Some(r#"{"b":2}"#), Some(r#"{"a":[1,1000.0]}"#));
    one.state("differs", Some(r#"{"a": 1}"#), Some("{}"));
    other.state("differs", Some(r#"{"a": 1.0}"#), Some("{}"));
    one.state("broken here", None, Some("{}"));
    other.state("broken here", Some("{}"), Some("{}"));
    one.state("only here", Some("{}"), Some("{}"));
    let sources = ["--source", &one.path(), "--source", &other.path()];
    let (listed, _) = statescope(&[&["list", "--json"], &sources[..]].concat()).json(0);
    let found: Vec<(&str, Value)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|job| {
            (
                job["state_id"].as_str().unwrap(),
                job["elsewhere"][0]["equal"].clone(),
            )
        })
        .collect();
    let want = [
        ("same", json!(true)),
        ("differs", json!(false)),
        ("broken here", Value::Null),
        ("only here", Value::Null),
        ("same", json!(true)),
        ("differs", json!(false)),
        ("broken here", Value::Null),
    ];
    assert_eq!(found, want);
    assert_eq!(listed[3]["elsewhere"], json!([]));
    assert_eq!(
        listed[0]["elsewhere"][0]["source"],
        format!("sqlite:///{}", other.path())
    );
    std::fs::copy(other.file(), one.folder().join("other.db")).unwrap();
    let mut command = command(&["list", "--source", "meltano.db", "--source", "other.db"]);
    command.current_dir(one.folder());
    insta::assert_snapshot!(answer(command).quiet(0), @r"
    ○ same         meltano.db    no run known    25 B  = elsewhere
    ○ differs      meltano.db    no run known    10 B  ≠ elsewhere
    ○ broken here  meltano.db    no run known     2 B  ? elsewhere  ! null-part
    ○ only here    meltano.db    no run known     4 B
    ○ same         other.db      no run known    23 B  = elsewhere
    ○ differs      other.db      no run known    12 B  ≠ elsewhere
    ○ broken here  other.db      no run known     4 B  ? elsewhere
    ");
}

#[test]
fn a_source_that_fails_does_not_hide_the_others() {
    let story = story();
    let arguments = [
        "list",
        "--ids",
        "--source",
        "nope.db",
        "--source",
        &story.path(),
    ];
    let told = statescope(&arguments);
    assert_eq!(
        (told.code, told.stdout.as_str()),
        (3, "dev:tap-a-to-target-b\n")
    );
    assert!(
        told.stderr
            .starts_with("statescope: cannot read sqlite:///"),
        "{told:?}"
    );
    let told = statescope(&[&arguments[..], &["--best-effort"]].concat());
    assert_eq!(
        (told.code, told.stdout.as_str()),
        (0, "dev:tap-a-to-target-b\n")
    );

    let (answer, errors) = statescope(&[
        "list",
        "--json",
        "--source",
        "nope.db",
        "--source",
        &story.path(),
    ])
    .json(3);
    assert_eq!(answer.as_array().unwrap().len(), 1);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["error"], "not-found");
}

#[test]
fn when_no_source_answers_there_is_no_answer() {
    for form in ["--ids", "--json"] {
        let arguments = [
            "list",
            form,
            "--best-effort",
            "--source",
            "nope.db",
            "--source",
            "nope2.db",
        ];
        let errors = statescope(&arguments).failed(3);
        assert!(
            errors.contains("nope.db") && errors.contains("nope2.db"),
            "{errors}"
        );
    }
}

#[test]
fn an_empty_source_has_an_empty_list() {
    let told = statescope(&["list", "--source", "cli/base-empty.db"]);
    assert_eq!((told.code, told.stdout.as_str()), (0, ""));
    assert_eq!(told.stderr, "statescope: there are no jobs\n");
    assert_eq!(
        statescope(&["list", "--quiet", "--source", "cli/base-empty.db"]).quiet(0),
        ""
    );
    assert_eq!(
        statescope(&["list", "--json", "--source", "cli/base-empty.db"]).quiet(0),
        "[]\n"
    );
    let told = statescope(&["list", "--source", "cli/base.db", "--pattern", "zz*"]);
    assert_eq!(told.stderr, "statescope: no state ID matches 'zz*'\n");
}

#[test]
fn sources_come_from_the_project_the_environment_or_the_command_line() {
    let story = story();
    let project = tempfile::tempdir().unwrap();
    let yml = format!("version: 1\ndatabase_uri: sqlite:///{}\n", story.path());
    std::fs::write(project.path().join("meltano.yml"), yml).unwrap();
    std::fs::create_dir(project.path().join("below")).unwrap();
    let list = |change: &dyn Fn(&mut assert_cmd::Command), arguments: &[&str]| {
        let mut command = command(&[&["list", "--ids"], arguments].concat());
        change(&mut command);
        answer(command).quiet(0).lines().count()
    };
    let base = |command: &mut assert_cmd::Command| {
        command.env("STATESCOPE_SOURCE", "cli/base.db");
    };
    assert_eq!(
        list(
            &|command| {
                command.current_dir(project.path().join("below"));
            },
            &[]
        ),
        1
    );
    assert_eq!(
        list(&|_| {}, &["--project", project.path().to_str().unwrap()]),
        1
    );
    assert_eq!(
        list(&|_| {}, &["--source", project.path().to_str().unwrap()]),
        1
    );
    assert_eq!(list(&base, &[]), 17);
    assert_eq!(list(&base, &["--source", &story.path()]), 1);
    assert_eq!(
        list(&base, &["--project", project.path().to_str().unwrap()]),
        1
    );
    let unset = |command: &mut assert_cmd::Command| {
        command.current_dir(project.path());
        command.envs([("STATESCOPE_SOURCE", ""), ("STATESCOPE_PROJECT", "")]);
    };
    assert_eq!(list(&unset, &[]), 1);
    let before = [
        "--source",
        &story.path(),
        "list",
        "--ids",
        "--source",
        "cli/base.db",
    ];
    assert_eq!(statescope(&before).quiet(0).lines().count(), 18);
    let open = [&story.path(), "list", "--ids"];
    assert_eq!(statescope(&open).quiet(0).lines().count(), 1);
    assert_eq!(JOB, statescope(&before).stdout.lines().next().unwrap());
}

#[test]
fn states_that_meltano_keeps_elsewhere_are_said_to_be_so() {
    let story = story();
    let yml = format!(
        "database_uri: sqlite:///{}\nstate_backend: {{uri: 's3://u:secret@b/p'}}\n",
        story.path()
    );
    std::fs::write(story.folder().join("meltano.yml"), yml).unwrap();
    let project = story.folder().to_str().unwrap();
    let told = statescope(&["list", "--ids", "--project", project]);
    assert_eq!(told.code, 0);
    insta::assert_snapshot!(without(story.folder(), &told.stderr), @r"
    statescope: Meltano does not read the states of sqlite:///[DIR]/meltano.db: state_backend.uri in [DIR]/meltano.yml names s3://•••@b/p
    ");
    let (answer, _) = statescope(&["list", "--json", "--project", project]).json(0);
    assert_eq!(answer[0]["live"], false);
}
