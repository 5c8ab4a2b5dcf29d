//! `logs`: a run's own log file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::Path;

use serde::Serialize;

use super::diff::readings;
use super::json;
use super::output::Failure;
use super::session::Session;
use super::sites::{Located, is_known, shell_word};
use crate::domain::history::{Run, RunStatus, Snapshot, Timeline};
use crate::ops::read;
use crate::report::{Fault, Report, printable};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`, which means its newest run; or `STATE_ID@SNAPSHOT`.
    #[arg(value_name = "STATE_ID[@SNAPSHOT]")]
    job: String,
    /// The run: its snapshot's ID or the beginning of it, its number in `log`, or a time.
    #[arg(long, value_name = "SNAPSHOT", allow_hyphen_values = true)]
    at: Option<String>,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let (located, timeline, snapshot) = find(session, &arguments).await?;
    session.mention(&located.source).await;
    let (snapshot, run) = match &snapshot {
        Some(text) => of_snapshot(&located, session.find(&timeline, text)?)?,
        None => newest(&located, &timeline)?,
    };
    let site = &located.source.open.site;
    let found = session.surroundings.run_log(site, run);
    let (path, file) = found.map_err(|report| {
        report
            .on_source(&located.source.open.source)
            .on_state(located.id.as_str())
    })?;
    let failed = |error: io::Error| {
        Failure::from(
            Report::new(
                Fault::Unreachable,
                format!("cannot read {}", path.display()),
            )
            .because(error)
            .on_state(located.id.as_str()),
        )
    };
    if session.voice.json {
        let mut bytes = Vec::new();
        let mut file = file;
        file.read_to_end(&mut bytes).map_err(failed)?;
        write_json(session, snapshot, run, &path, &bytes)?;
        return Ok(0);
    }
    session
        .voice
        .verbose_note(format_args!("reading {}", path.display()));
    if session.out.is_terminal() {
        session.out.page();
        shown(session, file, failed)?;
    } else {
        copied(session, file, failed)?;
    }
    Ok(0)
}

/// Finds the job, and which snapshot of it is meant, in the order in which a text with an `@` may be read.
async fn find(
    session: &mut Session,
    arguments: &Arguments,
) -> Result<(Located, Timeline, Option<String>), Report> {
    let text = &arguments.job;
    let mut whole = None;
    for (id, snapshot) in readings(session, text, arguments.at.as_deref()) {
        whole = session.locate(id).await?;
        let Some(located) = &whole else { continue };
        let timeline = read::timeline(&located.source.open, &located.id).await?;
        if is_known(&timeline) {
            return Ok((located.clone(), timeline, snapshot.map(str::to_owned)));
        }
    }
    Err(session.unknown(Fault::NotFound, whole.as_ref(), text).await)
}

fn of_snapshot<'t>(
    located: &Located,
    snapshot: &'t Snapshot,
) -> Result<(&'t Snapshot, &'t Run), Report> {
    match snapshot.run() {
        Some(run) if run.status != RunStatus::StateEdit => Ok((snapshot, run)),
        Some(_) => Err(no_log(
            located,
            format!("{} is an edit by hand, and has no log", snapshot.id),
        )),
        None => Err(no_log(
            located,
            format!("{} is no run, and has no log", snapshot.id),
        )),
    }
}

fn newest<'t>(
    located: &Located,
    timeline: &'t Timeline,
) -> Result<(&'t Snapshot, &'t Run), Report> {
    let mut newest = timeline.snapshots.iter().rev();
    newest
        .find_map(|snapshot| {
            let run = snapshot.run()?;
            (run.status != RunStatus::StateEdit).then_some((snapshot, run))
        })
        .ok_or_else(|| no_log(located, format!("no run of '{}' is known", located.id)))
}

fn no_log(located: &Located, message: String) -> Report {
    let id = shell_word(located.id.as_str());
    Report::new(Fault::No, message)
        .hint(format!("`statescope log {id}` shows its runs"))
        .on_source(&located.source.open.source)
        .on_state(located.id.as_str())
}

/// Is a log with what it is of.
#[derive(Serialize)]
struct Line<'l> {
    state_id: &'l str,
    snapshot: &'l str,
    run_id: Option<&'l str>,
    path: String,
    /// The text, what is no UTF-8 in it replaced.
    log: &'l str,
}

fn write_json(
    session: &mut Session,
    snapshot: &Snapshot,
    run: &Run,
    path: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    let line = Line {
        state_id: run.state_id.as_str(),
        snapshot: snapshot.id.as_str(),
        run_id: run.run_id.as_deref(),
        path: path.display().to_string(),
        log: &String::from_utf8_lossy(bytes),
    };
    json::write(&mut session.out, &line)?;
    session.out.write_all(b"\n")
}

/// Writes a log to a terminal, line by line, control characters as escapes.
fn shown(
    session: &mut Session,
    file: File,
    failed: impl Fn(io::Error) -> Failure,
) -> Result<(), Failure> {
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).map_err(&failed)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        writeln!(session.out, "{}", printable(text))?;
        line.clear();
    }
    Ok(())
}

/// Writes a log as it is stored.
fn copied(
    session: &mut Session,
    file: File,
    failed: impl Fn(io::Error) -> Failure,
) -> Result<(), Failure> {
    let mut file = BufReader::new(file);
    loop {
        let bytes = file.fill_buf().map_err(&failed)?;
        if bytes.is_empty() {
            return Ok(());
        }
        session.out.write_all(bytes)?;
        let count = bytes.len();
        file.consume(count);
    }
}
