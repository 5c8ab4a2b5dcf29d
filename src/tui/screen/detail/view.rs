//! How the selected job is drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Content, Detail, History, Standing};
use crate::domain::history::{Agreement, RunStatus, Snapshot};
use crate::domain::mark::{self, Mark};
use crate::domain::moment;
use crate::domain::quantity::count;
use crate::domain::ui::Role;
use crate::tui::layout::Place;
use crate::tui::model::{Model, Pane, Tab};
use crate::tui::screen::jobs::{lines, reported};
use crate::tui::text::{Line, elide_middle, note, width, width_up_to, wrap};
use crate::tui::widget::{frame, strip};
use crate::tui::words;

/// Says where the parts of the pane are.
struct Parts {
    heading: Option<Rect>,
    strip: Rect,
    facts: Rect,
    notes: Rect,
    /// The line with the tabs; of a framed pane as wide as the frame.
    tabs: Rect,
    /// The field for what is looked for.
    field: Rect,
    body: Rect,
}

fn parts(model: &Model, place: Place) -> Parts {
    let mut left = place.inner;
    let mut take = |wanted: usize| {
        let height = u16::try_from(wanted).unwrap_or(u16::MAX).min(left.height);
        let taken = Rect { height, ..left };
        left.y += height;
        left.height -= height;
        taken
    };
    let history = model.detail.as_ref().and_then(Detail::history);
    let known = usize::from(history.is_some());
    let heading = (!place.framed).then(|| take(1));
    let strip = take(known);
    let facts = take(known);
    let most = usize::from(place.inner.height / 5);
    let notes = take(
        notes(history, usize::from(place.inner.width))
            .len()
            .min(most),
    );
    let mut tabs = take(known);
    let looks_for = model.search.editing || !model.search.field.value().is_empty();
    let field = take(usize::from(
        history.is_some() && model.tab != Tab::Diff && looks_for,
    ));
    if place.framed {
        tabs.x = place.outer.x;
        tabs.width = place.outer.width;
    }
    Parts {
        heading,
        strip,
        facts,
        notes,
        tabs,
        field,
        body: left,
    }
}

/// Gives how many cells wide and high the body is.
pub fn page(model: &Model, place: Place) -> (usize, usize) {
    let body = parts(model, place).body;
    (usize::from(body.width), usize::from(body.height))
}

/// Does what a click at a place of the pane means: selects the snapshot, or the row, that is there.
pub fn click(model: &mut Model, place: Place, at: Position) {
    let parts = parts(model, place);
    let tab = model.tab;
    let Some(history) = model.detail.as_ref().and_then(Detail::history) else {
        return;
    };
    let snapshot = parts.strip.contains(at).then(|| {
        let room = strip_room(model, history, usize::from(parts.strip.width));
        let all = history.timeline.snapshots.len();
        strip::place_at(all, history.place, room, usize::from(at.x - parts.strip.x))
    });
    let Some(history) = model.detail.as_mut().and_then(Detail::history_mut) else {
        return;
    };
    if let Some(Some(place)) = snapshot {
        history.go(place);
    } else if parts.body.contains(at) {
        let row = usize::from(at.y - parts.body.y);
        history.put_on_row(tab, row, usize::from(parts.body.width));
    }
}

/// Draws the pane; gives where the terminal's cursor belongs while keys go to a field.
pub fn view(model: &Model, place: Place, buffer: &mut Buffer) -> Option<Position> {
    let parts = parts(model, place);
    let focused = model.focus == Pane::Detail;
    let title = heading(model, usize::from(place.outer.width).saturating_sub(4));
    match parts.heading {
        None => frame::draw(
            place.outer,
            title,
            Line::new(),
            focused,
            model.theme,
            buffer,
        ),
        Some(area) => title.draw(area, buffer, model.theme),
    }
    let columns = usize::from(parts.body.width);
    let said = |sentences: Vec<Line>, buffer: &mut Buffer| -> Option<Position> {
        for (area, line) in lines(parts.body).zip(sentences) {
            line.draw(area, buffer, model.theme);
        }
        None
    };
    let Some(detail) = &model.detail else {
        return said(
            quiet("A job's timeline and state appear here.", columns),
            buffer,
        );
    };
    match &detail.content {
        Content::Nothing => said(quiet("Reading …", columns), buffer),
        Content::Failed(report) => said(reported(report, columns), buffer),
        Content::Ready(history) => {
            head(model, history, &parts, buffer);
            tabs(model, history, place, &parts, buffer);
            let cursor = field(model, history, parts.field, buffer);
            let page = usize::from(parts.body.height);
            let rows = body(model, history, columns, page);
            for (area, (line, under)) in lines(parts.body).zip(rows) {
                let over = match (under, focused) {
                    (true, true) => Some(Role::Cursor),
                    (true, false) => Some(Role::Selected),
                    (false, _) => None,
                };
                line.draw_over(area, buffer, model.theme, over);
            }
            cursor
        }
    }
}

