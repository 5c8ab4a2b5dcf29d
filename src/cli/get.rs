//! `get`: one document.

use std::io::Write as _;

use clap::ValueEnum;

use super::names::Names;
use super::output::Failure;
use super::session::Session;
use super::sites::{Located, is_known, shell_word};
use crate::domain::history::Timeline;
use crate::domain::json::{Document, python};
use crate::domain::state::{Content, NoEffective, Part, State};
use crate::ops::read;
use crate::report::{Fault, Report, printable};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: String,
    /// One part as it stands, instead of what both add up to.
    #[arg(long, value_name = "NAME")]
    part: Option<PartName>,
    /// The state at an earlier snapshot: its ID or the beginning of it, its number in `log`, -2 for the one before the
    /// newest, or a time.
    #[arg(long, value_name = "SNAPSHOT", allow_hyphen_values = true)]
    at: Option<String>,
    /// The bytes as stored, with no line end added; what completed and partial add up to when both hold something is stored
    /// nowhere, and given in the form in which Meltano would store it. To a terminal, control characters come as escapes.
    #[arg(long, conflicts_with = "pretty")]
    verbatim: bool,
    /// Indented by two spaces, as `meltano state get --format pretty` prints it.
    #[arg(long)]
    pretty: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
pub(super) enum PartName {
    Completed,
    Partial,
}

impl From<PartName> for Part {
    fn from(name: PartName) -> Self {
        match name {
            PartName::Completed => Self::Completed,
            PartName::Partial => Self::Partial,
        }
    }
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let Some(located) = session.locate(&arguments.job).await? else {
        return Err(session
            .unknown(Fault::No, None, &arguments.job)
            .await
            .into());
    };
    session.mention(&located.source).await;
    session.look_for_overwritten(&located).await;
    let state = match &arguments.at {
        None => now(session, &located).await?,
        Some(snapshot) => then(session, &located, snapshot).await?,
    };
    let part = arguments.part.map(Part::from);
    if arguments.verbatim {
        verbatim(session, &stored(&located, &state, part)?)?;
        return Ok(0);
    }
    let document = document(&located, &state, part)?;
    let style = if arguments.pretty {
        python::Style::Indent(2)
    } else {
        python::Style::Compact
    };
    let text = python::dumps(document.root(), style);
    session.out.write_all(text.as_bytes())?;
    session.out.write_all(b"\n")?;
    Ok(0)
}

async fn now(session: &mut Session, located: &Located) -> Result<State, Report> {
    if let Some(stored) = read::state(&located.source.open, &located.id).await? {
        return Ok(stored.state);
    }
    let timeline = read::timeline(&located.source.open, &located.id).await?;
    if is_known(&timeline) {
        return Err(gone(located, &timeline));
    }
    Err(session.unknown(Fault::No, Some(located), "").await)
}

async fn then(session: &mut Session, located: &Located, text: &str) -> Result<State, Report> {
    let timeline = read::timeline(&located.source.open, &located.id).await?;
    if !is_known(&timeline) {
        return Err(session.unknown(Fault::No, Some(located), "").await);
    }
    let snapshot = session.find(&timeline, text)?;
    match &snapshot.state {
        Some(state) => Ok(state.clone()),
        None if snapshot.is_now() => Err(gone(located, &timeline)),
        None => {
            let message = format!("'{}' had no state at {}", located.id, snapshot.id);
            Err(Report::new(Fault::No, message)
                .hint(format!(
                    "`statescope log {}` shows when it had one",
                    word(located)
                ))
                .on_source(&located.source.open.source)
                .on_state(located.id.as_str()))
        }
    }
}

/// Says that a job has history, and no state.
fn gone(located: &Located, timeline: &Timeline) -> Report {
    let last = timeline
        .snapshots
        .iter()
        .rev()
        .find(|snapshot| snapshot.state.is_some());
    let job = word(located);
    let hint = match last {
        None => format!("`statescope log {job}` shows its runs; none of them left a state"),
        Some(last) => format!(
            "`statescope log {job}` shows its history, `statescope get {job} --at {}` its last state",
            Names::of(timeline).of_snapshot(last)
        ),
    };
    Report::new(
        Fault::No,
        format!("'{}' has history, and no state", located.id),
    )
    .because(timeline.agreement.sentence().unwrap_or("no run left one"))
    .hint(hint)
    .on_source(&located.source.open.source)
    .on_state(located.id.as_str())
}

fn word(located: &Located) -> String {
    shell_word(located.id.as_str())
}

/// Gives the document that was asked for: one part, or what both add up to.
fn document(located: &Located, state: &State, part: Option<Part>) -> Result<Document, Report> {
    match part {
        None => effective(located, state),
        Some(part) => match state.part(part) {
            Some(Content::Document(document)) => Ok(document.clone()),
            Some(Content::Unreadable(_, error)) => {
                let why = NoEffective::Unreadable(part, error.clone());
                Err(unreadable(located, &why)
                    .hint(format!("`--part {part} --verbatim` gives its bytes")))
            }
            Some(Content::Null) | None => Err(null(located, part)),
        },
    }
}

/// Gives the bytes as stored; of two parts that hold something, what they add up to as Meltano would store it.
fn stored(located: &Located, state: &State, part: Option<Part>) -> Result<Vec<u8>, Report> {
    let Some(part) = part else {
        return Ok(effective(located, state)?.bytes().to_vec());
    };
    let bytes = state.part(part).and_then(Content::bytes);
    bytes.map(<[u8]>::to_vec).ok_or_else(|| null(located, part))
}

fn effective(located: &Located, state: &State) -> Result<Document, Report> {
    state.effective().map_err(|why| {
        unreadable(located, &why)
            .hint("`--part completed` and `--part partial` give each part as it stands")
    })
}

fn unreadable(located: &Located, why: &NoEffective) -> Report {
    Report::new(
        Fault::Corrupt,
        format!("the state of '{}' cannot be told", located.id),
    )
    .because(why)
    .on_source(&located.source.open.source)
    .on_state(located.id.as_str())
}

fn null(located: &Located, part: Part) -> Report {
    Report::new(
        Fault::Corrupt,
        format!("the {part} part of '{}' is NULL", located.id),
    )
    .because("the source holds no document there, which Meltano cannot read")
    .hint("look at the other part by --part")
    .on_source(&located.source.open.source)
    .on_state(located.id.as_str())
}

fn verbatim(session: &mut Session, bytes: &[u8]) -> std::io::Result<()> {
    if !session.out.is_terminal() {
        return session.out.write_all(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    for line in text.split_inclusive('\n') {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        write!(session.out, "{}{end}", printable(line))?;
    }
    Ok(())
}
