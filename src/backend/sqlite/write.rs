//! Writes a batch in one transaction, each group in a savepoint of its own.
//!
//! SQLite lets one program write at a time; from the start of the transaction on, nothing that was compared can change.

use std::fs::File;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, MAIN_DB, Params, ToSql, params};

use super::anchor::Anchor;
use super::open::{self, Place};
use super::schema::Schema;
use super::{Sqlite, access, fault, rows};
use crate::backend::{Access, BackendError, Committed, Result};
use crate::domain::edit::{Batch, Change, EditRun, Group, is_same};
use crate::domain::id::StateId;
use crate::domain::state::{Part, State};
use crate::domain::version::{Expect, Version};

/// The table of states and its key, where it is written to.
const STATES: (&str, &str) = ("state", "state_id");

/// How SQLAlchemy writes a time into SQLite.
const TIME: &str = "%Y-%m-%d %H:%M:%S.%6f";

/// Names a moment of a write, so that a test can end the process, or do something to the file, there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// No other program can write any more; nothing was written.
    Begun,
    /// The rows are written, and the transaction is open.
    Written,
    /// The transaction is on disk; the file is still open.
    Committed,
}

/// Writes a batch, and gives one result a group; tells of each step before it goes on.
pub(super) fn commit(
    database: &Sqlite,
    batch: &Batch,
    step: &mut dyn FnMut(Step),
) -> Vec<Result<Committed>> {
    let written = Writer::open(database).and_then(|writer| {
        let written = writer.write(batch, step);
        writer.close();
        written
    });
    let written =
        written.unwrap_or_else(|error| batch.groups.iter().map(|_| Err(error.clone())).collect());
    let after_patience = |error| match error {
        BackendError::Timeout(_) => fault::held(database.patience),
        other => other,
    };
    written
        .into_iter()
        .map(|result| result.map_err(after_patience))
        .collect()
}

/// Holds a database open for one write.
struct Writer<'d> {
    // Closed in this order: see `Anchor`.
    connection: Connection,
    anchor: Anchor,
    place: Place,
    zone: &'d TimeZone,
}

impl<'d> Writer<'d> {
    /// Opens the file, undoes what another program left unfinished, and sees to it that the readers of this process can go on.
    fn open(database: &'d Sqlite) -> Result<Self> {
        let place = Place::find(&database.path)?;
        let anchor = Anchor::open(&place.file)?;
        // Fails for what is no database.
        place.way(&anchor)?;
        let gate = anchor.gate();
        let held = anchor.hold(&place.file, database.patience);
        // Of anything else, writing may be the cure; if not, it fails in its own words.
        if let Err(error @ BackendError::Timeout(_)) = held {
            return Err(error);
        }
        let connection = connect(&place, &anchor, database.patience)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if mode != "wal" {
            anchor.let_go();
        }
        drop(gate);
        Ok(Self {
            connection,
            anchor,
            place,
            zone: &database.zone,
        })
    }

    fn close(self) {
        self.anchor.close(self.connection);
    }

    fn write(&self, batch: &Batch, step: &mut dyn FnMut(Step)) -> Result<Vec<Result<Committed>>> {
        let connection = &self.connection;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        step(Step::Begun);
        let schema = Schema::read(connection)?;
        if let Access::ReadOnly(why) = access::of(connection, &schema)? {
            return Err(BackendError::ReadOnly(why));
        }
        let groups = batch.groups.iter().map(|group| self.apart(group));
        let results = groups.collect::<Result<Vec<_>>>()?;
        step(Step::Written);
        if results.iter().all(Result::is_err) {
            connection.execute_batch("ROLLBACK")?;
            return Ok(results);
        }
        let committed = self.commit();
        if committed.is_ok() {
            step(Step::Committed);
        }
        let results = results.into_iter();
        Ok(results
            .map(|result| result.and_then(|done| committed.clone().map(|()| done)))
            .collect())
    }

