//! Opens a journal's file, makes it where there is none, and lets nothing in that is no journal of ours.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};

use super::fault;
use super::formats::{APPLICATION, Formats};
use crate::journal::{JournalError, Result};

/// How long an operation waits for another program that writes to the journal.
pub(super) const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 5_000 });

/// Keeps one thread from closing a file that it has just made while another has it open for SQLite: closing any descriptor
/// of a file drops all the locks that a process has on it.
static OPENING: Mutex<()> = Mutex::new(());

/// Holds an open journal, or a file that is to be one.
#[derive(Debug)]
pub(super) struct Database {
    /// Where it is, links followed: what is beside it is beside this.
    pub(super) file: PathBuf,
    connection: Connection,
    formats: Formats,
}

impl Database {
    /// Opens a journal to write to it, and makes the file where there is none.
    pub(super) fn make(path: &Path, formats: Formats) -> Result<Self> {
        let opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        make_file(path)?;
        drop(opening);
        let found = Self::to_write(path, formats)?;
        found.ok_or_else(|| {
            JournalError::Unwritable("it is gone again, or a link to nothing".to_owned())
        })
    }

    /// Opens a journal to write to it; `None` when there is no file.
    pub(super) fn to_write(path: &Path, formats: Formats) -> Result<Option<Self>> {
        let Some(database) = Self::to_read(path, formats)? else {
            return Ok(None);
        };
        if database.is_read_only()? {
            return Err(read_only(&database.file));
        }
        make_private(&database.file)?;
        // The mode is what the file's header says; one that somebody turned to a log is turned back.
        database
            .connection
            .execute_batch("PRAGMA journal_mode = delete; PRAGMA synchronous = extra")?;
        Ok(Some(database))
    }

    /// Opens a journal; `None` when there is no file. Nothing is made and nothing written, but for what is left of a write
    /// that was cut short, which is taken back.
    pub(super) fn to_read(path: &Path, formats: Formats) -> Result<Option<Self>> {
        let file = match fs::canonicalize(path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(fault::of_file("it cannot be found", &error)),
        };
        let about = fs::metadata(&file);
        let about = about.map_err(|error| fault::of_file("it cannot be looked at", &error))?;
        if !about.is_file() {
            // Opening a pipe would wait for ever.
            return Err(JournalError::Corrupt("it is not a file".to_owned()));
        }
        if about.len() > 0 {
            refuse_foreign(&file)?;
        }
        let connection = connect(&file)?;
        Ok(Some(Self {
            file,
            connection,
            formats,
        }))
    }

    fn is_read_only(&self) -> Result<bool> {
        Ok(self.connection.is_readonly(MAIN_DB)?)
    }

    /// Begins to write: nobody else writes until the transaction ends. The tables are made, or brought to the newest format,
    /// in the same transaction.
    pub(super) fn begin(&mut self) -> Result<Transaction<'_>> {
        let is_new = pragma(&self.connection, "page_count")? == 0;
        let behavior = if is_new {
            TransactionBehavior::Deferred
        } else {
            TransactionBehavior::Immediate
        };
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        if is_new {
            // So that pages can be given back one by one. Only before the first page is made, and it begins the write.
            transaction.execute_batch("PRAGMA auto_vacuum = incremental")?;
        }
        let format = admit(&transaction, &self.file, self.formats)?;
        let steps = self.formats.get(format..).unwrap_or_default();
        if format == 0 {
            transaction.execute_batch(&format!("PRAGMA application_id = {APPLICATION}"))?;
        }
        for step in steps {
            transaction.execute_batch(step)?;
        }
        if !steps.is_empty() {
            let format = self.formats.len();
            transaction.execute_batch(&format!("PRAGMA user_version = {format}"))?;
        }
        Ok(transaction)
    }

    /// Begins to read, from one moment of the journal, until which nobody's write ends; `None` when it is empty.
    pub(super) fn snapshot(&mut self) -> Result<Option<Transaction<'_>>> {
        let transaction = self.connection.transaction()?;
        let format = admit(&transaction, &self.file, self.formats)?;
        drop(transaction);
        if format == 0 {
            return Ok(None);
        }
        if format < self.formats.len() {
            if self.is_read_only()? {
                return Err(read_only(&self.file));
            }
            self.begin()?.commit()?;
        }
        let transaction = self.connection.transaction()?;
        admit(&transaction, &self.file, self.formats)?;
        Ok(Some(transaction))
    }
}

