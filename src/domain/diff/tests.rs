//! What the diff promises, on examples; `laws` has what it promises of all documents.

pub(in crate::domain) mod laws;

use std::fmt::Write as _;

use rstest::rstest;

use super::*;

fn document(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn digest(node: Node<'_>) -> u64 {
    digest::Digests::default().of_one(node)
}

fn compare(left: &str, right: &str) -> Diff {
    diff(&document(left), &document(right))
}

/// Writes each change on a line: kind, pointer, both values, distance.
fn lines(diff: &Diff) -> Vec<String> {
    let line = |change: &Change| {
        let mut line = format!("{} {}", change.kind.name(), change.path);
        let values = [diff.before(change), diff.after(change)];
        if change.kind != ChangeKind::Reordered {
            for value in values.into_iter().flatten() {
                let _ = write!(line, " {}", value.raw());
            }
        }
        match &change.distance {
            Some(Distance::Time(length)) => {
                let _ = write!(line, " ({} s)", length.as_secs());
            }
            Some(Distance::Integer(digits)) => {
                let _ = write!(line, " ({digits})");
            }
            None => {}
        }
        if change.back {
            line.push_str(" back");
        }
        line
    };
    diff.changes.iter().map(line).collect()
}

fn places(diff: &Diff) -> Vec<String> {
    let written = |change: &Change| format!("{} {}", change.kind.name(), change.place);
    diff.changes.iter().map(written).collect()
}

#[rstest]
#[case("1", "1", true)]
#[case("-0", "0", true)]
#[case("0.0", "-0.0", true)]
#[case("-0.0", "-0e5", true)]
#[case("1.0", "1e0", true)]
#[case("1e400", "Infinity", true)]
#[case("0.1", "0.1000000000000000055511151231257827", true)]
#[case("NaN", "NaN", true)]
#[case("Infinity", "-Infinity", false)]
#[case("NaN", "Infinity", false)]
#[case("1", "1.0", false)]
#[case("0", "-0.0", false)]
#[case("true", "1", false)]
#[case("true", "false", false)]
#[case("null", "false", false)]
#[case("1", r#""1""#, false)]
#[case(
    "123456789012345678901234567890123456789012345678",
    "123456789012345678901234567890123456789012345679",
    false
)]
#[case("9007199254740993.0", "9007199254740992.0", true)]
#[case(r#""\u00e9""#, r#""é""#, true)]
#[case(r#""\ud83d\ude00""#, r#""😀""#, true)]
#[case(r#""\ud800""#, r#""\uD800""#, true)]
#[case(r#""\ud800""#, r#""\\ud800""#, false)]
#[case(r#""\ud800""#, r#""\ud801""#, false)]
#[case(r#""é""#, r#""e\u0301""#, false)]
#[case(r#""2026-01-01""#, r#""2026-01-01T00:00:00""#, false)]
#[case("[]", "[ ]", true)]
#[case("[]", "{}", false)]
#[case("[1, 2]", "[1,2]", true)]
#[case("[1, 2]", "[2, 1]", false)]
#[case("[1]", "[1, 1]", false)]
#[case(r#"{"a": 1, "b": 2}"#, r#"{"b":2,"a":1}"#, true)]
#[case(
    r#"{"a": 1, "b": 2, "c": [3]}"#,
    r#"{"a":1, "c":[3], "\u0062": 2}"#,
    true
)]
#[case(r#"{"a": 1}"#, r#"{"b": 1}"#, false)]
#[case(r#"{"a": 1}"#, r#"{"a": 1, "b": 1}"#, false)]
#[case(r#"{"a": 1, "b": 1}"#, r#"{"b": 1}"#, false)]
#[case(r#"{"a": 1, "b": 1}"#, r#"{"b": 1, "c": 1}"#, false)]
#[case(r#"{"a": 2, "a": 1}"#, r#"{"a": 1}"#, true)]
#[case(r#"{"a": 1, "a": 2}"#, r#"{"a": 1}"#, false)]
#[case(r#"{"a": 2, "b": 3, "\u0061": 1}"#, r#"{"b": 3, "a": 1}"#, true)]
#[case(r#"{"a": {"b": [{"c": 1}]}}"#, r#"{"a": {"b": [{"c": 2}]}}"#, false)]
fn values_that_are_the_same(#[case] left: &str, #[case] right: &str, #[case] want: bool) {
    let (left, right) = (document(left), document(right));
    assert_eq!(same_value(left.root(), right.root()), want);
    assert_eq!(same_value(right.root(), left.root()), want);
    assert_eq!(diff(&left, &right).is_equal(), want);
    assert_eq!(digest(left.root()) == digest(right.root()), want, "digests");
}

