//! What the mouse does: the wheel moves the cursor of what is under it, a click puts it there.

use ratatui::layout::Position;

use super::context;
use super::obey::move_cursor;
use crate::tui::command::{Context, Step};
use crate::tui::message::Mouse;
use crate::tui::model::{Model, Pane};
use crate::tui::screen::{detail, jobs};

/// How many lines one notch of the wheel moves.
const NOTCH: usize = 3;

/// Does what the mouse does at a place of the screen.
pub fn mouse(model: &mut Model, does: Mouse, at: Position) {
    match (context(model), does) {
        (over @ (Context::Help | Context::Messages | Context::Palette), _) => {
            wheel(model, over, does);
        }
        (Context::Copy, Mouse::Click) => model.copying = false,
        (Context::Copy, _) => {}
        _ => in_panes(model, does, at),
    }
}

fn wheel(model: &mut Model, context: Context, does: Mouse) {
    let step = match does {
        Mouse::WheelUp => Step::Up,
        Mouse::WheelDown => Step::Down,
        Mouse::Click => return,
    };
    for _ in 0..NOTCH {
        move_cursor(model, context, step);
    }
}

fn in_panes(model: &mut Model, does: Mouse, at: Position) {
    let Some(layout) = model.layout() else { return };
    if let Some(place) = layout.jobs.filter(|place| place.outer.contains(at)) {
        wheel(model, Context::Jobs, does);
        if does == Mouse::Click {
            model.focus = Pane::Jobs;
            model.jobs.editing = false;
            model.search.editing = false;
            if let Some(line) = jobs::line_at(model, place, at) {
                model.jobs.put_on_line(line);
            }
        }
    } else if let Some(place) = layout.detail.filter(|place| place.outer.contains(at)) {
        wheel(model, Context::State, does);
        if does == Mouse::Click {
            model.focus = Pane::Detail;
            model.jobs.editing = false;
            model.search.editing = false;
            detail::click(model, place, at);
        }
    }
}
