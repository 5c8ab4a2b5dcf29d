//! Parts that are put back as they were, and what of the file stays.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use rstest::rstest;
use rusqlite::params;
use serde_json::{Map, Value};
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{BackendError, StateBackend, SystemDatabase};
use statescope::domain::edit::Edit;
use statescope::domain::id::StateId;

use crate::support::{Copy, commit_after, number, write};

type Bytes = Option<&'static [u8]>;

/// States by their ID, with the completed and the partial part.
const ODD: [(&str, Bytes, Bytes); 5] = [
    ("null", None, None),
    ("half null", Some(b"{}"), None),
    ("latin 1", Some(b"{\"caf\xe9\": 1}"), Some(b"\xff\xfe")),
    ("zero", Some(b"{\"a\0b\": 1}"), Some(b"")),
    (
        "spaces",
        Some(b" {\"a\":1E3, \"a\" : -0}\r\n"),
        Some(b"[1,\t2]"),
    ),
];

/// Gives the rows of states without their times.
fn states(copy: &Copy) -> Vec<Map<String, Value>> {
    let mut rows = copy.exact();
    rows.retain(|row| row.contains_key("completed_state"));
    for row in &mut rows {
        row.remove("updated_at");
    }
    rows.sort_by_key(|row| row["state_id"].to_string());
    rows
}

#[rstest]
#[tokio::test]
async fn parts_are_put_back_byte_for_byte(#[values("delete", "wal")] journal_mode: &str) {
    let copy = Copy::of_base(journal_mode);
    for (id, completed, partial) in ODD {
        copy.connection()
            .execute(
                "INSERT INTO state VALUES (?1, CAST(?2 AS TEXT), CAST(?3 AS TEXT), NULL)",
                params![id, partial, completed],
            )
            .unwrap();
    }
    let before = states(&copy);
    let database = copy.database();
    let mut kept = Vec::new();
    for (id, ..) in ODD {
        let stored = database.read(&StateId::from(id)).await.unwrap();
        kept.push(stored.map(|stored| stored.state));
    }
    for lose in [number(1), Edit::Clear] {
        write(&copy, ODD.map(|(id, ..)| (id, lose.clone())).to_vec()).await;
        assert_ne!(states(&copy), before);
        let restored = ODD.iter().zip(&kept).map(|(odd, state)| {
            let state = state.clone();
            (odd.0, Edit::Restore { state })
        });
        write(&copy, restored.collect()).await;
        assert_eq!(states(&copy), before);
    }
}

#[tokio::test]
async fn a_database_that_cannot_keep_the_bytes_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    let schema: String = Copy::of_base("delete")
        .connection()
        .query_row("SELECT group_concat(sql, ';') FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', 'state', 'alembic_version')", [], |row| row.get(0))
        .unwrap();
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(&format!("PRAGMA encoding = 'UTF-16'; {schema}; INSERT INTO alembic_version VALUES ('c0efb3c314eb')"))
        .unwrap();
    let copy = Copy { folder, path };
    let broken = Edit::Restore {
        state: Some(statescope::domain::state::State::meltano(
            statescope::domain::state::Content::read(Some(&b"\xff"[..])),
            statescope::domain::state::Content::Null,
        )),
    };
    let results = commit_after(&copy, vec![("ünï", number(1)), ("b", broken)], || ()).await;
    assert!(results[0].is_ok(), "{results:?}");
    assert!(
        matches!(&results[1], Err(BackendError::Unsupported(why)) if why.contains("encoding")),
        "{results:?}"
    );
    let states = copy.rows("state");
    assert_eq!(states.len(), 1);
    assert_eq!(states[0]["state_id"], "ünï");
}

#[rstest]
#[tokio::test]
async fn the_file_stays_the_file_and_a_link_a_link(#[values("delete", "wal")] journal_mode: &str) {
    let copy = Copy::of_base(journal_mode);
    fs::set_permissions(&copy.path, fs::Permissions::from_mode(0o640)).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.db");
    symlink(&copy.path, &link).unwrap();
    let about = || {
        let about = fs::metadata(&copy.path).unwrap();
        (
            about.ino(),
            about.mode(),
            about.uid(),
            about.gid(),
            about.nlink(),
        )
    };
    let before = about();
    let through = Sqlite::new(link.clone());
    let batch = crate::support::planned(&through, vec![("a_b", number(1))]).await;
    assert!(through.commit(batch).await[0].is_ok());
    assert_eq!(about(), before);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert_eq!(copy.names(), ["meltano.db"]);
    assert_eq!(
        through.read(&"a_b".into()).await,
        copy.database().read(&"a_b".into()).await
    );
}

#[tokio::test]
async fn a_place_has_one_key_whatever_leads_to_it() {
    let copy = Copy::of_base("delete");
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(copy.folder.path(), &link).unwrap();
    let key = copy.database().key().await.unwrap();
    let canonical = fs::canonicalize(&copy.path).unwrap();
    assert_eq!(key.as_str(), format!("sqlite:{}", canonical.display()));
    assert_eq!(Sqlite::new(link.join("meltano.db")).key().await, Ok(key));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_two_places_have_one_key() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let mut keys = std::collections::BTreeSet::new();
    let names: [&[u8]; 6] = [b"\xff", b"\xfe", b"%FF", b"%25FF", b"\xef\xbf\xbd", b"%"];
    for name in names {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::write(&path, "").unwrap();
        keys.insert(Sqlite::new(path).key().await.unwrap());
    }
    assert_eq!(keys.len(), names.len(), "{keys:?}");
    let nowhere = Sqlite::new(folder.path().join("nowhere"));
    assert_eq!(nowhere.key().await, Err(BackendError::NotFound));
}

#[rstest]
#[case("cli/base.db")]
#[case("upgrade/real-4.4.1-c0efb3c314eb/before.db")]
#[case("upgrade/real-2.6.0-5b43800443d1/before.db")]
#[case("upgrade/real-2.7.0-f4c225a9492f/before.db")]
#[case("upgrade/real-1.68.0-d135f52a6f49/before.db")]
#[tokio::test]
async fn what_is_held_now_is_what_each_read_gives(#[case] fixture: &str) {
    let copy = Copy::of(fixture, "wal");
    let database = copy.database();
    let jobs = crate::programs::list(&copy.path).await.unwrap();
    let mut ids: Vec<StateId> = jobs.into_iter().map(|job| job.id).collect();
    ids.reverse();
    ids.push("nobody's".into());
    let all = database.current(&ids).await.unwrap();
    assert_eq!(all.len(), ids.len());
    for (id, current) in ids.iter().zip(all) {
        assert_eq!(current.id, *id);
        let (stored, records) = database.history(id).await.unwrap();
        assert_eq!(current.stored, stored, "{id}");
        let runs: Vec<_> = records.into_iter().map(|record| record.run).collect();
        assert_eq!(current.runs, runs, "{id}");
        assert_eq!(
            database.current(std::slice::from_ref(id)).await,
            Ok(vec![current])
        );
    }
    assert_eq!(database.current(&[]).await, Ok(Vec::new()));
}
