//! Finding the names that somebody may have meant.

use crate::domain::id::{Matches, NameIndex, StateId};
pub(super) use crate::domain::nearest::distance;

/// How many names are offered.
const OFFERED: usize = 3;

/// Collects names, and finds those nearest to one that is not there.
#[derive(Debug)]
pub(super) struct Nearest {
    wanted: String,
    names: NameIndex,
    /// How far a name is, and its place.
    near: Vec<(Distance, usize)>,
}

/// Orders names by how likely they were meant: a slip of the fingers, then a part of a name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Slip(usize),
    Part(usize),
}

impl Nearest {
    pub(super) fn to(wanted: &str) -> Self {
        Self {
            wanted: wanted.to_lowercase(),
            names: NameIndex::default(),
            near: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, name: StateId) {
        let text = name.as_str().to_lowercase();
        let limit = (self.wanted.chars().count() / 4).max(2);
        let slip = distance(&self.wanted, &text, limit).map(Distance::Slip);
        let part = || {
            let is_part = !self.wanted.is_empty()
                && !text.is_empty()
                && (text.contains(&self.wanted) || self.wanted.contains(&text));
            is_part.then(|| Distance::Part(text.len().abs_diff(self.wanted.len())))
        };
        if let Some(distance) = slip.or_else(part) {
            self.near.push((distance, self.names.len()));
        }
        self.names.push(name);
    }

    /// Gives the nearest names, the nearest first; none when nothing resembles it.
    pub(super) fn names(mut self) -> Vec<StateId> {
        self.near.sort();
        let mut places: Vec<usize> = self.near.into_iter().map(|(_, place)| place).collect();
        if places.is_empty() {
            let fuzzy = Matches::find(&self.names, &self.wanted, None, &|| false);
            let found = fuzzy.filter(|found| !found.query.trim().is_empty());
            let found = found.into_iter().flat_map(|found| found.places);
            places.extend(found.map(|place| place as usize));
        }
        let names = places.into_iter().take(OFFERED);
        names
            .filter_map(|place| self.names.get(place).cloned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("dev:tap-github-to-target-jsnl", &["dev:tap-github-to-target-jsonl"])]
    #[case("DEV:TAP-github-to-target-jsonl", &["dev:tap-github-to-target-jsonl"])]
    #[case("snowflake", &["prod:tap-a-to-target-snowflake", "prod:tap-github-to-target-snowflake"])]
    #[case("devgit", &["dev:tap-github-to-target-jsonl"])]
    #[case("", &[])]
    #[case("zzz", &[])]
    fn what_was_meant(#[case] wanted: &str, #[case] want: &[&str]) {
        let mut nearest = Nearest::to(wanted);
        for name in [
            "dev:tap-github-to-target-jsonl",
            "prod:tap-github-to-target-snowflake",
            "prod:tap-a-to-target-snowflake",
            "nightly",
        ] {
            nearest.add(StateId::from(name));
        }
        let found = nearest.names();
        let found: Vec<&str> = found.iter().map(StateId::as_str).collect();
        assert_eq!(found, want);
    }
}