/// Draws what is looked for and how often it was found; gives where the cursor belongs while keys go there.
fn field(model: &Model, history: &History, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let standing = match history.search_standing(model.tab) {
        None => Line::new(),
        Some(Standing::Searching) => Line::of("searching …", Role::Busy),
        Some(Standing::Found { all: 0, .. }) => Line::of("not found", Role::Warning),
        Some(Standing::Found { all, at: None }) => {
            Line::of(format!("{} found", count(all)), Role::Quiet)
        }
        Some(Standing::Found { all, at: Some(at) }) => {
            Line::of(format!("{} of {}", count(at), count(all)), Role::Quiet)
        }
    };
    let search = &model.search;
    let position = search.field.draw("/", standing, area, buffer, model.theme);
    position.filter(|_| search.editing && model.focus == Pane::Detail)
}

fn quiet(sentence: &str, columns: usize) -> Vec<Line> {
    let lines = wrap(sentence, columns).into_iter();
    lines.map(|line| Line::of(line, Role::Quiet)).collect()
}

fn heading(model: &Model, columns: usize) -> Line {
    let Some(detail) = &model.detail else {
        return Line::of("Job", Role::Title);
    };
    let busy = if detail.is_reading() { " …" } else { "" };
    let room = columns.saturating_sub(width(busy));
    Line::of(words::id(&detail.id, room), Role::Title).with(busy, Role::Busy)
}

/// Says which snapshot is selected, of how many, and when it was left.
fn place_of(model: &Model, history: &History) -> Line {
    let all = history.timeline.snapshots.len();
    let snapshot = history.snapshot();
    Line::of(
        format!("{} of {}", count(history.place + 1), count(all)),
        Role::Quiet,
    )
    .with(" · ", Role::Quiet)
    .with(
        snapshot.map_or_else(String::new, |snapshot| moment_of(snapshot, model)),
        Role::Text,
    )
}

/// Gives how many cells the strip has.
fn strip_room(model: &Model, history: &History, columns: usize) -> usize {
    columns.saturating_sub(place_of(model, history).width() + 2)
}

fn head(model: &Model, history: &History, parts: &Parts, buffer: &mut Buffer) {
    let snapshots = &history.timeline.snapshots;
    let columns = usize::from(parts.strip.width);
    let place = place_of(model, history);
    let room = strip_room(model, history, columns);
    strip::strip(snapshots, history.place, marked_place(model, history), room)
        .and_right(place, columns)
        .draw(parts.strip, buffer, model.theme);
    let facts = facts(model, history);
    let origin = history.snapshot().filter(|snapshot| {
        snapshot
            .run()
            .is_some_and(|run| run.status != RunStatus::StateEdit)
    });
    let origin = origin.map_or_else(Line::new, |snapshot| {
        Line::of(words::origin(snapshot), Role::Quiet)
    });
    facts
        .and_right(origin, columns)
        .draw(parts.facts, buffer, model.theme);
    for (area, line) in lines(parts.notes).zip(notes(Some(history), columns)) {
        line.draw(area, buffer, model.theme);
    }
}

/// Finds the marked snapshot in the timeline.
fn marked_place(model: &Model, history: &History) -> Option<usize> {
    let detail = model.detail.as_ref()?;
    let mark = model.mark.as_ref()?;
    let is_it = |snapshot: &Snapshot| mark.is(detail.source, &detail.id, snapshot);
    history.timeline.snapshots.iter().position(is_it)
}

/// Says when a snapshot was left; of `now`, that it is now.
fn moment_of(snapshot: &Snapshot, model: &Model) -> String {
    if snapshot.is_now() {
        return "now".to_owned();
    }
    match &snapshot.at {
        None => "no time".to_owned(),
        Some(stamp) => match stamp.instant {
            Some(at) => words::when(at, model.now, &model.zone),
            None => stamp.to_string(),
        },
    }
}

