//! What other programs do in the middle of a burst.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use futures_util::StreamExt;
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::open::{Step, Way, burst, burst_with};
use super::*;
use crate::backend::BackendError;

/// Makes a database with one state, in a folder of its own.
fn database(journal_mode: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    let writer = writer(&path);
    writer
        .pragma_update(None, "journal_mode", journal_mode)
        .unwrap();
    writer
        .execute_batch(
            "CREATE TABLE state (state_id TEXT PRIMARY KEY, partial_state, completed_state, updated_at);
             CREATE TABLE runs (id INTEGER PRIMARY KEY, job_name, state, started_at, ended_at, payload, payload_flags);
             INSERT INTO state VALUES ('a', '{}', '{\"singer_state\": 1}', NULL)",
        )
        .unwrap();
    (folder, path)
}

fn writer(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

/// Adds a state as a program does that opens the file, writes and leaves.
fn write(path: &Path, id: &str) {
    writer(path)
        .execute("INSERT INTO state VALUES (?1, '{}', '{}', NULL)", [id])
        .unwrap();
}

fn ids(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT state_id FROM state ORDER BY rowid")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Reads the IDs, and does something once, when it is decided how to open the file; gives the ways that were decided on.
fn read_while(path: &Path, at_first: impl FnOnce()) -> (Vec<Way>, Result<Vec<String>>) {
    let mut at_first = Some(at_first);
    let mut ways = Vec::new();
    let found = burst_with(
        path,
        &mut |step| {
            if let Step::Classified(way) = step {
                ways.push(way);
                if let Some(act) = at_first.take() {
                    act();
                }
            }
        },
        |connection, _| ids(connection),
    );
    (ways, found)
}

#[test]
fn a_writer_that_leaves_before_the_first_lock_takes_its_log_along() {
    let (folder, path) = database("wal");
    let other = writer(&path);
    other
        .execute("INSERT INTO state VALUES ('b', '{}', '{}', NULL)", [])
        .unwrap();
    assert!(names(&folder).contains(&"meltano.db-wal".to_owned()));
    let (ways, found) = read_while(&path, || drop(other));
    assert_eq!(found.unwrap(), ["a", "b"]);
    assert_eq!(ways, [Way::Shared, Way::Sealed]);
    assert_eq!(names(&folder), ["meltano.db"]);
}

/// Adds a state to the log, as a program does that is then killed: log and index stay.
fn write_and_be_killed(path: &Path, id: &str) {
    let killed = writer(path);
    let keep_log = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    killed.set_db_config(keep_log, true).unwrap();
    killed
        .execute("INSERT INTO state VALUES (?1, '{}', '{}', NULL)", [id])
        .unwrap();
}

/// Makes a database whose last state is only in its log, and that has lost the log's index.
fn with_a_log_alone() -> (TempDir, PathBuf) {
    let (folder, path) = database("wal");
    write_and_be_killed(&path, "in the log");
    fs::remove_file(folder.path().join("meltano.db-shm")).unwrap();
    (folder, path)
}

#[test]
fn a_log_that_goes_before_the_first_lock_is_not_made_anew() {
    let (folder, path) = with_a_log_alone();
    let (ways, found) = read_while(&path, || {
        writer(&path)
            .execute("DELETE FROM state WHERE state_id = 'a'", [])
            .unwrap();
    });
    assert_eq!(found.unwrap(), ["in the log"]);
    assert_eq!(ways, [Way::LogAlone, Way::Sealed]);
    assert_eq!(names(&folder), ["meltano.db"]);
}

#[test]
fn a_log_stays_from_the_first_lock_on() {
    let (folder, path) = database("wal");
    write_and_be_killed(&path, "b");
    let log = folder.path().join("meltano.db-wal");
    let length = || fs::metadata(&log).unwrap().len();
    let before = length();
    let mut ways = Vec::new();
    let found = burst_with(
        &path,
        &mut |step| match step {
            Step::Classified(way) => ways.push(way),
            Step::Fixed => write(&path, "of one that would clean up"),
        },
        |connection, _| ids(connection),
    );
    assert_eq!(found.unwrap(), ["a", "b", "of one that would clean up"]);
    assert_eq!(ways, [Way::Shared]);
    assert!(length() > before, "a new log would be empty");
}

#[test]
fn a_log_alone_is_read_again_when_someone_writes_to_it() {
    let (folder, path) = with_a_log_alone();
    let found = burst(&path, |connection, generation| {
        let found = ids(connection)?;
        if generation == 0 {
            assert_eq!(found, ["a", "in the log"]);
            write(&path, "new");
        }
        Ok(found)
    });
    assert_eq!(found.unwrap(), ["a", "in the log", "new"]);
    drop(folder);
}

#[test]
fn an_empty_log_is_left_alone() {
    let (folder, path) = database("wal");
    fs::write(folder.path().join("meltano.db-wal"), "").unwrap();
    let (ways, found) = read_while(&path, || ());
    assert_eq!(found.unwrap(), ["a"]);
    assert_eq!(ways, [Way::Sealed]);
    assert_eq!(names(&folder), ["meltano.db", "meltano.db-wal"]);
}

#[test]
fn a_database_that_turns_to_a_log_is_looked_at_again() {
    let (folder, path) = database("delete");
    let (ways, found) = read_while(&path, || {
        writer(&path)
            .pragma_update(None, "journal_mode", "wal")
            .unwrap();
    });
    assert_eq!(found.unwrap(), ["a"]);
    assert_eq!(ways, [Way::Rollback, Way::Sealed]);
    assert_eq!(names(&folder), ["meltano.db"]);
}

#[test]
fn what_was_read_while_someone_wrote_is_dropped() {
    let (_folder, path) = database("wal");
    let mut generations = Vec::new();
    let found = burst(&path, |connection, generation| {
        generations.push(generation);
        let found = ids(connection)?;
        if generation < 2 {
            write(&path, &format!("written in {generation}"));
        }
        Ok(found)
    });
    assert_eq!(found.unwrap(), ["a", "written in 0", "written in 1"]);
    assert_eq!(generations, [0, 1, 2]);
}

#[test]
fn a_log_that_appears_just_before_reading_is_read() {
    let (_folder, path) = database("wal");
    let (mut ways, mut times) = (Vec::new(), 0);
    let found = burst_with(
        &path,
        &mut |step| match step {
            Step::Classified(way) => ways.push(way),
            Step::Fixed => {
                times += 1;
                if times == 1 {
                    write_and_be_killed(&path, "b");
                }
            }
        },
        |connection, _| ids(connection),
    );
    assert_eq!(found.unwrap(), ["a", "b"]);
    assert_eq!(ways, [Way::Sealed, Way::Shared]);
}

#[test]
fn an_error_while_someone_wrote_is_dropped_too() {
    let (_folder, path) = database("wal");
    let found = burst(&path, |connection, generation| {
        if generation == 0 {
            write(&path, "b");
            return Err(BackendError::Corrupt("half a page".to_owned()));
        }
        ids(connection)
    });
    assert_eq!(found.unwrap(), ["a", "b"]);
}

#[test]
fn a_file_that_is_replaced_is_read_anew() {
    let (folder, path) = database("wal");
    let (_other_folder, other) = database("wal");
    write(&other, "of another file");
    let moved = folder.path().join("new");
    fs::copy(&other, &moved).unwrap();
    let found = burst(&path, |connection, generation| {
        if generation == 0 {
            fs::rename(&moved, &path).unwrap();
        }
        ids(connection)
    });
    assert_eq!(found.unwrap(), ["a", "of another file"]);
}

#[test]
fn a_file_that_never_rests_is_given_up() {
    let (_folder, path) = database("wal");
    let mut generations = 0;
    let found = burst(&path, |_, generation| {
        generations = generation + 1;
        write(&path, &generation.to_string());
        Ok(())
    });
    assert_eq!(generations, 20);
    let Err(BackendError::Timeout(why)) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        why,
        "it changes faster than it can be read: 20 times while it was"
    );
}

#[test]
fn others_may_work_in_the_same_folder() {
    let (folder, path) = database("wal");
    let mut generations = 0;
    let found = burst(&path, |connection, generation| {
        generations = generation + 1;
        fs::write(folder.path().join(format!("log {generation}")), "").unwrap();
        ids(connection)
    });
    assert_eq!(found.unwrap(), ["a"]);
    assert_eq!(generations, 4);
}

#[test]
fn a_program_that_keeps_the_file_to_itself_is_waited_for_and_then_named() {
    let (_folder, path) = database("delete");
    let other = writer(&path);
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let found = burst(&path, |connection, _| ids(connection));
    assert!(matches!(found, Err(BackendError::Timeout(_))), "{found:?}");
    drop(other);
    assert_eq!(
        burst(&path, |connection, _| ids(connection)).unwrap(),
        ["a"]
    );
}

/// Tells whether this process holds a POSIX lock of a kind, `READ` or `WRITE`, on a file, as the kernel tells.
///
/// Its list may miss a lock while others come and go, so one that is not in it is looked for again.
#[cfg(target_os = "linux")]
pub(super) fn is_locked(path: &Path, kind: &str) -> bool {
    let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
    let process = format!(" {} ", std::process::id());
    let kind = format!(" {kind} ");
    (0..100).any(|_| {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let of_file = |line: &str| {
            [&kind, &inode, &process]
                .iter()
                .all(|part| line.contains(*part))
        };
        locks.lines().any(of_file)
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_burst_inside_another_leaves_its_locks_alone() {
    let databases = [database("delete"), with_a_log_alone()];
    for (_folder, path) in &databases {
        burst(path, |connection, _| {
            ids(connection)?;
            assert!(is_locked(path, "READ"));
            burst(path, |inner, _| ids(inner))?;
            assert!(is_locked(path, "READ"));
            Ok(())
        })
        .unwrap();
        assert!(!is_locked(path, "READ"));
    }
}

#[test]
fn a_list_begins_again_in_a_later_generation() {
    let (_folder, path) = database("wal");
    let (to, mut chunks) = mpsc::channel(100);
    burst(&path, |connection, generation| {
        list::send(connection, generation, &TimeZone::UTC, &to)?;
        if generation == 0 {
            writer(&path).execute("DELETE FROM state", []).unwrap();
        }
        Ok(())
    })
    .unwrap();
    drop(to);
    let mut rows = BTreeMap::new();
    while let Some(chunk) = chunks.blocking_recv() {
        let chunk = chunk.unwrap();
        rows.insert(chunk.generation, chunk.rows.len());
    }
    assert_eq!(rows, BTreeMap::from([(0, 1), (1, 0)]));
}

#[tokio::test]
async fn a_list_that_nobody_wants_stops() {
    let (_folder, path) = database("delete");
    let other = writer(&path);
    other
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO state SELECT 'job ' || i, '{}', '{}', NULL FROM n",
        )
        .unwrap();
    let mut list = Sqlite::new(path.clone())
        .with_zone(TimeZone::UTC)
        .begin_list();
    let first = list.next().await.unwrap().unwrap();
    assert_eq!(first.rows.len(), 256);
    let Chunks { chunks, reading } = list;
    drop(chunks);
    // Ends although most of the chunks were never taken.
    reading.unwrap().await.unwrap();
    drop(other);
}

#[tokio::test]
async fn a_list_is_whole_and_in_order() {
    let (_folder, path) = database("delete");
    writer(&path)
        .execute_batch(
            "INSERT INTO state VALUES ('empty', NULL, NULL, 'yesterday');
             INSERT INTO runs VALUES
               (1, 'gone', 'SUCCESS', '2026-01-01 00:00:00', '2026-01-01 00:00:01', '{}', 0),
               (2, 'a', 'SUCCESS', '2026-01-03 00:00:00', NULL, '{}', 1),
               (3, 'a', 'FAIL', '2026-01-02 00:00:00', NULL, 'no JSON', '1'),
               (4, 'a', 'STATE_EDIT', '2026-01-01 00:00:00', NULL, X'7B7D', 1),
               (5, 'a', 'STATE_EDIT', '2026-01-01 00:00:00', NULL, 7, 1.0),
               (6, NULL, 'SUCCESS', '2026-01-01 00:00:00', NULL, NULL, NULL),
               (7, CAST(X'FF' AS TEXT), 17, 18, 19.5, NULL, 'x')",
        )
        .unwrap();
    let database = Sqlite::new(path).with_zone(TimeZone::UTC);
    let chunks: Vec<_> = database.list().collect().await;
    let [Ok(listing)] = chunks.as_slice() else {
        panic!("{chunks:?}");
    };
    let row = |run: &Option<Run>| run.as_ref().map(|run| run.row);
    let rows: Vec<_> = listing
        .rows
        .iter()
        .map(|job| {
            let has_state = job.stored.is_some();
            (
                job.id.as_str(),
                has_state,
                row(&job.last_run),
                row(&job.last_edit),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("a", true, Some(2), Some(5)),
            ("empty", true, None, None),
            ("gone", false, Some(1), None),
            ("\u{fffd}", false, Some(7), None),
        ]
    );
    let odd = database.runs(&"\u{fffd}".into()).await.unwrap();
    assert_eq!(odd[0].run.status.name(), "17");
    assert_eq!(odd[0].run.ended_at.as_ref().unwrap().text, "19.5");
    let payloads: Vec<_> = database.runs(&"a".into()).await.unwrap();
    let payloads: Vec<_> = payloads.iter().map(|run| run.payload.bytes()).collect();
    assert_eq!(
        payloads,
        [Some(&b"{}"[..]), Some(b"no JSON"), Some(b"{}"), Some(b"7")]
    );
}

#[tokio::test]
async fn any_text_is_an_id() {
    let ids = ["", " ", "ünï 日本 🚀", "new\nline", "a\0b", "50%_*"];
    for encoding in ["UTF-8", "UTF-16"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meltano.db");
        let writer = writer(&path);
        writer
            .execute_batch(&format!(
                "PRAGMA encoding = '{encoding}';
                 CREATE TABLE state (state_id VARCHAR PRIMARY KEY, partial_state, completed_state, updated_at)"
            ))
            .unwrap();
        for id in ids {
            writer
                .execute(
                    "INSERT INTO state VALUES (?1, '{}', ?2, NULL)",
                    [id, "{\"ü\": 1}"],
                )
                .unwrap();
        }
        let database = Sqlite::new(path);
        let chunks: Vec<_> = database.list().collect().await;
        let rows = &chunks[0].as_ref().unwrap().rows;
        let listed: Vec<_> = rows.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(listed, ids);
        for job in rows {
            assert!(job.stored.is_some());
            assert_eq!(database.read(&job.id).await.unwrap(), job.stored);
        }
        assert_eq!(database.read(&"nobody's".into()).await, Ok(None));
        assert_eq!(database.runs(&"a".into()).await, Ok(Vec::new()));
    }
}

/// Derived states come from the latest complete run and the incomplete ones behind it, however many there are.
#[tokio::test]
async fn a_list_derives_what_a_read_derives() {
    let (_folder, path) = database("delete");
    writer(&path)
        .execute_batch(
            "DROP TABLE state;
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
             INSERT INTO runs SELECT i, 'job ' || (i * 7 % 3), 'SUCCESS', NULL, printf('%05d', i * 31 % 3001),
                 '{\"singer_state\": {\"' || (i % 10) || '\": ' || i || '}}', CASE WHEN i % 97 = 0 THEN 1 ELSE i % 4 & 2 END FROM n",
        )
        .unwrap();
    let database = Sqlite::new(path);
    let chunks: Vec<_> = database.list().collect().await;
    let rows = &chunks[0].as_ref().unwrap().rows;
    assert_eq!(rows.len(), 3);
    for job in rows {
        let records = database.runs(&job.id).await.unwrap();
        let sources = derives_from(records.iter().map(|record| &record.run));
        assert!(sources.len() > 2, "{sources:?}");
        let derived = derive(records);
        assert_eq!(
            job.stored.as_ref().map(|stored| &stored.state),
            Some(&derived)
        );
        assert_eq!(database.read(&job.id).await.unwrap(), job.stored);
    }
}
