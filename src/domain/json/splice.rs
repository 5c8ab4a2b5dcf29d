//! Edits of a document's bytes.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::{Document, Kind, Node, NodeId, Pointer, SyntaxError, Text, python};

/// Is one edit of a document. Several are made at once; each names a value of the document as it was.
///
/// Bytes outside the edit stay. The white space around a new value is not taken over.
#[derive(Clone, Copy, Debug)]
pub enum Splice<'a> {
    /// Puts another value in the place of one.
    Replace {
        /// The value that goes.
        at: NodeId,
        /// The JSON text of the one that comes.
        with: &'a [u8],
    },
    /// Takes an element, or a member with its key, out of what it is in, with one comma and the white space on its
    /// other side. What loses its last value, with nothing inserted, is left as `[]` or `{}`.
    Remove {
        /// The value that goes; not the root. Of duplicate keys each member is its own value.
        at: NodeId,
    },
    /// Adds an element or member at the end, separated and indented as the ones before it. Where there are none to
    /// learn from, `, ` and `: ` are written, as Python does. A key is written in ASCII.
    Insert {
        /// The array or object that it comes into.
        into: NodeId,
        /// The key, decoded, which the object must not have yet or lose by the same splice; none in an array.
        key: Option<&'a str>,
        /// The JSON text of the value.
        with: &'a [u8],
    },
}

/// Says why edits cannot be made. The edits are numbered from 0 as they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The document has no such value.
    #[error("edit {edit} names a value that the document does not have")]
    Unknown {
        /// The number of the edit.
        edit: usize,
    },
    /// The whole document was to be removed.
    #[error("edit {edit} removes the whole document; it can only be replaced")]
    Root {
        /// The number of the edit.
        edit: usize,
    },
    /// Two edits act on the same value, or one on a value inside the other's.
    #[error("edits {first} and {second} overlap")]
    Overlap {
        /// The number of the outer edit.
        first: usize,
        /// The number of the inner one.
        second: usize,
    },
    /// A value was to be inserted into one that holds none.
    #[error("edit {edit} inserts into {at:?}, which is no array and no object", at = at.to_string())]
    NoContainer {
        /// The number of the edit.
        edit: usize,
        /// The place of the value.
        at: Pointer,
    },
    /// A member was to be inserted without a key.
    #[error("edit {edit} inserts into the object {at:?} without a key", at = at.to_string())]
    KeyMissing {
        /// The number of the edit.
        edit: usize,
        /// The place of the object.
        at: Pointer,
    },
    /// An element was to be inserted with a key.
    #[error("edit {edit} inserts into the array {at:?} with a key", at = at.to_string())]
    KeyUnexpected {
        /// The number of the edit.
        edit: usize,
        /// The place of the array.
        at: Pointer,
    },
    /// The object has the key already, or would get it twice.
    #[error("edit {edit} inserts {key:?} into the object {at:?}, which has that key", at = at.to_string())]
    KeyTaken {
        /// The number of the edit.
        edit: usize,
        /// The place of the object.
        at: Pointer,
        /// The key.
        key: String,
    },
    /// The text of a new value is no JSON value.
    #[error("the value of edit {edit} is not JSON: {error}")]
    Value {
        /// The number of the edit.
        edit: usize,
        /// Where in the new value, and what.
        error: SyntaxError,
    },
    /// The document would be too large to read.
    #[error("the edited document cannot be read: {0}")]
    Result(SyntaxError),
}

pub(super) fn splice(document: &Document, edits: &[Splice<'_>]) -> Result<Document, SpliceError> {
    let mut work = Work {
        document,
        patches: vec![],
        taken: vec![],
        insertions: vec![],
        containers: BTreeMap::new(),
    };
    for (number, &edit) in edits.iter().enumerate() {
        work.add(number, edit)?;
    }
    work.refuse_overlaps()?;
    for (id, changes) in std::mem::take(&mut work.containers) {
        let container = work.node(id, 0)?;
        refuse_taken_keys(container, &changes)?;
        patch_container(container, &changes, &mut work.patches);
    }
    Document::parse(apply(document.bytes(), work.patches)).map_err(SpliceError::Result)
}

struct Work<'d> {
    document: &'d Document,
    patches: Vec<Patch>,
    /// Values that go, with the number of their edit.
    taken: Vec<(NodeId, usize)>,
    /// Containers that something comes into, with the number of the edit.
    insertions: Vec<(NodeId, usize)>,
    containers: BTreeMap<NodeId, Changes>,
}

