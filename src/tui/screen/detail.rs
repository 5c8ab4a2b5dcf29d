//! The selected job: its timeline, and what is shown of one snapshot of it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::diff::{self, Diff};
use crate::domain::history::{Agreement, Snapshot, Timeline};
use crate::domain::id::StateId;
use crate::domain::json::Node;
use crate::domain::json::{Document, NodeId};
use crate::report::Report;
use crate::tui::command::Step;
use crate::tui::message::{Effect, Ticket};
use crate::tui::model::{Marked, Tab, Tickets};
use crate::tui::widget::changes::Changes;
use crate::tui::widget::json::Json;
use crate::tui::widget::tree::{Tree, same_place, streams};

mod body;
mod found;
mod lines;
mod view;

pub use body::Body;
pub use found::Standing;
pub use view::{click, page, status, view};

/// Up to how many bytes two states are compared at once; larger ones are compared elsewhere, so that no key waits.
const COMPARED_AT_ONCE: usize = 256 << 10;

/// Holds the job that the pane is about.
#[derive(Debug)]
pub struct Detail {
    /// The place of its source.
    pub source: usize,
    /// The job.
    pub id: StateId,
    /// The question that waits for an answer.
    wanted: Option<Ticket>,
    /// What is known of it.
    pub content: Content,
}

/// Says what is known of a job.
#[derive(Debug)]
pub enum Content {
    /// Nothing yet.
    Nothing,
    /// It could not be read.
    Failed(Report),
    /// Its timeline.
    Ready(Box<History>),
}

impl Detail {
    /// Begins with a job; the effect reads it.
    pub fn load(source: usize, id: StateId, tickets: &mut Tickets) -> (Self, Effect) {
        let mut detail = Self {
            source,
            id,
            wanted: None,
            content: Content::Nothing,
        };
        let effect = detail.reload(tickets);
        (detail, effect)
    }

    /// Reads the job again; what is shown stays until the answer comes.
    pub fn reload(&mut self, tickets: &mut Tickets) -> Effect {
        let ticket = tickets.next();
        self.wanted = Some(ticket);
        Effect::Load {
            source: self.source,
            id: self.id.clone(),
            ticket,
        }
    }

    /// Takes in an answer, unless another question was asked since.
    pub fn loaded(&mut self, ticket: Ticket, outcome: Result<Arc<Timeline>, Report>) {
        if self.wanted.take_if(|wanted| *wanted == ticket).is_none() {
            return;
        }
        self.content = match (outcome, &mut self.content) {
            (Err(report), _) => Content::Failed(report),
            (Ok(timeline), Content::Ready(last)) => {
                Content::Ready(Box::new(last.renewed(timeline)))
            }
            (Ok(timeline), _) => Content::Ready(Box::new(History::new(timeline))),
        };
    }

    /// Tells whether an answer is waited for.
    pub fn is_reading(&self) -> bool {
        self.wanted.is_some()
    }

    /// Gives the timeline and what is shown of it, when it is known.
    pub fn history(&self) -> Option<&History> {
        match &self.content {
            Content::Ready(history) => Some(history),
            Content::Nothing | Content::Failed(_) => None,
        }
    }

    /// Gives the same, to be changed.
    pub fn history_mut(&mut self) -> Option<&mut History> {
        match &mut self.content {
            Content::Ready(history) => Some(history),
            Content::Nothing | Content::Failed(_) => None,
        }
    }
}

/// Names two snapshots: the marked one, or else the one before, and the place of the selected one.
type Pairing = (Option<Ticket>, usize);

