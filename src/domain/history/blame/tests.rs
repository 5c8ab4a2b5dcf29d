use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;

use super::super::{Agreement, SnapshotId, effective};
use super::*;
use crate::domain::state::{Content, State};

/// Makes the timeline of these states, `None` for none.
fn timeline<T: AsRef<str>>(states: &[Option<T>]) -> Timeline {
    let snapshots = states.iter().enumerate().map(|(place, text)| {
        let content = |text: &str| Content::read(Some(text.as_bytes()));
        let state = text
            .as_ref()
            .map(|text| State::meltano(content(text.as_ref()), content("{}")));
        Snapshot {
            id: SnapshotId(format!("run:{place}")),
            number: place + 1,
            at: None,
            origins: vec![],
            wrote: vec![],
            effective: effective(state.as_ref()),
            state,
            error: None,
            trouble: None,
        }
    });
    Timeline {
        state_id: "job".into(),
        snapshots: snapshots.collect(),
        agreement: Agreement::Same,
    }
}

/// Writes each leaf on a line: pointer, value, snapshot, and what was before.
fn lines(states: &[Option<&str>]) -> Vec<String> {
    let timeline = timeline(states);
    let line = |blamed: &Blamed<'_>| {
        let before = blamed.previous.map_or("nothing", |node| node.raw());
        let (value, snapshot) = (blamed.value.raw(), blamed.snapshot);
        format!("{} {value} by {snapshot} was {before}", blamed.path)
    };
    blame(&timeline, states.len() - 1)
        .iter()
        .map(line)
        .collect()
}

#[rstest]
#[case::each_by_itself(
    &[Some(r#"{"a": 1, "b": 1}"#), Some(r#"{"a": 2, "b": 1, "c": 3}"#)],
    &["/a 2 by 1 was 1", "/b 1 by 0 was nothing", "/c 3 by 1 was nothing"]
)]
#[case::the_last_change_counts(
    &[Some(r#"{"a": 1}"#), Some(r#"{"a": 2}"#), Some(r#"{"a": 3}"#), Some(r#"{"a": 3}"#)],
    &["/a 3 by 2 was 2"]
)]
#[case::it_came_back(
    &[Some(r#"{"a": 1}"#), Some(r#"{"b": 1}"#), Some(r#"{"a": 1, "b": 1}"#)],
    &["/a 1 by 2 was nothing", "/b 1 by 1 was nothing"]
)]
#[case::it_was_another_and_came_back(
    &[Some(r#"{"a": 1}"#), Some(r#"{"a": 2}"#), Some(r#"{"a": 1}"#)],
    &["/a 1 by 2 was 2"]
)]
#[case::the_state_was_cleared(
    &[Some(r#"{"a": 1}"#), None, Some(r#"{"a": 1}"#)],
    &["/a 1 by 2 was nothing"]
)]
#[case::spelled_otherwise(
    &[Some(r#"{"a": "2026-01-01T00:00:00Z", "b": 1}"#), Some(r#"{"a": "2026-01-01T00:00:00+00:00", "b": 1.0}"#)],
    &[r#"/a "2026-01-01T00:00:00+00:00" by 0 was nothing"#, "/b 1.0 by 0 was nothing"]
)]
#[case::other_bytes(
    &[Some(r#"{"a":1,"b":{}}"#), Some(r#"{"b" : { }, "a" : 1}"#)],
    &["/b { } by 0 was nothing", "/a 1 by 0 was nothing"]
)]
#[case::emptied(
    &[Some(r#"{"a": {"b": 1}}"#), Some(r#"{"a": {}}"#)],
    &[r#"/a {} by 1 was {"b": 1}"#]
)]
#[case::another_kind(
    &[Some(r#"{"a": 1, "b": [1]}"#), Some(r#"{"a": {"c": 1}, "b": 2}"#)],
    &["/a/c 1 by 1 was nothing", "/b 2 by 1 was [1]"]
)]
#[case::partitions_by_context(
    &[
        Some(r#"{"partitions": [{"context": {"r": "a"}, "v": 1}, {"context": {"r": "b"}, "v": 1}, {"context": {"r": "c"}, "v": 1}]}"#),
        Some(r#"{"partitions": [{"context": {"r": "c"}, "v": 1}, {"context": {"r": "b"}, "v": 2}]}"#),
    ],
    &[
        r#"/partitions/0/context/r "c" by 0 was nothing"#,
        "/partitions/0/v 1 by 0 was nothing",
        r#"/partitions/1/context/r "b" by 0 was nothing"#,
        "/partitions/1/v 2 by 1 was 1",
    ]
)]
#[case::elements_that_moved(
    &[Some("{\"a\": [1, 2, 3]}"), Some("{\"a\": [2, 3, 4]}")],
    &["/a/0 2 by 0 was nothing", "/a/1 3 by 0 was nothing", "/a/2 4 by 1 was nothing"]
)]
#[case::of_duplicate_keys_the_last(
    &[Some(r#"{"a": 1, "a": 2}"#), Some(r#"{"a": 3, "a": 2}"#)],
    &["/a 2 by 0 was nothing"]
)]
#[case::what_cannot_be_told_is_passed_over(
    &[Some(r#"{"a": 1, "b": 1}"#), Some("{"), Some(r#"{"a": 1, "b": 2}"#)],
    &["/a 1 by 0 was nothing", "/b 2 by 2 was 1"]
)]
#[case::an_empty_state_is_one_leaf(&[None, Some("{}")], &[" {} by 1 was nothing"])]
#[case::no_state(&[Some(r#"{"a": 1}"#), None], &[])]
#[case::a_state_that_cannot_be_told(&[Some(r#"{"a": 1}"#), Some("{")], &[])]
fn what_set_each_leaf(#[case] states: &[Option<&str>], #[case] want: &[&str]) {
    assert_eq!(lines(states), want);
}

