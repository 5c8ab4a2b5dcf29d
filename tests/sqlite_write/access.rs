//! Which databases are written to, and that nothing else is.

use rstest::rstest;
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{Access, BackendError, StateBackend, SystemDatabase, open};
use statescope::domain::id::StateId;
use statescope::domain::location::Location;

use crate::programs::{fixtures, list};
use crate::support::{Copy, commit_after, number, planned};

async fn access(database: &Sqlite) -> Access {
    database.capabilities().await.unwrap().access
}

#[rstest]
#[case("cli/base.db")]
#[case("cli/base-nulls.db")]
#[case("cli/base-empty.db")]
#[case("upgrade/alembic-15-6828cc5b1a4f/before.db")]
#[case("upgrade/real-2.20.0-6828cc5b1a4f/before.db")]
#[case("upgrade/real-3.5.4-6828cc5b1a4f/before.db")]
#[case("upgrade/real-4.0.0-6828cc5b1a4f/before.db")]
#[case("upgrade/real-4.4.1-c0efb3c314eb/before.db")]
#[case("upgrade/real-2.6.0-5b43800443d1/after.db")]
#[case("upgrade/real-1.105.0-13e8639c6d2b/after.db")]
#[tokio::test]
async fn what_a_known_meltano_writes_is_written(#[case] fixture: &str) {
    let copy = Copy::of(fixture, "wal");
    assert_eq!(access(&copy.database()).await, Access::ReadWrite);
    crate::support::write(&copy, vec![("brand-new", number(1))]).await;
    assert!(
        copy.database()
            .read(&"brand-new".into())
            .await
            .unwrap()
            .is_some()
    );
}

#[rstest]
#[case("upgrade/alembic-01-b4c05e463b53/before.db", &["b4c05e463b53", "meltano upgrade database"])]
#[case("upgrade/alembic-02-6ef30ab7b8e5/before.db", &["6ef30ab7b8e5", "meltano upgrade database"])]
#[case("upgrade/alembic-03-53e97221d99f/before.db", &["53e97221d99f", "meltano upgrade database"])]
#[case("upgrade/alembic-04-a3e2b0a4937d/before.db", &["a3e2b0a4937d", "meltano upgrade database"])]
#[case("upgrade/alembic-06-ceb00d7ff3bd/before.db", &["ceb00d7ff3bd", "meltano upgrade database"])]
#[case("upgrade/alembic-07-23ea52e6d784/before.db", &["23ea52e6d784", "meltano upgrade database"])]
#[case("upgrade/alembic-09-367228df6a43/before.db", &["367228df6a43", "meltano upgrade database"])]
#[case("upgrade/alembic-10-e4fbabc3fed6/before.db", &["e4fbabc3fed6", "meltano upgrade database"])]
#[case("upgrade/real-1.68.0-d135f52a6f49/before.db", &["d135f52a6f49", "meltano upgrade database"])]
#[case("upgrade/real-1.105.0-13e8639c6d2b/before.db", &["13e8639c6d2b", "meltano upgrade database"])]
#[case("upgrade/real-2.6.0-5b43800443d1/before.db", &["5b43800443d1", "meltano upgrade database"])]
#[case("upgrade/real-2.7.0-f4c225a9492f/before.db", &["f4c225a9492f", "meltano upgrade database"])]
#[case("upgrade/alembic-14-f4c225a9492f/before.db", &["f4c225a9492f", "meltano upgrade database"])]
#[case("upgrade/failing/unknown-revision-5b43/before.db", &["ffffffffffff", "does not know"])]
#[case("upgrade/failing/two-alembic-heads-5b43/before.db", &["2 revisions", "5b43800443d1", "990c0665f3ce"])]
#[case("upgrade/failing/no-alembic-version-table-5b43/before.db", &["`alembic_version`"])]
#[case("upgrade/failing/empty-alembic-version-table-5b43/before.db", &["`alembic_version`"])]
#[case("upgrade/real-1.68.0-d135f52a6f49/after.db", &["CHECK", "`job_state`", "make the table anew"])]
#[tokio::test]
async fn what_is_not_written_to_says_why(#[case] fixture: &str, #[case] words: &[&str]) {
    let Access::ReadOnly(why) = access(&Sqlite::new(fixtures().join(fixture))).await else {
        panic!("it is written to");
    };
    for word in words {
        assert!(why.contains(word), "{why}");
    }
}

