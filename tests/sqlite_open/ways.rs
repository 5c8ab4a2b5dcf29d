//! The ways to open a file: what each of them sees, and that none leaves a trace.

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use rusqlite::Connection;
use statescope::backend::BackendError;
use tempfile::TempDir;

use crate::support::{Footprint, Writer, ask_everything, completed, fixtures, list, upgrade};

const ONLY_IN_LOG: &str = r#"{"singer_state": {"bookmarks": {"b": 3}}}"#;
const BEFORE_LOG: &str = r#"{"singer_state": {"bookmarks": {"b": 2}}}"#;

/// Copies a database with a log that was not merged: the file, and what is named of it.
fn with_log(endings: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for ending in endings {
        let name = format!("live.db{ending}");
        fs::copy(upgrade("wal-live").join(&name), folder.path().join(&name)).unwrap();
    }
    let path = folder.path().join("live.db");
    (folder, path)
}

fn state_of<'j>(jobs: &[(&'j str, &'j str)], id: &str) -> Option<&'j str> {
    jobs.iter()
        .find(|(name, _)| *name == id)
        .map(|(_, text)| *text)
}

#[rstest]
#[case::a_log_and_its_index(&["", "-wal", "-shm"], ONLY_IN_LOG)]
#[case::a_log_alone(&["", "-wal"], ONLY_IN_LOG)]
#[case::no_log(&[""], BEFORE_LOG)]
#[case::an_index_alone(&["", "-shm"], BEFORE_LOG)]
#[tokio::test]
async fn a_log_is_read_and_stays(#[case] endings: &[&str], #[case] want: &str) {
    let (folder, path) = with_log(endings);
    let before = Footprint::of(folder.path());
    let jobs = ask_everything(&path).await.unwrap();
    assert_eq!(state_of(&completed(&jobs), "only-in-wal"), Some(want));
    assert_eq!(Footprint::of(folder.path()), before);
}

#[tokio::test]
async fn a_rollback_database_is_read_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    fs::copy(fixtures().join("cli/base.db"), &path).unwrap();
    let before = Footprint::of(folder.path());
    let jobs = ask_everything(&path).await.unwrap();
    assert_eq!(completed(&jobs).len(), 17);
    assert_eq!(Footprint::of(folder.path()), before);
}

#[tokio::test]
async fn a_live_writer_is_read_along_and_may_clean_up() {
    if Writer::take_part() {
        return;
    }
    let (folder, path) = with_log(&["", "-wal", "-shm"]);
    let mut writer = Writer::start("ways::a_live_writer_is_read_along_and_may_clean_up", &path);
    writer.run("UPDATE state SET completed_state = '{\"n\": 1}' WHERE state_id = 'only-in-wal'");
    let before = Footprint::of(folder.path());
    assert_eq!(before.names(), ["live.db", "live.db-shm", "live.db-wal"]);
    let jobs = ask_everything(&path).await.unwrap();
    assert_eq!(
        state_of(&completed(&jobs), "only-in-wal"),
        Some("{\"n\": 1}")
    );
    assert_eq!(Footprint::of(folder.path()), before);

    writer.run("BEGIN IMMEDIATE");
    writer.run("UPDATE state SET completed_state = '{\"n\": 2}' WHERE state_id = 'only-in-wal'");
    let jobs = list(&path).await.unwrap();
    assert_eq!(
        state_of(&completed(&jobs), "only-in-wal"),
        Some("{\"n\": 1}")
    );
    writer.run("COMMIT");
    let jobs = list(&path).await.unwrap();
    assert_eq!(
        state_of(&completed(&jobs), "only-in-wal"),
        Some("{\"n\": 2}")
    );

    writer.leave();
    assert_eq!(Footprint::of(folder.path()).names(), ["live.db"]);
    let jobs = list(&path).await.unwrap();
    assert_eq!(
        state_of(&completed(&jobs), "only-in-wal"),
        Some("{\"n\": 2}")
    );
}

#[tokio::test]
async fn what_a_killed_writer_left_is_read_and_stays() {
    if Writer::take_part() {
        return;
    }
    let (folder, path) = with_log(&["", "-wal", "-shm"]);
    let mut writer = Writer::start("ways::what_a_killed_writer_left_is_read_and_stays", &path);
    writer.run("UPDATE state SET completed_state = '{}' WHERE state_id = 'only-in-wal'");
    writer.run("BEGIN");
    writer.run("DELETE FROM state");
    writer.kill();
    let before = Footprint::of(folder.path());
    assert_eq!(before.names(), ["live.db", "live.db-shm", "live.db-wal"]);
    let jobs = ask_everything(&path).await.unwrap();
    assert_eq!(state_of(&completed(&jobs), "only-in-wal"), Some("{}"));
    assert_eq!(Footprint::of(folder.path()), before);
}

