//! Which journal a command uses.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::quantity;
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
    /// Reads what the command line and the environment chose.
    pub(super) fn chosen(
        options: &super::Options,
        process: &super::Process,
    ) -> Result<Self, Report> {
        let (path, limit) = (options.journal.as_deref(), options.journal_limit.as_deref());
        Self::of(path, limit, &process.surroundings)
    }

    /// Reads what was chosen; without a choice it is where the user's programs keep what they remember.
    fn of(
        path: Option<&str>,
        limit: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, Report> {
        let path = match path.filter(|path| !path.is_empty()) {
            Some(text) if is_uri(text) => return Err(no_file(text)),
            Some(text) => Ok(surroundings.directory.join(text)),
            None => surroundings
                .state_folder()
                .map(|folder| folder.join("statescope/journal.db"))
                .ok_or_else(homeless),
        };
        let limit = match limit.filter(|limit| !limit.is_empty()) {
            None => journal::LIMIT,
            Some(text) => quantity::read_bytes(text).ok_or_else(|| {
                Report::new(
                    Fault::Usage,
                    format!("'{text}' is no size for --journal-limit"),
                )
                .hint("write `2GiB`, `500MB`, or a number of bytes")
            })?,
        };
        Ok(Self { path, limit })
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
