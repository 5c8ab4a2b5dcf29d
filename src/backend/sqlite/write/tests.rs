//! What happens in the middle of a write: readers of this process, a file that goes, a process that is killed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use rstest::rstest;
use tempfile::TempDir;

use super::super::StateBackend as _;
#[cfg(target_os = "linux")]
use super::super::tests::is_locked;
use super::*;
use crate::domain::json::Document;
use crate::domain::state::Content;

const OLD: &str = r#"{"singer_state": {"n": 1}}"#;
const NEW: &str = r#"{"singer_state": {"n": 2}}"#;

/// Makes a database as Meltano 4.4.1 does, with one state, in a folder of its own.
fn database(journal_mode: &str) -> (TempDir, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    let connection = Connection::open(&path).unwrap();
    connection
        .pragma_update(None, "journal_mode", journal_mode)
        .unwrap();
    connection
        .execute_batch(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, PRIMARY KEY (version_num));
             INSERT INTO alembic_version VALUES ('c0efb3c314eb');
             CREATE TABLE state (state_id VARCHAR(900) NOT NULL, partial_state VARCHAR, completed_state VARCHAR, updated_at DATETIME, PRIMARY KEY (state_id), UNIQUE (state_id));
             CREATE TABLE runs (id INTEGER NOT NULL, job_name VARCHAR, state VARCHAR(10), started_at DATETIME, ended_at DATETIME, payload VARCHAR, payload_flags INTEGER, run_id CHAR(32), \"trigger\" VARCHAR, last_heartbeat_at DATETIME, PRIMARY KEY (id));
             INSERT INTO state VALUES ('a', '{}', '{\"singer_state\": {\"n\": 1}}', NULL)",
        )
        .unwrap();
    drop(connection);
    let database = Sqlite::new(path).with_patience(Duration::from_mins(1));
    (folder, database)
}

fn state(completed: &str) -> State {
    let content = |text: &str| Content::read(Some(text.as_bytes()));
    State::meltano(content(completed), content("{}"))
}

/// Makes the batch that puts the new state in the place of the old one, and a run of it.
fn batch() -> Batch {
    let expect = Expect::Version(Version::of_content(&state(OLD), None));
    let run = EditRun {
        state_id: "a".into(),
        run_id: format!("{:032x}", 1),
        at: Timestamp::UNIX_EPOCH,
        trigger: "cli".to_owned(),
        flags: 1,
        payload: Document::parse(NEW).unwrap(),
    };
    let put = Change::Put {
        id: "a".into(),
        state: state(NEW),
        expect,
    };
    Batch {
        groups: vec![Group(vec![put, Change::AppendEdit(run)])],
    }
}

/// Reads the completed part and counts the runs, as readers of this process do.
fn read(database: &Sqlite) -> Result<(String, i64)> {
    open::burst(&database.path, |connection, _| held(connection))
}

