//! The one matcher for patterns of state IDs.

use super::StateId;
use crate::report::{Fault, Report};

/// Matches state IDs by a glob: `*` any characters (`/` and `:` too), `?` one character, `[…]` one of a set, case-sensitive.
#[derive(Debug, Clone)]
pub struct IdPattern {
    text: String,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// Any characters, none as well.
    Any,
    One,
    Set {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    /// Tells whether it takes this character; [`Token::Any`] takes each.
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == c,
            Self::Any | Self::One => true,
            Self::Set { is_negated, ranges } => {
                let mut ranges = ranges.iter();
                ranges.any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

impl IdPattern {
    /// Reads a pattern; an empty one, one whose `[` is not closed, and one with a range backwards are wrong use.
    ///
    /// In a set `!` or `^` first takes all but what follows, `a-z` is a range, `]` first and `-` first or last are themselves.
    /// A run of `*` is one.
    pub fn parse(text: &str) -> Result<Self, Report> {
        let wrong = |why: &str| {
            Report::new(Fault::Usage, format!("the pattern '{text}' cannot be used"))
                .because(why)
                .hint("`*` matches any characters, `?` one, `[ab]` one of a set; write `[*]` for a star")
        };
        if text.is_empty() {
            return Err(wrong("it is empty and would match nothing"));
        }
        let mut tokens = vec![];
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '*' if tokens.last() == Some(&Token::Any) => {}
                '*' => tokens.push(Token::Any),
                '?' => tokens.push(Token::One),
                '[' => {
                    let (set, behind) = set(rest.as_str()).map_err(wrong)?;
                    tokens.push(set);
                    rest = behind.chars();
                }
                c => tokens.push(Token::Literal(c)),
            }
        }
        Ok(Self {
            text: text.to_owned(),
            tokens,
        })
    }

    /// Tells whether the whole ID matches.
    pub fn matches(&self, id: &StateId) -> bool {
        self.ends(id.as_str()).is_some()
    }

    /// Gives what each `*`, `?` and `[…]` takes of an ID, in order; `None` when the ID does not match.
    ///
    /// Where there is a choice, each `*` takes as little as it can, the first one first, and the last one takes the rest.
    /// No two IDs give the same: what was taken, put into the pattern, gives the ID back.
    pub fn captures<'i>(&self, id: &'i StateId) -> Option<Vec<&'i str>> {
        let text = id.as_str();
        let ends = self.ends(text)?;
        let mut start = 0;
        let mut captures = vec![];
        for (token, end) in self.tokens.iter().zip(ends) {
            if !matches!(token, Token::Literal(_)) {
                captures.push(text.get(start..end)?);
            }
            start = end;
        }
        Some(captures)
    }

    /// Counts what [`Self::captures`] gives.
    pub fn wildcards(&self) -> usize {
        let is_literal = |token: &&Token| matches!(token, Token::Literal(_));
        self.tokens.len() - self.tokens.iter().filter(is_literal).count()
    }

    /// Gives the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Finds for each token where in the text it ends.
    ///
    /// When what follows a `*` does not match, only that one has to take more: all before it end as early as they can.
    fn ends(&self, text: &str) -> Option<Vec<usize>> {
        let mut ends: Vec<usize> = Vec::with_capacity(self.tokens.len());
        let mut at = 0;
        // How many tokens there are up to the last `*`, and where it ends.
        let mut star: Option<(usize, usize)> = None;
        loop {
            let next = text.get(at..)?.chars().next();
            match (self.tokens.get(ends.len()), next) {
                (None, None) => return Some(ends),
                (Some(Token::Any), _) => {
                    ends.push(at);
                    star = Some((ends.len(), at));
                    continue;
                }
                (Some(token), Some(c)) if token.takes(c) => {
                    at += c.len_utf8();
                    ends.push(at);
                    continue;
                }
                _ => {}
            }
            let (tokens, end) = star?;
            let longer = end + text.get(end..)?.chars().next()?.len_utf8();
            ends.truncate(tokens);
            *ends.last_mut()? = longer;
            star = Some((tokens, longer));
            at = longer;
        }
    }
}

