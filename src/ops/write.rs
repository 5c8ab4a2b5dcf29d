//! The one door for writes: plan, confirm, journal, commit, read back. Every change of a source passes through here.

use jiff::Timestamp;

use super::OpenSite;
use crate::backend::{BackendError, Current};
use crate::domain::edit::{Confirmed, Edit, Item, Plan, ThreeWay, is_same};
use crate::domain::id::StateId;
use crate::domain::operation::{Author, ItemResult, OperationId, OperationKind, Undoes};
use crate::domain::operation::{Event, Status};
use crate::journal::{JournalError, JournalStore, NewItem, NewOperation};
use crate::report::{Fault, Report};
use recover::Fate;

mod plan;
mod recover;

pub use plan::{Options, plan, plan_again, plan_undo};
pub use recover::{Holds, Interrupted, Overwritten, interrupted, overwritten, settle};

/// Says what is wanted of some states of one site.
#[derive(Debug, Clone)]
pub struct Request {
    /// What kind of command asks.
    pub kind: OperationKind,
    /// The states, each with what is wanted of it; no state twice.
    pub edits: Vec<(StateId, Edit)>,
    /// Whether a job that runs is edited all the same.
    pub even_if_running: bool,
    /// Why, as the person said.
    pub reason: Option<String>,
    /// What it takes back.
    pub undoes: Option<Undoes>,
}

/// Holds a plan, and what could not be planned.
#[derive(Debug)]
pub struct Planned {
    /// What can be done; `None` when nothing is left to do.
    pub plan: Option<Plan>,
    /// The states that hold already what is wanted of them.
    pub unchanged: Vec<StateId>,
    /// The states of which what is wanted cannot be had.
    pub refused: Vec<Refused>,
}

/// Says why what is wanted of a state cannot be had.
#[derive(Debug)]
pub struct Refused {
    /// The state.
    pub id: StateId,
    /// Why.
    pub report: Report,
    /// The three versions, when the state has moved on from what an undo would take back.
    pub versions: Option<ThreeWay>,
}

/// Says how one state of an operation came out.
#[derive(Debug)]
pub struct Outcome {
    /// The state.
    pub id: StateId,
    /// How it ended.
    pub result: ItemResult,
    /// What is to be said of it, when it was not simply done.
    pub report: Option<Report>,
    /// The three versions, when the source had moved on, or another program wrote over what was written.
    pub versions: Option<ThreeWay>,
}

/// Holds what came of a plan.
#[derive(Debug)]
pub struct Carried {
    /// The operation's number in the journal.
    pub operation: OperationId,
    /// Its states, in the order of the plan.
    pub outcomes: Vec<Outcome>,
    /// Something that went wrong behind the writes: the journal did not take the end.
    pub afterwards: Option<Report>,
}

/// Names a moment of an operation. A process that is killed at one leaves the old state or the new one, and a journal that
/// says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The plan is in the journal, on disk; the source was not touched.
    Journalled,
    /// The journal says that the source is about to be touched.
    Begun,
    /// The source was written.
    Committed,
    /// What was written was read back.
    ReadBack,
    /// The journal says how it ended.
    Recorded,
}

impl Step {
    /// Holds every step, in order.
    pub const ALL: [Self; 5] = [
        Self::Journalled,
        Self::Begun,
        Self::Committed,
        Self::ReadBack,
        Self::Recorded,
    ];
}

/// Carries a confirmed plan out: writes it down, commits, reads back, and writes down how it ended.
///
/// `trigger` is what the runs say that started the edit; `step` is told of each moment before it goes on. Fails when
/// nothing was written, because the journal could not be; what fails later is told of each state.
pub async fn carry_out(
    site: &OpenSite,
    journal: &dyn JournalStore,
    plan: Confirmed<Plan>,
    author: &Author,
    trigger: &str,
    step: &mut (dyn FnMut(Step) + Send),
) -> Result<Carried, Report> {
    let items = &plan.get().items;
    let ids: Vec<StateId> = items.iter().map(|item| item.id.clone()).collect();
    let closed = recover::close_earlier(site, journal, &ids).await;
    closed.map_err(nothing_written)?;
    let at = Timestamp::now();
    let new = new_operation(plan.get(), author, at);
    let ongoing = journal.plan(new).await.map_err(unusable(journal))?;
    let operation = ongoing.id;
    step(Step::Journalled);
    let begun = journal.record(operation, Timestamp::now(), vec![Event::Begun]);
    let begun = begun.await;
    begun.map_err(unusable(journal))?;
    step(Step::Begun);
    // The runs carry the time of the operation, so that they can be told from those of others.
    let batch = plan.batch(at, trigger, &mut new_run_id);
    let committed = site.states.commit(batch).await;
    step(Step::Committed);
    let now = site.current(&ids).await;
    let absent = BackendError::NotFound.report(&site.source);
    let mut outcomes = Vec::with_capacity(items.len());
    for (place, (item, result)) in items.iter().zip(committed).enumerate() {
        let now = match &now {
            Ok(all) => all.get(place).ok_or(&absent),
            Err(report) => Err(report),
        };
        let came_out = match result {
            Ok(_) => written(site, journal, (operation, at), item, now).await,
            Err(error) => not_written((site, journal), operation, item, &error, now.ok()),
        };
        outcomes.push(came_out);
    }
    step(Step::ReadBack);
    let afterwards = end(journal, operation, plan.get(), &outcomes).await.err();
    step(Step::Recorded);
    drop(ongoing);
    Ok(Carried {
        operation,
        outcomes,
        afterwards,
    })
}

/// Makes the report of a journal that cannot be had, without which nothing is written.
fn unusable(journal: &dyn JournalStore) -> impl Fn(JournalError) -> Report + '_ {
    move |error| nothing_written(error.report(journal))
}

