//! What is read and what is refused, and where.

use rstest::rstest;

use super::{at, document};
use crate::domain::json::parse::check_size;
use crate::domain::json::python::{Style, dumps, respelled};
use crate::domain::json::{Document, Expected, Kind, Pointer, Splice, SyntaxError};

fn refusal(text: impl Into<Vec<u8>>) -> SyntaxError {
    Document::parse(text).expect_err("the text is refused")
}

#[rstest]
#[case("0")]
#[case("-0")]
#[case("-0.0e-0")]
#[case("1e5")]
#[case("1E+05")]
#[case("0.00")]
#[case("-12.5e0003")]
#[case("NaN")]
#[case("Infinity")]
#[case("-Infinity")]
#[case("[NaN,-Infinity,Infinity]")]
#[case(" \t\n\r[ \t\n\r1 \t\n\r, \t\n\r2 \t\n\r] \t\n\r")]
#[case("{ \n\"a\" \n: \n1 \n, \n\"b\" \n: \n{ \n} \n} \n")]
#[case("\"\u{7f}\u{80}\u{2028}\u{feff}\u{ffff}\u{10ffff}\"")]
#[case(r#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00""#)]
#[case(r#""\ud800""#)]
#[case(r#""\udc00\ud800""#)]
#[case(r#""\ud800x\udc00""#)]
#[case(r#"{"\ud800": 1, "": 2}"#)]
#[case(r#"{"a": 1, "a": 2, "\u0061": 3}"#)]
#[case("[[[[[[[[{}]]]]]]]]")]
#[case("[{\"a\":[{}]},[],[[]],{\"b\":{}}]")]
fn what_python_reads_is_read_and_kept(#[case] text: &str) {
    let read = document(text);
    assert_eq!(read.text(), text);
    assert_eq!(read.bytes(), text.as_bytes());
    assert_eq!(
        read.root().raw(),
        text.trim_matches([' ', '\t', '\n', '\r'])
    );
}

