//! What each command changes, and what it asks for.

use std::sync::Arc;

use crate::domain::ui::Role;
use crate::tui::command::{self, Command, Context, What};
use crate::tui::copy;
use crate::tui::message::Effect;
use crate::tui::model::{Marked, Model, Pane, Reading, Search, Tab};
use crate::tui::screen::detail::{self, Detail};
use crate::tui::screen::palette::Palette;
use crate::tui::screen::{help, jobs, messages};
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::overlay;
use crate::tui::words;

/// Does what a command says, in the context that its key was pressed in.
pub fn obey(model: &mut Model, command: Command, context: Context, effects: &mut Vec<Effect>) {
    match command {
        Command::Quit => effects.push(Effect::Quit),
        Command::ToggleMouse => toggle_mouse(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::Help => model.help = Some(Cursor::default()),
        Command::Back => back(model, context, effects),
        Command::OtherPane => {
            model.focus = match model.focus {
                Pane::Jobs => Pane::Detail,
                Pane::Detail => Pane::Jobs,
            };
        }
        Command::Open => model.focus = Pane::Detail,
        Command::Filter => {
            model.focus = Pane::Jobs;
            model.jobs.editing = true;
        }
        Command::Sort => model.jobs.next_order(),
        Command::Group => model.jobs.next_grouping(model.sources.len() > 1),
        Command::Search => open_search(model),
        Command::NextMatch | Command::PreviousMatch => {
            let tab = model.tab;
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.step_match(tab, command == Command::NextMatch);
            }
        }
        Command::Accept => accept(model, context, effects),
        Command::Reload => reload(model, effects),
        Command::Move(step) => move_cursor(model, context, step),
        Command::NextChange => move_cursor(model, context, command::Step::Down),
        Command::PreviousChange => move_cursor(model, context, command::Step::Up),
        Command::ToggleDiff => {
            let shown = match model.tab {
                Tab::State | Tab::Json => Tab::Diff,
                Tab::Diff => model.tab_before,
            };
            show_tab(model, shown);
        }
        Command::Palette => model.palette = Some(Palette::over(context)),
        Command::Messages => model.listed_messages = Some(Cursor::default()),
        Command::Mark => mark(model),
        Command::CopyWhat => model.copying = true,
        Command::Copy(what) => copy(model, what, effects),
        Command::NextTab => {
            let shown = match model.tab {
                Tab::State => Tab::Json,
                Tab::Json => Tab::Diff,
                Tab::Diff => Tab::State,
            };
            show_tab(model, shown);
        }
        Command::Earlier | Command::Later => {
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.step_time(command == Command::Later);
            }
        }
        Command::EarlierChange | Command::LaterChange => {
            let (tab, later) = (model.tab, command == Command::LaterChange);
            let history = model.detail.as_mut().and_then(Detail::history_mut);
            let found = history.is_some_and(|history| history.step_change(tab, later));
            if !found {
                let when = if later { "later" } else { "earlier" };
                let said = format!("What is under the cursor did not change {when}.");
                model.say(Role::Text, said);
            }
        }
        Command::Toggle | Command::OpenSiblings | Command::CloseSiblings => {
            let history = model.detail.as_mut().and_then(Detail::history_mut);
            if let Some(tree) = history.and_then(|history| history.tree_mut()) {
                match command {
                    Command::Toggle => tree.toggle(),
                    _ => tree.set_siblings(command == Command::OpenSiblings),
                }
            }
        }
    }
}

/// Listens to the mouse, or leaves it to the terminal.
fn toggle_mouse(model: &mut Model, effects: &mut Vec<Effect>) {
    model.mouse = !model.mouse;
    effects.push(Effect::Mouse(model.mouse));
    let said = if model.mouse {
        "The mouse is listened to."
    } else {
        "The mouse is the terminal's own again."
    };
    model.say(Role::Text, said);
}

/// Copies something, or says why not.
fn copy(model: &mut Model, what: What, effects: &mut Vec<Effect>) {
    model.copying = false;
    match copy::copy(model, what) {
        Ok(copied) => {
            effects.push(Effect::Copy(copied.text));
            model.say(Role::Text, copied.said);
        }
        Err(why) => model.say(Role::Warning, why),
    }
}

/// Opens the field for a text to look for in the state.
fn open_search(model: &mut Model) {
    let history = model.detail.as_ref().and_then(Detail::history);
    model.search.from = history.and_then(|history| history.under(model.tab));
    model.search.editing = true;
}

