//! Jobs: what a list shows of each state ID.

use std::sync::Arc;

use crate::domain::history::{Run, Stored};
use crate::domain::id::StateId;
use crate::domain::lint::{self, Finding};
use crate::domain::lock::Lock;
use crate::domain::moment::Stamp;
use crate::domain::state::{BookmarkAges, stream_names};

/// Holds a state ID with what one source gives for a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The job.
    pub id: StateId,
    /// What the source holds; `None` for a job that is known from its runs only.
    pub stored: Option<Stored>,
    /// Its latest run that was no edit by hand.
    pub last_run: Option<Run>,
    /// Its latest edit by hand.
    pub last_edit: Option<Run>,
    /// What else the source holds, or has wrong, where the state lies.
    pub beside: Beside,
}

/// Holds what a source has where a state lies, beside the state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// The lock.
    pub lock: Option<Lock>,
    /// Why the state, which is there, could not be read.
    pub unread: Option<String>,
    /// What is wrong with its place or its body, or worth knowing.
    pub findings: Vec<Finding>,
}

/// Holds what a list shows of a job; small, whatever the size of its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The job.
    pub id: StateId,
    /// The display form of the source's URI.
    pub source: Arc<str>,
    /// Whether the source holds a state for it.
    pub has_state: bool,
    /// How many streams have something stored; `None` when the state cannot be read.
    pub streams: Option<usize>,
    /// The bytes that the source holds for it.
    pub size: u64,
    /// When the source says that the state was written.
    pub updated_at: Option<Stamp>,
    /// How old its bookmarks are; `None` when none spells a time.
    pub bookmark: Option<BookmarkAges>,
    /// Its latest run that was no edit by hand.
    pub last_run: Option<Run>,
    /// Its latest edit by hand.
    pub last_edit: Option<Run>,
    /// The lock on its state.
    pub lock: Option<Lock>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}

impl Job {
    /// Looks into the state once, and keeps what a list needs.
    pub fn summarize(listed: Listed, source: &Arc<str>) -> Self {
        let Listed {
            id,
            stored,
            last_run,
            last_edit,
            beside,
        } = listed;
        let effective = stored.as_ref().map(|stored| stored.state.effective());
        let document = effective
            .as_ref()
            .and_then(|effective| effective.as_ref().ok());
        let mut findings = stored
            .as_ref()
            .zip(effective.as_ref())
            .map_or_else(Vec::new, |(stored, effective)| {
                lint::state(&stored.state, effective)
            });
        let is_unread = beside.unread.is_some();
        findings.extend(beside.unread.map(|why| lint::UNREAD.finds(why)));
        findings.extend(beside.findings);
        findings.extend(beside.lock.as_ref().and_then(lint::lock));
        Self {
            source: Arc::clone(source),
            has_state: stored.is_some() || is_unread,
            streams: document.map(|document| stream_names(document).len()),
            size: stored.as_ref().map_or(0, |stored| stored.state.size()),
            bookmark: document.and_then(BookmarkAges::of),
            lock: beside.lock,
            findings,
            updated_at: stored.and_then(|stored| stored.modified),
            id,
            last_run,
            last_edit,
        }
    }
}
