//! What we wrote the real Meltano reads, rows are as its own, and beside it nothing is overwritten unread.

use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, types::Value as Cell};
use serde_json::Value;

use super::{Project, words};

const JOB: &str = "dev:tap-github-to-target-jsonl";

/// Reads both tables but for what no two writes share: numbers, run IDs, times; of those only whether they are there.
fn rows(project: &Project) -> Vec<Vec<Cell>> {
    let database = Connection::open(project.database()).expect("the database can be opened");
    let read = |sql: &str| {
        let mut statement = database.prepare(sql).expect("the tables are there");
        let columns = statement.column_count();
        let rows = statement
            .query_map([], |row| (0..columns).map(|at| row.get(at)).collect())
            .and_then(Iterator::collect::<Result<Vec<Vec<Cell>>, _>>);
        rows.expect("the rows can be read")
    };
    let mut all = read(
        "SELECT job_name, state, started_at = ended_at, length(started_at), payload, payload_flags, \
         length(run_id), substr(run_id, 13, 1), \"trigger\", last_heartbeat_at FROM runs ORDER BY id",
    );
    all.extend(read(
        "SELECT state_id, completed_state, partial_state, length(updated_at) FROM state ORDER BY rowid",
    ));
    all
}

#[test]
fn the_rows_of_an_edit_are_those_of_its_own_commands() {
    let documents = [
        r#"{"singer_state": {"bookmarks": {"ü": {"n": 1E3, "big": 123456789012345678901234567890}}}}"#,
        r#"{"singer_state": {}, "error": "x", "other": [1]}"#,
        r#"{"singer_state": {"a": 1, "a": NaN}}"#,
    ];
    let (theirs, ours) = (
        Project::with_database("meltano/cli/base.db"),
        Project::with_database("meltano/cli/base.db"),
    );
    let mut commands = Vec::new();
    for (id, document) in ["brand-new", JOB, "extra-keys"].into_iter().zip(documents) {
        commands.push(words(&["state", "set", "--force", id, document]));
        let answer = ours.statescope(&["set", "--yes", id, document]);
        assert_eq!(answer.code, Some(0), "{answer:#?}");
    }
    commands.push(words(&["state", "clear", "--force", "a_b"]));
    let answer = ours.statescope(&["clear", "--yes", "a_b"]);
    assert_eq!(answer.code, Some(0), "{answer:#?}");
    for (command, answer) in commands.iter().zip(theirs.meltano_many(&commands)) {
        assert_eq!(answer.code, Some(0), "{command:?}: {answer:#?}");
    }
    assert_eq!(rows(&ours), rows(&theirs));
}

#[test]
fn what_was_put_and_undone_it_reads() {
    let project = Project::with_database("meltano/cli/base.db");
    let before = project.meltano(&["state", "get", JOB]).out_of_success();
    let place = "/singer_state/bookmarks/commits/since";
    let answer = project.statescope(&["put", "--yes", JOB, place, "\"2020-01-01\""]);
    assert_eq!(answer.code, Some(0), "{answer:#?}");
    let edited = project.meltano(&["state", "get", JOB]).out_of_success();
    assert_eq!(edited, before.replace("2024-01-01", "2020-01-01"));
    assert_ne!(edited, before);
    assert_eq!(project.statescope(&["undo", "--yes"]).code, Some(0));
    assert_eq!(
        project.meltano(&["state", "get", JOB]).out_of_success(),
        before
    );
}

/// Has every write of the state kept, whoever does it, in the order in which they happen.
fn keep_every_write(project: &Project) {
    let kept = "INSERT INTO kept (completed) VALUES (NEW.completed_state)";
    Connection::open(project.database())
        .and_then(|database| {
            database.execute_batch(&format!(
                "CREATE TABLE kept (id INTEGER PRIMARY KEY, completed TEXT);
                 CREATE TRIGGER updated AFTER UPDATE ON state BEGIN {kept}; END;
                 CREATE TRIGGER inserted AFTER INSERT ON state BEGIN {kept}; END;"
            ))
        })
        .expect("the database takes triggers");
}

fn writes(project: &Project) -> Vec<String> {
    let database = Connection::open(project.database()).expect("the database can be opened");
    let mut statement = database
        .prepare("SELECT completed FROM kept ORDER BY id")
        .expect("it was made");
    let rows = statement.query_map([], |row| row.get(0));
    rows.and_then(Iterator::collect)
        .expect("the rows can be read")
}

