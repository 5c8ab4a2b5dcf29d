//! What a write expects, and what happens to a group of which that does not hold, or that cannot be written.

use rstest::rstest;
use statescope::backend::{BackendError, StateBackend, SystemDatabase};
use statescope::domain::edit::Edit;
use statescope::domain::id::StateId;

use crate::support::{Copy, commit_after, number, planned, write};

#[rstest]
#[case::completed(
    "UPDATE state SET completed_state = completed_state || ' ' WHERE state_id = 'a_b'"
)]
#[case::partial("UPDATE state SET partial_state = '{ }' WHERE state_id = 'a_b'")]
#[case::null("UPDATE state SET partial_state = NULL WHERE state_id = 'a_b'")]
#[case::time_alone(
    "UPDATE state SET updated_at = '2026-12-01 00:00:00.000000' WHERE state_id = 'a_b'"
)]
#[case::gone("DELETE FROM state WHERE state_id = 'a_b'")]
#[case::other_name("UPDATE state SET state_id = 'other' WHERE state_id = 'a_b'")]
#[tokio::test]
async fn what_changed_since_it_was_read_is_left_alone(
    #[case] change: &str,
    #[values("delete", "wal")] journal_mode: &str,
) {
    for edit in [number(1), Edit::Clear] {
        let copy = Copy::of_base(journal_mode);
        let results = commit_after(&copy, vec![("a_b", edit)], || copy.execute(change)).await;
        assert_eq!(results, [Err(BackendError::Conflict)]);
        let untouched = Copy::of_base(journal_mode);
        untouched.execute(change);
        assert_eq!(copy.exact(), untouched.exact());
    }
}

#[rstest]
#[case::text("'new'")]
#[case::bytes("X'6E6577'")]
#[tokio::test]
async fn what_appeared_since_is_left_alone(
    #[case] key: &str,
    #[values("delete", "wal")] journal_mode: &str,
) {
    let copy = Copy::of_base(journal_mode);
    let change = format!("INSERT INTO state VALUES ({key}, '{{}}', '{{}}', NULL)");
    let results = commit_after(&copy, vec![("new", number(1))], || copy.execute(&change)).await;
    assert_eq!(results, [Err(BackendError::Conflict)]);
    let untouched = Copy::of_base(journal_mode);
    untouched.execute(&change);
    assert_eq!(copy.exact(), untouched.exact());
}

/// Gives a database in which two of three groups were written, and one that nothing but those two were written to.
async fn with_one_of_three(change: &str) -> (Copy, Copy, crate::support::Results) {
    let edits = || vec![("aXb", number(1)), ("a_b", number(2)), ("new", number(3))];
    let (copy, want) = (Copy::of_base("wal"), Copy::of_base("wal"));
    let results = commit_after(&copy, edits(), || copy.execute(change)).await;
    let mut others = edits();
    others.remove(1);
    write(&want, others).await;
    (copy, want, results)
}

/// Gives what a database holds, but for the times and the IDs of runs.
fn without_times(copy: &Copy) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let mut rows = copy.exact();
    for row in &mut rows {
        row.retain(|name, _| !name.ends_with("_at") && name != "run_id");
    }
    rows
}

#[tokio::test]
async fn a_conflict_does_not_keep_the_others_from_happening() {
    let change = "UPDATE state SET completed_state = '{\"other\": 1}' WHERE state_id = 'a_b'";
    let (copy, want, results) = with_one_of_three(change).await;
    want.execute(change);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert_eq!(results[1], Err(BackendError::Conflict));
    assert_eq!(without_times(&copy), without_times(&want));
}

#[rstest]
#[case::run_refused(
    "BEFORE INSERT ON runs WHEN new.job_name = 'a_b' BEGIN SELECT RAISE(ABORT, 'not this'); END",
    "not this"
)]
#[case::run_dropped(
    "BEFORE INSERT ON runs WHEN new.job_name = 'a_b' BEGIN SELECT RAISE(IGNORE); END",
    "trigger"
)]
#[case::state_altered(
    "AFTER UPDATE ON state WHEN old.state_id = 'a_b' AND new.completed_state <> '{}' BEGIN UPDATE state SET completed_state = '{}' WHERE state_id = 'a_b'; END",
    "bytes"
)]
#[tokio::test]
async fn a_group_that_cannot_be_written_whole_is_not_written(
    #[case] trigger: &str,
    #[case] why: &str,
) {
    let change = format!("CREATE TRIGGER t {trigger}");
    let (copy, want, results) = with_one_of_three(&change).await;
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    let Err(BackendError::Unsupported(said)) = &results[1] else {
        panic!("{results:?}");
    };
    assert!(said.contains(why), "{said}");
    assert_eq!(without_times(&copy), without_times(&want));
}

