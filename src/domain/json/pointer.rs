//! Names for places in a document, RFC 6901.

use std::fmt;
use std::str::FromStr;

/// Names a place in a document by the keys and indices that lead to it (RFC 6901).
///
/// Whether a step is a key or an index is decided by the value that it is applied to. Ordered step by step, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(Vec<String>);

/// Says why a text is no pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// It is not empty and does not begin with a slash.
    #[error("a pointer is empty or begins with '/'")]
    NoSlash,
    /// A tilde is not followed by `0` or `1`.
    #[error(
        "'~' in a pointer is written '~0', and '/' in a key '~1'; byte {offset} is a '~' with neither after it"
    )]
    Tilde {
        /// The byte offset of the tilde.
        offset: usize,
    },
}

impl Pointer {
    /// Makes the pointer to a whole document.
    pub const fn root() -> Self {
        Self(vec![])
    }

    /// Reads the text form: nothing for the whole document, else `/` before each step, `~` in it as `~0`, `/` as `~1`.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self::root());
        }
        let steps = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        if let Some((offset, _)) = text
            .match_indices('~')
            .find(|&(at, _)| !matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')))
        {
            return Err(PointerError::Tilde { offset });
        }
        Ok(Self(
            steps
                .split('/')
                .map(|step| step.replace("~1", "/").replace("~0", "~"))
                .collect(),
        ))
    }

    /// Gives the steps, unescaped, outermost first.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// Says whether it names the whole document.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a step inward.
    pub fn push(&mut self, step: impl Into<String>) {
        self.0.push(step.into());
    }

    /// Makes the pointer one step further in.
    #[must_use]
    pub fn child(&self, step: impl Into<String>) -> Self {
        let mut child = self.clone();
        child.push(step);
        child
    }

    /// Makes the pointer one step further out; the root has none.
    pub fn parent(&self) -> Option<Self> {
        self.0.split_last().map(|(_, outer)| Self(outer.to_vec()))
    }

    /// Gives the innermost step; the root has none.
    pub fn last(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// Says whether it names the place of `outer` or a place in it.
    pub fn starts_with(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// Reads a step as the index of an element: digits without leading zeros.
    pub(super) fn index(step: &str) -> Option<usize> {
        let canonical = step == "0" || (!step.starts_with(['0', '+']) && !step.is_empty());
        if canonical { step.parse().ok() } else { None }
    }
}

impl From<Vec<String>> for Pointer {
    fn from(steps: Vec<String>) -> Self {
        Self(steps)
    }
}

impl FromIterator<String> for Pointer {
    fn from_iter<I: IntoIterator<Item = String>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|step| write!(f, "/{}", step.replace('~', "~0").replace('/', "~1")))
    }
}
