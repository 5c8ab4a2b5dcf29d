//! Patches applied by an applier of the tests' own, written from the RFCs alone.

mod apply;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::domain::diff::tests::laws::{any_document, any_pair, plain_pair};
use crate::domain::diff::{diff, same_value};
use crate::domain::json::Document;
use apply::{Value, json_patch, merge_patch as merged};

fn document(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Writes a JSON Patch as a document.
fn written(patch: &JsonPatch) -> String {
    let lines: Vec<String> = patch.operations.iter().map(ToString::to_string).collect();
    format!("[{}]", lines.join(","))
}

fn patch(left: &str, right: &str) -> Result<String, String> {
    let found = diff(&document(left), &document(right));
    let patch = JsonPatch::of(&found).map_err(|error| error.to_string())?;
    Ok(written(&patch))
}

fn merge(left: &str, right: &str) -> Result<String, String> {
    merge_patch(&diff(&document(left), &document(right))).map_err(|error| error.to_string())
}

/// Tells whether a patch leads where it should.
fn leads(left: &Value, right: &Document) -> bool {
    same_value(document(&left.to_string()).root(), right.root())
}

fn check_json_patch(left: &Document, right: &Document) -> Result<(), TestCaseError> {
    match JsonPatch::of(&diff(left, right)) {
        Ok(patch) => {
            let text = written(&patch);
            let applied = json_patch(Value::of(left.root()), &document(&text));
            prop_assert!(leads(&applied, right), "{text} gives {applied}");
            prop_assert_eq!(
                patch.operations.is_empty(),
                same_value(left.root(), right.root())
            );
            prop_assert_eq!(compact(&text), text);
        }
        Err(error) => check_refusal(left, right, &error)?,
    }
    Ok(())
}

fn check_merge_patch(left: &Document, right: &Document) -> Result<(), TestCaseError> {
    match merge_patch(&diff(left, right)) {
        Ok(text) => {
            let applied = merged(Value::of(left.root()), &Value::of(document(&text).root()));
            prop_assert!(leads(&applied, right), "{text} gives {applied}");
        }
        Err(Uncarried {
            why: Why::Null,
            path,
            ..
        }) => {
            let null = right.at(&path).is_none_or(|node| node.kind() == Kind::Null);
            prop_assert!(null, "{path}");
        }
        Err(error) => check_refusal(left, right, &error)?,
    }
    Ok(())
}

/// Checks that what is said to stand in the way is there.
fn check_refusal(
    left: &Document,
    right: &Document,
    error: &Uncarried,
) -> Result<(), TestCaseError> {
    let document = match error.side {
        Side::Left => left,
        Side::Right => right,
    };
    let is_there = match error.why {
        Why::NoNumber => document.text().contains("NaN") || document.text().contains("Infinity"),
        Why::DuplicateKey => {
            let duplicates = document.duplicate_keys().into_iter();
            let mut nodes = duplicates.filter_map(|id| document.node(id));
            nodes.any(|node| node.pointer() == error.path)
        }
        Why::Null | Why::TooDeep => false,
    };
    prop_assert!(is_there, "{error}");
    Ok(())
}

proptest! {
    #[test]
    fn json_patches_of_any_documents_lead_to_the_right_side((left, right) in any_pair()) {
        check_json_patch(&document(&left), &document(&right))?;
    }

    #[test]
    fn json_patches_without_a_key_twice_are_never_refused((left, right) in plain_pair()) {
        let (left, right) = (document(&left), document(&right));
        check_json_patch(&left, &right)?;
        let twice = !right.duplicate_keys().is_empty();
        prop_assert!(twice || JsonPatch::of(&diff(&left, &right)).is_ok());
    }

    #[test]
    fn merge_patches_of_any_documents_lead_to_the_right_side((left, right) in any_pair()) {
        check_merge_patch(&document(&left), &document(&right))?;
    }

    #[test]
    fn merge_patches_of_plain_documents_lead_to_the_right_side((left, right) in plain_pair()) {
        check_merge_patch(&document(&left), &document(&right))?;
    }

    #[test]
    fn nothing_is_done_to_what_is_the_same(text in any_document()) {
        prop_assert_eq!(patch(&text, &text), Ok("[]".to_owned()));
        if text.starts_with('{') {
            prop_assert_eq!(merge(&text, &text), Ok("{}".to_owned()));
        }
    }
}

/// Gives every state that a release of Meltano printed for the fixtures, each once.
fn states() -> Vec<Document> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano/upgrade");
    let cases = fs::read_dir(folder).unwrap();
    let paths = cases.map(|entry| entry.unwrap().path().join("state-get.json"));
    let mut found = BTreeSet::from(["{}".to_owned()]);
    for path in paths.filter(|path| path.is_file()) {
        let states = Document::parse(fs::read(path).unwrap()).unwrap();
        found.extend(states.root().children().map(|node| compact(node.raw())));
    }
    found.iter().map(|text| document(text)).collect()
}

