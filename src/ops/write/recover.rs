//! What became of earlier operations: cut short, or written over by a program that looks at no version.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::backend::Current;
use crate::domain::history::{Run, RunStatus};
use crate::domain::id::StateId;
use crate::domain::location::SourceKey;
use crate::domain::moment::Stamp;
use crate::domain::operation::{
    Event, ItemResult, Operation, OperationId, OperationItem, OperationKind, RecordedEdit, Status,
};
use crate::domain::quantity::count;
use crate::domain::state::{Content, Part, State};
use crate::domain::version::{ContentHash, Sides, sides};
use crate::journal::{JournalStore, Query};
use crate::ops::OpenSite;
use crate::report::{Fault, Report, printable};

/// How far the times of an operation's own runs are from its own: the store keeps microseconds, and a second run ends one
/// later.
const OWN: SignedDuration = SignedDuration::from_micros(2);

/// What wrote over an operation, when its run says that it was an edit.
const EDIT: &str = "an edit by another program";

/// Says what a source holds of an item that was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// What was there before.
    Old,
    /// What was wanted.
    New,
    /// Neither.
    Other,
}

/// Holds an operation that was cut short, and what the source holds of it.
#[derive(Debug)]
pub struct Interrupted {
    /// The operation.
    pub operation: Operation,
    /// What the source holds of each item, in their order.
    pub holds: Vec<Holds>,
}

impl Interrupted {
    /// Says what the source holds of it, in words.
    pub fn found(&self) -> &'static str {
        let all = |wanted: Holds| self.holds.iter().all(|holds| *holds == wanted);
        if all(Holds::New) {
            "the source holds what was wanted"
        } else if all(Holds::Old) {
            "the source holds what was there before"
        } else if self.holds.contains(&Holds::Other) {
            "the source holds something else by now"
        } else {
            "the source holds some of it"
        }
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operation {
            id, kind, items, ..
        } = &self.operation;
        write!(f, "operation {id} ({}", kind.name())?;
        match items.as_slice() {
            [item] => write!(f, " {}", printable(item.state_id.as_str()))?,
            items => write!(f, " of {} states", count(items.len()))?,
        }
        write!(
            f,
            ") was cut short, and {}; finish it: `statescope operations --again {id}`; take it back: `statescope undo {id}`",
            self.found()
        )
    }
}

/// Holds an operation that another program wrote over.
#[derive(Debug)]
pub struct Overwritten {
    /// The operation.
    pub operation: Operation,
    /// The number of the item.
    pub item: u32,
    /// The state.
    pub id: StateId,
    /// Who wrote over it, as far as that can be told: words that go before a verb.
    pub by: String,
}

/// Says what became of what an operation wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is there.
    Kept,
    /// It was changed by who had read it.
    MovedOn,
    /// It was written over; says by whom.
    Overwritten(String),
}

/// Finds the operations on a site's source that were cut short, the oldest first.
pub async fn interrupted(
    site: &OpenSite,
    journal: &dyn JournalStore,
) -> Result<Vec<Interrupted>, Report> {
    let query = Query {
        sources: vec![key(site).await?],
        unfinished: true,
        ..Query::default()
    };
    let found = find(journal, query).await?;
    let mut all = Vec::new();
    for operation in found.into_iter().rev().filter(Operation::is_interrupted) {
        let holds = holds(site, &operation).await?;
        all.push(Interrupted { operation, holds });
    }
    Ok(all)
}