/// Says in one line what the selected snapshot is.
fn facts(model: &Model, history: &History) -> Line {
    let Some(snapshot) = history.snapshot() else {
        return Line::new();
    };
    let Some(run) = snapshot.run() else {
        return Line::of(now_facts(history, snapshot), Role::Text);
    };
    let mark = mark::of_snapshot(snapshot);
    let mut line = Line::of(words::standing(run, model.now), mark.role);
    if snapshot.wrote.is_empty() {
        line.push(" · left no state", Role::Text);
    } else if let Some(changes) = &history.changes
        && history.is_against_before()
    {
        line.push(" · ", Role::Text);
        line.append(changes.summary());
    }
    if let Some(length) = run.length()
        && run.status != RunStatus::StateEdit
    {
        line.push(format!(" · {}", moment::duration(length)), Role::Text);
    }
    line
}

fn now_facts(history: &History, snapshot: &Snapshot) -> &'static str {
    match history.agreement() {
        _ if snapshot.state.is_none() => "now · no state",
        Some(Agreement::NoRuns) => "now · no run of it is known",
        Some(Agreement::Same) => "now · as the last run left it",
        Some(Agreement::Upgraded) => "now · as an upgrade computed it",
        Some(Agreement::Imported) => "now · imported",
        Some(Agreement::Cleared | Agreement::Unexplained | Agreement::Untraced) | None => "now",
    }
}

/// Lists what is to be known of the selected snapshot: how `now` relates to the runs, why a payload did not count, and the
/// run's own error. Each takes two lines at most.
fn notes(history: Option<&History>, columns: usize) -> Vec<Line> {
    let Some((history, snapshot)) =
        history.and_then(|history| Some((history, history.snapshot()?)))
    else {
        return Vec::new();
    };
    let error = snapshot.error.as_ref().map(|text| {
        let first = text.lines().find(|line| !line.trim().is_empty());
        first.unwrap_or_default().trim()
    });
    let sentence = history
        .agreement()
        .filter(|agreement| **agreement != Agreement::NoRuns)
        .and_then(Agreement::sentence);
    let found = [
        (sentence, Role::Warning),
        (snapshot.trouble.as_deref(), Role::Warning),
        (error, Role::Bad),
    ];
    found
        .into_iter()
        .filter_map(|(text, role)| Some((text?, role)))
        .flat_map(|(text, role)| {
            note(
                Mark {
                    role,
                    ..mark::FINDING
                },
                text,
                columns,
            )
        })
        .collect()
}

fn tabs(model: &Model, history: &History, place: Place, parts: &Parts, buffer: &mut Buffer) {
    if parts.tabs.is_empty() {
        return;
    }
    let sides = match model.tab {
        Tab::State | Tab::Json => marked(model),
        Tab::Diff => sides(model, history),
    };
    let mut names = tab_names(model.tab, true);
    if names.width() + sides.width() + 5 > usize::from(parts.tabs.width) && !sides.is_empty() {
        names = tab_names(model.tab, false);
    }
    if place.framed {
        let y = parts.tabs.y - place.outer.y;
        let focused = model.focus == Pane::Detail;
        frame::divide(place.outer, y, (names, sides), focused, model.theme, buffer);
    } else {
        names
            .and_right(sides, usize::from(parts.tabs.width))
            .draw(parts.tabs, buffer, model.theme);
    }
}

/// Names the tabs, the shown one in brackets, or only that one.
fn tab_names(shown: Tab, all: bool) -> Line {
    let mut names = Line::new();
    for (tab, name) in [
        (Tab::State, "State"),
        (Tab::Json, "JSON"),
        (Tab::Diff, "Diff"),
    ] {
        if tab == shown {
            names.push(format!("[{name}]"), Role::Title);
        } else if all {
            names.push(format!(" {name} "), Role::Quiet);
        }
    }
    names
}

/// Names the marked snapshot, with its job where that is another one than the selected.
fn marked(model: &Model) -> Line {
    let Some(mark) = &model.mark else {
        return Line::new();
    };
    let of = |detail: &Detail| mark.is_of(detail.source, &detail.id);
    let mut line = Line::of(format!("{} ", mark::MARKED.sign), mark::MARKED.role);
    if !model.detail.as_ref().is_some_and(of) {
        line.push(format!("{} ", words::id(&mark.id, 24)), Role::Text);
    }
    line.with(moment_of(&mark.snapshot, model), Role::Text)
}

