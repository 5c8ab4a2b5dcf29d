//! `operations` and `prune`, and what other commands say of operations that were cut short or written over.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rstest::rstest;
use serde_json::{Value, json};
use statescope::domain::edit::Edit;
use statescope::domain::id::StateId;
use statescope::domain::json::{Document, Pointer};
use statescope::domain::operation::{Event, OperationKind, Status};
use statescope::journal::{self, NewItem, NewOperation};
use statescope::ops::{self, OpenSite, read};
use statescope::project::Surroundings;

use crate::database::JOB;
use crate::run::answer;
use crate::stage::{PUT, Stage, WEB};

const AGAIN: [&str; 4] = ["operations", "--again", "1", "--yes"];

/// Writes an operation down as one that wanted [`PUT`] at a time, with some events behind it, and works on it no more.
fn written_down(stage: &Stage, at: Timestamp, events: Vec<Event>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let surroundings = Surroundings {
            directory: "/".into(),
            variables: std::collections::BTreeMap::new(),
        };
        let site = surroundings.source(&stage.database.path()).unwrap();
        let site = OpenSite::new(site, None);
        let id = StateId::from(JOB);
        let before = read::state(&site, &id).await.unwrap().unwrap().state;
        let edit = Edit::Put {
            part: None,
            at: Pointer::parse(WEB).unwrap(),
            value: Document::parse(PUT[3]).unwrap(),
        };
        let after = edit.apply(&id, Some(&before)).unwrap();
        let operation = NewOperation {
            at,
            kind: OperationKind::Put,
            author: ops::author(),
            reason: None,
            source: site.key().await.unwrap(),
            source_name: site.source.to_string(),
            undoes: None,
            items: vec![NewItem {
                state_id: id,
                edit,
                before: Some(before),
                after,
            }],
        };
        std::fs::create_dir_all(stage.journal().parent().unwrap()).unwrap();
        let journal = journal::open(&stage.journal(), journal::LIMIT);
        let ongoing = journal.plan(operation).await.unwrap();
        if !events.is_empty() {
            journal.record(ongoing.id, at, events).await.unwrap();
        }
    });
}

