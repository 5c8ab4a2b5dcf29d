//! What happens to the screen, and what the screen wants done. Both are plain data.

use std::sync::Arc;

use jiff::Timestamp;
use ratatui::layout::{Position, Size};

use crate::domain::diff::Diff;
use crate::domain::history::Timeline;
use crate::domain::id::{Matches, NameIndex, StateId};
use crate::domain::job::Job;
use crate::domain::json::search::Needle;
use crate::domain::json::{Document, NodeId};
use crate::domain::ui::KeyPress;
use crate::report::Report;

/// Numbers a question, so that its answer can be told from the answer to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub(super) u64);

/// Says what the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// Its first button was pressed.
    Click,
    /// The wheel was turned up.
    WheelUp,
    /// The wheel was turned down.
    WheelDown,
}

/// Tells the model what happened.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key was pressed.
    Key(KeyPress),
    /// The mouse was used.
    Mouse {
        /// What it did.
        does: Mouse,
        /// Where on the screen.
        at: Position,
    },
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// Time has passed.
    Tick(Timestamp),
    /// Some of a source's jobs came.
    Jobs {
        /// The place of the source in [`super::Setup::sources`].
        source: usize,
        /// The question.
        ticket: Ticket,
        /// Which reading of the source they belong to; those of an earlier one count no more.
        generation: u32,
        /// The jobs, in the order of the source.
        jobs: Vec<Job>,
    },
    /// A source's list is at its end, or broke off.
    Listed {
        /// The place of the source in [`super::Setup::sources`].
        source: usize,
        /// The question.
        ticket: Ticket,
        /// Why it broke off.
        outcome: Result<(), Report>,
    },
    /// What is to be said of a source was found: operations on it that were cut short.
    Warned {
        /// The place of the source in [`super::Setup::sources`].
        source: usize,
        /// The question that its list answers.
        ticket: Ticket,
        /// One sentence each; all that there is to say.
        warnings: Vec<String>,
    },
    /// A job's timeline came, or could not be read.
    Loaded {
        /// The question.
        ticket: Ticket,
        /// The timeline.
        outcome: Result<Arc<Timeline>, Report>,
    },
    /// A filter was applied.
    Filtered {
        /// The question.
        ticket: Ticket,
        /// What matches.
        matches: Matches,
    },
    /// A state was searched.
    Searched {
        /// The question.
        ticket: Ticket,
        /// The values that were found, in the order of the document.
        found: Vec<NodeId>,
    },
    /// Two states were compared.
    Compared {
        /// The question.
        ticket: Ticket,
        /// What differs.
        diff: Arc<Diff>,
    },
}

/// Asks the shell for something that takes time or touches the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// List a source's jobs: answered by [`Message::Jobs`], any number, and then [`Message::Listed`].
    List {
        /// The place of the source in [`super::Setup::sources`].
        source: usize,
        /// The question.
        ticket: Ticket,
    },
    /// Read a job's timeline: answered by [`Message::Loaded`]. Makes any earlier one pointless.
    Load {
        /// The place of the source in [`super::Setup::sources`].
        source: usize,
        /// The job.
        id: StateId,
        /// The question.
        ticket: Ticket,
    },
    /// Filter names: answered by [`Message::Filtered`]. Makes any earlier one pointless.
    Filter {
        /// The question.
        ticket: Ticket,
        /// All names.
        names: NameIndex,
        /// What to look for.
        query: String,
        /// The last answer, which a query that only grew can start from.
        previous: Option<Matches>,
    },
    /// Compare two states: answered by [`Message::Compared`]. Makes any earlier one pointless.
    Compare {
        /// The question.
        ticket: Ticket,
        /// The earlier state.
        left: Document,
        /// The later state.
        right: Document,
    },
    /// Search a state: answered by [`Message::Searched`]. Makes any earlier one pointless.
    Search {
        /// The question.
        ticket: Ticket,
        /// The state.
        document: Document,
        /// What to look for.
        needle: Needle,
    },
    /// Stop a search that still goes on; nobody wants its answer.
    StopSearch,
    /// Put a text into the terminal's clipboard.
    Copy(String),
    /// Listen to the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Put the terminal back and stop, until the shell goes on with it.
    Suspend,
    /// Leave.
    Quit,
}
