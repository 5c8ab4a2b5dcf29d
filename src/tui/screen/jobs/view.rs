//! How the jobs are drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect};

use super::Row;
use super::order::{Group, Head, ListLine};
use crate::domain::history::{Run, RunStatus};
use crate::domain::job::Job;
use crate::domain::lint::Severity;
use crate::domain::mark;
use crate::domain::moment;
use crate::domain::quantity::{self, count};
use crate::domain::ui::Role;
use crate::report::Report;
use crate::tui::layout::Place;
use crate::tui::model::{Model, Pane, Reading, SourceView};
use crate::tui::text::{Line, note, paragraph, wrap};
use crate::tui::widget::frame;
use crate::tui::words;

/// From how many columns on the age of the newest bookmark is shown: what one of two panes has on 100 columns.
const BOOKMARKS: usize = 41;

/// From how many columns on the source is shown, where there are several.
const SOURCES: usize = 50;

/// How wide the column of sources is.
const SOURCE_COLUMNS: usize = 12;

/// How wide the column of the run's age is.
const RUN_COLUMNS: usize = 6;

/// How wide the column of the bookmark's age is.
const BOOKMARK_COLUMNS: usize = 9;

/// Says where the parts of the pane are.
struct Parts {
    heading: Option<Rect>,
    field: Rect,
    notes: Rect,
    columns: Rect,
    rows: Rect,
}

fn parts(model: &Model, place: Place) -> Parts {
    let mut left = place.inner;
    let mut take = |wanted: u16| {
        let height = wanted.min(left.height);
        let taken = Rect { height, ..left };
        left.y += height;
        left.height -= height;
        taken
    };
    let heading = (!place.framed).then(|| take(1));
    let filtering = model.jobs.editing || !model.jobs.query().is_empty();
    let field = take(u16::from(filtering));
    let said = notes(model, usize::from(place.inner.width)).len();
    let said = u16::try_from(said).unwrap_or(u16::MAX);
    let notes = take(said.min(place.inner.height / 2));
    let columns = take(u16::from(place.framed));
    Parts {
        heading,
        field,
        notes,
        columns,
        rows: left,
    }
}

/// Counts the jobs that are on the screen at once.
pub fn page(model: &Model, place: Place) -> usize {
    usize::from(parts(model, place).rows.height)
}

/// Finds the line of the list at a place of the screen.
pub fn line_at(model: &Model, place: Place, at: Position) -> Option<usize> {
    let rows = parts(model, place).rows;
    let is_in = at.y >= rows.y && at.y < rows.bottom();
    is_in.then(|| model.jobs.cursor.top + usize::from(at.y - rows.y))
}

/// Says of each source that cannot be read why, and what else is to be said of it, a failure in two lines at most, and
/// not when there is nothing else to show, for then the pane itself says why.
fn notes(model: &Model, columns: usize) -> Vec<Line> {
    let is_said_elsewhere = model.sources.len() == 1 && model.jobs.rows.is_empty();
    let failure = |source: &SourceView| match &source.reading {
        Reading::Failed(report) if !is_said_elsewhere => Some(note(
            mark::BROKEN,
            &format!(
                "{}: {}",
                source.about.title,
                report.cause.as_ref().unwrap_or(&report.message)
            ),
            columns,
        )),
        _ => None,
    };
    let warning = |text: &String| paragraph(mark::FINDING, text, columns);
    let of = |source: &SourceView| {
        let warnings = source.warnings.iter().flat_map(warning);
        failure(source)
            .into_iter()
            .flatten()
            .chain(warnings)
            .collect::<Vec<_>>()
    };
    model.sources.iter().flat_map(of).collect()
}

/// Draws the pane; gives where the terminal's cursor belongs while the field is open.
pub fn view(model: &Model, place: Place, buffer: &mut Buffer) -> Option<Position> {
    let parts = parts(model, place);
    let focused = model.focus == Pane::Jobs;
    match parts.heading {
        None => frame::draw(
            place.outer,
            heading(model),
            Line::new(),
            focused,
            model.theme,
            buffer,
        ),
        Some(area) => heading(model).draw(area, buffer, model.theme),
    }
    let cursor = if parts.field.is_empty() {
        None
    } else {
        field(model, parts.field, buffer)
    };
    for (area, line) in lines(parts.notes).zip(notes(model, usize::from(parts.notes.width))) {
        line.draw(area, buffer, model.theme);
    }
    if model.jobs.shown.is_empty() {
        let area = parts.rows.inner(Margin::new(1, 0));
        for (area, line) in lines(area).zip(nothing(model, usize::from(area.width))) {
            line.draw(area, buffer, model.theme);
        }
        return cursor;
    }
    let table = Table::of(model, parts.rows.width);
    table.titles().draw(parts.columns, buffer, model.theme);
    for (number, area) in (model.jobs.cursor.top..).zip(lines(parts.rows)) {
        let (position, row) = match model.jobs.line(number) {
            None => break,
            Some(ListLine::Head(group)) => {
                head(model, group).draw(area, buffer, model.theme);
                continue;
            }
            Some(ListLine::Job(position, row)) => (position, row),
        };
        let under = position == model.jobs.cursor.at;
        let over = match (under, focused) {
            (true, true) => Some(Role::Cursor),
            (true, false) => Some(Role::Selected),
            (false, _) => None,
        };
        table
            .row(model, row, under)
            .draw_over(area, buffer, model.theme, over);
    }
    cursor
}