/// Is what one container loses and gets.
#[derive(Default)]
struct Changes {
    removed: HashSet<NodeId>,
    inserted: Vec<Inserted>,
}

struct Inserted {
    edit: usize,
    key: Option<String>,
    value: Vec<u8>,
}

struct Patch {
    range: Range<usize>,
    with: Vec<u8>,
}

impl<'d> Work<'d> {
    fn add(&mut self, edit: usize, splice: Splice<'_>) -> Result<(), SpliceError> {
        match splice {
            Splice::Replace { at, with } => {
                let range = self.node(at, edit)?.span();
                self.patches.push(Patch {
                    range,
                    with: value_text(edit, with)?,
                });
                self.taken.push((at, edit));
            }
            Splice::Remove { at } => {
                let parent = self
                    .node(at, edit)?
                    .parent()
                    .ok_or(SpliceError::Root { edit })?;
                self.containers
                    .entry(parent.id())
                    .or_default()
                    .removed
                    .insert(at);
                self.taken.push((at, edit));
            }
            Splice::Insert { into, key, with } => {
                let container = self.node(into, edit)?;
                check_key(edit, container, key)?;
                let inserted = Inserted {
                    edit,
                    key: key.map(str::to_owned),
                    value: value_text(edit, with)?,
                };
                self.containers
                    .entry(into)
                    .or_default()
                    .inserted
                    .push(inserted);
                self.insertions.push((into, edit));
            }
        }
        Ok(())
    }

    fn node(&self, id: NodeId, edit: usize) -> Result<Node<'d>, SpliceError> {
        self.document.node(id).ok_or(SpliceError::Unknown { edit })
    }

    /// Refuses edits of values that another edit takes away.
    fn refuse_overlaps(&mut self) -> Result<(), SpliceError> {
        self.taken.sort_unstable();
        let mut last: Option<(usize, usize)> = None;
        for &(id, edit) in &self.taken {
            if let Some((end, first)) = last
                && id.index() < end
            {
                return Err(SpliceError::Overlap {
                    first,
                    second: edit,
                });
            }
            last = Some((self.end_of(id), edit));
        }
        for &(into, second) in &self.insertions {
            let before = self.taken.partition_point(|&(id, _)| id <= into);
            if let Some(&(id, first)) = before
                .checked_sub(1)
                .and_then(|index| self.taken.get(index))
                && into.index() < self.end_of(id)
            {
                return Err(SpliceError::Overlap { first, second });
            }
        }
        Ok(())
    }

    /// Gives the id after the last value inside this one.
    fn end_of(&self, id: NodeId) -> usize {
        id.index()
            + 1
            + self
                .document
                .node(id)
                .map_or(0, |node| node.descendants().len())
    }
}

/// Checks that there is a key where one is needed.
fn check_key(edit: usize, container: Node<'_>, key: Option<&str>) -> Result<(), SpliceError> {
    let at = || container.pointer();
    match (container.kind(), key) {
        (Kind::Object, Some(_)) | (Kind::Array, None) => Ok(()),
        (Kind::Object, None) => Err(SpliceError::KeyMissing { edit, at: at() }),
        (Kind::Array, Some(_)) => Err(SpliceError::KeyUnexpected { edit, at: at() }),
        _ => Err(SpliceError::NoContainer { edit, at: at() }),
    }
}

/// Checks that a text is one value, and gives it without the white space around it.
fn value_text(edit: usize, text: &[u8]) -> Result<Vec<u8>, SpliceError> {
    let value = Document::parse(text).map_err(|error| SpliceError::Value { edit, error })?;
    Ok(value.root().raw().as_bytes().to_vec())
}

