//! The lines of a tree as they are written: a name, and beside it a value, the bookmark that a stream goes on from, or what is
//! held.

use crate::domain::json::Node;
use crate::domain::moment::{self, Instant};
use crate::domain::ui::Role;
use crate::tui::model::Model;
use crate::tui::text::{Line, elide, width_up_to};
use crate::tui::widget::tree::{Holds, Tree, TreeLine};
use crate::tui::words::{self, counted};

/// From how many columns on the name of a bookmark has a column of its own.
const NAMES: usize = 52;

/// How wide that column is at most.
const NAME_COLUMNS: usize = 22;

/// What stands between two columns.
const GAP: usize = 2;

/// Writes the lines of a tree that are on the screen, in columns as wide as these lines need; each with whether it is the one
/// under the cursor.
pub fn on_screen(tree: &Tree, model: &Model, columns: usize, page: usize) -> Vec<(Line, bool)> {
    let pieces: Vec<_> = (tree.cursor.top..tree.len())
        .take(page)
        .filter_map(|at| {
            Some((
                Pieces::of(&tree.row(at)?, model, columns),
                at == tree.cursor.at,
            ))
        })
        .collect();
    let table = Columns::of(pieces.iter().map(|(piece, _)| piece), columns);
    pieces
        .into_iter()
        .map(|(piece, under)| (piece.line(&table, columns), under))
        .collect()
}

/// Holds what one line says.
struct Pieces {
    lead: String,
    label: String,
    beside: Beside,
}

/// Is what a line says beside its name.
enum Beside {
    /// How much it holds.
    Holds(String),
    /// A value, the name of it where it has one, and what is to be known of it.
    Value {
        name: String,
        value: String,
        role: Role,
        note: Line,
    },
}

impl Pieces {
    fn of(line: &TreeLine<'_>, model: &Model, columns: usize) -> Self {
        let step = if columns < 48 { 1 } else { 2 };
        let indent = (line.depth() * step).min(columns / 2);
        let sign = match line.is_open() {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "  ",
        };
        Self {
            lead: format!("{}{sign}", " ".repeat(indent)),
            label: line.label(),
            beside: Beside::of(line, model),
        }
    }

    fn line(self, table: &Columns, columns: usize) -> Line {
        let mut line = Line::of(self.lead, Role::Quiet);
        match self.beside {
            Beside::Holds(holds) => {
                let holds = Line::of(holds, Role::Quiet);
                let mut named = Line::new();
                line.push(self.label, Role::Text);
                named.fit(line, columns.saturating_sub(holds.width() + 1));
                named.and_right(holds, columns)
            }
            Beside::Value {
                name,
                value,
                role,
                note,
            } => {
                let room = table.label.saturating_sub(line.width() + GAP);
                line.push(elide(&self.label, room), Role::Text);
                line.pad_to(table.label);
                if table.name > 0 && !name.is_empty() {
                    line.column(name, Role::Quiet, table.name - GAP);
                    line.push(" ".repeat(GAP), Role::Text);
                }
                let room = columns.saturating_sub(line.width());
                line.push(elide(&value, room), role);
                line.and_right(note, columns)
            }
        }
    }
}

impl Beside {
    fn of(line: &TreeLine<'_>, model: &Model) -> Self {
        let Some(open) = line.is_open() else {
            let hidden = line.node.is_shadowed();
            return Self::Value {
                name: String::new(),
                value: words::value(line.node),
                role: if hidden { Role::Quiet } else { Role::Text },
                note: if hidden {
                    Line::of("a later key hides it", Role::Warning)
                } else {
                    age(line.node, model)
                },
            };
        };
        match line.bookmark().filter(|_| !open) {
            None => Self::Holds(held(line.holds())),
            Some((bookmark, more)) => Self::Value {
                name: bookmark.name.decoded().into_owned(),
                value: words::value(bookmark.value),
                role: Role::Text,
                note: match more {
                    0 => age(bookmark.value, model),
                    _ => Line::of(format!("+ {more} more"), Role::Quiet),
                },
            },
        }
    }
}

fn held((number, what): (usize, Holds)) -> String {
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
        Line::of(moment::age(instant.at, model.now), Role::Quiet)
    })
}

/// Says where the columns begin.
struct Columns {
    /// The end of the labels.
    label: usize,
    /// How wide the column of names is; 0 where there is none.
    name: usize,
}

impl Columns {
    /// Gives each column what the lines need; where that is too much, a value has up to half, and labels give way.
    fn of<'p>(pieces: impl Iterator<Item = &'p Pieces>, columns: usize) -> Self {
        let (mut label, mut name, mut bare, mut named) = (0, 0, 0, 0);
        for piece in pieces {
            let Beside::Value {
                name: own, value, ..
            } = &piece.beside
            else {
                continue;
            };
            let lead = width_up_to(&piece.lead, columns);
            label = label.max(lead + width_up_to(&piece.label, columns) + GAP);
            let value = width_up_to(value, columns / 2).min(columns / 2);
            if own.is_empty() || columns < NAMES {
                bare = bare.max(value);
            } else {
                name = name.max((width_up_to(own, NAME_COLUMNS) + GAP).min(NAME_COLUMNS));
                named = named.max(value);
            }
        }
        let wanted = bare.max(name + named);
        Self {
            label: label
                .min(columns.saturating_sub(wanted).max(columns / 4))
                .min(columns * 3 / 5),
            name,
        }
    }
}