/// Finds the states whose newest operation another program wrote over.
pub async fn overwritten(
    site: &OpenSite,
    journal: &dyn JournalStore,
    ids: &[StateId],
) -> Result<Vec<Overwritten>, Report> {
    let known = Known::of(site, journal, ids).await?;
    let by_state = known.by_state();
    let newest = ids.iter().filter_map(|id| {
        let mut written = by_state.get(id)?.iter();
        written.find(|(_, item)| was_written(item)).copied()
    });
    let (told, open): (Vec<_>, Vec<_>) =
        newest.partition(|(operation, _)| operation.status == Status::Overwritten);
    let told = told.into_iter().map(|(operation, item)| {
        let by = operation.message.clone().unwrap_or_default();
        of(operation.clone(), item, by)
    });
    let mut all: Vec<Overwritten> = told.collect();
    let ids: Vec<StateId> = open.iter().map(|(_, item)| item.state_id.clone()).collect();
    let current = site.backend.current(&ids).await;
    let current = current.map_err(|error| error.report(&site.source))?;
    let changed: Vec<_> = open
        .into_iter()
        .zip(current)
        .filter(|((_, item), now)| sides_of(now) != item.after)
        .collect();
    // Who wrote what is there now was in the journal before; but maybe not yet when that was read first.
    let ids: Vec<StateId> = changed.iter().map(|(_, now)| now.id.clone()).collect();
    let known = Known::of(site, journal, &ids).await?;
    let by_state = known.by_state();
    for ((operation, item), now) in changed {
        let behind = by_state.get(&now.id).map_or(&[][..], Vec::as_slice);
        let moment = (operation.id, operation.at);
        if let Fate::Overwritten(by) = fate_of(behind, moment, item.after.as_ref(), &now) {
            all.push(of(operation.clone(), item, by));
        }
    }
    Ok(all)
}

fn sides_of(now: &Current) -> Option<Sides> {
    now.stored.as_ref().map(|stored| sides(&stored.state))
}

/// Holds what a journal knows of some states of one source, the newest first.
struct Known(Vec<Operation>);

/// Is an operation with the item of one state.
type Entry<'k> = (&'k Operation, &'k OperationItem);

impl Known {
    async fn of(
        site: &OpenSite,
        journal: &dyn JournalStore,
        ids: &[StateId],
    ) -> Result<Self, Report> {
        if ids.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let query = Query {
            sources: vec![key(site).await?],
            state_ids: ids.to_vec(),
            ..Query::default()
        };
        find(journal, query).await.map(Self)
    }

    fn by_state(&self) -> HashMap<&StateId, Vec<Entry<'_>>> {
        let mut by_state: HashMap<&StateId, Vec<Entry<'_>>> = HashMap::new();
        for operation in &self.0 {
            for item in &operation.items {
                let of_state = by_state.entry(&item.state_id).or_default();
                of_state.push((operation, item));
            }
        }
        by_state
    }
}

fn of(operation: Operation, item: &OperationItem, by: String) -> Overwritten {
    Overwritten {
        item: item.number,
        id: item.state_id.clone(),
        operation,
        by,
    }
}

/// Writes down how an operation that was cut short ended, told from what the source holds.
pub async fn settle(journal: &dyn JournalStore, found: &Interrupted) -> Result<Status, Report> {
    let items = found.operation.items.iter().zip(&found.holds);
    let mut events: Vec<Event> = items
        .map(|(item, holds)| Event::Item {
            number: item.number,
            result: match holds {
                Holds::New => ItemResult::Done,
                Holds::Old | Holds::Other => ItemResult::Failed,
            },
            message: None,
        })
        .collect();
    let has = |wanted: Holds| found.holds.contains(&wanted);
    let (status, message) = match (has(Holds::Other), has(Holds::Old)) {
        (true, _) => (
            Status::Failed,
            "interrupted; the source holds neither what was there nor what was wanted",
        ),
        (false, true) => (Status::Failed, "interrupted before it was written"),
        (false, false) => (Status::Done, "interrupted after it was written"),
    };
    let message = Some(message.to_owned());
    events.push(Event::Ended { status, message });
    let id = found.operation.id;
    let recorded = journal.record(id, Timestamp::now(), events).await;
    recorded.map_err(|error| error.report(journal))?;
    Ok(status)
}

/// Writes down what became of earlier operations on states that are about to be written, while that can still be told.
pub(super) async fn close_earlier(
    site: &OpenSite,
    journal: &dyn JournalStore,
    ids: &[StateId],
) -> Result<(), Report> {
    for found in interrupted(site, journal).await? {
        let mut items = found.operation.items.iter();
        if items.any(|item| ids.contains(&item.state_id)) {
            settle(journal, &found).await?;
        }
    }
    let mut events: BTreeMap<OperationId, Vec<Event>> = BTreeMap::new();
    for lost in overwritten(site, journal, ids).await? {
        if lost.operation.status != Status::Overwritten {
            let of_operation = events.entry(lost.operation.id).or_default();
            of_operation.push(Event::Item {
                number: lost.item,
                result: ItemResult::Overwritten,
                message: Some(lost.by),
            });
        }
    }
    for (id, mut events) in events {
        let message = events.iter().find_map(|event| match event {
            Event::Item { message, .. } => message.clone(),
            Event::Begun | Event::Ended { .. } => None,
        });
        events.push(Event::Ended {
            status: Status::Overwritten,
            message,
        });
        let recorded = journal.record(id, Timestamp::now(), events).await;
        recorded.map_err(|error| error.report(journal))?;
    }
    Ok(())
}

