//! What one folder holds: a state, a lock, or what keeps them from being read.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};

use super::walk::Folder;
use super::{LOCK, STATE, body, name, of_io};
use crate::backend::{BackendError, Result};
use crate::domain::history::Stored;
use crate::domain::job::{Beside, Listed};
use crate::domain::json::Document;
use crate::domain::lint::Finding;
use crate::domain::lock::Lock;
use crate::domain::moment::{Stamp, Zone};
use crate::domain::version::{ContentHash, Version};

/// How often a file that changes while it is read is read again.
const ATTEMPTS: u32 = 25;

/// How long to wait before that.
const TICK: Duration = Duration::from_millis(10);

/// For how long a file that is no JSON may be one that is just being written: Meltano 4.4.1 empties the file, and writes it.
const SETTLED: Duration = Duration::from_millis(200);

/// How much of a lock is read: a time has some twenty bytes.
const LOCK_BYTES: u64 = 4096;

/// Holds a state with what is to be known of its file.
pub(super) struct Found {
    pub stored: Stored,
    findings: Vec<Finding>,
    bytes: usize,
}

/// Reads all that a list shows of a folder, and tells how many bytes that took.
pub(super) fn listed(root: &Path, folder: Folder, timeout: SignedDuration) -> (Listed, usize) {
    let (id, findings) = name::id_of(root, &folder.relative);
    let path = root.join(&folder.relative);
    let mut beside = Beside {
        lock: folder
            .has_lock
            .then(|| read_lock(&path.join(LOCK), timeout))
            .flatten(),
        unread: folder
            .closed
            .map(|error| format!("the folder cannot be read: {error}")),
        findings,
    };
    let found = if folder.has_state {
        read_state(&path.join(STATE))
    } else {
        Ok(None)
    };
    let (stored, bytes) = match found {
        Ok(Some(found)) => {
            beside.findings.extend(found.findings);
            (Some(found.stored), found.bytes)
        }
        Ok(None) => (None, 0),
        Err(error) => {
            beside.unread = Some(format!("{STATE} cannot be read: {error}"));
            (None, 0)
        }
    };
    let listed = Listed {
        id,
        stored,
        last_run: None,
        last_edit: None,
        beside,
    };
    (listed, bytes)
}

/// Reads a state file; `None` when there is none.
///
/// What another program replaces by a rename is read whole, the old or the new; what it writes in place is read again until it
/// stands still, and once more while it is no JSON and only just written.
pub(super) fn read_state(path: &Path) -> Result<Option<Found>> {
    read_state_with(path, &mut |step| match step {
        Step::Read => {}
        Step::Again => thread::sleep(TICK),
    })
}

/// Names a moment of a reading, so that a test can change the file there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The bytes were read, and the file is about to be looked at once more.
    Read,
    /// It is about to be read again.
    Again,
}

/// Reads as [`read_state`] does, and tells of each step before it goes on.
fn read_state_with(path: &Path, step: &mut dyn FnMut(Step)) -> Result<Option<Found>> {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            step(Step::Again);
        }
        let (bytes, modified) = match read_once(path, step)? {
            Once::Absent => return Ok(None),
            Once::Changed => continue,
            Once::Read(bytes, modified) => (bytes, modified),
        };
        let parsed = Document::parse(bytes.clone());
        // A time to come is that of a host whose clock is ahead.
        let is_new = || modified.elapsed().map_or(true, |age| age < SETTLED);
        if parsed.is_err() && is_new() && attempt + 1 < ATTEMPTS {
            continue;
        }
        let (state, findings) = body::divide(&bytes, parsed);
        let version = Version::new(ContentHash::of(&bytes).to_string());
        let stored = Stored {
            state,
            modified: stamp(modified),
            version,
        };
        return Ok(Some(Found {
            stored,
            findings,
            bytes: bytes.len(),
        }));
    }
    Err(BackendError::Timeout(format!(
        "it changes faster than it can be read: {ATTEMPTS} times while it was"
    )))
}

enum Opened {
    Absent,
    File(File),
}

/// Opens what is a file, and nothing else: to open a pipe would wait for ever.
fn opened(path: &Path) -> Result<Opened> {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if name::is_absent(&error) => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(BackendError::Unreachable(
                    "it is a link to nothing".to_owned(),
                )),
                Err(_) => Ok(Opened::Absent),
            };
        }
        Err(error) => return Err(of_io(&error)),
    };
    if about.is_dir() {
        return Err(BackendError::Unsupported("it is a folder".to_owned()));
    }
    if !about.is_file() {
        return Err(BackendError::Unsupported(
            "it is a device or a pipe, not a file".to_owned(),
        ));
    }
    match File::open(path) {
        Ok(file) => Ok(Opened::File(file)),
        Err(error) if name::is_absent(&error) => Ok(Opened::Absent),
        Err(error) => Err(of_io(&error)),
    }
}

