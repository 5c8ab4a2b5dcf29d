//! What the screen asks for, done beside the loop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, spawn_blocking};

use crate::domain::diff;
use crate::domain::id::{Matches, NameIndex, StateId};
use crate::domain::json::Document;
use crate::domain::json::search::{Needle, search};
use crate::journal::JournalStore;
use crate::ops::{OpenSite, read, write};
use crate::project::Site;
use crate::tui::{Effect, Message, Ticket};

/// How many timelines are read at once: one that is no longer wanted must not keep the one that is from being read.
const LOADS_AT_ONCE: usize = 2;

/// Does what the screen asks for, and sends the answers.
pub struct Effects {
    sites: Vec<Arc<OpenSite>>,
    journal: Option<Arc<dyn JournalStore>>,
    lists: Vec<Option<AbortHandle>>,
    answers: mpsc::Sender<Message>,
    loads: Arc<Lane<Load>>,
    compares: Arc<Lane<Compare>>,
    filter: Arc<AtomicBool>,
    search: Arc<AtomicBool>,
}

struct Load {
    site: Arc<OpenSite>,
    id: StateId,
    ticket: Ticket,
}

struct Compare {
    ticket: Ticket,
    left: Document,
    right: Document,
}

impl Effects {
    /// Opens the sites, which touches nothing yet. Must be called on the runtime.
    pub fn new(
        sites: Vec<Site>,
        journal: Option<Arc<dyn JournalStore>>,
        answers: mpsc::Sender<Message>,
    ) -> Self {
        let loads = Arc::new(Lane::default());
        for _ in 0..LOADS_AT_ONCE {
            tokio::spawn(load_each(Arc::clone(&loads), answers.clone()));
        }
        let compares = Arc::new(Lane::default());
        tokio::spawn(compare_each(Arc::clone(&compares), answers.clone()));
        Self {
            lists: sites.iter().map(|_| None).collect(),
            sites: sites
                .into_iter()
                .map(|site| Arc::new(OpenSite::new(site, None)))
                .collect(),
            journal,
            answers,
            loads,
            compares,
            filter: Arc::default(),
            search: Arc::default(),
        }
    }

    /// Begins what is asked for, and waits for none of it.
    pub fn run(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::List { source, ticket } => self.list(source, ticket),
                Effect::Load { source, id, ticket } => {
                    if let Some(site) = self.sites.get(source).cloned() {
                        self.loads.put(Load { site, id, ticket });
                    }
                }
                Effect::Compare {
                    ticket,
                    left,
                    right,
                } => self.compares.put(Compare {
                    ticket,
                    left,
                    right,
                }),
                Effect::Filter {
                    ticket,
                    names,
                    query,
                    previous,
                } => self.filter(ticket, names, query, previous),
                Effect::Search {
                    ticket,
                    document,
                    needle,
                } => self.search(ticket, document, needle),
                Effect::StopSearch => self.search.store(true, Ordering::Relaxed),
                Effect::Copy(_) | Effect::Mouse(_) | Effect::Suspend | Effect::Quit => {}
            }
        }
    }

    /// Lists a source, in the place of a list of it that still goes on.
    fn list(&mut self, source: usize, ticket: Ticket) {
        let (Some(site), Some(running)) =
            (self.sites.get(source).cloned(), self.lists.get_mut(source))
        else {
            return;
        };
        if let Some(older) = running.take() {
            older.abort();
        }
        let task = tokio::spawn(list(
            Arc::clone(&site),
            source,
            ticket,
            self.answers.clone(),
        ));
        if let Some(journal) = self.journal.clone() {
            tokio::spawn(warn(site, journal, source, ticket, self.answers.clone()));
        }
        *running = Some(task.abort_handle());
    }

    /// Filters, in the place of a filter that still goes on.
    fn filter(
        &mut self,
        ticket: Ticket,
        names: NameIndex,
        query: String,
        previous: Option<Matches>,
    ) {
        self.filter.store(true, Ordering::Relaxed);
        let cancelled = Arc::new(AtomicBool::new(false));
        self.filter = Arc::clone(&cancelled);
        let answers = self.answers.clone();
        spawn_blocking(move || {
            let unwanted = || cancelled.load(Ordering::Relaxed);
            if let Some(matches) = Matches::find(&names, &query, previous.as_ref(), &unwanted) {
                // A closed channel means that the screen is gone.
                let _ = answers.blocking_send(Message::Filtered { ticket, matches });
            }
        });
    }

    /// Searches, in the place of a search that still goes on.
    fn search(&mut self, ticket: Ticket, document: Document, needle: Needle) {
        self.search.store(true, Ordering::Relaxed);
        let cancelled = Arc::new(AtomicBool::new(false));
        self.search = Arc::clone(&cancelled);
        let answers = self.answers.clone();
        spawn_blocking(move || {
            let unwanted = || cancelled.load(Ordering::Relaxed);
            if let Some(found) = search(&document, &needle, &unwanted) {
                let _ = answers.blocking_send(Message::Searched { ticket, found });
            }
        });
    }
}