#[rstest]
#[case("1", "1.0", true)]
#[case("1", "1e0", true)]
#[case("-0", "-0.0", true)]
#[case("0", "1e-400", true)]
#[case("100000000000000000000000", "1e23", false)]
#[case("99999999999999991611392", "1e23", true)]
#[case("9007199254740993", "9007199254740992.0", false)]
#[case("9007199254740993", "9007199254740993.0", false)]
#[case("9007199254740992", "9007199254740992.0", true)]
#[case("1", "1.5", false)]
#[case("2", "1.5", false)]
#[case("1", "NaN", false)]
#[case("1", "Infinity", false)]
#[case("1", "true", false)]
#[case("1", r#""1""#, false)]
#[case("1.0", r#""1.0""#, false)]
#[case(r#""2026-01-01T00:00:00Z""#, r#""2026-01-01T00:00:00+00:00""#, true)]
#[case(
    r#""2026-01-01T00:00:00Z""#,
    r#""2026-01-01T01:00:00.000+01:00""#,
    true
)]
#[case(r#""2026-01-01T00:00:00Z""#, r#""2026-01-01 00:00:00""#, true)]
#[case(r#""2026-01-01T00:00:00Z""#, r#""2026-01-01""#, true)]
#[case(r#""2026-01-01T00:00:00Z""#, r#""2026-01-01T00:00:00.000001Z""#, false)]
#[case(r#""a""#, r#""b""#, false)]
fn spellings_of_the_same(#[case] left: &str, #[case] right: &str, #[case] respelled: bool) {
    let kind = if respelled {
        ChangeKind::Respelled
    } else {
        ChangeKind::Changed
    };
    for (left, right) in [(left, right), (right, left)] {
        let diff = compare(left, right);
        assert_eq!(diff.changes.len(), 1);
        assert_eq!(diff.changes[0].kind, kind, "{left} {right}");
        assert!(!diff.is_equal());
        assert!(!respelled || diff.changes[0].distance.is_none());
    }
}

const LONG: &str = "100000000000000000000000000000000000000000000000";

#[rstest]
#[case("8812331", "8813007", "676")]
#[case("8813007", "8812331", "-676")]
#[case("-5", "5", "10")]
#[case("5", "-5", "-10")]
#[case("-5", "-7", "-2")]
#[case("-0", "3", "3")]
#[case(LONG, "99999999999999999999999999999999999999999999999", "-1")]
#[case("99999999999999999999999999999999999999999999999", LONG, "1")]
#[case("-1", LONG, "100000000000000000000000000000000000000000000001")]
#[case(LONG, "-1", "-100000000000000000000000000000000000000000000001")]
#[case(LONG, "-0", "-100000000000000000000000000000000000000000000000")]
#[case("-0", LONG, LONG)]
#[case(
    "-99999999999999999999999999999999999999999999999",
    "99999999999999999999999999999999999999999999999",
    "199999999999999999999999999999999999999999999998"
)]
#[case(
    "-170141183460469231731687303715884105728",
    "170141183460469231731687303715884105727",
    "340282366920938463463374607431768211455"
)]
fn distances_of_integers(#[case] left: &str, #[case] right: &str, #[case] want: &str) {
    let diff = compare(left, right);
    assert_eq!(
        diff.changes[0].distance,
        Some(Distance::Integer(want.to_owned()))
    );
}