fn refuse_taken_keys(object: Node<'_>, changes: &Changes) -> Result<(), SpliceError> {
    if changes.inserted.is_empty() {
        return Ok(());
    }
    let kept = object
        .children()
        .filter(|member| !changes.removed.contains(&member.id()));
    let mut keys: HashSet<Vec<u8>> = kept
        .filter_map(|member| member.key())
        .map(|key| key.wtf8().into_owned())
        .collect();
    for inserted in &changes.inserted {
        if let Some(key) = &inserted.key
            && !keys.insert(key.as_bytes().to_vec())
        {
            return Err(SpliceError::KeyTaken {
                edit: inserted.edit,
                at: object.pointer(),
                key: key.clone(),
            });
        }
    }
    Ok(())
}

fn patch_container(container: Node<'_>, changes: &Changes, patches: &mut Vec<Patch>) {
    let mut kept_end = None;
    let mut gap_start = None;
    for child in container.children() {
        let span = child.item_span();
        if changes.removed.contains(&child.id()) {
            gap_start.get_or_insert(span.start);
            continue;
        }
        if let Some(start) = gap_start.take() {
            patches.push(Patch {
                range: start..span.start,
                with: vec![],
            });
        }
        kept_end = Some(span.end);
    }
    let style = Separators::of(container);
    let mut with = vec![];
    for (index, inserted) in changes.inserted.iter().enumerate() {
        if index > 0 || kept_end.is_some() {
            with.extend_from_slice(style.between.as_bytes());
        }
        if let Some(key) = &inserted.key {
            with.extend_from_slice(python::quote(key).as_bytes());
            with.extend_from_slice(style.colon.as_bytes());
        }
        with.extend_from_slice(&inserted.value);
    }
    let last_end = container
        .children()
        .last()
        .map(|child| child.item_span().end);
    let interior = container.span().start + 1..container.span().end - 1;
    let range = match (kept_end, gap_start, last_end) {
        (Some(end), None, _) => end..end,
        (Some(start), Some(_), Some(end)) => start..end,
        (None, Some(start), Some(end)) if !with.is_empty() => start..end,
        _ => interior,
    };
    if !range.is_empty() || !with.is_empty() {
        patches.push(Patch { range, with });
    }
}

/// Is what stands between the values of a container, to write more of them in the same manner.
struct Separators<'d> {
    between: String,
    colon: &'d str,
}

impl<'d> Separators<'d> {
    const COLON: &'static str = ": ";

    fn of(container: Node<'d>) -> Self {
        let text = container.document().text();
        let mut children = container.children();
        let (before_last, last) = match children.len() {
            0 => {
                return Self {
                    between: ", ".to_owned(),
                    colon: Self::COLON,
                };
            }
            1 => (None, children.next()),
            len => (children.nth(len - 2), children.next()),
        };
        let colon = last.and_then(|last| last.colon());
        let last_start = last.map_or(0, |last| last.item_span().start);
        let between = if let Some(before) = before_last {
            text.get(before.item_span().end..last_start)
                .unwrap_or(", ")
                .to_owned()
        } else {
            let lead = text
                .get(container.span().start + 1..last_start)
                .unwrap_or_default();
            let near = colon.or_else(|| container.colon()).unwrap_or(Self::COLON);
            let gap = match near.ends_with(':') {
                _ if lead.contains('\n') => lead,
                true => "",
                false => " ",
            };
            format!(",{gap}")
        };
        Self {
            between,
            colon: colon.unwrap_or(Self::COLON),
        }
    }
}

/// Writes the patches, which do not overlap, into the bytes.
fn apply(bytes: &[u8], mut patches: Vec<Patch>) -> Vec<u8> {
    patches.sort_by_key(|patch| (patch.range.start, patch.range.end));
    let added: usize = patches.iter().map(|patch| patch.with.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + added);
    let mut done = 0;
    for patch in patches {
        out.extend_from_slice(bytes.get(done..patch.range.start).unwrap_or_default());
        out.extend_from_slice(&patch.with);
        done = patch.range.end;
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
    out
}

impl<'d> Node<'d> {
    /// Gives what stands between the closing quote of the key and the value.
    fn colon(&self) -> Option<&'d str> {
        let key = self.key().as_ref().map(Text::raw)?.len() + 2;
        self.document()
            .text()
            .get(self.item_span().start + key..self.span().start)
    }
}
