//! The jobs of all sources, and the filter over them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::{Input, InputRequest};

use crate::domain::history::RunStatus;
use crate::domain::id::{Matches, NameIndex, StateId};
use crate::domain::job::Job;
use crate::domain::lint::Severity;
use crate::domain::moment;
use crate::domain::ui::{Key, KeyPress, Role};
use crate::report::Report;
use crate::tui::command::Step;
use crate::tui::layout::Place;
use crate::tui::marks;
use crate::tui::message::{Effect, Ticket};
use crate::tui::model::{Model, Pane, Reading, Tickets};
use crate::tui::text::{Line, count, elide_middle, elide_start, width, wrap};
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::frame;

/// Up to how many names are filtered at once; more are filtered elsewhere, so that no key waits.
const FILTERED_AT_ONCE: usize = 4_096;

/// How wide the column of sources is.
const SOURCE_COLUMNS: usize = 12;

/// How wide the column of the run's age is.
const RUN_COLUMNS: usize = 7;

/// How wide the column of the bookmark's age is.
const BOOKMARK_COLUMNS: usize = 9;

/// Holds a job and the source that it is in.
#[derive(Debug, Clone)]
pub struct Row {
    /// The place of the source.
    pub source: usize,
    /// The job.
    pub job: Job,
}

/// Holds a question to the filter that has no answer yet.
#[derive(Debug, Clone)]
struct Wanted {
    ticket: Ticket,
    query: String,
}

/// Holds the jobs of all sources, which of them are shown, and the cursor among those.
#[derive(Debug, Default)]
pub struct Jobs {
    rows: Vec<Row>,
    names: NameIndex,
    field: Input,
    /// Whether keys go to the field.
    pub editing: bool,
    matches: Option<Matches>,
    wanted: Option<Wanted>,
    shown: Vec<u32>,
    cursor: Cursor,
}

impl Jobs {
    /// Gives the job under the cursor.
    pub fn selected(&self) -> Option<&Row> {
        self.at(self.cursor.at)
    }

    fn at(&self, position: usize) -> Option<&Row> {
        self.rows.get(*self.shown.get(position)? as usize)
    }

    /// Gives what the field holds.
    pub fn query(&self) -> &str {
        self.field.value()
    }

    /// Takes in jobs of one source, behind those that it gave before.
    pub fn add(&mut self, source: usize, jobs: Vec<Job>, tickets: &mut Tickets) -> Option<Effect> {
        for job in jobs {
            self.names.push(job.id.clone());
            self.rows.push(Row { source, job });
        }
        self.refilter(tickets)
    }

    /// Takes the jobs of one source out; the cursor stays on its job, by name, when that comes again.
    pub fn remove(&mut self, source: usize, tickets: &mut Tickets) -> Option<Effect> {
        let kept = self.selected().map(|row| (row.source, row.job.id.clone()));
        self.rows.retain(|row| row.source != source);
        self.names = self.rows.iter().map(|row| row.job.id.clone()).collect();
        self.matches = None;
        self.wanted = None;
        self.shown.clear();
        let effect = self.refilter(tickets);
        if let Some((source, id)) = kept {
            self.select(source, &id);
        }
        effect
    }

    /// Puts the cursor on a job, when it is shown.
    pub fn select(&mut self, source: usize, id: &StateId) {
        let is_it = |place: &u32| {
            self.rows
                .get(*place as usize)
                .is_some_and(|row| row.source == source && row.job.id == *id)
        };
        if let Some(position) = self.shown.iter().position(is_it) {
            self.cursor.at = position;
        }
    }

    /// Brings what is shown in line with the query and the names, or asks for that.
    fn refilter(&mut self, tickets: &mut Tickets) -> Option<Effect> {
        let query = self.field.value();
        if query.trim().is_empty() {
            self.matches = None;
            self.wanted = None;
            let all = self.in_order_of_sources();
            self.show(all);
            return None;
        }
        if self.names.len() > FILTERED_AT_ONCE {
            return self.ask(query.to_owned(), tickets);
        }
        self.wanted = None;
        let found = Matches::find(&self.names, query, self.matches.as_ref(), &|| false);
        self.take(found?);
        None
    }

    /// Asks for a filter; a question that already waits for the same is not asked again, so that rows that keep coming
    /// cannot put the answer off for ever.
    fn ask(&mut self, query: String, tickets: &mut Tickets) -> Option<Effect> {
        if self
            .wanted
            .as_ref()
            .is_some_and(|wanted| wanted.query == query)
        {
            return None;
        }
        let ticket = tickets.next();
        self.wanted = Some(Wanted {
            ticket,
            query: query.clone(),
        });
        Some(Effect::Filter {
            ticket,
            names: self.names.clone(),
            query,
            previous: self.matches.clone(),
        })
    }