/// Gives the number of the edit of ours that a state carries.
fn edit_in(state: &str) -> Option<u32> {
    let document: Value = serde_json::from_str(state).expect("a state is JSON");
    let number = &document["singer_state"]["bookmarks"]["ours"];
    number
        .as_u64()
        .map(|number| u32::try_from(number).expect("a small number"))
}

#[test]
fn beside_a_busy_meltano_nothing_is_overwritten_unread_and_every_loss_is_told() {
    const TURNS: u32 = 24;
    let project = Project::new();
    let turn =
        |number: u32| format!(r#"{{"singer_state": {{"bookmarks": {{"turn": {number}}}}}}}"#);
    let set = |number| words(&["state", "set", "--force", JOB, &turn(number)]);
    assert_eq!(project.meltano_many(&[set(0)])[0].code, Some(0));
    keep_every_write(&project);
    let put = |number: u32| {
        let number = number.to_string();
        project.statescope(&["put", "--yes", JOB, "/singer_state/bookmarks/ours", &number])
    };
    let busy = AtomicBool::new(true);
    let (mut answers, theirs) = std::thread::scope(|scope| {
        let meltano = scope.spawn(|| {
            let commands: Vec<_> = (1..=TURNS).map(set).collect();
            let answers = project.meltano_many(&commands);
            busy.store(false, Ordering::Release);
            answers
        });
        let mut answers = Vec::new();
        while busy.load(Ordering::Acquire) {
            let number = u32::try_from(answers.len()).expect("a small number") + 1;
            answers.push((number, put(number)));
        }
        (answers, meltano.join().expect("it ends"))
    });
    assert!(
        theirs.iter().all(|answer| answer.code == Some(0)),
        "{theirs:#?}"
    );
    // The last look at what became of the edit before it.
    let number = u32::try_from(answers.len()).expect("a small number") + 1;
    answers.push((number, put(number)));

    let Came { written, lost } = what_came(&turn(0), &writes(&project));
    let done: Vec<u32> = answers
        .iter()
        .filter(|(_, answer)| {
            assert!(matches!(answer.code, Some(0 | 4)), "{answer:#?}");
            answer.code == Some(0) || answer.err.contains("wrote over it")
        })
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(done, written, "what was said to be written, and no more");
    let told = overwritten(&project);
    assert_eq!(
        told.len(),
        lost.len(),
        "told {told:?}, lost {lost:?} of {written:?}"
    );
    assert!(
        !lost.is_empty(),
        "Meltano never wrote behind us; nothing was tried"
    );
}

/// What came of our edits: which were written, and behind which of them Meltano wrote.
struct Came {
    written: Vec<u32>,
    lost: Vec<u32>,
}

/// Goes through all writes of the state, and fails where one of ours was not made from the one before it.
fn what_came(first: &str, writes: &[String]) -> Came {
    let apart_from_ours = |text: &str| {
        let mut document: Value = serde_json::from_str(text).expect("a state is JSON");
        document["singer_state"]["bookmarks"]["ours"] = Value::Null;
        document
    };
    let (mut written, mut lost) = (Vec::new(), Vec::new());
    let mut before = first;
    for (place, now) in writes.iter().enumerate() {
        let next = writes.get(place + 1);
        let number = edit_in(now).filter(|number| Some(*number) != edit_in(before));
        if let Some(number) = number {
            let same = apart_from_ours(now) == apart_from_ours(before);
            assert!(same, "overwritten unread: {writes:#?}");
            written.push(number);
            lost.extend(next.filter(|next| edit_in(next).is_none()).map(|_| number));
        }
        before = now;
    }
    Came { written, lost }
}

/// Lists the operations that the journal says were overwritten.
fn overwritten(project: &Project) -> Vec<i64> {
    let answer = project.statescope(&["operations", "--json"]);
    let operations: Vec<Value> =
        serde_json::from_str(&answer.out_of_success()).expect("the operations are an array");
    operations
        .iter()
        .filter(|operation| operation["status"] == "overwritten")
        .map(|operation| operation["id"].as_i64().expect("a number"))
        .collect()
}
