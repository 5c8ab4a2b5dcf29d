//! What each message changes, and what it asks for.

use super::command::{self, Context};
use super::message::{Effect, Message};
use super::model::{Model, Pane, Reading, SourceView, Tab};
use super::screen::detail::{self, Detail};
use super::screen::{help, jobs, messages};
use super::widget::overlay;
use crate::domain::job::Job;
use crate::domain::json::search::Needle;
use crate::domain::ui::{KeyPress, Role};
use crate::report::Report;
use crate::tui::Ticket;

mod mouse;
mod obey;

use obey::obey;

/// Takes a message in, and gives what is to be done about it. Answers to questions that no longer stand change nothing.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let mut effects = Vec::new();
    match message {
        Message::Key(press) => key(model, press, &mut effects),
        Message::Mouse { does, at } => mouse::mouse(model, does, at),
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
            if let Err(report) = &outcome {
                let said = report_line(report);
                model.messages.note(model.now, Role::Bad, said);
            }
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
        Err(report) => {
            let said = format!("{}: {}", view.about.title, report_line(&report));
            model.messages.note(model.now, Role::Bad, said);
            Reading::Failed(report)
        }
    };
    model.jobs.release();
}

/// Writes a report in one line.
fn report_line(report: &Report) -> String {
    match &report.cause {
        Some(cause) => format!("{}: {cause}", report.message),
        None => report.message.clone(),
    }
}

/// Says what the keys go to.
pub fn context(model: &Model) -> Context {
    if model.help.is_some() {
        return Context::Help;
    }
    if model.listed_messages.is_some() {
        return Context::Messages;
    }
    if model.palette.is_some() {
        return Context::Palette;
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
            Context::Palette => {
                if let Some(palette) = &mut model.palette
                    && palette.field.edit(press)
                {
                    palette.restart();
                }
            }
            Context::Jobs
            | Context::State
            | Context::Json
            | Context::Diff
            | Context::Copy
            | Context::Messages
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
        Context::Palette => {
            if let Some(palette) = &mut model.palette {
                palette.field.paste(text);
                palette.restart();
            }
        }
        Context::Jobs
        | Context::State
        | Context::Json
        | Context::Diff
        | Context::Copy
        | Context::Messages
        | Context::Help => {}
    }
}

/// Lets the cursor follow the answer to what is looked for now.
fn look_again(model: &mut Model) {
    if let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) {
        history.follow_search();
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
        let lines = help::content(model.size).len();
        overlay::settle(cursor, model.size, lines);
    }
    if model.listed_messages.is_some() {
        let lines = messages::content(model).len();
        if let Some(cursor) = &mut model.listed_messages {
            overlay::settle(cursor, model.size, lines);
        }
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
