//! Meltano's merge: objects recursively, everything else replaces.

use std::collections::HashMap;
use std::fmt;

use crate::domain::json::python::Builder;
use crate::domain::json::{Document, Kind, Node, Pointer, Text};

/// How deep objects may nest: Meltano merges by recursion, and CPython 3.11 stops it just below a thousand calls.
const DEEPEST: usize = 900;

/// Says where, and why, two values cannot be merged; Meltano 4.4.1 stops there with a `TypeError` or an `AttributeError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeConflict {
    /// The place in both values.
    pub path: Pointer,
    /// What is wrong there.
    pub why: &'static str,
}

impl fmt::Display for MergeConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string();
        let place = if path.is_empty() { "the top" } else { &path };
        write!(
            f,
            "partial cannot be merged onto completed at {place}: {}",
            self.why
        )
    }
}

/// Merges `src` over `dest` and gives the result in Python form; both are objects.
///
/// Follows `meltano.core.utils.merge` of Meltano 4.4.1: an object of `src` is merged into what `dest` has under that key,
/// everything else replaces it; the order is that of `dest`, new keys behind. An object over a value that is no object is a
/// conflict, unless the object is empty and so changes nothing.
pub fn merge(src: &Document, dest: &Document) -> Result<Document, MergeConflict> {
    let mut out = Builder::new();
    let mut path = Vec::new();
    both(src.root(), dest.root(), &mut path, &mut out)?;
    out.finish()
        .map_err(|_| conflict(&[], "the result is 4 GiB or more"))
}

fn both<'d>(
    src: Node<'d>,
    dest: Node<'d>,
    path: &mut Vec<Node<'d>>,
    out: &mut Builder,
) -> Result<(), MergeConflict> {
    if path.len() >= DEEPEST {
        return Err(conflict(path, "nested deeper than Python can merge"));
    }
    let mut incoming = members(src).collect::<HashMap<_, _>>();
    out.begin_object();
    for (key, kept) in members(dest) {
        out.key(key);
        let Some(value) = incoming.remove(&key) else {
            out.value(kept);
            continue;
        };
        path.push(value);
        if value.kind() != Kind::Object {
            out.value(value);
        } else if kept.kind() == Kind::Object {
            both(value, kept, path, out)?;
        } else if value.is_empty() {
            out.value(kept);
        } else {
            return Err(conflict(
                path,
                "an object over a value that is not an object",
            ));
        }
        path.pop();
    }
    for (key, value) in members(src).filter(|(key, _)| incoming.contains_key(key)) {
        out.key(key);
        out.value(value);
    }
    out.end_object();
    Ok(())
}

fn members(object: Node<'_>) -> impl Iterator<Item = (Text<'_>, Node<'_>)> {
    object
        .effective_members()
        .filter_map(|member| Some((member.key()?, member)))
}

fn conflict(path: &[Node<'_>], why: &'static str) -> MergeConflict {
    let path = path.last().map_or_else(Pointer::root, Node::pointer);
    MergeConflict { path, why }
}
