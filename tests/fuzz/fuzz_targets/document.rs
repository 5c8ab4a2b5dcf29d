//! Feeds any bytes to the document reader and checks what holds for every document.
//!
//! `cargo fuzz run --fuzz-dir tests/fuzz document -- -max_total_time=600 -dict=tests/fuzz/document.dict`

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use statescope::domain::json::python::{Style, dumps, respelled};
use statescope::domain::json::{Document, Kind, Node, Splice, SyntaxError};

/// Of larger documents only so many values are looked at one by one, since that takes time with its square.
const LOOKED_AT: usize = 48;

fuzz_target!(|bytes: &[u8]| {
    match Document::parse(bytes) {
        Err(error) => check_refusal(bytes, &error),
        Ok(document) => {
            assert_eq!(document.bytes(), bytes);
            check_python_form(&document);
            let step = document.node_count().div_ceil(LOOKED_AT);
            for node in document.nodes().step_by(step) {
                check_node(node);
                check_splices(node);
            }
        }
    }
});

/// What another reader reads, and Python therefore too, is not refused; a refusal points into the text.
fn check_refusal(bytes: &[u8], error: &SyntaxError) {
    assert!(error.offset <= bytes.len() && error.line > 0 && error.column > 0);
    assert!(!error.to_string().contains(char::is_control));
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(text.is_char_boundary(error.offset));
        assert!(serde_json::from_str::<IgnoredAny>(text).is_err(), "refused: {error}");
    }
}

fn check_python_form(document: &Document) {
    let written = dumps(document.root(), Style::Default);
    assert!(written.is_ascii());
    let once = parse(&written);
    assert_eq!(dumps(once.root(), Style::Default), written);
    assert!(once.duplicate_keys().is_empty() && respelled(&once).is_empty());
    let compact = parse(&dumps(document.root(), Style::Compact));
    assert_eq!(dumps(compact.root(), Style::Default), written);
    if document.nodes().all(|node| node.depth() < 64) {
        let indented = parse(&dumps(document.root(), Style::Indent(2)));
        assert_eq!(dumps(indented.root(), Style::Default), written);
    }
}

fn check_node(node: Node<'_>) {
    let alone = parse(node.raw());
    assert_eq!(alone.root().kind(), node.kind());
    assert_eq!(alone.node_count(), node.descendants().len() + 1);
    assert_eq!(node.children().count(), node.len());
    if node.is_named_exactly() {
        let found = node.document().at(&node.pointer());
        assert_eq!(found.map(|found| found.id()), Some(node.id()));
    }
    if let Some(text) = node.as_str()
        && !text.has_lone_surrogate()
    {
        let decoded: String = serde_json::from_str(node.raw()).expect("another reader reads the string");
        assert!(text.decoded() == decoded && text == *decoded);
    }
    if node.kind() == Kind::Object {
        let shadowed = node.children().filter(Node::is_shadowed).count();
        assert_eq!(node.effective_members().count() + shadowed, node.len());
    }
}

fn check_splices(node: Node<'_>) {
    let document = node.document();
    let splice = |edit| document.splice(&[edit]);
    let same = splice(Splice::Replace { at: node.id(), with: node.raw().as_bytes() });
    assert_eq!(same.as_ref(), Ok(document));
    let replaced = splice(Splice::Replace { at: node.id(), with: b" [0] " }).expect("a value is replaced");
    assert_eq!(replaced.node(node.id()).map(|node| node.raw()), Some("[0]"));
    if let Some(parent) = node.parent() {
        let removed = splice(Splice::Remove { at: node.id() }).expect("a value is removed");
        let left = removed.node(parent.id()).expect("what it was in stays");
        assert_eq!(left.len() + 1, parent.len());
        assert_eq!(removed.node_count() + node.descendants().len() + 1, document.node_count());
    }
    if node.is_container() {
        let key = (node.kind() == Kind::Object).then_some("a key that is not there");
        let grown = splice(Splice::Insert { into: node.id(), key, with: b"-1.0" }).expect("a value is inserted");
        let last = grown.node(node.id()).and_then(|node| node.children().last()).expect("it is there");
        assert_eq!(last.raw(), "-1.0");
        let back = grown.splice(&[Splice::Remove { at: last.id() }]).expect("it is removed");
        assert!(back == *document || node.is_empty());
    }
}

fn parse(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}
