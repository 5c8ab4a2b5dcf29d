//! Listing and reading.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use statescope::backend::StateBackend;
use statescope::domain::id::StateId;
use statescope::domain::job::Listed;
use statescope::domain::state::{Content, Part};

use super::{Fixture, read};

/// IDs that a careless store takes for one another, for a pattern, for a path, or for none.
pub const ODD_IDS: [&str; 16] = [
    "",
    "dev:tap-a-to-target-b",
    "dev:tap-a-to-target-b:suffix",
    "a_b",
    "aXb",
    "A_B",
    "a%b",
    "a%25b",
    "a b",
    "a+b",
    "a/b/c",
    "hash#q?x=1",
    "ünïcode 日本語 🚀",
    "u\u{308}",
    "'; DROP TABLE state; --",
    "line\nfeed",
];

async fn list(store: &dyn StateBackend) -> Vec<Listed> {
    let mut rows = Vec::new();
    let mut generation = 0;
    let mut listings = store.list();
    while let Some(listing) = listings.next().await {
        let listing = listing.unwrap();
        if listing.generation != generation {
            generation = listing.generation;
            rows.clear();
        }
        rows.extend(listing.rows);
    }
    rows
}

fn ids(rows: &[Listed]) -> Vec<StateId> {
    rows.iter().map(|listed| listed.id.clone()).collect()
}

fn fill(fixture: &dyn Fixture, count: usize) -> BTreeSet<StateId> {
    let names = (0..count).map(|number| format!("job {}", number * 7919 % 10_007));
    names
        .map(|name| {
            fixture.overwrite(&name, Some((&format!("{{\"n\": \"{name}\"}}"), "{}")));
            StateId::from(name.as_str())
        })
        .collect()
}

pub async fn an_empty_store_lists_nothing(fixture: &dyn Fixture) {
    assert_eq!(list(&*fixture.open()).await, []);
    fixture.overwrite("x", Some(("{}", "{}")));
    fixture.overwrite("x", None);
    assert_eq!(list(&*fixture.open()).await, []);
}

