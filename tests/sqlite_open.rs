//! Reads the databases that every release of Meltano wrote.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::StreamExt;
use rstest::rstest;
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{BackendError, StateBackend};
use statescope::domain::job::Listed;
use statescope::domain::json::Document;
use statescope::domain::json::python::{Style, dumps};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano")
}

fn upgrade(name: &str) -> PathBuf {
    fixtures().join("upgrade").join(name)
}

async fn list(path: &Path) -> Result<Vec<Listed>, BackendError> {
    let database = Sqlite::new(path.to_owned());
    let mut chunks = database.list();
    let (mut generation, mut rows) = (0, Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.generation != generation {
            generation = chunk.generation;
            rows.clear();
        }
        rows.extend(chunk.rows);
    }
    Ok(rows)
}

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