    /// Ends the transaction, unless the file has lost its name, so that nobody would ever see what was written.
    fn commit(&self) -> Result<()> {
        if self.place.key()? != self.anchor.key() {
            return Err(fault::moved());
        }
        let _gate = self.anchor.gate();
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Writes a group, or nothing of it. Fails as a whole when no other group can be written either.
    fn apart(&self, group: &Group) -> Result<Result<Committed>> {
        self.connection.execute_batch("SAVEPOINT one")?;
        let written = self.group(group);
        match &written {
            Ok(_) => self.connection.execute_batch("RELEASE one")?,
            // A trigger may end the transaction, and SQLite does when it is out of room.
            Err(error) if self.connection.is_autocommit() => return Err(error.clone()),
            Err(BackendError::Conflict | BackendError::Unsupported(_)) => self
                .connection
                .execute_batch("ROLLBACK TO one; RELEASE one")?,
            Err(error) => return Err(error.clone()),
        }
        Ok(written)
    }

    fn group(&self, group: &Group) -> Result<Committed> {
        let mut versions = Vec::new();
        for change in &group.0 {
            match change {
                Change::Put { id, state, expect } => {
                    versions.push(Some(self.put(id, state, expect)?));
                }
                Change::Delete { id, expect } => {
                    self.delete(id, expect)?;
                    versions.push(None);
                }
                Change::AppendEdit(run) => self.append(run)?,
            }
        }
        Ok(Committed { versions })
    }

    /// Puts a state, as Meltano 4.4.1 does: a new row has no time, one that is written over gets the time of the host.
    fn put(&self, id: &StateId, state: &State, expect: &Expect) -> Result<Version> {
        let (completed, partial) = (Part::Completed, Part::Partial);
        let (completed, partial) = (Bytes::of(state, completed), Bytes::of(state, partial));
        let row = match expect {
            Expect::Absent => {
                if !rows::of_job(&self.connection, STATES, id)?.is_empty() {
                    return Err(BackendError::Conflict);
                }
                self.one_row(
                    "INSERT INTO state (state_id, partial_state, completed_state) VALUES (?1, ?2, ?3)",
                    params![id.as_str(), partial, completed],
                )?;
                self.connection.last_insert_rowid()
            }
            Expect::Version(version) => {
                let row = self.expected(id, version)?;
                let now = self.zone.to_datetime(Timestamp::now());
                self.one_row(
                    "UPDATE state SET partial_state = ?2, completed_state = ?3, updated_at = ?4 WHERE rowid = ?1",
                    params![row, partial, completed, now.strftime(TIME).to_string()],
                )?;
                row
            }
        };
        let stored = rows::state(&self.connection, row, self.zone)?;
        if !is_same(Some(&stored.state), Some(state)) {
            return Err(BackendError::Unsupported(
                "it does not keep the state's bytes as they are, by a trigger or its encoding"
                    .to_owned(),
            ));
        }
        Ok(stored.version)
    }

    fn delete(&self, id: &StateId, expect: &Version) -> Result<()> {
        let row = self.expected(id, expect)?;
        self.one_row("DELETE FROM state WHERE rowid = ?1", [row])
    }

    /// Finds the one row of a state that holds what is expected.
    fn expected(&self, id: &StateId, version: &Version) -> Result<i64> {
        let row = match rows::of_job(&self.connection, STATES, id)?.as_slice() {
            [] => return Err(BackendError::Conflict),
            [row] => *row,
            several => {
                return Err(BackendError::Unsupported(format!(
                    "it holds {} rows of this state ID, where there must be one",
                    several.len()
                )));
            }
        };
        if !rows::is_named_exactly(&self.connection, STATES, row, id)? {
            return Err(BackendError::Unsupported(
                "the state ID is not UTF-8 there, and no text names it exactly".to_owned(),
            ));
        }
        if rows::state(&self.connection, row, self.zone)?.version != *version {
            return Err(BackendError::Conflict);
        }
        Ok(row)
    }

    fn append(&self, run: &EditRun) -> Result<()> {
        let at = run.at.strftime(TIME).to_string();
        self.one_row(
            "INSERT INTO runs (job_name, run_id, state, started_at, ended_at, payload, payload_flags, \"trigger\") \
             VALUES (?1, ?2, 'STATE_EDIT', ?3, ?3, ?4, ?5, ?6)",
            params![run.state_id.as_str(), run.run_id, at, run.payload.text(), run.flags, run.trigger],
        )
    }

    /// Runs a statement that changes one row.
    fn one_row(&self, sql: &str, values: impl Params) -> Result<()> {
        match self.connection.prepare_cached(sql)?.execute(values)? {
            1 => Ok(()),
            _ => Err(BackendError::Unsupported(
                "a trigger keeps the row from being written".to_owned(),
            )),
        }
    }
}

/// Opens the connection; touches the file no more than that.
///
/// Pages go to the file at the commit and not before, so that only then the file is wanted alone.
fn connect(place: &Place, anchor: &Anchor, patience: Duration) -> Result<Connection> {
    let connection = open::connect_to_write(&place.file, patience)?;
    if place.key()? != anchor.key() {
        return Err(fault::moved());
    }
    if connection.is_readonly(MAIN_DB)? {
        // SQLite does not say why; who tries does.
        return Err(match File::options().write(true).open(&place.file) {
            Err(error) => fault::not_writable(&error),
            Ok(file) => {
                anchor.park(file);
                BackendError::ReadOnly("it could not be written to a moment ago".to_owned())
            }
        });
    }
    connection.execute_batch("PRAGMA synchronous = extra; PRAGMA cache_spill = 0")?;
    Ok(connection)
}

/// Binds a part as text, whatever its bytes.
struct Bytes<'s>(Option<&'s [u8]>);

impl<'s> Bytes<'s> {
    fn of(state: &'s State, part: Part) -> Self {
        Self(state.part(part).and_then(|content| content.bytes()))
    }
}

impl ToSql for Bytes<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            None => ToSqlOutput::Owned(Value::Null),
            Some(bytes) => ToSqlOutput::Borrowed(ValueRef::Text(bytes)),
        })
    }
}

#[cfg(test)]
mod tests;