async fn list(site: Arc<OpenSite>, source: usize, ticket: Ticket, answers: mpsc::Sender<Message>) {
    let mut chunks = read::list(&site);
    let outcome = loop {
        match chunks.next().await {
            None => break Ok(()),
            Some(Err(report)) => break Err(report),
            Some(Ok(chunk)) => {
                let message = Message::Jobs {
                    source,
                    ticket,
                    generation: chunk.generation,
                    jobs: chunk.jobs,
                };
                if answers.send(message).await.is_err() {
                    return;
                }
            }
        }
    };
    let end = Message::Listed {
        source,
        ticket,
        outcome,
    };
    let _ = answers.send(end).await;
}

/// Looks into the journal for what is to be said of a source. A source or a journal that cannot be read says nothing here:
/// the list says it of the one, and whoever writes of the other.
async fn warn(
    site: Arc<OpenSite>,
    journal: Arc<dyn JournalStore>,
    source: usize,
    ticket: Ticket,
    answers: mpsc::Sender<Message>,
) {
    let found = write::interrupted(&site, &*journal).await;
    let warnings = found.iter().flatten().map(ToString::to_string).collect();
    let _ = answers
        .send(Message::Warned {
            source,
            ticket,
            warnings,
        })
        .await;
}

async fn load_each(lane: Arc<Lane<Load>>, answers: mpsc::Sender<Message>) {
    loop {
        let Load { site, id, ticket } = lane.take().await;
        let outcome = read::timeline(&site, &id).await.map(Arc::new);
        if answers
            .send(Message::Loaded { ticket, outcome })
            .await
            .is_err()
        {
            return;
        }
    }
}

async fn compare_each(lane: Arc<Lane<Compare>>, answers: mpsc::Sender<Message>) {
    loop {
        let Compare {
            ticket,
            left,
            right,
        } = lane.take().await;
        let Ok(diff) = spawn_blocking(move || diff::diff(&left, &right)).await else {
            return;
        };
        let diff = Arc::new(diff);
        if answers
            .send(Message::Compared { ticket, diff })
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Holds the newest of several requests, each of which makes those before it pointless.
struct Lane<T> {
    newest: Mutex<Option<T>>,
    arrived: Notify,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self {
            newest: Mutex::new(None),
            arrived: Notify::new(),
        }
    }
}

impl<T> Lane<T> {
    /// Puts a request in the place of one that nobody has taken yet.
    fn put(&self, request: T) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
        self.arrived.notify_one();
    }

    /// Waits for a request and takes it.
    async fn take(&self) -> T {
        loop {
            let newest = self
                .newest
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            if let Some(request) = newest {
                return request;
            }
            self.arrived.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_newest_request_is_taken() {
        let lane = Lane::default();
        lane.put(1);
        lane.put(2);
        assert_eq!(lane.take().await, 2);
        let waiting = Arc::new(lane);
        let taken = tokio::spawn({
            let lane = Arc::clone(&waiting);
            async move { lane.take().await }
        });
        waiting.put(3);
        assert_eq!(taken.await.unwrap(), 3);
    }
}