/// Names the two snapshots that are compared.
fn sides(model: &Model, history: &History) -> Line {
    let side = |snapshot: &Snapshot| match snapshot.run() {
        None => "now".to_owned(),
        Some(_) => moment_of(snapshot, model),
    };
    let after = history.snapshot().map_or_else(String::new, side);
    let before = if history.is_against_before() {
        let before = history.compared_with().map_or("nothing".to_owned(), side);
        Line::of(before, Role::Text)
    } else {
        marked(model)
    };
    before.with(" → ", Role::Quiet).with(after, Role::Text)
}

fn body(model: &Model, history: &History, columns: usize, page: usize) -> Vec<(Line, bool)> {
    let plain = |lines: Vec<Line>| lines.into_iter().map(|line| (line, false)).collect();
    match model.tab {
        Tab::State | Tab::Json => match history.snapshot() {
            Some(snapshot) if snapshot.state.is_none() => {
                plain(nothing(history, snapshot, columns))
            }
            _ => {
                let json = history.json().filter(|_| model.tab == Tab::Json);
                let rows = match json {
                    Some(json) => json.rows(columns, page),
                    None => history.body.rows(model, columns, page),
                };
                match history.needle() {
                    Some(needle) => rows
                        .into_iter()
                        .map(|(line, under)| (line.highlighted(needle), under))
                        .collect(),
                    None => rows,
                }
            }
        },
        Tab::Diff => match (&history.changes, history.sides()) {
            (Some(changes), _) if changes.is_empty() => {
                plain(unchanged(history, changes.is_identical(), columns))
            }
            (Some(changes), _) => {
                let mut rows = vec![(changes.counted(), false)];
                rows.extend(changes.rows(columns, page.saturating_sub(1)));
                rows
            }
            (None, Ok(_)) => plain(quiet("Comparing …", columns)),
            (None, Err(why)) => plain(quiet(&why, columns)),
        },
    }
}

/// Says that there is no state, and where the last one is.
fn nothing(history: &History, snapshot: &Snapshot, columns: usize) -> Vec<Line> {
    let mut lines = quiet(
        if snapshot.is_now() {
            "The source holds no state for this job: its next run reads everything."
        } else {
            "No run had left a state yet."
        },
        columns,
    );
    let earlier = history.timeline.snapshots.iter().take(history.place);
    let known = earlier.rev().find(|snapshot| snapshot.state.is_some());
    if let Some(known) = known {
        let hint = format!(
            "The last known one is snapshot {}: h goes there.",
            known.number
        );
        lines.extend(quiet(&hint, columns));
    }
    lines
}

fn unchanged(history: &History, identical: bool, columns: usize) -> Vec<Line> {
    let said = if history.is_against_before() {
        "Nothing changed."
    } else {
        "Nothing differs from the marked snapshot."
    };
    let mut lines = quiet(said, columns);
    if !identical {
        lines.extend(quiet(
            "The bytes differ: blanks, escapes, or the order of keys.",
            columns,
        ));
    }
    if history.is_against_before()
        && history.snapshot().is_some_and(Snapshot::is_now)
        && history.timeline.snapshots.len() > 1
    {
        lines.extend(quiet("h steps to what the last run changed.", columns));
    }
    lines
}

/// Says what is under the cursor: its pointer, and its value as it is stored.
pub fn status(model: &Model, columns: usize) -> Line {
    let Some(history) = model.detail.as_ref().and_then(Detail::history) else {
        return Line::new();
    };
    let (pointer, value) = match model.tab {
        Tab::State | Tab::Json => match history.under_cursor(model.tab) {
            None => return Line::new(),
            Some(node) if node.is_container() => (node.pointer().to_string(), words::value(node)),
            Some(node) => (node.pointer().to_string(), node.raw().to_owned()),
        },
        Tab::Diff => match history.changes.as_ref().and_then(super::Changes::status) {
            None => return Line::new(),
            Some(status) => status,
        },
    };
    let wanted = width_up_to(&value, columns / 2).min(columns / 2);
    let room = columns.saturating_sub(wanted + 2);
    Line::of(elide_middle(&pointer, room), Role::Quiet)
        .with("  ", Role::Text)
        .with(value, Role::Text)
}
