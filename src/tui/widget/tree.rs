//! A document as a tree of lines, of which only the open ones exist.
//!
//! A line is four bytes and its place among its siblings; what it says is found when it is drawn. So a state with 200 000
//! partitions opens and scrolls like a small one.

use std::collections::HashMap;

use crate::domain::json::{Children, Document, Kind, Node, NodeId, Text};
use crate::domain::state::{Bookmark, bookmarks_of};
use crate::tui::command::Step;
use crate::tui::widget::cursor::Cursor;
use crate::tui::words;

/// Up to how many partitions of a stream are shown without being asked for.
const OPEN_AT_FIRST: usize = 20;

/// Up to how many values a line looks through for its bookmark.
const LOOKED_THROUGH: usize = 2_000;

/// Is one line: a value, and its place among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    node: NodeId,
    place: u32,
}

/// Says what a container holds, for its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// The streams of a Singer state.
    Streams,
    /// The partitions of a stream.
    Partitions,
    /// The members of an object.
    Keys,
    /// The elements of an array.
    Items,
}

/// Holds a document with the lines of it that are open, and a cursor among them.
#[derive(Debug)]
pub struct Tree {
    document: Document,
    /// The value whose members are the outermost lines.
    root: NodeId,
    /// The object whose members are streams.
    streams: Option<NodeId>,
    /// By number of a value: whether it is open.
    open: Vec<bool>,
    rows: Vec<Row>,
    /// The cursor.
    pub cursor: Cursor,
}

impl Tree {
    /// Shows a document, its streams open, and their partitions where they are few.
    pub fn new(document: &Document) -> Self {
        let streams = streams(document);
        let mut tree = Self {
            root: shown_root(document).id(),
            streams: streams.map(|node| node.id()),
            open: vec![false; document.node_count()],
            rows: Vec::new(),
            cursor: Cursor::default(),
            document: document.clone(),
        };
        for node in shown_root(document).children() {
            tree.set(
                node,
                node.len() <= OPEN_AT_FIRST || Some(node.id()) == tree.streams,
            );
        }
        for node in streams
            .into_iter()
            .flat_map(|node| std::iter::once(node).chain(node.ancestors()))
        {
            tree.set(node, true);
        }
        for stream in streams.into_iter().flat_map(|node| node.children()) {
            let partitions = tree.holder(stream);
            let few = (1..=OPEN_AT_FIRST).contains(&partitions.len());
            tree.set(stream, partitions.id() != stream.id() && few);
        }
        tree.collect();
        tree
    }

    /// Shows another document with what was open in this one open, and the cursor at the same place, as far as it has both.
    pub fn carry_to(&self, document: &Document) -> Self {
        let mut next = Self::new(document);
        next.open.fill(false);
        self.carry_open(&mut next, document);
        next.collect();
        if let Some(node) = self.cursor_node().and_then(|node| twin(node, document)) {
            next.put_cursor_on(node);
        }
        next.cursor.top = self.cursor.top;
        next
    }

    /// Opens in `next` what is open here: members by their keys, partitions by their contexts, other elements by place.
    fn carry_open(&self, next: &mut Self, document: &Document) {
        let mut pending = vec![(self.document.root(), document.root())];
        while let Some((old, new)) = pending.pop() {
            let mut open_here: HashMap<Name<'_>, Node<'_>> = HashMap::new();
            for (place, child) in old.children().enumerate() {
                if self.is_open(child) || self.is_passed_over(child) {
                    open_here.insert(name(child, place), child);
                }
            }
            if open_here.is_empty() {
                continue;
            }
            for (place, child) in new.children().enumerate() {
                if let Some(old) = open_here.get(&name(child, place)) {
                    next.set(child, self.is_open(*old));
                    pending.push((*old, child));
                }
            }
        }
    }

    /// Tells whether a container has no line of its own.
    fn is_passed_over(&self, node: Node<'_>) -> bool {
        let above = |parent: Node<'_>| self.holder(parent).id() == node.id();
        node.id() == self.root || node.parent().is_some_and(above)
    }

    fn set(&mut self, node: Node<'_>, open: bool) {
        if let Some(slot) = self.open.get_mut(node.id().index()) {
            *slot = open && !node.is_empty();
        }
    }

    /// Tells whether what a value holds is shown.
    pub fn is_open(&self, node: Node<'_>) -> bool {
        self.open.get(node.id().index()).copied().unwrap_or(false)
    }