/// The example of the design: a bookmark ahead, one back, a partition and a stream gone or new, an integer.
const BEFORE: &str = r#"{"singer_state": {"bookmarks": {
  "commits": {"partitions": [
    {"context": {"org": "acme", "repo": "api"}, "replication_key": "updated_at", "replication_key_value": "2026-11-29T04:00:12Z"},
    {"context": {"org": "acme", "repo": "web"}, "replication_key": "updated_at", "replication_key_value": "2026-11-29T04:01:00Z"},
    {"context": {"org": "acme", "repo": "old"}, "replication_key": "updated_at", "replication_key_value": "2026-01-01T00:00:00Z"}]},
  "events": {"replication_key": "id", "replication_key_value": 8812331}}}}"#;
const AFTER: &str = r#"{"singer_state": {"bookmarks": {
  "commits": {"partitions": [
    {"context": {"org": "acme", "repo": "api"}, "replication_key": "updated_at", "replication_key_value": "2026-11-30T03:59:58Z"},
    {"context": {"org": "acme", "repo": "web"}, "replication_key": "updated_at", "replication_key_value": "2026-11-12T00:00:00Z"}]},
  "releases": {"since": "2026-11-30T00:00:00Z"},
  "events": {"replication_key": "id", "replication_key_value": 8813007}}}}"#;

#[test]
fn a_state_with_partitions() {
    let diff = compare(BEFORE, AFTER);
    let bookmarks = "/singer_state/bookmarks";
    assert_eq!(
        lines(&diff),
        [
            format!(
                r#"changed {bookmarks}/commits/partitions/0/replication_key_value "2026-11-29T04:00:12Z" "2026-11-30T03:59:58Z" (86386 s)"#
            ),
            format!(
                r#"changed {bookmarks}/commits/partitions/1/replication_key_value "2026-11-29T04:01:00Z" "2026-11-12T00:00:00Z" (-1483260 s) back"#
            ),
            format!(
                r#"removed {bookmarks}/commits/partitions/2 {{"context": {{"org": "acme", "repo": "old"}}, "replication_key": "updated_at", "replication_key_value": "2026-01-01T00:00:00Z"}}"#
            ),
            format!(r#"added {bookmarks}/releases {{"since": "2026-11-30T00:00:00Z"}}"#),
            format!("changed {bookmarks}/events/replication_key_value 8812331 8813007 (676)"),
        ]
    );
    assert_eq!(
        places(&diff),
        [
            "changed commits {acme, api} updated_at",
            "changed commits {acme, web} updated_at",
            "removed commits {acme, old}",
            "added releases",
            "changed events id",
        ]
    );
    let counts = Counts {
        added: 1,
        removed: 1,
        changed: 3,
        back: 1,
        respelled: 0,
    };
    assert_eq!(diff.counts(), counts);
    assert_eq!(diff.same, 7);
    assert!(!diff.identical && !diff.is_equal());
}

#[test]
fn the_same_bytes_are_identical() {
    let diff = compare(BEFORE, BEFORE);
    assert!(diff.identical && diff.is_equal());
    assert_eq!(diff.same, 14);
    let spaced = compare(BEFORE, &BEFORE.replace(": ", ":"));
    assert!(!spaced.identical && spaced.is_equal());
    assert_eq!(spaced.same, 14);
}

/// Which values of a state count as bookmarks, each going back.
#[rstest]
#[case(r#"{"bookmarks": {"s": {"id": 2}}}"#, true)]
#[case(r#"{"singer_state": {"bookmarks": {"s": {"id": 2}}}}"#, true)]
#[case(r#"{"singer_state": {}, "bookmarks": {"s": {"id": 2}}}"#, false)]
#[case(r#"{"singer_state": {"bookmarks": {"s": 2}}}"#, true)]
#[case(
    r#"{"singer_state": {"bookmarks": {"s": {"nested": {"id": 2}}}}}"#,
    true
)]
#[case(
    r#"{"bookmarks": {"s": {"partitions": [{"context": {"a": 1}, "id": 2}]}}}"#,
    true
)]
#[case(r#"{"bookmarks": {"s": {"partitions": [{"id": 2}]}}}"#, true)]
#[case(r#"{"bookmarks": {"s": {"partitions": [2]}}}"#, false)]
#[case(
    r#"{"bookmarks": {"s": {"partitions": [{"context": {"a": 1}, "context ": {"id": 2}}]}}}"#,
    true
)]
#[case(
    r#"{"bookmarks": {"s": {"x": 1, "starting_replication_value": 2}}}"#,
    false
)]
#[case(r#"{"bookmarks": {"s": {"replication_key_signpost": 2}}}"#, false)]
#[case(r#"{"bookmarks": {"s": {"context": {"id": 2}}}}"#, false)]
#[case(
    r#"{"bookmarks": {"s": {"progress_markers": {"replication_key_value": 2}}}}"#,
    false
)]
#[case(r#"{"bookmarks": {"s": {"ids": [2]}}}"#, false)]
#[case(r#"{"currently_syncing": 2}"#, false)]
#[case(r#"{"other": {"bookmarks": {"s": {"id": 2}}}}"#, false)]
fn bookmarks_that_go_back(#[case] left: &str, #[case] back: bool) {
    let right = left.replace('2', "1");
    let forward = compare(&right, left);
    let backward = compare(left, &right);
    assert_eq!(backward.changes.len(), 1);
    assert_eq!(
        backward.changes[0].distance,
        Some(Distance::Integer("-1".to_owned()))
    );
    assert_eq!(backward.counts().back, usize::from(back));
    assert_eq!(forward.counts().back, 0);
}

