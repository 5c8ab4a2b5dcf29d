//! Room: what may be dropped, and when it is.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

use super::contents::Contents;
use super::formats::FORMATS;
use super::open::{Database, pragma};
use super::write::text;
use crate::journal::{JournalError, KEPT_FOR_DAYS, Pruned, Result};

/// Drops old bytes, the oldest first, until what is to be added fits below the limit.
///
/// Pages that were given back count as room: they are filled before the file grows.
pub(super) fn make(
    journal: &Connection,
    limit: u64,
    now: Timestamp,
    contents: &Contents,
    rows: u64,
) -> Result<()> {
    let page = pragma(journal, "page_size")?.unsigned_abs();
    // Some pages more, for what divides on the way.
    let added = contents.room(page) + rows + 16 * page;
    let mut droppable = droppable(journal, kept_since(now))?.into_iter();
    loop {
        let free = pragma(journal, "freelist_count")?;
        let used = (pragma(journal, "page_count")? - free).unsigned_abs() * page;
        if used + added <= limit {
            return Ok(());
        }
        match droppable.next() {
            Some(operation) => drop_bytes(journal, operation)?,
            None => return Err(JournalError::AtLimit { size: used, limit }),
        }
    }
}

/// Drops the bytes that only operations need which ended, and were planned before a time that is not too late, and gives the
/// room back to the file system.
pub(super) fn prune(path: &Path, before: Timestamp, now: Timestamp) -> Result<Pruned> {
    let Some(mut database) = Database::to_write(path, FORMATS)? else {
        return Ok(Pruned::default());
    };
    let journal = database.begin()?;
    let before = before.min(kept_since(now));
    let (incomplete, length) = (incomplete(&journal)?, length(&journal)?);
    for operation in droppable(&journal, before)? {
        drop_bytes(&journal, operation)?;
    }
    give_back(&journal)?;
    let pruned = Pruned {
        operations: self::incomplete(&journal)?.saturating_sub(incomplete),
        bytes: length.saturating_sub(self::length(&journal)?),
    };
    journal.commit()?;
    Ok(pruned)
}

fn kept_since(now: Timestamp) -> Timestamp {
    let kept = SignedDuration::from_hours(24 * KEPT_FOR_DAYS);
    now.checked_sub(kept).unwrap_or(Timestamp::MIN)
}

/// Lists the operations that ended, were planned before a time and were not dropped yet, the oldest first.
fn droppable(journal: &Connection, before: Timestamp) -> Result<Vec<i64>> {
    let sql = "SELECT id FROM operations
        WHERE status NOT IN ('planned', 'begun') AND is_dropped = 0 AND at < ?1
        ORDER BY at, id";
    let mut found = journal.prepare(sql)?;
    let found = found.query_map([text(before)], |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Drops the bytes of an operation that no other one needs which still has its own.
fn drop_bytes(journal: &Connection, operation: i64) -> Result<()> {
    let mark = "UPDATE operations SET is_dropped = 1 WHERE id = ?1";
    journal.execute(mark, [operation])?;
    let sql = "DELETE FROM contents
        WHERE hash IN (SELECT hash FROM sides WHERE operation = ?1)
        AND NOT EXISTS (
            SELECT 1 FROM sides JOIN operations ON operations.id = sides.operation
            WHERE sides.hash = contents.hash AND operations.is_dropped = 0)";
    journal.execute(sql, [operation])?;
    Ok(())
}

/// Counts the operations that lack some of their bytes.
fn incomplete(journal: &Connection) -> Result<usize> {
    let sql = "SELECT count(DISTINCT operation) FROM sides
        WHERE hash IS NOT NULL AND hash NOT IN (SELECT hash FROM contents)";
    let found: i64 = journal.query_row(sql, [], |row| row.get(0))?;
    Ok(found.try_into().unwrap_or_default())
}

/// Gives the length that the file has when the transaction ends.
fn length(journal: &Connection) -> Result<u64> {
    let (pages, size) = (
        pragma(journal, "page_count")?,
        pragma(journal, "page_size")?,
    );
    Ok(pages.unsigned_abs() * size.unsigned_abs())
}

/// Moves free pages to the end of the file and cuts them off: one a step.
fn give_back(journal: &Connection) -> Result<()> {
    let mut statement = journal.prepare("PRAGMA incremental_vacuum")?;
    let mut steps = statement.query([])?;
    while steps.next()?.is_some() {}
    Ok(())
}