    /// Finds the value whose members are the lines below another's: of a stream that holds nothing but partitions, those.
    pub fn holder<'d>(&self, node: Node<'d>) -> Node<'d> {
        let only = node.children().next().filter(|_| node.len() == 1);
        let is_stream = || node.parent().map(|parent| parent.id()) == self.streams;
        match only {
            Some(only)
                if only.kind() == Kind::Array
                    && only.key().is_some_and(|key| key == "partitions")
                    && is_stream() =>
            {
                only
            }
            _ => node,
        }
    }

    /// Lists the lines anew.
    fn collect(&mut self) {
        let document = self.document.clone();
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        let mut pending: Vec<(Children<'_>, u32)> = vec![(shown_root(&document).children(), 0)];
        while let Some((children, place)) = pending.last_mut() {
            let Some(node) = children.next() else {
                pending.pop();
                continue;
            };
            rows.push(Row {
                node: node.id(),
                place: *place,
            });
            *place += 1;
            if self.is_open(node) {
                pending.push((self.holder(node).children(), 0));
            }
        }
        self.rows = rows;
    }

    /// Gives the document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Puts the cursor on a value's line, after opening what it is in.
    pub fn reveal(&mut self, node: NodeId) {
        let document = self.document.clone();
        let Some(node) = document.node(node) else {
            return;
        };
        let closed = |above: &Node<'_>| !self.is_open(*above) && !self.is_passed_over(*above);
        let above: Vec<_> = node.ancestors().filter(closed).collect();
        if !above.is_empty() {
            for above in above {
                self.set(above, true);
            }
            self.collect();
        }
        self.put_cursor_on(node);
    }

    /// Counts the lines.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Gives a line.
    pub fn row(&self, at: usize) -> Option<TreeLine<'_>> {
        let row = self.rows.get(at)?;
        Some(TreeLine {
            tree: self,
            node: self.document.node(row.node)?,
            place: row.place,
        })
    }

    /// Gives the value under the cursor.
    pub fn cursor_node(&self) -> Option<Node<'_>> {
        self.document.node(self.rows.get(self.cursor.at)?.node)
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, page: usize) {
        self.cursor.step(step, self.rows.len(), page);
    }

    /// Opens or closes the line under the cursor; of one that holds nothing, closes what it is in.
    pub fn toggle(&mut self) {
        let document = self.document.clone();
        let Some(id) = self.rows.get(self.cursor.at).map(|row| row.node) else {
            return;
        };
        let Some(mut node) = document.node(id) else {
            return;
        };
        if node.is_empty() {
            let Some(above) = self.line_above(node) else {
                return;
            };
            node = above;
        }
        let open = !self.is_open(node);
        self.set(node, open);
        self.collect();
        self.put_cursor_on(node);
    }

    /// Opens or closes the line under the cursor and those beside it.
    pub fn set_siblings(&mut self, open: bool) {
        let document = self.document.clone();
        let Some(id) = self.rows.get(self.cursor.at).map(|row| row.node) else {
            return;
        };
        let Some(node) = document.node(id) else {
            return;
        };
        for sibling in node
            .parent()
            .into_iter()
            .flat_map(|parent| parent.children())
        {
            self.set(sibling, open);
        }
        self.collect();
        self.put_cursor_on(node);
    }

    /// Finds the line that a line is below.
    fn line_above<'d>(&self, node: Node<'d>) -> Option<Node<'d>> {
        node.ancestors()
            .take_while(|ancestor| ancestor.id() != self.root)
            .find(|ancestor| !self.is_passed_over(*ancestor))
    }

    /// Puts the cursor on a value's line, or on the nearest one around it that has a line.
    fn put_cursor_on(&mut self, node: Node<'_>) {
        let found = std::iter::once(node)
            .chain(node.ancestors())
            .find_map(|node| {
                self.rows
                    .binary_search_by_key(&node.id(), |row| row.node)
                    .ok()
            });
        if let Some(at) = found {
            self.cursor.at = at;
        }
    }
}

/// Finds the value whose members are the outermost lines: `singer_state` where there is nothing beside it.
fn shown_root(document: &Document) -> Node<'_> {
    let root = document.root();
    match root.get("singer_state") {
        Some(singer) if root.len() == 1 && !singer.is_empty() => singer,
        _ => root,
    }
}

/// Finds the object whose members are streams.
pub fn streams(document: &Document) -> Option<Node<'_>> {
    let root = document.root();
    let singer = root.get("singer_state").unwrap_or(root);
    singer
        .get("bookmarks")
        .filter(|node| node.kind() == Kind::Object)
}