/// Gives every document that Python was asked about.
fn forms() -> Vec<Document> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/json/python-form.jsonl");
    let lines = fs::read_to_string(path).unwrap();
    let text = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        Document::parse(line["text"].as_str().unwrap()).ok()
    };
    lines.lines().filter_map(text).collect()
}

#[test]
fn patches_lead_from_every_state_to_every_other() {
    let states = states();
    assert!(states.len() > 20, "{}", states.len());
    for (left, right) in states
        .iter()
        .flat_map(|left| states.iter().map(move |right| (left, right)))
    {
        check_json_patch(left, right).unwrap();
        check_merge_patch(left, right).unwrap();
    }
}

#[test]
fn patches_lead_from_every_form_to_the_next() {
    let forms = forms();
    assert!(forms.len() > 500, "{}", forms.len());
    for two in forms.windows(2) {
        let [left, right] = two else { continue };
        check_json_patch(left, right).unwrap();
        check_merge_patch(left, right).unwrap();
    }
}

#[rstest]
#[case::members(
    r#"{"a": 1, "b": 2}"#,
    r#"{"b": 3, "c": [ ]}"#,
    r#"[{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":[]},{"op":"replace","path":"/b","value":3}]"#
)]
#[case::numbers_stay_as_they_are_spelled(
    r#"{"n": 0}"#,
    r#"{"n": [1E5, 123456789012345678901234567890, -0.0]}"#,
    r#"[{"op":"replace","path":"/n","value":[1E5,123456789012345678901234567890,-0.0]}]"#
)]
#[case::only_what_is_gone_is_removed(
    "[1, 2, 3, 4]",
    "[2, 4]",
    r#"[{"op":"remove","path":"/2"},{"op":"remove","path":"/0"}]"#
)]
#[case::elements_come_where_they_are(
    "[2, 4]",
    "[1, 2, 3, 4, 5]",
    r#"[{"op":"add","path":"/0","value":1},{"op":"add","path":"/2","value":3},{"op":"add","path":"/4","value":5}]"#
)]
#[case::partitions_by_context(
    r#"{"partitions": [{"context": {"k": 1}, "v": 1}, {"context": {"k": 2}, "v": 2}]}"#,
    r#"{"partitions": [{"context": {"k": 2}, "v": 3}]}"#,
    r#"[{"op":"remove","path":"/partitions/0"},{"op":"replace","path":"/partitions/0/v","value":3}]"#
)]
#[case::another_order_is_another_array(
    r#"{"partitions": [{"context": {"k": 1}}, {"context": {"k": 2}}]}"#,
    r#"{"partitions": [{"context": {"k": 2}}, {"context": {"k": 1}}]}"#,
    r#"[{"op":"replace","path":"/partitions","value":[{"context":{"k":2}},{"context":{"k":1}}]}]"#
)]
#[case::a_respelled_value_is_another_value(
    "[1]",
    "[1.0]",
    r#"[{"op":"replace","path":"/0","value":1.0}]"#
)]
#[case::the_whole("1", "{}", r#"[{"op":"replace","path":"","value":{}}]"#)]
#[case::keys_with_escapes(
    "{}",
    r#"{"a/b~\/\u007E\u002f\"\\": "\ud800", "\udfff": " , "}"#,
    r#"[{"op":"add","path":"/a~1b~0~1~0~1\"\\","value":"\ud800"},{"op":"add","path":"/\udfff","value":" , "}]"#
)]
#[case::what_is_not_on_the_way(
    r#"{"x": NaN, "y": [{"a": 1, "a": 2}], "z": 1}"#,
    r#"{"x": NaN, "y": [{"a": 1, "a": 2}]}"#,
    r#"[{"op":"remove","path":"/z"}]"#
)]
fn json_patches(#[case] left: &str, #[case] right: &str, #[case] want: &str) {
    assert_eq!(patch(left, right).unwrap(), want);
}

