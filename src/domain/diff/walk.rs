//! Walking both documents at once, and noting what differs.

use std::iter;

use super::pair::{Pairer, Pairing, Side};
use super::place::{Spot, locate};
use super::value::{distance, same_meaning, same_scalar, same_value};
use super::{Change, ChangeKind, Distance, PARTITIONS};
use crate::domain::json::{Document, Kind, Node, NodeId};

/// How deep changes are looked for. CPython 3.11 does not read nesting twice as deep, and to name every change in deeper
/// nesting would take the square of its size.
pub(super) const DEEPEST: usize = 512;

pub(super) struct Found {
    pub(super) changes: Vec<Change>,
    pub(super) same: usize,
}

/// Finds the changes, and counts the leaves that are the same.
pub(super) fn compare(left: &Document, right: &Document, identical: bool) -> Found {
    let leaves = Leaves::of(right);
    let mut walk = Walk::default();
    let all = leaves.within(right.root());
    if !identical {
        let root = |node| Spot { node, index: 0 };
        let both = Sides::Both(root(left.root()), root(right.root()));
        walk.run(both, Some(&leaves));
    }
    Found {
        changes: walk.changes,
        same: all.saturating_sub(walk.unlike),
    }
}

/// Finds which values of both documents belong together, as [`compare`] finds it.
pub(super) fn matched(left: &Document, right: &Document) -> Vec<Match> {
    let root = |node| Spot { node, index: 0 };
    let both = Sides::Both(root(left.root()), root(right.root()));
    if both.is_identical() {
        return vec![Match::Same(left.root().id(), right.root().id())];
    }
    let mut walk = Walk {
        matches: Some(vec![]),
        ..Walk::default()
    };
    walk.run(both, None);
    walk.matches.unwrap_or_default()
}

/// Says that two values, one on the left and one on the right, belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::domain) enum Match {
    /// Their bytes are the same, so that all in them belongs together, value by value.
    Same(NodeId, NodeId),
    /// They are the same value, or mean the same; of what is in them nothing is said.
    Equal(NodeId, NodeId),
    /// They are two values, and nothing in the right one is in the left one.
    Unlike(NodeId, NodeId),
}

/// Is one place on the left, on the right, or on both.
#[derive(Clone, Copy)]
enum Sides<'d> {
    Left(Spot<'d>),
    Right(Spot<'d>),
    Both(Spot<'d>, Spot<'d>),
}

impl<'d> Sides<'d> {
    fn left(self) -> Option<Spot<'d>> {
        match self {
            Self::Left(spot) | Self::Both(spot, _) => Some(spot),
            Self::Right(_) => None,
        }
    }

    fn right(self) -> Option<Spot<'d>> {
        match self {
            Self::Right(spot) | Self::Both(_, spot) => Some(spot),
            Self::Left(_) => None,
        }
    }

    /// Tells whether nothing can differ here.
    fn is_identical(self) -> bool {
        matches!(self, Self::Both(left, right) if left.node.raw() == right.node.raw())
    }
}

#[derive(Default)]
struct Walk<'d> {
    pairer: Pairer<'d>,
    /// The containers around what is looked at, outermost first.
    outer: Vec<(Spot<'d>, Spot<'d>)>,
    /// What is still to be looked at, the next one last, and how many containers it is in.
    todo: Vec<(usize, Sides<'d>)>,
    changes: Vec<Change>,
    /// How many leaves on the right are not the same on the left.
    unlike: usize,
    /// What belongs together, when that is asked for, and changes are not.
    matches: Option<Vec<Match>>,
}

impl<'d> Walk<'d> {
    fn run(&mut self, whole: Sides<'d>, leaves: Option<&Leaves<'_>>) {
        self.todo.push((0, whole));
        while let Some((depth, sides)) = self.todo.pop() {
            self.outer.truncate(depth);
            let Some(kind) = self.look(sides) else {
                continue;
            };
            let count = |(leaves, spot): (&Leaves<'_>, Spot<'_>)| leaves.within(spot.node);
            self.unlike += leaves.zip(sides.right()).map_or(0, count);
            self.note(sides, kind);
        }
    }

    /// Says what happened to a place as a whole, or puts what is in it on the list.
    fn look(&mut self, sides: Sides<'d>) -> Option<ChangeKind> {
        let (left, right) = match sides {
            Sides::Left(_) => return Some(ChangeKind::Removed),
            Sides::Right(_) => return Some(ChangeKind::Added),
            Sides::Both(left, right) => (left, right),
        };
        let (before, after) = (left.node, right.node);
        if !before.is_container() || before.kind() != after.kind() {
            return if same_scalar(before, after) {
                self.belong(Match::Equal, sides);
                None
            } else if same_meaning(before, after) {
                Some(ChangeKind::Respelled)
            } else {
                Some(ChangeKind::Changed)
            };
        }
        if self.outer.len() >= DEEPEST {
            if !same_value(before, after) {
                return Some(ChangeKind::Changed);
            }
            self.belong(Match::Equal, sides);
            return None;
        }
        self.enter(left, right);
        None
    }