#[test]
fn the_place_is_told_for_people() {
    let state = r#"{"singer_state": {"bookmarks": {"commits": {"partitions": [{"context": {"repo": "api"}, "replication_key": "updated_at", "replication_key_value": 1}]}}}}"#;
    let timeline = timeline(&[Some(state)]);
    let blamed = blame(&timeline, 0);
    let places: Vec<String> = blamed.iter().map(|leaf| leaf.place.to_string()).collect();
    assert_eq!(
        places,
        [
            "commits {api} context.repo",
            "commits {api} replication_key",
            "commits {api} updated_at"
        ]
    );
}

#[test]
fn what_is_too_deep_is_one_value() {
    let deep = |value: &str, space: &str| {
        let (open, close) = ("[".repeat(600), "]".repeat(600));
        format!(r#"{{"a":{space}{open}{value}{space}{close}, "b": 1}}"#)
    };
    let states = [deep("1", ""), deep("2", ""), deep("2", " ")].map(Some);
    let timeline = timeline(&states);
    let blamed = blame(&timeline, 2);
    let found: Vec<(usize, usize)> = blamed
        .iter()
        .map(|leaf| (leaf.path.steps().len(), leaf.snapshot))
        .collect();
    assert_eq!(found, [(512, 1), (1, 0)]);
}

/// Scalars, and what each means.
const SCALARS: &[(&str, u8)] = &[
    ("1", 0),
    ("1.0", 0),
    ("2", 1),
    ("\"2026-01-01\"", 2),
    ("\"2026-01-01T00:00:00Z\"", 2),
    ("\"a\"", 3),
    ("\"\\u0061\"", 3),
    ("true", 4),
    ("null", 5),
];

/// Is a value of a generated state.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(usize),
    Object(Members),
    /// Each with what its context holds, in the order given.
    Partitions(Vec<(u8, Members)>),
}

type Members = BTreeMap<&'static str, Tree>;

/// What stands at each way, on which a partition is named by its context: what it means alone, and its text.
type Flat = BTreeMap<String, (Option<u8>, String)>;

