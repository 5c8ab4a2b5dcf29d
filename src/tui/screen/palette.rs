//! The palette: every command by its name.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::domain::ui::Role;
use crate::tui::command::{self, Command, Context, Entry, Step};
use crate::tui::model::Model;
use crate::tui::screen::jobs::lines;
use crate::tui::text::Line;
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::field::Field;
use crate::tui::widget::overlay;

/// How wide the column of names is.
const NAMES: usize = 18;

/// How wide the column of keys is.
const KEYS: usize = 8;

/// Holds what is typed, and the cursor among the commands that match it.
#[derive(Debug)]
pub struct Palette {
    /// What the keys went to before.
    pub over: Context,
    /// What is typed.
    pub field: Field,
    cursor: Cursor,
}

impl Palette {
    /// Opens over something else.
    pub fn over(context: Context) -> Self {
        Self {
            over: context,
            field: Field::default(),
            cursor: Cursor::default(),
        }
    }

    /// Begins at the best match again.
    pub fn restart(&mut self) {
        self.cursor = Cursor::default();
    }

    /// Gives the command under the cursor.
    pub fn chosen(&self) -> Option<Command> {
        self.found().get(self.cursor.at).map(|entry| entry.command)
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step) {
        let all = self.found().len();
        self.cursor.step(step, all, all);
    }

    /// Lists the commands that match what is typed, the best match first, and a name typed whole before all others.
    fn found(&self) -> Vec<&'static Entry> {
        let all = commands(self.over);
        let query = self.field.value().trim();
        if query.is_empty() {
            return all;
        }
        let pattern = Pattern::new(
            query,
            CaseMatching::Ignore,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored: Vec<_> = all
            .into_iter()
            .filter_map(|entry| {
                let name = command::name(entry.command);
                let text = format!("{name} {}", entry.about);
                let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
                Some(((name == query, name.starts_with(query), score), entry))
            })
            .collect();
        scored.sort_by(|(a, _), (b, _)| b.cmp(a));
        scored.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// Lists the commands that there are here; moving and going back need no name.
fn commands(over: Context) -> Vec<&'static Entry> {
    let here = command::of(over).chain(command::of(Context::Copy));
    here.filter(|entry| {
        !matches!(
            entry.command,
            Command::Move(_) | Command::Back | Command::Palette | Command::CopyWhat
        )
    })
    .collect()
}

/// Draws the palette; gives where the terminal's cursor belongs.
pub fn view(model: &Model, palette: &Palette, buffer: &mut Buffer) -> Option<Position> {
    let found = palette.found();
    let area = overlay::area(model.size, commands(palette.over).len() + 1);
    let inside = overlay::clear(area, "Commands", Line::new(), model.theme, buffer);
    let mut rows = lines(inside);
    let field = rows.next()?;
    let right = Line::of(if found.is_empty() { "none" } else { "" }, Role::Warning);
    let position = palette.field.draw(":", right, field, buffer, model.theme);
    let page = usize::from(inside.height).saturating_sub(1);
    let mut cursor = palette.cursor;
    cursor.settle(found.len(), page);
    for ((place, entry), row) in found.iter().enumerate().skip(cursor.top).zip(rows) {
        let over = (place == cursor.at).then_some(Role::Cursor);
        written(entry, row).draw_over(row, buffer, model.theme, over);
    }
    position
}

fn written(entry: &Entry, row: Rect) -> Line {
    let key = entry
        .keys
        .first()
        .map_or(String::new(), ToString::to_string);
    let columns = usize::from(row.width);
    let mut line = Line::of(" ", Role::Text);
    line.column(
        command::name(entry.command),
        Role::Text,
        NAMES.min(columns / 2),
    );
    line.push(" ", Role::Text);
    let room = columns.saturating_sub(line.width() + KEYS);
    line.column(entry.about, Role::Quiet, room);
    line.column_right(key, Role::Key, KEYS - 1);
    line
}
