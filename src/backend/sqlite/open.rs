//! Opens a SQLite file so that reading it changes nothing: not the file, not its folder, not its writers.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::anchor::Anchor;
use super::fault;
use crate::backend::{BackendError, Result};

/// How long a burst, or a write, waits for a program that keeps the database to itself.
pub(super) const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 5_000 });

/// How often a burst begins again when the file changed under it.
const ATTEMPTS: u32 = 20;

/// In how many attempts a change of the folder alone counts as a change of the file.
const FOLDER_COUNTS: u32 = 3;

/// How old the stamps of a file must be before a write to come is sure to leave other ones: more than a tick of any kernel.
const TICK: Duration = Duration::from_millis(20);

/// The length of a database's header.
pub(super) const HEADER: usize = 100;

/// The length of a log's header; a log that is no longer holds nothing.
const LOG_HEADER: u64 = 32;

/// The arguments of a URI that opens the file for reading, with locks.
pub(super) const READ_ONLY: &str = "mode=ro";

/// What a URI's path may hold as it is.
const PLAIN: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// Says how a file is to be opened, told from its header and from what is beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A rollback journal's database: SQLite's locks do.
    Rollback,
    /// A log and its index: SQLite reads both with their writer, and makes neither.
    Shared,
    /// A log whose index is gone: read with an index in memory, since SQLite would make the file anew.
    LogAlone,
    /// A database that is written through a log, and none is there, or one that holds nothing: `immutable`, since SQLite
    /// would make log and index.
    Sealed,
}

impl Way {
    fn arguments(self) -> &'static str {
        match self {
            Self::Rollback | Self::Shared => READ_ONLY,
            Self::LogAlone => "mode=ro&vfs=unix-none",
            Self::Sealed => "mode=ro&immutable=1",
        }
    }

    /// Tells whether pages may be in a log that the file does not have yet.
    fn has_log(self) -> bool {
        matches!(self, Self::Shared | Self::LogAlone)
    }

    /// Tells whether SQLite's locks keep writers from changing what is being read.
    fn is_locked(self) -> bool {
        matches!(self, Self::Rollback | Self::Shared)
    }
}

/// Names a moment inside a burst, so that a test can change the file there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It is decided how to open the file.
    Classified(Way),
    /// What was decided holds, under a lock or under stamps.
    Fixed,
}

/// Reads a file in one burst, from one moment of it; opens a connection for it and closes it behind it.
///
/// When the file changed in the middle, what was read is dropped, and `read` is called again with the next generation.
pub(super) fn burst<T>(path: &Path, read: impl FnMut(&Connection, u32) -> Result<T>) -> Result<T> {
    burst_with(path, &mut |_| {}, read)
}

/// Reads as [`burst`] does, and tells of each step before it goes on.
pub(super) fn burst_with<T>(
    path: &Path,
    step: &mut dyn FnMut(Step),
    mut read: impl FnMut(&Connection, u32) -> Result<T>,
) -> Result<T> {
    for generation in 0..ATTEMPTS {
        if let Some(found) = once(path, generation, step, &mut read)? {
            return Ok(found);
        }
    }
    Err(BackendError::Timeout(format!(
        "it changes faster than it can be read: {ATTEMPTS} times while it was"
    )))
}

/// Reads once; gives `None` when what was read may be of two moments.
fn once<T>(
    path: &Path,
    generation: u32,
    step: &mut dyn FnMut(Step),
    read: &mut dyn FnMut(&Connection, u32) -> Result<T>,
) -> Result<Option<T>> {
    let place = Place::find(path)?;
    let anchor = Anchor::open(&place.file)?;
    let way = place.way(&anchor)?;
    step(Step::Classified(way));
    let gate = (way == Way::Rollback).then(|| anchor.gate());
    if way != Way::Sealed || place.journal.exists() {
        let held = anchor.hold(&place.file, PATIENCE);
        held.map_err(|error| match error {
            // Of no other error: a file that someone writes to, or that was being written to, may be of any length.
            BackendError::Corrupt(_) => place.is_whole(&anchor, way).err().unwrap_or(error),
            other => other,
        })?;
    }
    let before = if way.is_locked() {
        None
    } else {
        let settled = Stamps::settled(&place, &anchor)?;
        let Some(settled) = settled else {
            return Ok(None);
        };
        Some(settled)
    };
    // What was seen before the lock, or before the stamps, may have changed until then.
    if place.way(&anchor)? != way || place.key()? != anchor.key() {
        return Ok(None);
    }
    step(Step::Fixed);
    let connection = connect(&place.file, way.arguments())?;
    let found = place
        .is_whole(&anchor, way)
        .and_then(|()| begin(&connection, way));
    drop(gate);
    let found = found.and_then(|()| read(&connection, generation));
    let Some(before) = before else {
        return found.map(Some);
    };
    anchor.park(connection);
    if !Stamps::take(&place, &anchor)?.is_same(&before, generation) {
        return Ok(None);
    }
    found.map(Some)
}

