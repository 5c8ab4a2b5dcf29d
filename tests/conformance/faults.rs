//! The faults of the reference store, by which others are tested.

use futures_util::StreamExt;
use statescope::backend::memory::{Call, Gate, Memory, Turn};
use statescope::backend::{BackendError, StateBackend};
use statescope::domain::id::StateId;

use crate::suite::{confirmed, numbered, read, write};

fn lost() -> BackendError {
    BackendError::Unreachable("the answer was lost".to_owned())
}

#[tokio::test]
async fn a_commit_that_fails_before_writes_nothing_and_one_that_fails_after_has_written() {
    let store = Memory::new();
    store.next(
        Call::Commit,
        [
            Turn::FailBefore(lost()),
            Turn::FailAfter(lost()),
            Turn::Well,
        ],
    );
    assert_eq!(write(&store, "job", Some(numbered(1))).await, [Err(lost())]);
    assert_eq!(read(&store, "job").await, None);
    assert_eq!(write(&store, "job", Some(numbered(2))).await, [Err(lost())]);
    assert_eq!(read(&store, "job").await.unwrap().state, numbered(2));
    assert!(write(&store, "job", Some(numbered(3))).await[0].is_ok());
    assert!(write(&store, "job", None).await[0].is_ok());
}

#[tokio::test]
async fn a_commit_that_waits_finds_what_was_written_meanwhile() {
    let store = Memory::new();
    store.overwrite(&StateId::from("job"), Some(numbered(0)));
    let gate = Gate::closed();
    store.next(Call::Commit, [Turn::Wait(gate.clone())]);
    let before = read(&store, "job").await;
    let batch = confirmed(vec![("job", before, Some(numbered(1)))]);
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.commit(batch).await }
    });
    gate.reached().await.unwrap();
    assert!(write(&store, "job", Some(numbered(2))).await[0].is_ok());
    gate.open();
    assert_eq!(waiting.await.unwrap(), [Err(BackendError::Conflict)]);
    assert_eq!(read(&store, "job").await.unwrap().state, numbered(2));
}

#[tokio::test]
async fn each_call_can_fail_and_only_the_chosen_one_does() {
    let store = Memory::new();
    store.overwrite(&StateId::from("job"), Some(numbered(0)));
    store.next(Call::Read, [Turn::Well, Turn::FailAfter(lost())]);
    store.next(Call::Key, [Turn::FailBefore(lost())]);
    store.next(Call::Capabilities, [Turn::FailBefore(lost())]);
    store.next(
        Call::List,
        [Turn::FailBefore(lost()), Turn::FailAfter(lost())],
    );
    let id = StateId::from("job");
    assert!(store.read(&id).await.is_ok());
    assert_eq!(store.read(&id).await, Err(lost()));
    assert!(store.read(&id).await.is_ok());
    assert_eq!(store.key().await, Err(lost()));
    assert_eq!(store.capabilities().await, Err(lost()));
    let list = async || store.list().collect::<Vec<_>>().await;
    assert_eq!(list().await, [Err(lost())]);
    let half = list().await;
    assert!(half[0].is_ok() && half[1] == Err(lost()), "{half:?}");
    assert!(list().await.iter().all(Result::is_ok));
    assert_ne!(store.key().await, Memory::new().key().await);
}
