//! Patches: what differs between two documents, in forms that other programs apply.
//!
//! A patch is JSON that every reader takes, so it refuses what JSON does not have, with the place: a value that is `NaN` or
//! infinite, and an object on the way to a change, or in a value that is carried, that has a key twice. What is elsewhere in
//! the documents does not matter to it. Numbers and strings are carried as they are spelled, a lone surrogate as its escape.

mod json_patch;
mod merge_patch;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::iter;

pub use json_patch::{Action, JsonPatch, Operation};
pub use merge_patch::merge_patch;

use crate::domain::diff::{Change, Diff};
use crate::domain::json::{Kind, Node, NodeId, Pointer, Text};

/// Says what a patch cannot carry, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why} at {}, {side}", place(path))]
pub struct Uncarried {
    /// Where it stands.
    pub path: Pointer,
    /// In which of the two documents.
    pub side: Side,
    /// What it is.
    pub why: Why,
}

fn place(path: &Pointer) -> String {
    if path.is_root() {
        "the root of the document".to_owned()
    } else {
        format!("'{path}'")
    }
}

/// Names one of two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Side {
    /// The one that a patch is applied to.
    #[error("on the left")]
    Left,
    /// The one that applying it gives.
    #[error("on the right")]
    Right,
}

/// Says why a patch cannot carry something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It is `NaN`, `Infinity` or `-Infinity`.
    #[error("a number that JSON does not have stands")]
    NoNumber,
    /// Its object has the same key again, and readers do not agree on which counts.
    #[error("a key that its object has twice stands")]
    DuplicateKey,
    /// It is a member that is null, which in a merge patch means to remove it.
    #[error("a null that a merge patch cannot set stands")]
    Null,
    /// It is so deep that the comparison did not look into it.
    #[error("a difference too deep for a merge patch stands")]
    TooDeep,
}

/// Knows of each value on the way to a change, and at one, what is to be done there.
struct Marks {
    removed: HashSet<NodeId>,
    added: HashSet<NodeId>,
    /// The values on the right that replace another one as a whole.
    replaced: HashSet<NodeId>,
    /// The containers that hold a change, by side.
    left: HashSet<NodeId>,
    right: HashSet<NodeId>,
}

impl Marks {
    fn of(diff: &Diff) -> Self {
        let mut marks = Self {
            removed: HashSet::new(),
            added: HashSet::new(),
            replaced: HashSet::new(),
            left: HashSet::new(),
            right: HashSet::new(),
        };
        diff.changes
            .iter()
            .for_each(|change| marks.add(diff, change));
        marks
    }

    fn add(&mut self, diff: &Diff, change: &Change) {
        match (change.before, change.after) {
            (Some(left), None) => {
                self.removed.insert(left);
            }
            (None, Some(right)) => {
                self.added.insert(right);
            }
            (_, Some(right)) => {
                self.replaced.insert(right);
            }
            (None, None) => {}
        }
        around(diff.before(change), &mut self.left);
        around(diff.after(change), &mut self.right);
    }

    /// Tells whether a pair of values holds a change.
    fn hold_changes(&self, left: Node<'_>, right: Node<'_>) -> bool {
        self.left.contains(&left.id()) || self.right.contains(&right.id())
    }

    /// Lists what is on both sides of two objects or two arrays, in order, what is not on the right left out.
    ///
    /// In arrays the kept elements stand in one order on both sides: an array where they do not is replaced as a whole.
    fn kept<'l, 'r>(&self, left: Node<'l>, right: Node<'r>) -> Vec<(Node<'l>, Node<'r>)> {
        let rights = children(right).filter(|node| !self.added.contains(&node.id()));
        let lefts = children(left).filter(|node| !self.removed.contains(&node.id()));
        if right.kind() == Kind::Array {
            return lefts.zip(rights).collect();
        }
        let lefts: HashMap<Option<Text<'_>>, Node<'_>> =
            lefts.map(|member| (member.key(), member)).collect();
        rights
            .filter_map(|right| Some((*lefts.get(&right.key())?, right)))
            .collect()
    }
}

fn around(node: Option<Node<'_>>, into: &mut HashSet<NodeId>) {
    let outer = node.into_iter().flat_map(|node| node.ancestors());
    for node in outer {
        // What is around a container that is known is known as well.
        if !into.insert(node.id()) {
            break;
        }
    }
}

/// Walks the elements of an array, or the members of an object as Python has them.
fn children(node: Node<'_>) -> Box<dyn Iterator<Item = Node<'_>> + '_> {
    if node.kind() == Kind::Object {
        Box::new(node.effective_members())
    } else {
        Box::new(node.children())
    }
}

/// Refuses an object that has a key twice.
fn unambiguous(node: Node<'_>, side: Side) -> Result<(), Uncarried> {
    let mut members = node.children();
    members.find(Node::is_shadowed).map_or(Ok(()), |member| {
        Err(Uncarried {
            path: member.pointer(),
            side,
            why: Why::DuplicateKey,
        })
    })
}

/// Writes a value of the right side on one line, each scalar and key as it is spelled.
fn carry(node: Node<'_>) -> Result<String, Uncarried> {
    let refuse = |node: Node<'_>, why| Uncarried {
        path: node.pointer(),
        side: Side::Right,
        why,
    };
    for inner in iter::once(node).chain(node.descendants()) {
        if matches!(inner.raw(), "NaN" | "Infinity" | "-Infinity") {
            return Err(refuse(inner, Why::NoNumber));
        }
        if inner.id() != node.id() && inner.is_shadowed() {
            return Err(refuse(inner, Why::DuplicateKey));
        }
    }
    Ok(compact(node.raw()))
}

/// Leaves out of JSON text the white space between its tokens.
fn compact(text: &str) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let keep = |c: &char| {
        let kept = in_string || !c.is_ascii_whitespace();
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_string,
            '"' => in_string = !in_string,
            _ => {}
        }
        kept
    };
    text.chars().filter(keep).collect()
}