/// A writer comes, adds a state and a run in one transaction, and goes, again and again.
#[tokio::test]
async fn lists_beside_a_busy_writer_are_of_one_moment() {
    if Writer::take_part() {
        return;
    }
    let (folder, path) = with_log(&[""]);
    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM runs; DELETE FROM state")
        .unwrap();
    // A list begins when the writer is about to come four more times, so that each has something to be disturbed by.
    let (begin, begins) = std::sync::mpsc::sync_channel::<()>(0);
    let working = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut number = 0;
            for () in begins {
                for _ in 0..4 {
                    let test = "ways::lists_beside_a_busy_writer_are_of_one_moment";
                    let mut writer = Writer::start(test, &path);
                    writer.run(&format!(
                        "BEGIN IMMEDIATE; \
                         INSERT INTO runs (job_name, state, started_at, payload_flags) VALUES ('{number}', 'SUCCESS', '{number}', 0); \
                         INSERT INTO state VALUES ('{number}', '{{}}', '{{}}', NULL); COMMIT"
                    ));
                    writer.leave();
                    number += 1;
                }
            }
        }
    });
    let mut last = 0;
    for _ in 0..10 {
        begin.send(()).unwrap();
        let jobs = list(&path).await.unwrap();
        assert!(
            jobs.iter()
                .all(|job| job.stored.is_some() && job.last_run.is_some())
        );
        assert!(jobs.len() >= last, "{} after {last}", jobs.len());
        last = jobs.len();
    }
    drop(begin);
    working.join().unwrap();
    assert_eq!(list(&path).await.unwrap().len(), 40);
    // Whoever reads while a writer leaves keeps it from cleaning up; the next one does.
    let mut writer = Writer::start("ways::lists_beside_a_busy_writer_are_of_one_moment", &path);
    writer.run("SELECT 1 FROM state");
    writer.leave();
    assert_eq!(Footprint::of(folder.path()).names(), ["live.db"]);
}

#[rstest]
#[case("a b.db")]
#[case("what?mode=rwc&x.db")]
#[case("hash#tag.db")]
#[case("100%41.db")]
#[case("quote'\"`.db")]
#[case("ünï.db")]
#[case("-.db")]
#[tokio::test]
async fn any_name_is_a_name(#[case] name: &str) {
    for endings in [&["", "-wal"][..], &[""]] {
        let (from, source) = with_log(endings);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        for ending in endings {
            let beside = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
            fs::copy(beside(&source), beside(&path)).unwrap();
        }
        let before = Footprint::of(folder.path());
        assert_eq!(list(&path).await.unwrap().len(), 2, "{name}");
        assert_eq!(Footprint::of(folder.path()), before, "{name}");
        drop(from);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_name_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"\xff\xfe.db"));
    fs::copy(fixtures().join("cli/base.db"), &path).unwrap();
    assert_eq!(list(&path).await.unwrap().len(), 17);
}

#[tokio::test]
async fn a_link_is_followed_to_where_the_log_is() {
    let (folder, path) = with_log(&["", "-wal"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let before = (
        Footprint::of(folder.path()),
        Footprint::of(elsewhere.path()),
    );
    let jobs = list(&link).await.unwrap();
    assert_eq!(
        state_of(&completed(&jobs), "only-in-wal"),
        Some(ONLY_IN_LOG)
    );
    let after = (
        Footprint::of(folder.path()),
        Footprint::of(elsewhere.path()),
    );
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_write_that_was_cut_short_is_not_read_and_not_undone() {
    for (header, is_short) in [("delete", false), ("wal", false), ("delete", true)] {
        let (from, path) = with_log(&[""]);
        let writer = Connection::open(&path).unwrap();
        writer
            .pragma_update(None, "journal_mode", "delete")
            .unwrap();
        writer
            .execute_batch(
                "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;
                 UPDATE runs SET job_name = 'half a write';
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                 INSERT INTO runs (job_name, payload) SELECT 'half a write', zeroblob(500) FROM n",
            )
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("live.db");
        fs::copy(&path, &copy).unwrap();
        fs::copy(
            from.path().join("live.db-journal"),
            folder.path().join("live.db-journal"),
        )
        .unwrap();
        if is_short {
            let file = fs::File::options().write(true).open(&copy).unwrap();
            file.set_len(fs::metadata(&path).unwrap().len() / 8192 * 4096)
                .unwrap();
        }
        if header == "wal" {
            let mut bytes = fs::read(&copy).unwrap();
            bytes[18..20].copy_from_slice(&[2, 2]);
            fs::write(&copy, bytes).unwrap();
        }
        let before = Footprint::of(folder.path());
        assert_eq!(
            list(&copy).await,
            Err(BackendError::Interrupted),
            "{header}"
        );
        assert_eq!(Footprint::of(folder.path()), before);
    }
}