fn held(connection: &Connection) -> Result<(String, i64)> {
    let sql = "SELECT completed_state, (SELECT count(*) FROM runs) FROM state";
    Ok(connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn old() -> (String, i64) {
    (OLD.to_owned(), 0)
}

fn new() -> (String, i64) {
    (NEW.to_owned(), 1)
}

#[cfg(target_os = "linux")]
#[rstest]
#[case("delete", "")]
#[case("wal", "-shm")]
fn readers_of_this_process_work_beside_it_and_leave_it_its_lock(
    #[case] journal_mode: &str,
    #[case] locked: &str,
) {
    let (folder, database) = database(journal_mode);
    let locked = folder.path().join(format!("meltano.db{locked}"));
    let mut seen = Vec::new();
    let results = commit(&database, &batch(), &mut |step| {
        seen.push((step, read(&database).unwrap()));
        let is_locked = is_locked(&locked, "WRITE");
        assert_eq!(is_locked, step != Step::Committed, "{step:?}");
    });
    assert!(results[0].is_ok(), "{results:?}");
    let want = [
        (Step::Begun, old()),
        (Step::Written, old()),
        (Step::Committed, new()),
    ];
    assert_eq!(seen, want);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Readers that were there first stay until the end, and new ones come when it is over.
#[test]
fn a_write_by_a_log_goes_on_inside_a_burst() {
    let (folder, database) = database("wal");
    // Has log and index made, and keeps them there.
    let results = commit(&database, &batch(), &mut |step| {
        if step == Step::Begun {
            open::burst(&database.path, |outer, _| {
                assert_eq!(held(outer)?, old());
                assert_eq!(read(&database)?, old());
                Ok(())
            })
            .unwrap();
        }
    });
    assert!(results[0].is_ok(), "{results:?}");
    let found = open::burst(&database.path, |connection, generation| {
        if generation == 0 {
            let results = commit(&database, &batch(), &mut |_| {});
            assert_eq!(results, [Err(BackendError::Conflict)]);
        }
        held(connection)
    });
    assert_eq!(found.unwrap(), new());
    assert_eq!(read(&database).unwrap(), new());
    drop(folder);
}

#[rstest]
fn a_file_that_loses_its_name_is_not_written(
    #[values("delete", "wal")] journal_mode: &str,
    #[values(false, true)] replaced: bool,
) {
    let (folder, database) = database(journal_mode);
    let (other_folder, _) = self::database(journal_mode);
    let moved = folder.path().join("moved.db");
    let results = commit(&database, &batch(), &mut |step| {
        if step == Step::Written {
            fs::rename(&database.path, &moved).unwrap();
            if replaced {
                fs::rename(other_folder.path().join("meltano.db"), &database.path).unwrap();
            }
        }
    });
    let want = if replaced {
        fault::moved()
    } else {
        BackendError::NotFound
    };
    assert_eq!(results, [Err(want)]);
    assert_eq!(held(&Connection::open(&moved).unwrap()).unwrap(), old());
    if replaced {
        assert_eq!(
            held(&Connection::open(&database.path).unwrap()).unwrap(),
            old()
        );
    }
}

const ROLE: &str = "STATESCOPE_TEST_WRITES_UNTIL_KILLED";

/// Writes, says so at a step, and waits there for its end, when this is the process that is to be killed.
fn be_killed_at(step: Step) -> bool {
    let Some(path) = std::env::var_os(ROLE) else {
        return false;
    };
    let database = Sqlite::new(path.into());
    let results = commit(&database, &batch(), &mut |reached| {
        if reached == step {
            println!("\nreached");
            // Ends only with the process.
            std::thread::park();
            panic!("nobody killed it");
        }
    });
    panic!("it was not reached: {results:?}");
}

#[rstest]
#[case(Step::Begun, OLD, 0)]
#[case(Step::Written, OLD, 0)]
#[case(Step::Committed, NEW, 1)]
#[tokio::test]
async fn a_process_that_is_killed_leaves_the_old_rows_or_the_new_ones(
    #[case] step: Step,
    #[case] completed: &str,
    #[case] runs: i64,
    #[values("delete", "wal")] journal_mode: &str,
) {
    if be_killed_at(step) {
        return;
    }
    let (_folder, database) = database(journal_mode);
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args([
            std::thread::current().name().unwrap(),
            "--exact",
            "--nocapture",
        ])
        .env(ROLE, &database.path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap() == "reached"));
    process.kill().unwrap();
    process.wait().unwrap();
    let want = (completed.to_owned(), runs);
    // A journal that was begun, and is not rolled back by who only reads.
    let interrupted = Err(BackendError::Interrupted);
    let found = read(&database);
    assert!(found == Ok(want.clone()) || (journal_mode == "delete" && found == interrupted));
    let again = commit(&database, &batch(), &mut |_| {});
    match step {
        Step::Committed => assert_eq!(again, [Err(BackendError::Conflict)]),
        Step::Begun | Step::Written => assert!(again[0].is_ok(), "{again:?}"),
    }
    assert_eq!(read(&database).unwrap(), new());
    let stored = database.read(&"a".into()).await.unwrap().unwrap();
    assert_eq!(stored.state, state(NEW));
    assert!(stored.modified.is_some());
}
