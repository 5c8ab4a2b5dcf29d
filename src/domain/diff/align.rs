//! Finding what two sequences have in common, in order.

use std::cmp::Ordering;
use std::iter;
use std::ops::Range;

/// The most pairs of equal elements that are all looked at; with more, the common subsequence may not be the longest.
const MOST_PAIRS: usize = 1 << 21;

/// The most insertions and deletions that are looked for when there are too many pairs.
const MOST_EDITS: usize = 512;

/// Lists for every digest that is on both sides the places where it is on each, in order.
pub(super) struct Groups {
    left: Vec<usize>,
    right: Vec<usize>,
    ranges: Vec<(Range<usize>, Range<usize>)>,
}

impl Groups {
    pub(super) fn of(left: &[u64], right: &[u64]) -> Self {
        let (left_digests, left) = sorted(left);
        let (right_digests, right) = sorted(right);
        let mut ranges = vec![];
        let (mut at, mut other) = (0, 0);
        while let (Some(digest), Some(against)) = (left_digests.get(at), right_digests.get(other)) {
            let run = at..run_end(&left_digests, at);
            let other_run = other..run_end(&right_digests, other);
            match digest.cmp(against) {
                Ordering::Less => at = run.end,
                Ordering::Greater => other = other_run.end,
                Ordering::Equal => {
                    (at, other) = (run.end, other_run.end);
                    ranges.push((run, other_run));
                }
            }
        }
        Self {
            left,
            right,
            ranges,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[usize], &[usize])> {
        self.ranges.iter().filter_map(|(left, right)| {
            Some((self.left.get(left.clone())?, self.right.get(right.clone())?))
        })
    }
}

fn sorted(digests: &[u64]) -> (Vec<u64>, Vec<usize>) {
    let mut placed: Vec<(u64, usize)> = digests.iter().copied().zip(0..).collect();
    placed.sort_unstable();
    placed.into_iter().unzip()
}

fn run_end(sorted: &[u64], at: usize) -> usize {
    let rest = sorted.get(at..).unwrap_or_default();
    let run = rest
        .iter()
        .take_while(|digest| rest.first() == Some(digest));
    at + run.count()
}

/// Finds a common subsequence, the longest unless there is too much of the same, as pairs of places that rise on both sides.
///
/// What it finds does not depend on which side is called left.
pub(super) fn common(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    if left > right {
        return common_ordered(right, left)
            .into_iter()
            .map(|(right, left)| (left, right))
            .collect();
    }
    common_ordered(left, right)
}

fn common_ordered(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    let groups = Groups::of(left, right);
    let count = groups.iter().fold(0_usize, |count, (lefts, rights)| {
        count.saturating_add(lefts.len().saturating_mul(rights.len()))
    });
    if count <= MOST_PAIRS {
        let every = groups.iter().flat_map(|(lefts, rights)| {
            let with_all = |&left| rights.iter().map(move |&right| (left, right));
            lefts.iter().flat_map(with_all)
        });
        return longest_rising(every.collect());
    }
    few_edits(left, right).unwrap_or_else(|| likely(&groups))
}

/// Finds a common subsequence among the pairs of occurrences that have as many of the same before them, or behind.
fn likely(groups: &Groups) -> Vec<(usize, usize)> {
    let pairs = groups.iter().flat_map(|(lefts, rights)| {
        let forward = lefts.iter().zip(rights);
        let backward = lefts.iter().rev().zip(rights.iter().rev());
        forward.chain(backward)
    });
    longest_rising(pairs.map(|(&left, &right)| (left, right)).collect())
}

/// Picks the most pairs that rise on both sides (Hunt and Szymanski's way to a longest common subsequence).
fn longest_rising(mut pairs: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    // Of the pairs of one left element, the later must not look like the sooner one's continuation.
    pairs.sort_unstable_by_key(|&(left, right)| (left, usize::MAX - right));
    // For each length, the chain of that length that ends soonest on the right; by its last pair.
    let mut ends: Vec<(usize, usize)> = vec![];
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, &(_, right)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&(end, _)| end < right);
        let previous = length.checked_sub(1).and_then(|at| ends.get(at));
        before.push(previous.map(|&(_, index)| index));
        match ends.get_mut(length) {
            Some(end) => *end = (right, index),
            None => ends.push((right, index)),
        }
    }
    let last = ends.last().map(|&(_, index)| index);
    let backward = iter::successors(last, |&index| before.get(index).copied().flatten());
    let mut found: Vec<_> = backward
        .filter_map(|index| pairs.get(index).copied())
        .collect();
    found.reverse();
    found
}