    /// Takes in the answer of a filter; asks again when more names came meanwhile.
    pub fn filtered(
        &mut self,
        ticket: Ticket,
        matches: Matches,
        tickets: &mut Tickets,
    ) -> Option<Effect> {
        self.wanted.take_if(|wanted| wanted.ticket == ticket)?;
        let complete = matches.len == self.names.len();
        self.take(matches);
        if complete {
            None
        } else {
            self.refilter(tickets)
        }
    }

    /// Shows what matches: from the best match for a new query, with the cursor on its job for the same one.
    fn take(&mut self, matches: Matches) {
        let same = self
            .matches
            .as_ref()
            .is_some_and(|last| last.query == matches.query);
        if same {
            self.show(matches.places.clone());
        } else {
            self.shown.clone_from(&matches.places);
            self.cursor = Cursor::default();
        }
        self.matches = Some(matches);
    }

    /// Shows other rows, and keeps the cursor on its job.
    fn show(&mut self, places: Vec<u32>) {
        let kept = self.shown.get(self.cursor.at).copied();
        self.shown = places;
        let position = kept.and_then(|kept| self.shown.iter().position(|place| *place == kept));
        self.cursor.at = position.unwrap_or(0);
    }

    /// Lists all places, those of the first source first, each in the order of the source.
    fn in_order_of_sources(&self) -> Vec<u32> {
        let mut all: Vec<u32> = (0..u32::try_from(self.rows.len()).unwrap_or(u32::MAX)).collect();
        all.sort_by_key(|place| self.rows.get(*place as usize).map(|row| row.source));
        all
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, page: usize) {
        self.cursor.step(step, self.shown.len(), page);
    }

    /// Brings the cursor onto the screen.
    pub fn settle(&mut self, page: usize) {
        self.cursor.settle(self.shown.len(), page);
    }

    /// Empties the field and shows everything again, with the cursor on its job.
    pub fn clear(&mut self, tickets: &mut Tickets) -> Option<Effect> {
        self.editing = false;
        self.field.reset();
        self.refilter(tickets)
    }

    /// Takes a key into the field; keys that no field knows change nothing.
    pub fn edit(&mut self, press: KeyPress, tickets: &mut Tickets) -> Option<Effect> {
        self.field.handle(request(press)?)?;
        self.refilter(tickets)
    }

    /// Takes pasted text into the field, its line breaks as blanks.
    pub fn paste(&mut self, text: &str, tickets: &mut Tickets) -> Option<Effect> {
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            self.field.handle(InputRequest::InsertChar(c));
        }
        self.refilter(tickets)
    }
}

/// Says what a key does in a field of text.
fn request(press: KeyPress) -> Option<InputRequest> {
    Some(match (press.key, press.ctrl, press.alt) {
        (Key::Char(c), false, false) => InputRequest::InsertChar(c),
        (Key::Backspace, false, false) | (Key::Char('h'), true, false) => {
            InputRequest::DeletePrevChar
        }
        (Key::Backspace, ..) | (Key::Char('w'), true, false) => InputRequest::DeletePrevWord,
        (Key::Delete, false, false) => InputRequest::DeleteNextChar,
        (Key::Left, false, false) | (Key::Char('b'), true, false) => InputRequest::GoToPrevChar,
        (Key::Right, false, false) | (Key::Char('f'), true, false) => InputRequest::GoToNextChar,
        (Key::Left, ..) | (Key::Char('b'), false, true) => InputRequest::GoToPrevWord,
        (Key::Right, ..) | (Key::Char('f'), false, true) => InputRequest::GoToNextWord,
        (Key::Home, ..) | (Key::Char('a'), true, false) => InputRequest::GoToStart,
        (Key::End, ..) | (Key::Char('e'), true, false) => InputRequest::GoToEnd,
        (Key::Char('u'), true, false) => InputRequest::DeleteFromStart,
        (Key::Char('k'), true, false) => InputRequest::DeleteTillEnd,
        (Key::Char('y'), true, false) => InputRequest::Yank,
        _ => return None,
    })
}

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
    let failed = u16::try_from(failures(model).count()).unwrap_or(u16::MAX);
    let notes = take(failed.min(place.inner.height / 3));
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

/// Lists the sources that cannot be read; none when there is nothing else to show, for then the pane itself says why.
fn failures(model: &Model) -> impl Iterator<Item = (&str, &Report)> {
    let alone = model.sources.len() == 1 && model.jobs.rows.is_empty();
    model
        .sources
        .iter()
        .filter_map(move |source| match &source.reading {
            Reading::Failed(report) if !alone => Some((source.about.title.as_str(), report)),
            _ => None,
        })
}

