//! What each message changes, and what it asks for.

use std::sync::Arc;

use super::command::{self, Command, Context};
use super::copy;
use super::message::{Effect, Message};
use super::model::{Marked, Model, Pane, Reading, Search, SourceView, Tab};
use super::screen::detail::{self, Detail};
use super::screen::{help, jobs};
use super::widget::cursor::Cursor;
use super::words;
use crate::domain::job::Job;
use crate::domain::json::search::Needle;
use crate::domain::ui::{KeyPress, Role};
use crate::report::Report;
use crate::tui::Ticket;

/// Takes a message in, and gives what is to be done about it. Answers to questions that no longer stand change nothing.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let mut effects = Vec::new();
    match message {
        Message::Key(press) => key(model, press, &mut effects),
        Message::Paste(text) => {
            paste(model, &text, &mut effects);
        }
        Message::Resize(size) => model.size = size,
        Message::Tick(now) => model.now = now,
        Message::Jobs {
            source,
            ticket,
            generation,
            jobs,
        } => take_jobs(model, source, (ticket, generation), jobs, &mut effects),
        Message::Listed {
            source,
            ticket,
            outcome,
        } => end_list(model, source, ticket, outcome, &mut effects),
        Message::Warned {
            source,
            ticket,
            warnings,
        } => {
            let view = model.sources.get_mut(source);
            if let Some(view) = view.filter(|view| view.ticket == ticket) {
                view.warnings = warnings;
            }
        }
        Message::Loaded { ticket, outcome } => {
            if let Some(detail) = &mut model.detail {
                detail.loaded(ticket, outcome);
            }
        }
        Message::Filtered { ticket, matches } => {
            effects.extend(model.jobs.filtered(ticket, matches, &mut model.tickets));
        }
        Message::Searched { ticket, found } => {
            let (tab, from) = (model.tab, model.search.from);
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.searched(ticket, found, tab, from);
            }
        }
        Message::Compared { ticket, diff } => {
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.compared(ticket, diff);
            }
        }
    }
    settle(model, &mut effects);
    effects
}

/// Takes in jobs; those of another question, or another reading of the source, take the place of what it gave before.
fn take_jobs(
    model: &mut Model,
    source: usize,
    reading: (Ticket, u32),
    jobs: Vec<Job>,
    effects: &mut Vec<Effect>,
) {
    let Some(view) = model
        .sources
        .get_mut(source)
        .filter(|view| view.ticket == reading.0)
    else {
        return;
    };
    if view.rows_of != Some(reading) {
        if view.rows_of.is_some() {
            effects.extend(model.jobs.remove(source, &mut model.tickets));
        }
        view.rows_of = Some(reading);
    }
    effects.extend(model.jobs.add(source, jobs, &mut model.tickets));
}

/// Takes in that a list is at its end. One that ended well without a row takes the rows of the one before with it; of one
/// that broke off, what came stays.
fn end_list(
    model: &mut Model,
    source: usize,
    ticket: Ticket,
    outcome: Result<(), Report>,
    effects: &mut Vec<Effect>,
) {
    let Some(view) = model
        .sources
        .get_mut(source)
        .filter(|view| view.ticket == ticket)
    else {
        return;
    };
    let none_came = view.rows_of.is_some_and(|(answered, _)| answered != ticket);
    if none_came && outcome.is_ok() {
        view.rows_of = None;
        effects.extend(model.jobs.remove(source, &mut model.tickets));
    }
    view.reading = match outcome {
        Ok(()) => Reading::Done,
        Err(report) => Reading::Failed(report),
    };
    model.jobs.release();
}

/// Says what the keys go to.
pub fn context(model: &Model) -> Context {
    if model.help.is_some() {
        return Context::Help;
    }
    if model.copying {
        return Context::Copy;
    }
    match (model.focus, model.tab) {
        (Pane::Jobs, _) if model.jobs.editing => Context::Field,
        (Pane::Jobs, _) => Context::Jobs,
        (Pane::Detail, Tab::State | Tab::Json) if model.search.editing => Context::Search,
        (Pane::Detail, Tab::State) => Context::State,
        (Pane::Detail, Tab::Json) => Context::Json,
        (Pane::Detail, Tab::Diff) => Context::Diff,
    }
}

