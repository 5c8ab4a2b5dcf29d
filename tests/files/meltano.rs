//! Against what Meltano 4.4.1 answered on the same files.

use statescope::domain::state::Part;

use crate::reading::{bytes, effective, list, listed, read, rules};
use crate::tree::{Tree, bytes_of, gets, golden};

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[tokio::test]
async fn the_ids_are_those_that_meltano_lists_and_one_that_it_only_gets() {
    let tree = Tree::of_meltano();
    let golden = golden("reads-clean.json");
    let theirs = golden["reads"][0]["stdout"].as_str().unwrap();
    let theirs: Vec<String> = theirs.lines().map(str::to_owned).collect();
    let ours = list(&tree).await;
    let (quiet, told): (Vec<_>, Vec<_>) = ours.iter().partition(|listed| rules(listed).is_empty());
    let has_state = quiet.iter().filter(|listed| listed.stored.is_some());
    let names = has_state.map(|listed| listed.id.as_str().to_owned());
    assert_eq!(sorted(names.collect()), sorted(theirs));
    let told: Vec<_> = told
        .iter()
        .map(|listed| (listed.id.as_str(), rules(listed)))
        .collect();
    assert_eq!(told, [("slash/in/id", vec!["unlisted"])]);
}

#[tokio::test]
async fn each_state_is_what_meltano_gets() {
    for (tree, name) in [
        (Tree::of_meltano(), "reads-clean.json"),
        (Tree::with_corrupt(), "reads-corrupt.json"),
    ] {
        let before = tree.exact();
        for (id, code, printed) in gets(name) {
            let found = read(&tree, &id).await.unwrap();
            match (found.as_ref().map(effective), code) {
                (Some(Ok(ours)), 0) => assert_eq!(ours, printed, "{id}"),
                (Some(Err(_)), 1) => {}
                // Meltano says `{}` where there is no state, and fails on a file where a folder could be.
                (None, 0) => assert_eq!(printed, "{}\n", "{id}"),
                (None, 1) => assert_eq!(id, "loose-file"),
                (ours, code) => panic!("{id}: {ours:?} where Meltano exits with {code}"),
            }
        }
        assert_eq!(tree.exact(), before);
    }
}

#[tokio::test]
async fn the_bytes_of_each_part_are_kept() {
    let tree = Tree::with_corrupt();
    for file in golden("manifest.json").as_array().unwrap() {
        let Some(id) = file["key"].as_str().unwrap().strip_suffix("/state.json") else {
            continue;
        };
        let body = bytes_of(file);
        let stored = read(&tree, id).await.unwrap().unwrap();
        if let Some(whole) = bytes(&stored, Part::Body) {
            assert_eq!(whole, body, "{id}");
            continue;
        }
        for part in [Part::Completed, Part::Partial] {
            let ours = bytes(&stored, part).unwrap();
            let is_there = body.windows(ours.len()).any(|there| there == ours);
            let key = format!("\"{}\"", part.name());
            let has_key = String::from_utf8_lossy(&body).contains(&key);
            assert!(if has_key { is_there } else { ours == b"{}" }, "{id}");
        }
    }
}

#[tokio::test]
async fn a_corrupt_body_says_where_and_hides_no_neighbour() {
    let tree = Tree::with_corrupt();
    let all = list(&tree).await;
    let states = golden("manifest.json");
    let states = states.as_array().unwrap().iter();
    let keys = states.filter(|file| file["key"].as_str().unwrap().ends_with("/state.json"));
    assert_eq!(
        all.iter().filter(|listed| listed.stored.is_some()).count(),
        keys.count()
    );
    let ids: Vec<_> = all.iter().map(|listed| listed.id.as_str()).collect();
    assert!(ids.contains(&"locked-by-dead-process"), "{ids:?}");
    assert!(!ids.contains(&"dir-without-state") && !ids.contains(&"loose-file"));
    for (id, place) in [
        ("corrupt-truncated", "line 1, column 46"),
        ("corrupt-empty", "line 1, column 1"),
        ("bom", "line 1, column 1"),
        ("latin1", "line 1, column 39"),
        ("array-body", "not an object"),
        ("null-body", "not an object"),
        ("null-values", "completed part is not a JSON object"),
    ] {
        let stored = listed(&tree, id).await.stored.unwrap();
        let why = effective(&stored).unwrap_err();
        assert!(why.contains(place), "{id}: {why}");
    }
}

#[tokio::test]
async fn keys_that_meltano_drops_are_told() {
    let tree = Tree::with_corrupt().with(
        "twice",
        r#"{"partial": {"a": 1}, "partial": {}, "x": 1, "y": 2, "z": 3, "\u001b": 4}"#,
    );
    for (id, want) in [
        ("extra-keys", vec!["unknown-key"]),
        ("neither-key", vec!["unknown-key"]),
        ("only-completed", vec![]),
        ("pretty", vec![]),
        ("twice", vec!["unknown-key", "double-part"]),
    ] {
        assert_eq!(rules(&listed(&tree, id).await), want, "{id}");
    }
    let twice = listed(&tree, "twice").await;
    let message = &twice.beside.findings[0].message;
    assert!(
        message.contains("`x`, `y`, `z` and 1 keys more"),
        "{message}"
    );
    assert_eq!(
        bytes(&twice.stored.unwrap(), Part::Partial),
        Some(&b"{}"[..])
    );
}
