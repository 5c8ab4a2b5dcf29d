//! State IDs, the names in them, and the one matcher for patterns of them.

use std::fmt;
use std::sync::Arc;

mod names;
mod pattern;

pub use names::{Matches, NameIndex};
pub use pattern::IdPattern;

/// Names one job's state: any text, the empty one too, compared byte for byte.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(Arc<str>);

/// Holds what a state ID of Meltano's convention says: `ENV:TAP-to-TARGET[:SUFFIX]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdParts<'a> {
    /// The environment that the run was made in.
    pub environment: &'a str,
    /// The extractor.
    pub tap: &'a str,
    /// The loader.
    pub target: &'a str,
    /// What `state_id_suffix` or `--state-id-suffix` added.
    pub suffix: Option<&'a str>,
}

impl StateId {
    /// Takes any text as a state ID.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Gives the text, as stored; show it through [`crate::report::printable`].
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Splits an ID that follows Meltano's convention, else gives `None`.
    ///
    /// Follows the expression of Meltano 4.4.1 (`state_service_from_state_id`): the environment is as long as it can be,
    /// then the tap is; the target is as short as it can be; no part holds a line feed; an ID that ends in `:` has none.
    pub fn parts(&self) -> Option<IdParts<'_>> {
        let text = self.as_str();
        if text.contains('\n') || text.ends_with(':') {
            return None;
        }
        text.rmatch_indices(':').find_map(|(at, _)| {
            let environment = text.get(..at).filter(|part| !part.is_empty())?;
            let (tap, rest) = text.get(at + 1..)?.rsplit_once("-to-")?;
            if tap.is_empty() || rest.is_empty() {
                return None;
            }
            let (target, suffix) = split_suffix(rest);
            Some(IdParts {
                environment,
                tap,
                target,
                suffix,
            })
        })
    }
}

/// Splits a suffix off at the first colon that leaves both sides something.
fn split_suffix(rest: &str) -> (&str, Option<&str>) {
    rest.match_indices(':')
        .find_map(|(at, _)| {
            let target = rest.get(..at).filter(|part| !part.is_empty())?;
            let suffix = rest.get(at + 1..).filter(|part| !part.is_empty())?;
            Some((target, Some(suffix)))
        })
        .unwrap_or((rest, None))
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::report::printable(&self.0))
    }
}

impl fmt::Debug for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateId({:?})", &*self.0)
    }
}

impl From<&str> for StateId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("dev:tap-a-to-target-b", Some(("dev", "tap-a", "target-b", None)))]
    #[case("dev:tap-a-to-target-b:eu", Some(("dev", "tap-a", "target-b", Some("eu"))))]
    #[case("dev:tap-a-to-target-b:eu:2", Some(("dev", "tap-a", "target-b", Some("eu:2"))))]
    #[case("a:b:tap-to-target", Some(("a:b", "tap", "target", None)))]
    #[case("dev:x-to-y-to-z", Some(("dev", "x-to-y", "z", None)))]
    #[case("dev:tap-a-to-target-b:", None)]
    #[case("tap-a-to-target-b", None)]
    #[case(":tap-a-to-target-b", None)]
    #[case("nightly", None)]
    #[case("", None)]
    fn parts_follow_meltano(
        #[case] id: &str,
        #[case] want: Option<(&str, &str, &str, Option<&str>)>,
    ) {
        let id = StateId::from(id);
        let got = id
            .parts()
            .map(|p| (p.environment, p.tap, p.target, p.suffix));
        assert_eq!(got, want);
    }
}
