//! Comparing the states of whole sources without holding them all.

use std::collections::{HashMap, HashSet};

use futures_util::stream::StreamExt;

use super::OpenSite;
use super::read;
use crate::domain::history::Stored;
use crate::domain::id::StateId;
use crate::domain::json::Document;
use crate::report::Report;

/// Up to this many states are read one by one; for more the source is read through once.
const FEW: usize = 16;

/// Stands for one state in a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print<D> {
    /// What stands for its effective state, or why that cannot be told.
    pub of: Result<D, String>,
    /// How many bytes the source holds for it.
    pub size: u64,
}

/// Reads through a site's source once, and keeps of each state that is asked for what stands for it.
pub async fn prints<D>(
    site: &OpenSite,
    takes: impl Fn(&StateId) -> bool,
    mut of: impl FnMut(&Document) -> D,
) -> Result<HashMap<StateId, Print<D>>, Report> {
    let print = |id: StateId, stored: Stored| {
        let effective = stored.state.effective();
        let print = Print {
            of: effective.as_ref().map(&mut of).map_err(ToString::to_string),
            size: stored.state.size(),
        };
        (id, print)
    };
    each(site, takes, print).await
}

/// Reads the effective states of some IDs; those that are not there, or cannot be told, are left out.
///
/// All of them are held at once, so ask for as many as there is room for.
pub async fn documents(
    site: &OpenSite,
    ids: Vec<StateId>,
) -> Result<HashMap<StateId, Document>, Report> {
    if ids.len() > FEW {
        let ids: HashSet<StateId> = ids.into_iter().collect();
        let all = each(
            site,
            |id| ids.contains(id),
            |id, stored| (id, stored.state.effective().ok()),
        );
        let found = all.await?.into_iter();
        return Ok(found.filter_map(|(id, found)| Some((id, found?))).collect());
    }
    let mut found = HashMap::new();
    for id in ids {
        let stored = read::state(site, &id).await?;
        let effective = stored.and_then(|stored| stored.state.effective().ok());
        found.extend(effective.map(|document| (id, document)));
    }
    Ok(found)
}

/// Reads through a source once, and keeps something of each state that is asked for.
async fn each<T>(
    site: &OpenSite,
    takes: impl Fn(&StateId) -> bool,
    mut keep: impl FnMut(StateId, Stored) -> (StateId, T),
) -> Result<HashMap<StateId, T>, Report> {
    let mut listings = site.states.list();
    let (mut all, mut generation) = (HashMap::new(), 0);
    while let Some(listing) = listings.next().await {
        let listing = listing.map_err(|error| error.report(&site.source))?;
        if listing.generation != generation {
            generation = listing.generation;
            all.clear();
        }
        for listed in listing.rows {
            if let Some(stored) = listed.stored.filter(|_| takes(&listed.id)) {
                all.extend([keep(listed.id, stored)]);
            }
        }
    }
    Ok(all)
}
