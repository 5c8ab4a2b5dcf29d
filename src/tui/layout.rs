//! Where things are on a screen of a given size; one function for what moves the cursor and for what draws.

use ratatui::layout::{Margin, Rect, Size};

use super::model::Pane;
use super::widget::frame;

/// Below this size two panes do not fit beside each other.
const TWO_PANES: Size = Size::new(80, 20);

/// Below this size frames take more than they give.
const FRAMES: Size = Size::new(60, 15);

/// Below this size nothing useful fits.
const SMALLEST: Size = Size::new(24, 6);

/// Says where one pane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// All of it, its frame included.
    pub outer: Rect,
    /// What is inside its frame.
    pub inner: Rect,
    /// Whether it has a frame.
    pub framed: bool,
}

/// Says where everything is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The line at the top.
    pub title: Rect,
    /// The jobs, when they are on the screen.
    pub jobs: Option<Place>,
    /// The selected job, when it is on the screen.
    pub detail: Option<Place>,
    /// The line that says what is under the cursor.
    pub status: Rect,
    /// The line that says what can be done.
    pub footer: Rect,
}

impl Layout {
    /// Lays a screen out; `None` when it is too small for anything.
    pub fn of(size: Size, focus: Pane) -> Option<Self> {
        if size.width < SMALLEST.width || size.height < SMALLEST.height {
            return None;
        }
        let line = |y| Rect::new(0, y, size.width, 1);
        let body = Rect::new(0, 1, size.width, size.height - 3);
        let (jobs, detail) = panes(body, size, focus);
        Some(Self {
            title: line(0),
            jobs,
            detail,
            status: line(size.height - 2),
            footer: line(size.height - 1),
        })
    }

    /// Tells whether only one pane is on the screen.
    pub fn is_single(&self) -> bool {
        self.jobs.is_none() || self.detail.is_none()
    }
}

fn panes(body: Rect, size: Size, focus: Pane) -> (Option<Place>, Option<Place>) {
    if size.width >= TWO_PANES.width && size.height >= TWO_PANES.height {
        let left = (body.width * 2 / 5 + 3).min(66);
        let jobs = Rect {
            width: left,
            ..body
        };
        let detail = Rect {
            x: body.x + left,
            width: body.width - left,
            ..body
        };
        return (Some(place(jobs, true, 0)), Some(place(detail, true, 1)));
    }
    let framed = size.width >= FRAMES.width && size.height >= FRAMES.height;
    match focus {
        Pane::Jobs => (Some(place(body, framed, 0)), None),
        Pane::Detail => (None, Some(place(body, framed, 1))),
    }
}

/// Places a pane, with blanks at the left and right of what is in it.
fn place(outer: Rect, framed: bool, blanks: u16) -> Place {
    let inner = if framed { frame::inside(outer) } else { outer };
    Place {
        outer,
        inner: inner.inner(Margin::new(blanks, 0)),
        framed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_is_on_the_screen_and_nothing_overlaps(width in 0..400_u16, height in 0..200_u16, detail: bool) {
            let focus = if detail { Pane::Detail } else { Pane::Jobs };
            let screen = Rect::new(0, 0, width, height);
            if let Some(layout) = Layout::of(Size { width, height }, focus) {
                let panes = [layout.jobs, layout.detail].into_iter().flatten();
                let areas: Vec<_> = panes.map(|place| place.outer)
                    .chain([layout.title, layout.status, layout.footer])
                    .collect();
                for (number, area) in areas.iter().enumerate() {
                    prop_assert_eq!(area.intersection(screen), *area);
                    for other in &areas[number + 1..] {
                        prop_assert!(area.intersection(*other).is_empty());
                    }
                }
                prop_assert_eq!(areas.iter().map(|area| area.area()).sum::<u32>(), screen.area());
            }
        }
    }
}
