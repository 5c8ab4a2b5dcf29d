//! What the diff promises of all documents.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;
use crate::domain::json::{Kind, python};

/// Scalars that are near each other: the same, respelled, and unlike.
fn scalar() -> impl Strategy<Value = String> {
    let few = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "1.0",
        "1e0",
        "-1",
        "NaN",
        "Infinity",
        "340282366920938463463374607431768211456",
        r#""""#,
        r#""a""#,
        r#""\u0061""#,
        r#""\ud800""#,
        r#""2026-01-01""#,
        r#""2026-01-01T00:00:00Z""#,
        r#""2026-01-02T00:00:00+00:00""#,
    ]);
    prop_oneof![
        4 => few.prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "[a-c]{0,2}".prop_map(|text| format!("{text:?}")),
    ]
}

/// Scalars that `serde_json` reads without loss.
fn plain_scalar() -> impl Strategy<Value = String> {
    let few = vec![
        "null", "true", "0", "1", "2", "1.5", r#""""#, r#""a""#, r#""b""#,
    ];
    prop::sample::select(few).prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""a""#,
        r#""\u0061""#,
        r#""b/~""#,
        r#""c""#,
        r#""partitions""#,
        r#""context""#,
        r#""bookmarks""#,
        r#""\udfff""#,
    ])
}