/// Holds a timeline, the selected snapshot, and what is shown of that.
#[derive(Debug)]
pub struct History {
    pub timeline: Arc<Timeline>,
    place: usize,
    body: Body,
    /// The same state as JSON, and the place of the snapshot that it is of, once it was shown.
    json: Option<(usize, Json)>,
    /// What was found of what is looked for in the state.
    found: Option<found::Found>,
    /// Whether the cursor goes to what the next answer of a search finds.
    follows: bool,
    /// What differs from the snapshot that it is compared with, once that is known.
    pub changes: Option<Changes>,
    compared: HashMap<Pairing, Arc<Diff>>,
    wanted: Option<(Ticket, Pairing)>,
    /// What the selected snapshot is compared with, when that is not the one before it.
    against: Option<Arc<Marked>>,
}

impl History {
    fn new(timeline: Arc<Timeline>) -> Self {
        let place = timeline.snapshots.len().saturating_sub(1);
        let body = timeline
            .snapshots
            .get(place)
            .map_or(Body::Nothing, |snapshot| Body::of(snapshot, None));
        Self {
            timeline,
            place,
            body,
            json: None,
            found: None,
            follows: false,
            changes: None,
            compared: HashMap::new(),
            wanted: None,
            against: None,
        }
    }

    /// Shows a newer reading of the same job: the same snapshot, while it is still there, with the same lines open.
    fn renewed(&mut self, timeline: Arc<Timeline>) -> Self {
        let selected = self.snapshot().map(|snapshot| snapshot.id.clone());
        let mut next = Self::new(timeline);
        let same = next
            .timeline
            .snapshots
            .iter()
            .rposition(|snapshot| Some(&snapshot.id) == selected.as_ref());
        std::mem::swap(&mut next.body, &mut self.body);
        next.json = self.json.take().map(|(_, json)| (usize::MAX, json));
        next.go(same.unwrap_or(next.place));
        next
    }

