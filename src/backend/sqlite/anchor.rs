//! Keeps a file's locks while this process reads it.
//!
//! Two traps of POSIX locks are hidden here. Closing *any* descriptor of a file drops all locks that the process holds on
//! it, those of other connections too; and between a look at the folder and SQLite's first lock a writer can leave and take
//! its log along, whereupon SQLite, though told to read only, makes a new one and leaves it.
//!
//! A third one is this process's own: SQLite sees that two of its connections are of one process, and lets neither have what
//! the other waits for. See [`Anchor::gate`].

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::ffi::SQLITE_IOERR_LOCK;
use rusqlite::{Connection, Error};

use super::fault;
use super::open::{self, HEADER};
use crate::backend::{BackendError, Result};

/// Tells a file from every other one of the machine, whatever its name.
type Key = (u64, u64);

/// The files that this process reads or writes now.
static FILES: Mutex<BTreeMap<Key, Arc<Shared>>> = Mutex::new(BTreeMap::new());

/// Holds a file open for one burst of reads, or one write.
pub(super) struct Anchor {
    key: Key,
    /// Whether this one is among those that hold.
    holds: Cell<bool>,
    /// Both `None` only while it is dropped.
    file: Option<File>,
    shared: Option<Arc<Shared>>,
}

/// What all bursts and writes on one file share, and what is closed when the last of them ends.
#[derive(Default)]
struct Shared {
    gate: Mutex<()>,
    holder: Mutex<Holder>,
    /// Descriptors that a burst is done with, and that must not be closed while another one holds locks.
    parked: Mutex<Vec<Box<dyn Send>>>,
}

/// Keeps SQLite's shared lock as long as anyone wants it kept.
#[derive(Default)]
struct Holder {
    /// A connection that has the lock and reads nothing; there when `holds` is not 0.
    connection: Option<Connection>,
    holds: usize,
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
            holds: Cell::new(false),
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

    /// Waits its turn among those of this process that go from a held lock to their own, or from their own to all of it.
    ///
    /// Without a log, who commits waits until no one holds the shared lock any more, and keeps new ones from it meanwhile. A burst
    /// of the same process that already held it, and waits for a second one of its own, would wait for the commit, and the
    /// commit for the burst. So nobody commits while such a burst is between the two.
    pub fn gate(&self) -> Option<MutexGuard<'_, ()>> {
        self.shared.as_ref().map(|shared| locked(&shared.gate))
    }

    /// Takes SQLite's shared lock and keeps it until it is let go, without opening, making or removing a log.
    ///
    /// A writer that closes needs the file to itself before it removes its log; so what is beside the file stays as long as
    /// the lock is held. SQLite opens the log only after it has the shared lock, and in exclusive locking mode only with the
    /// exclusive one, which it cannot have on a file opened for reading: it stops there, and keeps the shared lock. Fails when a
    /// journal must be rolled back first, and when another program, or a connection of this process that was not opened
    /// here, keeps the lock from us for longer than `patience`.
    pub fn hold(&self, path: &Path, patience: Duration) -> Result<()> {
        let Some(shared) = self.shared.as_ref().filter(|_| !self.holds.get()) else {
            return Ok(());
        };
        let mut holder = locked(&shared.holder);
        if holder.connection.is_none() {
            holder.connection = Some(hold(path, patience)?);
        }
        holder.holds += 1;
        self.holds.set(true);
        Ok(())
    }

    /// Lets the lock go, for a connection that has one of its own now.
    pub fn let_go(&self) {
        self.let_go_and(|| ());
    }

    /// Closes a connection that writes. It was open beside the lock held here, and cleans up behind itself when it is the last.
    pub fn close(&self, connection: Connection) {
        self.let_go_and(|| drop(connection));
    }

    /// Lets the lock go, and does something before anyone can take it again.
    fn let_go_and(&self, act: impl FnOnce()) {
        let Some(shared) = &self.shared else { return };
        let mut holder = locked(&shared.holder);
        if self.holds.replace(false) {
            holder.holds -= 1;
            if holder.holds == 0 {
                holder.connection = None;
            }
        }
        act();
    }

    /// Keeps what has the file open, and whose closing would drop the locks of others, until nobody works on the file.
    pub fn park(&self, open: impl Send + 'static) {
        if let Some(shared) = &self.shared {
            locked(&shared.parked).push(Box::new(open));
        }
    }
}

/// Opens a connection that holds the lock.
fn hold(path: &Path, patience: Duration) -> Result<Connection> {
    let connection = open::connect(path, open::READ_ONLY)?;
    connection.busy_timeout(patience)?;
    connection.execute_batch("PRAGMA locking_mode = exclusive")?;
    let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    match read {
        Err(Error::SqliteFailure(code, _)) if code.extended_code == SQLITE_IOERR_LOCK => {}
        other => other.map_err(BackendError::from)?,
    }
    Ok(connection)
}

impl Drop for Anchor {
    fn drop(&mut self) {
        self.let_go();
        let mut files = locked(&FILES);
        let (file, shared) = (self.file.take(), self.shared.take());
        let Some(shared) = shared else { return };
        // Two: the table's and this one.
        if Arc::strong_count(&shared) <= 2 {
            files.remove(&self.key);
            // Closed before anyone else can come, and take locks that this would drop.
            drop((shared, file));
        } else {
            locked(&shared.parked).push(Box::new(file));
            drop(shared);
        }
        drop(files);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