#[rstest]
#[case("", 1, 1, "a value", "the end of the text")]
#[case(" \n ", 2, 2, "a value", "the end of the text")]
#[case("\u{feff}{}", 1, 1, "a value", "a byte order mark")]
#[case("{} {}", 1, 4, "the end of the document", "'{'")]
#[case("1,", 1, 2, "the end of the document", "','")]
#[case("[1\n,2\n,3 x]", 3, 4, "',' or ']'", "'x'")]
#[case("{\"a\": 1\n \"b\": 2}", 2, 2, "',' or '}'", "'\"'")]
#[case("[1,]", 1, 4, "a value", "']'")]
#[case("[,1]", 1, 2, "a value or ']'", "','")]
#[case("[", 1, 2, "a value or ']'", "the end of the text")]
#[case("[1", 1, 3, "',' or ']'", "the end of the text")]
#[case("[1}", 1, 3, "',' or ']'", "'}'")]
#[case("]", 1, 1, "a value", "']'")]
#[case("{", 1, 2, "a key in double quotes or '}'", "the end of the text")]
#[case("{]", 1, 2, "a key in double quotes or '}'", "']'")]
#[case("{1: 2}", 1, 2, "a key in double quotes or '}'", "'1'")]
#[case("{'a': 1}", 1, 2, "a key in double quotes or '}'", "'''")]
#[case("{\"a\"", 1, 5, "':'", "the end of the text")]
#[case("{\"a\" 1}", 1, 6, "':'", "'1'")]
#[case("{\"a\":}", 1, 6, "a value", "'}'")]
#[case("{\"a\": 1,}", 1, 9, "a key in double quotes", "'}'")]
#[case("{\"a\": 1, 2}", 1, 10, "a key in double quotes", "'2'")]
#[case("{\"a\": 1]", 1, 8, "',' or '}'", "']'")]
#[case("-", 1, 2, "a digit", "the end of the text")]
#[case("-x", 1, 2, "a digit", "'x'")]
#[case("--1", 1, 2, "a digit", "'-'")]
#[case("-NaN", 1, 2, "a digit", "'N'")]
#[case("-Infinit", 1, 2, "a digit", "'I'")]
#[case("+1", 1, 1, "a value", "'+'")]
#[case("01", 1, 2, "the end of the document", "'1'")]
#[case("[-01]", 1, 4, "',' or ']'", "'1'")]
#[case("1.", 1, 3, "a digit", "the end of the text")]
#[case("[1.]", 1, 4, "a digit", "']'")]
#[case("1.e5", 1, 3, "a digit", "'e'")]
#[case(".5", 1, 1, "a value", "'.'")]
#[case("1e", 1, 3, "a digit", "the end of the text")]
#[case("1e+", 1, 4, "a digit", "the end of the text")]
#[case("1E-x", 1, 4, "a digit", "'x'")]
#[case("1_000", 1, 2, "the end of the document", "'_'")]
#[case("0x10", 1, 2, "the end of the document", "'x'")]
#[case("\u{663}", 1, 1, "a value", "'\u{663}'")]
#[case("nul", 1, 1, "a value", "'n'")]
#[case("True", 1, 1, "a value", "'T'")]
#[case("nan", 1, 1, "a value", "'n'")]
#[case("nulll", 1, 5, "the end of the document", "'l'")]
#[case("[1, // no\n 2]", 1, 5, "a value", "'/'")]
#[case("\"", 1, 2, "a closing '\"'", "the end of the text")]
#[case("\"abcdefghij", 1, 12, "a closing '\"'", "the end of the text")]
#[case("\"\\\"", 1, 4, "a closing '\"'", "the end of the text")]
#[case(
    "\"a\nb\"",
    1,
    3,
    "control characters in a string to be escaped",
    "'\\n'"
)]
#[case(
    "\"12345678\u{0}\"",
    1,
    10,
    "control characters in a string to be escaped",
    "'\\0'"
)]
#[case(
    "\"\u{1f}\"",
    1,
    2,
    "control characters in a string to be escaped",
    "'\\u{1f}'"
)]
#[case(
    "{\"\t\": 1}",
    1,
    3,
    "control characters in a string to be escaped",
    "'\\t'"
)]
#[case("\"\\x41\"", 1, 3, "one of \"\\/bfnrtu after '\\'", "'x'")]
#[case("\"\\", 1, 3, "one of \"\\/bfnrtu after '\\'", "the end of the text")]
#[case("\"\\\n\"", 1, 3, "one of \"\\/bfnrtu after '\\'", "'\\n'")]
#[case("\"\\u12g4\"", 1, 6, "four hexadecimal digits after '\\u'", "'g'")]
#[case("\"\\u123\"", 1, 7, "four hexadecimal digits after '\\u'", "'\"'")]
#[case("\"\\u+123\"", 1, 4, "four hexadecimal digits after '\\u'", "'+'")]
#[case("\"\\ud800\\u\"", 1, 10, "four hexadecimal digits after '\\u'", "'\"'")]
#[case("\u{b}1", 1, 1, "a value", "'\\u{b}'")]
#[case("[1\u{a0}]", 1, 3, "',' or ']'", "'\\u{a0}'")]
#[case("[\"\u{e9}\u{1f600}\", \u{1b}[31m]", 1, 8, "a value", "'\\u{1b}'")]
#[case("[1, \u{202e}]", 1, 5, "a value", "'\\u{202e}'")]
fn the_rest_is_refused_with_its_place(
    #[case] text: &str,
    #[case] line: usize,
    #[case] column: usize,
    #[case] expected: &str,
    #[case] found: &str,
) {
    let error = refusal(text);
    assert_eq!((error.line, error.column), (line, column), "{error}");
    assert_eq!(
        (error.expected.to_string().as_str(), error.found.as_str()),
        (expected, found)
    );
    let before = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let lines_before = |offset: usize| text[..offset].matches('\n').count() + 1;
    assert!(before.into_iter().any(|offset| offset == error.offset));
    assert_eq!(lines_before(error.offset), line);
    let message = format!("line {line}, column {column}: expected {expected}, found {found}");
    assert_eq!(error.to_string(), message);
}

