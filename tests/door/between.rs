//! What another statescope does between two looks of this one.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::Timestamp;
use statescope::domain::id::StateId;
use statescope::domain::operation::{Event, Operation, OperationId};
use statescope::domain::version::ContentHash;
use statescope::journal::{self, JournalStore, NewOperation, Ongoing, Pruned, Query, Result};
use statescope::ops::OpenSite;
use statescope::ops::write;
use statescope::project::Surroundings;

use crate::stage::{JOB, Stage};

/// A journal behind whose first answer something happens.
struct Interrupting {
    inner: Arc<dyn JournalStore>,
    happened: AtomicBool,
    happens: Mutex<Box<dyn FnMut() + Send>>,
}

impl fmt::Debug for Interrupting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl fmt::Display for Interrupting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

#[async_trait]
impl JournalStore for Interrupting {
    async fn plan(&self, operation: NewOperation) -> Result<Ongoing> {
        self.inner.plan(operation).await
    }

    async fn record(&self, id: OperationId, at: Timestamp, events: Vec<Event>) -> Result<()> {
        self.inner.record(id, at, events).await
    }

    async fn find(&self, query: Query) -> Result<Vec<Operation>> {
        let found = self.inner.find(query).await;
        if !self.happened.swap(true, Ordering::Relaxed) {
            (self.happens.lock().unwrap())();
        }
        found
    }

    async fn get(&self, id: OperationId) -> Result<Option<Operation>> {
        self.inner.get(id).await
    }

    async fn contents(&self, hashes: Vec<ContentHash>) -> Result<HashMap<ContentHash, Vec<u8>>> {
        self.inner.contents(hashes).await
    }

    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<Pruned> {
        self.inner.prune(before, now).await
    }
}

/// Asks what was overwritten, while something happens behind the first look into the journal.
async fn overwritten_while(stage: &Arc<Stage>, happens: impl FnMut() + Send + 'static) -> usize {
    let surroundings = Surroundings {
        directory: "/".into(),
        variables: std::collections::BTreeMap::new(),
    };
    let site = surroundings.source(stage.database().to_str().unwrap());
    let site = OpenSite::new(site.unwrap(), None);
    let journal = Interrupting {
        inner: journal::open(&stage.journal(), journal::LIMIT),
        happened: AtomicBool::new(false),
        happens: Mutex::new(Box::new(happens)),
    };
    let found = write::overwritten(&site, &journal, &[StateId::from(JOB)]).await;
    found.unwrap().len()
}

#[tokio::test]
async fn an_edit_on_top_of_ours_is_no_loss_though_the_journal_was_read_before_it() {
    let stage = Arc::new(Stage::new());
    assert_eq!(stage.put("first", 1).code, Some(0));
    let other = Arc::clone(&stage);
    let happens = move || assert_eq!(other.put("second", 2).code, Some(0));
    assert_eq!(overwritten_while(&stage, happens).await, 0);
    assert!(stage.held().completed.contains(r#""second": 2"#));
}

#[tokio::test]
async fn another_programs_write_is_one() {
    let stage = Arc::new(Stage::new());
    assert_eq!(stage.put("first", 1).code, Some(0));
    let other = Arc::clone(&stage);
    let happens = move || {
        rusqlite::Connection::open(other.database())
            .unwrap()
            .execute(
                "UPDATE state SET completed_state = '{\"singer_state\": {}}' WHERE state_id = ?1",
                [JOB],
            )
            .unwrap();
    };
    assert_eq!(overwritten_while(&stage, happens).await, 1);
}