/// Cuts an operation short before or behind its write, or has another program write meanwhile.
fn cut_short(held: &str) -> Stage {
    let stage = Stage::story();
    written_down(&stage, Timestamp::now(), vec![Event::Begun]);
    match held {
        "old" => {}
        "new" => {
            let (completed, _) = stage.state(JOB).unwrap();
            let completed = completed.unwrap();
            stage.overwrite(
                JOB,
                &completed.replace("2026-11-12T00:00:00Z", "2026-11-01T00:00:00Z"),
            );
        }
        _ => stage.overwrite(JOB, r#"{"singer_state": {}}"#),
    }
    stage
}

#[test]
fn they_are_listed_newest_first() {
    let stage = Stage::story().with(&["a", "b", "c"]);
    stage.done(&[&PUT[..], &["--yes", "--reason", "a \u{1b}[2J test"]].concat());
    stage.done(&["clear", "a", "b", "c", "--yes"]);
    stage.done(&["undo", "2.1", "--yes"]);
    let told = stage.run(&["operations"]).quiet(0);
    let author = ops::author();
    let who = format!("{}@{}", author.user, author.host);
    let told: Vec<String> = told
        .lines()
        .map(|line| {
            let (number, rest) = line.split_once("  ").unwrap();
            let (_, rest) = rest.split_once("UTC").unwrap();
            format!("{number}  TIME{}", rest.replace(&who, "WHO"))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    3  TIME  undo 2.1  done  a                      WHO
    2  TIME  clear     done  a and 2 more           WHO
    1  TIME  put       done  dev:tap-a-to-target-b  WHO  a \x1b[2J test
    ");
    let ids = |arguments: &[&str]| -> Vec<i64> {
        let arguments = [&["operations", "--json"], arguments].concat();
        let (found, _) = stage.run(&arguments).json(0);
        let found = found.as_array().unwrap().iter();
        found
            .map(|operation| operation["id"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(ids(&[]), [3, 2, 1]);
    assert_eq!(ids(&["--limit", "1"]), [3]);
    assert_eq!(ids(&["a"]), [3, 2]);
    assert_eq!(ids(&[&format!("{}::{JOB}", stage.database.path())]), [1]);
    assert_eq!(ids(&["--user", "nobody"]), [0_i64; 0]);
    assert_eq!(ids(&["--since", "1h"]), [3, 2, 1]);
    assert_eq!(ids(&["--since", "2999-01-01"]), [0_i64; 0]);
    let other = Stage::story();
    let mut command = other.command(&["operations", "--json"]);
    command.env("STATESCOPE_JOURNAL", stage.journal());
    assert_eq!(answer(command).json(0).0, json!([]));
    let mut command = crate::run::command(&["operations", "--all-sources", "--json"]);
    command.env("STATESCOPE_JOURNAL", stage.journal());
    assert_eq!(answer(command).json(0).0.as_array().unwrap().len(), 3);
}

#[test]
fn one_in_json_has_every_key() {
    let stage = Stage::story();
    stage.done(&[&PUT[..], &["--yes", "--reason", "why"]].concat());
    let author = ops::author();
    let mut operation = stage.operations().remove(0);
    let at = operation["at"].take();
    assert!(at.as_str().unwrap().parse::<Timestamp>().is_ok());
    assert_eq!(
        operation,
        json!({
            "id": 1, "at": null, "kind": "put", "user": author.user, "host": author.host, "reason": "why",
            "source": format!("sqlite:///{}", stage.database.path()), "status": "done", "undoable": true,
            "items": [{"state_id": JOB, "result": "done", "number": 1, "message": null}],
            "message": null, "undoes": null, "interrupted": false,
        })
    );
}

#[test]
fn without_a_journal_there_are_none_and_none_is_made() {
    let stage = Stage::story();
    let told = stage.run(&["operations"]);
    assert_eq!((told.code, told.stdout.as_str()), (0, ""));
    assert_eq!(told.stderr, "statescope: there are no operations\n");
    assert_eq!(stage.run(&["operations", "--json"]).quiet(0), "[]\n");
    for arguments in [
        &["list"][..],
        &["get", JOB],
        &["log", JOB],
        &["diff", JOB],
        &["sources"],
        &["undo"],
    ] {
        stage.run(arguments);
    }
    assert!(!stage.journal().parent().unwrap().exists());
}

#[rstest]
#[case("old", "the source holds what was there before")]
#[case("new", "the source holds what was wanted")]
#[case("other", "the source holds something else by now")]
fn one_that_was_cut_short_is_told_by_every_command(#[case] held: &str, #[case] found: &str) {
    let stage = cut_short(held);
    for arguments in [
        &["list"][..],
        &["get", JOB],
        &["log", JOB],
        &["diff", JOB],
        &["sources"],
        &["put", "x", "/a", "1", "--yes"],
        &["clear", "--pattern", "zz", "--yes"],
    ] {
        let told = stage.writes_nothing(stage.command(arguments)).stderr;
        let lines: Vec<&str> = told.lines().collect();
        assert!(
            lines[0].starts_with(&format!(
                "statescope: operation 1 (put {JOB}) was cut short "
            )),
            "{told}"
        );
        assert!(lines[0].ends_with(&format!(", and {found}")), "{told}");
        assert_eq!(lines[1], "  finish it: `statescope operations --again 1`");
        assert_eq!(lines[2], "  take it back: `statescope undo 1`");
        let told = stage.run(&[arguments, &["--json"]].concat());
        assert!(!told.stderr.contains("cut short"), "{told:?}");
        let told = stage.run(&[arguments, &["--quiet"]].concat());
        assert!(!told.stderr.contains("cut short"), "{told:?}");
    }
    let operation = &stage.operations()[0];
    assert_eq!(
        (&operation["status"], &operation["interrupted"]),
        (&json!("begun"), &json!(true))
    );
    assert!(
        stage
            .run(&["operations"])
            .stdout
            .contains("  interrupted  ")
    );
}

#[test]
fn one_that_was_not_written_is_closed_by_an_undo() {
    let stage = cut_short("old");
    let bytes = stage.bytes();
    let told = stage.writes_nothing(stage.command(&["undo", "1", "--dry-run"]));
    assert_eq!(told.code, 0);
    let told = stage.run(&["undo", "--yes"]);
    assert_eq!((told.code, told.stdout), (0, format!("unchanged  {JOB}\n")));
    assert_eq!(
        told.stderr,
        "statescope: nothing of operation 1 had been written\n"
    );
    assert!(stage.bytes() == bytes);
    assert_eq!(stage.statuses(), ["failed"]);
}

#[test]
fn one_that_was_written_is_taken_back_by_an_undo() {
    let stage = cut_short("new");
    let before = Stage::story().state(JOB);
    stage.done(&["undo", "1", "--yes"]);
    assert_eq!(stage.state(JOB), before);
    assert_eq!(stage.statuses(), ["done", "undone"]);
}

#[test]
fn one_that_was_not_written_is_done_again() {
    let stage = cut_short("old");
    let told = stage.writes_nothing(stage.command(&["operations", "--again", "1", "--dry-run"]));
    assert!(told.quiet(0).contains("does again operation 1: put dev:"));
    stage.done(&AGAIN);
    let (completed, _) = stage.state(JOB).unwrap();
    assert!(completed.unwrap().contains("2026-11-01T00:00:00Z"));
    assert_eq!(stage.statuses(), ["done", "failed"]);
}

#[test]
fn one_that_was_written_is_only_closed() {
    let stage = cut_short("new");
    let bytes = stage.bytes();
    let told = stage.run(&AGAIN);
    assert_eq!(told.code, 0);
    assert_eq!(
        told.stderr,
        "statescope: nothing to do: the source holds what operation 1 wanted\n"
    );
    assert!(stage.bytes() == bytes);
    assert_eq!(stage.statuses(), ["done"]);
}

#[test]
fn what_is_there_already_is_not_done_again() {
    let stage = Stage::story().with(&["a"]);
    stage.done(&["clear", "a", "--yes"]);
    let told = stage.writes_nothing(stage.command(&AGAIN));
    assert_eq!((told.code, told.stdout.as_str()), (0, "unchanged  a\n"));
    assert_eq!(
        told.stderr,
        "statescope: nothing to do: the source holds what operation 1 wanted\n"
    );
}

#[test]
fn one_that_was_written_over_is_told_and_done_again() {
    let stage = Stage::story();
    stage.done(&[&PUT[..], &["--yes"]].concat());
    let (completed, _) = Stage::story().state(JOB).unwrap();
    stage.overwrite(JOB, &completed.unwrap());
    for arguments in [
        &["get", JOB][..],
        &["log", JOB],
        &["diff", JOB],
        &["put", JOB, "/a", "1", "--dry-run"],
    ] {
        let told = stage.writes_nothing(stage.command(arguments));
        insta::allow_duplicates! {
            insta::assert_snapshot!(told.stderr, @r"
            statescope: the newest operation on 'dev:tap-a-to-target-b', put 1, was written over: by a program that left no run
              apply it again: `statescope operations --again 1`
            ");
        }
        let told = stage.run(&[arguments, &["--json"]].concat());
        let errors = told.errors();
        let error = &errors[0];
        assert_eq!(
            (&error["error"], &error["state_id"]),
            (&json!("overwritten"), &json!(JOB))
        );
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["error", "source", "state_id", "message", "hint"]);
        assert_eq!(
            error["hint"],
            "apply it again: `statescope operations --again 1`"
        );
    }
    let mut later = stage.command(&["get", JOB]);
    let in_a_week = Timestamp::now() + SignedDuration::from_hours(8 * 24);
    later.env("STATESCOPE_NOW", in_a_week.to_string());
    assert_eq!(answer(later).stderr, "", "of an old one nothing is said");
    stage.done(&AGAIN);
    assert_eq!(stage.statuses(), ["done", "overwritten"]);
    assert_eq!(stage.run(&["get", JOB]).stderr, "");
}

fn prune(stage: &Stage, arguments: &[&str]) -> crate::run::Answer {
    let mut command = crate::run::command(&[&["prune"], arguments].concat());
    command
        .env("STATESCOPE_JOURNAL", stage.journal())
        .env_remove("STATESCOPE_NOW");
    answer(command)
}

fn done() -> Vec<Event> {
    vec![
        Event::Begun,
        Event::Ended {
            status: Status::Done,
            message: None,
        },
    ]
}

#[test]
fn old_operations_lose_their_states_and_stay_listed() {
    let stage = Stage::story().with(&["a"]);
    let old = Timestamp::now() - SignedDuration::from_hours(24 * 100);
    written_down(&stage, old, done());
    stage.done(&["clear", "a", "--yes"]);
    let told = prune(&stage, &["--older-than", "101d", "--yes"]);
    assert_eq!(
        (told.code, told.stderr.as_str()),
        (0, "statescope: nothing to drop\n")
    );
    let told = prune(&stage, &[]).failed(5);
    assert!(
        told.contains("1 operation") && told.contains("answer by --yes"),
        "{told}"
    );
    assert_eq!(undoable(&stage), [true, true]);
    let told = prune(&stage, &["--yes"]).quiet(0);
    assert!(
        told.starts_with("dropped the states of 1 operation, "),
        "{told}"
    );
    assert_eq!(undoable(&stage), [true, false]);
    let (pruned, _) = prune(&stage, &["--yes", "--json"]).json(0);
    assert_eq!(pruned, json!({"operations": 0, "bytes": 0}));
}

#[test]
fn no_present_time_that_was_fixed_makes_an_operation_old() {
    let stage = Stage::story();
    stage.done(&[&PUT[..], &["--yes"]].concat());
    let mut command = crate::run::command(&["prune", "--yes"]);
    command
        .env("STATESCOPE_JOURNAL", stage.journal())
        .env("STATESCOPE_NOW", "2999-01-01T00:00:00Z");
    assert_eq!(answer(command).stderr, "statescope: nothing to drop\n");
    assert_eq!(undoable(&stage), [true]);
}

fn undoable(stage: &Stage) -> Vec<bool> {
    let operations = stage.operations();
    operations
        .iter()
        .map(|operation| operation["undoable"] == Value::Bool(true))
        .collect()
}

#[test]
fn without_a_journal_nothing_is_dropped_and_none_is_made() {
    let stage = Stage::story();
    assert_eq!(
        prune(&stage, &["--yes"]).stderr,
        "statescope: nothing to drop\n"
    );
    assert!(!Path::new(&stage.journal()).exists());
}
