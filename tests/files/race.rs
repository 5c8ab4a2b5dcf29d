//! Reading beside a writer, and directories of many states.

use std::fs;
use std::sync::{Arc, mpsc};
use std::thread;

use futures_util::StreamExt;
use statescope::backend::StateBackend;

use crate::reading::{effective, list, read, store};
use crate::tree::Tree;

/// Two bodies that are told apart at both ends, and longer than one write of a buffered writer.
fn bodies() -> [String; 2] {
    ["a", "b"].map(|name| {
        let long = name.repeat(40_000);
        format!(r#"{{"completed": {{"first": "{name}", "long": "{long}", "last": "{name}"}}, "partial": {{}}}}"#)
    })
}

/// Reads while another thread writes, once for each read, until both bodies were seen some times; each has to be whole.
async fn read_beside(write: impl Fn(&Tree, &str) + Send + 'static) {
    let tree = Arc::new(Tree::new());
    let bodies = bodies();
    tree.write("job/state.json", &bodies[0]);
    let (ask, asked) = mpsc::channel();
    let writer = thread::spawn({
        let tree = Arc::clone(&tree);
        move || {
            let bodies = bodies.iter().cycle();
            asked
                .iter()
                .zip(bodies)
                .for_each(|((), body)| write(&tree, body));
        }
    });
    let mut seen = [0, 0];
    while seen.iter().any(|count| *count < 50) {
        ask.send(()).unwrap();
        let stored = read(&tree, "job").await.unwrap().unwrap();
        let text = effective(&stored).unwrap();
        let which = usize::from(text.contains("\"first\":\"b\""));
        let last = [r#""last":"a""#, r#""last":"b""#][which];
        assert!(text.contains(last));
        seen[which] += 1;
    }
    drop(ask);
    writer.join().unwrap();
}

#[tokio::test]
async fn a_file_that_is_replaced_is_the_old_or_the_new() {
    read_beside(|tree, body| {
        let new = tree.outside().join("new");
        fs::write(&new, body).unwrap();
        fs::rename(new, tree.path().join("job/state.json")).unwrap();
    })
    .await;
}

#[tokio::test]
async fn many_states_come_in_chunks_and_in_one_order() {
    let tree = Tree::new();
    for number in 0..1_000 {
        tree.write(format!("job {number:04}/state.json"), "{}");
    }
    let store = store(tree.path());
    let mut sizes = Vec::new();
    let mut ids = Vec::new();
    let mut listings = store.list();
    while let Some(listing) = listings.next().await {
        let rows = listing.unwrap().rows;
        sizes.push(rows.len());
        ids.extend(rows.into_iter().map(|listed| listed.id));
    }
    assert_eq!(sizes, [256, 256, 256, 232]);
    assert!(ids.is_sorted());
    let again: Vec<_> = list(&tree)
        .await
        .into_iter()
        .map(|listed| listed.id)
        .collect();
    assert_eq!(again, ids);
}

#[tokio::test]
async fn large_states_come_in_small_chunks() {
    let tree = Tree::new();
    let body = format!(r#"{{"completed": {{"x": "{}"}}}}"#, "x".repeat(600_000));
    for number in 0..6 {
        tree.write(format!("job {number}/state.json"), &body);
    }
    let store = store(tree.path());
    let sizes = store.list().map(|listing| listing.unwrap().rows.len());
    assert_eq!(sizes.collect::<Vec<_>>().await, [2, 2, 2]);
}
