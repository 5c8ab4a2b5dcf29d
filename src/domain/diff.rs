//! What differs between two documents, by meaning.
//!
//! Partitions are paired by their `context`, values that spell times are compared as instants, and a bookmark that went
//! back is marked. Three grades of equality are told apart: identical bytes, the same value, the same meaning.
//!
//! Objects are compared as Python's `dict` has them: of duplicate keys the last one's value, in any order. A value that is
//! only on one side is one change, however much is in it.

mod align;
mod digest;
mod leaves;
mod pair;
mod place;
#[cfg(test)]
pub(in crate::domain) mod tests;
mod value;
mod walk;

use jiff::SignedDuration;

use crate::domain::json::{Document, Node, NodeId, Pointer};

pub use leaves::{Leaf, leaves};
pub use place::Place;
pub use value::same_value;
pub(in crate::domain) use walk::Match;

/// The member that tells a partition from its siblings.
const CONTEXT: &str = "context";

/// The member of a stream that holds its partitions.
const PARTITIONS: &str = "partitions";

/// Says what happened to one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is only on the right.
    Added,
    /// It is only on the left.
    Removed,
    /// Its value is another one.
    Changed,
    /// Its value is another spelling of the same instant or number.
    Respelled,
    /// The elements of an array are the same, but stand in another order.
    Reordered,
}

impl ChangeKind {
    /// Gives the name that JSON output carries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Respelled => "respelled",
            Self::Reordered => "reordered",
        }
    }
}

/// Says how far a value moved.
#[derive(Debug, Clone, PartialEq)]
pub enum Distance {
    /// Between two instants; negative when it went back.
    Time(SignedDuration),
    /// Between two integers, in digits with a leading `-` when it went back; of any length.
    Integer(String),
}

impl Distance {
    /// Tells whether the value went back.
    pub fn is_back(&self) -> bool {
        match self {
            Self::Time(length) => length.is_negative(),
            Self::Integer(digits) => digits.starts_with('-'),
        }
    }
}

/// Holds one difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Where: a pointer into the right document for what is there; for what was removed, into the left one.
    pub path: Pointer,
    /// The same place, for people.
    pub place: Place,
    /// What happened.
    pub kind: ChangeKind,
    /// The value on the left.
    pub before: Option<NodeId>,
    /// The value on the right.
    pub after: Option<NodeId>,
    /// How far it moved, when both sides spell instants, or are integers; `None` for what did not move.
    pub distance: Option<Distance>,
    /// Whether a bookmark went back.
    pub back: bool,
}

/// Holds what differs between two documents, with both of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// The left side.
    pub left: Document,
    /// The right side.
    pub right: Document,
    /// Whether the bytes are the same.
    pub identical: bool,
    /// Whether only shapes were compared, and the sides hold names of kinds; see [`crate::domain::shape`].
    pub shapes: bool,
    /// The differences, in the order of the right side, what is only on the left where it stood.
    pub changes: Vec<Change>,
    /// How many leaves (scalars and empty containers) are the same value on both sides; shadowed members do not count.
    pub same: usize,
}

/// Counts the changes of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Places only on the right.
    pub added: usize,
    /// Places only on the left.
    pub removed: usize,
    /// Places with another value, or whose elements stand in another order.
    pub changed: usize,
    /// Of those, bookmarks that went back.
    pub back: usize,
    /// Places with another spelling of the same.
    pub respelled: usize,
}

impl<'c> FromIterator<&'c Change> for Counts {
    fn from_iter<I: IntoIterator<Item = &'c Change>>(changes: I) -> Self {
        let mut counts = Self::default();
        for change in changes {
            match change.kind {
                ChangeKind::Added => counts.added += 1,
                ChangeKind::Removed => counts.removed += 1,
                ChangeKind::Changed | ChangeKind::Reordered => counts.changed += 1,
                ChangeKind::Respelled => counts.respelled += 1,
            }
            counts.back += usize::from(change.back);
        }
        counts
    }
}

impl Diff {
    /// Tells whether both sides are the same value, as [`same_value`] does.
    pub fn is_equal(&self) -> bool {
        self.changes.is_empty()
    }

    /// Counts the changes.
    pub fn counts(&self) -> Counts {
        self.changes.iter().collect()
    }

    /// Gives the left value of a change.
    pub fn before(&self, change: &Change) -> Option<Node<'_>> {
        self.left.node(change.before?)
    }

    /// Gives the right value of a change.
    pub fn after(&self, change: &Change) -> Option<Node<'_>> {
        self.right.node(change.after?)
    }
}

/// Compares two documents by meaning, in time that grows with their length.
///
/// Equal parts are passed over by their bytes. Values nested deeper than 512 are compared, but not taken apart: they are one
/// change.
pub fn diff(left: &Document, right: &Document) -> Diff {
    let identical = left == right;
    let found = walk::compare(left, right, identical);
    Diff {
        left: left.clone(),
        right: right.clone(),
        identical,
        shapes: false,
        changes: found.changes,
        same: found.same,
    }
}

/// Finds which values of two documents belong together: what [`diff`] does not call added or removed.
pub(in crate::domain) fn matched(left: &Document, right: &Document) -> Vec<Match> {
    walk::matched(left, right)
}
