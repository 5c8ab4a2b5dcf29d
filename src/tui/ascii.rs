//! The screen in ASCII, for a terminal that shows nothing else.

use ratatui::buffer::Buffer;

use crate::domain::mark::MARKS;

/// Holds what stands for our own signs; those of the marks are in their table.
const TWINS: &[(&str, &str)] = &[
    ("▸", ">"),
    ("▾", "v"),
    ("…", "~"),
    ("–", "-"),
    ("→", ">"),
    ("‹", "<"),
    ("›", ">"),
    ("─", "-"),
    ("│", "|"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "+"),
    ("┘", "+"),
    ("├", "+"),
    ("┤", "+"),
];

/// Spells everything that was drawn in ASCII; what has no twin, and comes from what is stored, is a question mark.
pub fn spell(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let spelled = twin(cell.symbol());
            cell.set_symbol(spelled);
        }
    }
}

fn twin(sign: &str) -> &'static str {
    let own = TWINS.iter().find(|(own, _)| *own == sign);
    let mark = || MARKS.iter().find(|mark| mark.sign == sign);
    match own {
        Some((_, twin)) => twin,
        None => mark().map_or("?", |mark| mark.ascii),
    }
}