/// Reads a number that SQLite keeps about a database.
pub(super) fn pragma(connection: &Connection, name: &str) -> Result<i64> {
    let sql = format!("PRAGMA {name}");
    Ok(connection.query_row(&sql, [], |row| row.get(0))?)
}

/// Looks, under a lock, whether a file is a journal and all of it there, and gives its format: 0 for an empty file.
fn admit(connection: &Connection, file: &Path, formats: Formats) -> Result<usize> {
    // Takes the lock, and takes back a write that was cut short; only then the file has its length.
    let pages = pragma(connection, "page_count")?;
    let about = fs::metadata(file);
    let about = about.map_err(|error| fault::of_file("it cannot be looked at", &error))?;
    if about.len() == 0 {
        return Ok(0);
    }
    if pragma(connection, "application_id")? != i64::from(APPLICATION) {
        return Err(foreign());
    }
    let length = pages.unsigned_abs() * pragma(connection, "page_size")?.unsigned_abs();
    if about.len() < length {
        return Err(JournalError::Corrupt(format!(
            "it is cut off: {} of its {length} bytes are there",
            about.len()
        )));
    }
    let found = pragma(connection, "user_version")?;
    match usize::try_from(found) {
        Ok(0) | Err(_) => Err(JournalError::Corrupt(format!(
            "it says that it has format {found}, which there is none of"
        ))),
        Ok(format) if format > formats.len() => Err(JournalError::Newer {
            found,
            known: formats.len().try_into().unwrap_or(i64::MAX),
        }),
        Ok(format) => Ok(format),
    }
}

/// Refuses a file that is no journal, before a lock on it, or taking back a write to it, could change what is another's.
///
/// What cannot be told without a lock is left to [`admit`].
fn refuse_foreign(file: &Path) -> Result<()> {
    let path = percent_encode(file.as_os_str().as_bytes(), NON_ALPHANUMERIC);
    let uri = format!("file:{path}?mode=ro&immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let opened = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    drop(opening);
    match opened.and_then(|connection| {
        connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0))
    }) {
        Ok(APPLICATION) => Ok(()),
        Ok(_) => Err(foreign()),
        // A power cut while the file was made leaves zeros, and beside them what says that it was empty.
        Err(error) if is_no_database(&error) && !beside(file, "-journal").exists() => {
            Err(error.into())
        }
        Err(_) => Ok(()),
    }
}

fn is_no_database(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase)
}

fn foreign() -> JournalError {
    JournalError::Corrupt("it is a database of another program".to_owned())
}

fn connect(file: &Path) -> Result<Connection> {
    // For a file that this user may only read, SQLite falls back to reading.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    let opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let connection = Connection::open_with_flags(file, flags)?;
    drop(opening);
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.execute_batch("PRAGMA foreign_keys = 1; PRAGMA temp_store = memory")?;
    Ok(connection)
}

/// Makes an empty file, and its folder, that nobody else can read, where there is none.
pub(super) fn make_file(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    make_folder(folder).map_err(|error| fault::of_file("its folder cannot be made", &error))?;
    let mut new = OpenOptions::new();
    match new.write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync_folder(folder)
            .map_err(|error| fault::of_file("its folder cannot be written", &error)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(fault::of_file("it cannot be made", &error)),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
        .collect();
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut above = missing.into_iter().map(folder_of);
    above.try_for_each(sync_folder)
}

/// Waits until the names in a folder are on disk; where a folder cannot be waited for, as SQLite does, it does not.
fn sync_folder(folder: &Path) -> io::Result<()> {
    let synced = match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(error) => Err(error),
    };
    synced.or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::Unsupported => Ok(()),
        _ => Err(error),
    })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Takes the file from everybody but its owner: states may hold secrets.
fn make_private(file: &Path) -> Result<()> {
    let failed =
        |error: io::Error| fault::of_file("others may read it, and that cannot be changed", &error);
    let others = fs::metadata(file).map_err(failed)?.mode() & 0o077;
    if others == 0 {
        return Ok(());
    }
    fs::set_permissions(file, Permissions::from_mode(0o600)).map_err(failed)
}

/// Says in the system's words why a file cannot be written.
fn read_only(file: &Path) -> JournalError {
    match OpenOptions::new().write(true).open(file) {
        Err(error) => fault::of_file("it cannot be written", &error),
        Ok(file) => {
            // Closing it would drop this process's locks; it became writable this moment.
            let _ = file.into_raw_fd();
            JournalError::Unwritable("it could not be written when it was opened".to_owned())
        }
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
