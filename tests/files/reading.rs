//! Reading a directory through the store.

use std::path::PathBuf;

use futures_util::StreamExt;
use statescope::backend::files::Files;
use statescope::backend::{BackendError, StateBackend};
use statescope::domain::history::Stored;
use statescope::domain::id::StateId;
use statescope::domain::job::Listed;
use statescope::domain::json::python::{Style, dumps};
use statescope::domain::lock::LOCK_TIMEOUT;
use statescope::domain::state::{Content, Part};

use crate::tree::Tree;

pub fn store(path: PathBuf) -> Files {
    Files::new(path, LOCK_TIMEOUT)
}

pub async fn list(tree: &Tree) -> Vec<Listed> {
    let store = store(tree.path());
    let listings = store.list();
    let rows = listings.map(|listing| listing.unwrap().rows);
    rows.concat().await
}

pub async fn read(tree: &Tree, id: &str) -> Result<Option<Stored>, BackendError> {
    store(tree.path()).read(&StateId::from(id)).await
}

/// Gives the one entry with an ID.
pub async fn listed(tree: &Tree, id: &str) -> Listed {
    let mut all = list(tree).await;
    all.retain(|listed| listed.id.as_str() == id);
    let [listed] = &all[..] else {
        panic!("{id}: {all:?}");
    };
    listed.clone()
}

pub fn rules(listed: &Listed) -> Vec<&'static str> {
    let findings = listed.beside.findings.iter();
    findings.map(|finding| finding.rule).collect()
}

/// Writes the effective state as `meltano state get` does.
pub fn effective(stored: &Stored) -> Result<String, String> {
    let effective = stored.state.effective();
    effective
        .map(|document| format!("{}\n", dumps(document.root(), Style::Compact)))
        .map_err(|why| why.to_string())
}

pub fn bytes(stored: &Stored, part: Part) -> Option<&[u8]> {
    stored.state.part(part).and_then(Content::bytes)
}