#[rstest]
#[case(b"\xff{}", 0, 1, "byte 0xff")]
#[case(b"[\"\xc3\xa9\", \"\xc3(\"]", 8, 8, "byte 0xc3")]
#[case(b"\"\xed\xa0\x80\"", 1, 2, "byte 0xed")]
#[case(b"\"\xf0\x9f\x98", 1, 2, "byte 0xf0")]
#[case(b"{\x00\xff}", 2, 3, "byte 0xff")]
fn bytes_that_are_not_utf_8_are_refused_with_their_place(
    #[case] bytes: &[u8],
    #[case] offset: usize,
    #[case] column: usize,
    #[case] found: &str,
) {
    let error = refusal(bytes);
    assert_eq!(
        (error.offset, error.line, error.column),
        (offset, 1, column)
    );
    assert_eq!(
        (error.expected, error.found.as_str()),
        (Expected::Utf8, found)
    );
}

#[test]
fn offsets_are_in_bytes_and_columns_in_characters() {
    let error = refusal("[\"\u{e9}\",\n \"\u{1f600}\u{e9}\" x]");
    assert_eq!((error.offset, error.line, error.column), (17, 2, 7));
}

#[test]
fn a_document_of_4_gib_is_refused() {
    assert!(check_size(u32::MAX as usize - 1).is_ok());
    let error = check_size(1 << 32).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 1: expected a document smaller than 4 GiB, found 4294967296 bytes"
    );
}

#[test]
fn an_integer_is_kept_past_the_digits_that_python_would_convert() {
    let digits = "9".repeat(10_000);
    let read = document(&format!("[-{digits}]"));
    assert_eq!(at(&read, "/0").kind(), Kind::Integer);
    assert_eq!(dumps(read.root(), Style::Default), format!("[-{digits}]"));
}

#[test]
fn equality_is_of_bytes_and_a_clone_shares_them() {
    let read = document("{\"a\": 1}");
    let clone = read.clone();
    assert_eq!(read, clone);
    assert_eq!(read.text().as_ptr(), clone.text().as_ptr());
    assert_eq!(read, document("{\"a\": 1}"));
    assert_ne!(read, document("{\"a\":1}"));
}

#[test]
fn what_is_printed_for_debugging_is_short() {
    let read = document("[\"secret\", 1]");
    assert_eq!(format!("{read:?}"), "Document(13 bytes, 3 nodes)");
    assert_eq!(
        format!("{:?}", at(&read, "/1")),
        "Node(2, Integer at 11..12)"
    );
}

#[test]
fn a_million_nested_arrays_are_read_walked_written_edited_and_dropped() {
    const DEPTH: usize = 1_000_000;
    let text = "[".repeat(DEPTH) + "-0" + &"]".repeat(DEPTH);
    let read = document(&text);
    let deepest = read.nodes().last().unwrap();
    assert_eq!(
        (read.node_count(), deepest.depth(), deepest.raw()),
        (DEPTH + 1, DEPTH, "-0")
    );
    let pointer = deepest.pointer();
    assert_eq!(pointer.steps().len(), DEPTH);
    assert_eq!(read.at(&pointer).unwrap().id(), deepest.id());
    assert!(deepest.is_named_exactly());
    assert_eq!(respelled(&read).len(), 1);
    assert_eq!(dumps(read.root(), Style::Default), text.replace("-0", "0"));
    let edited = read.splice(&[Splice::Remove { at: deepest.id() }]).unwrap();
    assert_eq!(edited.text(), text.replace("-0", ""));
}

#[test]
fn a_hundred_thousand_nested_objects_are_read_walked_and_written() {
    const DEPTH: usize = 100_000;
    let text = "{\"a\": ".repeat(DEPTH) + "1" + &"}".repeat(DEPTH);
    let read = document(&text);
    let deepest = read.nodes().last().unwrap();
    assert_eq!(read.at(&deepest.pointer()).unwrap().id(), deepest.id());
    assert!(read.duplicate_keys().is_empty());
    assert_eq!(dumps(read.root(), Style::Default), text);
}

#[test]
fn a_million_open_brackets_are_refused() {
    let error = refusal("[".repeat(1_000_000));
    assert_eq!(
        (error.offset, error.expected),
        (1_000_000, Expected::ValueOrBracket)
    );
}

#[test]
fn the_root_is_at_the_empty_pointer() {
    let read = document(" 1 ");
    assert_eq!(read.at(&Pointer::root()).unwrap().span(), 1..2);
}
