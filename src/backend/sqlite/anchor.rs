//! Keeps a file's locks while this process reads it.
//!
//! Two traps of POSIX locks are hidden here. Closing *any* descriptor of a file drops all locks that the process holds on
//! it, those of other connections too; and between a look at the folder and SQLite's first lock a writer can leave and take
//! its log along, whereupon SQLite, though told to read only, makes a new one and leaves it.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::ffi::SQLITE_IOERR_LOCK;
use rusqlite::{Connection, Error};

use super::fault;
use super::open::{self, HEADER};
use crate::backend::{BackendError, Result};

/// Tells a file from every other one of the machine, whatever its name.
type Key = (u64, u64);

/// The files that this process reads now.
static FILES: Mutex<BTreeMap<Key, Arc<Shared>>> = Mutex::new(BTreeMap::new());

/// Holds a file open for one burst of reads.
pub(super) struct Anchor {
    key: Key,
    /// Both `None` only while it is dropped.
    file: Option<File>,
    shared: Option<Arc<Shared>>,
}

/// What all bursts on one file share, and what is closed when the last of them ends.
#[derive(Default)]
struct Shared {
    /// A connection that holds SQLite's shared lock on the file and reads nothing.
    holder: Mutex<Option<Connection>>,
    /// Descriptors that a burst is done with, and that must not be closed while another one holds locks.
    parked: Mutex<Vec<Box<dyn Send>>>,
}

impl Anchor {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| fault::of_file(&error))?;
        let about = file.metadata().map_err(|error| fault::of_file(&error))?;
        let key = (about.dev(), about.ino());
        let shared = Arc::clone(locked(&FILES).entry(key).or_default());
        Ok(Self {
            key,
            file: Some(file),
            shared: Some(shared),
        })
    }

    /// Gives the device and the number of the file.
    pub fn key(&self) -> Key {
        self.key
    }

    /// Reads the header anew; gives as much of it as there is.
    pub fn header(&self) -> Result<([u8; HEADER], usize)> {
        let mut header = [0; HEADER];
        let mut filled = 0;
        let file = self.file.as_ref();
        while let Some((file, rest)) = file.zip(header.get_mut(filled..))
            && !rest.is_empty()
        {
            match file.read_at(rest, filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(fault::of_file(&error)),
            }
        }
        Ok((header, filled))
    }

    /// Takes SQLite's shared lock and keeps it for the burst, without opening, making or removing a log.
    ///
    /// A writer that closes needs the file to itself before it removes its log; so what is beside the file stays as long as
    /// the lock is held. SQLite opens the log only after it has the shared lock, and in exclusive locking mode only with the
    /// exclusive one, which it cannot have on a file opened for reading: it stops there, and keeps the shared lock. Fails when a
    /// journal must be rolled back first, and when another program, or a connection of this process that was not opened
    /// here, keeps the lock from us for [`open::PATIENCE`].
    pub fn hold(&self, path: &Path) -> Result<()> {
        let Some(shared) = &self.shared else {
            return Ok(());
        };
        let mut holder = locked(&shared.holder);
        if holder.is_some() {
            return Ok(());
        }
        let connection = open::connect(path, open::READ_ONLY)?;
        connection.execute_batch("PRAGMA locking_mode = exclusive")?;
        let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        match read {
            Err(Error::SqliteFailure(code, _)) if code.extended_code == SQLITE_IOERR_LOCK => {}
            other => other.map_err(BackendError::from)?,
        }
        *holder = Some(connection);
        Ok(())
    }

    /// Keeps a connection whose closing would drop the locks of others until no burst reads the file.
    pub fn park(&self, connection: Connection) {
        if let Some(shared) = &self.shared {
            locked(&shared.parked).push(Box::new(connection));
        }
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        let mut files = locked(&FILES);
        let (file, shared) = (self.file.take(), self.shared.take());
        let Some(shared) = shared else { return };
        // Two: the table's and this one.
        if Arc::strong_count(&shared) <= 2 {
            files.remove(&self.key);
        } else if let Some(file) = file {
            locked(&shared.parked).push(Box::new(file));
        }
        drop(shared);
        drop(files);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
