//! All known names, append-only, and the fuzzy filter over them.

use std::sync::Arc;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::StateId;

/// How many names one chunk holds; a clone of the index copies only pointers to chunks.
const CHUNK: usize = 4096;

/// How many names the filter looks at between two questions whether it is still wanted.
const CANCEL_EVERY: usize = 1024;

/// Keeps names in the order in which they came; a name's place never changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameIndex {
    chunks: Vec<Arc<Vec<StateId>>>,
    len: usize,
}

impl NameIndex {
    /// Counts the names.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Gives the name at a place.
    pub fn get(&self, place: usize) -> Option<&StateId> {
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }

    /// Adds a name behind the others.
    pub fn push(&mut self, name: StateId) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::new()));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            Arc::make_mut(chunk).push(name);
            self.len += 1;
        }
    }

    /// Goes through the names in order.
    pub fn iter(&self) -> impl Iterator<Item = &StateId> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

impl FromIterator<StateId> for NameIndex {
    fn from_iter<I: IntoIterator<Item = StateId>>(names: I) -> Self {
        let mut index = Self::default();
        for name in names {
            index.push(name);
        }
        index
    }
}

/// Holds which of the first `len` names match a query, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// The query that was answered.
    pub query: String,
    /// How many names were looked at.
    pub len: usize,
    /// Places in the index, the best match first; equal ones in the order of the index.
    pub places: Vec<u32>,
}

impl Matches {
    /// Finds the names that hold the query's characters in order, smart-case; words are all wanted.
    ///
    /// An empty query matches everything, in order. When `previous` answered a beginning of this query over the same names,
    /// only its matches are looked at. Gives `None` when `cancelled` says that the answer is no longer wanted.
    pub fn find(
        index: &NameIndex,
        query: &str,
        previous: Option<&Matches>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let len = index.len();
        let all = || (0..u32::try_from(len).unwrap_or(u32::MAX)).collect::<Vec<_>>();
        if query.trim().is_empty() {
            return Some(Self {
                query: query.to_owned(),
                len,
                places: all(),
            });
        }
        let candidates = match previous {
            Some(last) if last.len == len && query.starts_with(&last.query) => last.places.clone(),
            _ => all(),
        };
        let pattern = Pattern::new(
            query,
            CaseMatching::Smart,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored = Vec::new();
        for (count, place) in candidates.into_iter().enumerate() {
            if count.is_multiple_of(CANCEL_EVERY) && cancelled() {
                return None;
            }
            let Some(name) = index.get(place as usize) else {
                continue;
            };
            let text = Utf32Str::new(name.as_str(), &mut buffer);
            if let Some(score) = pattern.score(text, &mut matcher) {
                scored.push((score, place));
            }
        }
        scored.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        Some(Self {
            query: query.to_owned(),
            len,
            places: scored.into_iter().map(|(_, place)| place).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(index: &NameIndex, query: &str, previous: Option<&Matches>) -> Matches {
        Matches::find(index, query, previous, &|| false).unwrap()
    }

    fn sample() -> NameIndex {
        [
            "dev:tap-github-to-target-jsonl",
            "prod:tap-github-to-target-snowflake",
            "prod:tap-postgres-to-target-snowflake",
            "größe 日本語",
        ]
        .into_iter()
        .map(StateId::from)
        .collect()
    }

    #[test]
    fn the_filter_is_fuzzy_and_words_are_all_wanted() {
        let index = sample();
        assert_eq!(names(&index, "", None).places, [0, 1, 2, 3]);
        assert_eq!(names(&index, "prodgit", None).places, [1]);
        assert_eq!(names(&index, "snow prod", None).places.len(), 2);
        assert_eq!(names(&index, "日", None).places, [3]);
        assert!(names(&index, "zzz", None).places.is_empty());
    }

    #[test]
    fn a_longer_query_gives_the_same_from_the_last_answer_as_from_nothing() {
        let index = sample();
        let first = names(&index, "pro", None);
        assert_eq!(
            names(&index, "prod", Some(&first)),
            names(&index, "prod", None)
        );
    }

    #[test]
    fn an_answer_that_is_no_longer_wanted_stops() {
        assert_eq!(Matches::find(&sample(), "a", None, &|| true), None);
    }

    #[test]
    fn a_name_keeps_its_place_across_chunks() {
        let index: NameIndex = (0..10_000)
            .map(|i| StateId::new(format!("job-{i}")))
            .collect();
        assert_eq!(index.len(), 10_000);
        assert_eq!(index.get(4096).unwrap().as_str(), "job-4096");
        assert_eq!(index.iter().count(), 10_000);
        assert!(index.get(10_000).is_none());
    }
}
