//! `set`, `put` and `clear`: plans, and what is written.

use rstest::rstest;
use rusqlite::Connection;
use rusqlite::types::Value as Column;
use serde_json::json;

use crate::database::{Database, JOB, story};
use crate::run::{Answer, answer, without};
use crate::stage::{PUT, Stage, WEB};

/// Leaves out what a command says of the operation's time.
fn plan_of(stage: &Stage, arguments: &[&str]) -> String {
    let mut command = stage.command(&[arguments, &["--dry-run"]].concat());
    command.env("STATESCOPE_NOW", "2026-12-01T00:00:00Z");
    let answer = stage.writes_nothing(command);
    without(stage.folder(), &answer.quiet(0))
}

#[test]
fn a_put_shows_what_changes_and_what_follows() {
    let stage = Stage::story();
    insta::assert_snapshot!(plan_of(&stage, &PUT), @r"
    put into meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
    dev:tap-a-to-target-b
      1 changed · 1 of them went back · 9 the same
      commits {acme, web}  updated_at  2026-11-12T00:00:00Z → 2026-11-01T00:00:00Z   ◀ back 11 d
    then    the next run reads 11 d of 1 bookmark again
    writes  one row of state, one STATE_EDIT run · atomic
    undo    statescope undo --source [DIR]/meltano.db
    asks    yes or no (--yes does not ask)
    ");
}

#[test]
fn a_set_of_a_state_that_is_not_there() {
    let stage = Stage::story();
    let document = r#"{"singer_state": {"n": 1E3}}"#;
    insta::assert_snapshot!(plan_of(&stage, &["set", "new", document, "--reason", "a\u{1b}b"]), @r#"
    set in meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
    new
      there is no state yet
      1 added
    + singer_state    {"n": 1000.0}
    ! note  written as Meltano writes it, with another spelling of /singer_state/n
    writes  one row of state, one STATE_EDIT run · atomic
    undo    statescope undo --source [DIR]/meltano.db
    reason  a\x1bb
    asks    yes or no (--yes does not ask)
    "#);
}

#[test]
fn a_put_into_a_part_shows_the_part_and_what_both_add_up_to() {
    let database = Database::new();
    database.state(
        "dev:tap-a-to-target-b",
        Some(r#"{"singer_state": {"bookmarks": {"s": {"a": 1}}}}"#),
        Some(r#"{"singer_state": {"bookmarks": {"t": {"b": 1}}}}"#),
    );
    let stage = Stage::new(database);
    let put = [
        "put",
        JOB,
        "/singer_state/bookmarks/t/b",
        "2",
        "--part",
        "partial",
    ];
    insta::assert_snapshot!(plan_of(&stage, &put), @r"
    put into meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
    dev:tap-a-to-target-b
      in the partial part, what incomplete runs and merges left since:
      1 changed
      t  b  1 → 2   + 1
      and so in what both parts add up to:
      1 changed · 1 the same
      t  b  1 → 2   + 1
    writes  one row of state, 2 STATE_EDIT runs · atomic
    undo    statescope undo --source [DIR]/meltano.db
    asks    yes or no (--yes does not ask)
    ");
    stage.done(&[&put[..], &["--yes"]].concat());
    let completed = r#"{"singer_state": {"bookmarks": {"s": {"a": 1}}}}"#.to_owned();
    let partial = r#"{"singer_state": {"bookmarks": {"t": {"b": 2}}}}"#.to_owned();
    assert_eq!(stage.state(JOB), Some((Some(completed), Some(partial))));
}

#[test]
fn a_clear_says_what_is_lost() {
    insta::assert_snapshot!(plan_of(&Stage::story(), &["clear", JOB]), @r"
    clear from meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
    dev:tap-a-to-target-b
      deletes the state: 3 streams, 382 B
    then    the next run reads everything again
    writes  deletes one row of state · no run, as Meltano
    undo    statescope undo --source [DIR]/meltano.db
    asks    yes or no (--yes does not ask)
    ");
}

#[test]
fn a_clear_of_many_is_a_line_each_and_totals() {
    let ids: Vec<String> = (10..33)
        .map(|number| format!("prod:tap-{number}-to-t"))
        .collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let stage = Stage::story().with(&ids);
    insta::assert_snapshot!(plan_of(&stage, &["clear", "--all"]), @r"
    clear from meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
      dev:tap-a-to-target-b  deletes the state: 3 streams, 382 B
      prod:tap-10-to-t  deletes the state: 1 stream, 50 B
      prod:tap-11-to-t  deletes the state: 1 stream, 50 B
      prod:tap-12-to-t  deletes the state: 1 stream, 50 B
      prod:tap-13-to-t  deletes the state: 1 stream, 50 B
      prod:tap-14-to-t  deletes the state: 1 stream, 50 B
      prod:tap-15-to-t  deletes the state: 1 stream, 50 B
      prod:tap-16-to-t  deletes the state: 1 stream, 50 B
      prod:tap-17-to-t  deletes the state: 1 stream, 50 B
      prod:tap-18-to-t  deletes the state: 1 stream, 50 B
      prod:tap-19-to-t  deletes the state: 1 stream, 50 B
      prod:tap-20-to-t  deletes the state: 1 stream, 50 B
      prod:tap-21-to-t  deletes the state: 1 stream, 50 B
      prod:tap-22-to-t  deletes the state: 1 stream, 50 B
      prod:tap-23-to-t  deletes the state: 1 stream, 50 B
      prod:tap-24-to-t  deletes the state: 1 stream, 50 B
      prod:tap-25-to-t  deletes the state: 1 stream, 50 B
      prod:tap-26-to-t  deletes the state: 1 stream, 50 B
      prod:tap-27-to-t  deletes the state: 1 stream, 50 B
      prod:tap-28-to-t  deletes the state: 1 stream, 50 B
      … and 4 more
    then    for 24 states: the next run reads everything again
    24 states, 1.5 kB now
    writes  deletes 24 rows of state · no run, as Meltano
    undo    statescope undo --source [DIR]/meltano.db
    asks    the number of states, typed: prod is protected (--confirm 24)
    ");
}

#[test]
fn a_source_that_meltano_does_not_read_is_said_to_be_none() {
    let stage = Stage::story();
    let project = stage.folder().join("meltano.yml");
    let text = "database_uri: sqlite:///meltano.db\nstate_backend:\n  uri: s3://bucket/state\n";
    std::fs::write(project, text).unwrap();
    let mut command = crate::run::command(&[&PUT[..], &["--dry-run"]].concat());
    command
        .current_dir(stage.folder())
        .env("STATESCOPE_JOURNAL", stage.journal());
    let told = without(stage.folder(), &stage.writes_nothing(command).quiet(0));
    let first: Vec<&str> = told.lines().take(2).collect();
    let name = stage.folder().file_name().unwrap().to_str().unwrap();
    insta::assert_snapshot!(first.join("\n").replace(name, "[NAME]"), @r"
    put into [NAME]  sqlite:///[DIR]/meltano.db  (chosen by database_uri in [DIR]/meltano.yml)
    Meltano does not read this: state_backend.uri in [DIR]/meltano.yml names s3://bucket/state
    ");
}

#[test]
fn what_is_put_is_spliced_and_told_by_a_run() {
    let stage = Stage::story();
    let before = stage.rows();
    let told = stage.done(&[&PUT[..], &["--yes"]].concat());
    assert_eq!(told.stdout, format!("done  {JOB}\n"));
    let last = told.stderr.lines().last().unwrap();
    assert_eq!(last, "operation 1 · undo it with `statescope undo 1`");
    let after = stage.rows();
    assert_eq!(after.len(), before.len() + 1);
    let (completed, partial) = stage.state(JOB).unwrap();
    let Column::Text(was) = &before.last().unwrap()[1] else {
        panic!("{before:?}");
    };
    let want = was.replace("2026-11-12T00:00:00Z", "2026-11-01T00:00:00Z");
    assert_eq!(
        (completed.unwrap(), partial.unwrap()),
        (want.clone(), "{}".to_owned())
    );
    let run = &after[5];
    let text = |text: &str| Column::Text(text.to_owned());
    let want = [
        text(JOB),
        text("STATE_EDIT"),
        text(&want),
        Column::Integer(1),
        text("cli"),
        Column::Integer(1),
    ];
    assert_eq!(run, &want);
}

#[test]
fn the_trigger_of_the_run_is_that_of_the_environment() {
    let stage = Stage::story();
    let mut command = stage.command(&[&PUT[..], &["--yes"]].concat());
    command.env("MELTANO_JOB_TRIGGER", "schedule");
    assert_eq!(answer(command).code, 0);
    assert_eq!(stage.rows()[5][4], Column::Text("schedule".to_owned()));
}

#[rstest]
#[case::argument(None)]
#[case::file(Some("state.json"))]
#[case::standard_input(Some("-"))]
fn a_set_takes_its_document_from(#[case] file: Option<&str>) {
    let stage = Stage::story();
    let document = "{\"singer_state\": {\"n\": 1E3}}\n";
    std::fs::write(stage.folder().join("state.json"), document).unwrap();
    let path = stage.folder().join("state.json");
    let arguments = match file {
        None => vec![document],
        Some("-") => vec!["--input-file", "-"],
        Some(_) => vec!["--input-file", path.to_str().unwrap()],
    };
    let mut command = stage.command(&[&["set", "new", "--yes"], &arguments[..]].concat());
    if file == Some("-") {
        command.write_stdin(document);
    }
    let told = answer(command);
    assert_eq!(told.code, 0, "{told:?}");
    let want = r#"{"singer_state": {"n": 1000.0}}"#.to_owned();
    assert_eq!(
        stage.state("new"),
        Some((Some(want), Some("{}".to_owned())))
    );
}

#[test]
fn what_came_of_many_is_a_line_each() {
    let stage = Stage::story().with(&["a", "b"]);
    let told = stage.run(&["clear", "a", "none", "b", "a", "--yes"]);
    assert_eq!(
        (told.code, told.stdout.as_str()),
        (1, "done  a\ndone  b\nrefused  none\n")
    );
    assert!(told.stderr.contains("'none' has no state"), "{told:?}");
    assert_eq!((stage.state("a"), stage.state("b")), (None, None));
    assert!(stage.state(JOB).is_some());
    assert_eq!(stage.rows().len(), 6, "a clear leaves no run");
}

#[test]
fn outcomes_in_json() {
    let stage = Stage::story().with(&["a"]);
    let (planned, errors) = stage
        .run(&["clear", "a", "none", "--dry-run", "--json"])
        .json(1);
    let refused = json!({"state_id": "none", "outcome": "refused", "message": "'none' has no state", "operation": null});
    assert_eq!(
        planned,
        json!([{"state_id": "a", "outcome": "planned", "message": null, "operation": null}, refused])
    );
    assert_eq!((errors.len(), &errors[0]["error"]), (1, &json!("no")));
    let (done, _) = stage
        .run(&["clear", "a", "none", "--yes", "--json"])
        .json(1);
    assert_eq!(
        done,
        json!([{"state_id": "a", "outcome": "done", "message": null, "operation": 1}, refused])
    );
    let (_, errors) = stage
        .run(&["put", JOB, "/a", "{", "--json", "--yes"])
        .json(2);
    assert_eq!(
        errors[0]["message"],
        "the value is not JSON; nothing was written: line 1, column 2: expected a key in double quotes or '}', found the end of the text"
    );
}

#[test]
fn a_pattern_takes_only_jobs_with_a_state() {
    let stage = Stage::story().with(&["dev:x", "dev:y", "prd"]);
    let database = Connection::open(stage.database.file()).unwrap();
    database
        .execute("DELETE FROM state WHERE state_id = ?1", [JOB])
        .unwrap();
    let told = stage.done(&["clear", "--pattern", "dev:*", "--yes"]);
    assert_eq!(told.stdout, "done  dev:x\ndone  dev:y\n");
    let told = stage.writes_nothing(stage.command(&["clear", "--pattern", "dev:*", "--yes"]));
    assert!(
        told.failed(1)
            .contains("no state ID with a state matches 'dev:*'")
    );
}

#[rstest]
#[case(&["put", JOB, WEB, "\"2026-11-12T00:00:00Z\"", "--yes"])]
#[case(&["put", JOB, WEB, "\"2026-11-12T00:00:00Z\"", "--dry-run"])]
fn what_is_there_already_is_not_written(#[case] arguments: &[&str]) {
    let stage = Stage::story();
    let told = stage.writes_nothing(stage.command(arguments));
    assert_eq!(
        told,
        Answer {
            code: 0,
            stdout: format!("unchanged  {JOB}\n"),
            stderr: "statescope: nothing to do\n".to_owned()
        }
    );
    let (told, _) = stage.run(&[arguments, &["--json"]].concat()).json(0);
    assert_eq!(told[0]["outcome"], "unchanged");
}

#[rstest]
#[case(&["set", "x"], 2, "JSON")]
#[case(&["set", "x", "{}", "--input-file", "-"], 2, "cannot be used with")]
#[case(&["set", "x", "{}"], 2, "statescope clear")]
#[case(&["set", "x", "[]"], 2, "no JSON object")]
#[case(&["set", "x", "{\"a\": 1}"], 2, "--no-validate")]
#[case(&["set", "x", "{\"a\":\n }"], 2, "line 2, column 2: expected a value")]
#[case(&["set", "x", "--input-file", "./nope.json"], 3, "cannot read ./nope.json")]
#[case(&["put", JOB, "a", "1"], 2, "begins with '/'")]
#[case(&["put", JOB, "/a", "1x"], 2, "line 1, column 2")]
#[case(&["put", JOB, "/a/b", "1"], 2, "there is no place '/a/b'")]
#[case(&["put", JOB, "/a", "1", "--part", "both"], 2, "possible values")]
#[case(&["put", "dev:tap-a-to-target-c", "/a", "1"], 1, "did you mean 'dev:tap-a-to-target-b'?")]
#[case(&["clear"], 2, "--all")]
#[case(&["clear", JOB, "--all"], 2, "cannot be used with")]
#[case(&["clear", "--pattern", "*", "--all"], 2, "cannot be used with")]
#[case(&["clear", "--pattern", ""], 2, "would match nothing")]
#[case(&["clear", "dev:tap-a-to-target-c"], 1, "did you mean 'dev:tap-a-to-target-b'?")]
#[case(&["undo", "x"], 2, "an operation is a number")]
#[case(&["undo", "1.0"], 2, "an operation is a number")]
#[case(&["undo", "7"], 1, "statescope operations")]
#[case(&["undo"], 1, "statescope operations")]
#[case(&["operations", "--again", "7"], 1, "statescope operations")]
#[case(&["operations", "--again", "7", "x"], 2, "cannot be used with")]
#[case(&["operations", "--yes"], 2, "--again")]
#[case(&["operations", "--since", "soon"], 2, "'soon' is no time")]
#[case(&["prune", "--older-than", "89d"], 2, "90 days")]
#[case(&["prune", "--older-than", "old"], 2, "is no duration")]
#[case(&["operations", "--journal", "postgresql://u:hunter2@h/db"], 2, "in a file")]
#[case(&["operations", "--journal-limit", "many"], 2, "2GiB")]
fn what_is_wrong_is_said_and_nothing_is_written(
    #[case] arguments: &[&str],
    #[case] code: i32,
    #[case] part: &str,
) {
    let stage = Stage::story();
    for more in [&[][..], &["--json"]] {
        let mut arguments = [arguments, more].concat();
        if matches!(arguments[0], "set" | "put" | "clear" | "undo") {
            arguments.push("--yes");
        }
        if arguments[0] == "prune" {
            arguments.push("--yes");
            let mut command = crate::run::command(&arguments);
            command.env("STATESCOPE_JOURNAL", stage.journal());
            assert!(stage.writes_nothing(command).failed(code).contains(part));
            continue;
        }
        let told = stage.writes_nothing(stage.command(&arguments)).failed(code);
        assert!(told.contains(part), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
    assert!(!stage.journal().exists());
}

#[test]
fn a_job_of_several_sources_is_written_where_it_is_named() {
    let (one, other) = (Stage::story(), Stage::new(story()));
    let both = ["--source".to_owned(), other.database.path()];
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    let put = [&PUT[..], &["--yes"], &both].concat();
    let told = one.writes_nothing(one.command(&put)).failed(2);
    assert!(told.contains("several sources have the state ID"), "{told}");
    let told = one.writes_nothing(one.command(&[&["clear", "--all", "--yes"], &both[..]].concat()));
    assert!(told.failed(2).contains("one command writes to one source"));
    let name = format!("{}::{JOB}", other.database.path());
    let before = one.bytes();
    let put = [&["put", &name], &PUT[2..], &["--yes"], &both].concat();
    assert_eq!(one.run(&put).code, 0);
    assert!(one.bytes() == before);
    assert!(other.state(JOB).unwrap().0.unwrap().contains("2026-11-01"));
}

#[test]
fn the_journal_is_where_programs_keep_what_they_remember() {
    let stage = Stage::story();
    let home = stage.folder().join("home");
    let default = "statescope/journal.db";
    for (variables, want) in [
        (
            vec![("XDG_STATE_HOME", home.join("state"))],
            home.join("state").join(default),
        ),
        (
            vec![("HOME", home.clone())],
            home.join(".local/state").join(default),
        ),
        (
            vec![("HOME", home.clone()), ("XDG_STATE_HOME", "state".into())],
            home.join(".local/state").join(default),
        ),
    ] {
        let _ = std::fs::remove_dir_all(&home);
        let mut command = stage.command(&[&PUT[..], &["--yes"]].concat());
        for name in ["STATESCOPE_JOURNAL", "HOME", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        command.envs(variables);
        let told = answer(command);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(want.exists(), "{}", want.display());
        stage.overwrite(JOB, "{\"singer_state\": {\"bookmarks\": {\"commits\": {\"partitions\": [1, {\"replication_key_value\": 1}]}}}}");
    }
    let mut command = stage.command(&[&PUT[..], &["--yes"]].concat());
    for name in ["STATESCOPE_JOURNAL", "HOME", "XDG_STATE_HOME"] {
        command.env_remove(name);
    }
    let told = stage.writes_nothing(command).failed(3);
    assert!(told.contains("--journal"), "{told}");
}