/// Opens the log, takes the locks, and fixes the moment that is read.
fn begin(connection: &Connection, way: Way) -> Result<()> {
    if way == Way::LogAlone {
        connection.execute_batch("PRAGMA locking_mode = exclusive")?;
    }
    connection.execute_batch("BEGIN")?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(())
}

/// Opens a connection that cannot write; no lock is taken and no other file opened before its first query.
pub(super) fn connect(path: &Path, arguments: &str) -> Result<Connection> {
    let connection = connect_by(path, arguments, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(PATIENCE)?;
    // A log that is read without locks would be taken for one that nobody else uses, and removed.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch("PRAGMA query_only = 1")?;
    Ok(connection)
}

/// Opens a connection that writes to a file that is there; it cannot where the operating system does not let it.
pub(super) fn connect_to_write(path: &Path, patience: Duration) -> Result<Connection> {
    let connection = connect_by(path, "mode=rw", OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}

fn connect_by(path: &Path, arguments: &str, mode: OpenFlags) -> Result<Connection> {
    let path = percent_encode(path.as_os_str().as_bytes(), &PLAIN);
    let flags = mode
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    let connection = Connection::open_with_flags(format!("file://{path}?{arguments}"), flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.execute_batch("PRAGMA temp_store = memory")?;
    Ok(connection)
}

/// Holds the names of a database's files. They are beside the file that a link leads to, as SQLite has it.
pub(super) struct Place {
    pub file: PathBuf,
    log: PathBuf,
    index: PathBuf,
    journal: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// Follows links, and looks whether it is a file that is there; opening a pipe would wait for ever.
    pub fn find(path: &Path) -> Result<Self> {
        let file = fs::canonicalize(path).map_err(|error| fault::of_file(&error))?;
        let about = fs::metadata(&file).map_err(|error| fault::of_file(&error))?;
        if about.is_dir() {
            return Err(BackendError::Unsupported("it is a folder".to_owned()));
        }
        if !about.is_file() {
            return Err(BackendError::Unsupported(
                "it is a device or a pipe, not a file".to_owned(),
            ));
        }
        let beside = |ending: &str| {
            let mut name = file.clone().into_os_string();
            name.push(ending);
            PathBuf::from(name)
        };
        Ok(Self {
            log: beside("-wal"),
            index: beside("-shm"),
            journal: beside("-journal"),
            folder: file.parent().map(Path::to_path_buf).unwrap_or_default(),
            file,
        })
    }

    /// Gives the device and the number of the file that has the name now.
    pub fn key(&self) -> Result<(u64, u64)> {
        let about = fs::metadata(&self.file).map_err(|error| fault::of_file(&error))?;
        Ok((about.dev(), about.ino()))
    }

    /// Refuses a file whose end is missing, which SQLite only notices when it comes to a page that is not there.
    fn is_whole(&self, anchor: &Anchor, way: Way) -> Result<()> {
        if way.has_log() {
            return Ok(());
        }
        let (header, _) = anchor.header()?;
        let about = fs::metadata(&self.file).map_err(|error| fault::of_file(&error))?;
        match length_by_header(&header) {
            Some(length) if about.len() < length => Err(BackendError::Corrupt(format!(
                "it is cut off: {} of its {length} bytes are there",
                about.len()
            ))),
            _ => Ok(()),
        }
    }

    /// Decides how to open the file. A log counts whatever the header says, since SQLite reads it whatever the header says.
    pub fn way(&self, anchor: &Anchor) -> Result<Way> {
        let through_a_log = written_through_a_log(anchor)?;
        let log = fs::metadata(&self.log).ok().map(|about| about.size());
        Ok(match (log, self.index.exists()) {
            (Some(_), true) => Way::Shared,
            (Some(length), false) if length > LOG_HEADER => Way::LogAlone,
            (Some(_), false) => Way::Sealed,
            (None, _) if through_a_log => Way::Sealed,
            (None, _) => Way::Rollback,
        })
    }
}

/// Tells how many bytes a header says that the file has; `None` when a program older than SQLite 3.7 wrote it last.
fn length_by_header(header: &[u8]) -> Option<u64> {
    let number = |at: usize| {
        let bytes = header.get(at..)?.first_chunk::<4>()?;
        Some(u64::from(u32::from_be_bytes(*bytes)))
    };
    let page = header.get(16..)?.first_chunk::<2>()?;
    let page = match u16::from_be_bytes(*page) {
        // The largest size does not fit.
        1 => 0x1_0000,
        size => u64::from(size),
    };
    let (changes, pages, changes_then) = (number(24)?, number(28)?, number(92)?);
    (changes == changes_then).then_some(pages * page)
}

/// Reads what the header says, byte 19: 2 for a log.
fn written_through_a_log(anchor: &Anchor) -> Result<bool> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let (header, length) = anchor.header()?;
    if length == 0 {
        return Err(BackendError::Unsupported("it is empty".to_owned()));
    }
    if !header.starts_with(MAGIC.get(..length).unwrap_or(MAGIC)) {
        return Err(BackendError::Corrupt(fault::not_a_database()));
    }
    if length < HEADER {
        return Err(BackendError::Corrupt(format!(
            "it is cut off after {length} bytes, inside the header of a SQLite database"
        )));
    }
    Ok(header.get(19) == Some(&2))
}

/// Holds what changes when anyone writes to a database.
struct Stamps {
    file: Stamp,
    log: Option<Stamp>,
    folder: Stamp,
    /// Holds the counter that a rollback journal's writer changes.
    header: ([u8; HEADER], usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamps {
    fn take(place: &Place, anchor: &Anchor) -> Result<Self> {
        Ok(Self {
            file: Stamp::of(&place.file).map_err(|error| fault::of_file(&error))?,
            log: Stamp::of(&place.log).ok().map(Stamp::without_change),
            folder: Stamp::of(&place.folder).map_err(|error| fault::of_file(&error))?,
            header: anchor.header()?,
        })
    }

    /// Takes them when a later write is sure to leave others: a file system writes down the time of its last tick.
    ///
    /// Gives `None` when they keep moving.
    fn settled(place: &Place, anchor: &Anchor) -> Result<Option<Self>> {
        for _ in 0..5 {
            let stamps = Self::take(place, anchor)?;
            let Some(wait) = stamps.newest().and_then(|newest| {
                let age = SystemTime::now().duration_since(newest).ok()?;
                TICK.checked_sub(age).filter(|wait| !wait.is_zero())
            }) else {
                return Ok(Some(stamps));
            };
            thread::sleep(wait);
        }
        Ok(None)
    }

    fn newest(&self) -> Option<SystemTime> {
        let log = self.log.map(|log| log.modified);
        let (seconds, nanos) = log.max(Some(self.file.modified))?;
        let since = Duration::new(seconds.try_into().ok()?, nanos.try_into().ok()?);
        SystemTime::UNIX_EPOCH.checked_add(since)
    }

    /// Tells whether nobody wrote in between.
    ///
    /// A folder that keeps moving while file and log do not is one that others work in, `/tmp` for one: it counts at first,
    /// not for ever. No write of SQLite's leaves file and log as they were.
    fn is_same(&self, before: &Self, generation: u32) -> bool {
        let folder = self.folder == before.folder || generation >= FOLDER_COUNTS;
        folder && (self.file, self.log, self.header) == (before.file, before.log, before.header)
    }
}

impl Stamp {
    fn of(path: &Path) -> std::io::Result<Self> {
        let about = fs::metadata(path)?;
        Ok(Self {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        })
    }

    /// Leaves the time of the last change of owner or rights out: for the superuser, SQLite sets a log's owner to that of the
    /// file each time that it opens it.
    fn without_change(self) -> Self {
        Self {
            changed: (0, 0),
            ..self
        }
    }
}