enum Once {
    Absent,
    /// It changed while it was read.
    Changed,
    Read(Vec<u8>, SystemTime),
}

fn read_once(path: &Path, step: &mut dyn FnMut(Step)) -> Result<Once> {
    let Opened::File(mut file) = opened(path)? else {
        return Ok(Once::Absent);
    };
    let failed = |error: io::Error| of_io(&error);
    let before = file.metadata().map_err(failed)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    step(Step::Read);
    let after = file.metadata().map_err(failed)?;
    if marks(&before) != marks(&after) {
        return Ok(Once::Changed);
    }
    let modified = after.modified().map_err(failed)?;
    Ok(Once::Read(bytes, modified))
}

/// Gives what changes when a file is written.
fn marks(about: &Metadata) -> (u64, i64, i64, i64, i64) {
    (
        about.size(),
        about.mtime(),
        about.mtime_nsec(),
        about.ctime(),
        about.ctime_nsec(),
    )
}

fn stamp(modified: SystemTime) -> Option<Stamp> {
    let instant = Timestamp::try_from(modified).ok()?;
    Some(Stamp {
        text: instant.to_string(),
        zone: Zone::Utc,
        instant: Some(instant),
    })
}

/// Reads a lock; `None` when it is gone by now.
fn read_lock(path: &Path, timeout: SignedDuration) -> Option<Lock> {
    let body = match opened(path) {
        Ok(Opened::Absent) => return None,
        Ok(Opened::File(file)) => {
            let mut body = Vec::new();
            let read = file.take(LOCK_BYTES).read_to_end(&mut body);
            read.map(|_| body).map_err(|error| of_io(&error))
        }
        Err(error) => Err(error),
    };
    Some(match body {
        Ok(body) => Lock::read(&body, timeout),
        Err(error) => Lock::closed(error.to_string(), timeout),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::state::{Content, Part};

    const OLD: &str = r#"{"completed": {"old": 1}}"#;
    const NEW: &str = r#"{"completed": {"new": 1}}"#;

    /// Writes a file in place, as one that was written a moment ago, whatever the time is when it is read.
    fn write(path: &Path, body: &str) {
        fs::write(path, body).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        let ahead = SystemTime::now() + Duration::from_hours(1);
        file.set_modified(ahead).unwrap();
    }

    fn completed(found: &Found) -> Option<&[u8]> {
        let part = found.stored.state.part(Part::Completed);
        part.and_then(Content::bytes)
    }

    /// Reads a file that is changed at a step, the first time that it comes.
    fn read_beside(at: Step, before: &str, change: impl Fn(&Path)) -> (Found, Vec<Step>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(STATE);
        write(&path, before);
        let mut steps = Vec::new();
        let found = read_state_with(&path, &mut |step| {
            if step == at && !steps.contains(&step) {
                change(&path);
            }
            steps.push(step);
        });
        (found.unwrap().unwrap(), steps)
    }

    #[test]
    fn a_file_that_was_emptied_to_be_written_is_read_again() {
        for half in ["", r#"{"completed": {"ne"#] {
            let (found, steps) = read_beside(Step::Again, half, |path| write(path, NEW));
            assert_eq!(completed(&found), Some(&br#"{"new": 1}"#[..]));
            assert_eq!(steps, [Step::Read, Step::Again, Step::Read]);
        }
    }

    #[test]
    fn a_file_that_is_written_while_it_is_read_is_read_again() {
        let (found, steps) = read_beside(Step::Read, OLD, |path| write(path, NEW));
        assert_eq!(completed(&found), Some(&br#"{"new": 1}"#[..]));
        assert_eq!(steps, [Step::Read, Step::Again, Step::Read]);
    }

    #[test]
    fn a_file_that_goes_while_it_is_read_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(STATE);
        write(&path, OLD);
        let gone = read_state_with(&path, &mut |step| {
            if step == Step::Read {
                fs::remove_file(&path).unwrap();
            }
        });
        assert!(gone.unwrap().is_none());
    }

    #[test]
    fn a_file_that_stays_damaged_is_given_as_it_is() {
        let (found, steps) = read_beside(Step::Again, "{", |_| {});
        assert_eq!(found.stored.state.part(Part::Completed), None);
        let body = found.stored.state.part(Part::Body);
        assert_eq!(body.and_then(Content::bytes), Some(&b"{"[..]));
        assert_eq!(steps.len(), 2 * ATTEMPTS as usize - 1);
    }

    #[test]
    fn a_file_that_never_stands_still_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(STATE);
        write(&path, OLD);
        let mut length = 0;
        let error = read_state_with(&path, &mut |_| {
            length += 1;
            write(&path, &format!("{OLD}{}", " ".repeat(length)));
        });
        assert!(matches!(error, Err(BackendError::Timeout(_))));
    }
}
