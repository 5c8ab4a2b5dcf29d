//! Python's form, against what CPython 3.11 wrote (`tests/support/python_form.py` makes the table).

use rstest::rstest;
use serde_json::Value;

use super::{at, document};
use crate::domain::json::python::{
    Builder, Respelled, Style, dumps, float_repr, quote, respelled, scalar,
};
use crate::domain::json::{Document, Expected};

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/json/python-form.jsonl"
));

fn python(text: &str) -> String {
    dumps(document(text).root(), Style::Default)
}

#[test]
fn every_row_of_the_table_is_read_and_written_as_python_does() {
    let mut compared = [0; 4];
    for line in TABLE.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        let read = Document::parse(text);
        if row.get("error").is_some() {
            assert!(read.is_err(), "Python refuses {text:?}: {}", row["error"]);
            compared[0] += 1;
            continue;
        }
        let read = read.unwrap_or_else(|error| panic!("Python reads {text:?}: {error}"));
        let forms = [
            ("dumps", Style::Default),
            ("compact", Style::Compact),
            ("indent", Style::Indent(2)),
        ];
        for (index, (name, style)) in forms.into_iter().enumerate() {
            if let Some(written) = row.get(name) {
                assert_eq!(
                    dumps(read.root(), style),
                    written.as_str().unwrap(),
                    "{name} of {text:?}"
                );
                compared[index + 1] += 1;
            }
        }
    }
    assert_eq!(
        compared.iter().take(2).sum::<usize>(),
        TABLE.lines().count()
    );
    assert!(compared.iter().all(|&rows| rows > 100), "{compared:?}");
}

#[rstest]
#[case(0.0, "0.0")]
#[case(-0.0, "-0.0")]
#[case(1e16, "1e+16")]
#[case(9_999_999_999_999_998.0, "9999999999999998.0")]
#[case(1e15, "1000000000000000.0")]
#[case(0.0001, "0.0001")]
#[case(0.000_099_999_999_999_999_99, "9.999999999999999e-05")]
#[case(0.00001, "1e-05")]
#[case(-1.5e-7, "-1.5e-07")]
#[case(5e-324, "5e-324")]
#[case(f64::MAX, "1.7976931348623157e+308")]
#[case(2e23, "2e+23")]
#[case(1e22, "1e+22")]
#[case(3_534_631_458_434_389.0 / 4.0, "883657864608597.2")]
#[case(3_534_631_458_434_391.0 / 4.0, "883657864608597.8")]
#[case(2_f64.powi(-44), "5.684341886080802e-14")]
#[case(123.456, "123.456")]
#[case(f64::NAN, "NaN")]
#[case(f64::INFINITY, "Infinity")]
#[case(f64::NEG_INFINITY, "-Infinity")]
fn doubles_are_written_as_repr_writes_them(#[case] value: f64, #[case] written: &str) {
    assert_eq!(float_repr(value), written);
}

#[test]
fn empty_containers_stay_on_one_line_when_indented() {
    let doc = document("{\"a\":[],\"b\":{},\"c\":[{\"d\":1},2]}");
    let written =
        "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    {\n      \"d\": 1\n    },\n    2\n  ]\n}";
    assert_eq!(dumps(doc.root(), Style::Indent(2)), written);
    assert_eq!(
        dumps(doc.root(), Style::Indent(0)),
        written.replace("  ", "")
    );
    assert_eq!(dumps(doc.root(), Style::Compact), doc.text());
}

#[test]
fn a_value_inside_is_written_without_its_key() {
    let doc = document("{\"a\":{\"b\":[1,2]},\"a\":3}");
    let hidden = doc.root().children().next().unwrap();
    assert_eq!(dumps(hidden, Style::Default), "{\"b\": [1, 2]}");
    assert_eq!(dumps(at(&doc, "/a"), Style::Default), "3");
}

#[test]
fn the_form_of_one_value_is_borrowed_where_it_is_its_text() {
    let doc = document(r#"["abc", "\u0041", 1E3, -0, 7, null, []]"#);
    let forms: Vec<_> = doc
        .root()
        .children()
        .map(|node| scalar(node).map(String::from))
        .collect();
    let written = ["\"abc\"", "\"A\"", "1000.0", "0", "7", "null"];
    assert_eq!(forms.iter().flatten().collect::<Vec<_>>(), written);
    assert_eq!(forms.last(), Some(&None));
}

#[test]
fn what_a_rewrite_spells_anew_is_listed() {
    let text = r#"{"a": 1E3, "\u00E9": "\/", "é": -0, "b": [1.0, 1e16, "\u00e9", "plain", NaN],
        "c": 1e1, "c": {"d": 2.50, "\u0064": 2.0}, "big": 1e400}"#;
    let doc = document(text);
    let listed: Vec<_> = respelled(&doc)
        .into_iter()
        .map(|respelled| match respelled {
            Respelled::Key(id) => format!("key {}", doc.node(id).unwrap().key().unwrap().raw()),
            Respelled::Value(id) => doc.node(id).unwrap().raw().to_owned(),
        })
        .collect();
    assert_eq!(
        listed,
        ["1E3", "key é", "-0", "1e16", "key \\u0064", "1e400"]
    );
    assert_eq!(respelled(&document(&python(text))), []);
}

#[test]
fn text_is_quoted_in_ascii() {
    assert_eq!(
        quote("a\"\\/\u{7f}é😀\n\u{1}"),
        r#""a\"\\/\u007f\u00e9\ud83d\ude00\n\u0001""#
    );
}

#[test]
fn a_document_is_built_piece_by_piece() {
    let source = document("{\"\\u0041\\ud800\":[1E1,{}],\"b\":{\"x\":1,\"x\":2}}");
    let mut builder = Builder::new();
    builder.begin_object();
    for member in source.root().children() {
        builder.key(member.key().unwrap());
        builder.value(member);
    }
    builder.key_str("é");
    builder.begin_array();
    builder.string("\n");
    builder.begin_array();
    builder.end_array();
    builder.begin_object();
    builder.end_object();
    builder.value(source.root());
    builder.end_array();
    builder.key_str("z");
    builder.value(at(&source, "/b/x"));
    builder.end_object();
    let inner = r#""A\ud800": [10.0, {}], "b": {"x": 2}"#;
    let written = format!(r#"{{{inner}, "\u00e9": ["\n", [], {{}}, {{{inner}}}], "z": 2}}"#);
    let built = builder.finish().unwrap();
    assert_eq!(built.text(), written);
    assert_eq!(dumps(built.root(), Style::Default), written);
}

#[test]
fn a_text_that_was_not_built_to_its_end_is_refused() {
    let mut builder = Builder::default();
    assert_eq!(
        builder.clone().finish().unwrap_err().expected,
        Expected::Value
    );
    builder.begin_object();
    builder.key_str("a");
    assert_eq!(
        builder.clone().finish().unwrap_err().expected,
        Expected::Value
    );
    builder.end_object();
    builder.end_array();
    assert_eq!(builder.finish().unwrap_err().expected, Expected::Value);
}