#[rstest]
#[case::newer("UPDATE alembic_version SET version_num = '0123456789ab'", &["0123456789ab", "does not know"])]
#[case::older("UPDATE alembic_version SET version_num = 'f4c225a9492f'", &["f4c225a9492f", "upgrade"])]
#[case::two("INSERT INTO alembic_version VALUES ('6828cc5b1a4f')", &["2 revisions"])]
#[case::none("DELETE FROM alembic_version", &["`alembic_version`"])]
#[case::no_states("DROP TABLE state", &["no `state` table"])]
#[case::other_key("ALTER TABLE state RENAME COLUMN state_id TO job_name", &["no `state` table"])]
#[case::no_run_id("ALTER TABLE runs DROP COLUMN run_id", &["no `runs` table"])]
#[case::no_trigger("ALTER TABLE runs DROP COLUMN \"trigger\"", &["no `runs` table"])]
#[case::no_heartbeat("ALTER TABLE runs DROP COLUMN last_heartbeat_at", &["no `runs` table"])]
#[case::old_name("ALTER TABLE runs RENAME TO job", &["no `runs` table"])]
#[case::old_key("ALTER TABLE runs RENAME COLUMN job_name TO job_id", &["no `runs` table"])]
#[tokio::test]
async fn what_is_no_longer_written_to_when_it_comes_to_it_is_not(
    #[case] change: &str,
    #[case] words: &[&str],
    #[values("delete", "wal")] journal_mode: &str,
) {
    let copy = Copy::of_base(journal_mode);
    let mut bytes = Vec::new();
    let edits = vec![("a_b", number(1)), ("new", number(2))];
    let results = commit_after(&copy, edits, || {
        copy.execute(change);
        bytes = std::fs::read(&copy.path).unwrap();
    });
    let results = results.await;
    let Access::ReadOnly(why) = access(&copy.database()).await else {
        panic!("it is written to");
    };
    for word in words {
        assert!(why.contains(word), "{why}");
    }
    assert_eq!(results, vec![Err(BackendError::ReadOnly(why)); 2]);
    assert_eq!(std::fs::read(&copy.path).unwrap(), bytes);
}

#[tokio::test]
async fn a_guard_lets_every_read_through_and_no_write() {
    let copy = Copy::of_base("delete");
    let bytes = std::fs::read(&copy.path).unwrap();
    let why = "the configuration says so";
    let guarded = open(
        &Location::Sqlite(copy.path.clone()),
        None,
        Some(why.to_owned()),
    )
    .runs
    .unwrap();
    let plain = copy.database();
    let batch = planned(&plain, vec![("a_b", number(1)), ("new", number(2))]).await;
    let refused = Err(BackendError::ReadOnly(why.to_owned()));
    assert_eq!(guarded.commit(batch).await, vec![refused; 2]);
    assert_eq!(std::fs::read(&copy.path).unwrap(), bytes);
    assert_eq!(copy.names(), ["meltano.db"]);

    let able = guarded.capabilities().await.unwrap();
    assert_eq!(able.access, Access::ReadOnly(why.to_owned()));
    assert_eq!(able.folding, plain.capabilities().await.unwrap().folding);
    assert!(able.runs);
    let id = StateId::from("dev:tap-github-to-target-jsonl");
    assert_eq!(guarded.read(&id).await, plain.read(&id).await);
    assert_eq!(guarded.runs(&id).await, plain.runs(&id).await);
    assert_eq!(guarded.history(&id).await, plain.history(&id).await);
    assert_eq!(guarded.facts().await, plain.facts().await);
    assert_eq!(guarded.key().await, plain.key().await);
    let ids = [id];
    assert_eq!(guarded.current(&ids).await, plain.current(&ids).await);
    let mut chunks = guarded.list();
    let first = futures_util::StreamExt::next(&mut chunks)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(first.rows, list(&copy.path).await.unwrap());
    assert_eq!(guarded.to_string(), plain.to_string());
}