#[tokio::test]
async fn no_group_is_written_when_the_transaction_ends_early() {
    let change = "CREATE TRIGGER t BEFORE INSERT ON runs WHEN new.job_name = 'a_b' BEGIN SELECT RAISE(ROLLBACK, 'not this'); END";
    let (copy, _, results) = with_one_of_three(change).await;
    for result in results {
        let Err(BackendError::Unsupported(why)) = result else {
            panic!("{result:?}");
        };
        assert!(why.contains("not this"), "{why}");
    }
    assert_eq!(copy.exact(), Copy::of_base("wal").exact());
}

#[tokio::test]
async fn nothing_touches_the_file_when_no_group_can_be_written() {
    let copy = Copy::of_base("delete");
    let edits = vec![("a_b", number(1)), ("aXb", Edit::Clear)];
    let mut bytes = Vec::new();
    let results = commit_after(&copy, edits, || {
        copy.execute("UPDATE state SET partial_state = '{ }'");
        bytes = std::fs::read(&copy.path).unwrap();
    });
    assert_eq!(results.await, vec![Err(BackendError::Conflict); 2]);
    assert_eq!(std::fs::read(&copy.path).unwrap(), bytes);
}

#[rstest]
#[case::two_rows(
    "INSERT INTO state VALUES (X'615F62', '{}', '{}', NULL)",
    "a_b",
    "2 rows"
)]
#[case::not_utf_8(
    "INSERT INTO state VALUES (CAST(X'FF' AS TEXT), '{}', '{}', NULL)",
    "\u{fffd}",
    "UTF-8"
)]
#[tokio::test]
async fn a_state_that_has_no_one_row_of_its_own_is_not_written(
    #[case] change: &str,
    #[case] id: &str,
    #[case] why: &str,
) {
    let copy = Copy::of_base("wal");
    copy.execute(change);
    let before = copy.exact();
    for edit in [number(1), Edit::Clear] {
        let results = commit_after(&copy, vec![(id, edit)], || ()).await;
        let [Err(BackendError::Unsupported(said))] = results.as_slice() else {
            panic!("{results:?}");
        };
        assert!(said.contains(why), "{said}");
        assert_eq!(copy.exact(), before);
    }
}

#[tokio::test]
async fn what_stands_after_a_write_is_told_and_can_be_written_over() {
    let copy = Copy::of_base("wal");
    let database = copy.database();
    let ids: Vec<StateId> = ["new", "a_b", "aXb"].map(StateId::from).to_vec();
    let edits = vec![("new", number(1)), ("a_b", number(2)), ("aXb", Edit::Clear)];
    let results = database.commit(planned(&database, edits).await).await;
    let told: Vec<_> = results
        .into_iter()
        .flat_map(|result| result.unwrap().versions)
        .collect();
    let current = database.current(&ids).await.unwrap();
    let there: Vec<_> = current
        .iter()
        .map(|current| current.stored.as_ref().map(|stored| stored.version.clone()))
        .collect();
    assert_eq!(told, there);
    assert_eq!(there[2], None);
    write(
        &copy,
        vec![("new", Edit::Clear), ("a_b", number(3)), ("aXb", number(4))],
    )
    .await;
}

#[tokio::test]
async fn a_thousand_groups_are_one_transaction() {
    let copy = Copy::of_base("delete");
    // The counter of changes, which each transaction moves by one.
    let counter = || {
        let bytes = std::fs::read(&copy.path).unwrap();
        u32::from_be_bytes(bytes[24..28].try_into().unwrap())
    };
    let ids: Vec<String> = (0..1000)
        .map(|number| format!("dev:tap-{number}-to-target"))
        .collect();
    let edits = || {
        ids.iter()
            .enumerate()
            .map(|(at, id)| (id.as_str(), number(at)))
            .collect()
    };
    let before = counter();
    write(&copy, edits()).await;
    assert_eq!(counter(), before + 1);
    let ids: Vec<StateId> = ids.iter().map(|id| StateId::from(id.as_str())).collect();
    let current = copy.database().current(&ids).await.unwrap();
    for (number, current) in current.iter().enumerate() {
        let state = &current.stored.as_ref().unwrap().state;
        let text = state.parts()[0].1.document().unwrap().text();
        assert_eq!(text, format!("{{\"singer_state\": {{\"n\": {number}}}}}"));
        assert_eq!(current.runs.len(), 1);
        assert_eq!(current.runs[0].run_id, Some(format!("{:032x}", number + 1)));
    }
}