/// Reads a set behind its bracket; gives what is behind the set too.
fn set(text: &str) -> Result<(Token, &str), &'static str> {
    let inner = text.strip_prefix(['!', '^']);
    let is_negated = inner.is_some();
    let inner = inner.unwrap_or(text);
    let first = inner.chars().next().map_or(0, char::len_utf8);
    let end = inner.get(first..).and_then(|rest| rest.find(']'));
    let end = first + end.ok_or("a `[` in it is not closed by a `]`")?;
    let (members, behind) = inner.split_at_checked(end).unwrap_or((inner, ""));
    let mut ranges = vec![];
    let mut rest = members.chars();
    while let Some(c) = rest.next() {
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                rest = ahead;
                last
            }
            _ => c,
        };
        if last < c {
            return Err("a range in its `[…]` runs backwards");
        }
        ranges.push((c, last));
    }
    let behind = behind.get("]".len()..).unwrap_or_default();
    Ok((Token::Set { is_negated, ranges }, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::GlobBuilder;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("*", "a/b:c", true)]
    #[case("dev:*", "dev:tap", true)]
    #[case("dev:*", "DEV:tap", false)]
    #[case("a?b", "a_b", true)]
    #[case("a?b", "aéb", true)]
    #[case("a?b", "a__b", false)]
    #[case("[abc]", "b", true)]
    #[case("[!abc]", "b", false)]
    #[case("[!abc]", "日", true)]
    #[case("[à-é]", "è", true)]
    #[case("[]a-]", "]", true)]
    #[case("[]a-]", "-", true)]
    #[case("[[]abc]", "[abc]", true)]
    #[case("a{b,c}", "ab", false)]
    #[case("a{b,c}", "a{b,c}", true)]
    #[case("a\\b", "a\\b", true)]
    #[case("tap", "tap-x", false)]
    #[case("*\n*", "new\nline", true)]
    #[case("a/**/b", "a/b", false)]
    #[case("a/**/b", "a/x/y/b", true)]
    fn patterns(#[case] pattern: &str, #[case] id: &str, #[case] want: bool) {
        let pattern = IdPattern::parse(pattern).unwrap();
        assert_eq!(pattern.matches(&StateId::from(id)), want);
    }

    #[rstest]
    #[case("")]
    #[case("[ab")]
    #[case("[]")]
    #[case("[!]")]
    #[case("[b-a]")]
    fn wrong_patterns_say_why(#[case] pattern: &str) {
        let report = IdPattern::parse(pattern).unwrap_err();
        assert_eq!(report.fault, Fault::Usage);
        assert!(report.cause.is_some());
    }

    #[rstest]
    #[case("prod:*", "prod:tap:x", &["tap:x"])]
    #[case("*-to-*", "a-to-b-to-c", &["a", "b-to-c"])]
    #[case("**a", "xaa", &["xa"])]
    #[case("?[ab]*", "日a", &["日", "a", ""])]
    #[case("x", "x", &[])]
    fn captures(#[case] pattern: &str, #[case] id: &str, #[case] want: &[&str]) {
        let pattern = IdPattern::parse(pattern).unwrap();
        let id = StateId::from(id);
        assert_eq!(pattern.captures(&id).unwrap(), want);
        assert_eq!(pattern.wildcards(), want.len());
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = IdPattern::parse(&"*a".repeat(30)).unwrap();
        let many = "a".repeat(20_000);
        assert!(pattern.matches(&StateId::from(many.as_str())));
        assert!(!pattern.matches(&StateId::from(format!("{many}b").as_str())));
    }

    /// A pattern of few characters, so that it matches now and then.
    fn pattern() -> impl Strategy<Value = String> {
        let pieces = vec![
            "*", "?", "a", "b", "é", ":", "[ab]", "[!a]", "[a-c:]", "[^b]", "[]a]", "[a-]",
        ];
        let pieces = prop::collection::vec(prop::sample::select(pieces), 1..8);
        pieces.prop_map(|pieces| pieces.concat())
    }

    /// Fills what was taken in for the wildcards of a pattern.
    fn filled(pattern: &IdPattern, captures: &[&str]) -> String {
        let mut captures = captures.iter();
        let fill = |token: &Token| match token {
            Token::Literal(c) => c.to_string(),
            _ => (*captures.next().unwrap()).to_owned(),
        };
        pattern.tokens.iter().map(fill).collect()
    }

    proptest! {
        #[test]
        fn what_was_taken_gives_the_id_back(pattern in pattern(), id in "[abcé:]{0,8}") {
            let pattern = IdPattern::parse(&pattern).unwrap();
            let id = StateId::from(id.as_str());
            let captures = pattern.captures(&id);
            prop_assert_eq!(captures.is_some(), pattern.matches(&id));
            if let Some(captures) = captures {
                prop_assert_eq!(captures.len(), pattern.wildcards());
                prop_assert_eq!(filled(&pattern, &captures), id.as_str());
            }
        }

        /// `globset` takes bytes for characters, so this is of ASCII alone, and it has a meaning of its own for `**`.
        #[test]
        fn matching_is_as_globset_has_it(text in pattern(), id in "[abc:]{0,8}") {
            let text = text.replace('é', "c");
            prop_assume!(!text.contains("**"));
            let glob = GlobBuilder::new(&text).literal_separator(false).build().unwrap();
            let pattern = IdPattern::parse(&text).unwrap();
            let want = glob.compile_matcher().is_match(&id);
            prop_assert_eq!(pattern.matches(&StateId::from(id.as_str())), want);
        }
    }
}