/// Splits an area into its rows.
pub fn lines(area: Rect) -> impl Iterator<Item = Rect> {
    (area.y..area.bottom()).map(move |y| Rect {
        y,
        height: 1,
        ..area
    })
}

/// Writes the line over a group: what it is a group of, and how many jobs it has.
fn head(model: &Model, head: &Head) -> Line {
    let name = match &head.group {
        Group::Environment(Some(name)) => name.as_str(),
        Group::Environment(None) => "no environment",
        Group::Source(source) => model
            .sources
            .get(*source)
            .map_or("", |source| source.about.title.as_str()),
    };
    Line::of(" ", Role::Text)
        .with(name, Role::Title)
        .with(format!(" {}", count(head.count)), Role::Quiet)
}

fn heading(model: &Model) -> Line {
    let jobs = &model.jobs;
    let (shown, all) = (jobs.shown.len(), jobs.rows.len());
    let counted = if jobs.matches.is_some() {
        format!(" {} of {}", count(shown), count(all))
    } else {
        format!(" {}", count(all))
    };
    let busy = jobs.wanted.is_some()
        || model
            .sources
            .iter()
            .any(|source| source.reading == Reading::Loading);
    let arranged: Vec<_> = [jobs.order.word(), jobs.grouping.word()]
        .into_iter()
        .flatten()
        .collect();
    let arranged = if arranged.is_empty() {
        String::new()
    } else {
        format!(" {}", arranged.join(", "))
    };
    Line::of("Jobs", Role::Title)
        .with(counted, Role::Quiet)
        .with(arranged, Role::Text)
        .with(if busy { " …" } else { "" }, Role::Busy)
}

/// Draws the query; gives where the cursor belongs while keys go to it.
fn field(model: &Model, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let jobs = &model.jobs;
    let position = jobs.field.draw("/", Line::new(), area, buffer, model.theme);
    position.filter(|_| jobs.editing)
}

/// Says why there are no jobs to see, and what would change that.
fn nothing(model: &Model, columns: usize) -> Vec<Line> {
    let failed = model
        .sources
        .iter()
        .find_map(|source| match &source.reading {
            Reading::Failed(report) => Some(report),
            Reading::Loading | Reading::Done => None,
        });
    if model.jobs.matches.is_some() {
        return said(&["No job matches.", "Esc drops the filter."], columns);
    }
    if let Some(report) = failed
        && model.sources.len() == 1
    {
        return reported(report, columns);
    }
    if model
        .sources
        .iter()
        .any(|source| source.reading == Reading::Loading)
    {
        let names: Vec<_> = model
            .sources
            .iter()
            .filter(|source| source.reading == Reading::Loading)
            .map(|source| source.about.title.as_str())
            .collect();
        return said(&[&format!("Reading {} …", names.join(", "))], columns);
    }
    said(
        &[
            "No jobs yet.",
            "The first `meltano run` of this project makes one.",
        ],
        columns,
    )
}

fn said(sentences: &[&str], columns: usize) -> Vec<Line> {
    let lines = sentences
        .iter()
        .flat_map(|sentence| wrap(sentence, columns));
    lines.map(|line| Line::of(line, Role::Quiet)).collect()
}

/// Writes a report over as many lines as it needs.
pub fn reported(report: &Report, columns: usize) -> Vec<Line> {
    let parts = [
        ("", Some(&report.message), Role::Bad),
        ("why: ", report.cause.as_ref(), Role::Text),
        ("try: ", report.hint.as_ref(), Role::Quiet),
    ];
    parts
        .into_iter()
        .filter_map(|(what, text, role)| Some((format!("{what}{}", text?), role)))
        .flat_map(|(text, role)| {
            let lines = wrap(&text, columns).into_iter();
            lines.map(move |line| Line::of(line, role))
        })
        .collect()
}

/// Holds how wide the columns are; 0 leaves one out.
struct Table {
    id: usize,
    source: usize,
    run: usize,
    bookmark: usize,
}

/// What stands before the IDs: the cursor's sign, the mark, and blanks.
const LEAD: usize = 3;

