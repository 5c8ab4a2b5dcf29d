//! `operations`: what the journal holds, and what one operation wanted, done again.

use jiff::Timestamp;
use serde::Serialize;

use super::json::{self, Array, Text};
use super::notices::states;
use super::output::{Cell, Failure, Tone};
use super::session::Session;
use super::undo::{Reference, about, cut_short, source_of};
use super::write::{self, Confirming, Door, pass_by};
use crate::domain::id::StateId;
use crate::domain::location::SourceKey;
use crate::domain::operation::{
    ItemResult, Operation, OperationItem, RecordedEdit, Status, Undoes,
};
use crate::journal::Query;
use crate::ops;
use crate::ops::write::{Holds, Planned, plan_again};
use crate::report::{Fault, Report, printable};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only the operations on this state: its ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: Option<String>,
    /// Only since this time: RFC 3339, a date, `yesterday 03:00`, or an age (`2h`).
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only of this user.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The newest N only.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// On every source, not only on the chosen ones.
    #[arg(long)]
    all_sources: bool,
    /// Plans what an operation, or one item of it, wanted once more, on what the source holds now.
    #[arg(
        long,
        value_name = "OPERATION[.ITEM]",
        value_parser = Reference::parse,
        conflicts_with_all = ["job", "since", "user", "limit", "all_sources"]
    )]
    again: Option<Reference>,
    #[command(flatten)]
    confirming: Confirming,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    if let Some(reference) = arguments.again {
        return again(session, reference, &arguments.confirming).await;
    }
    if arguments.confirming != Confirming::default() {
        return Err(Report::new(Fault::Usage, "a list is not confirmed")
            .hint("--yes, --dry-run, --confirm, --even-if-running and --reason go with --again")
            .into());
    }
    let query = query(session, &arguments).await?;
    let found = match session.journal.existing() {
        None => Vec::new(),
        Some(journal) => {
            let found = journal.find(query).await;
            found.map_err(|error| error.report(&journal))?
        }
    };
    if session.voice.json {
        write_json(session, &found)?;
    } else {
        let rows: Vec<Vec<Cell>> = found.iter().map(|one| row(session, one)).collect();
        session.out.table(&rows)?;
    }
    if found.is_empty() {
        session.voice.note("there are no operations");
    }
    Ok(0)
}

async fn query(session: &mut Session, arguments: &Arguments) -> Result<Query, Report> {
    let since = arguments.since.as_deref();
    let since = since.map(|text| super::log::read_since(session, text));
    let mut query = Query {
        since: since.transpose()?,
        user: arguments.user.clone(),
        limit: arguments.limit,
        ..Query::default()
    };
    if let Some(text) = &arguments.job {
        if let Some(located) = session.qualified(text)? {
            query.sources.push(located.source.open.key().await?);
            query.state_ids.push(located.id);
            return Ok(query);
        }
        query.state_ids.push(StateId::from(text.as_str()));
    }
    if !arguments.all_sources {
        query.sources = keys(session).await?;
    }
    Ok(query)
}

/// Gives the keys of the chosen sources; of several, those that cannot be had are only missed.
async fn keys(session: &mut Session) -> Result<Vec<SourceKey>, Report> {
    let mut keys = Vec::new();
    let mut failed = Vec::new();
    for source in session.sources()? {
        match source.open.key().await {
            Ok(key) => keys.push(key),
            Err(report) => failed.push(report),
        }
    }
    if keys.is_empty()
        && let Some(report) = failed.pop()
    {
        return Err(report);
    }
    for report in &failed {
        session.miss(report);
    }
    Ok(keys)
}

/// Names how far an operation came, for people: those that were cut short have a word of their own.
fn status(operation: &Operation) -> &'static str {
    if operation.is_interrupted() {
        "interrupted"
    } else {
        operation.status.name()
    }
}

fn row(session: &Session, operation: &Operation) -> Vec<Cell> {
    let tone = match operation.status {
        _ if operation.is_interrupted() => Tone::Warning,
        Status::Done => Tone::Good,
        Status::Planned | Status::Begun => Tone::Active,
        Status::Failed | Status::Overwritten => Tone::Bad,
        Status::Undone => Tone::Faint,
    };
    let author = &operation.author;
    let kind = match operation.undoes {
        None => operation.kind.name().to_owned(),
        Some(undoes) => format!("{} {}", operation.kind.name(), number(undoes)),
    };
    let reason = operation.reason.as_deref().unwrap_or_default();
    vec![
        Cell::new(operation.id.to_string()).right(),
        Cell::new(session.local(operation.at)),
        Cell::new(kind),
        Cell::new(status(operation)).tone(tone),
        Cell::new(states(operation)),
        Cell::new(printable(&format!("{}@{}", author.user, author.host))).tone(Tone::Faint),
        Cell::new(printable(reason)),
    ]
}