/// Tells what became of what an operation has just written.
pub(super) async fn fate(
    journal: &dyn JournalStore,
    site: &OpenSite,
    moment: (OperationId, Timestamp),
    after: Option<&State>,
    now: &Current,
) -> Result<Fate, Report> {
    let known = Known::of(site, journal, std::slice::from_ref(&now.id)).await?;
    let by_state = known.by_state();
    let behind = by_state.get(&now.id).map_or(&[][..], Vec::as_slice);
    Ok(fate_of(behind, moment, after.map(sides).as_ref(), now))
}

/// Tells what became of what an operation wrote, from the journal and from what the source holds and says of its runs.
///
/// What the journal knows must have been read after what the source holds: who writes is in it before.
///
/// Whoever writes a state after having read ours has moved it on: a later operation that saw it, a run that began after it,
/// a merge that left the completed part as it was. Everything else has written over it.
fn fate_of(
    known: &[Entry<'_>],
    (operation, at): (OperationId, Timestamp),
    after: Option<&Sides>,
    now: &Current,
) -> Fate {
    let there = sides_of(now);
    if there.as_ref() == after {
        return Fate::Kept;
    }
    let completed = |sides: Option<&Sides>| {
        let sides = sides?;
        sides
            .iter()
            .find(|(part, _)| *part == Part::Completed)
            .copied()
    };
    if after.is_some() && completed(there.as_ref()) == completed(after) {
        return Fate::MovedOn;
    }
    match later(known, operation, after) {
        Some(later) if later.before.as_ref() == after => Fate::MovedOn,
        Some(_) => Fate::Overwritten("another program".to_owned()),
        None => by_runs(&now.runs, at),
    }
}

/// Tells from a job's runs who wrote a state after an operation of a time, which is also that of the operation's own runs.
///
/// Times are those of the hosts that ran them. A run that began later has read what was there by then.
fn by_runs(runs: &[Run], at: Timestamp) -> Fate {
    let instant = |stamp: &Option<Stamp>| stamp.as_ref().and_then(|stamp| stamp.instant);
    let started = |run: &Run| instant(&run.started_at);
    let is_own = |run: &Run| {
        let apart = started(run).map(|started| started.duration_since(at).abs());
        run.status == RunStatus::StateEdit && apart.is_some_and(|apart| apart <= OWN)
    };
    let is_behind = |run: &&Run| {
        let left_state = run.is_complete() || run.is_incomplete();
        left_state && !is_own(run) && instant(&run.ended_at).is_none_or(|ended| ended > at)
    };
    let behind: Vec<&Run> = runs.iter().filter(is_behind).collect();
    let (edits, runs): (Vec<&Run>, Vec<&Run>) = behind
        .into_iter()
        .partition(|run| run.status == RunStatus::StateEdit);
    let replaced = edits.into_iter().filter(|edit| edit.is_complete());
    let replaced = replaced.filter_map(started).min();
    let next = runs.iter().copied().filter_map(started);
    let next = next.filter(|started| *started > at).min();
    match (next, replaced) {
        (Some(next), Some(replaced)) if replaced < next => Fate::Overwritten(EDIT.to_owned()),
        (Some(_), _) => Fate::MovedOn,
        (None, _) if !runs.is_empty() => Fate::Overwritten("a run that began before it".to_owned()),
        (None, Some(_)) => Fate::Overwritten(EDIT.to_owned()),
        (None, None) => Fate::Overwritten("a program that left no run".to_owned()),
    }
}

/// Finds the first operation on a state behind one, that the source did not refuse, or not yet.
///
/// One that has no result yet counts only when it read what the other wrote: it may be what is there now. Operations that
/// wrote a state are numbered in the order in which they did, since each read it before it got its number.
fn later<'k>(
    known: &[Entry<'k>],
    operation: OperationId,
    after: Option<&Sides>,
) -> Option<&'k OperationItem> {
    let mut behind = known.iter().rev().filter(|(found, _)| found.id > operation);
    let found = behind.find(|(_, item)| {
        let may_have_written = item.result.is_none() && item.before.as_ref() == after;
        may_have_written || was_written(item)
    });
    found.map(|(_, item)| *item)
}