impl Tree {
    fn text(&self) -> String {
        match self {
            Self::Scalar(at) => SCALARS[*at].0.to_owned(),
            Self::Object(all) => object(None, all),
            Self::Partitions(all) => {
                let all = all.iter().map(|(context, all)| object(Some(*context), all));
                format!("[{}]", all.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// Gives what a scalar means, or which empty container it is; `None` for what holds others.
    fn meaning(&self) -> Option<u8> {
        match self {
            Self::Scalar(at) => Some(SCALARS[*at].1),
            Self::Object(all) => all.is_empty().then_some(100),
            Self::Partitions(all) => all.is_empty().then_some(101),
        }
    }

    fn flat(&self, way: &str, found: &mut Flat) {
        found.insert(way.to_owned(), (self.meaning(), self.text()));
        let members = |way: &str, all: &Members, found: &mut Flat| {
            for (key, tree) in all {
                tree.flat(&format!("{way}/{key}"), found);
            }
        };
        match self {
            Self::Scalar(_) => {}
            Self::Object(all) => members(way, all, found),
            Self::Partitions(all) => {
                for (context, all) in all {
                    let way = format!("{way}/{{{context}}}");
                    found.insert(
                        format!("{way}/n"),
                        (Some(200 + context), context.to_string()),
                    );
                    members(&way, all, found);
                }
            }
        }
    }
}

fn object(context: Option<u8>, all: &Members) -> String {
    let context = context.map(|context| format!(r#""context":{{"n":{context}}}"#));
    let members = all
        .iter()
        .map(|(key, tree)| format!(r#""{key}":{}"#, tree.text()));
    let all: Vec<String> = context.into_iter().chain(members).collect();
    format!("{{{}}}", all.join(","))
}

/// Names the way of a pointer into a tree as [`Tree::flat`] does.
fn way(tree: &Tree, pointer: &Pointer) -> String {
    let mut way = String::new();
    let mut at = Some(tree);
    let mut steps = pointer.steps().iter();
    while let Some(step) = steps.next() {
        match at {
            Some(Tree::Partitions(all)) => {
                let (context, members) = &all[step.parse::<usize>().unwrap()];
                way.extend(["/{", &context.to_string(), "}"]);
                let Some(key) = steps.next() else { break };
                if key == "context" {
                    return format!("{way}/n");
                }
                way.extend(["/", key]);
                at = members.get(key.as_str());
            }
            Some(Tree::Object(all)) => {
                way.extend(["/", step]);
                at = all.get(step.as_str());
            }
            Some(Tree::Scalar(_)) | None => panic!("{pointer} leads nowhere"),
        }
    }
    way
}

/// Says who set the leaf at a way, walking back from the last state, and what was there before.
fn walked_back(states: &[Option<Flat>], way: &str) -> (usize, Option<String>) {
    let at = |place: usize| states[place].as_ref()?.get(way);
    let mut place = states.len() - 1;
    let meaning = at(place).unwrap().0;
    while place > 0 && at(place - 1).is_some_and(|(before, _)| *before == meaning) {
        place -= 1;
    }
    let before = place.checked_sub(1).and_then(at);
    (place, before.map(|(_, text)| text.clone()))
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = (0..SCALARS.len()).prop_map(Tree::Scalar);
    let key = || prop::sample::select(vec!["a", "b", "c", "d"]);
    scalar.prop_recursive(3, 24, 4, move |inner| {
        let members = || prop::collection::btree_map(key(), inner.clone(), 0..4);
        let partitions = prop::collection::btree_map(0_u8..4, members(), 0..4)
            .prop_flat_map(|all| Just(all.into_iter().collect::<Vec<_>>()).prop_shuffle());
        (members(), prop::option::of(partitions)).prop_map(|(mut all, partitions)| {
            all.extend(partitions.map(|all| ("partitions", Tree::Partitions(all))));
            Tree::Object(all)
        })
    })
}

/// States that are often the one before, or an earlier one again, and sometimes none.
fn states() -> impl Strategy<Value = Vec<Option<Tree>>> {
    let root = tree().prop_map(|tree| Tree::Object(BTreeMap::from([("s", tree)])));
    let few = prop::collection::vec(prop::option::weighted(0.9, root), 1..4);
    few.prop_flat_map(|few| prop::collection::vec(prop::sample::select(few), 1..8))
}

/// Members of one state in another's, so that leaves change one by one.
fn mixed(states: &mut [Option<Tree>]) {
    for place in 1..states.len() {
        let (earlier, later) = states.split_at_mut(place);
        let (Some(Tree::Object(from)), Some(Tree::Object(to))) =
            (&earlier[place - 1], &mut later[0])
        else {
            continue;
        };
        if let (Some(Tree::Object(from)), Some(Tree::Object(to))) = (from.get("s"), to.get_mut("s"))
        {
            to.extend(from.iter().take(2).map(|(key, tree)| (*key, tree.clone())));
        }
    }
}

proptest! {
    /// Walking back leaf by leaf, over trees that were never JSON, finds the same.
    #[test]
    fn blame_is_what_walking_back_finds(mut states in states(), mix in any::<bool>()) {
        if mix {
            mixed(&mut states);
        }
        let texts: Vec<Option<String>> = states
            .iter()
            .map(|state| state.as_ref().map(Tree::text))
            .collect();
        let flat: Vec<Option<Flat>> = states
            .iter()
            .map(|state| {
                let mut flat = Flat::new();
                state.as_ref()?.flat("", &mut flat);
                Some(flat)
            })
            .collect();
        let timeline = timeline(&texts);
        let found = blame(&timeline, states.len() - 1);
        let last = states.last().unwrap().as_ref();
        let leaves = flat.last().unwrap().iter().flatten();
        let leaves = leaves.filter(|(_, (meaning, _))| meaning.is_some()).count();
        prop_assert_eq!(found.len(), leaves);
        for blamed in found {
            let way = way(last.unwrap(), &blamed.path);
            let previous = blamed.previous.map(|node| node.raw().to_owned());
            prop_assert_eq!(
                (blamed.snapshot, previous),
                walked_back(&flat, &way),
                "{} of {:?}", blamed.path, texts
            );
        }
    }

    #[test]
    fn what_never_changed_is_of_the_first(state in tree(), count in 1..5_usize) {
        let root = Tree::Object(BTreeMap::from([("s", state)]));
        let timeline = timeline(&vec![Some(root.text()); count]);
        for blamed in blame(&timeline, count - 1) {
            prop_assert_eq!((blamed.snapshot, blamed.previous.is_none()), (0, true));
        }
    }
}