#[test]
fn a_bookmark_that_is_gone_did_not_go_back() {
    let diff = compare(
        r#"{"bookmarks": {"s": {"id": 2}}}"#,
        r#"{"bookmarks": {"s": {}}}"#,
    );
    assert_eq!(lines(&diff), ["removed /bookmarks/s/id 2"]);
    assert_eq!((diff.counts().back, diff.same), (0, 0));
}

#[rstest]
#[case(r#"{"a": 1}"#, "2", "changed the whole document")]
#[case(r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 2}}"#, "changed a.b")]
#[case(
    r#"{"singer_state": {}}"#,
    r#"{"singer_state": {"bookmarks": {}}}"#,
    "added singer_state.bookmarks"
)]
#[case(
    r#"{"bookmarks": {"s": 1}}"#,
    r#"{"bookmarks": {"s": 2}}"#,
    "changed s"
)]
#[case(
    r#"{"bookmarks": {"s": {"replication_key_value": 1}}}"#,
    r#"{"bookmarks": {"s": {"replication_key_value": 2}}}"#,
    "changed s replication_key_value"
)]
#[case(
    r#"{"bookmarks": {"s": {"replication_key": "id", "replication_key_value": 1}}}"#,
    r#"{"bookmarks": {"s": {"replication_key": "id"}}}"#,
    "removed s id"
)]
#[case(
    r#"{"bookmarks": {"s": {"progress_markers": {"replication_key": "id", "replication_key_value": 1}}}}"#,
    r#"{"bookmarks": {"s": {"progress_markers": {"replication_key": "id", "replication_key_value": 2}}}}"#,
    "changed s progress_markers.id"
)]
#[case(
    r#"{"bookmarks": {"s": {"partitions": [{"context": {"b": 7, "a": "x", "n": null, "l": [1, "y"]}, "v": 1}]}}}"#,
    r#"{"bookmarks": {"s": {"partitions": [{"context": {"b": 7, "a": "x", "n": null, "l": [1, "y"]}, "v": 2}]}}}"#,
    r#"changed s {7, x, null, [1, "y"]} v"#
)]
#[case(
    r#"{"bookmarks": {"s": {"partitions": [{"v": 1}]}}}"#,
    r#"{"bookmarks": {"s": {"partitions": [{"v": 2}]}}}"#,
    "changed s partitions.0.v"
)]
fn places_for_people(#[case] left: &str, #[case] right: &str, #[case] want: &str) {
    assert_eq!(places(&compare(left, right)), [want]);
}

