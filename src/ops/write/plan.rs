//! Making plans. Reads the source and the journal; writes nothing.

use jiff::{SignedDuration, Timestamp};

use super::recover::Bodies;
use super::{Planned, Refused, Request};
use crate::backend::{Access, Current};
use crate::domain::edit::{
    Confirmation, Edit, Guard, Item, Plan, Target, ThreeWay, consequences, is_same, payloads,
};
use crate::domain::history::{Run, RunStatus};
use crate::domain::id::StateId;
use crate::domain::json::{Document, python};
use crate::domain::lint::{self, Finding, Severity};
use crate::domain::operation::{
    Author, ItemResult, Operation, OperationItem, OperationKind, RecordedEdit, Undoes,
};
use crate::domain::state::{Content, Part, State};
use crate::domain::version::sides;
use crate::journal::JournalStore;
use crate::ops::OpenSite;
use crate::report::{Fault, Report};

/// For how long the undo of one's own operation wants no more than a yes.
const FRESH: SignedDuration = SignedDuration::from_hours(1);

/// Plans edits of the states of one site, from one moment of its source.
///
/// A state of which what is wanted cannot be had, or one of several whose job runs, does not keep the others from being
/// planned.
pub async fn plan(site: &OpenSite, request: Request, now: Timestamp) -> Result<Planned, Report> {
    let failed = |error: crate::backend::BackendError| error.report(&site.source);
    let able = site.states.capabilities().await.map_err(failed)?;
    let sees_runs = site.sees_runs(&able);
    let ids: Vec<StateId> = request.edits.iter().map(|(id, _)| id.clone()).collect();
    let current = site.current(&ids).await?;
    let mut guards = Vec::new();
    if let Access::ReadOnly(why) = able.access {
        guards.push(Guard::ReadOnly(why));
    }
    let mut planned = Planned {
        plan: None,
        unchanged: Vec::new(),
        refused: Vec::new(),
    };
    let mut items = Vec::new();
    let is_bulk = request.edits.len() > 1;
    for ((id, edit), current) in request.edits.into_iter().zip(current) {
        let before = current.stored.as_ref().map(|stored| &stored.state);
        match edit.apply(&id, before) {
            Err(report) => planned.refused.push(Refused {
                id,
                report: report.on_source(&site.source),
                versions: None,
            }),
            Ok(after) if is_same(before, after.as_ref()) => planned.unchanged.push(id),
            Ok(after) => {
                let running = running(&current, now);
                let mut item = item(edit, current, after);
                if !sees_runs {
                    item.findings.push(runs_unseen());
                }
                match running {
                    Some(run) if request.even_if_running => item.findings.push(is_running(&run)),
                    Some(run) => {
                        let guard = Guard::Running {
                            id: id.clone(),
                            since: last_sign(&run),
                            run_id: run.run_id,
                        };
                        if is_bulk {
                            let report = guard.report().on_source(&site.source);
                            let versions = None;
                            planned.refused.push(Refused {
                                id,
                                report,
                                versions,
                            });
                            continue;
                        }
                        guards.push(guard);
                    }
                    None => {}
                }
                items.push(item);
            }
        }
    }
    if items.is_empty() {
        return Ok(planned);
    }
    let protected = protected(site, &items);
    let confirmation = if protected.is_empty() {
        Confirmation::Yes
    } else {
        Confirmation::Typed(Plan::text_to_type(&items))
    };
    planned.plan = Some(Plan {
        kind: request.kind,
        target: target(site).await?,
        items,
        undoes: request.undoes,
        guards,
        protected,
        confirmation,
        reason: request.reason,
    });
    Ok(planned)
}

/// Lists the protected environments of some states, each once.
fn protected(site: &OpenSite, items: &[Item]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = site.protected.environment(&item.id);
        names.extend(
            name.filter(|name| !names.iter().any(|known| known == name))
                .map(str::to_owned),
        );
    }
    names
}

