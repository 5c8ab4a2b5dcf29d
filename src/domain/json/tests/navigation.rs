//! Finding one's way: kinds, keys, duplicates, pointers, numbers and strings.

use rstest::rstest;

use super::{at, document};
use crate::domain::json::{Kind, Node, NodeId};

const STATE: &str = r#"{"singer_state": {"bookmarks": {"issues": {"partitions": [
    {"context": {"repo": "a"}, "replication_key_value": "2026-01-01"},
    {"context": {"repo": "b"}, "replication_key_value": 7}]}, "empty": {}}}, "n": null}"#;

fn raws<'d>(nodes: impl Iterator<Item = Node<'d>>) -> Vec<&'d str> {
    nodes.map(|node| node.raw()).collect()
}

#[rstest]
#[case("null", Kind::Null)]
#[case("true", Kind::Bool)]
#[case("false", Kind::Bool)]
#[case("0", Kind::Integer)]
#[case("-0", Kind::Integer)]
#[case("12", Kind::Integer)]
#[case(
    "123456789012345678901234567890123456789012345678901234567890",
    Kind::Integer
)]
#[case("1.0", Kind::Float)]
#[case("1e5", Kind::Float)]
#[case("-1E-5", Kind::Float)]
#[case("NaN", Kind::Float)]
#[case("Infinity", Kind::Float)]
#[case("-Infinity", Kind::Float)]
#[case("\"\"", Kind::String)]
#[case("[]", Kind::Array)]
#[case("{}", Kind::Object)]
fn the_kind_is_as_python_has_it(#[case] text: &str, #[case] kind: Kind) {
    let padded = document(&format!(" \t\r\n{text}\n"));
    assert_eq!(padded.root().kind(), kind);
    assert_eq!(padded.root().raw(), text);
    let inside = document(&format!("[{text},{{\"k\":{text}}}]"));
    assert_eq!(at(&inside, "/0").kind(), kind);
    assert_eq!(at(&inside, "/1/k").kind(), kind);
    assert_eq!(at(&inside, "/1/k").raw(), text);
}

#[test]
fn a_state_is_walked_in_every_direction() {
    let state = document(STATE);
    let partitions = at(&state, "/singer_state/bookmarks/issues/partitions");
    assert_eq!((partitions.kind(), partitions.len()), (Kind::Array, 2));
    let second = partitions.element(1).unwrap();
    assert_eq!(
        second.get("replication_key_value").unwrap().as_i128(),
        Some(7)
    );
    assert_eq!(second.parent().unwrap().id(), partitions.id());
    assert_eq!(second.depth(), 5);
    assert_eq!(
        second.pointer().to_string(),
        "/singer_state/bookmarks/issues/partitions/1"
    );
    assert!(second.next_sibling().is_none());
    assert_eq!(
        partitions.element(0).unwrap().next_sibling().unwrap().id(),
        second.id()
    );
    assert!(partitions.element(2).is_none());
    assert!(partitions.get("0").is_none());
    let bookmarks = at(&state, "/singer_state/bookmarks");
    let keys: Vec<_> = bookmarks
        .children()
        .map(|child| child.key().unwrap().raw())
        .collect();
    assert_eq!(keys, ["issues", "empty"]);
    assert!(at(&state, "/singer_state/bookmarks/empty").is_empty());
    assert_eq!(bookmarks.next_sibling().map(|node| node.id()), None);
    assert_eq!(
        at(&state, "/singer_state").next_sibling().unwrap().raw(),
        "null"
    );
    assert_eq!(state.root().parent().map(|node| node.id()), None);
    assert!(state.root().key().is_none() && state.root().next_sibling().is_none());
    assert_eq!(state.root().descendants().len() + 1, state.node_count());
}

#[test]
fn ids_follow_the_text_and_name_nothing_beyond_it() {
    let state = document(STATE);
    let starts: Vec<_> = state.nodes().map(|node| node.span().start).collect();
    assert!(starts.is_sorted());
    for (index, node) in state.nodes().enumerate() {
        assert_eq!(node.id().index(), index);
        assert_eq!(state.node(node.id()).unwrap().span(), node.span());
        assert_eq!(&state.text()[node.span()], node.raw());
    }
    assert!(
        state
            .node(NodeId(u32::try_from(state.node_count()).unwrap()))
            .is_none()
    );
}

