//! Reads the databases that every release of Meltano wrote.

use std::fs;
use std::path::PathBuf;

use rstest::rstest;
use rusqlite::Connection;
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{StateBackend, SystemDatabase};
use statescope::domain::history::Folding;
use statescope::domain::json::Document;
use statescope::domain::json::python::{Style, dumps};

use crate::support::{fixtures, list, upgrade};

/// Gives the folders of fixtures that hold a database, by the names of their databases.
fn databases() -> Vec<PathBuf> {
    let folders = [upgrade(""), upgrade("failing")];
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|folder| !folder.ends_with("wal-live"))
        .chain([fixtures().join("cli")])
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "db"))
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn every_fixture_lists_and_reads() {
    let databases = databases();
    assert!(databases.len() > 70, "{} databases", databases.len());
    for path in databases {
        let jobs = list(&path)
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let database = Sqlite::new(path.clone());
        for job in jobs {
            let read = database.read(&job.id).await.unwrap();
            assert_eq!(read, job.stored, "{} {}", path.display(), job.id);
        }
    }
}

#[rstest]
#[case("real-1.105.0-13e8639c6d2b", &["before.db", "after.db"])]
#[case("real-1.68.0-d135f52a6f49", &["before.db", "after.db"])]
#[case("real-2.20.0-6828cc5b1a4f", &["before.db", "after.db"])]
#[case("real-2.6.0-5b43800443d1", &["before.db", "after.db"])]
#[case("real-2.7.0-f4c225a9492f", &["after.db"])] // The upgrade throws the states that 2.7.0 wrote away.
#[case("real-3.5.4-6828cc5b1a4f", &["before.db", "after.db"])]
#[case("real-4.0.0-6828cc5b1a4f", &["before.db", "after.db"])]
#[case("real-4.4.1-c0efb3c314eb", &["before.db", "after.db"])]
#[case("alembic-03-53e97221d99f", &["before.db", "after.db"])]
#[case("alembic-04-a3e2b0a4937d", &["before.db", "after.db"])]
#[case("alembic-06-ceb00d7ff3bd", &["before.db", "after.db"])]
#[case("alembic-07-23ea52e6d784", &["before.db", "after.db"])]
#[case("alembic-09-367228df6a43", &["before.db", "after.db"])]
#[case("alembic-10-e4fbabc3fed6", &["before.db", "after.db"])]
#[case("alembic-11-d135f52a6f49", &["before.db", "after.db"])]
#[case("alembic-12-13e8639c6d2b", &["before.db", "after.db"])]
#[case("alembic-13-5b43800443d1", &["before.db", "after.db"])]
#[case("alembic-14-f4c225a9492f", &["before.db", "after.db"])]
#[case("alembic-15-6828cc5b1a4f", &["before.db", "after.db"])]
#[tokio::test]
async fn states_are_those_that_meltano_tells(#[case] era: &str, #[case] databases: &[&str]) {
    let ids = fs::read_to_string(upgrade(era).join("state-list.txt")).unwrap();
    let golden = fs::read(upgrade(era).join("state-get.json")).unwrap();
    let golden = Document::parse(golden).unwrap();
    for database in databases {
        let jobs = list(&upgrade(era).join(database)).await.unwrap();
        let jobs: Vec<_> = jobs.iter().filter(|job| job.stored.is_some()).collect();
        let listed: Vec<_> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(listed.join("\n") + "\n", ids, "{database}");
        for job in jobs {
            let effective = job.stored.as_ref().unwrap().state.effective();
            let ours = effective.map(|document| dumps(document.root(), Style::Default));
            let theirs = golden.root().get(job.id.as_str());
            let theirs = theirs
                .map(|state| dumps(state, Style::Default))
                .unwrap_or_default();
            assert_eq!(ours, Ok(theirs), "{database}: {}", job.id);
        }
    }
}

