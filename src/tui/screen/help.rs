//! The overlay that shows every key, and what the marks mean.

use ratatui::layout::Size;

use crate::domain::mark::MARKS;
use crate::domain::ui::Role;
use crate::tui::command::{self, Context};
use crate::tui::text::{Line, width};

/// How wide the column of keys is.
const KEYS: usize = 17;

/// Writes every key with what it does, by where it does that, and every mark.
pub fn content(size: Size) -> Vec<Line> {
    let keys = KEYS.min(usize::from(size.width) / 3);
    let sections = [
        (
            "everywhere",
            &[Context::Jobs, Context::State, Context::Json, Context::Diff][..],
        ),
        ("jobs", &[Context::Jobs]),
        ("the filter", &[Context::Field]),
        ("a job", &[Context::State, Context::Json, Context::Diff]),
        ("its state", &[Context::State, Context::Json]),
        ("its state as a tree", &[Context::State]),
        ("the search", &[Context::Search]),
        ("copy", &[Context::Copy]),
        ("the palette", &[Context::Palette]),
        ("its diff", &[Context::Diff]),
    ];
    let mut told: Vec<usize> = Vec::new();
    let mut content = Vec::new();
    for (title, contexts) in sections {
        let before = content.len();
        for (place, entry) in command::COMMANDS.iter().enumerate() {
            let here = contexts
                .iter()
                .all(|context| entry.contexts.contains(context));
            if !here || told.contains(&place) {
                continue;
            }
            told.push(place);
            if content.len() == before {
                content.push(Line::of(title, Role::Title));
            }
            let named: Vec<_> = entry.keys.iter().map(ToString::to_string).collect();
            let named = if named.is_empty() {
                format!(":{}", command::name(entry.command))
            } else {
                named.join("  ")
            };
            let mut line = Line::of("  ", Role::Text).with(&named, Role::Key);
            line.pad_to((keys + 2).max(width(&named) + 4));
            content.push(line.with(entry.about, Role::Text));
        }
    }
    content.push(Line::of("marks", Role::Title));
    for mark in MARKS {
        let mut line = Line::of("  ", Role::Text).with(mark.sign, mark.role);
        line.pad_to(keys + 2);
        content.push(line.with(mark.about, Role::Text));
    }
    content
}