#[rstest]
#[case::what_is_gone_stands_where_it_stood(
    r#"{"gone": 0, "a": 1, "old": 2, "b": 3}"#,
    r#"{"new": 4, "b": 3, "a": 5, "last": 6}"#,
    &["removed /gone 0", "added /new 4", "changed /a 1 5 (4)", "removed /old 2", "added /last 6"]
)]
#[case::a_subtree_is_one_change(
    r#"{"a": {"b": [1, 2], "c": 3}}"#,
    r#"{"d": {"e": {}}}"#,
    &[r#"removed /a {"b": [1, 2], "c": 3}"#, r#"added /d {"e": {}}"#]
)]
#[case::another_kind(r#"{"a": {"b": 1}}"#, r#"{"a": [1]}"#, &[r#"changed /a {"b": 1} [1]"#])]
#[case::keys_are_escaped(r#"{"a/b~": 1}"#, r#"{"a/b~": 2}"#, &["changed /a~1b~0 1 2 (1)"])]
#[case::last_duplicate_in_the_first_place(
    r#"{"a": 1, "b": 2, "a": 3}"#,
    r#"{"a": 4, "b": 5}"#,
    &["changed /a 3 4 (1)", "changed /b 2 5 (3)"]
)]
#[case::shadowed_values_do_not_matter(r#"{"a": [1], "a": 3}"#, r#"{"a": 9, "a": 3}"#, &[])]
#[case::array_front(r"[1, 2, 3]", "[0, 1, 2, 3]", &["added /0 0"])]
#[case::array_middle("[1, 2, 3, 4]", "[1, 3, 4]", &["removed /1 2"])]
#[case::array_end("[1, 2]", "[1, 2, 3, 4]", &["added /2 3", "added /3 4"])]
#[case::array_of_what_is_spelled_differently("[[1, 2], 3]", "[4, [1,2], 3.0]", &["added /0 4", "respelled /2 3 3.0"])]
#[case::changed_between_the_same(
    r#"["a", "b", "c"]"#,
    r#"["a", "x", "y", "c"]"#,
    &[r#"changed /1 "b" "x""#, r#"added /2 "y""#]
)]
#[case::gone_after_changed(
    r#"["a", "b", "c", "d"]"#,
    r#"["x", "d"]"#,
    &[r#"changed /0 "a" "x""#, r#"removed /1 "b""#, r#"removed /2 "c""#]
)]
#[case::paths_are_the_right_sides(
    r#"["a", {"x": 1, "y": 2}, "c"]"#,
    r#"["n", "a", {"x": 2}, "c"]"#,
    &[r#"added /0 "n""#, "changed /2/x 1 2 (1)", "removed /1/y 2"]
)]
#[case::swapped("[1, 2]", "[2, 1]", &["added /0 2", "removed /1 2"])]
#[case::emptied("[1, 2]", "[]", &["removed /0 1", "removed /1 2"])]
fn changes_in_order(#[case] left: &str, #[case] right: &str, #[case] want: &[&str]) {
    assert_eq!(lines(&compare(left, right)), want);
}