/// What stands behind the ages: the sign of a finding.
const TRAIL: usize = 2;

impl Table {
    fn of(model: &Model, columns: u16) -> Self {
        let columns = usize::from(columns);
        let source = if model.sources.len() > 1 && columns >= SOURCES {
            SOURCE_COLUMNS
        } else {
            0
        };
        let bookmark = if columns >= BOOKMARKS {
            BOOKMARK_COLUMNS
        } else {
            0
        };
        Self {
            id: columns.saturating_sub(LEAD + TRAIL + RUN_COLUMNS + source + bookmark),
            source,
            run: RUN_COLUMNS,
            bookmark,
        }
    }

    fn titles(&self) -> Line {
        let mut line = Line::of(" ".repeat(LEAD), Role::Text);
        line.column("state ID", Role::Quiet, self.id);
        if self.source > 0 {
            line.column(" source", Role::Quiet, self.source);
        }
        line.column_right("run", Role::Quiet, self.run);
        if self.bookmark > 0 {
            line.column_right("bookmark", Role::Quiet, self.bookmark);
        }
        line
    }

    fn row(&self, model: &Model, row: &Row, under: bool) -> Line {
        let job = &row.job;
        let mark = mark::of_job(job, model.now);
        let mut line = Line::of(if under { "▸" } else { " " }, Role::Text);
        line.push(mark.sign, mark.role);
        let marked = model.mark.as_ref();
        if marked.is_some_and(|marked| marked.is_of(row.source, &job.id)) {
            line.push(mark::MARKED.sign, mark::MARKED.role);
        } else {
            line.push(" ", Role::Text);
        }
        line.column(words::id(&job.id, self.id), Role::Text, self.id);
        if self.source > 0 {
            let source = model.sources.get(row.source);
            let title = source.map_or("", |source| source.about.title.as_str());
            line.column(format!(" {title}"), Role::Quiet, self.source);
        }
        let (age, role) = run_age(model, job);
        line.push(" ", Role::Text);
        line.column_right(age, role, self.run - 1);
        if self.bookmark > 0 {
            let ages = job.bookmark.as_ref();
            let age = ages.map_or("–".to_owned(), |ages| moment::age(ages.newest, model.now));
            line.column_right(age, Role::Text, self.bookmark);
        }
        if let Some(worst) = job.findings.iter().map(|finding| finding.severity).max() {
            line.push(format!(" {}", mark::FINDING.sign), severity(worst));
        }
        line
    }
}

/// Gives the look of a severity.
pub fn severity(severity: Severity) -> Role {
    match severity {
        Severity::Note => Role::Quiet,
        Severity::Warning => Role::Warning,
        Severity::Error => Role::Bad,
    }
}

fn run_age(model: &Model, job: &Job) -> (String, Role) {
    let Some(run) = job.last_run.as_ref().or(job.last_edit.as_ref()) else {
        return ("–".to_owned(), Role::Quiet);
    };
    if run.status == RunStatus::Running {
        return if run.is_alive(model.now) {
            ("now".to_owned(), Role::Busy)
        } else {
            ("stale".to_owned(), Role::Warning)
        };
    }
    let at = run.at().and_then(|stamp| stamp.instant);
    let age = at.map_or("–".to_owned(), |at| moment::age(at, model.now));
    (age, Role::Text)
}

fn held(job: &Job) -> String {
    let streams = job
        .streams
        .map(|streams| format!("{} · ", words::counted(streams, "stream", "streams")));
    if job.has_state {
        format!(
            "  {}{}",
            streams.unwrap_or_default(),
            quantity::bytes(job.size)
        )
    } else {
        "  no state".to_owned()
    }
}

/// Says what is under the cursor: its whole name, what is wrong with it, and what it holds.
pub fn status(model: &Model) -> Line {
    let Some(Row { source, job }) = model.jobs.selected() else {
        return Line::new();
    };
    let mut line = Line::of(words::id(&job.id, usize::MAX / 2), Role::Text);
    if let Some(worst) = job.findings.iter().max_by_key(|finding| finding.severity) {
        let role = severity(worst.severity);
        line.push(format!("  {} {}", mark::FINDING.sign, worst.message), role);
    }
    line.push(held(job), Role::Quiet);
    let newer = |edit: &&Run| job.last_run.as_ref().is_none_or(|run| edit.row > run.row);
    let edit = job.last_edit.as_ref().filter(newer);
    if let Some(at) = edit.and_then(|edit| edit.at()?.instant) {
        let ago = moment::age(at, model.now);
        line.push(format!("  edited by hand, {ago}"), Role::Edit);
    }
    if model.sources.len() > 1
        && let Some(source) = model.sources.get(*source)
    {
        line.push(format!("  in {}", source.about.title), Role::Quiet);
    }
    line
}
