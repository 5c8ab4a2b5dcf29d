//! The list of a site whose states and runs are in two sources.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt};

use super::report;
use crate::backend::Listing;
use crate::domain::history::Run;
use crate::domain::id::StateId;
use crate::domain::job::{Beside, Listed};
use crate::ops::{OpenSite, Runs};
use crate::report::Report;

/// How many jobs that only runs know a chunk holds at most.
const CHUNK_ROWS: usize = 256;

/// Lists a site's jobs: the states in the order of their source, then the jobs that are known from runs only.
///
/// Where two sources hold them, the runs are read before the first state is, so that no job is without a run that it had.
pub(super) fn listings(site: &OpenSite) -> BoxStream<'_, Result<Listing, Report>> {
    let runs = site.runs.as_ref().filter(|runs| !runs.holds_states);
    let Some(runs) = runs else {
        let failed = report(site);
        let listings = site.states.list();
        return listings
            .map(move |listing| listing.map_err(&failed))
            .boxed();
    };
    stream::once(known(runs))
        .map(move |known| match known {
            Ok(known) => Joined::begin(site, known).boxed(),
            Err(report) => stream::iter([Err(report)]).boxed(),
        })
        .flatten()
        .boxed()
}

/// Holds what the runs know of their jobs.
#[derive(Default)]
struct Known {
    jobs: HashMap<StateId, Ran>,
    /// The jobs, in the order of their source.
    order: Vec<StateId>,
}

/// Holds the latest runs of one job.
struct Ran {
    last_run: Option<Run>,
    last_edit: Option<Run>,
}

/// Reads the latest runs of every job; what the database holds of states is not the site's, and is dropped.
async fn known(runs: &Runs) -> Result<Known, Report> {
    let mut known = Known::default();
    let mut generation = 0;
    let mut listings = runs.database.list();
    while let Some(listing) = listings.next().await {
        let listing = runs.if_there(listing.map(Some))?;
        let Some(listing) = listing else {
            return Ok(Known::default());
        };
        if listing.generation != generation {
            generation = listing.generation;
            known = Known::default();
        }
        for Listed {
            id,
            last_run,
            last_edit,
            ..
        } in listing.rows
        {
            if last_run.is_none() && last_edit.is_none() {
                continue;
            }
            let ran = Ran {
                last_run,
                last_edit,
            };
            known.jobs.insert(id.clone(), ran);
            known.order.push(id);
        }
    }
    Ok(known)
}

/// Puts the runs of each job beside its state.
struct Joined<'s> {
    states: BoxStream<'s, crate::backend::Result<Listing>>,
    known: Known,
    /// The jobs that had a state in the present generation.
    seen: HashSet<StateId>,
    generation: u32,
    /// How many of the jobs in order were looked at for those that had none; `None` while states come.
    rest: Option<usize>,
}

impl<'s> Joined<'s> {
    fn begin(
        site: &'s OpenSite,
        known: Known,
    ) -> impl stream::Stream<Item = Result<Listing, Report>> + Send + 's {
        let source = Arc::clone(&site.source);
        let joined = Self {
            states: site.states.list(),
            known,
            seen: HashSet::new(),
            generation: 0,
            rest: None,
        };
        stream::unfold(Some(joined), move |joined| {
            let source = Arc::clone(&source);
            async move {
                let mut joined = joined?;
                match joined.next().await? {
                    Ok(listing) => Some((Ok(listing), Some(joined))),
                    Err(error) => Some((Err(error.report(&source)), None)),
                }
            }
        })
    }

    async fn next(&mut self) -> Option<crate::backend::Result<Listing>> {
        if self.rest.is_none() {
            match self.states.next().await {
                Some(Ok(mut listing)) => {
                    self.join(&mut listing);
                    return Some(Ok(listing));
                }
                Some(Err(error)) => return Some(Err(error)),
                None => self.rest = Some(0),
            }
        }
        self.without_state().map(Ok)
    }

    fn join(&mut self, listing: &mut Listing) {
        if listing.generation != self.generation {
            self.generation = listing.generation;
            self.seen.clear();
        }
        for row in &mut listing.rows {
            if let Some(ran) = self.known.jobs.get(&row.id) {
                row.last_run.clone_from(&ran.last_run);
                row.last_edit.clone_from(&ran.last_edit);
                self.seen.insert(row.id.clone());
            }
        }
    }

    /// Gives the next jobs that had no state.
    fn without_state(&mut self) -> Option<Listing> {
        let mut rows = Vec::new();
        let from = self.rest.as_mut()?;
        while let Some(id) = self.known.order.get(*from) {
            *from += 1;
            if self.seen.contains(id) {
                continue;
            }
            let ran = self.known.jobs.remove(id);
            rows.extend(ran.map(|ran| Listed {
                id: id.clone(),
                stored: None,
                last_run: ran.last_run,
                last_edit: ran.last_edit,
                beside: Beside::default(),
            }));
            if rows.len() == CHUNK_ROWS {
                break;
            }
        }
        (!rows.is_empty()).then_some(Listing {
            generation: self.generation,
            rows,
        })
    }
}