/// Tells whether an item was written: also when that was taken back or written over since.
fn was_written(item: &OperationItem) -> bool {
    matches!(
        item.result,
        Some(ItemResult::Done | ItemResult::Overwritten | ItemResult::Undone)
    )
}

/// Says of an operation that it, or some of its items, was taken back; of one that was an undo, that what it took back is
/// there again.
pub(super) async fn mark_undone(
    journal: &dyn JournalStore,
    by: OperationId,
    undone: OperationId,
    ids: &[&StateId],
) -> crate::journal::Result<()> {
    let Some(operation) = journal.get(undone).await? else {
        return Ok(());
    };
    mark(
        journal,
        &operation,
        ids,
        ItemResult::Undone,
        format!("by operation {by}"),
    )
    .await?;
    let Some(undoes) = operation
        .undoes
        .filter(|_| operation.kind == OperationKind::Undo)
    else {
        return Ok(());
    };
    let Some(again) = journal.get(undoes.operation).await? else {
        return Ok(());
    };
    mark(
        journal,
        &again,
        ids,
        ItemResult::Done,
        format!("again by operation {by}"),
    )
    .await
}

async fn mark(
    journal: &dyn JournalStore,
    operation: &Operation,
    ids: &[&StateId],
    result: ItemResult,
    message: String,
) -> crate::journal::Result<()> {
    let is_named = |item: &&OperationItem| ids.contains(&&item.state_id);
    let named = operation.items.iter().filter(is_named);
    let mut events: Vec<Event> = named
        .map(|item| Event::Item {
            number: item.number,
            result,
            message: Some(message.clone()),
        })
        .collect();
    let others = operation.items.iter().filter(|item| !is_named(item));
    let mut others = others.filter(|item| item.result == Some(ItemResult::Done));
    let status = match result {
        ItemResult::Undone if others.next().is_some() => None,
        ItemResult::Undone => Some(Status::Undone),
        _ => Some(Status::Done),
    };
    let message = Some(message);
    events.extend(status.map(|status| Event::Ended { status, message }));
    journal.record(operation.id, Timestamp::now(), events).await
}

/// Holds bytes that the journal keeps, read at once.
pub(super) struct Bodies {
    journal: String,
    found: HashMap<ContentHash, Vec<u8>>,
}

impl Bodies {
    /// Reads everything that some items need.
    pub async fn of(journal: &dyn JournalStore, items: &[&OperationItem]) -> Result<Self, Report> {
        let mut hashes = BTreeSet::new();
        for item in items {
            let sides = item.before.iter().chain(&item.after).flatten();
            hashes.extend(sides.filter_map(|(_, hash)| *hash));
            match &item.edit {
                RecordedEdit::Set { document, .. } => hashes.extend([*document]),
                RecordedEdit::Put { value, .. } => hashes.extend([*value]),
                RecordedEdit::Clear | RecordedEdit::Restore => {}
            }
        }
        let found = journal.contents(hashes.into_iter().collect()).await;
        Ok(Self {
            journal: journal.to_string(),
            found: found.map_err(|error| error.report(journal))?,
        })
    }

    /// Gives a state; `None` for one that was none.
    pub fn state(&self, kept: Option<&Sides>) -> Result<Option<State>, Report> {
        let Some(kept) = kept else { return Ok(None) };
        let mut parts = [Content::Null, Content::Null];
        for (part, hash) in kept {
            let content = match hash {
                None => Content::Null,
                Some(hash) => Content::read(Some(self.bytes(*hash)?)),
            };
            match part {
                Part::Completed => parts[0] = content,
                Part::Partial => parts[1] = content,
            }
        }
        let [completed, partial] = parts;
        Ok(Some(State::meltano(completed, partial)))
    }