/// Partitions, each with its context and a value, written `k:v`.
fn partitions(key: &str, list: &[&str]) -> String {
    let elements: Vec<String> = list
        .iter()
        .map(|item| match item.rsplit_once(':') {
            Some((context, value)) => format!(r#"{{"context": {context}, "v": {value}}}"#),
            None => (*item).to_owned(),
        })
        .collect();
    format!(r#"{{"{key}": [{}]}}"#, elements.join(", "))
}

const A: &str = r#"{"k": "a"}"#;
const B: &str = r#"{"k": "b"}"#;

#[rstest]
#[case::by_context(
    &["{\"k\": 1}:1", "{\"k\": 2}:1"], &["{\"k\": 2}:2"],
    &[r#"removed /P/0 {"context": {"k": 1}, "v": 1}"#, "changed /P/0/v 1 2 (1)"]
)]
#[case::moved(&["{\"k\": 1}:1", "{\"k\": 2}:1"], &["{\"k\": 2}:1", "{\"k\": 1}:1"], &["reordered /P"])]
#[case::moved_and_changed(
    &["{\"k\": 1}:1", "{\"k\": 2}:1"], &["{\"k\": 2}:1", "{\"k\": 1}:3"],
    &["reordered /P", "changed /P/1/v 1 3 (2)"]
)]
#[case::one_before_the_others_is_no_reordering(
    &["{\"k\": 1}:1", "{\"k\": 2}:1"], &["{\"k\": 3}:1", "{\"k\": 1}:1", "{\"k\": 2}:1"],
    &[r#"added /P/0 {"context": {"k": 3}, "v": 1}"#]
)]
#[case::context_spelled_differently(
    &["{\"k\": \"\\u0061\", \"l\": 1.0}:1"], &["{\"l\":1e0,\"k\":\"a\"}:2"], &["changed /P/0/v 1 2 (1)"]
)]
#[case::numbers_of_another_kind_are_other_contexts(
    &["{\"k\": 1}:1"], &["{\"k\": 1.0}:1"],
    &[r#"removed /P/0 {"context": {"k": 1}, "v": 1}"#, r#"added /P/0 {"context": {"k": 1.0}, "v": 1}"#]
)]
#[case::repeats_the_same_first(
    &["{}:1", "{}:2", "{}:3"], &["{}:2", "{}:3", "{}:4"],
    &["reordered /P", "changed /P/2/v 1 4 (3)"]
)]
#[case::repeats_in_order(&["{}:1", "{}:2"], &["{}:3", "{}:4"], &["changed /P/0/v 1 3 (2)", "changed /P/1/v 2 4 (2)"])]
#[case::repeats_left_over(
    &["{}:1", "{}:1", "{}:2"], &["{}:1"],
    &[r#"removed /P/1 {"context": {}, "v": 1}"#, r#"removed /P/2 {"context": {}, "v": 2}"#]
)]
#[case::repeats_the_same_are_in_order(
    &["{\"k\": 1}:1", "{}:1", "{}:1"], &["{\"k\": 1}:1", "{\"k\": 2}:1", "{}:1", "{}:1"],
    &[r#"added /P/1 {"context": {"k": 2}, "v": 1}"#]
)]
fn partitions_are_paired(#[case] left: &[&str], #[case] right: &[&str], #[case] want: &[&str]) {
    for key in ["partitions", "anything"] {
        let diff = compare(&partitions(key, left), &partitions(key, right));
        let want: Vec<String> = want
            .iter()
            .map(|line| line.replace("/P", &format!("/{key}")))
            .collect();
        assert_eq!(lines(&diff), want);
    }
}

/// Where one element has no context, only an array called `partitions` is paired by contexts.
#[test]
fn an_element_without_context() {
    let (a, b) = (format!("{A}:1"), format!("{B}:1"));
    let (left, right) = (["7", &a, &b], ["7", &b, &a]);
    let named = compare(
        &partitions("partitions", &left),
        &partitions("partitions", &right),
    );
    assert_eq!(lines(&named), ["reordered /partitions"]);
    let other = compare(&partitions("other", &left), &partitions("other", &right));
    assert_eq!(other.counts().added, 1);
    assert_eq!(other.counts().removed, 1);
}

