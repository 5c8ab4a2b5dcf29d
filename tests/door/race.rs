//! Writers that race for one state.

use std::thread;

use crate::stage::{JOB, Stage};
use crate::support::Answer;

/// How many edits each of two statescopes makes.
const EDITS: u32 = 200;

#[test]
fn of_two_statescopes_no_edit_is_lost_and_every_refusal_is_told() {
    let stage = Stage::new();
    let edit = |writer: &str| -> Vec<(String, Answer)> {
        let one = |number| {
            let name = format!("{writer}{number}");
            let answer = stage.put(&name, number);
            (name, answer)
        };
        (0..EDITS).map(one).collect()
    };
    let (mut all, other) = thread::scope(|scope| {
        let other = scope.spawn(|| edit("b"));
        (edit("a"), other.join().unwrap())
    });
    all.extend(other);
    let held = stage.held();
    let is_there = |name: &String| held.completed.contains(&format!("\"{name}\": "));
    let mut done = 0;
    for (name, answer) in &all {
        match answer.code {
            Some(0) => {
                assert!(is_there(name), "{name} is lost: {answer:#?}");
                done += 1;
            }
            Some(4) => {
                assert!(!is_there(name), "{name} was written: {answer:#?}");
                let is_told = answer.err.contains("changed since it was read");
                assert!(is_told, "{name}: {answer:#?}");
            }
            _ => panic!("{name}: {answer:#?}"),
        }
        assert!(!answer.err.contains("wrote over"), "{name}: {answer:#?}");
    }
    assert_eq!(held.edits, done, "each edit that was written has its run");
    let statuses = stage.statuses();
    let of = |wanted: &str| statuses.iter().filter(|status| *status == wanted).count();
    assert_eq!(of("done"), usize::try_from(done).unwrap());
    assert_eq!(statuses.len(), of("done") + of("failed"), "{statuses:?}");
}

#[test]
fn a_database_that_stays_locked_is_not_written_and_keeps_what_was_wanted() {
    let stage = Stage::new();
    let before = stage.held();
    let holder = rusqlite::Connection::open(stage.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = stage.put("new", 1);
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    assert_eq!(answer.code, Some(3), "{answer:#?}");
    for part in ["held it locked", "operation 1", "operations --again 1"] {
        assert!(answer.err.contains(part), "{answer:#?}");
    }
    assert_eq!(stage.held(), before);
    assert_eq!(stage.statuses(), ["failed"]);
    let again = stage.run(&["operations", "--again", "1", "--yes"]);
    assert_eq!(again.code, Some(0), "{again:#?}");
    assert!(stage.held().completed.contains(r#""new": 1"#));
    assert_eq!(stage.run(&["get", JOB]).err, "");
}

#[test]
fn a_locked_journal_lets_nothing_be_written() {
    let stage = Stage::new();
    assert_eq!(stage.put("first", 1).code, Some(0));
    let before = stage.held();
    let holder = rusqlite::Connection::open(stage.journal()).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let answer = stage.put("new", 1);
    drop(holder);
    assert_eq!(answer.code, Some(3), "{answer:#?}");
    assert!(answer.err.contains("nothing was written"), "{answer:#?}");
    assert_eq!(stage.held(), before);
}
