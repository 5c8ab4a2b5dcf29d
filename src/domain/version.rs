//! What a source holds for a state ID, as tokens to compare.

use std::fmt;

use crate::domain::state::{Content, Part, State};

/// Is an opaque token for what a source holds for a state ID; every write is conditional on one.
///
/// Two are equal when nothing was written in between, as far as the store can tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version(String);

impl Version {
    /// Takes a store's own token: an `ETag`, a generation.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// Computes one for a store that has no token of its own, from everything that it holds for the state: the bytes of
    /// each part, NULL apart from any bytes, and the text of the time of its last write.
    pub fn of_content(state: &State, modified: Option<&str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (part, content) in state.parts() {
            field(&mut hasher, Some(part.name().as_bytes()));
            field(&mut hasher, content.bytes());
        }
        field(&mut hasher, modified.map(str::as_bytes));
        Self(hasher.finalize().to_hex().to_string())
    }

    /// Gives the token's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Adds a field so that no two lists of fields run into the same bytes.
fn field(hasher: &mut blake3::Hasher, bytes: Option<&[u8]>) {
    match bytes {
        None => hasher.update(&[0]),
        Some(bytes) => hasher
            .update(&[1])
            .update(&(bytes.len() as u64).to_le_bytes())
            .update(bytes),
    };
}

/// Says what a source must hold for a write to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Absent,
    /// What this token stands for.
    Version(Version),
}

/// Names bytes by their content: BLAKE3, 32 bytes, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Computes the hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Takes a hash as it was stored; `None` for any other length.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Gives its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Holds the hashes of a state's parts; the hash of NULL is none.
pub type Sides = Vec<(Part, Option<ContentHash>)>;

/// Computes the hashes of a state's parts, in their order.
pub fn sides(state: &State) -> Sides {
    let hash = |content: &Content| content.bytes().map(ContentHash::of);
    let parts = state.parts().iter();
    parts
        .map(|(part, content)| (*part, hash(content)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn state(completed: Option<&str>, partial: Option<&str>) -> State {
        let content = |text: Option<&str>| Content::read(text.map(str::as_bytes));
        State::meltano(content(completed), content(partial))
    }

    #[rstest]
    #[case::same((Some("{}"), Some("{}"), None), (Some("{}"), Some("{}"), None), true)]
    #[case::respelled((Some("{}"), Some("{}"), None), (Some("{ }"), Some("{}"), None), false)]
    #[case::swapped((Some("1"), Some("2"), None), (Some("2"), Some("1"), None), false)]
    #[case::null((None, Some("{}"), None), (Some(""), Some("{}"), None), false)]
    #[case::shifted((Some("12"), Some("3"), None), (Some("1"), Some("23"), None), false)]
    #[case::written_again((Some("{}"), Some("{}"), None), (Some("{}"), Some("{}"), Some("2026")), false)]
    fn versions(
        #[case] one: (Option<&str>, Option<&str>, Option<&str>),
        #[case] other: (Option<&str>, Option<&str>, Option<&str>),
        #[case] same: bool,
    ) {
        let of = |(completed, partial, modified)| {
            Version::of_content(&state(completed, partial), modified)
        };
        assert_eq!(of(one) == of(other), same);
    }

    #[test]
    fn a_hash_is_written_and_read() {
        let hash = ContentHash::of(b"{}");
        assert_eq!(ContentHash::read(hash.as_bytes()), Some(hash));
        assert_eq!(hash.to_string().len(), 64);
        assert_eq!(ContentHash::read(b"short"), None);
    }
}
