//! Rows of both tables, read by the names of their columns and whatever the type of what is in them.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::tz::TimeZone;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};

use super::schema::RunsTable;
use crate::backend::Result;
use crate::domain::history::{Run, RunRecord, RunStatus, Stored};
use crate::domain::id::StateId;
use crate::domain::moment::{Stamp, Zone};
use crate::domain::state::{Content, State};

/// Reads a value as text; bytes that are not UTF-8 are shown as U+FFFD. NULL is none.
pub(super) fn text(value: ValueRef<'_>) -> Option<String> {
    borrowed_text(value).map(Cow::into_owned)
}

/// Reads a value as text, without a copy where it is one.
pub(super) fn borrowed_text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

/// Reads a value as the bytes of a document.
pub(super) fn content(value: ValueRef<'_>) -> Content {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Content::read(Some(bytes)),
        other => Content::read(text(other)),
    }
}

/// Counts the bytes of a value, without the marks of its type.
pub(super) fn length(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 8,
    }
}

/// Reads payload flags; what is no number is none.
pub(super) fn flags(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number),
        other => text(other)?.trim().parse().ok(),
    }
}

/// Finds the rows that belong to a job, in their order; touches no column but the key.
pub(super) fn of_job(
    connection: &Connection,
    (table, key): (&str, &str),
    id: &StateId,
) -> Result<Vec<i64>> {
    let mut statement = connection.prepare(&format!(
        "SELECT rowid FROM {table} WHERE {key} IN (?1, CAST(?1 AS BLOB)) ORDER BY rowid"
    ))?;
    let found = statement
        .query_map([id.as_str()], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    if !found.is_empty() || !id.as_str().contains(char::REPLACEMENT_CHARACTER) {
        return Ok(found);
    }
    named_in_other_bytes(connection, (table, key), id)
}

/// Finds rows whose key is not UTF-8, by the text that it is shown as.
fn named_in_other_bytes(
    connection: &Connection,
    (table, key): (&str, &str),
    id: &StateId,
) -> Result<Vec<i64>> {
    let mut statement =
        connection.prepare(&format!("SELECT rowid, {key} FROM {table} ORDER BY rowid"))?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if borrowed_text(row.get_ref(1)?).is_some_and(|text| text == id.as_str()) {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

/// Finds the rows that belong to each of some jobs, as [`of_job`] does, but in one walk through a table that has no index.
pub(super) fn of_jobs(
    connection: &Connection,
    (table, key): (&str, &str),
    ids: &[StateId],
) -> Result<Vec<Vec<i64>>> {
    if let [id] = ids {
        return Ok(vec![of_job(connection, (table, key), id)?]);
    }
    // Text that is borrowed is the key's own bytes.
    let mut exact: HashMap<&str, Vec<i64>> =
        ids.iter().map(|id| (id.as_str(), Vec::new())).collect();
    let mut shown = exact.clone();
    let sql = format!("SELECT rowid, {key} FROM {table} ORDER BY rowid");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(text) = borrowed_text(row.get_ref(1)?) else {
            continue;
        };
        let found = match text {
            Cow::Borrowed(_) => &mut exact,
            Cow::Owned(_) => &mut shown,
        };
        if let Some(found) = found.get_mut(&*text) {
            found.push(row.get(0)?);
        }
    }
    let of_id = |id: &StateId| {
        let found = exact.get(id.as_str()).filter(|found| !found.is_empty());
        let found = found.or_else(|| shown.get(id.as_str()));
        found.cloned().unwrap_or_default()
    };
    Ok(ids.iter().map(of_id).collect())
}

/// Tells whether the key of a row is an ID byte for byte, and not only shown like it.
pub(super) fn is_named_exactly(
    connection: &Connection,
    (table, key): (&str, &str),
    row: i64,
    id: &StateId,
) -> Result<bool> {
    let sql = format!("SELECT {key} FROM {table} WHERE rowid = ?1");
    let same = |values: &Row<'_>| match values.get_ref(0)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes == id.as_str().as_bytes()),
        _ => Ok(false),
    };
    Ok(connection.query_row(&sql, [row], same)?)
}

/// Reads runs one by one.
pub(super) struct Runs<'c> {
    without_payload: Statement<'c>,
    payload: Statement<'c>,
}

impl<'c> Runs<'c> {
    pub fn prepare(connection: &'c Connection, table: &RunsTable) -> Result<Self> {
        let column = |there, name| if there { name } else { "NULL" };
        // Columns that lie behind the payload in the file come last.
        let sql = format!(
            "SELECT state, started_at, ended_at, payload_flags, {}, {}, {} FROM {} WHERE rowid = ?1",
            column(table.has_run_id, "run_id"),
            column(table.has_trigger, "\"trigger\""),
            column(table.has_heartbeat, "last_heartbeat_at"),
            table.name,
        );
        Ok(Self {
            without_payload: connection.prepare(&sql)?,
            payload: connection.prepare(&format!(
                "SELECT payload FROM {} WHERE rowid = ?1",
                table.name
            ))?,
        })
    }

    /// Reads a run without its payload.
    pub fn run(&mut self, row: i64, id: &StateId) -> Result<Run> {
        let read = |values: &Row<'_>| {
            let stamp = |at| values.get_ref(at).map(|value| text(value).map(Stamp::utc));
            Ok(Run {
                row,
                state_id: id.clone(),
                status: RunStatus::read(borrowed_text(values.get_ref(0)?).as_deref()),
                started_at: stamp(1)?,
                ended_at: stamp(2)?,
                flags: flags(values.get_ref(3)?),
                run_id: text(values.get_ref(4)?),
                trigger: text(values.get_ref(5)?),
                heartbeat_at: stamp(6)?,
            })
        };
        Ok(self.without_payload.query_row([row], read)?)
    }

    /// Reads a run and its payload.
    pub fn record(&mut self, row: i64, id: &StateId) -> Result<RunRecord> {
        Ok(RunRecord {
            run: self.run(row, id)?,
            payload: self
                .payload
                .query_row([row], |values| Ok(content(values.get_ref(0)?)))?,
        })
    }
}

/// Gives the columns of a state that [`stored`] reads.
pub(super) const STATE_COLUMNS: &str = "completed_state, partial_state, updated_at";

/// Reads the columns of a state; those of `row` from `first` on.
pub(super) fn stored(row: &Row<'_>, first: usize, zone: &TimeZone) -> rusqlite::Result<Stored> {
    let modified = text(row.get_ref(first + 2)?);
    Ok(Stored::of_content(
        State::meltano(
            content(row.get_ref(first)?),
            content(row.get_ref(first + 1)?),
        ),
        modified.map(|text| Stamp::read(text, Zone::Local, zone)),
    ))
}

/// Reads the state of a row.
pub(super) fn state(connection: &Connection, row: i64, zone: &TimeZone) -> Result<Stored> {
    let mut statement = connection.prepare(&format!(
        "SELECT {STATE_COLUMNS} FROM state WHERE rowid = ?1"
    ))?;
    Ok(statement.query_row([row], |values| stored(values, 0, zone))?)
}