#[test]
fn an_array_called_partitions_without_any_context_goes_by_order() {
    let diff = compare(r#"{"partitions": [1, 2]}"#, r#"{"partitions": [0, 1, 2]}"#);
    assert_eq!(lines(&diff), ["added /partitions/0 0"]);
}

fn many_partitions(count: usize, value: impl Fn(usize) -> usize) -> String {
    let mut text = r#"{"singer_state": {"bookmarks": {"s": {"partitions": ["#.to_owned();
    for id in 0..count {
        let comma = if id > 0 { ", " } else { "" };
        let _ = write!(
            text,
            r#"{comma}{{"context": {{"id": {id}}}, "replication_key_value": {}}}"#,
            value(id)
        );
    }
    text + "]}}}}"
}

#[test]
fn two_hundred_thousand_partitions() {
    let left = many_partitions(200_000, |_| 5);
    let right = many_partitions(199_999, |id| if id % 100 == 7 { 4 } else { 5 });
    let diff = compare(&left, &right);
    let counts = diff.counts();
    assert_eq!(
        (counts.removed, counts.changed, counts.back),
        (1, 2_000, 2_000)
    );
    assert_eq!(
        diff.changes[1].path.to_string(),
        "/singer_state/bookmarks/s/partitions/107/replication_key_value"
    );
    assert_eq!(diff.same, 2 * 199_999 - 2_000);
}

/// Arrays without contexts of the same size: all unlike, all alike but a few, and few values that repeat.
#[rstest]
#[case::all_new(|at| at, |at| at + 1_000_000, 0)]
#[case::moved_by_one(|at| at, |at| at + 1, 199_999)]
#[case::repeating(|at| at % 3, |at| if at == 77_777 { 9 } else { at % 3 }, 199_999)]
#[case::repeating_moved_by_one(|at| at % 3, |at| (at + 1) % 3, 199_999)]
#[case::nothing_but_repeats(|at| at / 7 % 2, |at| (at / 7 + at / 50_000) % 2, 150_000)]
fn two_hundred_thousand_elements(
    #[case] left: fn(usize) -> usize,
    #[case] right: fn(usize) -> usize,
    #[case] at_least: usize,
) {
    let array = |value: fn(usize) -> usize| {
        let values: Vec<String> = (0..200_000).map(|at| value(at).to_string()).collect();
        format!("[{}]", values.join(","))
    };
    let diff = compare(&array(left), &array(right));
    assert!(diff.same >= at_least, "{} are the same", diff.same);
    let counts = diff.counts();
    assert_eq!(counts.added, counts.removed);
    assert_eq!(diff.same + counts.added + counts.changed, 200_000);
}

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    open.repeat(depth) + inner + &close.repeat(depth)
}

#[rstest]
#[case::arrays(1_000_000, "[", "]")]
#[case::objects(200_000, r#"{"a":"#, "}")]
#[case::with_siblings(100_000, "[[1,2],", ",3]")]
fn nesting_without_end(#[case] depth: usize, #[case] open: &str, #[case] close: &str) {
    let text = |inner| nested(depth, open, inner, close);
    let left = document(&text("1"));
    let respelled = document(&text(" 1 "));
    let right = document(&text("2"));
    assert!(same_value(left.root(), respelled.root()));
    assert!(!same_value(left.root(), right.root()));
    assert!(diff(&left, &respelled).is_equal());
    let found = diff(&left, &right);
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.changes[0].path.steps().len(), walk::DEEPEST);
    let same = right.nodes().filter(Node::is_empty).count();
    let below = nested(depth - walk::DEEPEST, open, "2", close);
    let unlike = document(&below).nodes().filter(Node::is_empty).count();
    assert_eq!(found.same, same - unlike);
}

#[test]
fn nesting_that_people_write_is_taken_apart_to_the_leaf() {
    let text = |inner| nested(walk::DEEPEST, r#"{"a":"#, inner, "}");
    let diff = compare(&text("1"), &text("2"));
    assert_eq!(
        diff.before(&diff.changes[0]).map(|node| node.raw()),
        Some("1")
    );
    assert_eq!(diff.changes[0].path.steps().len(), walk::DEEPEST);
}