#[rstest]
#[case("alembic-01-b4c05e463b53/before.db", "b4c05e463b53", Some("job"), None)]
#[case(
    "real-1.68.0-d135f52a6f49/before.db",
    "d135f52a6f49",
    Some("job"),
    None
)]
#[case(
    "real-2.6.0-5b43800443d1/before.db",
    "5b43800443d1",
    Some("runs"),
    None
)]
#[case(
    "real-2.7.0-f4c225a9492f/before.db",
    "f4c225a9492f",
    Some("runs"),
    Some("job_name")
)]
#[case(
    "alembic-14-f4c225a9492f/before.db",
    "f4c225a9492f",
    Some("runs"),
    None
)]
#[case(
    "real-4.4.1-c0efb3c314eb/before.db",
    "c0efb3c314eb",
    Some("runs"),
    Some("state_id")
)]
#[case(
    "failing/no-alembic-version-table-5b43/before.db",
    "",
    Some("runs"),
    None
)]
#[case(
    "failing/empty-alembic-version-table-5b43/before.db",
    "",
    Some("runs"),
    None
)]
#[case(
    "failing/two-alembic-heads-5b43/before.db",
    "5b43800443d1 990c0665f3ce",
    Some("runs"),
    None
)]
#[case(
    "failing/runs-name-taken-13e8/before.db",
    "13e8639c6d2b",
    Some("job"),
    None
)]
#[case(
    "failing/stuck-after-failed-rename-13e8/before.db",
    "13e8639c6d2b",
    Some("runs"),
    None
)]
#[case(
    "failing/unrelated-state-table-5b43/before.db",
    "5b43800443d1",
    Some("runs"),
    None
)]
#[tokio::test]
async fn schemas_are_told_from_their_tables(
    #[case] name: &str,
    #[case] revisions: &str,
    #[case] runs_table: Option<&'static str>,
    #[case] state_key: Option<&'static str>,
) {
    let database = Sqlite::new(upgrade(name));
    let facts = database.facts().await.unwrap();
    assert_eq!(facts.revisions.join(" "), revisions);
    assert_eq!((facts.runs_table, facts.state_key), (runs_table, state_key));
    let folding = database.capabilities().await.unwrap().folding;
    let written = folding == Folding::Written;
    assert_eq!(written, state_key.is_some());
}

/// A failed upgrade leaves an empty `job` behind a full `runs`, or a `job` whose key has its new name.
#[rstest]
#[case(
    "CREATE TABLE job (id INTEGER PRIMARY KEY, job_id, state, started_at, ended_at, payload, payload_flags)",
    "runs"
)]
#[case(
    "ALTER TABLE runs RENAME TO job; CREATE TABLE runs (id INTEGER PRIMARY KEY, mine TEXT)",
    "job"
)]
#[tokio::test]
async fn half_an_upgrade_is_read(#[case] sql: &str, #[case] runs_table: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    fs::copy(upgrade("real-2.6.0-5b43800443d1/before.db"), &path).unwrap();
    let before = list(&path).await.unwrap();
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let facts = Sqlite::new(path.clone()).facts().await.unwrap();
    assert_eq!(facts.runs_table, Some(runs_table));
    assert_eq!(list(&path).await.unwrap(), before);
}

#[tokio::test]
async fn a_history_holds_the_state_and_every_run() {
    let database = Sqlite::new(upgrade("real-4.4.1-c0efb3c314eb/before.db"));
    let mut jobs_with_runs = 0;
    for job in list(&upgrade("real-4.4.1-c0efb3c314eb/before.db"))
        .await
        .unwrap()
    {
        let (stored, runs) = database.history(&job.id).await.unwrap();
        assert_eq!(stored, job.stored);
        assert_eq!(runs, database.runs(&job.id).await.unwrap());
        assert!(runs.iter().all(|record| record.run.state_id == job.id));
        jobs_with_runs += usize::from(!runs.is_empty());
        for shown in [&job.last_run, &job.last_edit].into_iter().flatten() {
            assert!(runs.iter().any(|record| record.run == *shown));
        }
    }
    assert!(jobs_with_runs > 30, "{jobs_with_runs}");
}