    fn enter(&mut self, left: Spot<'d>, right: Spot<'d>) {
        let is_array = right.node.kind() == Kind::Array;
        let (lefts, rights) = (children(left.node), children(right.node));
        let pairing = if is_array {
            let partitions = right.node.key().is_some_and(|key| key == PARTITIONS);
            self.pairer.elements(&lefts, &rights, partitions)
        } else {
            Pairing::members(&lefts, &rights)
        };
        if is_array && !pairing.is_ordered() {
            self.note(Sides::Both(left, right), ChangeKind::Reordered);
        }
        // An empty container is a leaf, and on the left there is none.
        self.unlike += usize::from(rights.is_empty() && !lefts.is_empty());
        if rights.is_empty() {
            let how = if lefts.is_empty() {
                Match::Equal
            } else {
                Match::Unlike
            };
            self.belong(how, Sides::Both(left, right));
        }

        self.outer.push((left, right));
        let depth = self.outer.len();
        let first = self.todo.len();
        let spot = |side: &[Node<'d>], index: usize| {
            let node = side.get(index).copied()?;
            Some(Spot { node, index })
        };
        let inner = pairing.merged(rights.len()).filter_map(|side| {
            Some(match side {
                Side::Left(at) => Sides::Left(spot(&lefts, at)?),
                Side::Right(at) => Sides::Right(spot(&rights, at)?),
                Side::Both(at, other) => Sides::Both(spot(&lefts, at)?, spot(&rights, other)?),
            })
        });
        let matches = &mut self.matches;
        let differing = inner.filter(|sides| {
            let is_identical = sides.is_identical();
            if is_identical
                && let (Some(matches), Sides::Both(left, right)) = (&mut *matches, sides)
            {
                matches.push(Match::Same(left.node.id(), right.node.id()));
            }
            !is_identical
        });
        self.todo.extend(differing.map(|sides| (depth, sides)));
        if let Some(added) = self.todo.get_mut(first..) {
            added.reverse();
        }
    }

    /// Says that both sides of a place belong together, when that is asked for.
    fn belong(&mut self, how: fn(NodeId, NodeId) -> Match, sides: Sides<'d>) {
        if let (Some(matches), Sides::Both(left, right)) = (&mut self.matches, sides) {
            matches.push(how(left.node.id(), right.node.id()));
        }
    }

    fn note(&mut self, sides: Sides<'d>, kind: ChangeKind) {
        if self.matches.is_some() {
            match kind {
                ChangeKind::Respelled => self.belong(Match::Equal, sides),
                ChangeKind::Changed => self.belong(Match::Unlike, sides),
                // Whose elements moved is told element by element.
                ChangeKind::Added | ChangeKind::Removed | ChangeKind::Reordered => {}
            }
            return;
        }
        let (left, right) = (sides.left(), sides.right());
        let outer = self.outer.iter();
        let located = match (left, right) {
            (Some(left), None) => locate(outer.map(|(left, _)| *left).chain([left])),
            (_, right) => locate(outer.map(|(_, right)| *right).chain(right)),
        };
        let distance = match (kind, left, right) {
            (ChangeKind::Changed, Some(left), Some(right)) => distance(left.node, right.node),
            _ => None,
        };
        self.changes.push(Change {
            path: located.path,
            place: located.place,
            kind,
            before: left.map(|spot| spot.node.id()),
            after: right.map(|spot| spot.node.id()),
            back: located.is_bookmark && distance.as_ref().is_some_and(Distance::is_back),
            distance,
        });
    }
}

/// Lists the elements of an array, or the members of an object as Python has them.
pub(super) fn children(container: Node<'_>) -> Vec<Node<'_>> {
    if container.kind() == Kind::Object {
        container.effective_members().collect()
    } else {
        container.children().collect()
    }
}

/// Counts scalars and empty containers, without what is in shadowed members.
struct Leaves<'d> {
    document: &'d Document,
    shadowed: Vec<NodeId>,
}

impl<'d> Leaves<'d> {
    fn of(document: &'d Document) -> Self {
        Self {
            document,
            shadowed: document.duplicate_keys(),
        }
    }

    fn within(&self, node: Node<'_>) -> usize {
        let mut count = all_leaves(node);
        let mut end = node.id().index() + 1;
        let first = self.shadowed.partition_point(|id| id.index() < end);
        let last = end + node.descendants().len();
        for &id in self.shadowed.get(first..).unwrap_or_default() {
            if id.index() >= last {
                break;
            }
            if id.index() >= end
                && let Some(shadowed) = self.document.node(id)
            {
                count -= all_leaves(shadowed);
                end = id.index() + 1 + shadowed.descendants().len();
            }
        }
        count
    }
}

fn all_leaves(node: Node<'_>) -> usize {
    iter::once(node)
        .chain(node.descendants())
        .filter(Node::is_empty)
        .count()
}
