//! Finding one's way in a document.

use std::fmt;
use std::iter;
use std::ops::Range;

use super::{Document, Pointer, Text};

/// Numbers a value of one document, in the order in which values begin; the root is the first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Gives the number, for tables beside a document.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tells the kinds of value apart as Python does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without fraction and exponent, of any length.
    Integer,
    /// A number with a fraction or an exponent, `NaN`, `Infinity` or `-Infinity`.
    Float,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// What is kept of a value: 24 bytes. The kind follows from the first byte; the end of a key from where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the key's opening quote is; a key is never at the start of the text, so 0 is none.
    pub(super) key: u32,
    pub(super) parent: u32,
    /// The id after the last value inside this one.
    pub(super) next: u32,
    /// The number of children of an array or object; of a number, 1 when it is a float.
    pub(super) len: u32,
}

impl Entry {
    /// No id: the parent of the root.
    pub(super) const NONE: u32 = u32::MAX;
    pub(super) const NO_KEY: u32 = 0;

    pub(super) const fn at(start: u32) -> Self {
        Self {
            start,
            end: start,
            key: Self::NO_KEY,
            parent: Self::NONE,
            next: 0,
            len: 0,
        }
    }
}

/// Narrows an offset or an id.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the reader refuses 4 GiB, and there are no more values than bytes"
)]
pub(super) const fn narrow(at: usize) -> u32 {
    at as u32
}

/// Points at one value of a document. Copying it is free.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    id: u32,
}

impl<'d> Node<'d> {
    pub(super) const fn new(document: &'d Document, id: u32) -> Self {
        Self { document, id }
    }

