//! `sources`: what was found, what decided it, what it can do.

use serde::Serialize;

use super::json::{self, Array, Text};
use super::output::{Cell, Failure, Tone};
use super::session::Session;
use super::sites::Source;
use crate::domain::history::Folding;
use crate::ops::read::{self, SourceFacts};
use crate::project::DecidedBy;
use crate::report::{Report, printable};

/// Holds a source with what it turned out to be.
struct Found<'s> {
    source: &'s Source,
    facts: Result<SourceFacts, Report>,
}

/// Is one source, with every key of the JSON form.
#[derive(Serialize)]
struct Line<'s> {
    site: &'s str,
    name: &'s str,
    uri: &'s str,
    kind: &'static str,
    roles: Vec<&'static str>,
    reachable: bool,
    decided_by: Text<&'s DecidedBy>,
    capabilities: Option<Abilities>,
    live: bool,
    elsewhere: Option<Elsewhere<'s>>,
    revision: Option<&'s str>,
    revisions: &'s [String],
    error: Option<String>,
}

#[derive(Serialize)]
struct Abilities {
    /// Whether it holds runs.
    runs: bool,
    /// Whether it holds states, or they add up from the runs.
    states: &'static str,
}

#[derive(Serialize)]
struct Elsewhere<'s> {
    uri: &'s str,
    decided_by: Text<&'s DecidedBy>,
}

pub(super) async fn run(session: &mut Session) -> Result<u8, Failure> {
    let sources = session.sources()?;
    let mut found = Vec::with_capacity(sources.len());
    for source in &sources {
        session.look_back(source).await;
        let facts = read::facts(&source.open).await;
        if let Err(report) = &facts {
            session.miss(report);
        }
        found.push(Found { source, facts });
    }
    if session.voice.json {
        write_json(session, &found)?;
    } else {
        let rows: Vec<Vec<Cell>> = found.iter().flat_map(rows).collect();
        session.out.table(&rows)?;
    }
    Ok(0)
}

fn write_json(session: &mut Session, found: &[Found<'_>]) -> std::io::Result<()> {
    let mut array = Array::default();
    array.begin(&mut session.out)?;
    for found in found {
        array.element(&mut session.out)?;
        json::write(&mut session.out, &Line::of(found))?;
    }
    array.end(&mut session.out)
}

impl<'s> Line<'s> {
    fn of(found: &'s Found<'s>) -> Self {
        let site = &found.source.open.site;
        let facts = found.facts.as_ref().ok();
        let revisions = facts.map_or(&[][..], |facts| &facts.database.revisions);
        Self {
            site: &site.name,
            name: &found.source.name,
            uri: &found.source.open.source,
            kind: site.location.kind(),
            roles: roles(found),
            reachable: facts.is_some(),
            decided_by: Text(&site.decided_by),
            capabilities: facts.map(|facts| Abilities {
                runs: facts.database.runs_table.is_some(),
                states: states(facts.folding),
            }),
            live: site.is_live(),
            elsewhere: site.elsewhere.as_ref().map(|(uri, decided_by)| Elsewhere {
                uri,
                decided_by: Text(decided_by),
            }),
            revision: match revisions {
                [revision] => Some(revision),
                _ => None,
            },
            revisions,
            error: found.facts.as_ref().err().map(Report::sentence),
        }
    }
}

/// Says what the site uses the source for.
fn roles(found: &Found<'_>) -> Vec<&'static str> {
    let has_runs = |facts: &SourceFacts| facts.database.runs_table.is_some();
    let mut roles = Vec::new();
    if found.source.open.site.is_live() {
        roles.push("states");
    }
    if found.facts.as_ref().map_or(true, has_runs) {
        roles.push("runs");
    }
    roles
}

fn states(folding: Folding) -> &'static str {
    match folding {
        Folding::Written => "stored",
        Folding::Derived => "derived from runs",
    }
}

/// Gives the lines of one source: what it is, and below that what its site keeps elsewhere.
fn rows(found: &Found<'_>) -> Vec<Vec<Cell>> {
    let site = &found.source.open.site;
    let (mark, tone, what) = match &found.facts {
        Ok(facts) => ("●", Tone::Good, described(facts)),
        Err(report) => ("✗", Tone::Bad, failure(report)),
    };
    let mut rows = vec![vec![
        Cell::new(mark).tone(tone),
        Cell::new(printable(&site.name)).gap(" "),
        Cell::new(&*found.source.open.source),
        Cell::new(roles(found).join(", ")),
        Cell::new(what).tone(if found.facts.is_ok() {
            Tone::Plain
        } else {
            tone
        }),
        Cell::new(printable(&format!("chosen by {}", site.decided_by))).tone(Tone::Faint),
    ]];
    if let Some((uri, decided_by)) = &site.elsewhere {
        rows.push(vec![
            Cell::new("!").tone(Tone::Warning),
            Cell::new(printable(&site.name)).gap(" "),
            Cell::new(printable(uri)),
            Cell::new("states"),
            Cell::new("not read by this version"),
            Cell::new(printable(&format!("chosen by {decided_by}"))).tone(Tone::Faint),
        ]);
    }
    rows
}

fn described(facts: &SourceFacts) -> String {
    let revision = match facts.database.revisions.as_slice() {
        [] => "no revision".to_owned(),
        [revision] => format!("revision {}", printable(revision)),
        several => format!("{} revisions", several.len()),
    };
    format!("{revision}, states {}", states(facts.folding))
}

fn failure(report: &Report) -> String {
    printable(report.cause.as_deref().unwrap_or(&report.message))
}
