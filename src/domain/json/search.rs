//! Finding text in a document.

use std::ops::Range;

use super::{Document, Node, NodeId};

/// How many values are looked at between two questions whether the answer is still wanted.
const CANCEL_EVERY: usize = 1024;

/// Holds a text to look for: capitals count when it has one, else they do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    chars: Vec<char>,
    exact: bool,
}

impl Needle {
    /// Makes one of what was typed; nothing typed finds nothing, so that there is none.
    pub fn new(query: &str) -> Option<Self> {
        let exact = query.chars().any(char::is_uppercase);
        let chars: Vec<char> = query.chars().map(|c| folded(c, exact)).collect();
        (!chars.is_empty()).then_some(Self { chars, exact })
    }

    /// Finds its first place in a text, in bytes.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        text.char_indices().find_map(|(start, _)| {
            let length = self.length_at(text.get(start..)?)?;
            Some(start..start + length)
        })
    }

    /// Gives how many bytes of the beginning of a text it is.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut left = text.chars();
        for wanted in &self.chars {
            if folded(left.next()?, self.exact) != *wanted {
                return None;
            }
        }
        Some(text.len() - left.as_str().len())
    }

    fn is_in(&self, node: Node<'_>) -> bool {
        let in_key = || {
            node.key()
                .is_some_and(|key| self.find(&key.decoded()).is_some())
        };
        let in_value = || match node.as_str() {
            _ if node.is_container() => false,
            Some(text) => self.find(&text.decoded()).is_some(),
            None => self.find(node.raw()).is_some(),
        };
        in_key() || in_value()
    }
}

fn folded(c: char, exact: bool) -> char {
    if exact {
        c
    } else {
        c.to_lowercase().next().unwrap_or(c)
    }
}

/// Finds the values that have a text in their key or, when they hold no other, in themselves, in the order of the document.
///
/// Keys and strings are looked into as they read, not as they are spelled: `\u00e9` is an `é`. Gives `None` when `cancelled`
/// says that the answer is no longer wanted.
pub fn search(
    document: &Document,
    needle: &Needle,
    cancelled: &dyn Fn() -> bool,
) -> Option<Vec<NodeId>> {
    let mut found = Vec::new();
    for (count, node) in document.nodes().enumerate() {
        if count.is_multiple_of(CANCEL_EVERY) && cancelled() {
            return None;
        }
        if needle.is_in(node) {
            found.push(node.id());
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("since", &["/issues/since", "/Since"])]
    #[case("Since", &["/Since"])]
    #[case("2026-11", &["/issues/since"])]
    #[case("é", &["/\u{e9}", "/n/0"])]
    #[case("É", &[])]
    #[case("12", &["/n/1"])]
    #[case("null", &["/n/2"])]
    #[case("[", &[])]
    #[case("n", &["/issues/since", "/Since", "/n", "/n/2"])]
    fn keys_and_values_are_found_as_they_read(#[case] query: &str, #[case] want: &[&str]) {
        let text = r#"{"issues": {"since": "2026-11-30"}, "Since": 7, "\u00e9": 0, "n": ["caf\u00e9", 412, null]}"#;
        let document = Document::parse(text).unwrap();
        let needle = Needle::new(query).unwrap();
        let found: Vec<_> = search(&document, &needle, &|| false)
            .unwrap()
            .into_iter()
            .map(|id| document.node(id).unwrap().pointer().to_string())
            .collect();
        assert_eq!(found, want);
    }

    #[test]
    fn a_place_is_given_in_bytes_of_the_text_that_was_looked_into() {
        assert_eq!(
            Needle::new("größe").unwrap().find("日本 GRÖßE!"),
            Some(7..14)
        );
        assert_eq!(Needle::new("aab").unwrap().find("aaab"), Some(1..4));
        assert_eq!(Needle::new(""), None);
    }

    #[test]
    fn an_answer_that_is_no_longer_wanted_stops() {
        let needle = Needle::new("a").unwrap();
        assert_eq!(search(&Document::empty_object(), &needle, &|| true), None);
    }
}