/// Says of a failure that nothing was written because of it.
pub fn nothing_written(report: Report) -> Report {
    Report {
        message: format!("nothing was written: {}", report.message),
        ..report
    }
}

/// Compares what was written with what the source holds now.
async fn written(
    site: &OpenSite,
    journal: &dyn JournalStore,
    (operation, at): (OperationId, Timestamp),
    item: &Item,
    now: Result<&Current, &Report>,
) -> Outcome {
    let done = |report| Outcome {
        id: item.id.clone(),
        result: ItemResult::Done,
        report,
        versions: None,
    };
    let about = |report: Report| report.on_source(&site.source).on_state(item.id.as_str());
    let now = match now {
        Ok(now) => now,
        Err(report) => {
            let message = format!("'{}' was written, and could not be read back", item.id);
            return done(Some(about(Report {
                cause: Some(report.sentence()),
                message,
                ..report.clone()
            })));
        }
    };
    let theirs = now.stored.as_ref().map(|stored| &stored.state);
    if is_same(item.after.as_ref(), theirs) {
        return done(None);
    }
    let fate = recover::fate(journal, site, (operation, at), item.after.as_ref(), now).await;
    let by = match fate {
        Ok(Fate::Overwritten(by)) => by,
        Ok(Fate::Kept | Fate::MovedOn) => return done(None),
        Err(report) => return done(Some(about(report))),
    };
    let report = Report::new(
        Fault::Conflict,
        format!("'{}' was written, and {by} wrote over it", item.id),
    )
    .because("that program does not look whether a state has changed since it read it")
    .hint(again(operation));
    Outcome {
        id: item.id.clone(),
        result: ItemResult::Overwritten,
        report: Some(about(report)),
        versions: Some(three_way(item, Some(now))),
    }
}

/// Says why a state was not written, and where the copy of what was wanted is.
fn not_written(
    (site, journal): (&OpenSite, &dyn JournalStore),
    operation: OperationId,
    item: &Item,
    error: &BackendError,
    now: Option<&Current>,
) -> Outcome {
    let report = error
        .report_of_write(&site.source)
        .on_state(item.id.as_str());
    let is_conflict = *error == BackendError::Conflict;
    let (result, report) = if is_conflict {
        let report = Report {
            message: format!(
                "'{}' changed since it was read; nothing was written",
                item.id
            ),
            cause: None,
            ..report
        };
        (ItemResult::Conflict, report)
    } else {
        let kept = format!("what was wanted is kept as operation {operation} in {journal}");
        let hint = report.hint.as_deref().unwrap_or_default();
        let hint = format!("{hint}; {kept}, and {}", again(operation));
        (ItemResult::Failed, report.hint(hint))
    };
    Outcome {
        id: item.id.clone(),
        result,
        report: Some(report),
        versions: is_conflict.then(|| three_way(item, now)),
    }
}

/// Names the command that does an operation again on what the source holds by then.
pub(super) fn again(operation: OperationId) -> String {
    format!("`statescope operations --again {operation}` does it again")
}

fn three_way(item: &Item, now: Option<&Current>) -> ThreeWay {
    let theirs = now.and_then(|now| now.stored.as_ref());
    ThreeWay {
        base: item.state_before().cloned(),
        theirs: theirs.map(|stored| stored.state.clone()),
        ours: item.after.clone(),
    }
}

/// Writes down how an operation ended, and for an undo what that means for what it took back.
async fn end(
    journal: &dyn JournalStore,
    operation: OperationId,
    plan: &Plan,
    outcomes: &[Outcome],
) -> Result<(), Report> {
    let mut events: Vec<Event> = (1..)
        .zip(outcomes)
        .map(|(number, outcome)| Event::Item {
            number,
            result: outcome.result,
            message: outcome.report.as_ref().map(Report::sentence),
        })
        .collect();
    let any = |wanted: ItemResult| outcomes.iter().find(|outcome| outcome.result == wanted);
    let failed = any(ItemResult::Failed).or_else(|| any(ItemResult::Conflict));
    let (status, told) = match (failed, any(ItemResult::Overwritten)) {
        (Some(failed), _) => (Status::Failed, Some(failed)),
        (None, Some(lost)) => (Status::Overwritten, Some(lost)),
        (None, None) => (Status::Done, None),
    };
    let message = told.and_then(|outcome| outcome.report.as_ref().map(Report::sentence));
    events.push(Event::Ended { status, message });
    let not_kept = |error: JournalError| {
        let report = error.report(journal);
        let message = format!("operation {operation} was done, and its end is not in the journal");
        Report {
            cause: Some(report.sentence()),
            message,
            ..report
        }
    };
    let recorded = journal.record(operation, Timestamp::now(), events).await;
    recorded.map_err(not_kept)?;
    if let Some(undoes) = plan.undoes {
        let done = outcomes
            .iter()
            .filter(|outcome| outcome.result == ItemResult::Done);
        let ids: Vec<&StateId> = done.map(|outcome| &outcome.id).collect();
        let marked = recover::mark_undone(journal, operation, undoes.operation, &ids).await;
        marked.map_err(not_kept)?;
    }
    Ok(())
}

fn new_run_id() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

fn new_operation(plan: &Plan, author: &Author, at: Timestamp) -> NewOperation {
    let item = |item: &Item| NewItem {
        state_id: item.id.clone(),
        edit: item.edit.clone(),
        before: item.state_before().cloned(),
        after: item.after.clone(),
    };
    NewOperation {
        at,
        kind: plan.kind,
        author: author.clone(),
        reason: plan.reason.clone(),
        source: plan.target.key.clone(),
        source_name: plan.target.source.clone(),
        undoes: plan.undoes,
        items: plan.items.iter().map(item).collect(),
    }
}
