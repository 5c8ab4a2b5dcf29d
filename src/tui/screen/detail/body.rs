//! What is shown of a state: a tree, or why there is none.

use std::fmt::Write as _;

use super::lines;
use crate::domain::history::Snapshot;
use crate::domain::json::Node;
use crate::domain::quantity::count;
use crate::domain::state::{Content, State};
use crate::domain::ui::Role;
use crate::report::printable;
use crate::tui::command::Step;
use crate::tui::model::Model;
use crate::tui::text::{Line, broken, wrap};
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::tree::Tree;

/// How many bytes of a part that cannot be shown as a tree are shown raw.
const RAW_BYTES: usize = 8 << 10;

/// Is what a state is shown as.
#[derive(Debug)]
pub enum Body {
    /// There is no state.
    Nothing,
    /// The effective state.
    Tree(Tree),
    /// There is no effective state: why, and each part as it is stored.
    Parts(Parts),
}

/// Holds the parts of a state that has no effective one.
#[derive(Debug)]
pub struct Parts {
    why: String,
    stored: Vec<(&'static str, String)>,
    cursor: Cursor,
}

impl Body {
    /// Shows a snapshot's state, with what was open before still open.
    pub fn of(snapshot: &Snapshot, before: Option<&Self>) -> Self {
        let Some(state) = &snapshot.state else {
            return Self::Nothing;
        };
        match (&snapshot.effective, before) {
            (Ok(document), Some(Self::Tree(tree))) => Self::Tree(tree.carry_to(document)),
            (Ok(document), _) => Self::Tree(Tree::new(document)),
            (Err(why), _) => Self::Parts(Parts::of(state, why.to_string())),
        }
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, columns: usize, page: usize) {
        match self {
            Self::Nothing => {}
            Self::Tree(tree) => tree.step(step, page),
            Self::Parts(parts) => {
                let further = parts.lines(columns).len().saturating_sub(page) + 1;
                parts.cursor.step(step, further, page);
            }
        }
    }

    /// Brings the cursor onto the screen.
    pub fn settle(&mut self, columns: usize, page: usize) {
        match self {
            Self::Nothing => {}
            Self::Tree(tree) => {
                let len = tree.len();
                tree.cursor.settle(len, page);
            }
            Self::Parts(parts) => {
                let further = parts.lines(columns).len().saturating_sub(page) + 1;
                parts.cursor.settle(further, 1);
            }
        }
    }

    /// Gives the rows on the screen; each with whether it is the one under the cursor.
    pub fn rows(&self, model: &Model, columns: usize, page: usize) -> Vec<(Line, bool)> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Tree(tree) if tree.len() == 0 => {
                vec![(Line::of("The state is empty: {}", Role::Quiet), false)]
            }
            Self::Tree(tree) => lines::on_screen(tree, model, columns, page),
            Self::Parts(parts) => parts
                .lines(columns)
                .into_iter()
                .skip(parts.cursor.top)
                .take(page)
                .map(|line| (line, false))
                .collect(),
        }
    }

    /// Gives the value under the cursor; of a stream that holds nothing but partitions, those.
    pub fn under_cursor(&self) -> Option<Node<'_>> {
        match self {
            Self::Tree(tree) => tree.cursor_node().map(|node| tree.holder(node)),
            Self::Nothing | Self::Parts(_) => None,
        }
    }
}

impl Parts {
    fn of(state: &State, why: String) -> Self {
        let stored = state
            .parts()
            .iter()
            .map(|(part, content)| (part.name(), raw(content)))
            .collect();
        Self {
            why,
            stored,
            cursor: Cursor::default(),
        }
    }

    fn lines(&self, columns: usize) -> Vec<Line> {
        let why = format!("There is no effective state: {}.", self.why);
        let mut lines: Vec<Line> = wrap(&why, columns)
            .into_iter()
            .map(|line| Line::of(line, Role::Bad))
            .collect();
        for (name, text) in &self.stored {
            lines.push(Line::new());
            lines.push(Line::of(*name, Role::Title).with(", as stored", Role::Quiet));
            let broken = broken(text, columns).into_iter();
            lines.extend(broken.map(|line| Line::of(line, Role::Text)));
        }
        lines
    }
}

/// Writes what a part holds, bytes that are no text as escapes, the end left out when it is long.
fn raw(content: &Content) -> String {
    let Some(bytes) = content.bytes() else {
        return "NULL".to_owned();
    };
    let shown = &bytes[..bytes.len().min(RAW_BYTES)];
    let mut text = String::with_capacity(shown.len() + 32);
    for chunk in shown.utf8_chunks() {
        text.push_str(&printable(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if shown.len() < bytes.len() {
        let left = count(bytes.len() - shown.len());
        let _ = write!(text, "… and {left} more bytes");
    }
    text
}