pub async fn a_list_holds_each_state_once_and_in_one_order(fixture: &dyn Fixture) {
    let want = fill(fixture, 40);
    let before = fixture.exact();
    let first = ids(&list(&*fixture.open()).await);
    assert_eq!(first.len(), want.len());
    assert_eq!(first.iter().cloned().collect::<BTreeSet<_>>(), want);
    assert_eq!(ids(&list(&*fixture.open()).await), first);
    fixture.overwrite("job 7919", Some((r#"{"n": 2}"#, "{}")));
    assert_eq!(ids(&list(&*fixture.open()).await), first);
    fixture.overwrite("job 7919", None);
    let rest: Vec<_> = first
        .iter()
        .filter(|id| id.as_str() != "job 7919")
        .cloned()
        .collect();
    assert_eq!(ids(&list(&*fixture.open()).await), rest);
    assert_ne!(fixture.exact(), before);
}

pub async fn a_list_comes_in_chunks(fixture: &dyn Fixture) {
    let want = fill(fixture, 600);
    let store = fixture.open();
    let sizes: Vec<usize> = store
        .list()
        .map(|listing| listing.unwrap().rows.len())
        .collect()
        .await;
    assert_eq!(sizes.iter().sum::<usize>(), want.len());
    assert!(
        sizes.len() > 1 && sizes.iter().all(|size| *size <= 256),
        "{sizes:?}"
    );
}

pub async fn a_list_can_be_dropped(fixture: &dyn Fixture) {
    fill(fixture, 600);
    let store = fixture.open();
    let mut listings = store.list();
    let first = listings.next().await.unwrap().unwrap();
    assert!(!first.rows.is_empty());
    drop(listings);
    assert_eq!(list(&*store).await.len(), 600);
}

pub async fn what_is_listed_is_what_is_read(fixture: &dyn Fixture) {
    fixture.overwrite("both", Some((r#"{"a": 1}"#, r#"{"b": 2}"#)));
    fixture.overwrite("empty", Some(("{}", "{}")));
    let before = fixture.exact();
    let store = fixture.open();
    let rows = list(&*store).await;
    assert_eq!(rows.len(), 2);
    for listed in rows {
        assert!(listed.stored.is_some());
        assert_eq!(store.read(&listed.id).await.unwrap(), listed.stored);
    }
    assert_eq!(fixture.exact(), before);
}

pub async fn what_is_not_there_is_none(fixture: &dyn Fixture) {
    fixture.overwrite("there", Some(("{}", "{}")));
    let before = fixture.exact();
    let store = fixture.open();
    let long = "x".repeat(10_000);
    for id in [
        "not there",
        "the",
        "ther_",
        "there ",
        "THERE",
        "%",
        "*",
        "../there",
        "",
        &long,
    ] {
        assert_eq!(read(&*store, id).await, None, "{id}");
    }
    fixture.overwrite("there", None);
    assert_eq!(read(&*store, "there").await, None);
    fixture.overwrite("there", Some(("{}", "{}")));
    assert_eq!(fixture.exact().len(), before.len());
}

pub async fn odd_ids_are_told_apart(fixture: &dyn Fixture) {
    let body = |number: usize| format!("{{\"n\": {number}}}");
    for (number, id) in ODD_IDS.iter().enumerate() {
        fixture.overwrite(id, Some((&body(number), "{}")));
    }
    let store = fixture.open();
    for (number, id) in ODD_IDS.iter().enumerate() {
        let stored = read(&*store, id).await.unwrap();
        let bytes = stored.state.part(Part::Completed).and_then(Content::bytes);
        assert_eq!(bytes, Some(body(number).as_bytes()), "{id}");
    }
    let listed: BTreeSet<StateId> = ids(&list(&*store).await).into_iter().collect();
    assert_eq!(listed, ODD_IDS.map(StateId::from).into_iter().collect());
}

pub async fn bytes_are_kept(fixture: &dyn Fixture) {
    for (number, text) in [
        r#"{ "a" :1E3, "b":-0,"a": 12345678901234567890123 }"#,
        r#"{"NaN": NaN, "i": -Infinity}"#,
        r#"{"\u00fc": "\ud800", "ü": "日本"}"#,
        "{\"a\":\t[1 ,2]\n}",
        "[1, 2]",
        "null",
        "\"text\"",
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("job {number}");
        fixture.overwrite(&id, Some((text, "{\"p\" : {}}")));
        let stored = read(&*fixture.open(), &id).await.unwrap();
        let bytes = |part| stored.state.part(part).and_then(Content::bytes).unwrap();
        assert_eq!(bytes(Part::Completed), text.as_bytes());
        assert_eq!(bytes(Part::Partial), b"{\"p\" : {}}");
    }
}

pub async fn versions_change_with_what_is_held(fixture: &dyn Fixture) {
    let store = fixture.open();
    fixture.overwrite("one", Some((r#"{"a": 1}"#, "{}")));
    fixture.overwrite("other", Some((r#"{"a": 1}"#, "{}")));
    let version = async |id: &str| read(&*store, id).await.unwrap().version;
    let (one, other) = (version("one").await, version("other").await);
    assert_eq!(version("one").await, one);
    assert_eq!(read(&*fixture.open(), "one").await.unwrap().version, one);
    let mut seen = vec![one];
    for parts in [
        (r#"{"a":1}"#, "{}"),
        (r#"{"a":1}"#, "{ }"),
        ("{}", r#"{"a":1}"#),
        (r#"{"a":2}"#, "{}"),
    ] {
        fixture.overwrite("one", Some(parts));
        let now = version("one").await;
        assert!(!seen.contains(&now), "{parts:?}");
        seen.push(now);
    }
    assert_eq!(version("other").await, other);
}

pub async fn the_key_is_of_the_place(fixture: &dyn Fixture) {
    let key = fixture.open().key().await.unwrap();
    assert!(key.as_str().contains(':'), "{key:?}");
    fixture.overwrite("x", Some(("{}", "{}")));
    assert_eq!(fixture.open().key().await, Ok(key));
}
