//! Which snapshot gave each leaf of a state the value that it has.

use crate::domain::diff::{Leaf, Match, Place, leaves, matched};
use crate::domain::json::{Document, Node, NodeId, Pointer};

use super::{Snapshot, Timeline};

/// Says where the value of one leaf comes from.
#[derive(Debug, Clone)]
pub struct Blamed<'t> {
    /// Where the leaf is.
    pub path: Pointer,
    /// The same place, for people.
    pub place: Place,
    /// Its value: a scalar, an empty array or object, or what is nested deeper than a diff looks.
    pub value: Node<'t>,
    /// The place in the timeline of the snapshot that gave it this value.
    pub snapshot: usize,
    /// The value that it had before; `None` when there was none.
    pub previous: Option<Node<'t>>,
}

/// Says of each leaf of the effective state at one snapshot which snapshot gave it its value, in document order.
///
/// Partitions are followed by their contexts, as [`diff`](crate::domain::diff::diff) does, and a value that was only spelled
/// otherwise since is still the same. One that was away and came back comes from the snapshot in which it came back. A
/// snapshot whose effective state cannot be told is passed over: what it set is found in the next one. Gives nothing where
/// there is no state, or none can be told. Takes time with the documents' lengths; one that is the same as the one before
/// costs nothing.
pub fn blame(timeline: &Timeline, at: usize) -> Vec<Blamed<'_>> {
    let mut known: Option<Known<'_>> = None;
    for (place, snapshot) in timeline.snapshots.iter().enumerate().take(at + 1) {
        known = match held(snapshot) {
            Held::Nothing => None,
            Held::Unknown => continue,
            Held::Document(document) => Some(match known {
                None => Known::new(document, place),
                Some(before) => before.followed_by(document, place),
            }),
        };
    }
    let told = timeline.snapshots.get(at).map(held);
    match (known, told) {
        (Some(known), Some(Held::Document(_))) => known.blamed(timeline),
        _ => Vec::new(),
    }
}

/// Says what a snapshot holds.
enum Held<'t> {
    Nothing,
    Unknown,
    Document(&'t Document),
}

fn held(snapshot: &Snapshot) -> Held<'_> {
    match (&snapshot.state, &snapshot.effective) {
        (None, _) => Held::Nothing,
        (Some(_), Err(_)) => Held::Unknown,
        (Some(_), Ok(document)) => Held::Document(document),
    }
}

/// Is where one value comes from.
#[derive(Clone, Copy)]
struct Source {
    snapshot: usize,
    /// What was there before: the place of the snapshot, and the value in it.
    previous: Option<(usize, NodeId)>,
}

/// Holds what is known of the values of one document.
struct Known<'t> {
    document: &'t Document,
    /// The place of the snapshot that it is from.
    place: usize,
    /// Where each value comes from, by its number; only those of leaves are asked for.
    sources: Vec<Source>,
}

impl<'t> Known<'t> {
    /// Knows a document that has nothing before it.
    fn new(document: &'t Document, place: usize) -> Self {
        let source = Source {
            snapshot: place,
            previous: None,
        };
        Self {
            document,
            place,
            sources: vec![source; document.node_count()],
        }
    }

    fn followed_by(self, document: &'t Document, place: usize) -> Self {
        if self.document == document {
            return Self { place, ..self };
        }
        let mut next = Self::new(document, place);
        for found in matched(self.document, document) {
            match found {
                Match::Same(left, right) => next.take_over(&self, left, right),
                Match::Equal(left, right) => {
                    let kept = self.sources.get(left.index()).copied();
                    if let (Some(to), Some(from)) = (next.sources.get_mut(right.index()), kept) {
                        *to = from;
                    }
                }
                Match::Unlike(left, right) => {
                    if let Some(to) = next.sources.get_mut(right.index()) {
                        to.previous = Some((self.place, left));
                    }
                }
            }
        }
        next
    }

    /// Takes over what is known of a value whose bytes are the same, and of all in it.
    fn take_over(&mut self, from: &Self, left: NodeId, right: NodeId) {
        let count = (self.document.node(right)).map_or(0, |node| node.descendants().len() + 1);
        let to = self.sources.get_mut(right.index()..right.index() + count);
        let from = from.sources.get(left.index()..left.index() + count);
        if let (Some(to), Some(from)) = (to, from) {
            to.copy_from_slice(from);
        }
    }

    fn blamed(&self, timeline: &'t Timeline) -> Vec<Blamed<'t>> {
        let blamed = |leaf: Leaf| {
            let source = self.sources.get(leaf.node.index())?;
            let previous = source.previous.and_then(|(place, node)| {
                let before = timeline.snapshots.get(place)?.effective.as_ref();
                before.ok()?.node(node)
            });
            Some(Blamed {
                path: leaf.path,
                place: leaf.place,
                value: self.document.node(leaf.node)?,
                snapshot: source.snapshot,
                previous,
            })
        };
        leaves(self.document)
            .into_iter()
            .filter_map(blamed)
            .collect()
    }
}

#[cfg(test)]
mod tests;
