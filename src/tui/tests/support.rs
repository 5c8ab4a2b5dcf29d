//! A world of a few jobs, and a stage on which the screen is played.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::domain::diff;
use crate::domain::history::{Folding, Run, RunRecord, RunStatus, Stored, Timeline};
use crate::domain::id::{Matches, StateId};
use crate::domain::job::{Job, Listed};
use crate::domain::json::search::search;
use crate::domain::moment::Stamp;
use crate::domain::state::{Content, State};
use crate::domain::ui::{Key, KeyPress, Theme};
use crate::report::{Fault, Report};
use crate::tui::screen::detail::History;
use crate::tui::view::render;
use crate::tui::{Effect, Message, Model, Setup, SourceSetup, update};

/// What time it is in every test.
pub fn now() -> Timestamp {
    "2026-11-30T06:00:00Z".parse().unwrap()
}

/// Holds a job as a source has it.
#[derive(Clone)]
pub struct Known {
    pub id: StateId,
    pub records: Vec<RunRecord>,
    pub stored: Option<Stored>,
}

impl Known {
    /// Makes a job that has only an ID.
    pub fn new(id: &str) -> Self {
        Self {
            id: StateId::from(id),
            records: Vec::new(),
            stored: None,
        }
    }

    /// Adds a run, with the state that it left, if any.
    pub fn ran(mut self, status: RunStatus, ended: &str, payload: Option<&str>) -> Self {
        let row = i64::try_from(self.records.len()).unwrap() + 1;
        let running = status == RunStatus::Running;
        let stamp = || Some(Stamp::utc(ended));
        let run = Run {
            row,
            state_id: self.id.clone(),
            run_id: Some(format!("01a22ebf41c27c5e{row:016x}")),
            status,
            started_at: stamp().map(|stamp| {
                Stamp::utc(
                    (stamp.instant.unwrap() - jiff::SignedDuration::from_secs(723)).to_string(),
                )
            }),
            ended_at: if running { None } else { stamp() },
            heartbeat_at: if running { stamp() } else { None },
            trigger: None,
            flags: payload.map(|_| 1),
        };
        let payload = Content::read(Some(payload.unwrap_or("{}")));
        self.records.push(RunRecord { run, payload });
        self
    }

    /// Sets what the source holds.
    pub fn holds(self, completed: &str) -> Self {
        self.holds_parts(completed, "{}")
    }

    /// Sets both parts that the source holds.
    pub fn holds_parts(mut self, completed: &str, partial: &str) -> Self {
        self.stored = Some(Stored::of_content(
            State::meltano(Content::read(Some(completed)), Content::read(Some(partial))),
            Some(Stamp::utc("2026-11-30 04:00:00")),
        ));
        self
    }

    pub fn job(&self) -> Job {
        let last = |edit: bool| {
            let runs = self.records.iter().rev().map(|record| &record.run);
            runs.clone()
                .find(|run| (run.status == RunStatus::StateEdit) == edit)
                .cloned()
        };
        let listed = Listed {
            id: self.id.clone(),
            stored: self.stored.clone(),
            last_run: last(false),
            last_edit: last(true),
            beside: crate::domain::job::Beside::default(),
        };
        Job::summarize(listed, &"sqlite:///meltano.db".into())
    }

    pub fn timeline(&self) -> Arc<Timeline> {
        Arc::new(Timeline::build(
            self.id.clone(),
            self.records.clone(),
            Folding::Written,
            self.stored.clone(),
        ))
    }
}

/// Holds a source: its jobs, or why it cannot be read.
pub type Source = Result<Vec<Known>, Report>;

/// Makes the failure of a source.
pub fn denied() -> Report {
    Report::new(Fault::Denied, "cannot read sqlite:///old.db")
        .because("permission denied")
        .hint("run as a user who may read it, or copy it")
}

/// Holds a screen, and the sources that answer it.
pub struct Stage {
    pub model: Model,
    pub sources: Vec<Source>,
    effects: VecDeque<Effect>,
    pub quit: bool,
    pub copied: Option<String>,
}

impl Stage {
    /// Opens a screen; nothing is answered yet.
    pub fn silent(width: u16, height: u16, sources: Vec<Source>) -> Self {
        let names = ["meltano.db", "staging.db", "old.db"];
        let about = |name: &&str| SourceSetup {
            title: (*name).to_owned(),
            kind: "sqlite".to_owned(),
            elsewhere: None,
        };
        let (model, effects) = Model::new(Setup {
            sources: names.iter().take(sources.len()).map(about).collect(),
            size: Size { width, height },
            now: now(),
            zone: TimeZone::UTC,
            theme: Theme::Ansi,
            ascii: false,
        });
        Self {
            model,
            sources,
            effects: effects.into(),
            quit: false,
            copied: None,
        }
    }