/// Finds the longest common subsequence when few elements are outside it (Myers's greedy way), else gives up.
fn few_edits(left: &[u64], right: &[u64]) -> Option<Vec<(usize, usize)>> {
    // For each diagonal, numbered by its places on the left less those on the right plus `MOST_EDITS + 1`, how far one gets.
    let mut furthest = vec![0_usize; 2 * MOST_EDITS + 3];
    let mut rounds = vec![];
    for edits in 0..=MOST_EDITS {
        let first = MOST_EDITS + 1 - edits;
        for diagonal in (first..=MOST_EDITS + 1 + edits).step_by(2) {
            let mut at = start(&furthest, diagonal, first, edits);
            while let Some(other) = (at + MOST_EDITS + 1).checked_sub(diagonal)
                && let Some(element) = left.get(at)
                && right.get(other) == Some(element)
            {
                at += 1;
            }
            *furthest.get_mut(diagonal)? = at;
            if at >= left.len() && at + MOST_EDITS + 1 >= right.len() + diagonal {
                return Some(retrace(&rounds, diagonal, at));
            }
        }
        rounds.push(furthest.get(first..=MOST_EDITS + 1 + edits)?.to_vec());
    }
    None
}

/// Says where a round begins on a diagonal: after one more insertion or deletion than the round before.
fn start(furthest: &[usize], diagonal: usize, first: usize, edits: usize) -> usize {
    let on = |diagonal: usize| furthest.get(diagonal).copied().unwrap_or_default();
    let (below, above) = (on(diagonal - 1), on(diagonal + 1));
    if edits == 0 {
        0
    } else if diagonal == first || (diagonal != first + 2 * edits && below < above) {
        above
    } else {
        below + 1
    }
}

/// Walks the rounds backward and gathers the equal elements on the way.
fn retrace(rounds: &[Vec<usize>], mut diagonal: usize, mut at: usize) -> Vec<(usize, usize)> {
    let mut found = vec![];
    let mut gather = |from: usize, to: usize, diagonal: usize| {
        let places = (from..to).rev();
        found.extend(places.map(|at| (at, at + MOST_EDITS + 1 - diagonal)));
    };
    for (edits, round) in rounds.iter().enumerate().rev() {
        let first = MOST_EDITS + 1 - edits;
        let on = |diagonal: usize| {
            let offset = diagonal.checked_sub(first)?;
            (offset % 2 == 0)
                .then(|| round.get(offset).copied())
                .flatten()
        };
        let (below, above) = (on(diagonal - 1), on(diagonal + 1));
        let (previous, begin) = match (below, above) {
            (Some(below), Some(above)) if below < above => (diagonal + 1, above),
            (Some(below), _) => (diagonal - 1, below + 1),
            (None, Some(above)) => (diagonal + 1, above),
            (None, None) => break,
        };
        gather(begin, at, diagonal);
        at = if previous > diagonal {
            begin
        } else {
            begin - 1
        };
        diagonal = previous;
    }
    gather(0, at, diagonal);
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts the longest common subsequence by the table.
    fn longest(left: &[u64], right: &[u64]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for element in left {
            let mut corner = 0;
            for (at, other) in right.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if element == other {
                    corner + 1
                } else {
                    above.max(row[at])
                };
                corner = above;
            }
        }
        row[right.len()]
    }

    fn is_common(left: &[u64], right: &[u64], found: &[(usize, usize)]) -> bool {
        let rises = found
            .windows(2)
            .all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1);
        rises && found.iter().all(|&(at, other)| left[at] == right[other])
    }

    fn sequence() -> impl Strategy<Value = Vec<u64>> {
        (1..6_u64).prop_flat_map(|values| prop::collection::vec(0..values, 0..40))
    }

    proptest! {
        #[test]
        fn every_way_finds_common_subsequences(left in sequence(), right in sequence()) {
            let want = longest(&left, &right);
            let exact = common(&left, &right);
            prop_assert!(is_common(&left, &right, &exact));
            prop_assert_eq!(exact.len(), want);
            let edited = few_edits(&left, &right).unwrap();
            prop_assert!(is_common(&left, &right, &edited));
            prop_assert_eq!(edited.len(), want);
            let likely = likely(&Groups::of(&left, &right));
            prop_assert!(is_common(&left, &right, &likely));
            prop_assert_eq!(likely.is_empty(), want == 0);
            let mirrored: Vec<_> = common(&right, &left)
                .into_iter()
                .map(|(right, left)| (left, right))
                .collect();
            prop_assert_eq!(exact, mirrored);
        }
    }

    #[test]
    fn too_many_edits_are_given_up() {
        let left: Vec<u64> = (0..300).collect();
        let right: Vec<u64> = (300..600).collect();
        assert!(few_edits(&left, &right).is_none());
        assert_eq!(few_edits(&left[..200], &right[..200]), Some(vec![]));
    }
}