/// Plans to take an operation back, or one item of it: what was before is put back verbatim.
///
/// A state that holds neither what the operation wrote nor what was there before has moved on; it is refused, with the three
/// versions. Nothing but a yes is wanted for one's own operation of the last hour.
pub async fn plan_undo(
    site: &OpenSite,
    journal: &dyn JournalStore,
    operation: &Operation,
    item: Option<u32>,
    options: Options,
    author: &Author,
    now: Timestamp,
) -> Result<Planned, Report> {
    can_undo(site, operation).await?;
    let chosen = chosen(operation, item)?;
    let ids: Vec<StateId> = chosen.iter().map(|item| item.state_id.clone()).collect();
    let current = site.current(&ids).await?;
    let bodies = Bodies::of(journal, &chosen).await?;
    let (mut edits, mut refused) = (Vec::new(), Vec::new());
    for (item, current) in chosen.into_iter().zip(current) {
        let state = bodies.state(item.before.as_ref())?;
        let theirs = current.stored.as_ref().map(|stored| &stored.state);
        if is_same(state.as_ref(), theirs) || theirs.map(sides) == item.after {
            edits.push((item.state_id.clone(), Edit::Restore { state }));
            continue;
        }
        let report = Report::new(
            Fault::Conflict,
            format!(
                "'{}' has moved on since operation {}",
                item.state_id, operation.id
            ),
        )
        .because("it is neither what the operation wrote nor what was there before")
        .hint("`statescope set` puts any state there, whatever it holds now");
        refused.push(Refused {
            id: item.state_id.clone(),
            report: report
                .on_source(&site.source)
                .on_state(item.state_id.as_str()),
            versions: Some(ThreeWay {
                base: bodies.state(item.after.as_ref())?,
                theirs: theirs.cloned(),
                ours: state,
            }),
        });
    }
    let request = Request {
        kind: OperationKind::Undo,
        edits,
        even_if_running: options.even_if_running,
        reason: options.reason,
        undoes: Some(Undoes {
            operation: operation.id,
            item,
        }),
    };
    let mut planned = plan(site, request, now).await?;
    planned.refused.extend(refused);
    let is_own = operation.author == *author && now.duration_since(operation.at) < FRESH;
    if let Some(plan) = planned.plan.as_mut().filter(|_| is_own) {
        plan.confirmation = Confirmation::Yes;
    }
    Ok(planned)
}

/// Holds what every way to make a plan of an operation takes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether a job that runs is edited all the same.
    pub even_if_running: bool,
    /// Why, as the person said.
    pub reason: Option<String>,
}

/// Plans what an operation wanted once more, on what the source holds now.
pub async fn plan_again(
    site: &OpenSite,
    journal: &dyn JournalStore,
    operation: &Operation,
    item: Option<u32>,
    options: Options,
    now: Timestamp,
) -> Result<Planned, Report> {
    same_source(site, operation).await?;
    let chosen = chosen(operation, item)?;
    let bodies = Bodies::of(journal, &chosen).await?;
    let mut edits = Vec::new();
    for item in chosen {
        let edit = match &item.edit {
            RecordedEdit::Set { document, validate } => Edit::Set {
                document: document_of(bodies.bytes(*document)?)?,
                validate: *validate,
            },
            RecordedEdit::Put { part, at, value } => Edit::Put {
                part: *part,
                at: at.clone(),
                value: document_of(bodies.bytes(*value)?)?,
            },
            RecordedEdit::Clear => Edit::Clear,
            RecordedEdit::Restore => Edit::Restore {
                state: bodies.state(item.after.as_ref())?,
            },
        };
        edits.push((item.state_id.clone(), edit));
    }
    let request = Request {
        kind: operation.kind,
        edits,
        even_if_running: options.even_if_running,
        reason: options.reason.or_else(|| operation.reason.clone()),
        undoes: operation.undoes,
    };
    plan(site, request, now).await
}

async fn target(site: &OpenSite) -> Result<Target, Report> {
    let key = site.states.key().await;
    let elsewhere = site.site.elsewhere.as_ref();
    Ok(Target {
        site: site.site.name.clone(),
        source: site.source.to_string(),
        key: key.map_err(|error| error.report(&site.source))?,
        decided_by: site.site.states.decided_by.to_string(),
        elsewhere: elsewhere.map(|(uri, decided_by)| format!("{decided_by} names {uri}")),
    })
}

fn document_of(bytes: &[u8]) -> Result<Document, Report> {
    Document::parse(bytes).map_err(|error| {
        Report::new(Fault::Corrupt, "the journal holds a document that is none").because(error)
    })
}

async fn same_source(site: &OpenSite, operation: &Operation) -> Result<(), Report> {
    let key = site.states.key().await;
    let key = key.map_err(|error| error.report(&site.source))?;
    if key == operation.source {
        return Ok(());
    }
    Err(Report::new(
        Fault::Usage,
        format!("operation {} wrote to another source", operation.id),
    )
    .because(format!("it wrote to {}", operation.source_name))
    .hint(format!(
        "give it that source: --source {}",
        operation.source_name
    )))
}