#[test]
fn of_duplicate_keys_the_last_value_stands_in_the_first_place() {
    let doc = document(r#"{"a": 1, "b": {"x": 1, "x": 2}, "\u0061": 3, "c": 4, "a": 5, "b": 6}"#);
    let root = doc.root();
    assert_eq!(raws(root.effective_members()), ["5", "6", "4"]);
    assert_eq!(root.len(), 6);
    assert_eq!(root.get("a").unwrap().raw(), "5");
    assert_eq!(at(&doc, "/b").raw(), "6");
    let shadowed = doc
        .duplicate_keys()
        .into_iter()
        .map(|id| doc.node(id).unwrap());
    assert_eq!(raws(shadowed), ["1", r#"{"x": 1, "x": 2}"#, "1", "3"]);
    assert_eq!(root.children().filter(Node::is_shadowed).count(), 3);
    let inner = root.children().nth(1).unwrap().children().last().unwrap();
    assert!(!inner.is_shadowed() && !inner.is_named_exactly());
    assert!(root.get("a").unwrap().is_named_exactly());
}

#[test]
fn many_members_are_searched_for_duplicates_as_few_are() {
    let mut members: Vec<_> = (0..1000)
        .map(|number| format!("\"k{number}\": {number}"))
        .collect();
    let unique = document(&format!("{{{}}}", members.join(",")));
    assert!(unique.duplicate_keys().is_empty());
    assert_eq!(
        raws(unique.root().effective_members()),
        raws(unique.root().children())
    );
    members.push("\"k500\": true".to_owned());
    let doubled = document(&format!("{{{}}}", members.join(",")));
    assert_eq!(
        doubled.duplicate_keys(),
        [doubled.root().children().nth(500).unwrap().id()]
    );
    assert_eq!(
        doubled.root().effective_members().nth(500).unwrap().raw(),
        "true"
    );
    assert_eq!(doubled.root().effective_members().count(), 1000);
}

#[test]
fn arrays_and_scalars_have_no_members() {
    let doc = document("[1, \"a\"]");
    assert_eq!(doc.root().effective_members().count(), 0);
    assert_eq!(at(&doc, "/1").children().count(), 0);
    assert_eq!(at(&doc, "/1").len(), 0);
}

#[rstest]
#[case("1", Some(1.0))]
#[case("-0", Some(-0.0))]
#[case("0.1", Some(0.1))]
#[case("1e400", Some(f64::INFINITY))]
#[case("-1e400", Some(f64::NEG_INFINITY))]
#[case("Infinity", Some(f64::INFINITY))]
#[case("-Infinity", Some(f64::NEG_INFINITY))]
#[case("9007199254740993", Some(9_007_199_254_740_992.0))]
#[case("true", None)]
#[case("\"1\"", None)]
fn numbers_are_read_as_doubles(#[case] text: &str, #[case] value: Option<f64>) {
    let read = document(text).root().as_f64();
    assert_eq!(read.map(f64::to_bits), value.map(f64::to_bits));
}

#[test]
fn a_nan_is_read_as_one() {
    assert!(document("NaN").root().as_f64().unwrap().is_nan());
}

#[rstest]
#[case("0", Some(0))]
#[case("-0", Some(0))]
#[case("170141183460469231731687303715884105727", Some(i128::MAX))]
#[case("-170141183460469231731687303715884105728", Some(i128::MIN))]
#[case("170141183460469231731687303715884105728", None)]
#[case("1.0", None)]
#[case("1e3", None)]
#[case("\"1\"", None)]
fn integers_are_read_where_they_fit(#[case] text: &str, #[case] value: Option<i128>) {
    assert_eq!(document(text).root().as_i128(), value);
}

#[test]
fn only_booleans_are_booleans_and_only_strings_strings() {
    assert_eq!(document("true").root().as_bool(), Some(true));
    assert_eq!(document("false").root().as_bool(), Some(false));
    assert_eq!(document("null").root().as_bool(), None);
    assert_eq!(document("\"true\"").root().as_bool(), None);
    assert!(document("1").root().as_str().is_none());
    assert!(document("{\"a\": \"b\"}").root().as_str().is_none());
}