/// Takes what a field holds for what was meant.
fn accept(model: &mut Model, context: Context, effects: &mut Vec<Effect>) {
    match context {
        Context::Search => model.search.editing = false,
        Context::Palette => {
            let palette = model.palette.take();
            let chosen = palette.and_then(|palette| Some((palette.chosen()?, palette.over)));
            if let Some((command, context)) = chosen {
                obey(model, command, context, effects);
            }
        }
        _ => model.jobs.editing = false,
    }
}

/// Shows a snapshot another way; tree and JSON share their cursor.
fn show_tab(model: &mut Model, tab: Tab) {
    if model.tab != Tab::Diff {
        model.tab_before = model.tab;
    }
    if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
        history.show(model.tab_before, tab);
    }
    model.tab = tab;
}

/// Marks the selected snapshot, or clears its mark.
fn mark(model: &mut Model) {
    let detail = model.detail.as_ref();
    let shown = detail.and_then(|detail| Some((detail, detail.history()?.snapshot()?)));
    let Some((detail, snapshot)) = shown else {
        return model.say(Role::Warning, "There is no snapshot to mark.");
    };
    let is_it = |mark: &Arc<Marked>| mark.is(detail.source, &detail.id, snapshot);
    if model.mark.as_ref().is_some_and(is_it) {
        model.mark = None;
        let said = "The mark is cleared; the diff compares with the snapshot before again.";
        return model.say(Role::Text, said);
    }
    if let Err(why) = &snapshot.effective {
        let said = format!("It cannot be marked: {why}.");
        return model.say(Role::Warning, said);
    }
    let marked = Marked {
        ticket: model.tickets.next(),
        source: detail.source,
        id: detail.id.clone(),
        snapshot: snapshot.clone(),
    };
    let said = format!(
        "Marked {} of {}; d compares with it, m here clears it.",
        words::origin(snapshot),
        words::id(&detail.id, usize::MAX / 2)
    );
    model.mark = Some(Arc::new(marked));
    model.say(Role::Text, said);
}

/// Goes back one step.
fn back(model: &mut Model, context: Context, effects: &mut Vec<Effect>) {
    match context {
        Context::Help => model.help = None,
        Context::Messages => model.listed_messages = None,
        Context::Palette => model.palette = None,
        Context::Copy => model.copying = false,
        Context::Field | Context::Jobs => effects.extend(model.jobs.clear(&mut model.tickets)),
        Context::State | Context::Json if !model.search.field.value().is_empty() => {
            model.search = Search::default();
        }
        Context::Search => model.search = Search::default(),
        Context::State | Context::Json | Context::Diff => model.focus = Pane::Jobs,
    }
}

/// Reads everything again; what is shown stays until the answers come.
fn reload(model: &mut Model, effects: &mut Vec<Effect>) {
    for (source, view) in model.sources.iter_mut().enumerate() {
        view.ticket = model.tickets.next();
        view.reading = Reading::Loading;
        effects.push(Effect::List {
            source,
            ticket: view.ticket,
        });
    }
    if let Some(detail) = &mut model.detail {
        effects.push(detail.reload(&mut model.tickets));
    }
}

/// Moves the cursor of what keys go to.
pub fn move_cursor(model: &mut Model, context: Context, step: command::Step) {
    let Some(layout) = model.layout() else { return };
    match context {
        Context::Help => {
            if let Some(cursor) = &mut model.help {
                let lines = help::content(model.size).len();
                overlay::step(cursor, step, model.size, lines);
            }
        }
        Context::Messages => {
            let lines = messages::content(model).len();
            if let Some(cursor) = &mut model.listed_messages {
                overlay::step(cursor, step, model.size, lines);
            }
        }
        Context::Palette => {
            if let Some(palette) = &mut model.palette {
                palette.step(step);
            }
        }
        Context::Jobs | Context::Field => {
            let page = layout.jobs.map_or(1, |place| jobs::page(model, place));
            model.jobs.step(step, page);
        }
        Context::Search | Context::Copy => {}
        Context::State | Context::Json | Context::Diff => {
            let (columns, page) = layout
                .detail
                .map_or((1, 1), |place| detail::page(model, place));
            let tab = model.tab;
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.step(tab, step, columns, page);
            }
        }
    }
}
