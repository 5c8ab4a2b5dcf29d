//! `undo`.

use crate::database::JOB;
use crate::run::without;
use crate::stage::{PUT, Stage};

/// Writes the day of an operation as a word, since it was today but for midnight.
fn undated(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for place in 1..words.len() {
        if matches!(words[place - 1].as_str(), "today" | "yesterday") {
            words[place].replace_range(..5, "HH:MM");
            "DAY".clone_into(&mut words[place - 1]);
        }
    }
    words.join(" ")
}

fn put(stage: &Stage) {
    stage.done(&[&PUT[..], &["--yes", "--reason", "a test"]].concat());
}

#[test]
fn its_plan_names_what_it_undoes() {
    let stage = Stage::story();
    put(&stage);
    let told = stage
        .writes_nothing(stage.command(&["undo", "--dry-run"]))
        .quiet(0);
    insta::assert_snapshot!(undated(&without(stage.folder(), &told)), @r#"
    undo in meltano.db  sqlite:///[DIR]/meltano.db  (chosen by the command line)
    undoes operation 1: put dev:tap-a-to-target-b of DAY HH:MM, "a test"
    dev:tap-a-to-target-b
      1 changed · 9 the same
      commits {acme, web}  updated_at  2026-11-01T00:00:00Z → 2026-11-12T00:00:00Z   + 11 d
    writes  one row of state, one STATE_EDIT run · atomic
    undo    statescope undo NUMBER
    asks    yes or no (--yes does not ask)
    "#);
}

#[test]
fn what_was_there_is_there_again_byte_for_byte_and_an_undo_is_undone() {
    let stage = Stage::story().with(&["a", "b"]);
    let before = (stage.state(JOB), stage.state("a"));
    stage.done(&[&PUT[..], &["--yes"]].concat());
    let put = stage.state(JOB);
    stage.done(&["clear", "a", "b", "--yes"]);
    let told = stage.done(&["undo", "--yes"]);
    assert_eq!(told.stdout, "done  a\ndone  b\n");
    assert_eq!(stage.state("a"), before.1);
    stage.done(&["undo", "--yes"]);
    assert_eq!(stage.state(JOB), before.0);
    let told = stage
        .writes_nothing(stage.command(&["undo", "--yes"]))
        .failed(1);
    assert!(told.contains("there is nothing to undo"), "{told}");
    stage.done(&["undo", "4", "--yes"]);
    assert_eq!(stage.state(JOB), put);
    assert_eq!(
        stage.statuses(),
        ["done", "undone", "done", "undone", "done"]
    );
}

#[test]
fn one_item_is_undone_alone() {
    let stage = Stage::story().with(&["a", "b"]);
    stage.done(&["clear", "a", "b", "--yes"]);
    let told = stage.done(&["undo", "1.2", "--yes"]);
    assert_eq!(told.stdout, "done  b\n");
    assert!(
        told.stderr.contains("undoes operation 1.2: clear b of "),
        "{told:?}"
    );
    assert_eq!(stage.state("a"), None);
    let told = stage.writes_nothing(stage.command(&["undo", "1.3", "--yes"]));
    assert!(told.failed(2).contains("has no item 3"));
    let told = stage.done(&["undo", "1", "--yes"]);
    assert_eq!(told.stdout, "done  a\n");
}

#[test]
fn a_state_that_has_moved_on_is_left_alone_and_the_three_versions_are_shown() {
    let stage = Stage::story();
    put(&stage);
    stage.overwrite(JOB, r#"{"singer_state": {"bookmarks": {"theirs": 1}}}"#);
    let told = stage.writes_nothing(stage.command(&["undo", "1", "--yes"]));
    assert_eq!((told.code, told.stdout.as_str()), (4, ""));
    let told = undated(&without(stage.folder(), &told.stderr));
    insta::assert_snapshot!(told, @r#"
    statescope: 'dev:tap-a-to-target-b' has moved on since operation 1
      why: it is neither what the operation wrote nor what was there before
      try: `statescope set` puts any state there, whatever it holds now
    dev:tap-a-to-target-b: since the operation
      1 added · 3 removed
    - commits   whole stream  1 key
    - events    whole stream  {"id": 8813007}
    - releases  whole stream  {"since": "2026-11-28"}
    + theirs                  1
    dev:tap-a-to-target-b: what you want
      1 changed · 9 the same
      commits {acme, web}  updated_at  2026-11-01T00:00:00Z → 2026-11-12T00:00:00Z   + 11 d
    "#);
    let told = stage.run(&["undo", "1", "--yes", "--json"]);
    let (_, errors) = told.json(4);
    assert_eq!(errors[0]["error"], "conflict");
}

#[test]
fn an_operation_on_another_source_names_it() {
    let (stage, other) = (Stage::story(), Stage::story());
    put(&stage);
    let mut command = other.command(&["undo", "1", "--yes"]);
    command.env("STATESCOPE_JOURNAL", stage.journal());
    let told = without(stage.folder(), &other.writes_nothing(command).failed(2));
    insta::assert_snapshot!(told, @r"
    statescope: operation 1 wrote to another source
      why: it wrote to sqlite:///[DIR]/meltano.db
      try: name that source: --source sqlite:///[DIR]/meltano.db
    ");
    let mut command = other.command(&["undo", "--yes"]);
    command.env("STATESCOPE_JOURNAL", stage.journal());
    assert!(
        other
            .writes_nothing(command)
            .failed(1)
            .contains("nothing to undo")
    );
}

#[test]
fn an_operation_by_its_number_needs_no_source_to_be_named() {
    let stage = Stage::story();
    let before = stage.state(JOB);
    put(&stage);
    let empty = tempfile::TempDir::new().unwrap();
    let mut command = crate::run::command(&["undo", "1", "--yes"]);
    command
        .env("STATESCOPE_JOURNAL", stage.journal())
        .env_remove("STATESCOPE_NOW")
        .current_dir(empty.path());
    let told = crate::run::answer(command);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.stderr
            .contains("(chosen by operation 1 in the journal)"),
        "{told:?}"
    );
    assert_eq!(stage.state(JOB), before);
}

#[test]
fn ones_own_edit_of_a_protected_state_is_undone_by_a_yes() {
    let id = "prod:tap-a-to-target-b";
    let stage = Stage::story().with(&[id]);
    stage.done(&["clear", id, "--confirm", id]);
    stage.done(&["undo", "--yes"]);
    assert!(stage.state(id).is_some());
}
