//! Committing.

use statescope::backend::{BackendError, StateBackend};
use statescope::domain::edit::is_same;
use statescope::domain::state::{Content, State};

use super::reads::ODD_IDS;
use super::{Fixture, confirmed, is_written, numbered, read, state, write};

async fn holds(store: &dyn StateBackend, id: &str) -> Option<State> {
    read(store, id).await.map(|stored| stored.state)
}

pub async fn states_are_made_replaced_and_deleted(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    for after in [
        Some(numbered(1)),
        Some(numbered(2)),
        None,
        Some(numbered(3)),
        None,
    ] {
        let results = write(&*store, "job", after.clone()).await;
        assert!(
            results.iter().all(Result::is_ok) && results.len() == 1,
            "{results:?}"
        );
        assert_eq!(holds(&*fixture.open(), "job").await, after);
    }
}

pub async fn conflicts_write_nothing(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    let there = Some((r#"{"a": 1}"#, "{}"));
    let changed = Some((r#"{"a":1}"#, "{}"));
    let mine = || Some(numbered(1));
    for (read_as, now, after) in [
        (None, there, mine()),
        (there, changed, mine()),
        (there, changed, None),
        (there, None, mine()),
        (there, None, None),
    ] {
        fixture.overwrite("job", read_as);
        let before = read(&*store, "job").await;
        fixture.overwrite("job", now);
        let exact = fixture.exact();
        let results = store.commit(confirmed(vec![("job", before, after)])).await;
        assert_eq!(
            results,
            [Err(BackendError::Conflict)],
            "{read_as:?} {now:?}"
        );
        assert_eq!(fixture.exact(), exact);
    }
}

pub async fn a_group_happens_whole_or_not(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    let after = state(r#"{"a": 1}"#, r#"{"b": 2}"#);
    let results = write(&*store, "job", Some(after)).await;
    assert!(results[0].is_ok(), "{results:?}");
    // A completed and a partial part are told by a run each.
    let told = fixture.edits("job");
    assert!(told.is_none_or(|count| count == 2), "{told:?}");
    let stale = read(&*store, "job").await;
    fixture.overwrite("job", Some(("{}", "{}")));
    let results = store
        .commit(confirmed(vec![("job", stale, Some(numbered(1)))]))
        .await;
    assert_eq!(results, [Err(BackendError::Conflict)]);
    assert_eq!(fixture.edits("job"), told);
}

pub async fn other_groups_go_on(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    for id in ["first", "second", "third"] {
        fixture.overwrite(id, Some(("{}", "{}")));
    }
    let mut wanted = Vec::new();
    for (number, id) in ["first", "second", "new", "third"].into_iter().enumerate() {
        wanted.push((id, read(&*store, id).await, Some(numbered(number))));
    }
    wanted[3].2 = None;
    fixture.overwrite("second", Some((r#"{"theirs": 1}"#, "{}")));
    let results = store.commit(confirmed(wanted)).await;
    let is_done: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(is_done, [true, false, true, true], "{results:?}");
    assert_eq!(results[1], Err(BackendError::Conflict));
    assert_eq!(holds(&*store, "first").await, Some(numbered(0)));
    assert_eq!(
        holds(&*store, "second").await,
        Some(state(r#"{"theirs": 1}"#, "{}"))
    );
    assert_eq!(holds(&*store, "new").await, Some(numbered(2)));
    assert_eq!(holds(&*store, "third").await, None);
}

pub async fn parts_are_written_verbatim(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    let part = |bytes: Option<&'static [u8]>| Content::read(bytes);
    for (completed, partial) in [
        (Some(&br#"{ "a" :1E3, "a":-0 }"#[..]), Some(&b"{}"[..])),
        (Some(b"{\"n\": NaN}"), Some(b"{\"i\":-Infinity}")),
        (Some(b"{\"a\": "), Some(b"")),
        (Some(b"{\"caf\xe9\": 1}"), Some(b"\xff\xfe")),
        (Some(b"[1,\t2]\r\n"), Some(b"null")),
        (None, Some(b"{}")),
        (None, None),
    ] {
        let wanted = State::meltano(part(completed), part(partial));
        let results = write(&*store, "job", Some(wanted.clone())).await;
        assert!(results[0].is_ok(), "{results:?}");
        assert!(is_same(
            holds(&*fixture.open(), "job").await.as_ref(),
            Some(&wanted)
        ));
    }
}

pub async fn odd_ids_are_written(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    for (number, id) in ODD_IDS.iter().enumerate() {
        let results = write(&*store, id, Some(numbered(number))).await;
        assert!(results[0].is_ok(), "{id}: {results:?}");
    }
    for (number, id) in ODD_IDS.iter().enumerate() {
        assert_eq!(holds(&*store, id).await, Some(numbered(number)), "{id}");
    }
    let results = write(&*store, "a_b", None).await;
    assert!(results[0].is_ok(), "{results:?}");
    assert_eq!(holds(&*store, "a_b").await, None);
    assert!(holds(&*store, "aXb").await.is_some() && holds(&*store, "a%b").await.is_some());
}

pub async fn a_committed_version_is_what_is_read(fixture: &dyn Fixture) {
    if !is_written(fixture).await {
        return;
    }
    let store = fixture.open();
    let made = write(&*store, "job", Some(numbered(1)))
        .await
        .remove(0)
        .unwrap();
    let there = read(&*store, "job").await.unwrap();
    assert_eq!(made.versions, [Some(there.version.clone())]);
    let replaced = write(&*store, "job", Some(numbered(2)))
        .await
        .remove(0)
        .unwrap();
    let now = read(&*store, "job").await.unwrap();
    assert_eq!(replaced.versions, [Some(now.version.clone())]);
    assert_ne!(now.version, there.version);
    let deleted = write(&*store, "job", None).await.remove(0).unwrap();
    assert_eq!(deleted.versions, [None]);
}

/// Writers that read, add one, and write on what they read: each sum counts, and none is lost.
pub async fn no_update_is_lost(fixture: &dyn Fixture) {
    const WRITERS: usize = 6;
    const EACH: usize = 10;
    if !is_written(fixture).await {
        return;
    }
    write(&*fixture.open(), "job", Some(numbered(0)))
        .await
        .remove(0)
        .unwrap();
    let writers = (0..WRITERS).map(|_| {
        let store = fixture.open();
        tokio::spawn(async move {
            let mut done = 0;
            while done < EACH {
                let before = read(&*store, "job").await.unwrap();
                let next = numbered(number_in(&before.state) + 1);
                let batch = confirmed(vec![("job", Some(before), Some(next))]);
                match store.commit(batch).await.remove(0) {
                    Ok(_) => done += 1,
                    Err(error) => assert_eq!(error, BackendError::Conflict),
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let last = holds(&*fixture.open(), "job").await.unwrap();
    assert_eq!(number_in(&last), WRITERS * EACH);
}

fn number_in(state: &State) -> usize {
    let document = state.parts()[0].1.document().unwrap();
    let node = document
        .root()
        .get("singer_state")
        .and_then(|node| node.get("n"));
    node.unwrap().raw().parse().unwrap()
}
