//! How the states of an operation came out.

use std::io::{self, ErrorKind, Write as _};

use serde::Serialize;

use crate::cli::changes::{self, MOST};
use crate::cli::json::{self, Array};
use crate::cli::output::{Output, Tone};
use crate::cli::session::Session;
use crate::domain::edit::ThreeWay;
use crate::domain::id::StateId;
use crate::domain::operation::OperationId;
use crate::ops::write::{Carried, Outcome, Planned, Refused};
use crate::report::Report;

/// Holds how one state came out, as it is told.
pub(super) struct Told<'o> {
    id: &'o StateId,
    outcome: &'static str,
    report: Option<&'o Report>,
    operation: Option<OperationId>,
}

#[derive(Serialize)]
struct Line<'o> {
    state_id: &'o str,
    outcome: &'static str,
    message: Option<String>,
    operation: Option<i64>,
}

impl<'o> Told<'o> {
    /// Tells what is only planned.
    pub(super) fn planned(id: &'o StateId) -> Self {
        Self {
            id,
            outcome: "planned",
            report: None,
            operation: None,
        }
    }

    /// Tells what holds already what is wanted.
    pub(super) fn unchanged(id: &'o StateId) -> Self {
        Self {
            outcome: "unchanged",
            ..Self::planned(id)
        }
    }

    fn refused(refused: &'o Refused) -> Self {
        Self {
            outcome: "refused",
            report: Some(&refused.report),
            ..Self::planned(&refused.id)
        }
    }

    fn carried(outcome: &'o Outcome, operation: OperationId) -> Self {
        Self {
            outcome: outcome.result.name(),
            report: outcome.report.as_ref(),
            operation: Some(operation),
            ..Self::planned(&outcome.id)
        }
    }
}

/// Gathers what is told of the states of a plan that was carried out.
pub(super) fn of_carried(carried: &Carried) -> Vec<Told<'_>> {
    let outcomes = carried.outcomes.iter();
    outcomes
        .map(|outcome| Told::carried(outcome, carried.operation))
        .collect()
}

/// Gathers what is told of the states of which nothing was planned.
pub(super) fn of_unplanned(planned: &Planned) -> Vec<Told<'_>> {
    let unchanged = planned.unchanged.iter().map(Told::unchanged);
    unchanged
        .chain(planned.refused.iter().map(Told::refused))
        .collect()
}

/// Writes a line a state, and on standard error why any was not simply done; gives the highest exit code among them.
pub(super) fn write(session: &mut Session, told: &[Told<'_>]) -> io::Result<u8> {
    let code = told
        .iter()
        .filter_map(|told| told.report)
        .map(|report| report.fault.exit_code())
        .max();
    let written = if session.voice.json {
        write_json(&mut session.out, told)
    } else {
        write_text(&mut session.out, told)
    };
    match written.and_then(|()| session.out.flush()) {
        // A reader that has seen enough does not change what came of it.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
        _ => {}
    }
    for report in told.iter().filter_map(|told| told.report) {
        session.voice.error(report);
    }
    Ok(code.unwrap_or(0))
}

fn write_json(out: &mut Output, told: &[Told<'_>]) -> io::Result<()> {
    let mut array = Array::default();
    array.begin(out)?;
    for told in told {
        array.element(out)?;
        let line = Line {
            state_id: told.id.as_str(),
            outcome: told.outcome,
            message: told.report.map(Report::sentence),
            operation: told.operation.map(|operation| operation.0),
        };
        json::write(out, &line)?;
    }
    array.end(out)
}

fn write_text(out: &mut Output, told: &[Told<'_>]) -> io::Result<()> {
    for told in told {
        let tone = match told.outcome {
            "done" => Tone::Good,
            "planned" | "unchanged" => Tone::Plain,
            _ => Tone::Bad,
        };
        out.toned(tone, told.outcome)?;
        writeln!(out, "  {}", told.id)?;
    }
    Ok(())
}

/// Writes the three versions of a state that has moved on: what others changed, since when, and what was wanted.
pub(super) fn write_versions(
    out: &mut Output,
    id: &StateId,
    since: &str,
    versions: &ThreeWay,
) -> io::Result<()> {
    let sides = [
        (since, versions.their_changes()),
        ("what you want", versions.our_changes()),
    ];
    for (heading, changed) in sides {
        out.line(Tone::Heading, &format!("{id}: {heading}"))?;
        out.line(Tone::Plain, &format!("  {}", changes::summary(&changed)))?;
        let rest = changes::write(out, &changed, MOST)?;
        if rest > 0 {
            writeln!(out, "… and {rest} more")?;
        }
    }
    out.flush()
}
