//! `clear`: states are deleted.

use super::output::Failure;
use super::session::Session;
use super::sites::{Located, Source};
use super::write::{self, Confirming, Door};
use crate::domain::edit::Edit;
use crate::domain::id::{IdPattern, StateId};
use crate::domain::operation::OperationKind;
use crate::ops::{self, read};
use crate::report::{Fault, Report};

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["jobs", "pattern", "all"]))]
pub(super) struct Arguments {
    /// The jobs: each a state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    jobs: Vec<String>,
    /// Every state whose ID matches: `*` any characters (`/` and `:` too), `?` one, `[ab]` one of a set.
    #[arg(long, value_name = "GLOB")]
    pattern: Option<String>,
    /// Every state of the source.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    confirming: Confirming,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let pattern = arguments.pattern.as_deref().map(IdPattern::parse);
    let (source, ids) = if arguments.jobs.is_empty() {
        matching(session, pattern.transpose()?).await?
    } else {
        named(session, &arguments.jobs).await?
    };
    if ids.is_empty() {
        session.voice.note("nothing to do: there are no states");
        return Ok(0);
    }
    let confirming = &arguments.confirming;
    let only = match ids.as_slice() {
        [id] => Some(id.clone()),
        _ => None,
    };
    let edits = ids.into_iter().map(|id| (id, Edit::Clear)).collect();
    let request = confirming.request(OperationKind::Clear, edits);
    let mut planned = ops::write::plan(&source.open, request, session.clock.now).await?;
    if let Some(id) = only {
        let source = source.clone();
        let located = Located { source, id };
        session.with_nearest(&located, &mut planned).await;
    }
    write::pass(session, Door::new(&source, confirming), planned).await
}

/// Finds the jobs that were named, each once; all of them have to be of one source.
async fn named(session: &mut Session, jobs: &[String]) -> Result<(Source, Vec<StateId>), Report> {
    let mut found: Option<Source> = None;
    let mut ids: Vec<StateId> = Vec::new();
    for text in jobs {
        let located = session.locate_to_write(text).await?;
        let source = found.get_or_insert_with(|| located.source.clone());
        if source.open.source != located.source.open.source {
            return Err(two_sources(source, &located.source));
        }
        if !ids.contains(&located.id) {
            ids.push(located.id);
        }
    }
    let source = found.ok_or_else(|| Report::new(Fault::Usage, "no state ID was named"))?;
    Ok((source, ids))
}

fn two_sources(one: &Source, other: &Source) -> Report {
    Report::new(Fault::Usage, "one command writes to one source")
        .because(format!(
            "the states are of {} and {}",
            one.open.source, other.open.source
        ))
        .hint("clear those of each source by a command of its own")
}

/// Finds the jobs of the source that have a state and match.
async fn matching(
    session: &mut Session,
    pattern: Option<IdPattern>,
) -> Result<(Source, Vec<StateId>), Report> {
    let source = session.only_source()?;
    session.look_back_to_write(&source).await;
    let jobs = read::list_all(&source.open).await?.into_iter();
    let takes = |id: &StateId| pattern.as_ref().is_none_or(|pattern| pattern.matches(id));
    let jobs = jobs.filter(|job| job.has_state && takes(&job.id));
    let ids: Vec<StateId> = jobs.map(|job| job.id).collect();
    if let Some(pattern) = pattern.filter(|_| ids.is_empty()) {
        let message = format!("no state ID with a state matches '{}'", pattern.as_str());
        return Err(Report::new(Fault::No, message)
            .hint("`statescope list --with-state` names them")
            .on_source(&source.open.source));
    }
    Ok((source, ids))
}
