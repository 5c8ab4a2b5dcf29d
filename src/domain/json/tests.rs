//! What the document promises, on examples and on generated texts.

mod navigation;

use super::Document;

fn document(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}
