//! Finding what two sequences have in common, in order.

/// The most pairs of equal elements that are all looked at; with more, the common subsequence may not be the longest.
const MOST_PAIRS: usize = 1 << 21;

/// The most insertions and deletions that are looked for when there are too many pairs.
const MOST_EDITS: usize = 512;

/// Calls back for every digest that is on both sides, with the places of its occurrences on each, in order.
pub(super) fn groups(left: &[u64], right: &[u64], mut found: impl FnMut(&[usize], &[usize])) {
    let (left_digests, left_places) = sorted(left);
    let (right_digests, right_places) = sorted(right);
    let (mut at, mut other) = (0, 0);
    while let (Some(digest), Some(against)) = (left_digests.get(at), right_digests.get(other)) {
        let end = run_end(&left_digests, at);
        let other_end = run_end(&right_digests, other);
        if digest == against
            && let Some(lefts) = left_places.get(at..end)
            && let Some(rights) = right_places.get(other..other_end)
        {
            found(lefts, rights);
        }
        (at, other) = match digest.cmp(against) {
            std::cmp::Ordering::Less => (end, other),
            std::cmp::Ordering::Equal => (end, other_end),
            std::cmp::Ordering::Greater => (at, other_end),
        };
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
    let mut count = 0_usize;
    groups(left, right, |lefts, rights| {
        count = count.saturating_add(lefts.len().saturating_mul(rights.len()));
    });
    let mut pairs = vec![];
    if count <= MOST_PAIRS {
        groups(left, right, |lefts, rights| {
            for &left in lefts {
                pairs.extend(rights.iter().map(|&right| (left, right)));
            }
        });
    } else if let Some(found) = few_edits(left, right) {
        return found;
    } else {
        groups(left, right, |lefts, rights| {
            pairs.extend(lefts.iter().copied().zip(rights.iter().copied()));
            let backward = lefts.iter().rev().zip(rights.iter().rev());
            pairs.extend(backward.map(|(&left, &right)| (left, right)));
        });
    }
    longest_rising(pairs)
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
    let backward = std::iter::successors(last, |&index| before.get(index).copied().flatten());
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