#[rstest]
#[case(
    r#"{"a": 1}"#,
    r#"{"a": [NaN]}"#,
    "a number that JSON does not have stands at '/a/0', on the right"
)]
#[case(
    "1",
    "-Infinity",
    "a number that JSON does not have stands at the root of the document, on the right"
)]
#[case(
    "{}",
    r#"{"b": {"a": 1, "a": 1}}"#,
    "a key that its object has twice stands at '/b/a', on the right"
)]
#[case(
    r#"{"a": 1, "a": 2, "b": 3}"#,
    "{}",
    "a key that its object has twice stands at '/a', on the left"
)]
fn what_no_patch_can_carry(#[case] left: &str, #[case] right: &str, #[case] want: &str) {
    assert_eq!(patch(left, right).unwrap_err(), want);
    assert_eq!(merge(left, right).unwrap_err(), want);
}

#[rstest]
#[case(
    r#"{"a": 1, "b": {"c": 1, "d": 2}}"#,
    r#"{"b": {"c": 1, "d": 3}, "e": [null]}"#,
    r#"{"a":null,"b":{"d":3},"e":[null]}"#
)]
#[case(
    r#"{"a": [1, {"x": null}], "n": null}"#,
    r#"{"a": [{"x": null}], "n": null}"#,
    r#"{"a":[{"x":null}]}"#
)]
#[case(r#"{"a": 1}"#, r#"{"a": {}}"#, r#"{"a":{}}"#)]
#[case(r#"{"a": {"b": 1}}"#, r#"{"a": {}}"#, r#"{"a":{"b":null}}"#)]
#[case("1", "null", "null")]
#[case("[]", r#"{"a": 1e5}"#, r#"{"a":1e5}"#)]
#[case("{}", "{ }", "{}")]
fn merge_patches(#[case] left: &str, #[case] right: &str, #[case] want: &str) {
    assert_eq!(merge(left, right).unwrap(), want);
}

#[rstest]
#[case(r#"{"a": 1}"#, r#"{"a": null}"#, "/a")]
#[case("{}", r#"{"a": {"b": null}}"#, "/a/b")]
#[case("[]", r#"{"a": {"b": null}}"#, "/a/b")]
fn merge_patches_set_no_nulls(#[case] left: &str, #[case] right: &str, #[case] path: &str) {
    let want = format!("a null that a merge patch cannot set stands at '{path}', on the right");
    assert_eq!(merge(left, right).unwrap_err(), want);
    assert!(patch(left, right).is_ok());
}

#[test]
fn deep_nesting_is_carried_whole_or_refused() {
    let nested =
        |depth, inner: &str| format!("{}{inner}{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let (left, right) = (document(&nested(600, "1")), document(&nested(600, "2")));
    check_json_patch(&left, &right).unwrap();
    let refused = merge_patch(&diff(&left, &right)).unwrap_err();
    assert_eq!(refused.why, Why::TooDeep);
}
