//! Which states are protected: their environments, by patterns.

use crate::domain::id::{IdPattern, StateId};
use crate::report::Report;

/// Holds the patterns of the environments whose states want more than a yes.
#[derive(Debug, Clone)]
pub struct Protected {
    patterns: Vec<IdPattern>,
}

impl Protected {
    /// Holds the patterns where nothing else is configured.
    pub const DEFAULT: [&str; 4] = ["prod*", "prd*", "live*", "mainnet*"];

    /// The environment that `mainnet*` would match and that is a copy to play with. It is protected only by its own name.
    const PLAYGROUND: &str = "mainnet-fork";

    /// Reads patterns, each as [`IdPattern::parse`] does; none at all protects nothing.
    pub fn parse<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, Report> {
        let patterns = patterns.into_iter();
        let patterns = patterns.map(|pattern| IdPattern::parse(pattern.as_ref()));
        Ok(Self {
            patterns: patterns.collect::<Result<_, _>>()?,
        })
    }

    /// Gives the protected environment that a state ID names, if it names one.
    pub fn environment<'i>(&self, id: &'i StateId) -> Option<&'i str> {
        let environment = id.parts()?.environment;
        let whole = StateId::from(environment);
        let is_covered = |pattern: &IdPattern| {
            if environment == Self::PLAYGROUND {
                pattern.as_str() == environment
            } else {
                pattern.matches(&whole)
            }
        };
        self.patterns.iter().any(is_covered).then_some(environment)
    }
}

impl Default for Protected {
    fn default() -> Self {
        // The patterns of the table are well formed, as its test shows.
        Self::parse(Self::DEFAULT).unwrap_or(Self {
            patterns: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("prod:tap-a-to-target-b", Some("prod"))]
    #[case("production:tap-a-to-target-b", Some("production"))]
    #[case("prd:tap-a-to-target-b:x", Some("prd"))]
    #[case("live:tap-a-to-target-b", Some("live"))]
    #[case("mainnet:tap-a-to-target-b", Some("mainnet"))]
    #[case("mainnet-fork:tap-a-to-target-b", None)]
    #[case("dev:tap-prod-to-target-prod", None)]
    #[case("PROD:tap-a-to-target-b", None)]
    #[case("prod", None)]
    fn the_built_in_patterns(#[case] id: &str, #[case] want: Option<&str>) {
        let id = StateId::from(id);
        assert_eq!(Protected::default().environment(&id), want);
    }

    #[rstest]
    #[case(&["stag*"], "staging:tap-a-to-target-b", true)]
    #[case(&["stag*"], "prod:tap-a-to-target-b", false)]
    #[case(&[], "prod:tap-a-to-target-b", false)]
    #[case(&["*"], "dev:tap-a-to-target-b", true)]
    #[case(&["*"], "mainnet-fork:tap-a-to-target-b", false)]
    #[case(&["mainnet-fork"], "mainnet-fork:tap-a-to-target-b", true)]
    fn other_patterns_replace_them(
        #[case] patterns: &[&str],
        #[case] id: &str,
        #[case] want: bool,
    ) {
        let protected = Protected::parse(patterns).unwrap();
        assert_eq!(protected.environment(&StateId::from(id)).is_some(), want);
    }

    #[test]
    fn a_pattern_that_cannot_be_used_is_told() {
        assert!(Protected::parse(["prod*", ""]).is_err());
    }
}
