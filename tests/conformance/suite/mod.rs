//! What every store does: checks over [`StateBackend`], called for each store by [`conformance`].
//!
//! A store says by its capabilities what it cannot do. One that is not written to is held to just that: it refuses each group,
//! and nothing changes.

use std::sync::Arc;

use statescope::backend::{Access, BackendError, Committed, StateBackend};
use statescope::domain::edit::{Answer, Batch, Confirmation, Confirmed, Edit, Item, Plan, Target};
use statescope::domain::history::Stored;
use statescope::domain::id::StateId;
use statescope::domain::location::SourceKey;
use statescope::domain::operation::OperationKind;
use statescope::domain::state::{Content, State};

pub mod reads;
pub mod writes;

pub type Results = Vec<Result<Committed, BackendError>>;

/// Is a store in a place of its own, as a test makes it.
pub trait Fixture: Send + Sync {
    /// Opens the store; each call gives another handle on the same place.
    fn open(&self) -> Arc<dyn StateBackend>;

    /// Puts a state there, or takes it away, as another program does that looks at no version. The parts are JSON values.
    fn overwrite(&self, id: &str, parts: Option<(&str, &str)>);

    /// Gives everything that is there, with its bytes and its times, to be compared.
    fn exact(&self) -> Vec<String>;

    /// Counts the runs that tell of edits of a state; `None` where edits leave none.
    fn edits(&self, id: &str) -> Option<usize>;
}

/// Makes a test of each check, for one store.
macro_rules! conformance {
    ($store:ident, $fixture:expr) => {
        mod $store {
            use super::*;
            conformance!(@each $fixture, reads: [
                an_empty_store_lists_nothing, a_list_holds_each_state_once_and_in_one_order, a_list_comes_in_chunks,
                a_list_can_be_dropped, what_is_listed_is_what_is_read, what_is_not_there_is_none, odd_ids_are_told_apart,
                bytes_are_kept, versions_change_with_what_is_held, the_key_is_of_the_place
            ]);
            conformance!(@each $fixture, writes: [
                states_are_made_replaced_and_deleted, conflicts_write_nothing, a_group_happens_whole_or_not,
                other_groups_go_on, parts_are_written_verbatim, odd_ids_are_written, a_committed_version_is_what_is_read,
                no_update_is_lost
            ]);
        }
    };
    (@each $fixture:expr, $part:ident: [$($check:ident),*]) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $check() {
                $crate::suite::$part::$check(&$fixture).await;
            }
        )*
    };
}
pub(crate) use conformance;

/// Makes a state of two parts.
pub fn state(completed: &str, partial: &str) -> State {
    State::meltano(Content::read(Some(completed)), Content::read(Some(partial)))
}

/// Makes the state with a number, so that it can be told which write left it.
pub fn numbered(number: usize) -> State {
    state(&format!("{{\"singer_state\": {{\"n\": {number}}}}}"), "{}")
}

pub async fn read(store: &dyn StateBackend, id: &str) -> Option<Stored> {
    store.read(&StateId::from(id)).await.unwrap()
}

/// Confirms what some states are to hold, each on what was read of it.
pub fn confirmed(wanted: Vec<(&str, Option<Stored>, Option<State>)>) -> Confirmed<Batch> {
    let item = |(id, before, after): (&str, Option<Stored>, Option<State>)| Item {
        id: StateId::from(id),
        edit: Edit::Restore {
            state: after.clone(),
        },
        before,
        after,
        findings: Vec::new(),
        consequences: Vec::new(),
    };
    let plan = Plan {
        kind: OperationKind::Undo,
        target: Target {
            site: "site".to_owned(),
            source: "source".to_owned(),
            key: SourceKey::new("source"),
            decided_by: "the test".to_owned(),
            elsewhere: None,
        },
        items: wanted.into_iter().map(item).collect(),
        undoes: None,
        guards: Vec::new(),
        protected: Vec::new(),
        confirmation: Confirmation::Yes,
        reason: None,
    };
    let mut run = 0;
    let mut new_id = || {
        run += 1;
        format!("{run:032x}")
    };
    let confirmed = plan.confirm(&Answer::Yes).unwrap();
    confirmed.batch(jiff::Timestamp::now(), "cli", &mut new_id)
}

/// Writes one state on what the store holds of it now.
pub async fn write(store: &dyn StateBackend, id: &str, after: Option<State>) -> Results {
    let before = read(store, id).await;
    store.commit(confirmed(vec![(id, before, after)])).await
}

/// Tells whether a store is written to. Of one that is not, looks that it refuses every group and keeps what it has.
pub async fn is_written(fixture: &dyn Fixture) -> bool {
    let store = fixture.open();
    let Access::ReadOnly(why) = store.capabilities().await.unwrap().access else {
        return true;
    };
    fixture.overwrite("there", Some(("{}", "{}")));
    let before = fixture.exact();
    let there = read(&*store, "there").await;
    let batch = confirmed(vec![
        ("there", there.clone(), Some(numbered(1))),
        ("new", None, Some(numbered(2))),
        ("there", there, None),
    ]);
    let refused = Err(BackendError::ReadOnly(why.clone()));
    assert!(!why.is_empty());
    assert_eq!(store.commit(batch).await, vec![refused; 3]);
    assert_eq!(fixture.exact(), before);
    false
}
