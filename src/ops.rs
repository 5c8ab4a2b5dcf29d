//! Use cases. The only callers of stores; the screen and the command line reach stores by the same functions.

use std::sync::Arc;

use crate::backend::{self, SystemDatabase};
use crate::project::Site;

pub mod demo;
pub mod read;

/// Holds a site whose store is open for reading.
#[derive(Debug, Clone)]
pub struct OpenSite {
    /// What was found on disk or named on the command line.
    pub site: Site,
    /// The display form of the source's URI.
    pub source: Arc<str>,
    backend: Arc<dyn SystemDatabase>,
}

impl OpenSite {
    /// Opens a site; touches nothing yet, so it cannot fail.
    pub fn new(site: Site) -> Self {
        let backend = backend::open(&site.location);
        Self {
            source: site.location.to_string().into(),
            site,
            backend,
        }
    }
}
