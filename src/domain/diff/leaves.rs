//! The leaves of a document, each with its place.

use super::place::{Place, Spot, locate};
use super::walk::{DEEPEST, children};
use crate::domain::json::{Document, NodeId, Pointer};

/// Holds one leaf: a scalar, or an empty array or object.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The value.
    pub node: NodeId,
    /// Where it is.
    pub path: Pointer,
    /// The same place, for people.
    pub place: Place,
}

/// Lists the leaves of a document as Python reads it, in document order: of duplicate keys the last one's value.
///
/// Of what is nested deeper than 512, which [`diff`](super::diff) does not take apart either, each value is one leaf.
pub fn leaves(document: &Document) -> Vec<Leaf> {
    let mut found = Vec::new();
    let mut way: Vec<Spot<'_>> = Vec::new();
    let root = Spot {
        node: document.root(),
        index: 0,
    };
    let mut todo = vec![(0, root)];
    while let Some((depth, spot)) = todo.pop() {
        way.truncate(depth);
        way.push(spot);
        if spot.node.is_empty() || depth >= DEEPEST {
            let located = locate(way.iter().copied());
            found.push(Leaf {
                node: spot.node.id(),
                path: located.path,
                place: located.place,
            });
            continue;
        }
        let inner = children(spot.node).into_iter().enumerate();
        let inner = inner.map(|(index, node)| (depth + 1, Spot { node, index }));
        todo.extend(inner.rev());
    }
    found
}