fn object(members: &[(impl AsRef<str>, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{}: {value}", key.as_ref()))
        .collect();
    format!("{{{}}}", members.join(", "))
}

/// Any document: duplicate keys, repeated contexts, every kind of scalar.
pub(in crate::domain) fn any_document() -> impl Strategy<Value = String> {
    let array = |items: Vec<String>| format!("[{}]", items.join(","));
    scalar().prop_recursive(4, 40, 5, move |inner| {
        let partition = (scalar(), inner.clone())
            .prop_map(|(id, value)| format!(r#"{{"context": {{"k": {id}}}, "v": {value}}}"#));
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(array),
            prop::collection::vec((key(), inner), 0..6).prop_map(|members| object(&members)),
            prop::collection::vec(partition, 0..6).prop_map(array),
        ]
    })
}

/// Documents without duplicate keys, and without contexts that repeat.
fn plain_document() -> impl Strategy<Value = String> {
    let array = |items: Vec<String>| format!("[{}]", items.join(", "));
    plain_scalar().prop_recursive(4, 40, 6, move |inner| {
        let keyed = |range| prop::collection::btree_map("[a-e]", inner.clone(), range);
        let member = |(key, value): (String, String)| (format!("{key:?}"), value);
        let members = move |map: BTreeMap<String, String>| {
            object(&map.into_iter().map(member).collect::<Vec<_>>())
        };
        let partitions = keyed(0..6).prop_map(|map| {
            let partition = |(key, value): (String, String)| {
                format!(r#"{{"context": {{"k": "{key}"}}, "v": {value}}}"#)
            };
            map.into_iter().map(partition).collect::<Vec<_>>()
        });
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..7).prop_map(array),
            keyed(0..6).prop_map(members),
            partitions.prop_shuffle().prop_map(array),
        ]
    })
}

/// What the text of one document is changed by to make the other.
const EDITS: [(&str, &str); 10] = [
    ("1", "2"),
    ("[", "[7, "),
    ("null", "[]"),
    (": ", ":"),
    (r#""a""#, r#""\u0061""#),
    ("true", "1"),
    ("[]", "{}"),
    (r#"{"k": "a"}"#, r#"{"k": "f"}"#),
    (r#""k": "#, r#""l": null, "k": "#),
    ("}, {", r#"}, {"v": 1}, {"#),
];

/// Two documents, of which the second is made from the first as often as not.
fn pair(
    first: impl Strategy<Value = String> + 'static,
    other: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = (String, String)> {
    let edit = (
        prop::sample::select(&EDITS[..]),
        any::<prop::sample::Index>(),
    );
    let edits = prop::collection::vec(edit, 0..4);
    (first, edits, prop::option::of(other)).prop_map(|(left, edits, other)| {
        let right = other.unwrap_or_else(|| {
            let edited = |text: String, ((from, to), at): &((&str, &str), prop::sample::Index)| {
                edit_once(&text, from, to, *at).unwrap_or(text)
            };
            edits.iter().fold(left.clone(), edited)
        });
        (left, right)
    })
}

/// Replaces one of the places where a text stands; `None` where there is none, or it would be no document any more.
fn edit_once(text: &str, from: &str, to: &str, at: prop::sample::Index) -> Option<String> {
    let places: Vec<usize> = text.match_indices(from).map(|(place, _)| place).collect();
    let place = *places.get(at.index(places.len().max(1)))?;
    let edited = format!("{}{to}{}", &text[..place], &text[place + from.len()..]);
    Document::parse(edited.as_str()).is_ok().then_some(edited)
}

pub(in crate::domain) fn any_pair() -> impl Strategy<Value = (String, String)> {
    pair(any_document(), any_document())
}

/// Two documents that `serde_json` reads without loss, and whose contexts never repeat.
pub(in crate::domain) fn plain_pair() -> impl Strategy<Value = (String, String)> {
    pair(plain_document(), plain_document())
}

proptest! {
    #[test]
    fn nothing_differs_from_itself(text in any_document()) {
        let document = document(&text);
        let diff = diff(&document, &document.clone());
        prop_assert!(diff.identical && diff.is_equal());
        prop_assert_eq!(diff.same, effective_leaves(document.root()));
        prop_assert!(same_value(document.root(), document.root()));
    }

    #[test]
    fn nothing_differs_from_its_python_form(text in any_document()) {
        let document = document(&text);
        let written = python::dumps(document.root(), python::Style::Default);
        let written = super::document(&written);
        let diff = diff(&document, &written);
        prop_assert!(diff.is_equal(), "{:?}", lines(&diff));
        prop_assert_eq!(diff.same, effective_leaves(document.root()));
        prop_assert!(same_value(document.root(), written.root()));
        prop_assert_eq!(digest(document.root()), digest(written.root()));
    }

    #[test]
    fn no_changes_mean_the_same_value((left, right) in any_pair()) {
        let (left, right) = (document(&left), document(&right));
        let same = same_value(left.root(), right.root());
        prop_assert_eq!(diff(&left, &right).is_equal(), same);
        prop_assert_eq!(same_value(right.root(), left.root()), same);
        prop_assert!(!same || digest(left.root()) == digest(right.root()));
    }

    #[test]
    fn the_other_way_round_is_the_same_diff((left, right) in any_pair()) {
        let (left, right) = (document(&left), document(&right));
        let (there, back) = (diff(&left, &right), diff(&right, &left));
        let (counts, other) = (there.counts(), back.counts());
        prop_assert_eq!((counts.added, counts.removed), (other.removed, other.added));
        prop_assert_eq!((counts.changed, counts.respelled), (other.changed, other.respelled));
        prop_assert_eq!(there.same, back.same);
    }

    #[test]
    fn pointers_lead_to_what_changed((left, right) in any_pair()) {
        let diff = compare(&left, &right);
        for change in &diff.changes {
            let (document, node) = match change.kind {
                ChangeKind::Removed => (&diff.left, diff.before(change)),
                _ => (&diff.right, diff.after(change)),
            };
            let node = node.unwrap();
            prop_assert_eq!(&node.pointer(), &change.path);
            if node.is_named_exactly() {
                prop_assert_eq!(document.at(&change.path).unwrap().id(), node.id());
            }
        }
    }

    #[test]
    fn changes_lead_from_left_to_right((left, right) in plain_pair()) {
        let diff = compare(&left, &right);
        let applied = Applier::of(&diff).whole(serde_json::from_str(&left).unwrap());
        let wanted: Value = serde_json::from_str(&right).unwrap();
        prop_assert_eq!(applied, wanted, "{:#?}", lines(&diff));
    }
}

fn effective_leaves(node: Node<'_>) -> usize {
    match node.kind() {
        _ if node.is_empty() => 1,
        Kind::Object => node.effective_members().map(effective_leaves).sum(),
        _ => node.children().map(effective_leaves).sum(),
    }
}

/// Makes the right side of the left one and the changes.
struct Applier {
    removed: Vec<String>,
    set: BTreeMap<String, Value>,
    added: Vec<String>,
    reordered: BTreeMap<String, Value>,
}

impl Applier {
    fn of(diff: &Diff) -> Self {
        let mut applier = Self {
            removed: vec![],
            set: BTreeMap::new(),
            added: vec![],
            reordered: BTreeMap::new(),
        };
        for change in &diff.changes {
            let path = change.path.to_string();
            let after = diff
                .after(change)
                .map(|node| serde_json::from_str(node.raw()).unwrap());
            match (change.kind, after) {
                (ChangeKind::Removed, _) => applier.removed.push(path),
                (ChangeKind::Added, Some(value)) => {
                    applier.added.push(path.clone());
                    applier.set.insert(path, value);
                }
                (ChangeKind::Reordered, Some(value)) => {
                    applier.reordered.insert(path, value);
                }
                (_, Some(value)) => {
                    applier.set.insert(path, value);
                }
                (_, None) => unreachable!("only what was removed is not on the right"),
            }
        }
        applier
    }

    fn whole(&self, left: Value) -> Value {
        self.apply(left, "", "")
    }

    /// Applies what concerns a value that stands here on the left and there on the right.
    fn apply(&self, left: Value, here: &str, there: &str) -> Value {
        if let Some(value) = self.set.get(there) {
            return value.clone();
        }
        match left {
            Value::Object(members) => Value::Object(self.members(members, here, there)),
            Value::Array(elements) => Value::Array(self.elements(elements, here, there)),
            scalar => scalar,
        }
    }

    fn members(&self, left: Map<String, Value>, here: &str, there: &str) -> Map<String, Value> {
        let mut right = Map::new();
        for (key, value) in left {
            let step = key.replace('~', "~0").replace('/', "~1");
            let here = format!("{here}/{step}");
            if !self.removed.contains(&here) {
                let value = self.apply(value, &here, &format!("{there}/{step}"));
                right.insert(key, value);
            }
        }
        for path in &self.added {
            if let Some((parent, step)) = path.rsplit_once('/')
                && parent == there
            {
                let key = step.replace("~1", "/").replace("~0", "~");
                right.insert(key, self.set[path].clone());
            }
        }
        right
    }

    fn elements(&self, left: Vec<Value>, here: &str, there: &str) -> Vec<Value> {
        let mut kept: Vec<(usize, Value)> = left
            .into_iter()
            .enumerate()
            .filter(|(index, _)| !self.removed.contains(&format!("{here}/{index}")))
            .collect();
        if let Some(order) = self.reordered.get(there) {
            let order = order.as_array().unwrap();
            kept.sort_by_key(|(_, value)| {
                let other = |right: &Value| right["context"] == value["context"];
                order.iter().position(other)
            });
        }
        let mut kept = kept.into_iter();
        let mut right = vec![];
        loop {
            let there = format!("{there}/{}", right.len());
            if self.added.contains(&there) {
                right.push(self.set[&there].clone());
            } else if let Some((index, value)) = kept.next() {
                right.push(self.apply(value, &format!("{here}/{index}"), &there));
            } else {
                return right;
            }
        }
    }
}
