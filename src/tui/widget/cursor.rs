//! A cursor in a list, and which part of the list is on the screen.

use crate::tui::command::Step;

/// Holds the place of a cursor in a list and the first line on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The line under the cursor.
    pub at: usize,
    /// The first line on the screen.
    pub top: usize,
}

impl Cursor {
    /// Moves the cursor in a list of `len` lines, of which `page` are on the screen.
    pub fn step(&mut self, step: Step, len: usize, page: usize) {
        let last = len.saturating_sub(1);
        let half = (page / 2).max(1);
        let whole = page.saturating_sub(1).max(1);
        self.at = match step {
            Step::Down => self.at.saturating_add(1),
            Step::Up => self.at.saturating_sub(1),
            Step::HalfDown => self.at.saturating_add(half),
            Step::HalfUp => self.at.saturating_sub(half),
            Step::PageDown => self.at.saturating_add(whole),
            Step::PageUp => self.at.saturating_sub(whole),
            Step::First => 0,
            Step::Last => last,
        }
        .min(last);
    }

    /// Brings the cursor into the list, and the line under it onto the screen, leaving no room unused below.
    pub fn settle(&mut self, len: usize, page: usize) {
        let page = page.max(1);
        self.at = self.at.min(len.saturating_sub(1));
        self.top = self
            .top
            .min(self.at)
            .max((self.at + 1).saturating_sub(page))
            .min(len.saturating_sub(page));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_line_under_the_cursor_is_on_the_screen(at in 0..300_usize, top in 0..300_usize, len in 0..300_usize, page in 0..40_usize) {
            let mut cursor = Cursor { at, top };
            cursor.settle(len, page);
            prop_assert!(cursor.at < len.max(1));
            prop_assert!(cursor.top <= cursor.at && cursor.at < cursor.top + page.max(1));
            prop_assert!(cursor.top == 0 || cursor.top + page.max(1) <= len);
        }
    }

    #[test]
    fn steps_stay_in_the_list() {
        let mut cursor = Cursor::default();
        for (step, want) in [
            (Step::Up, 0),
            (Step::Down, 1),
            (Step::PageDown, 8),
            (Step::HalfDown, 9),
            (Step::HalfUp, 5),
            (Step::Last, 9),
            (Step::PageUp, 2),
            (Step::First, 0),
        ] {
            cursor.step(step, 10, 8);
            assert_eq!(cursor.at, want, "{step:?}");
        }
        cursor.step(Step::Last, 0, 8);
        assert_eq!(cursor.at, 0);
    }
}