fn key(model: &mut Model, press: KeyPress, effects: &mut Vec<Effect>) {
    model.messages.read();
    let context = context(model);
    match command::find(press, context) {
        Some(command) => obey(model, command, context, effects),
        None if context == Context::Copy => model.copying = false,
        None => match context {
            Context::Field => effects.extend(model.jobs.edit(press, &mut model.tickets)),
            Context::Search => {
                if model.search.field.edit(press) {
                    look_again(model);
                }
            }
            Context::Jobs
            | Context::State
            | Context::Json
            | Context::Diff
            | Context::Copy
            | Context::Help => {}
        },
    }
}

/// Takes pasted text into the field that keys go to; elsewhere it means nothing.
fn paste(model: &mut Model, text: &str, effects: &mut Vec<Effect>) {
    match context(model) {
        Context::Field => effects.extend(model.jobs.paste(text, &mut model.tickets)),
        Context::Search => {
            model.search.field.paste(text);
            look_again(model);
        }
        Context::Jobs
        | Context::State
        | Context::Json
        | Context::Diff
        | Context::Copy
        | Context::Help => {}
    }
}

/// Lets the cursor follow the answer to what is looked for now.
fn look_again(model: &mut Model) {
    if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
        history.follow_search();
    }
}

fn obey(model: &mut Model, command: Command, context: Context, effects: &mut Vec<Effect>) {
    match command {
        Command::Quit => effects.push(Effect::Quit),
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
        Command::Search => {
            let history = model.detail.as_ref().and_then(Detail::history);
            model.search.from = history.and_then(|history| history.under(model.tab));
            model.search.editing = true;
        }
        Command::NextMatch | Command::PreviousMatch => {
            let tab = model.tab;
            if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
                history.step_match(tab, command == Command::NextMatch);
            }
        }
        Command::Accept => match context {
            Context::Search => model.search.editing = false,
            _ => model.jobs.editing = false,
        },
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
        Command::Mark => mark(model),
        Command::CopyWhat => model.copying = true,
        Command::Copy(what) => {
            model.copying = false;
            match copy::copy(model, what) {
                Ok(copied) => {
                    effects.push(Effect::Copy(copied.text));
                    model.say(Role::Text, copied.said);
                }
                Err(why) => model.say(Role::Warning, why),
            }
        }
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
        "Marked {} of {}; d compares others with it, m here clears it.",
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

fn move_cursor(model: &mut Model, context: Context, step: command::Step) {
    let Some(layout) = model.layout() else { return };
    match context {
        Context::Help => {
            if let Some(cursor) = &mut model.help {
                help::step(cursor, step, model.size);
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

/// Brings everything in line with everything else: the detail with the selected job, its diff with its snapshot, and every
/// cursor with the screen.
fn settle(model: &mut Model, effects: &mut Vec<Effect>) {
    follow_selection(model, effects);
    let against = model.mark.clone().filter(|mark| {
        let detail = model.detail.as_ref();
        let shown = detail.and_then(|detail| Some((detail, detail.history()?.snapshot()?)));
        shown.is_some_and(|(detail, snapshot)| !mark.is(detail.source, &detail.id, snapshot))
    });
    if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
        effects.extend(history.compare(against, &mut model.tickets));
        history.prepare(model.tab);
        let looked_for = Needle::new(model.search.field.value());
        let (tab, from) = (model.tab, model.search.from);
        effects.extend(history.search(looked_for, tab, from, &mut model.tickets));
    }
    if let Some(cursor) = &mut model.help {
        help::settle(cursor, model.size);
    }
    let Some(layout) = model.layout() else { return };
    if let Some(place) = layout.jobs {
        let page = jobs::page(model, place);
        model.jobs.settle(page);
    }
    if let Some(place) = layout.detail {
        let (columns, page) = detail::page(model, place);
        if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
            history.settle(columns, page);
        }
    }
}

/// Reads the job under the cursor when it is another one than is shown. Without one, what is shown stays: rows that are
/// being read again, or a filter that nothing matches yet, must not blank it.
fn follow_selection(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(row) = model.jobs.selected() else {
        let done = |source: &SourceView| source.reading == Reading::Done;
        if model.jobs.is_empty() && model.sources.iter().all(done) {
            model.detail = None;
        }
        return;
    };
    let shown = model.detail.as_ref();
    if shown.is_some_and(|detail| detail.source == row.source && detail.id == row.job.id) {
        return;
    }
    let (detail, effect) = Detail::load(row.source, row.job.id.clone(), &mut model.tickets);
    model.detail = Some(detail);
    effects.push(effect);
}
