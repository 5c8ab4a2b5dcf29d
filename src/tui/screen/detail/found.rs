//! What was found of a text that is looked for in a state.

use super::{Body, History};
use crate::domain::json::NodeId;
use crate::domain::json::search::{Needle, search};
use crate::tui::message::{Effect, Ticket};
use crate::tui::model::{Tab, Tickets};

/// Up to how many bytes a state is searched at once; a larger one is searched elsewhere, so that no key waits.
const SEARCHED_AT_ONCE: usize = 256 << 10;

/// Holds a search of one snapshot.
#[derive(Debug)]
pub struct Found {
    needle: Needle,
    place: usize,
    /// The question that waits for an answer.
    wanted: Option<Ticket>,
    matches: Vec<NodeId>,
    /// The match that the cursor was put on last, and the value that it then was on.
    at: Option<(usize, Option<NodeId>)>,
}

/// Says how a search stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It goes on.
    Searching,
    /// So many were found, and the cursor is on this one.
    Found {
        /// How many.
        all: usize,
        /// The number of the one under the cursor, from 1.
        at: Option<usize>,
    },
}

impl History {
    /// Brings what was found in line with what is looked for and with the selected snapshot, at once or by an effect.
    pub fn search(
        &mut self,
        needle: Option<Needle>,
        tab: Tab,
        from: Option<NodeId>,
        tickets: &mut Tickets,
    ) -> Option<Effect> {
        let wanted = match (&self.body, needle) {
            (Body::Tree(tree), Some(needle)) => Some((tree.document().clone(), needle)),
            _ => None,
        };
        let Some((document, needle)) = wanted else {
            self.follows = false;
            let waits = self
                .found
                .take()
                .is_some_and(|found| found.wanted.is_some());
            return waits.then_some(Effect::StopSearch);
        };
        let is_same = |found: &Found| found.needle == needle && found.place == self.place;
        if self.found.as_ref().is_some_and(is_same) {
            return None;
        }
        let small = document.bytes().len() <= SEARCHED_AT_ONCE;
        let ticket = (!small).then(|| tickets.next());
        self.found = Some(Found {
            needle: needle.clone(),
            place: self.place,
            wanted: ticket,
            matches: Vec::new(),
            at: None,
        });
        if let Some(ticket) = ticket {
            return Some(Effect::Search {
                ticket,
                document,
                needle,
            });
        }
        let matches = search(&document, &needle, &|| false).unwrap_or_default();
        self.take_matches(matches, tab, from);
        None
    }

    /// Takes in what was found, unless another question was asked since.
    pub fn searched(
        &mut self,
        ticket: Ticket,
        matches: Vec<NodeId>,
        tab: Tab,
        from: Option<NodeId>,
    ) {
        let Some(found) = &mut self.found else { return };
        if found.wanted.take_if(|wanted| *wanted == ticket).is_some() {
            self.take_matches(matches, tab, from);
        }
    }

    fn take_matches(&mut self, matches: Vec<NodeId>, tab: Tab, from: Option<NodeId>) {
        let Some(found) = &mut self.found else { return };
        found.matches = matches;
        if !std::mem::take(&mut self.follows) || found.matches.is_empty() {
            return;
        }
        let next = found.matches.partition_point(|id| Some(*id) < from);
        let next = if next < found.matches.len() { next } else { 0 };
        self.put_on_match(next, tab);
    }

    /// Lets the cursor go to what the next answer of a search finds.
    pub fn follow_search(&mut self) {
        self.follows = true;
    }

    /// Goes to the next or the previous match, and from the last to the first.
    pub fn step_match(&mut self, tab: Tab, forward: bool) {
        let under = self.under(tab);
        let Some(found) = self
            .found
            .as_ref()
            .filter(|found| !found.matches.is_empty())
        else {
            return;
        };
        let all = found.matches.len();
        let next = match (found.at, forward) {
            (Some((at, on)), true) if on == under => at + 1,
            (Some((at, on)), false) if on == under => at + all - 1,
            (_, true) => found.matches.partition_point(|id| Some(*id) <= under),
            (_, false) => found.matches.partition_point(|id| Some(*id) < under) + all - 1,
        };
        self.put_on_match(next % all, tab);
    }

    fn put_on_match(&mut self, number: usize, tab: Tab) {
        let Some(id) = self
            .found
            .as_ref()
            .and_then(|found| found.matches.get(number))
        else {
            return;
        };
        self.go_to(tab, *id);
        let under = self.under(tab);
        if let Some(found) = &mut self.found {
            found.at = Some((number, under));
        }
    }

    /// Says how the search stands; `None` when nothing is looked for.
    pub fn search_standing(&self, tab: Tab) -> Option<Standing> {
        let found = self.found.as_ref()?;
        if found.wanted.is_some() {
            return Some(Standing::Searching);
        }
        let under = self.under(tab);
        let placed = found.at.filter(|(_, on)| *on == under).map(|(at, _)| at);
        let exact = || found.matches.binary_search(&under?).ok();
        Some(Standing::Found {
            all: found.matches.len(),
            at: placed.or_else(exact).map(|at| at + 1),
        })
    }

    /// Gives what is looked for.
    pub fn needle(&self) -> Option<&Needle> {
        self.found.as_ref().map(|found| &found.needle)
    }
}