async fn can_undo(site: &OpenSite, operation: &Operation) -> Result<(), Report> {
    same_source(site, operation).await?;
    if operation.is_undoable() {
        return Ok(());
    }
    let why = if operation.is_running {
        "it is still under way"
    } else if !operation.has_bodies {
        "the journal dropped its states to stay within its limit"
    } else {
        match operation.status {
            crate::domain::operation::Status::Undone => "it was undone already",
            _ => "nothing of it was written",
        }
    };
    let report = Report::new(
        Fault::No,
        format!("operation {} cannot be undone", operation.id),
    );
    Err(report
        .because(why)
        .hint("`statescope operations` lists those that can"))
}

/// Gives the items to work on: one by its number, or all that were written, or may have been.
fn chosen(operation: &Operation, item: Option<u32>) -> Result<Vec<&OperationItem>, Report> {
    let Some(number) = item else {
        let items = operation.items.iter();
        let open = |item: &&OperationItem| item.result != Some(ItemResult::Undone);
        return Ok(items.filter(open).collect());
    };
    let mut items = operation.items.iter();
    let found = items.find(|item| item.number == number);
    found.map(|item| vec![item]).ok_or_else(|| {
        Report::new(
            Fault::Usage,
            format!("operation {} has no item {number}", operation.id),
        )
        .because(format!("it has {}", operation.items.len()))
    })
}

/// Finds the run of a job that is alive.
fn running(current: &Current, now: Timestamp) -> Option<Run> {
    let mut runs = current.runs.iter().rev();
    runs.find(|run| run.status == RunStatus::Running && run.is_alive(now))
        .cloned()
}

fn last_sign(run: &Run) -> Option<Timestamp> {
    let stamp = run.heartbeat_at.as_ref().or(run.started_at.as_ref())?;
    stamp.instant
}

fn item(edit: Edit, current: Current, after: Option<State>) -> Item {
    let before = current.stored.as_ref().map(|stored| &stored.state);
    let mut findings = Vec::new();
    if let Some(after) = &after {
        findings.extend(lint::state(after, &after.effective()));
        if payloads(after).is_empty() {
            findings.push(untold());
        }
    }
    if let Edit::Set { document, .. } = &edit {
        findings.extend(respelled(document));
        findings.extend(before.and_then(partial_replaced));
    }
    Item {
        id: current.id,
        consequences: consequences(before, after.as_ref()),
        findings,
        before: current.stored,
        after,
        edit,
    }
}

fn note(rule: &'static str, severity: Severity, message: impl Into<String>) -> Finding {
    Finding {
        rule,
        severity,
        path: None,
        message: message.into(),
    }
}

fn runs_unseen() -> Finding {
    note(
        "runs-unseen",
        Severity::Warning,
        "the source holds no runs, so whether the job is running cannot be told",
    )
}

fn is_running(run: &Run) -> Finding {
    let since = last_sign(run).map_or_else(String::new, |at| format!(", last sign of life {at}"));
    note(
        "running",
        Severity::Warning,
        format!("the job is running{since}; what it writes when it ends replaces the edit"),
    )
}

fn untold() -> Finding {
    note(
        "untold",
        Severity::Note,
        "a part is no JSON object, so no run can tell of this edit, and none is written",
    )
}

/// Names the numbers and keys that Python's form spells otherwise, and the keys that it drops.
fn respelled(document: &Document) -> Option<Finding> {
    const NAMED: usize = 3;
    let mut places: Vec<String> = Vec::new();
    for id in document.duplicate_keys() {
        places.extend(
            document
                .node(id)
                .map(|node| format!("{} (dropped)", node.pointer())),
        );
    }
    for place in python::respelled(document) {
        let (python::Respelled::Key(id) | python::Respelled::Value(id)) = place;
        places.extend(document.node(id).map(|node| node.pointer().to_string()));
    }
    let more = places.len().saturating_sub(NAMED);
    let named = places.iter().take(NAMED).cloned().collect::<Vec<_>>();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!named.is_empty()).then(|| {
        note(
            "respelled",
            Severity::Note,
            format!(
                "written as Meltano writes it, with another spelling of {}{more}",
                named.join(", ")
            ),
        )
    })
}

/// Says that what incomplete runs left is replaced too.
fn partial_replaced(before: &State) -> Option<Finding> {
    let partial = before.part(Part::Partial).and_then(Content::document)?;
    let holds_something = !partial.root().is_empty();
    holds_something.then(|| {
        note(
            "partial-replaced",
            Severity::Warning,
            "what incomplete runs left in the partial part is replaced too, as by `meltano state set`",
        )
    })
}
