//! Which journal a command uses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Config;
use crate::journal::{self, JournalStore};
use crate::project::Surroundings;
use crate::report::{Fault, Report};

/// Holds where the journal is, and how large it may become. Nothing is opened for that.
#[derive(Debug, Clone)]
pub(super) struct Place {
    path: Result<PathBuf, Report>,
    limit: u64,
}

impl Place {
    /// Reads what is configured; without a path it is where the user's programs keep what they remember.
    pub(super) fn configured(config: &Config, surroundings: &Surroundings) -> Result<Self, Report> {
        let path = match config.journal_path() {
            Some(text) if is_uri(text) => return Err(no_file(text)),
            Some(text) => Ok(surroundings.directory.join(text)),
            None => surroundings
                .state_folder()
                .map(|folder| folder.join("statescope/journal.db"))
                .ok_or_else(homeless),
        };
        let limit = config.journal_limit().unwrap_or(journal::LIMIT);
        Ok(Self { path, limit })
    }

    /// Gives the file, where there is a place for one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref().ok()
    }

    /// Gives the journal, whether or not its file is there.
    pub(super) fn store(&self) -> Result<Arc<dyn JournalStore>, Report> {
        let path = self.path.as_ref().map_err(Clone::clone)?;
        Ok(journal::open(path, self.limit))
    }

    /// Gives the journal when its file is there.
    pub(super) fn existing(&self) -> Option<Arc<dyn JournalStore>> {
        let path = self.path.as_ref().ok()?;
        let may_be_there = !matches!(path.try_exists(), Ok(false));
        may_be_there.then(|| journal::open(path, self.limit))
    }
}

fn is_uri(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        let mut letters = scheme.chars();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// Refuses a URI; of what it says only the scheme is repeated, since it may hold a password.
fn no_file(uri: &str) -> Report {
    let scheme = uri.split("://").next().unwrap_or_default();
    Report::new(
        Fault::Usage,
        format!("the journal cannot be kept in {scheme}://"),
    )
    .because("this version keeps it in a file")
    .hint("name a file by --journal")
}

fn homeless() -> Report {
    Report::new(Fault::NotFound, "there is no place for the journal")
        .because("neither XDG_STATE_HOME nor HOME names a folder")
        .hint("name a file by --journal")
}