    /// Gives bytes by their hash.
    pub fn bytes(&self, hash: ContentHash) -> Result<&[u8], Report> {
        let found = self.found.get(&hash).map(Vec::as_slice);
        found.ok_or_else(|| {
            let message = format!("the journal {} no longer holds this state", self.journal);
            Report::new(Fault::No, message)
                .because("it was dropped to stay within the journal's limit")
        })
    }
}

async fn holds(site: &OpenSite, operation: &Operation) -> Result<Vec<Holds>, Report> {
    let items = &operation.items;
    let ids: Vec<StateId> = items.iter().map(|item| item.state_id.clone()).collect();
    let current = site.backend.current(&ids).await;
    let current = current.map_err(|error| error.report(&site.source))?;
    Ok(items
        .iter()
        .zip(current)
        .map(|(item, now)| {
            let there = sides_of(&now);
            if there == item.after {
                Holds::New
            } else if there == item.before {
                Holds::Old
            } else {
                Holds::Other
            }
        })
        .collect())
}

async fn find(journal: &dyn JournalStore, query: Query) -> Result<Vec<Operation>, Report> {
    let found = journal.find(query).await;
    found.map_err(|error| error.report(journal))
}

async fn key(site: &OpenSite) -> Result<SourceKey, Report> {
    let key = site.backend.key().await;
    key.map_err(|error| error.report(&site.source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const AT: &str = "2026-12-01T04:00:00Z";

    /// Makes a run of times on the day of the operation, which is at 04:00:00; an empty end is none.
    fn run(status: RunStatus, flags: i64, started: &str, ended: &str) -> Run {
        let stamp =
            |time: &str| (!time.is_empty()).then(|| Stamp::utc(format!("2026-12-01 {time}")));
        Run {
            row: 1,
            state_id: StateId::from("job"),
            run_id: None,
            status,
            started_at: stamp(started),
            ended_at: stamp(ended),
            heartbeat_at: None,
            trigger: None,
            flags: Some(flags),
        }
    }

    fn edit(time: &str, flags: i64) -> Run {
        run(RunStatus::StateEdit, flags, time, time)
    }

    fn ran(started: &str, ended: &str) -> Run {
        run(RunStatus::Success, 1, started, ended)
    }

    fn own() -> Run {
        edit("04:00:00.000000", 1)
    }

    #[rstest]
    #[case::left_no_run(vec![own()], Some("a program that left no run"))]
    #[case::earlier_runs_say_nothing(vec![ran("02:00:00", "03:00:00"), own()], Some("a program that left no run"))]
    #[case::an_edit(vec![own(), edit("04:00:01", 1)], Some(EDIT))]
    #[case::a_merge_replaces_nothing(vec![own(), edit("04:00:01", 2)], Some("a program that left no run"))]
    #[case::a_run_that_read_it(vec![own(), ran("04:00:01", "04:10:00")], None)]
    #[case::a_run_that_reads_on(vec![own(), run(RunStatus::Running, 1, "04:00:01", "")], None)]
    #[case::a_run_that_began_before(vec![ran("03:59:00", "04:10:00"), own()], Some("a run that began before it"))]
    #[case::one_that_is_not_done(vec![run(RunStatus::Running, 1, "03:59:00", ""), own()], Some("a run that began before it"))]
    #[case::one_that_left_nothing(vec![run(RunStatus::Fail, 0, "04:01:00", "04:02:00"), own()], Some("a program that left no run"))]
    #[case::an_edit_before_the_run(vec![own(), edit("04:00:01", 1), ran("04:00:02", "04:10:00")], Some(EDIT))]
    #[case::an_edit_behind_the_run(vec![own(), ran("04:00:01", "04:10:00"), edit("04:20:00", 1)], None)]
    fn who_wrote_over_it(#[case] runs: Vec<Run>, #[case] want: Option<&str>) {
        let fate = by_runs(&runs, AT.parse().unwrap());
        let want = want.map_or(Fate::MovedOn, |by| Fate::Overwritten(by.to_owned()));
        assert_eq!(fate, want);
    }
}