fn number(undoes: Undoes) -> String {
    match undoes.item {
        None => undoes.operation.to_string(),
        Some(item) => format!("{}.{item}", undoes.operation),
    }
}

/// Is one operation, with every key of the JSON form.
#[derive(Serialize)]
struct Line<'o> {
    id: i64,
    at: Text<Timestamp>,
    kind: &'static str,
    user: &'o str,
    host: &'o str,
    reason: Option<&'o str>,
    source: &'o str,
    status: &'static str,
    undoable: bool,
    items: Vec<ItemLine<'o>>,
    message: Option<&'o str>,
    undoes: Option<UndoesLine>,
    /// Whether it was cut short: it has no end, and nobody works on it.
    interrupted: bool,
}

#[derive(Serialize)]
struct ItemLine<'o> {
    state_id: &'o str,
    result: Option<&'static str>,
    number: u32,
    message: Option<&'o str>,
}

#[derive(Serialize)]
struct UndoesLine {
    operation: i64,
    item: Option<u32>,
}

impl<'o> Line<'o> {
    fn of(operation: &'o Operation) -> Self {
        Self {
            id: operation.id.0,
            at: Text(operation.at),
            kind: operation.kind.name(),
            user: &operation.author.user,
            host: &operation.author.host,
            reason: operation.reason.as_deref(),
            source: &operation.source_name,
            status: operation.status.name(),
            undoable: operation.is_undoable(),
            items: operation.items.iter().map(ItemLine::of).collect(),
            message: operation.message.as_deref(),
            undoes: operation.undoes.map(|undoes| UndoesLine {
                operation: undoes.operation.0,
                item: undoes.item,
            }),
            interrupted: operation.is_interrupted(),
        }
    }
}

impl<'o> ItemLine<'o> {
    fn of(item: &'o OperationItem) -> Self {
        Self {
            state_id: item.state_id.as_str(),
            result: item.result.map(ItemResult::name),
            number: item.number,
            message: item.message.as_deref(),
        }
    }
}

fn write_json(session: &mut Session, found: &[Operation]) -> std::io::Result<()> {
    let mut array = Array::default();
    array.begin(&mut session.out)?;
    for operation in found {
        array.element(&mut session.out)?;
        json::write(&mut session.out, &Line::of(operation))?;
    }
    array.end(&mut session.out)
}

/// Plans what an operation wanted once more. One that was cut short is closed first.
async fn again(
    session: &mut Session,
    reference: Reference,
    confirming: &Confirming,
) -> Result<u8, Failure> {
    let operation = session.journal.operation(reference.operation).await?;
    let source = source_of(session, &operation).await?;
    if operation.is_running {
        let message = format!("operation {} is still under way", operation.id);
        return Err(Report::new(Fault::No, message)
            .hint("wait until it ends")
            .into());
    }
    let journal = session.journal.store()?;
    session.will_tell(operation.id);
    session.look_back_to_write(&source).await;
    let nothing = format!(
        "nothing to do: the source holds what operation {} wanted",
        operation.id
    );
    if let Some(found) = cut_short(&source, &*journal, operation.id).await? {
        if !confirming.dry_run {
            ops::write::settle(&*journal, &found).await?;
        }
        if found.holds.iter().all(|holds| *holds == Holds::New) {
            return Ok(pass_by(session, &operation, &nothing)?);
        }
    }
    let (options, now) = (confirming.options(), session.clock.now);
    let item = reference.item;
    let planned = plan_again(&source.open, &*journal, &operation, item, options, now).await;
    let mut planned = planned?;
    cleared_already(&operation, &mut planned);
    let door = Door {
        about: Some(about(session, "does again", &operation, item)),
        nothing,
        ..Door::new(&source, confirming)
    };
    write::pass(session, door, planned).await
}

/// Counts a state that was to be deleted, and is not there, among those that are as wanted.
fn cleared_already(operation: &Operation, planned: &mut Planned) {
    let was_cleared = |id: &StateId| {
        let mut items = operation.items.iter();
        let item = items.find(|item| item.state_id == *id);
        item.is_some_and(|item| item.edit == RecordedEdit::Clear)
    };
    let refused = std::mem::take(&mut planned.refused).into_iter();
    let (gone, refused) =
        refused.partition(|refused| refused.report.fault == Fault::No && was_cleared(&refused.id));
    planned.refused = refused;
    let gone: Vec<ops::write::Refused> = gone;
    planned
        .unchanged
        .extend(gone.into_iter().map(|gone| gone.id));
}
