//! Bytes by their hash: compressed, and stored once however often an operation needs them.

use std::collections::BTreeMap;
use std::io::Read;

use rusqlite::{Connection, OptionalExtension};

use crate::domain::version::ContentHash;
use crate::journal::{JournalError, Result};

/// How hard is pressed: zstd's own default, beyond which states shrink by little.
const LEVEL: i32 = 3;

/// Holds bytes that are to be stored.
#[derive(Debug, Default)]
pub(super) struct Contents(BTreeMap<ContentHash, Packed>);

#[derive(Debug)]
struct Packed {
    size: usize,
    zstd: Vec<u8>,
}

impl Contents {
    /// Compresses some bytes, unless they are there already.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let hash = ContentHash::of(bytes);
        if self.0.contains_key(&hash) {
            return Ok(());
        }
        let zstd = zstd::bulk::compress(bytes, LEVEL).map_err(|error| {
            JournalError::Unwritable(format!("what it is to hold cannot be compressed: {error}"))
        })?;
        let size = bytes.len();
        self.0.insert(hash, Packed { size, zstd });
        Ok(())
    }

    /// Leaves out what a journal holds already.
    pub(super) fn without_stored(mut self, journal: &Connection) -> Result<Self> {
        let mut stored = journal.prepare("SELECT 1 FROM contents WHERE hash = ?1")?;
        let mut missing = BTreeMap::new();
        for (hash, packed) in std::mem::take(&mut self.0) {
            if !stored.exists([hash.as_bytes()])? {
                missing.insert(hash, packed);
            }
        }
        Ok(Self(missing))
    }

    /// Estimates the bytes that these take in a journal, rather too many than too few.
    pub(super) fn room(&self, page: u64) -> u64 {
        // What does not fit beside others on a page has pages of its own.
        let of_one = |packed: &Packed| {
            let own = packed.zstd.len() as u64 + 128;
            if own < page / 4 {
                own * 2
            } else {
                own.div_ceil(page - 64) * page + page
            }
        };
        self.0.values().map(of_one).sum()
    }

    /// Stores them.
    pub(super) fn store(&self, journal: &Connection) -> Result<()> {
        let mut insert =
            journal.prepare("INSERT INTO contents (hash, size, zstd) VALUES (?1, ?2, ?3)")?;
        for (hash, packed) in &self.0 {
            let size = i64::try_from(packed.size).unwrap_or(i64::MAX);
            insert.execute((hash.as_bytes(), size, &packed.zstd))?;
        }
        Ok(())
    }
}

/// Reads bytes, and looks whether they are those of the hash.
pub(super) fn read(journal: &Connection, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT size, zstd FROM contents WHERE hash = ?1";
    let found = journal.query_row(sql, [hash.as_bytes()], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
    });
    let Some((size, zstd)) = found.optional()? else {
        return Ok(None);
    };
    let bytes = unpack(&zstd, size).filter(|bytes| ContentHash::of(bytes) == *hash);
    let damaged = || JournalError::Corrupt(format!("it is damaged: what {hash} names is not that"));
    bytes.map(Some).ok_or_else(damaged)
}

/// Makes the bytes again, and never more than there once were.
fn unpack(zstd: &[u8], size: i64) -> Option<Vec<u8>> {
    let size = u64::try_from(size).ok()?;
    let mut bytes = Vec::new();
    let unpacked = zstd::stream::read::Decoder::with_buffer(zstd).ok()?;
    unpacked.take(size).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
