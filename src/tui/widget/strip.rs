//! The timeline as a strip of marks, the selected one in brackets.

use crate::domain::history::Snapshot;
use crate::domain::mark;
use crate::domain::ui::Role;
use crate::tui::text::Line;

/// Draws as much of a timeline as fits, with the selected snapshot on it, and a sign before the marked one.
///
/// A mark takes two cells; where snapshots are left out, `‹` or `›` stands at that end.
pub fn strip(
    snapshots: &[Snapshot],
    selected: usize,
    marked: Option<usize>,
    columns: usize,
) -> Line {
    let room = columns.saturating_sub(3) / 2;
    let (first, last) = window(snapshots.len(), selected, room);
    let mut line = Line::of(if first > 0 { "‹" } else { "" }, Role::Quiet);
    for (place, snapshot) in snapshots.iter().enumerate().take(last).skip(first) {
        let mark = mark::of_snapshot(snapshot);
        let before = if place == selected {
            "["
        } else if place == selected + 1 && place > first {
            "]"
        } else if Some(place) == marked {
            mark::MARKED.sign
        } else {
            " "
        };
        line.push(
            before,
            if Some(place) == marked {
                mark::MARKED.role
            } else {
                Role::Title
            },
        );
        line.push(mark.sign, mark.role);
    }
    if selected + 1 == last {
        line.push("]", Role::Title);
    }
    line.with(if last < snapshots.len() { "›" } else { "" }, Role::Quiet)
}

/// Finds the snapshot whose mark is at a cell of a strip that is drawn in so many cells.
pub fn place_at(len: usize, selected: usize, columns: usize, cell: usize) -> Option<usize> {
    let (first, last) = window(len, selected, columns.saturating_sub(3) / 2);
    let place = first + cell.checked_sub(usize::from(first > 0))? / 2;
    (place < last).then_some(place)
}

/// Gives which of `len` places are shown when `room` of them fit: the selected one in the middle, nothing unused.
fn window(len: usize, selected: usize, room: usize) -> (usize, usize) {
    let room = room.max(1);
    let first = selected
        .saturating_sub(room / 2)
        .min(len.saturating_sub(room));
    (first, len.min(first + room))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_selected_place_is_in_the_window(len in 1..500_usize, at in 0..500_usize, room in 0..60_usize) {
            let selected = at % len;
            let (first, last) = window(len, selected, room);
            prop_assert!(first <= selected && selected < last && last <= len);
            prop_assert_eq!(last - first, len.min(room.max(1)));
        }
    }
}
