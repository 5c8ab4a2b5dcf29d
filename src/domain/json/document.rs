//! The document: its bytes and the flat tree over them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::duplicates::Duplicates;
use super::node::{Entry, narrow};
use super::{Node, NodeId, Pointer, Splice, SpliceError, SyntaxError, parse, splice};

/// Holds one JSON value as its bytes, and where each value in it begins and ends.
///
/// Cloning it shares both. Two documents are equal when their bytes are.
#[derive(Clone)]
pub struct Document(Arc<Inner>);

struct Inner {
    text: String,
    nodes: Vec<Entry>,
    duplicates: OnceLock<Duplicates>,
}

impl Document {
    /// Reads a document in one pass, taking the bytes over without a copy where they are owned.
    ///
    /// Reads what CPython 3.11's `json.loads` reads, to any depth and with integers of any length, and refuses the
    /// rest: also a byte order mark, bytes that are not UTF-8, and 4 GiB or more.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, SyntaxError> {
        let (text, nodes) = parse::parse(bytes.into())?;
        Ok(Self(Arc::new(Inner {
            text,
            nodes,
            duplicates: OnceLock::new(),
        })))
    }

    /// Gives `{}`, what Meltano starts from where nothing is stored.
    pub fn empty_object() -> Self {
        let root = Entry {
            end: 2,
            next: 1,
            ..Entry::at(0)
        };
        Self(Arc::new(Inner {
            text: "{}".to_owned(),
            nodes: vec![root],
            duplicates: OnceLock::new(),
        }))
    }

    /// Gives the bytes as they were read.
    pub fn bytes(&self) -> &[u8] {
        self.0.text.as_bytes()
    }

    /// Gives the bytes as they were read, as text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Gives the outermost value.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    /// Finds a value by its id; an id of another document names nothing, or some other value.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        (id.index() < self.node_count()).then(|| Node::new(self, id.0))
    }

    /// Counts the values; ids are the numbers below it, in the order in which the values begin.
    pub fn node_count(&self) -> usize {
        self.0.nodes.len()
    }

    /// Walks all values in the order in which they begin.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node<'_>> + Clone {
        (0..narrow(self.node_count())).map(|id| Node::new(self, id))
    }

    /// Lists the members hidden by a later member of the same object with the same key, in document order.
    ///
    /// Found at the first call and kept.
    pub fn duplicate_keys(&self) -> Vec<NodeId> {
        self.duplicates().shadowed().collect()
    }

    /// Follows a pointer, through the last of duplicate keys as Python would.
    pub fn at(&self, pointer: &Pointer) -> Option<Node<'_>> {
        pointer
            .steps()
            .iter()
            .try_fold(self.root(), |node, step| node.step(step))
    }

    /// Makes the document that differs by these edits, each of which names a value of this one.
    ///
    /// All other bytes stay; of the white space and commas around a value that goes or comes, see [`Splice`].
    pub fn splice(&self, edits: &[Splice<'_>]) -> Result<Self, SpliceError> {
        splice::splice(self, edits)
    }

    pub(super) fn entry(&self, id: u32) -> &Entry {
        &self.0.nodes[id as usize]
    }

    pub(super) fn duplicates(&self) -> &Duplicates {
        self.0.duplicates.get_or_init(|| Duplicates::of(self))
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}

impl Eq for Document {}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Document({} bytes, {} nodes)",
            self.bytes().len(),
            self.node_count()
        )
    }
}
