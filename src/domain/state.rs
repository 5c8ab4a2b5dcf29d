//! What a source holds for a state ID: its parts, the effective state, and what is in it.

use std::fmt;
use std::sync::Arc;

use crate::domain::json::{Document, Kind as JsonKind, SyntaxError};

mod merge;
mod streams;

pub use merge::{MergeConflict, merge};
pub(in crate::domain) use streams::may_be_bookmark;
pub use streams::{Bookmark, BookmarkAges, bookmarks, bookmarks_of, stream, stream_names};

/// Tells who writes states of this shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Meltano: a completed and a partial part, Singer state below `singer_state`.
    Meltano,
}

/// Names one part of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What the last complete run left.
    Completed,
    /// What incomplete runs and merges left since.
    Partial,
    /// All of a file that cannot be told apart into parts: it is no JSON, or no object.
    Body,
}

impl Part {
    /// Gives the name that `--part` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Holds what a store has for one part.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// SQL's NULL, which is not `{}`: Meltano 4.4.1 cannot read a state that has one.
    Null,
    /// A JSON value.
    Document(Document),
    /// Bytes that are no JSON, kept as they are, with the place of the fault.
    Unreadable(Arc<[u8]>, SyntaxError),
}

impl Content {
    /// Takes bytes as a store gave them; `None` is NULL.
    pub fn read(bytes: Option<impl Into<Vec<u8>>>) -> Self {
        let Some(bytes) = bytes else {
            return Self::Null;
        };
        let bytes: Vec<u8> = bytes.into();
        match Document::parse(bytes.clone()) {
            Ok(document) => Self::Document(document),
            Err(error) => Self::Unreadable(bytes.into(), error),
        }
    }

    /// Gives the document, when there is one.
    pub fn document(&self) -> Option<&Document> {
        match self {
            Self::Document(document) => Some(document),
            Self::Null | Self::Unreadable(..) => None,
        }
    }

    /// Gives the bytes as stored; NULL has none.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Null => None,
            Self::Document(document) => Some(document.bytes()),
            Self::Unreadable(bytes, _) => Some(bytes),
        }
    }

    /// Tells whether it holds nothing, as Python sees it: `{}`, and `null`, `""`, `[]`, `0`, `false` too.
    pub fn is_falsy(&self) -> bool {
        let Self::Document(document) = self else {
            return false;
        };
        let root = document.root();
        match root.kind() {
            JsonKind::Null => true,
            JsonKind::Bool => root.as_bool() == Some(false),
            JsonKind::Integer | JsonKind::Float => root.as_f64() == Some(0.0),
            JsonKind::String => root.raw().len() == 2,
            JsonKind::Array | JsonKind::Object => root.is_empty(),
        }
    }
}

/// Says why no effective state can be told, as the Meltano of now could not tell it either.
#[derive(Debug, Clone, PartialEq)]
pub enum NoEffective {
    /// A part is NULL.
    NullPart(Part),
    /// A part is no JSON.
    Unreadable(Part, SyntaxError),
    /// A part is JSON, but no object.
    NotAnObject(Part),
    /// The parts cannot be merged.
    Conflict(MergeConflict),
}

impl fmt::Display for NoEffective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(Part::Body, error) => write!(f, "it is not JSON: {error}"),
            Self::NotAnObject(Part::Body) => f.write_str("it is JSON, but not an object"),
            Self::NullPart(part) => write!(f, "the {part} part is NULL, which Meltano cannot read"),
            Self::Unreadable(part, error) => write!(f, "the {part} part is not JSON: {error}"),
            Self::NotAnObject(part) => write!(f, "the {part} part is not a JSON object"),
            Self::Conflict(conflict) => conflict.fmt(f),
        }
    }
}

/// Holds a state: its kind and its parts, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    kind: Kind,
    parts: Vec<(Part, Content)>,
}

impl State {
    /// Makes a Meltano state of its two parts.
    pub fn meltano(completed: Content, partial: Content) -> Self {
        Self {
            kind: Kind::Meltano,
            parts: vec![(Part::Completed, completed), (Part::Partial, partial)],
        }
    }

    /// Makes a Meltano state of a file that cannot be told apart into parts.
    pub fn undivided(body: Content) -> Self {
        Self {
            kind: Kind::Meltano,
            parts: vec![(Part::Body, body)],
        }
    }

    /// Tells who writes states of this shape.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Gives the parts, in the order in which they are shown.
    pub fn parts(&self) -> &[(Part, Content)] {
        &self.parts
    }

    /// Gives one part; `None` when states of this kind have no such part.
    pub fn part(&self, part: Part) -> Option<&Content> {
        self.parts
            .iter()
            .find(|(name, _)| *name == part)
            .map(|(_, content)| content)
    }

    /// Counts the bytes that the store holds for it.
    pub fn size(&self) -> u64 {
        self.parts
            .iter()
            .filter_map(|(_, content)| content.bytes())
            .map(|bytes| bytes.len() as u64)
            .sum()
    }

    /// Merges partial onto completed, as Meltano 4.4.1 does at `state get` and at the start of a run.
    ///
    /// When one part is empty, the other's bytes are given as they are; of two that are not, the result is in Python form.
    pub fn effective(&self) -> Result<Document, NoEffective> {
        let (completed, partial) = (self.object(Part::Completed)?, self.object(Part::Partial)?);
        if partial.root().is_empty() {
            return Ok(completed.clone());
        }
        if completed.root().is_empty() {
            return Ok(partial.clone());
        }
        merge(partial, completed).map_err(NoEffective::Conflict)
    }

    fn object(&self, part: Part) -> Result<&Document, NoEffective> {
        let body = self.part(Part::Body).map(|body| (Part::Body, Some(body)));
        let (part, content) = body.unwrap_or_else(|| (part, self.part(part)));
        match content {
            None | Some(Content::Null) => Err(NoEffective::NullPart(part)),
            Some(Content::Unreadable(_, error)) => {
                Err(NoEffective::Unreadable(part, error.clone()))
            }
            Some(Content::Document(document))
                if part != Part::Body && document.root().kind() == JsonKind::Object =>
            {
                Ok(document)
            }
            Some(Content::Document(_)) => Err(NoEffective::NotAnObject(part)),
        }
    }
}

#[cfg(test)]
mod tests;
