//! A document as JSON, one value a line, of which only the lines on the screen are written.
//!
//! Keys and values stand as they are stored; only white space between them is ours. What is kept of a line is eight bytes,
//! so that a state of 24 MB scrolls like a small one.

use crate::domain::json::{Document, Kind, Node, NodeId};
use crate::domain::ui::Role;
use crate::tui::command::Step;
use crate::tui::text::Line;
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::tree::twin;

/// Below this many columns a line is indented by one cell a level, else by two.
const NARROW: usize = 48;

/// Is one line: a value or where it begins, or where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    node: NodeId,
    closes: bool,
}

/// Holds a document as lines of JSON, and a cursor among them.
#[derive(Debug)]
pub struct Json {
    document: Document,
    rows: Vec<Row>,
    cursor: Cursor,
}

impl Json {
    /// Shows a document from its beginning.
    pub fn new(document: &Document) -> Self {
        Self {
            rows: rows(document),
            cursor: Cursor::default(),
            document: document.clone(),
        }
    }

    /// Shows another document with the cursor at the same place, as far as it has it.
    pub fn carry_to(&self, document: &Document) -> Self {
        let mut next = Self::new(document);
        if let Some(node) = self.cursor_node().and_then(|node| twin(node, document)) {
            next.put_cursor_on(node.id());
        }
        next.cursor.top = self.cursor.top;
        next
    }

    /// Gives the value under the cursor.
    pub fn cursor_node(&self) -> Option<Node<'_>> {
        self.document.node(self.rows.get(self.cursor.at)?.node)
    }

    /// Puts the cursor on the line where a value begins.
    pub fn put_cursor_on(&mut self, node: NodeId) {
        let begins = |row: &Row| !row.closes && row.node == node;
        // Each value before it has a line of its own.
        let before = node.index().min(self.rows.len());
        if let Some(at) = self.rows[before..].iter().position(begins) {
            self.cursor.at = before + at;
        }
    }

    /// Puts the cursor on a row of the screen.
    pub fn put_on_row(&mut self, row: usize) {
        let at = self.cursor.top + row;
        if at < self.rows.len() {
            self.cursor.at = at;
        }
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, page: usize) {
        self.cursor.step(step, self.rows.len(), page);
    }

    /// Brings the cursor onto the screen.
    pub fn settle(&mut self, page: usize) {
        self.cursor.settle(self.rows.len(), page);
    }

    /// Gives the rows on the screen; each with whether it is the one under the cursor.
    pub fn rows(&self, columns: usize, page: usize) -> Vec<(Line, bool)> {
        (self.cursor.top..self.rows.len())
            .take(page)
            .filter_map(|at| {
                Some((
                    self.line(*self.rows.get(at)?, columns)?,
                    at == self.cursor.at,
                ))
            })
            .collect()
    }

    fn line(&self, row: Row, columns: usize) -> Option<Line> {
        let node = self.document.node(row.node)?;
        let step = if columns < NARROW { 1 } else { 2 };
        let indent = (node.depth() * step).min(columns / 2);
        let mut line = Line::of(" ".repeat(indent), Role::Text);
        let hidden = node.is_shadowed();
        let role = if hidden { Role::Quiet } else { Role::Text };
        if let Some(key) = node.key().filter(|_| !row.closes) {
            line.push(format!("\"{}\"", key.raw()), Role::Quiet);
            line.push(": ", Role::Quiet);
        }
        line.push(written(node, row.closes), role);
        let goes_on = row.closes || node.is_empty();
        if goes_on && node.next_sibling().is_some() {
            line.push(",", Role::Quiet);
        }
        if hidden && !row.closes {
            line.push("  a later key hides it", Role::Warning);
        }
        Some(line)
    }
}

/// Writes a value, or the bracket that begins or ends it.
fn written(node: Node<'_>, closes: bool) -> &str {
    match (node.kind(), node.is_empty(), closes) {
        (Kind::Object, true, _) => "{}",
        (Kind::Array, true, _) => "[]",
        (Kind::Object, false, false) => "{",
        (Kind::Object, false, true) => "}",
        (Kind::Array, false, false) => "[",
        (Kind::Array, false, true) => "]",
        _ => node.raw(),
    }
}

/// Lists the lines of a document: one for each value, and one more for each that holds others.
fn rows(document: &Document) -> Vec<Row> {
    let mut rows = Vec::with_capacity(document.node_count() * 3 / 2);
    let mut open: Vec<NodeId> = Vec::new();
    for node in document.nodes() {
        let parent = node.parent().map(|parent| parent.id());
        while let Some(last) = open.pop_if(|last| Some(*last) != parent) {
            rows.push(Row {
                node: last,
                closes: true,
            });
        }
        rows.push(Row {
            node: node.id(),
            closes: false,
        });
        if !node.is_empty() {
            open.push(node.id());
        }
    }
    rows.extend(
        open.into_iter()
            .rev()
            .map(|node| Row { node, closes: true }),
    );
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> Vec<String> {
        let json = Json::new(&Document::parse(text).unwrap());
        json.rows(80, usize::MAX)
            .into_iter()
            .map(|(line, _)| line.text())
            .collect()
    }

    #[test]
    fn values_and_keys_stand_as_they_are_stored() {
        assert_eq!(
            written(r#"{"a\u00e9":[1E5,{ },[ ]],"a":NaN,"a":{"x":"\ud800"}}"#),
            [
                "{",
                r#"  "a\u00e9": ["#,
                "    1E5,",
                "    {},",
                "    []",
                "  ],",
                r#"  "a": NaN,  a later key hides it"#,
                r#"  "a": {"#,
                r#"    "x": "\ud800""#,
                "  }",
                "}",
            ]
        );
        assert_eq!(written("7"), ["7"]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_the_same_document(numbers in prop::collection::vec(0..3_u8, 0..40)) {
            let mut text = String::from("[");
            let mut open = 1;
            for number in numbers {
                if !text.ends_with('[') { text.push(','); }
                match number {
                    0 => { text.push('['); open += 1; }
                    1 if open > 1 => { text.push_str("1]"); open -= 1; }
                    _ => text.push('2'),
                }
            }
            if text.ends_with(',') { text.push('3'); }
            text.push_str(&"]".repeat(open));
            let shown: String = written(&text).concat();
            let blank = |text: &str| text.replace(' ', "");
            prop_assert_eq!(blank(&shown), blank(&text));
        }
    }

    #[test]
    fn the_cursor_finds_its_value_again() {
        let before = Document::parse(r#"{"a": {"x": 1}, "b": [1, 2]}"#).unwrap();
        let after = Document::parse(r#"{"new": 0, "a": {"y": 0, "x": 2}, "b": []}"#).unwrap();
        let mut json = Json::new(&before);
        json.put_cursor_on(
            before
                .root()
                .get("a")
                .and_then(|a| a.get("x"))
                .unwrap()
                .id(),
        );
        let carried = json.carry_to(&after);
        assert_eq!(carried.cursor_node().unwrap().pointer().to_string(), "/a/x");
    }
}
