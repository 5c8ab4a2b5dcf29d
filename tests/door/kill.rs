//! Kill -9 at each step of an operation.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use rstest::rstest;
use statescope::domain::edit::{Answer, Edit};
use statescope::domain::id::StateId;
use statescope::domain::json::{Document, Pointer};
use statescope::domain::operation::{Author, OperationKind};
use statescope::journal;
use statescope::ops::OpenSite;
use statescope::ops::write::{self, Request, Step};
use statescope::project::Surroundings;

use crate::stage::{Held, JOB, PLACE, Stage};

const DATABASE: &str = "STATESCOPE_TEST_DATABASE";
const JOURNAL: &str = "STATESCOPE_TEST_JOURNAL";
const STEP: &str = "STATESCOPE_TEST_STEP";

/// Edits the state and stops at a step for ever, in a process of its own.
#[test]
fn the_process_that_is_killed() {
    let Some(step) = std::env::var_os(STEP) else {
        return;
    };
    let path = |name| PathBuf::from(std::env::var_os(name).unwrap());
    let stop_at = Step::ALL
        .into_iter()
        .find(|found| *step == *format!("{found:?}"))
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime
        .unwrap()
        .block_on(edit(&path(DATABASE), &path(JOURNAL), stop_at));
}

async fn edit(database: &Path, journal: &Path, stop_at: Step) {
    let surroundings = Surroundings {
        directory: PathBuf::from("/"),
        variables: std::collections::BTreeMap::new(),
    };
    let site = surroundings.source(database.to_str().unwrap()).unwrap();
    let site = OpenSite::new(site, None);
    let journal = journal::open(journal, journal::LIMIT);
    let edit = Edit::Put {
        part: None,
        at: Pointer::parse(&format!("{PLACE}/new")).unwrap(),
        value: Document::parse("1").unwrap(),
    };
    let request = Request {
        kind: OperationKind::Put,
        edits: vec![(StateId::from(JOB), edit)],
        even_if_running: false,
        reason: None,
        undoes: None,
    };
    let planned = write::plan(&site, request, Timestamp::now()).await.unwrap();
    let plan = planned.plan.unwrap().confirm(&Answer::Yes).unwrap();
    let author = Author {
        user: "someone".to_owned(),
        host: "somewhere".to_owned(),
    };
    let mut stop = |step| {
        if step == stop_at {
            println!("\nstopped");
            loop {
                std::thread::park();
            }
        }
    };
    write::carry_out(&site, &*journal, plan, &author, "cli", &mut stop)
        .await
        .unwrap();
}

/// Lets another process edit the state, and kills it when it comes to a step.
fn killed_at(step: Step) -> Stage {
    let stage = Stage::new();
    let folder = stage.journal();
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["kill::the_process_that_is_killed", "--exact", "--nocapture"])
        .env(DATABASE, stage.database())
        .env(JOURNAL, stage.journal())
        .env(STEP, format!("{step:?}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap() == "stopped"), "{step:?}");
    process.kill().unwrap();
    process.wait().unwrap();
    stage
}

fn is_written(step: Step) -> bool {
    match step {
        Step::Journalled | Step::Begun => false,
        Step::Committed | Step::ReadBack | Step::Recorded => true,
    }
}

fn old() -> Held {
    Stage::new().held()
}

fn new() -> Held {
    let stage = Stage::new();
    assert_eq!(stage.put("new", 1).code, Some(0));
    stage.held()
}

const ANY_STEP: [Step; 5] = Step::ALL;

#[test]
fn the_source_holds_the_old_state_or_the_new_one() {
    for step in ANY_STEP {
        let want = if is_written(step) { new() } else { old() };
        assert_eq!(killed_at(step).held(), want, "{step:?}");
    }
}

#[test]
fn the_next_start_says_which_one_and_what_to_do() {
    for step in ANY_STEP {
        let stage = killed_at(step);
        for command in [&["get", JOB][..], &["list"], &["log", JOB], &["sources"]] {
            let answer = stage.run(command);
            assert_eq!(answer.code, Some(0), "{step:?}: {answer:#?}");
            let found = if is_written(step) {
                "holds what was wanted"
            } else {
                "holds what was there before"
            };
            for part in [
                "operation 1 (put dev:tap-github-to-target-jsonl)",
                found,
                "`statescope operations --again 1`",
                "`statescope undo 1`",
            ] {
                let is_said = answer.err.contains(part);
                assert_eq!(is_said, step != Step::Recorded, "{step:?}: {answer:#?}");
            }
        }
    }
}

#[rstest]
#[case::finished(&["operations", "--again", "1", "--yes"], new())]
#[case::taken_back(&["undo", "1", "--yes"], old())]
fn it_is_finished_or_taken_back(#[case] command: &[&str], #[case] want: Held) {
    for step in ANY_STEP {
        let stage = killed_at(step);
        let answer = stage.run(command);
        assert_eq!(answer.code, Some(0), "{step:?}: {answer:#?}");
        let held = stage.held();
        assert_eq!(
            (&held.completed, &held.partial),
            (&want.completed, &want.partial),
            "{step:?}"
        );
        let after = stage.run(&["get", JOB]);
        assert!(!after.err.contains("cut short"), "{step:?}: {after:#?}");
        let is_final = |status: &String| status != "planned" && status != "begun";
        assert!(stage.statuses().iter().all(is_final), "{step:?}");
    }
}

#[test]
fn the_next_edit_goes_on_from_what_the_source_holds() {
    for step in ANY_STEP {
        let stage = killed_at(step);
        assert_eq!(stage.put("next", 2).code, Some(0), "{step:?}");
        let held = stage.held();
        assert!(
            held.completed.contains(r#""next": 2"#),
            "{step:?}: {held:?}"
        );
        assert_eq!(
            held.completed.contains(r#""new": 1"#),
            is_written(step),
            "{step:?}"
        );
        let first = if is_written(step) { "done" } else { "failed" };
        assert_eq!(stage.statuses(), [first, "done"], "{step:?}");
    }
}

#[test]
fn what_another_program_wrote_meanwhile_is_left_alone() {
    for step in [Step::Begun, Step::Committed] {
        let stage = killed_at(step);
        let theirs = r#"{"singer_state": {"bookmarks": {"theirs": 1}}}"#;
        rusqlite::Connection::open(stage.database())
            .unwrap()
            .execute(
                "UPDATE state SET completed_state = ?1, partial_state = '{}' WHERE state_id = ?2",
                [theirs, JOB],
            )
            .unwrap();
        let said = stage.run(&["get", JOB]).err;
        assert!(said.contains("holds something else"), "{step:?}: {said}");
        let undone = stage.run(&["undo", "1", "--yes"]);
        assert_eq!(undone.code, Some(4), "{step:?}: {undone:#?}");
        assert_eq!(stage.held().completed, theirs, "{step:?}");
    }
}
