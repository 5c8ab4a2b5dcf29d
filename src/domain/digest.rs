//! A number for a value, so that values of two sources can be compared without holding either.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::json::{Children, EffectiveMembers, Kind, Node, Text};

/// Stands for a value within one process: two values have the same digest when they are the same value.
///
/// Follows Python's `==` after `json.loads`, but 1, 1.0 and true are distinct, and NaN equals NaN. Of 2^64 digests two
/// different values could share one, so it answers where a list is shown, never where something is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(u64);

impl Digest {
    /// Computes the digest of a value, to any depth.
    pub fn of(node: Node<'_>) -> Self {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = node;
        loop {
            let mut done = match Open::new(next) {
                Some(container) => {
                    open.push(container);
                    None
                }
                None => Some((next.key(), scalar(next))),
            };
            loop {
                let Some(container) = open.last_mut() else {
                    return Self(done.map_or(0, |(_, digest)| digest));
                };
                if let Some((key, digest)) = done.take() {
                    container.add(key, digest);
                }
                if let Some(inner) = container.next() {
                    next = inner;
                    break;
                }
                done = open.pop().map(|closed| (closed.key, closed.finish()));
            }
        }
    }
}

/// Is an array or object that is being read.
struct Open<'d> {
    key: Option<Text<'d>>,
    inside: Inside<'d>,
}

enum Inside<'d> {
    Array(Children<'d>, DefaultHasher),
    /// The digests of members are added up, because their order does not count.
    Object(EffectiveMembers<'d>, u64),
}

impl<'d> Open<'d> {
    fn new(node: Node<'d>) -> Option<Self> {
        let inside = match node.kind() {
            Kind::Array => Inside::Array(node.children(), DefaultHasher::new()),
            Kind::Object => Inside::Object(node.effective_members(), 0),
            _ => return None,
        };
        Some(Self {
            key: node.key(),
            inside,
        })
    }

    fn next(&mut self) -> Option<Node<'d>> {
        match &mut self.inside {
            Inside::Array(elements, _) => elements.next(),
            Inside::Object(members, _) => members.next(),
        }
    }

    fn add(&mut self, key: Option<Text<'d>>, digest: u64) {
        match &mut self.inside {
            Inside::Array(_, hasher) => digest.hash(hasher),
            Inside::Object(_, sum) => *sum = sum.wrapping_add(hash((key, digest))),
        }
    }

    fn finish(self) -> u64 {
        match self.inside {
            Inside::Array(_, hasher) => hash(("array", hasher.finish())),
            Inside::Object(_, sum) => hash(("object", sum)),
        }
    }
}

fn scalar(node: Node<'_>) -> u64 {
    match node.kind() {
        Kind::Integer if node.raw() == "-0" => hash(("integer", "0")),
        Kind::Integer => hash(("integer", node.raw())),
        Kind::Float => {
            let value = node.as_f64().unwrap_or(f64::NAN);
            let bits = match value {
                value if value.is_nan() => f64::NAN.to_bits(),
                value => (value + 0.0).to_bits(),
            };
            hash(("float", bits))
        }
        Kind::String => hash(("string", node.as_str())),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => hash(("word", node.raw())),
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json::Document;
    use rstest::rstest;

    #[rstest]
    #[case("{}", " { } ", true)]
    #[case(r#"{"a": 1, "b": [2]}"#, r#"{"b":[2],"a":1}"#, true)]
    #[case(r#"{"a": 9, "a": 1}"#, r#"{"a": 1}"#, true)]
    #[case("1e3", "1000.0", true)]
    #[case("-0.0", "0.0", true)]
    #[case("-0", "0", true)]
    #[case("NaN", "NaN", true)]
    #[case(r#""\u00e9""#, "\"é\"", true)]
    #[case("1", "1.0", false)]
    #[case("1", "true", false)]
    #[case("null", "false", false)]
    #[case("[1, 2]", "[2, 1]", false)]
    #[case("[[1], 2]", "[[1, 2]]", false)]
    #[case("[]", "{}", false)]
    #[case(r#"{"a": {"b": 1}}"#, r#"{"a": {}, "b": 1}"#, false)]
    #[case(r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#, false)]
    #[case("12345678901234567890123", "12345678901234567890124", false)]
    fn the_same_value_has_the_same_digest(#[case] a: &str, #[case] b: &str, #[case] same: bool) {
        let digest = |text: &str| Digest::of(Document::parse(text).unwrap().root());
        assert_eq!(digest(a) == digest(b), same);
    }

    #[test]
    fn depth_does_not_matter() {
        let text = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        let document = Document::parse(text).unwrap();
        assert_eq!(Digest::of(document.root()), Digest::of(document.root()));
    }
}