    /// Gives the selected snapshot.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.timeline.snapshots.get(self.place)
    }

    /// Gives how `now` relates to the rest, when `now` is selected.
    fn agreement(&self) -> Option<&Agreement> {
        self.snapshot()
            .filter(|snapshot| snapshot.is_now())
            .map(|_| &self.timeline.agreement)
    }

    /// Steps along the timeline.
    pub fn step_time(&mut self, later: bool) {
        let last = self.timeline.snapshots.len().saturating_sub(1);
        let place = if later {
            (self.place + 1).min(last)
        } else {
            self.place.saturating_sub(1)
        };
        if place != self.place {
            self.go(place);
        }
    }

    /// Steps to the nearest snapshot, earlier or later, that changed the value under the cursor; tells whether there is one.
    ///
    /// What counts is the text that is stored. A snapshot that has no effective state says nothing of the value. Takes time with
    /// the snapshots, and with the siblings on the way to the value.
    pub fn step_change(&mut self, tab: Tab, later: bool) -> bool {
        let under = match tab {
            Tab::State | Tab::Json => self.under_cursor(tab),
            Tab::Diff => self.changes.as_ref().and_then(Changes::under_cursor),
        };
        let Some(under) = under else { return false };
        let snapshots = self.timeline.snapshots.iter().enumerate();
        let mut known = snapshots.filter_map(|(place, snapshot)| {
            let document = snapshot.effective.as_ref().ok()?;
            Some((place, same_place(under, document).map(|node| node.raw())))
        });
        let mut before = None;
        let mut changed = known.by_ref().filter_map(|(place, value)| {
            let differs = before.replace(value) != Some(value);
            (differs && (place > 0 || value.is_some())).then_some(place)
        });
        let found = if later {
            changed.find(|place| *place > self.place)
        } else {
            changed.take_while(|place| *place < self.place).last()
        };
        if let Some(place) = found {
            self.go(place);
        }
        found.is_some()
    }

    fn go(&mut self, place: usize) {
        self.place = place;
        self.changes = None;
        if let Some(snapshot) = self.timeline.snapshots.get(place) {
            self.body = Body::of(snapshot, Some(&self.body));
        }
    }

    /// Brings what a tab shows in line with the selected snapshot, where that is not done as soon as one is selected.
    pub fn prepare(&mut self, tab: Tab) {
        let is_ready = self.json.as_ref().is_some_and(|(of, _)| *of == self.place);
        if tab != Tab::Json || is_ready {
            return;
        }
        let Body::Tree(tree) = &self.body else { return };
        let document = tree.document();
        let json = match &self.json {
            Some((_, before)) => before.carry_to(document),
            None => Json::new(document),
        };
        self.json = Some((self.place, json));
    }

    /// Takes the cursor from one view of the state to the other.
    pub fn show(&mut self, from: Tab, to: Tab) {
        if from == to {
            return;
        }
        let under = self.under_cursor(from).map(|node| node.id());
        self.prepare(to);
        let Some(under) = under else { return };
        self.go_to(to, under);
    }

    /// Puts the cursor of a view on a value of the shown state.
    fn go_to(&mut self, tab: Tab, node: NodeId) {
        match (tab, &mut self.body, &mut self.json) {
            (Tab::State, Body::Tree(tree), _) => tree.reveal(node),
            (Tab::Json, _, Some((_, json))) => json.put_cursor_on(node),
            _ => {}
        }
    }

    /// Gives the state as JSON, once [`Self::prepare`] made it.
    fn json(&self) -> Option<&Json> {
        let (of, json) = self.json.as_ref()?;
        (*of == self.place).then_some(json)
    }

    /// Gives the value under the cursor of a view of the state.
    pub fn under_cursor(&self, tab: Tab) -> Option<Node<'_>> {
        match tab {
            Tab::State => self.body.under_cursor(),
            Tab::Json => self.json()?.cursor_node(),
            Tab::Diff => None,
        }
    }

    /// Gives the number of the value under the cursor of a view of the state.
    pub fn under(&self, tab: Tab) -> Option<NodeId> {
        self.under_cursor(tab).map(|node| node.id())
    }

    /// Tells whether nothing but `now` is known.
    fn is_alone(&self) -> bool {
        self.timeline.snapshots.len() == 1
    }

    /// Gives the two states whose difference is shown, or says why there are none.
    ///
    /// No state is taken for one without streams, so that each stream of the other side is shown, not `singer_state` alone.
    fn sides(&self) -> Result<(Document, Document), String> {
        let Some(after) = self.snapshot() else {
            return Err("There is no snapshot.".to_owned());
        };
        if self.is_alone() && self.against.is_none() {
            let why = "No run or edit is known, so there is nothing to compare with.";
            return Err(why.to_owned());
        }
        let side = |snapshot: Option<&Snapshot>| match snapshot {
            None => Ok(None),
            Some(snapshot) if snapshot.state.is_none() => Ok(None),
            Some(snapshot) => snapshot.effective.clone().map(Some),
        };
        let left = side(self.compared_with())
            .map_err(|why| format!("The snapshot before cannot be compared: {why}."))?;
        let right = side(Some(after)).map_err(|why| format!("It cannot be compared: {why}."))?;
        Ok(match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(left), None) => (left.clone(), without_streams(&left)),
            (None, Some(right)) => (without_streams(&right), right),
            (None, None) => (Document::empty_object(), Document::empty_object()),
        })
    }

    /// Gives the snapshot that the selected one is compared with: the marked one, else the one before.
    fn compared_with(&self) -> Option<&Snapshot> {
        match &self.against {
            Some(marked) => Some(&marked.snapshot),
            None => self.timeline.before(self.place),
        }
    }

    fn pairing(&self) -> Pairing {
        let marked = self.against.as_ref().map(|marked| marked.ticket);
        (marked, self.place)
    }

    /// Finds how the selected snapshot differs from a marked one, or from the one before, at once or by an effect.
    pub fn compare(
        &mut self,
        against: Option<Arc<Marked>>,
        tickets: &mut Tickets,
    ) -> Option<Effect> {
        let before = self.pairing().0;
        self.against = against;
        let pairing = self.pairing();
        if pairing.0 != before {
            self.changes = None;
            let is_kept = |known: &Pairing| known.0.is_none() || known.0 == pairing.0;
            self.compared.retain(|known, _| is_kept(known));
        }
        if self.changes.is_some() {
            return None;
        }
        if let Some(diff) = self.compared.get(&pairing) {
            self.changes = Some(Changes::new(Arc::clone(diff)));
            return None;
        }
        if self.wanted.is_some_and(|(_, wanted)| wanted == pairing) {
            return None;
        }
        let (left, right) = self.sides().ok()?;
        if left.bytes().len() + right.bytes().len() <= COMPARED_AT_ONCE {
            self.keep(pairing, Arc::new(diff::diff(&left, &right)));
            return None;
        }
        let ticket = tickets.next();
        self.wanted = Some((ticket, pairing));
        Some(Effect::Compare {
            ticket,
            left,
            right,
        })
    }

    /// Takes in what differs, unless another question was asked since.
    pub fn compared(&mut self, ticket: Ticket, diff: Arc<Diff>) {
        if let Some((_, pairing)) = self.wanted.take_if(|(wanted, _)| *wanted == ticket) {
            self.keep(pairing, diff);
        }
    }

    fn keep(&mut self, pairing: Pairing, diff: Arc<Diff>) {
        if pairing == self.pairing() {
            self.changes = Some(Changes::new(Arc::clone(&diff)));
        }
        self.compared.insert(pairing, diff);
    }

    /// Tells whether the selected snapshot is compared with the one before it.
    fn is_against_before(&self) -> bool {
        self.against.is_none()
    }

    /// Gives the tree, when the state can be shown as one.
    pub fn tree_mut(&mut self) -> Option<&mut Tree> {
        match &mut self.body {
            Body::Tree(tree) => Some(tree),
            Body::Nothing | Body::Parts(_) => None,
        }
    }

    /// Moves the cursor of what is shown.
    pub fn step(&mut self, tab: Tab, step: Step, columns: usize, page: usize) {
        match tab {
            Tab::State => self.body.step(step, columns, page),
            Tab::Json => match &mut self.json {
                Some((of, json)) if *of == self.place => json.step(step, page),
                _ => self.body.step(step, columns, page),
            },
            Tab::Diff => {
                if let Some(changes) = &mut self.changes {
                    changes.step(step, columns, page);
                }
            }
        }
    }

    /// Puts the cursor of what is shown on a row of the screen.
    fn put_on_row(&mut self, tab: Tab, row: usize, columns: usize) {
        match (tab, &mut self.json, &mut self.body) {
            (Tab::Json, Some((of, json)), _) if *of == self.place => json.put_on_row(row),
            (Tab::State | Tab::Json, _, Body::Tree(tree)) => {
                let at = tree.cursor.top + row;
                if at < tree.len() {
                    tree.cursor.at = at;
                }
            }
            (Tab::Diff, ..) => {
                if let (Some(changes), Some(row)) = (&mut self.changes, row.checked_sub(1)) {
                    changes.put_on_row(row, columns);
                }
            }
            (Tab::State | Tab::Json, _, Body::Nothing | Body::Parts(_)) => {}
        }
    }

    /// Brings the cursors onto the screen.
    pub fn settle(&mut self, columns: usize, page: usize) {
        self.body.settle(columns, page);
        if let Some((_, json)) = &mut self.json {
            json.settle(page);
        }
        if let Some(changes) = &mut self.changes {
            changes.settle(columns, page);
        }
    }
}

/// Makes the state that has no streams, for comparing with one that has.
fn without_streams(other: &Document) -> Document {
    let outline = match streams(other) {
        None => "{}",
        Some(streams) if streams.depth() == 1 => r#"{"bookmarks": {}}"#,
        Some(_) => r#"{"singer_state": {"bookmarks": {}}}"#,
    };
    Document::parse(outline).unwrap_or_else(|_| Document::empty_object())
}