/// Names a child within its parent, so that it can be found in another document.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Name<'d> {
    Key(Text<'d>),
    Context(&'d str),
    Place(usize),
}

fn name(child: Node<'_>, place: usize) -> Name<'_> {
    match (child.key(), context(child)) {
        (Some(key), _) => Name::Key(key),
        (None, Some(context)) => Name::Context(context.raw()),
        (None, None) => Name::Place(place),
    }
}

/// Gives what tells a partition from its siblings.
pub fn context(node: Node<'_>) -> Option<Node<'_>> {
    if node.key().is_some() || node.kind() != Kind::Object {
        return None;
    }
    node.get("context")
        .filter(|context| context.kind() == Kind::Object)
}

/// Finds the value of another document that has the same place, or else the nearest one around it.
pub fn twin<'n>(node: Node<'_>, document: &'n Document) -> Option<Node<'n>> {
    follow(node, document).map(|(found, _)| found)
}

/// Finds the value of another document that has the same place.
pub fn same_place<'n>(node: Node<'_>, document: &'n Document) -> Option<Node<'n>> {
    let (found, is_there) = follow(node, document)?;
    is_there.then_some(found)
}

/// Goes the way to a value in another document as far as it leads, and tells whether that is all of it.
fn follow<'n>(node: Node<'_>, document: &'n Document) -> Option<(Node<'n>, bool)> {
    let mut path: Vec<Node<'_>> = std::iter::once(node).chain(node.ancestors()).collect();
    path.pop();
    let mut found = document.root();
    for step in path.into_iter().rev() {
        let siblings = step.parent()?.children();
        let place = siblings
            .take_while(|sibling| sibling.id() != step.id())
            .count();
        let wanted = name(step, place);
        let next = found
            .children()
            .enumerate()
            .find(|(place, child)| name(*child, *place) == wanted);
        match next {
            Some((_, child)) => found = child,
            None => return Some((found, false)),
        }
    }
    Some((found, true))
}

/// Is a line of a tree, with what it says.
pub struct TreeLine<'t> {
    tree: &'t Tree,
    /// The value.
    pub node: Node<'t>,
    place: u32,
}

impl<'t> TreeLine<'t> {
    /// Counts the lines that it is below.
    pub fn depth(&self) -> usize {
        self.node
            .ancestors()
            .take_while(|ancestor| ancestor.id() != self.tree.root)
            .filter(|ancestor| !self.tree.is_passed_over(*ancestor))
            .count()
    }

    /// Tells whether what it holds is shown; `None` when it holds nothing.
    pub fn is_open(&self) -> Option<bool> {
        (!self.node.is_empty()).then(|| self.tree.is_open(self.node))
    }

    /// Gives the name of the value: its key, its context's values, or its place.
    pub fn label(&self) -> String {
        if let Some(key) = self.node.key() {
            let key = key.decoded();
            return if key.is_empty() {
                "\"\"".to_owned()
            } else {
                key.into_owned()
            };
        }
        match context(self.node) {
            Some(context) => context_label(context),
            None => format!("[{}]", self.place),
        }
    }

    /// Counts what it holds.
    pub fn holds(&self) -> (usize, Holds) {
        let holder = self.tree.holder(self.node);
        let what = match holder.kind() {
            _ if Some(holder.id()) == self.tree.streams => Holds::Streams,
            Kind::Array if holder.key().is_some_and(|key| key == "partitions") => Holds::Partitions,
            Kind::Array => Holds::Items,
            _ => Holds::Keys,
        };
        (holder.len(), what)
    }

    /// Gives the bookmark that a stream or a partition goes on from, and how many more there are.
    pub fn bookmark(&self) -> Option<(Bookmark<'t>, usize)> {
        let is_stream = self.node.parent().map(|parent| parent.id()) == self.tree.streams;
        let is_partition = context(self.node).is_some();
        let small = self.node.descendants().len() <= LOOKED_THROUGH;
        if self.node.kind() != Kind::Object || !small || !(is_stream || is_partition) {
            return None;
        }
        let found = bookmarks_of(self.node);
        let told = words::principal(&found)?;
        Some((told, found.len() - 1))
    }
}

/// Writes a context by its values: `{acme, api}`.
pub fn context_label(context: Node<'_>) -> String {
    let values: Vec<String> = context
        .effective_members()
        .map(|member| match member.as_str() {
            Some(text) => text.decoded().into_owned(),
            None => member.raw().to_owned(),
        })
        .collect();
    format!("{{{}}}", values.join(", "))
}

#[cfg(test)]
#[path = "tree/tests.rs"]
mod tests;
