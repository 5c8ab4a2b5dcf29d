//! Reading: lists, states, timelines. None of it writes anything, anywhere.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{BoxStream, StreamExt};

use super::OpenSite;
use crate::backend::{BackendError, DatabaseFacts};
use crate::domain::digest::Digest;
use crate::domain::history::{Stored, Timeline};
use crate::domain::id::StateId;
use crate::domain::job::Job;
use crate::report::Report;

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
    /// What the database is.
    pub database: DatabaseFacts,
    /// How its runs add up to states.
    pub folding: crate::domain::history::Folding,
}

fn report(site: &OpenSite) -> impl Fn(BackendError) -> Report + Send + use<> {
    let source = Arc::clone(&site.source);
    move |error| error.report(&source)
}

/// Lists a site's jobs in chunks, in the order of the source, those without a state behind the others.
pub fn list(site: &OpenSite) -> BoxStream<'_, Result<Jobs, Report>> {
    let source = Arc::clone(&site.source);
    let failed = report(site);
    site.backend
        .list()
        .map(move |listing| {
            let listing = listing.map_err(&failed)?;
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
    let mut listings = site.backend.list();
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
    site.backend
        .read(id)
        .await
        .map_err(|error| failed(error).on_state(id.as_str()))
}

/// Reads a job's timeline. A job that the source does not know has one that holds `now` alone, with no state.
pub async fn timeline(site: &OpenSite, id: &StateId) -> Result<Timeline, Report> {
    let failed = report(site);
    let failed = |error| failed(error).on_state(id.as_str());
    let folding = site.backend.capabilities().await.map_err(&failed)?.folding;
    let (now, runs) = site.backend.history(id).await.map_err(&failed)?;
    Ok(Timeline::build(id.clone(), runs, folding, now))
}

/// Finds what kind of database the source is.
pub async fn facts(site: &OpenSite) -> Result<SourceFacts, Report> {
    let failed = report(site);
    let database = site.backend.facts().await.map_err(&failed)?;
    let folding = site.backend.capabilities().await.map_err(&failed)?.folding;
    Ok(SourceFacts { database, folding })
}
