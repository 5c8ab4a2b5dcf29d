//! Which folders of a directory hold a state or a lock.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LOCK, STATE, of_io};
use crate::backend::Result;

/// Is a folder that holds a state or a lock, or that cannot be looked into.
pub(super) struct Folder {
    /// Its path below the directory; empty for the directory itself.
    pub relative: PathBuf,
    /// Whether it has an entry `state.json`, of whatever kind.
    pub has_state: bool,
    /// Whether it has a file `lock`.
    pub has_lock: bool,
    /// Why it cannot be looked into.
    pub closed: Option<io::Error>,
}

/// Visits the folders at every depth, by their names as bytes, each before those in it; stops when a visit gives `false`.
///
/// A link to a folder is looked into, and no further, so that no circle of links is walked.
pub(super) fn walk(root: &Path, visit: &mut dyn FnMut(Folder) -> bool) -> Result<()> {
    let mut waiting = vec![(PathBuf::new(), true)];
    while let Some((relative, goes_on)) = waiting.pop() {
        let is_root = relative.as_os_str().is_empty();
        let found = match Inside::read(&root.join(&relative)) {
            Ok(found) => found,
            Err(error) if is_root => return Err(of_io(&error)),
            // It went away since its name was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Inside {
                closed: Some(error),
                ..Inside::default()
            },
        };
        if goes_on {
            let below = found.folders.into_iter().rev();
            waiting.extend(below.map(|(name, is_real)| (relative.join(name), is_real)));
        }
        let locked_alone = found.has_lock && !is_root;
        let folder = Folder {
            relative,
            has_state: found.has_state,
            has_lock: found.has_lock,
            closed: found.closed,
        };
        let counts = folder.has_state || locked_alone || folder.closed.is_some();
        if counts && !visit(folder) {
            break;
        }
    }
    Ok(())
}

/// Holds what is in one folder.
#[derive(Default)]
struct Inside {
    has_state: bool,
    has_lock: bool,
    closed: Option<io::Error>,
    /// The folders in it, in order, each with whether it is one itself and no link to one.
    folders: Vec<(OsString, bool)>,
}

impl Inside {
    fn read(folder: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            found.has_state |= name == STATE;
            let leads_to_folder = || fs::metadata(entry.path()).is_ok_and(|about| about.is_dir());
            if kind.is_dir() || (kind.is_symlink() && leads_to_folder()) {
                found.folders.push((name, kind.is_dir()));
            } else {
                found.has_lock |= name == LOCK;
            }
        }
        found.folders.sort_unstable();
        Ok(found)
    }
}
