//! `undo`: an operation is taken back.

use super::notices::deed;
use super::output::Failure;
use super::session::Session;
use super::sites::Source;
use super::write::{self, Confirming, Door, pass_by};
use crate::domain::operation::{Operation, OperationId, OperationKind, Status};
use crate::journal::{JournalStore, Query};
use crate::ops::write::{Holds, Interrupted, plan_undo};
use crate::ops::{self, author};
use crate::report::{Fault, Report};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The operation, by its number in `operations`, whole or one item of it; without it, your newest one on the source that
    /// was not undone.
    #[arg(value_name = "OPERATION[.ITEM]", value_parser = Reference::parse)]
    operation: Option<Reference>,
    #[command(flatten)]
    confirming: Confirming,
}

/// Names an operation, or one item of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) operation: OperationId,
    pub(super) item: Option<u32>,
}

impl Reference {
    /// Reads `214` or `214.3`, and nothing else.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            let number: Option<i64> = text.parse().ok().filter(|_| is_plain);
            number.filter(|number| *number > 0 && !text.starts_with('0'))
        };
        let wrong =
            || "an operation is a number, as `214`, or `214.3` for its third item".to_owned();
        let (operation, item) = match text.split_once('.') {
            None => (text, None),
            Some((operation, item)) => (operation, Some(item)),
        };
        let item = item.map(|item| {
            let item = number(item).and_then(|item| u32::try_from(item).ok());
            item.ok_or_else(wrong)
        });
        Ok(Self {
            operation: OperationId(number(operation).ok_or_else(wrong)?),
            item: item.transpose()?,
        })
    }
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let item = arguments.operation.and_then(|reference| reference.item);
    let (operation, source) = match arguments.operation {
        Some(reference) => named(session, reference).await?,
        None => newest(session).await?,
    };
    let journal = session.journal.store()?;
    session.will_tell(operation.id);
    session.look_back_to_write(&source).await;
    let confirming = &arguments.confirming;
    if let Some(found) = cut_short(&source, &*journal, operation.id).await?
        && was_not_written(&found)
    {
        if !confirming.dry_run {
            ops::write::settle(&*journal, &found).await?;
        }
        let what = format!("nothing of operation {} had been written", operation.id);
        return Ok(pass_by(session, &found.operation, &what)?);
    }
    let site = &source.open;
    let (options, now) = (confirming.options(), session.clock.now);
    let planned = plan_undo(site, &*journal, &operation, item, options, &author(), now).await?;
    let door = Door {
        about: Some(about(session, "undoes", &operation, item)),
        nothing: format!(
            "nothing to do: the source holds what was there before operation {}",
            operation.id
        ),
        ..Door::new(&source, confirming)
    };
    write::pass(session, door, planned).await
}

async fn named(session: &mut Session, reference: Reference) -> Result<(Operation, Source), Report> {
    let operation = session.journal.operation(reference.operation).await?;
    let source = source_of(session, &operation).await?;
    Ok((operation, source))
}

/// Says what an operation was.
pub(super) fn about(
    session: &Session,
    doing: &str,
    operation: &Operation,
    item: Option<u32>,
) -> String {
    let what = match item.and_then(|number| {
        let mut items = operation.items.iter();
        items.find(|item| item.number == number)
    }) {
        None => format!("operation {}: {}", operation.id, deed(operation)),
        Some(item) => format!(
            "operation {}.{}: {} {}",
            operation.id,
            item.number,
            operation.kind.name(),
            item.state_id
        ),
    };
    let reason = operation.reason.as_deref();
    let reason = reason.map_or_else(String::new, |reason| format!(", \"{reason}\""));
    format!("{doing} {what} of {}{reason}", session.day(operation.at))
}

/// Finds the source that an operation wrote to: among those that were chosen, else, when none was named, its own.
pub(super) async fn source_of(
    session: &mut Session,
    operation: &Operation,
) -> Result<Source, Report> {
    let mut failed = None;
    match session.sources() {
        Err(report) => failed = Some(report).filter(|report| report.fault != Fault::NotFound),
        Ok(sources) => {
            for source in sources {
                match source.open.key().await {
                    Ok(key) if key == operation.source => return Ok(source),
                    Ok(_) => {}
                    Err(report) => failed = Some(report),
                }
            }
        }
    }
    if failed.is_none() && !session.sites.is_named() {
        return session.source_of_operation(operation);
    }
    Err(failed.unwrap_or_else(|| {
        let wrote_to = &operation.source_name;
        Report::new(
            Fault::Usage,
            format!("operation {} wrote to another source", operation.id),
        )
        .because(format!("it wrote to {wrote_to}"))
        .hint(format!(
            "name that source: --source {}",
            super::sites::shell_word(wrote_to)
        ))
    }))
}

/// Finds an operation among those of a source that were cut short.
pub(super) async fn cut_short(
    source: &Source,
    journal: &dyn JournalStore,
    id: OperationId,
) -> Result<Option<Interrupted>, Report> {
    let all = ops::write::interrupted(&source.open, journal).await?;
    Ok(all.into_iter().find(|found| found.operation.id == id))
}

/// Tells whether the source was never touched, or holds what was there before.
fn was_not_written(found: &Interrupted) -> bool {
    let is_old = |holds: &Holds| *holds == Holds::Old;
    found.operation.status == Status::Planned || found.holds.iter().all(is_old)
}

/// Finds the newest operation of this user on the chosen sources that can be undone.
async fn newest(session: &mut Session) -> Result<(Operation, Source), Report> {
    let sources = session.sources()?;
    let mut keys = Vec::with_capacity(sources.len());
    for source in &sources {
        keys.push(source.open.key().await?);
    }
    let user = author().user;
    let found = match session.journal.existing() {
        None => Vec::new(),
        Some(journal) => {
            let query = Query {
                sources: keys.clone(),
                user: Some(user.clone()),
                ..Query::default()
            };
            let found = journal.find(query).await;
            found.map_err(|error| error.report(&journal))?
        }
    };
    let can_be = |operation: &Operation| {
        let is_cut_short = operation.is_interrupted();
        operation.kind != OperationKind::Undo && (operation.is_undoable() || is_cut_short)
    };
    let pairs = keys.iter().zip(&sources);
    let found = found.into_iter().find(can_be).and_then(|operation| {
        let mut pairs = pairs.clone();
        let (_, source) = pairs.find(|(key, _)| **key == operation.source)?;
        Some((operation, source.clone()))
    });
    found.ok_or_else(|| {
        Report::new(
            Fault::No,
            format!("there is nothing to undo: no operation of {user} here can be"),
        )
        .hint("`statescope operations` lists all; `statescope undo OPERATION` undoes any of them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("214", Some((214, None)))]
    #[case("214.3", Some((214, Some(3))))]
    #[case("0", None)]
    #[case("214.0", None)]
    #[case("0214", None)]
    #[case("+214", None)]
    #[case("-1", None)]
    #[case("214.", None)]
    #[case(".3", None)]
    #[case("214.3.1", None)]
    #[case(" 214", None)]
    #[case("", None)]
    #[case("99999999999999999999", None)]
    #[case("1.4294967296", None)]
    fn references(#[case] text: &str, #[case] want: Option<(i64, Option<u32>)>) {
        let read = Reference::parse(text).ok();
        let read = read.map(|reference| (reference.operation.0, reference.item));
        assert_eq!(read, want);
    }
}