    fn entry(&self) -> &'d Entry {
        self.document.entry(self.id)
    }

    /// Gives the value's number in its document.
    pub fn id(&self) -> NodeId {
        NodeId(self.id)
    }

    /// Gives the document that the value is in.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Tells the kind of value.
    pub fn kind(&self) -> Kind {
        let entry = self.entry();
        match self.document.bytes().get(entry.start as usize) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b'n') => Kind::Null,
            Some(b't' | b'f') => Kind::Bool,
            _ if entry.len == 0 => Kind::Integer,
            _ => Kind::Float,
        }
    }

    /// Gives the value's text as it stands, quotes and brackets included.
    pub fn raw(&self) -> &'d str {
        self.document.text().get(self.span()).unwrap_or_default()
    }

    /// Says from which byte to before which byte of the document the value stands.
    pub fn span(&self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// Says where the value stands, its key and what is between them included.
    pub(super) fn item_span(&self) -> Range<usize> {
        let entry = self.entry();
        let start = if entry.key == Entry::NO_KEY {
            entry.start
        } else {
            entry.key
        };
        start as usize..entry.end as usize
    }

    /// Gives the array or object that the value is in; the root is in none.
    pub fn parent(&self) -> Option<Self> {
        let parent = self.entry().parent;
        (parent != Entry::NONE).then(|| Self::new(self.document, parent))
    }

    /// Walks outward from the value's parent to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + use<'d> {
        iter::successors(self.parent(), Self::parent)
    }

    /// Gives the key of a member of an object.
    pub fn key(&self) -> Option<Text<'d>> {
        let entry = self.entry();
        if entry.key == Entry::NO_KEY {
            return None;
        }
        let name = self
            .document
            .text()
            .get(entry.key as usize + 1..entry.start as usize)?;
        name.get(..name.rfind('"')?).map(Text::new)
    }

    /// Counts the elements or members, shadowed ones included; 0 for what holds none.
    pub fn len(&self) -> usize {
        if self.is_container() {
            self.entry().len as usize
        } else {
            0
        }
    }

    /// Says whether the value holds no other.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Says whether the value is an array or an object.
    pub fn is_container(&self) -> bool {
        matches!(self.kind(), Kind::Array | Kind::Object)
    }

    /// Walks the elements or members in document order, shadowed ones included.
    pub fn children(&self) -> Children<'d> {
        Children {
            document: self.document,
            next: self.id + 1,
            left: self.len(),
        }
    }

    /// Walks all values inside this one in the order in which they begin.
    pub fn descendants(&self) -> impl ExactSizeIterator<Item = Self> + Clone + use<'d> {
        let document = self.document;
        (self.id + 1..self.entry().next).map(move |id| Self::new(document, id))
    }

    /// Gives the element or member after this one.
    pub fn next_sibling(&self) -> Option<Self> {
        let next = self.entry().next;
        (next < self.parent()?.entry().next).then(|| Self::new(self.document, next))
    }

    /// Finds a member by its decoded key: the last of duplicates, as Python.
    ///
    /// Takes time with the number of members. To find many, put [`Self::effective_members`] into a map by their keys.
    pub fn get(&self, key: &str) -> Option<Self> {
        self.children()
            .filter(|member| member.key().is_some_and(|name| name == *key))
            .last()
    }

    /// Finds an element of an array by its place, in time that grows with the place.
    pub fn element(&self, index: usize) -> Option<Self> {
        if self.kind() == Kind::Array {
            self.children().nth(index)
        } else {
            None
        }
    }

    /// Follows one step of a pointer.
    pub(super) fn step(&self, step: &str) -> Option<Self> {
        if self.kind() == Kind::Array {
            self.element(Pointer::index(step)?)
        } else {
            self.get(step)
        }
    }

    /// Walks the members as Python's `dict` has them: of duplicates the last one's value, in the first one's place.
    pub fn effective_members(&self) -> EffectiveMembers<'d> {
        let children = if self.kind() == Kind::Object {
            self.children()
        } else {
            Children {
                left: 0,
                ..self.children()
            }
        };
        EffectiveMembers(children)
    }

    /// Says whether a later member of the same object has the same key, so that Python would not see this one.
    pub fn is_shadowed(&self) -> bool {
        self.document.duplicates().is_shadowed(self.id())
    }

    /// Makes the pointer to the value.
    ///
    /// It leads back here only when [`Self::is_named_exactly`].
    pub fn pointer(&self) -> Pointer {
        let mut steps = vec![];
        let mut node = *self;
        while let Some(parent) = node.parent() {
            steps.push(match node.key() {
                Some(key) => key.decoded().into_owned(),
                None => node.place().to_string(),
            });
            node = parent;
        }
        steps.reverse();
        Pointer::from(steps)
    }

    /// Says whether the value's pointer leads back to it: neither it nor what it is in is shadowed or has a key with a
    /// lone surrogate.
    pub fn is_named_exactly(&self) -> bool {
        iter::once(*self).chain(self.ancestors()).all(|node| {
            !node.is_shadowed() && node.key().is_none_or(|key| !key.has_lone_surrogate())
        })
    }

    /// Counts the arrays and objects that the value is in.
    pub fn depth(&self) -> usize {
        self.ancestors().count()
    }

    /// Counts the siblings before it.
    fn place(&self) -> usize {
        self.parent().map_or(0, |parent| {
            parent
                .children()
                .take_while(|child| child.id != self.id)
                .count()
        })
    }

    /// Gives the value of `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Gives the content of a string.
    pub fn as_str(&self) -> Option<Text<'d>> {
        let raw = self.raw();
        raw.strip_prefix('"')?.strip_suffix('"').map(Text::new)
    }

    /// Gives the nearest double of an integer or float; beyond its range infinity, as Python reads `1e400`.
    pub fn as_f64(&self) -> Option<f64> {
        match self.kind() {
            Kind::Integer | Kind::Float => match self.raw() {
                "NaN" => Some(f64::NAN),
                "Infinity" => Some(f64::INFINITY),
                "-Infinity" => Some(f64::NEG_INFINITY),
                digits => digits.parse().ok(),
            },
            _ => None,
        }
    }

    /// Gives the value of an integer that 128 bits hold.
    pub fn as_i128(&self) -> Option<i128> {
        if self.kind() == Kind::Integer {
            self.raw().parse().ok()
        } else {
            None
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Node({}, {:?} at {:?})",
            self.id,
            self.kind(),
            self.span()
        )
    }
}

/// Walks the elements or members of a value.
#[derive(Clone, Debug)]
pub struct Children<'d> {
    document: &'d Document,
    next: u32,
    left: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let node = Node::new(self.document, self.next);
        self.next = node.entry().next;
        Some(node)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Children<'_> {}

/// Walks the members of an object as Python's `dict` has them.
#[derive(Clone, Debug)]
pub struct EffectiveMembers<'d>(pub(super) Children<'d>);

impl<'d> Iterator for EffectiveMembers<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let member = self.0.next()?;
            if let Some(shown) = self.0.document.duplicates().shown_at(member.id()) {
                return Some(Node::new(self.0.document, shown.0));
            }
        }
    }
}
