//! What is shown of a state: a tree, or why there is none.

use std::fmt::Write as _;

use crate::domain::history::Snapshot;
use crate::domain::json::Node;
use crate::domain::moment::Instant;
use crate::domain::state::{Content, State};
use crate::domain::ui::Role;
use crate::report::printable;
use crate::tui::command::Step;
use crate::tui::model::Model;
use crate::tui::text::{Line, broken, count, elide, width_up_to, wrap};
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::tree::{Holds, Tree, TreeLine};
use crate::tui::words::{self, counted};

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
            Self::Tree(tree) => (tree.cursor.top..tree.len())
                .take(page)
                .filter_map(|at| {
                    Some((
                        tree_line(&tree.row(at)?, model, columns),
                        at == tree.cursor.at,
                    ))
                })
                .collect(),
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

/// Writes a line of a tree: its name, and beside it a value, the bookmark it goes on from, or what it holds.
fn tree_line(line: &TreeLine<'_>, model: &Model, columns: usize) -> Line {
    let table = Columns::of(columns);
    let step = if columns < 48 { 1 } else { 2 };
    let indent = (line.depth() * step).min(columns / 2);
    let open = line.is_open();
    let sign = match open {
        Some(true) => "▾ ",
        Some(false) => "▸ ",
        None => "  ",
    };
    let mut shown = Line::of(format!("{}{sign}", " ".repeat(indent)), Role::Quiet);
    let label = line.label();
    let hidden = line.node.is_shadowed();
    if open.is_none() {
        let value = words::value(line.node);
        let role = if hidden { Role::Quiet } else { Role::Text };
        shown = table.name(shown, &label, width_up_to(&value, columns), columns);
        shown.push(elide(&value, columns.saturating_sub(shown.width())), role);
        let note = if hidden {
            Line::of("a later key hides it", Role::Warning)
        } else {
            age(line.node, model)
        };
        return shown.and_right(note, columns);
    }
    if open == Some(false)
        && let Some((bookmark, more)) = line.bookmark()
    {
        let value = words::value(bookmark.value);
        let wanted = width_up_to(&value, columns) + table.name;
        shown = table.name(shown, &label, wanted, columns);
        if table.name > 0 {
            shown.column(bookmark.name.decoded(), Role::Quiet, table.name - 2);
            shown.push("  ", Role::Text);
        }
        shown.push(
            elide(&value, columns.saturating_sub(shown.width())),
            Role::Text,
        );
        let note = if more > 0 {
            Line::of(format!("+ {more} more"), Role::Quiet)
        } else {
            age(bookmark.value, model)
        };
        return shown.and_right(note, columns);
    }
    let (number, what) = line.holds();
    let holds = Line::of(held(number, what), Role::Quiet);
    let mut named = Line::new();
    shown.push(&label, Role::Text);
    named.fit(shown, columns.saturating_sub(holds.width() + 1));
    named.and_right(holds, columns)
}

fn held(number: usize, what: Holds) -> String {
    match what {
        Holds::Streams => counted(number, "stream", "streams"),
        Holds::Partitions => counted(number, "partition", "partitions"),
        Holds::Keys => counted(number, "key", "keys"),
        Holds::Items => counted(number, "item", "items"),
    }
}

/// Says how old the time is that a value spells.
fn age(node: Node<'_>, model: &Model) -> Line {
    let instant = node
        .as_str()
        .filter(|_| node.raw().len() < 64)
        .and_then(|text| Instant::parse(&text.decoded()));
    instant.map_or_else(Line::new, |instant| {
        Line::of(words::age(instant.at, model.now), Role::Quiet)
    })
}

/// Says where the columns of a tree are.
struct Columns {
    label: usize,
    /// The column of the bookmark's name; 0 where there is no room for one.
    name: usize,
}

impl Columns {
    fn of(columns: usize) -> Self {
        Self {
            label: (columns * 2 / 5).clamp(16, 40),
            name: if columns < 52 {
                0
            } else {
                (columns / 5).clamp(12, 20)
            },
        }
    }

    /// Writes a name so that what follows, `wanted` cells wide, begins at its column, or later where the name needs it
    /// and there is room.
    fn name(&self, mut line: Line, name: &str, wanted: usize, columns: usize) -> Line {
        let lead = line.width();
        let end = (lead + width_up_to(name, columns) + 2)
            .min(columns.saturating_sub(wanted))
            .max(self.label)
            .min(columns);
        line.push(elide(name, end.saturating_sub(lead + 2)), Role::Text);
        line.pad_to(end);
        line
    }
}
