//! `prune`: what the journal needs no more is dropped from it.

use std::io::Write as _;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::json;
use super::output::Failure;
use super::session::Session;
use super::write::prompt::{self, Stdin};
use crate::domain::history::length;
use crate::domain::operation::Operation;
use crate::domain::quantity::{bytes, count};
use crate::journal::{JournalStore, KEPT_FOR_DAYS, Pruned, Query};
use crate::report::{Fault, Report, printable};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Drops the states of operations that are older than this: `90d`, which is the least, `26w`. The operations themselves
    /// stay listed, and can no longer be undone.
    #[arg(long, value_name = "DURATION", default_value = "90d")]
    older_than: String,
    /// Does not ask.
    #[arg(short, long)]
    yes: bool,
}

/// Is what was dropped.
#[derive(Serialize)]
struct Line {
    operations: usize,
    bytes: u64,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let older_than = older_than(&arguments.older_than)?;
    // A present time that was fixed for the sake of an answer makes no operation older than it is.
    let now = session.clock.now.min(Timestamp::now());
    let before = now.checked_sub(older_than).unwrap_or(Timestamp::MIN);
    session.journal.store()?;
    let Some(journal) = session.journal.existing() else {
        return tell(session, Pruned::default());
    };
    let loses = losing(&*journal, before).await?;
    if loses == 0 {
        return tell(session, Pruned::default());
    }
    if !arguments.yes {
        confirm(session, &*journal, loses, before)?;
    }
    let pruned = journal.prune(before, now).await;
    let pruned = pruned.map_err(|error| error.report(&journal))?;
    tell(session, pruned)
}

fn older_than(text: &str) -> Result<SignedDuration, Report> {
    let length = length(text.trim()).ok_or_else(|| {
        Report::new(Fault::Usage, format!("'{text}' is no duration")).hint("write `120d`, `26w`")
    })?;
    if length < SignedDuration::from_hours(24 * KEPT_FOR_DAYS) {
        return Err(Report::new(
            Fault::Usage,
            format!("the states of the last {KEPT_FOR_DAYS} days are not dropped"),
        )
        .because("undo needs them")
        .hint(format!("give --older-than {KEPT_FOR_DAYS}d or more")));
    }
    Ok(length)
}

/// Counts the operations that would lose their states.
async fn losing(journal: &dyn JournalStore, before: Timestamp) -> Result<usize, Report> {
    let all = journal.find(Query::default()).await;
    let all = all.map_err(|error| error.report(&journal))?;
    let loses = |operation: &&Operation| {
        operation.at < before && operation.has_bodies && operation.status.is_final()
    };
    Ok(all.iter().filter(loses).count())
}

fn confirm(
    session: &Session,
    journal: &dyn JournalStore,
    loses: usize,
    before: Timestamp,
) -> Result<(), Report> {
    if session.voice.json {
        return Err(Report::new(
            Fault::Refused,
            "nothing was dropped: nobody is asked with --json",
        )
        .hint("answer by --yes"));
    }
    let mut aside = session.aside();
    let _ = writeln!(
        aside,
        "prune the journal {}\n{} lose their states, and can no longer be undone: those before {}",
        printable(&journal.to_string()),
        operations(loses),
        session.local(before),
    )
    .and_then(|()| aside.flush());
    let line = prompt::ask("Apply? [y/N] ", Stdin::Free, "--yes")?;
    let is_yes = line.is_some_and(|line| prompt::is_yes(&line));
    is_yes
        .then_some(())
        .ok_or_else(|| Report::new(Fault::No, "nothing was dropped").because("the answer was no"))
}

fn operations(number: usize) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} operation{plural}", count(number))
}

fn tell(session: &mut Session, pruned: Pruned) -> Result<u8, Failure> {
    if session.voice.json {
        let line = Line {
            operations: pruned.operations,
            bytes: pruned.bytes,
        };
        json::write(&mut session.out, &line)?;
        session.out.write_all(b"\n")?;
    } else if pruned == Pruned::default() {
        session.voice.note("nothing to drop");
    } else {
        writeln!(
            session.out,
            "dropped the states of {}, {} less",
            operations(pruned.operations),
            bytes(pruned.bytes)
        )?;
    }
    Ok(0)
}
