//! Numbers that are equal for equal values, to find what belongs together quickly.
//!
//! Digests only say what to look at: whatever is paired by them is still compared, so a collision can make a diff longer
//! than it had to be, and never wrong.

use std::iter;

use super::value::{float_bits, integer};
use crate::domain::json::{Kind, Node};

/// Remembers the digests of the values in one stretch of a document, so that arrays in arrays are read once.
#[derive(Default)]
pub(super) struct Digests<'d> {
    /// The first value of the stretch.
    first: usize,
    of: Vec<u64>,
    open: Vec<Open<'d>>,
}

/// Is a container whose values are being read.
struct Open<'d> {
    node: Node<'d>,
    /// The number of the value after it.
    end: usize,
    sum: u64,
}

impl<'d> Digests<'d> {
    /// Gives the digest of one value.
    pub(super) fn of_one(&mut self, node: Node<'d>) -> u64 {
        self.start_at(node);
        self.add(node);
        self.of.first().copied().unwrap_or_default()
    }

    /// Gives the digests of siblings that stand one after the other.
    pub(super) fn of_run(&mut self, run: &[Node<'d>]) -> Vec<u64> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return vec![];
        };
        let known = self.first..self.first + self.of.len();
        if !(known.contains(&first.id().index()) && known.contains(&last.id().index())) {
            self.start_at(*first);
            for node in run {
                self.add(*node);
            }
        }
        run.iter()
            .filter_map(|node| self.of.get(node.id().index() - self.first).copied())
            .collect()
    }

    fn start_at(&mut self, node: Node<'d>) {
        self.first = node.id().index();
        self.of.clear();
    }

    fn add(&mut self, root: Node<'d>) {
        for node in iter::once(root).chain(root.descendants()) {
            self.close(node.id().index());
            if node.is_empty() {
                self.of.push(leaf(node));
                self.add_to_outer(node, leaf(node));
            } else {
                self.of.push(0);
                self.open.push(Open {
                    node,
                    end: node.id().index() + 1 + node.descendants().len(),
                    sum: 0,
                });
            }
        }
        self.close(usize::MAX);
    }

    /// Closes the containers that end before this value.
    fn close(&mut self, before: usize) {
        while let Some(Open { node, sum, .. }) = self.open.pop_if(|open| open.end <= before) {
            let digest = mix(tag(node.kind()), sum);
            let offset = self.of.len().checked_sub(node.descendants().len() + 1);
            if let Some(slot) = offset.and_then(|at| self.of.get_mut(at)) {
                *slot = digest;
            }
            self.add_to_outer(node, digest);
        }
    }

    /// Adds a value to its container: in an array its place counts, in an object its key.
    fn add_to_outer(&mut self, node: Node<'d>, digest: u64) {
        let Some(outer) = self.open.last_mut() else {
            return;
        };
        match node.key() {
            None => outer.sum = mix(outer.sum, digest),
            Some(_) if node.is_shadowed() => {}
            Some(key) => {
                outer.sum = outer.sum.wrapping_add(mix(of_bytes(&key.wtf8()), digest));
            }
        }
    }
}

/// Computes the digest of a value that holds no others.
fn leaf(node: Node<'_>) -> u64 {
    let kind = node.kind();
    let content = match kind {
        Kind::Integer => of_bytes(integer(node).as_bytes()),
        Kind::Float => node.as_f64().map_or(0, float_bits),
        Kind::String => node.as_str().map_or(0, |text| of_bytes(&text.wtf8())),
        Kind::Bool => u64::from(node.raw() == "true"),
        Kind::Null | Kind::Array | Kind::Object => 0,
    };
    mix(tag(kind), content)
}

const fn tag(kind: Kind) -> u64 {
    kind as u64 + 1
}

fn of_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    words
        .iter()
        .chain(iter::once(&last))
        .fold(bytes.len() as u64, |sum, word| {
            mix(sum, u64::from_le_bytes(*word))
        })
}

/// Stirs a number into another; the order of the two counts.
const fn mix(sum: u64, more: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let stirred = (sum.rotate_left(29) ^ more).wrapping_mul(ODD);
    stirred ^ (stirred >> 32)
}