    /// Opens a screen on one source, and answers what it asks.
    pub fn of(width: u16, height: u16, jobs: Vec<Known>) -> Self {
        let mut stage = Self::silent(width, height, vec![Ok(jobs)]);
        stage.answer();
        stage
    }

    /// Keeps effects to be answered.
    pub fn later(&mut self, effects: Vec<Effect>) {
        self.effects.extend(effects);
    }

    /// Sends a message; gives what the screen asks for, which is not answered.
    pub fn send(&mut self, message: Message) -> Vec<Effect> {
        update(&mut self.model, message)
    }

    /// Presses keys, written as `j Enter Ctrl-d`, and answers what the screen asks for meanwhile.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.split(' ') {
            let effects = self.send(Message::Key(press(key)));
            self.effects.extend(effects);
            self.answer();
        }
        self
    }

    /// Presses keys, and answers nothing.
    pub fn press_only(&mut self, keys: &str) -> &mut Self {
        for key in keys.split(' ') {
            self.send(Message::Key(press(key)));
        }
        self
    }

    /// Types text, a key a character.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            let effects = self.send(Message::Key(KeyPress::char(c)));
            self.effects.extend(effects);
            self.answer();
        }
        self
    }

    /// Answers what the screen asks for, until it asks for nothing more.
    pub fn answer(&mut self) {
        while let Some(effect) = self.effects.pop_front() {
            for message in self.answers(effect) {
                let more = self.send(message);
                self.effects.extend(more);
            }
        }
    }

    /// Answers lists; every job fails to be read.
    pub fn answer_but_loads(&mut self, report: &Report) {
        while let Some(effect) = self.effects.pop_front() {
            let messages = match effect {
                Effect::Load { ticket, .. } => vec![Message::Loaded {
                    ticket,
                    outcome: Err(report.clone()),
                }],
                other => self.answers(other),
            };
            for message in messages {
                let more = self.send(message);
                self.effects.extend(more);
            }
        }
    }

    fn answers(&mut self, effect: Effect) -> Vec<Message> {
        match effect {
            Effect::List { source, ticket } => {
                let (jobs, outcome) = match &self.sources[source] {
                    Ok(known) => (known.iter().map(Known::job).collect(), Ok(())),
                    Err(report) => (Vec::new(), Err(report.clone())),
                };
                let jobs = Message::Jobs {
                    source,
                    ticket,
                    generation: 0,
                    jobs,
                };
                let end = Message::Listed {
                    source,
                    ticket,
                    outcome,
                };
                vec![jobs, end]
            }
            Effect::Load { source, id, ticket } => {
                let known = self.sources[source].as_ref().unwrap();
                let job = known.iter().find(|known| known.id == id).unwrap();
                let outcome = Ok(job.timeline());
                vec![Message::Loaded { ticket, outcome }]
            }
            Effect::Filter {
                ticket,
                names,
                query,
                previous,
            } => {
                let matches = Matches::find(&names, &query, previous.as_ref(), &|| false).unwrap();
                vec![Message::Filtered { ticket, matches }]
            }
            Effect::Compare {
                ticket,
                left,
                right,
            } => {
                let diff = Arc::new(diff::diff(&left, &right));
                vec![Message::Compared { ticket, diff }]
            }
            Effect::Search {
                ticket,
                document,
                needle,
            } => {
                let found = search(&document, &needle, &|| false).unwrap();
                vec![Message::Searched { ticket, found }]
            }
            Effect::StopSearch | Effect::Suspend | Effect::Mouse(_) => Vec::new(),
            Effect::Copy(text) => {
                self.copied = Some(text);
                Vec::new()
            }
            Effect::Quit => {
                self.quit = true;
                Vec::new()
            }
        }
    }

    /// Gives what the screen asked for and nobody answered.
    pub fn asked(&mut self) -> Vec<Effect> {
        self.effects.drain(..).collect()
    }

    /// Gives the answer to a filter.
    pub fn find(effect: &Effect) -> Matches {
        let Effect::Filter {
            names,
            query,
            previous,
            ..
        } = effect
        else {
            panic!("{effect:?} is no filter");
        };
        Matches::find(names, query, previous.as_ref(), &|| false).unwrap()
    }

    /// Gives the job under the cursor.
    pub fn selected(&self) -> &str {
        self.model.jobs.selected().unwrap().job.id.as_str()
    }

    /// Gives the timeline and what is shown of it.
    pub fn history(&self) -> &History {
        self.model.detail.as_ref().unwrap().history().unwrap()
    }

    /// Gives the number of the selected snapshot, and of how many.
    pub fn place(&self) -> (usize, usize) {
        let history = self.history();
        (
            history.snapshot().unwrap().number,
            history.timeline.snapshots.len(),
        )
    }

    /// Gives the line that says what is under the cursor.
    pub fn status(&self) -> String {
        let screen = self.screen();
        screen.lines().rev().nth(1).unwrap().to_owned()
    }

    /// Draws the screen.
    pub fn buffer(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::from((
            ratatui::layout::Position::ORIGIN,
            self.model.size,
        )));
        render(&self.model, &mut buffer);
        buffer
    }

    /// Draws the screen as text.
    pub fn screen(&self) -> String {
        text(&self.buffer())
    }
}

