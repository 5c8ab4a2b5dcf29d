//! How the model is drawn.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::ascii;
use super::command::{self, Command, Context};
use super::layout::Layout;
use super::model::{Model, Pane, Reading, SourceView};
use super::screen::{detail, help, jobs, messages, palette};
use super::text::{Line, wrap};
use super::update::context;
use super::widget::overlay;
use super::words;
use crate::domain::mark;
use crate::domain::ui::Role;

/// Draws the model, and puts the terminal's cursor into the field that keys go to, if there is one.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    if let Some(position) = render(model, frame.buffer_mut()) {
        frame.set_cursor_position(position);
    }
}

/// Draws the model into a buffer; gives where the terminal's cursor belongs.
pub(super) fn render(model: &Model, buffer: &mut Buffer) -> Option<Position> {
    let cursor = draw(model, buffer);
    if model.ascii {
        ascii::spell(buffer);
    }
    cursor
}

fn draw(model: &Model, buffer: &mut Buffer) -> Option<Position> {
    let Some(layout) = model.layout() else {
        too_small(model, buffer);
        return None;
    };
    title(model, &layout, buffer);
    let mut cursor = None;
    if let Some(place) = layout.jobs {
        cursor = jobs::view(model, place, buffer);
    }
    if let Some(place) = layout.detail {
        cursor = detail::view(model, place, buffer).or(cursor);
    }
    status(model, layout.status, buffer);
    footer(model, layout.footer, buffer);
    let mut overlay = |title, content: &[Line], scroll| {
        overlay::view(title, content, scroll, model.size, model.theme, buffer);
    };
    if let Some(scroll) = model.help {
        overlay("Keys", &help::content(model.size), scroll);
        None
    } else if let Some(scroll) = model.listed_messages {
        overlay("Messages", &messages::content(model), scroll);
        None
    } else if let Some(palette) = &model.palette {
        palette::view(model, palette, buffer)
    } else {
        cursor
    }
}

fn too_small(model: &Model, buffer: &mut Buffer) {
    let said = "statescope needs 24 columns and 6 rows; q leaves";
    let columns = usize::from(buffer.area.width);
    for (area, line) in jobs::lines(buffer.area).zip(wrap(said, columns)) {
        Line::of(line, Role::Text).draw(area, buffer, model.theme);
    }
}

fn title(model: &Model, layout: &Layout, buffer: &mut Buffer) {
    let columns = usize::from(layout.title.width);
    let mut left = Line::of(" statescope", Role::Title).with(" ▸ ", Role::Quiet);
    for (number, source) in model.sources.iter().enumerate() {
        if number > 0 {
            left.push("  ", Role::Text);
        }
        let mark = match source.reading {
            Reading::Loading => mark::READING,
            Reading::Done => mark::ANSWERS,
            Reading::Failed(_) => mark::BROKEN,
        };
        left.push(format!("{} ", mark.sign), mark.role);
        left.push(&source.about.title, Role::Text);
        left.push(format!(" {}", source.about.kind), Role::Quiet);
        if let Some(elsewhere) = &source.about.elsewhere {
            left.push(format!(" (Meltano reads {elsewhere})"), Role::Warning);
        }
    }
    let mut right = Line::new();
    if !layout.is_single() || columns >= 60 {
        right.push("read-only", Role::Quiet);
        right.push(
            format!("  {}", words::zone(&model.zone, model.now)),
            Role::Quiet,
        );
    }
    if layout.is_single() {
        let number = match model.focus {
            Pane::Jobs => 1,
            Pane::Detail => 2,
        };
        right.push(if right.is_empty() { "" } else { "  " }, Role::Text);
        right.push(format!("{number} of 2"), Role::Text);
    }
    right.push(" ", Role::Text);
    let mut line = Line::new();
    line.fit(left, columns.saturating_sub(right.width() + 1));
    line.and_right(right, columns)
        .draw(layout.title, buffer, model.theme);
}

fn status(model: &Model, area: Rect, buffer: &mut Buffer) {
    let columns = usize::from(area.width).saturating_sub(2);
    if let Some(said) = model.messages.standing() {
        let line = Line::of(" ", Role::Text).with(&said.text, said.role);
        return line.draw(area, buffer, model.theme);
    }
    let said = match context(model) {
        Context::Jobs | Context::Field => jobs::status(model),
        Context::Search | Context::State | Context::Json | Context::Diff => {
            detail::status(model, columns)
        }
        Context::Copy => {
            let mut line = Line::of("copy what?  ", Role::Title);
            line.append(detail::status(model, columns.saturating_sub(12)));
            line
        }
        Context::Help | Context::Palette | Context::Messages => Line::new(),
    };
    let mut line = Line::of(" ", Role::Text);
    line.append(said);
    line.draw(area, buffer, model.theme);
}

/// Tells whether there is something that a command could act on.
fn applies(model: &Model, command: Command) -> bool {
    match command {
        Command::Open | Command::Filter | Command::Sort | Command::Group => {
            model.jobs.selected().is_some() || !model.jobs.query().is_empty()
        }
        Command::Earlier
        | Command::Later
        | Command::ToggleDiff
        | Command::NextTab
        | Command::Mark
        | Command::CopyWhat => model
            .detail
            .as_ref()
            .is_some_and(|detail| detail.history().is_some()),
        Command::Reload => {
            let failed = |source: &SourceView| matches!(source.reading, Reading::Failed(_));
            model.sources.iter().any(failed)
        }
        Command::Quit
        | Command::Help
        | Command::Back
        | Command::OtherPane
        | Command::Accept
        | Command::Suspend
        | Command::ToggleMouse
        | Command::EarlierChange
        | Command::LaterChange
        | Command::Palette
        | Command::Messages
        | Command::Copy(_)
        | Command::Move(_)
        | Command::Toggle
        | Command::CloseSiblings
        | Command::OpenSiblings
        | Command::NextChange
        | Command::PreviousChange => true,
        Command::Search => model
            .detail
            .as_ref()
            .is_some_and(|detail| detail.history().is_some()),
        Command::NextMatch | Command::PreviousMatch => !model.search.field.value().is_empty(),
    }
}

/// Writes what can be done here; where there is no room for all of it, what matters most.
fn footer(model: &Model, area: Rect, buffer: &mut Buffer) {
    let mut items: Vec<_> = command::of(context(model))
        .filter(|entry| applies(model, entry.command))
        .filter_map(|entry| {
            let (footer, key) = (entry.footer?, entry.keys.first()?);
            let item =
                Line::of(key.to_string(), Role::Key).with(format!(" {}", footer.word), Role::Quiet);
            Some((footer.rank, item))
        })
        .collect();
    let taken = |items: &[(u8, Line)]| {
        items
            .iter()
            .map(|(_, item)| item.width() + 3)
            .sum::<usize>()
    };
    while taken(&items) > usize::from(area.width) + 1 {
        let last = items.iter().map(|(rank, _)| *rank).max();
        items.retain(|(rank, _)| Some(*rank) != last);
    }
    let mut line = Line::of(" ", Role::Text);
    for (number, (_, item)) in items.into_iter().enumerate() {
        line.push(if number > 0 { "   " } else { "" }, Role::Text);
        line.append(item);
    }
    line.draw(area, buffer, model.theme);
}
