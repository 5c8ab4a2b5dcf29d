//! Which value of one container belongs to which of the other.

use std::collections::HashMap;
use std::iter;

use super::align::{Groups, common};
use super::digest::Digests;
use crate::domain::json::{Kind, Node, Text};

/// Says for each child on the left which one on the right belongs to it, by their places; no two have the same one.
pub(super) struct Pairing(Vec<Option<usize>>);

/// Names a child that is on both sides, or on one, by its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left(usize),
    Right(usize),
    Both(usize, usize),
}

/// Remembers what pairing one container learned that helps with the next.
#[derive(Default)]
pub(super) struct Pairer<'d> {
    left: Digests<'d>,
    right: Digests<'d>,
}

impl<'d> Pairer<'d> {
    /// Pairs the elements of two arrays: by their contexts where they are partitions, else by their order.
    ///
    /// `partitions` tells that the arrays' key says that they are partitions.
    pub(super) fn elements(
        &mut self,
        left: &[Node<'d>],
        right: &[Node<'d>],
        partitions: bool,
    ) -> Pairing {
        let named = |side: &[Node<'_>]| side.iter().any(|node| context(*node).is_some());
        let all = |side: &[Node<'_>]| side.iter().all(|node| context(*node).is_some());
        let are_partitions = if partitions {
            named(left) || named(right)
        } else {
            all(left) && all(right)
        };
        if are_partitions {
            by_context(left, right)
        } else {
            self.by_order(left, right)
        }
    }

    /// Keeps as many equal elements as there are in the same order; what lies between two of them is paired one by one.
    fn by_order(&mut self, left: &[Node<'d>], right: &[Node<'d>]) -> Pairing {
        let same = |(left, right): &(&Node<'_>, &Node<'_>)| left.raw() == right.raw();
        let head = left.iter().zip(right).take_while(same).count();
        let (lefts, rights) = (after(left, head), after(right, head));
        let backward = lefts.iter().rev().zip(rights.iter().rev());
        let tail = backward.take_while(same).count();
        let lefts = before(lefts, tail);
        let rights = before(rights, tail);

        let mut anchors = vec![];
        if lefts.len().min(rights.len()) > 0 && lefts.len().max(rights.len()) > 1 {
            anchors = common(&self.left.of_run(lefts), &self.right.of_run(rights));
        }
        let mut pairing = Pairing((0..head).map(Some).collect());
        let mut done = (0, 0);
        for (at, other) in anchors.into_iter().chain([(lefts.len(), rights.len())]) {
            let (free, others) = (at - done.0, other - done.1);
            let between = (0..free).map(|step| (step < others).then_some(head + done.1 + step));
            pairing.0.extend(between);
            pairing
                .0
                .extend((at < lefts.len()).then_some(Some(head + other)));
            done = (at + 1, other + 1);
        }
        pairing.0.truncate(head + lefts.len());
        let rest = head + rights.len();
        pairing.0.extend((rest..rest + tail).map(Some));
        pairing
    }
}

fn after<T>(all: &[T], count: usize) -> &[T] {
    all.get(count..).unwrap_or_default()
}

fn before<T>(all: &[T], count: usize) -> &[T] {
    all.get(..all.len() - count).unwrap_or_default()
}

impl Pairing {
    /// Pairs the effective members of two objects by their keys.
    pub(super) fn members(left: &[Node<'_>], right: &[Node<'_>]) -> Self {
        let same = |(left, right): &(&Node<'_>, &Node<'_>)| left.key() == right.key();
        let head = left.iter().zip(right).take_while(same).count();
        let mut pairing = Self((0..head).map(Some).collect());
        if head < left.len() {
            let rest: HashMap<Option<Text<'_>>, usize> = after(right, head)
                .iter()
                .map(Node::key)
                .zip(head..)
                .collect();
            let others = after(left, head).iter();
            pairing
                .0
                .extend(others.map(|member| rest.get(&member.key()).copied()));
        }
        pairing
    }

    /// Tells whether the pairs stand in the same order on both sides.
    pub(super) fn is_ordered(&self) -> bool {
        self.0.iter().flatten().is_sorted()
    }

    /// Walks all children in the order of the right side; what is only on the left comes after what it follows there.
    pub(super) fn merged(&self, right_len: usize) -> impl Iterator<Item = Side> {
        let mut left_of = vec![None; right_len];
        for (left, right) in self.0.iter().enumerate() {
            if let Some(slot) = right.and_then(|right| left_of.get_mut(right)) {
                *slot = Some(left);
            }
        }
        let leading = self.only_left(0);
        leading.chain(left_of.into_iter().enumerate().flat_map(|(right, left)| {
            let (side, next) = match left {
                Some(left) => (Side::Both(left, right), left + 1),
                None => (Side::Right(right), self.0.len()),
            };
            iter::once(side).chain(self.only_left(next))
        }))
    }

    /// Walks the children from a place on that are only on the left, up to the next that is not.
    fn only_left(&self, from: usize) -> impl Iterator<Item = Side> {
        let rest = after(&self.0, from.min(self.0.len())).iter();
        rest.zip(from..)
            .take_while(|(right, _)| right.is_none())
            .map(|(_, left)| Side::Left(left))
    }
}

/// Pairs partitions by the values of their contexts, those without one among themselves.
///
/// Where a context repeats, what is the same is paired first, then the rest in order.
fn by_context(left: &[Node<'_>], right: &[Node<'_>]) -> Pairing {
    let mut right_of = vec![None; left.len()];
    for (lefts, rights) in Groups::of(&contexts(left), &contexts(right)).iter() {
        if let ([left], [right]) = (lefts, rights) {
            set(&mut right_of, *left, *right);
        } else {
            repeats(left, right, lefts, rights, &mut right_of);
        }
    }
    Pairing(right_of)
}

fn contexts(partitions: &[Node<'_>]) -> Vec<u64> {
    let mut digests = Digests::default();
    let mut digest = |partition| context(partition).map_or(0, |node| digests.of_one(node));
    partitions.iter().map(|node| digest(*node)).collect()
}

fn context(partition: Node<'_>) -> Option<Node<'_>> {
    let is_object = |node: &Node<'_>| node.kind() == Kind::Object;
    let context = is_object(&partition).then(|| partition.get(super::CONTEXT))?;
    context.filter(is_object)
}

fn set(right_of: &mut [Option<usize>], left: usize, right: usize) {
    if let Some(slot) = right_of.get_mut(left) {
        *slot = Some(right);
    }
}

/// Pairs the elements of one context.
fn repeats(
    left: &[Node<'_>],
    right: &[Node<'_>],
    lefts: &[usize],
    rights: &[usize],
    right_of: &mut [Option<usize>],
) {
    let mut free_left = vec![true; lefts.len()];
    let mut free_right = vec![true; rights.len()];
    for (same_lefts, same_rights) in
        Groups::of(&elements(left, lefts), &elements(right, rights)).iter()
    {
        for (&at, &other) in same_lefts.iter().zip(same_rights) {
            let taken = free_left.get_mut(at).zip(free_right.get_mut(other));
            if let (Some((free, other_free)), Some(&left), Some(&right)) =
                (taken, lefts.get(at), rights.get(other))
            {
                (*free, *other_free) = (false, false);
                set(right_of, left, right);
            }
        }
    }
    let free = |places: &[usize], free: Vec<bool>| {
        let places = places.iter().copied().zip(free);
        places
            .filter_map(|(place, free)| free.then_some(place))
            .collect::<Vec<_>>()
    };
    let rest = free(lefts, free_left)
        .into_iter()
        .zip(free(rights, free_right));
    rest.for_each(|(left, right)| set(right_of, left, right));
}

fn elements(side: &[Node<'_>], places: &[usize]) -> Vec<u64> {
    let mut digests = Digests::default();
    let elements = places.iter().filter_map(|&place| side.get(place));
    elements.map(|node| digests.of_one(*node)).collect()
}
