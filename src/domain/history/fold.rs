//! How runs add up to a state, by the rules of the Meltano that wrote them.

use std::cmp::Ordering;

use super::{Agreement, Origin, Run, RunRecord, Snapshot, SnapshotId, Stored, effective};
use crate::domain::diff;
use crate::domain::json::{Document, Kind, Splice};
use crate::domain::state::{Content, Part, State, merge};

/// Names the rule by which runs add up to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Folding {
    /// Each run writes to a `state` table as it goes (Meltano 2.7.0 and later, and 4.4.1's rules for it).
    Written,
    /// The state is computed from the runs each time (Meltano before 2.7.0, and the upgrade to revision 6828cc5b1a4f).
    Derived,
}

/// Sorts runs into the order in which they took effect.
///
/// [`Folding::Derived`] compares the ends as text, as SQL does with what Meltano 1.68.0 to 4.4.1 write; so a `T` between date
/// and time comes behind every space. Ties keep the order of the rows. A run without an end is placed by its last sign of
/// life.
pub(super) fn in_order(mut records: Vec<RunRecord>, folding: Folding) -> Vec<RunRecord> {
    records.sort_by(|a, b| {
        let by_time = match (a.run.at(), b.run.at()) {
            (Some(a), Some(b)) => match (folding, a.instant, b.instant) {
                (Folding::Written, Some(a), Some(b)) => a.cmp(&b),
                _ => a.text.cmp(&b.text),
            },
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
        };
        by_time.then(a.run.row.cmp(&b.run.row))
    });
    records
}

/// Computes a state from the runs that make it, as Meltano before 2.7.0 did, and its upgrade does.
///
/// `records` need be no more than those that [`derives_from`] names, in any order.
pub fn derive(records: Vec<RunRecord>) -> State {
    let records = in_order(records, Folding::Derived);
    let mut fold = Fold::new(Folding::Derived);
    for record in &records {
        fold.take(record);
    }
    fold.state.unwrap_or_else(empty_state)
}

/// Names the rows that a derived state is made of, so that no other payload need be read.
///
/// The latest row by the text of its end with flag 1, the lowest row of equal ones; and the rows with flag 2 that ended
/// strictly later. Rows without an end never count.
pub fn derives_from<'r>(runs: impl IntoIterator<Item = &'r Run>) -> Vec<i64> {
    let mut base: Option<(&str, i64)> = None;
    let mut incomplete: Vec<(&str, i64)> = Vec::new();
    for run in runs {
        let Some(ended) = run.ended_at.as_ref().map(|stamp| stamp.text.as_str()) else {
            continue;
        };
        if run.is_complete() {
            let later = base.is_none_or(|(at, row)| (ended, -run.row) > (at, -row));
            if later {
                base = Some((ended, run.row));
            }
        }
        if run.is_incomplete() {
            incomplete.push((ended, run.row));
        }
    }
    incomplete.retain(|(ended, _)| base.is_none_or(|(at, _)| *ended > at));
    base.into_iter()
        .chain(incomplete)
        .map(|(_, row)| row)
        .collect()
}

/// Folds runs that are in order; gives a snapshot each.
pub(super) fn fold(records: &[RunRecord], folding: Folding) -> Vec<Snapshot> {
    let mut fold = Fold::new(folding);
    records
        .iter()
        .enumerate()
        .map(|(place, record)| {
            let (wrote, trouble) = fold.take(record);
            Snapshot {
                id: SnapshotId::of_run(&record.run),
                number: place + 1,
                at: record.run.at().cloned(),
                origins: vec![Origin::Run(Box::new(record.run.clone()))],
                wrote,
                effective: effective(fold.state.as_ref()),
                state: fold.state.clone(),
                error: run_error(&record.payload),
                trouble,
            }
        })
        .collect()
}

/// Tells how what the source holds relates to what the runs add up to.
///
/// Compared is `singer_state`, which is what a tap receives: an upgrade brings other keys of a payload along, a run does not.
pub(super) fn agreement(
    records: &[RunRecord],
    last: Option<&Snapshot>,
    folding: Folding,
    now: Option<&Stored>,
) -> Agreement {
    let folded = last.and_then(|snapshot| snapshot.state.as_ref());
    let Some(now) = now else {
        return match folded {
            Some(state) if !is_empty(state) => Agreement::Cleared,
            _ => Agreement::Same,
        };
    };
    if records.is_empty() {
        return Agreement::NoRuns;
    }
    if same_singer_state(folded, &now.state) {
        return Agreement::Same;
    }
    // A row that was updated since says nothing of how it was first written.
    if folding == Folding::Derived || now.modified.is_some() {
        return Agreement::Unexplained;
    }
    if same_singer_state(Some(&derive(records.to_vec())), &now.state) {
        Agreement::Upgraded
    } else {
        Agreement::Imported
    }
}

fn is_empty(state: &State) -> bool {
    state.parts().iter().all(|(_, content)| content.is_falsy())
}

