//! Which value of one container belongs to which of the other.

use std::collections::HashMap;
use std::iter;

use super::align::{common, groups};
use super::digest::{self, Digests};
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
        by_context(left, right, partitions).unwrap_or_else(|| self.by_order(left, right))
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

/// Pairs partitions by the values of their contexts; `None` when the elements are no partitions.
///
/// Where a context repeats, what is the same is paired first, then the rest in order.
fn by_context(left: &[Node<'_>], right: &[Node<'_>], partitions: bool) -> Option<Pairing> {
    let contexts = |side: &[Node<'_>]| side.iter().map(context_digest).collect::<Vec<_>>();
    let named = |side: &[Node<'_>]| side.iter().any(|element| context(element).is_some());
    let all = |side: &[Node<'_>]| side.iter().all(|element| context(element).is_some());
    let are_partitions = if partitions {
        named(left) || named(right)
    } else {
        all(left) && all(right)
    };
    if !are_partitions {
        return None;
    }
    let mut right_of = vec![None; left.len()];
    groups(&contexts(left), &contexts(right), |lefts, rights| {
        if let ([left], [right]) = (lefts, rights) {
            set(&mut right_of, *left, *right);
            return;
        }
        repeats(left, right, lefts, rights, &mut right_of);
    });
    Some(Pairing(right_of))
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
    let digests = |side: &[Node<'_>], places: &[usize]| {
        let elements = places.iter().filter_map(|&place| side.get(place));
        elements.map(|node| digest::of(*node)).collect::<Vec<_>>()
    };
    let mut free_left = vec![true; lefts.len()];
    let mut free_right = vec![true; rights.len()];
    let (of_left, of_right) = (digests(left, lefts), digests(right, rights));
    groups(&of_left, &of_right, |same_lefts, same_rights| {
        for (&at, &other) in same_lefts.iter().zip(same_rights) {
            let taken = free_left.get_mut(at).zip(free_right.get_mut(other));
            if let (Some((free, other_free)), Some(&left), Some(&right)) =
                (taken, lefts.get(at), rights.get(other))
            {
                (*free, *other_free) = (false, false);
                set(right_of, left, right);
            }
        }
    });
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

fn context<'d>(element: &Node<'d>) -> Option<Node<'d>> {
    element
        .get(super::CONTEXT)
        .filter(|context| element.kind() == Kind::Object && context.kind() == Kind::Object)
}

/// Gives 0 to all elements without a context, so that they are paired among themselves.
fn context_digest(element: &Node<'_>) -> u64 {
    context(element).map_or(0, digest::of)
}