/// Writes a buffer as text, without the blanks at the ends of lines.
pub fn text(buffer: &Buffer) -> String {
    let mut lines = Vec::new();
    for y in buffer.area.rows() {
        let mut line = String::new();
        let mut x = y.x;
        while x < y.right() {
            let symbol = buffer[(x, y.y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(symbol.width()).unwrap().max(1);
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

fn press(key: &str) -> KeyPress {
    match key {
        "Enter" => KeyPress::of(Key::Enter),
        "Esc" => KeyPress::of(Key::Esc),
        "Tab" => KeyPress::of(Key::Tab),
        "Space" => KeyPress::char(' '),
        "Backspace" => KeyPress::of(Key::Backspace),
        "PgDn" => KeyPress::of(Key::PageDown),
        _ => match key.strip_prefix("Ctrl-") {
            Some(c) => KeyPress::ctrl(c.chars().next().unwrap()),
            None => KeyPress::char(key.chars().next().unwrap()),
        },
    }
}

/// Writes a state of two streams, one of them with partitions.
pub fn github(api: &str, web: &str, issues: &str) -> String {
    format!(
        r#"{{"singer_state": {{"bookmarks": {{"commits": {{"partitions": [{{"context": {{"org": "acme", "repo": "api"}}, "replication_key": "updated_at", "replication_key_value": "{api}"}}, {{"context": {{"org": "acme", "repo": "web"}}, "replication_key": "updated_at", "replication_key_value": "{web}"}}]}}, "issues": {{"since": "{issues}"}}, "events": {{"id": 8812331}}}}}}}}"#
    )
}

/// Makes the jobs that most screens show.
pub fn jobs() -> Vec<Known> {
    let first = github(
        "2026-11-28T03:59:58Z",
        "2026-11-28T04:00:31Z",
        "2026-11-28T03:50:00Z",
    );
    let second = github(
        "2026-11-29T04:00:12Z",
        "2026-11-29T04:01:00Z",
        "2026-11-29T03:50:00Z",
    );
    let third = github(
        "2026-11-30T03:59:58Z",
        "2026-11-12T00:00:00Z",
        "2026-11-30T03:50:00Z",
    );
    vec![
        Known::new("dev:tap-github-to-target-jsonl")
            .ran(RunStatus::Success, "2026-11-28 04:12:03", Some(&first))
            .ran(RunStatus::Success, "2026-11-29 04:12:03", Some(&second))
            .ran(RunStatus::Success, "2026-11-29 16:12:03", None)
            .ran(RunStatus::StateEdit, "2026-11-29 17:40:00", Some(&second))
            .ran(RunStatus::Success, "2026-11-30 04:12:03", Some(&third))
            .holds(&third),
        Known::new("prod:tap-github-to-target-snowflake")
            .ran(RunStatus::Success, "2026-11-30 03:12:03", Some(&second))
            .ran(RunStatus::Running, "2026-11-30 05:59:58", None)
            .holds(&second),
        Known::new("prod:tap-shopify-to-target-bigquery:eu")
            .ran(RunStatus::Fail, "2026-11-30 01:00:00", None)
            .holds_parts(
                r#"{"singer_state": {"bookmarks": {"a": 1}}}"#,
                r#"{"singer_state": {"bookmarks": {"a": {"x": 1}}}}"#,
            ),
        Known::new("prod:tap-killed-to-target-bigquery")
            .ran(RunStatus::Running, "2026-11-27 01:00:00", None)
            .holds(r#"{"singer_state": {}}"#),
        Known::new("Nachtabgleich Größe 日本語 🚀")
            .holds(r#"{"singer_state": {"bookmarks": {"größe 日本語": {"id": 7}}}}"#),
        Known::new("dev:tap-postgres-to-target-jsonl").ran(
            RunStatus::Success,
            "2026-11-25 04:00:00",
            Some(&first),
        ),
    ]
}