fn same_singer_state(folded: Option<&State>, now: &State) -> bool {
    match (effective(folded), now.effective()) {
        (Ok(a), Ok(b)) => match (a.root().get("singer_state"), b.root().get("singer_state")) {
            (Some(a), Some(b)) => diff::same_value(a, b),
            (None, None) => true,
            _ => false,
        },
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

fn empty_state() -> State {
    let empty = || Content::Document(Document::empty_object());
    State::meltano(empty(), empty())
}

/// Holds the state while runs are added to it one by one.
struct Fold {
    folding: Folding,
    state: Option<State>,
    /// The text of the end of the run that the completed part comes from, for [`Folding::Derived`].
    base_ended: Option<String>,
}

type Outcome = (Vec<Part>, Option<String>);

impl Fold {
    fn new(folding: Folding) -> Self {
        Self {
            folding,
            state: None,
            base_ended: None,
        }
    }

    /// Adds one run; tells which parts it wrote, or why its payload did not count.
    fn take(&mut self, record: &RunRecord) -> Outcome {
        let run = &record.run;
        if !run.is_complete() && !run.is_incomplete() {
            return (Vec::new(), None);
        }
        match self.folding {
            Folding::Written => self.written(record),
            Folding::Derived => self.derived(record),
        }
    }

    fn parts(&self) -> (Content, Content) {
        let state = self.state.clone().unwrap_or_else(empty_state);
        let part = |name| state.part(name).cloned().unwrap_or(Content::Null);
        (part(Part::Completed), part(Part::Partial))
    }

    fn written(&mut self, record: &RunRecord) -> Outcome {
        let payload = match object(&record.payload) {
            Ok(document) => without_error(document),
            Err(why) => return (Vec::new(), Some(why)),
        };
        if payload.root().is_empty() {
            self.state.get_or_insert_with(empty_state);
            return (
                Vec::new(),
                Some("an empty state changes nothing in Meltano 4.4.1".to_owned()),
            );
        }
        let (completed, partial) = self.parts();
        if record.run.is_complete() {
            let empty = Content::Document(Document::empty_object());
            self.state = Some(State::meltano(Content::Document(payload), empty));
            return (vec![Part::Completed, Part::Partial], None);
        }
        match merged(&payload, &partial) {
            Ok(partial) => {
                self.state = Some(State::meltano(completed, Content::Document(partial)));
                (vec![Part::Partial], None)
            }
            Err(why) => (Vec::new(), Some(why)),
        }
    }

    fn derived(&mut self, record: &RunRecord) -> Outcome {
        let Some(ended) = record
            .run
            .ended_at
            .as_ref()
            .map(|stamp| stamp.text.as_str())
        else {
            return (
                Vec::new(),
                Some("it has no end, so its state does not count".to_owned()),
            );
        };
        let base = self.base_ended.as_deref();
        if record.run.is_complete() {
            if base == Some(ended) {
                return (
                    Vec::new(),
                    Some("an earlier row ended at the same moment, and that one counts".to_owned()),
                );
            }
            self.base_ended = Some(ended.to_owned());
            let empty = Content::Document(Document::empty_object());
            return self.derived_part(record, |payload| State::meltano(payload, empty));
        }
        if base.is_some_and(|base| ended <= base) {
            return (
                Vec::new(),
                Some("a complete state ended at the same moment, and that one counts".to_owned()),
            );
        }
        let (completed, partial) = self.parts();
        if matches!(partial, Content::Unreadable(..)) {
            return (
                Vec::new(),
                Some("it cannot be merged onto what cannot be read".to_owned()),
            );
        }
        let merged = match object(&record.payload) {
            Ok(document) if document.root().get("singer_state").is_none() => partial,
            Ok(document) => match merged(document, &partial) {
                Ok(document) => Content::Document(document),
                Err(why) => return self.conflicting(document.clone(), why),
            },
            Err(_) => record.payload.clone(),
        };
        self.derived_part(record, |_| State::meltano(completed, merged))
    }

    /// Keeps a payload that cannot be merged apart, so that the effective state is the conflict that Meltano stops at.
    fn conflicting(&mut self, payload: Document, why: String) -> Outcome {
        if let Ok(before) = effective(self.state.as_ref()) {
            self.state = Some(State::meltano(
                Content::Document(before),
                Content::Document(payload),
            ));
        }
        (vec![Part::Partial], Some(why))
    }

    /// Sets the state; a payload without `singer_state` counts for its time only, one that cannot be read for its fault.
    fn derived_part(&mut self, record: &RunRecord, make: impl FnOnce(Content) -> State) -> Outcome {
        let part = if record.run.is_complete() {
            Part::Completed
        } else {
            Part::Partial
        };
        match object(&record.payload) {
            Ok(document) if document.root().get("singer_state").is_none() => {
                self.state = Some(make(Content::Document(Document::empty_object())));
                let why = "it has no `singer_state`, so only its time counts";
                (Vec::new(), Some(why.to_owned()))
            }
            Ok(document) => {
                self.state = Some(make(Content::Document(document.clone())));
                (vec![part], None)
            }
            Err(why) => {
                self.state = Some(make(record.payload.clone()));
                (vec![part], Some(why))
            }
        }
    }
}

fn object(payload: &Content) -> Result<&Document, String> {
    match payload {
        Content::Null => Err("its payload is NULL".to_owned()),
        Content::Unreadable(_, error) => Err(format!("its payload is not JSON: {error}")),
        Content::Document(document) if document.root().kind() == Kind::Object => Ok(document),
        Content::Document(_) => Err("its payload is not a JSON object".to_owned()),
    }
}

fn merged(src: &Document, onto: &Content) -> Result<Document, String> {
    match onto.document() {
        Some(dest) if !dest.root().is_empty() => {
            merge(src, dest).map_err(|conflict| format!("Meltano could not merge it: {conflict}"))
        }
        _ => Ok(src.clone()),
    }
}

/// Takes out what a failing run adds to its payload in `runs`, and never to the state that it writes.
fn without_error(document: &Document) -> Document {
    let Some(error) = document.root().get("error") else {
        return document.clone();
    };
    document
        .splice(&[Splice::Remove { at: error.id() }])
        .unwrap_or_else(|_| document.clone())
}

fn run_error(payload: &Content) -> Option<String> {
    let error = payload.document()?.root().get("error")?;
    Some(match error.as_str() {
        Some(text) => text.decoded().into_owned(),
        None => error.raw().to_owned(),
    })
}
