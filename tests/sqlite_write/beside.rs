//! Writes and reads of one process on one file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use futures_util::StreamExt;
use rstest::rstest;
use statescope::backend::{StateBackend, SystemDatabase};
use statescope::domain::history::RunStatus;

use crate::programs::list;
use crate::support::{Copy, number, planned, planned_at, write};

/// Lists beside writes hold each state with the run that tells of it, and none goes back.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lists_beside_writes_are_of_one_moment(#[values("delete", "wal")] journal_mode: &str) {
    const WRITES: usize = 60;
    let copy = Copy::of_base(journal_mode);
    write(&copy, vec![("dev:tap-a-to-target-b", number(0))]).await;
    let (database, path) = (copy.database(), copy.path.clone());
    let writing = tokio::spawn(async move {
        for at in 1..=WRITES {
            let edits = vec![("dev:tap-a-to-target-b", number(at))];
            let now = jiff::Timestamp::now();
            let batch = planned_at(&database, edits, now, "cli", at + 1).await;
            let results = database.commit(batch).await;
            assert!(results[0].is_ok(), "{results:?}");
        }
    });
    let mut seen = BTreeMap::new();
    loop {
        let is_last = writing.is_finished();
        let jobs = list(&path).await.unwrap();
        assert_eq!(jobs.len(), 18);
        let job = jobs.last().unwrap();
        let edit = job.last_edit.as_ref().unwrap();
        assert_eq!(edit.status, RunStatus::StateEdit);
        let run = usize::from_str_radix(edit.run_id.as_deref().unwrap(), 16).unwrap();
        let text = job.stored.as_ref().unwrap().state.parts()[0]
            .1
            .document()
            .unwrap()
            .text();
        assert_eq!(
            text,
            format!("{{\"singer_state\": {{\"n\": {}}}}}", run - 1)
        );
        assert!(seen.keys().all(|earlier| *earlier <= run));
        *seen.entry(run).or_insert(0) += 1;
        if is_last {
            break;
        }
    }
    writing.await.unwrap();
    assert_eq!(seen.keys().last(), Some(&(WRITES + 1)));
    assert!(seen.len() > 2, "{seen:?}");
    assert_only_the_file_is_left(&copy).await;
}

/// Whoever reads while a writer leaves keeps it from cleaning up its log; the next one does.
async fn assert_only_the_file_is_left(copy: &Copy) {
    write(copy, vec![("the last", number(1))]).await;
    assert_eq!(copy.names(), ["meltano.db"]);
}

/// Tells whether this process waits to have a file to itself, as the kernel tells: SQLite's pending byte is locked.
#[cfg(target_os = "linux")]
fn waits_for_readers(path: &Path) -> bool {
    let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| {
        line.contains(&inode) && line.contains(" WRITE ") && line.contains(" 1073741824 ")
    })
}

/// A list that is not taken from keeps its lock, a commit waits for it, and whoever comes then waits for the commit.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_and_reads_of_one_process_do_not_wait_for_each_other_in_a_circle() {
    let copy = Copy::of_base("delete");
    copy.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO state SELECT 'job ' || i, '{}', '{}', NULL FROM n",
    );
    let database = copy.database();
    let batch = planned(&database, vec![("a_b", number(1))]).await;
    let mut jobs = database.list();
    let mut listed = jobs.next().await.unwrap().unwrap().rows.len();
    let committing = tokio::spawn({
        let database = database.clone();
        async move { database.commit(batch).await }
    });
    while !waits_for_readers(&copy.path) {
        assert!(!committing.is_finished(), "it did not wait for the list");
        tokio::task::yield_now().await;
    }
    let reading = tokio::spawn({
        let database = database.clone();
        async move { database.read(&"a_b".into()).await }
    });
    while let Some(chunk) = jobs.next().await {
        listed += chunk.unwrap().rows.len();
    }
    assert_eq!(listed, 3017);
    let results = committing.await.unwrap();
    assert!(results[0].is_ok(), "{results:?}");
    let read = reading.await.unwrap().unwrap();
    let current = database.current(&["a_b".into()]).await.unwrap();
    assert_eq!(read, current[0].stored);
}

/// Writers and readers of one process meet in every order, and each comes through.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn many_writers_and_readers_of_one_process_all_come_through(
    #[values("delete", "wal")] journal_mode: &str,
) {
    let copy = Copy::of_base(journal_mode);
    let mut tasks = Vec::new();
    for worker in 0..4 {
        let database = copy.database();
        tasks.push(tokio::spawn(async move {
            let id = format!("job {worker}");
            for at in 0..15 {
                let batch = planned(&database, vec![(id.as_str(), number(at))]).await;
                let results = database.commit(batch).await;
                assert!(results[0].is_ok(), "{results:?}");
            }
        }));
        let path = copy.path.clone();
        tasks.push(tokio::spawn(async move {
            for _ in 0..15 {
                list(&path).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let current = copy
        .database()
        .current(&["job 0".into(), "job 3".into()])
        .await
        .unwrap();
    assert_eq!(current[0].runs.len(), 15);
    assert_eq!(current[1].runs.len(), 15);
    assert_only_the_file_is_left(&copy).await;
}
