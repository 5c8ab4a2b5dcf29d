//! Everything that the screen shows, and nothing else.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::layout::Size;

use super::layout::Layout;
use super::message::{Effect, Ticket};
use super::said::Messages;
use super::screen::detail::Detail;
use super::screen::jobs::Jobs;
use super::screen::palette::Palette;
use super::widget::cursor::Cursor;
use super::widget::field::Field;
use crate::domain::history::Snapshot;
use crate::domain::id::StateId;
use crate::domain::json::NodeId;
use crate::domain::ui::{Role, Theme};
use crate::report::Report;

/// Names what the screen is opened with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The sources to show.
    pub sources: Vec<SourceSetup>,
    /// How large the terminal is.
    pub size: Size,
    /// What time it is.
    pub now: Timestamp,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// How things look.
    pub theme: Theme,
    /// Whether the terminal shows nothing but ASCII.
    pub ascii: bool,
}

/// Describes one source, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSetup {
    /// Its short name.
    pub title: String,
    /// Its technology.
    pub kind: String,
    /// The place that the project's Meltano reads instead; `None`: this source is the live one.
    pub elsewhere: Option<String>,
}

/// Names the two halves of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The list of jobs.
    Jobs,
    /// The selected job.
    Detail,
}

/// Names what is shown of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// Its state, as streams and bookmarks.
    State,
    /// Its state, as JSON.
    Json,
    /// What it changed.
    Diff,
}

/// Holds a snapshot that others are compared with.
#[derive(Debug)]
pub struct Marked {
    /// Tells it from those that were marked before.
    pub ticket: Ticket,
    /// The place of its source.
    pub source: usize,
    /// Its job.
    pub id: StateId,
    /// The snapshot, as it was when it was marked.
    pub snapshot: Snapshot,
}

impl Marked {
    /// Tells whether it is this snapshot of this job.
    pub fn is(&self, source: usize, id: &StateId, snapshot: &Snapshot) -> bool {
        self.is_of(source, id) && self.snapshot.id == snapshot.id
    }

    /// Tells whether it is a snapshot of this job.
    pub fn is_of(&self, source: usize, id: &StateId) -> bool {
        self.source == source && self.id == *id
    }
}

/// Holds what is looked for in states; it stays from one snapshot, and one job, to the next.
#[derive(Debug, Default)]
pub struct Search {
    /// The text.
    pub field: Field,
    /// Whether keys go to the field.
    pub editing: bool,
    /// The value that the cursor was on when the field was opened.
    pub from: Option<NodeId>,
}

/// Says how far the reading of a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// It goes on.
    Loading,
    /// It is at its end.
    Done,
    /// It broke off, and why.
    Failed(Report),
}

/// Holds what is known of one source.
#[derive(Debug, Clone)]
pub struct SourceView {
    /// What it is.
    pub about: SourceSetup,
    /// The question that is being answered.
    pub ticket: Ticket,
    /// The question and the generation that its rows answer; `None`: it has none yet.
    pub rows_of: Option<(Ticket, u32)>,
    /// How far it is.
    pub reading: Reading,
    /// What is to be said of it, one sentence each.
    pub warnings: Vec<String>,
}

/// Counts tickets.
#[derive(Debug, Clone, Default)]
pub struct Tickets(u64);

impl Tickets {
    /// Gives a ticket that was never given.
    pub fn next(&mut self) -> Ticket {
        self.0 += 1;
        Ticket(self.0)
    }
}

/// Holds everything that the screen shows. Made by [`Model::new`], changed by [`super::update`], drawn by [`super::view`].
#[derive(Debug)]
pub struct Model {
    pub(super) size: Size,
    pub(super) now: Timestamp,
    pub(super) zone: TimeZone,
    pub(super) theme: Theme,
    pub(super) ascii: bool,
    /// Whether the mouse is listened to.
    pub(super) mouse: bool,
    pub(super) sources: Vec<SourceView>,
    pub(super) jobs: Jobs,
    pub(super) detail: Option<Detail>,
    pub(super) focus: Pane,
    pub(super) tab: Tab,
    /// How the state was shown before the diff was.
    pub(super) tab_before: Tab,
    pub(super) search: Search,
    pub(super) mark: Option<Arc<Marked>>,
    pub(super) messages: Messages,
    /// Whether it is asked what to copy.
    pub(super) copying: bool,
    pub(super) palette: Option<Palette>,
    pub(super) listed_messages: Option<Cursor>,
    pub(super) help: Option<Cursor>,
    pub(super) tickets: Tickets,
}

impl Model {
    /// Opens the screen; the effects ask for what it shows.
    pub fn new(setup: Setup) -> (Self, Vec<Effect>) {
        let mut tickets = Tickets::default();
        let sources: Vec<_> = setup
            .sources
            .into_iter()
            .map(|about| SourceView {
                about,
                ticket: tickets.next(),
                rows_of: None,
                reading: Reading::Loading,
                warnings: Vec::new(),
            })
            .collect();
        let effects = sources
            .iter()
            .enumerate()
            .map(|(source, view)| Effect::List {
                source,
                ticket: view.ticket,
            })
            .collect();
        let model = Self {
            size: setup.size,
            now: setup.now,
            zone: setup.zone,
            theme: setup.theme,
            ascii: setup.ascii,
            mouse: true,
            sources,
            jobs: Jobs::default(),
            detail: None,
            focus: Pane::Jobs,
            tab: Tab::State,
            tab_before: Tab::State,
            search: Search::default(),
            mark: None,
            messages: Messages::default(),
            copying: false,
            palette: None,
            listed_messages: None,
            help: None,
            tickets,
        };
        (model, effects)
    }

    /// Says a sentence on the status line, where it stands until a key is pressed.
    pub(super) fn say(&mut self, role: Role, text: impl Into<String>) {
        self.messages.say(self.now, role, text);
    }

    pub(super) fn layout(&self) -> Option<Layout> {
        Layout::of(self.size, self.focus)
    }
}
