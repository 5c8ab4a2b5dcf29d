//! Reading: lists, states, timelines. None of it writes anything, anywhere.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{BoxStream, StreamExt};

use super::OpenSite;
use crate::backend::{self, BackendError, Capabilities, DatabaseFacts, SystemDatabase};
use crate::domain::digest::Digest;
use crate::domain::history::{Folding, Stored, Timeline};
use crate::domain::id::StateId;
use crate::domain::job::Job;
use crate::project::Source;
use crate::report::Report;

mod join;

/// Holds some jobs of a list; jobs of an earlier generation than the latest count no more.
#[derive(Debug, Clone, PartialEq)]
pub struct Jobs {
    /// Which reading of the source they belong to, from 0.
    pub generation: u32,
    /// The jobs, in the order of the source.
    pub jobs: Vec<Job>,
}

/// Says what a source turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFacts {
    /// What it can do.
    pub capabilities: Capabilities,
    /// What it is as a database, when it is one.
    pub database: Option<DatabaseFacts>,
}

/// Holds a source of a site with what it turned out to be.
#[derive(Debug, Clone)]
pub struct SourceFound {
    /// The source.
    pub source: Source,
    /// Whether it is that of the site's states.
    pub holds_states: bool,
    /// Whether it is that of the site's runs.
    pub holds_runs: bool,
    /// What it is, or why that cannot be told.
    pub facts: Result<SourceFacts, Report>,
}

fn report(site: &OpenSite) -> impl Fn(BackendError) -> Report + Send + use<> {
    let source = Arc::clone(&site.source);
    move |error| error.report(&source)
}

/// Lists a site's jobs in chunks, in the order of the source, those without a state behind the others.
pub fn list(site: &OpenSite) -> BoxStream<'_, Result<Jobs, Report>> {
    let source = Arc::clone(&site.source);
    join::listings(site)
        .map(move |listing| {
            let listing = listing?;
            let summarize = |listed| Job::summarize(listed, &source);
            Ok(Jobs {
                generation: listing.generation,
                jobs: listing.rows.into_iter().map(summarize).collect(),
            })
        })
        .boxed()
}

/// Lists a site's jobs whole, from one reading of the source.
pub async fn list_all(site: &OpenSite) -> Result<Vec<Job>, Report> {
    let mut chunks = list(site);
    let mut all = Vec::new();
    let mut generation = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.generation != generation {
            generation = chunk.generation;
            all.clear();
        }
        all.extend(chunk.jobs);
    }
    Ok(all)
}

/// Computes the digest of each effective state that a site's source holds, so that the states of several sources can be
/// compared; `None` for a state whose effective one cannot be told.
pub async fn digests(site: &OpenSite) -> Result<HashMap<StateId, Option<Digest>>, Report> {
    let failed = report(site);
    let mut listings = site.states.list();
    let mut all = HashMap::new();
    let mut generation = 0;
    while let Some(listing) = listings.next().await {
        let listing = listing.map_err(&failed)?;
        if listing.generation != generation {
            generation = listing.generation;
            all.clear();
        }
        for listed in listing.rows {
            if let Some(stored) = listed.stored {
                let effective = stored.state.effective();
                let digest = effective.map(|document| Digest::of(document.root()));
                all.insert(listed.id, digest.ok());
            }
        }
    }
    Ok(all)
}

/// Reads what the source holds for a state ID; `None` when it holds no state for it.
pub async fn state(site: &OpenSite, id: &StateId) -> Result<Option<Stored>, Report> {
    let failed = report(site);
    site.states
        .read(id)
        .await
        .map_err(|error| failed(error).on_state(id.as_str()))
}

/// Reads a job's timeline. A job that the source does not know has one that holds `now` alone, with no state.
pub async fn timeline(site: &OpenSite, id: &StateId) -> Result<Timeline, Report> {
    let failed = report(site);
    let failed = |error| failed(error).on_state(id.as_str());
    let Some(runs) = &site.runs else {
        let now = site.states.read(id).await.map_err(&failed)?;
        return Ok(Timeline::build(
            id.clone(),
            Vec::new(),
            Folding::Written,
            now,
        ));
    };
    if runs.holds_states {
        let folding = runs.database.capabilities().await.map_err(&failed)?.folding;
        let (now, records) = runs.database.history(id).await.map_err(&failed)?;
        return Ok(Timeline::build(id.clone(), records, folding, now));
    }
    let able = runs.if_there(runs.database.capabilities().await.map(Some));
    let of_state = |report: Report| report.on_state(id.as_str());
    let folding = able
        .map_err(of_state)?
        .map_or(Folding::Written, |able| able.folding);
    let records = runs.if_there(runs.database.runs(id).await);
    let now = site.states.read(id).await.map_err(&failed)?;
    Ok(Timeline::of_two_sources(
        id.clone(),
        records.map_err(of_state)?,
        folding,
        now,
    ))
}

/// Finds what each of a site's sources is: that of its states, then that of its runs, when it is another one.
pub async fn sources(site: &OpenSite) -> Vec<SourceFound> {
    let states = SourceFound {
        source: site.site.states.clone(),
        holds_states: true,
        holds_runs: site.site.is_one_source(),
        facts: facts(site).await,
    };
    let runs = site.runs.as_ref().filter(|runs| !runs.holds_states);
    let (Some(runs), Some(source)) = (runs, &site.site.runs) else {
        return vec![states];
    };
    let failed = |error: BackendError| error.report(&runs.source);
    let runs = SourceFound {
        source: source.clone(),
        holds_states: false,
        holds_runs: true,
        facts: of_database(&*runs.database).await.map_err(failed),
    };
    vec![states, runs]
}

async fn facts(site: &OpenSite) -> Result<SourceFacts, Report> {
    let failed = report(site);
    match site.runs.as_ref().filter(|runs| runs.holds_states) {
        Some(runs) => of_database(&*runs.database).await.map_err(failed),
        None => Ok(SourceFacts {
            capabilities: site.states.capabilities().await.map_err(failed)?,
            database: None,
        }),
    }
}

async fn of_database(database: &dyn SystemDatabase) -> backend::Result<SourceFacts> {
    Ok(SourceFacts {
        database: Some(database.facts().await?),
        capabilities: database.capabilities().await?,
    })
}