/// Draws the pane; gives where the terminal's cursor belongs while the field is open.
pub fn view(model: &Model, place: Place, wide: bool, buffer: &mut Buffer) -> Option<Position> {
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
    for (area, (title, report)) in lines(parts.notes).zip(failures(model)) {
        Line::of(marks::BROKEN.sign, marks::BROKEN.role)
            .with(format!(" {title}  "), Role::Text)
            .with(report.cause.as_ref().unwrap_or(&report.message), Role::Bad)
            .draw(area, buffer, model.theme);
    }
    if model.jobs.shown.is_empty() {
        let columns = usize::from(parts.rows.width);
        for (area, line) in lines(parts.rows).zip(nothing(model, columns)) {
            line.draw(area, buffer, model.theme);
        }
        return cursor;
    }
    let table = Table::of(model, parts.rows.width, wide);
    table.titles().draw(parts.columns, buffer, model.theme);
    for (position, area) in (model.jobs.cursor.top..).zip(lines(parts.rows)) {
        let Some(row) = model.jobs.at(position) else {
            break;
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
    Line::of("Jobs", Role::Title)
        .with(counted, Role::Quiet)
        .with(if busy { " …" } else { "" }, Role::Busy)
}

/// Draws the query; gives where the cursor belongs while keys go to it. Of a query that is too long, what is around the
/// cursor is shown.
fn field(model: &Model, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let jobs = &model.jobs;
    let place = jobs.query().char_indices().nth(jobs.field.cursor());
    let (before, behind) = place.map_or((jobs.query(), ""), |(at, _)| jobs.query().split_at(at));
    let room = usize::from(area.width).saturating_sub(3);
    let before = elide_start(before, room);
    let cursor = 2 + width(&before);
    Line::of("/ ", Role::Key)
        .with(before, Role::Text)
        .with(behind, Role::Text)
        .draw(area, buffer, model.theme);
    let x = area
        .x
        .saturating_add(u16::try_from(cursor).unwrap_or(u16::MAX));
    (jobs.editing && !area.is_empty()).then_some(Position::new(x, area.y))
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
const LEAD: usize = 4;

/// What stands behind the ages: the sign of a finding.
const TRAIL: usize = 2;

impl Table {
    fn of(model: &Model, columns: u16, wide: bool) -> Self {
        let columns = usize::from(columns);
        let source = if model.sources.len() > 1 && columns >= 50 {
            SOURCE_COLUMNS
        } else {
            0
        };
        let bookmark = if wide { BOOKMARK_COLUMNS } else { 0 };
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
        let mark = marks::of_job(job, model.now);
        let mut line = Line::of(if under { "▸ " } else { "  " }, Role::Text);
        line.push(mark.sign, mark.role);
        line.push(" ", Role::Text);
        line.column(elide_middle(job.id.as_str(), self.id), Role::Text, self.id);
        if self.source > 0 {
            let source = model.sources.get(row.source);
            let title = source.map_or("", |source| source.about.title.as_str());
            line.column(format!(" {title}"), Role::Quiet, self.source);
        }
        let (age, role) = run_age(model, job);
        line.column_right(age, role, self.run);
        if self.bookmark > 0 {
            let ages = job.bookmark.as_ref();
            let age = ages.map_or("–".to_owned(), |ages| moment::age(ages.newest, model.now));
            line.column_right(age, Role::Text, self.bookmark);
        }
        if let Some(worst) = job.findings.iter().map(|finding| finding.severity).max() {
            line.push(format!(" {}", marks::FINDING.sign), severity(worst));
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
    if run.status == RunStatus::Running && !run.is_alive(model.now) {
        return ("stale".to_owned(), Role::Warning);
    }
    let at = run.at().and_then(|stamp| stamp.instant);
    let age = at.map_or("–".to_owned(), |at| moment::age(at, model.now));
    (age, Role::Text)
}

/// Says what is under the cursor: its worst finding, else its whole name.
pub fn status(model: &Model) -> Line {
    let Some(row) = model.jobs.selected() else {
        return Line::new();
    };
    let mut line = Line::of(row.job.id.as_str(), Role::Text);
    if model.sources.len() > 1
        && let Some(source) = model.sources.get(row.source)
    {
        line.push(format!("  in {}", source.about.title), Role::Quiet);
    }
    if let Some(worst) = row
        .job
        .findings
        .iter()
        .max_by_key(|finding| finding.severity)
    {
        let role = severity(worst.severity);
        line.push(format!("  {} {}", marks::FINDING.sign, worst.message), role);
    }
    line
}
