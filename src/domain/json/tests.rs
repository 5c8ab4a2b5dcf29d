//! What the document promises, on examples, on generated texts, and on a table that CPython wrote.

mod generated;
mod navigation;
mod pointers;
mod python;
mod reading;
mod splices;
mod texts;

use super::{Document, Node, Pointer};

fn document(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn at<'d>(document: &'d Document, pointer: &str) -> Node<'d> {
    document
        .at(&Pointer::parse(pointer).unwrap())
        .unwrap_or_else(|| panic!("nothing at {pointer}"))
}
