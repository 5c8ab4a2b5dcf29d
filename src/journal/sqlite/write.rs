//! Writes operations down, and what happened to them.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction};

use super::contents::Contents;
use super::formats::FORMATS;
use super::open::Database;
use super::{room, sign};
use crate::domain::edit::Edit;
use crate::domain::operation::{Event, ItemResult, OperationId, Status};
use crate::domain::state::{Part, State};
use crate::domain::version::{ContentHash, sides};
use crate::journal::{JournalError, NewItem, NewOperation, Ongoing, Result};

/// Writes an operation down; it is on disk when this returns.
pub(super) fn plan(path: &Path, limit: u64, operation: &NewOperation) -> Result<Ongoing> {
    plan_with(path, limit, operation, &mut |_| {})
}

/// Writes an operation down, and gives its number away before it can be seen.
pub(super) fn plan_with(
    path: &Path,
    limit: u64,
    operation: &NewOperation,
    before_it_is_seen: &mut dyn FnMut(OperationId),
) -> Result<Ongoing> {
    let contents = contents(operation)?;
    let mut database = Database::make(path, FORMATS)?;
    let file = database.file.clone();
    let journal = database.begin()?;
    let contents = contents.without_stored(&journal)?;
    room::make(&journal, limit, operation.at, &contents, rows(operation))?;
    let id = next_id(&journal)?;
    let sign = sign::take(&file, id)?;
    contents.store(&journal)?;
    insert(&journal, id, operation)?;
    before_it_is_seen(id);
    if let Err(error) = journal.execute_batch("COMMIT") {
        // While no other can be planned, which would take this number and this sign.
        drop(sign);
        return Err(error.into());
    }
    Ok(Ongoing {
        id,
        _sign: Box::new(sign),
    })
}

/// Writes down what happened to an operation; it is on disk when this returns.
pub(super) fn record(path: &Path, id: OperationId, at: Timestamp, events: &[Event]) -> Result<()> {
    let Some(mut database) = Database::to_write(path, FORMATS)? else {
        return Err(JournalError::Unwritable(format!(
            "it is gone, and operation {id} with it"
        )));
    };
    let file = database.file.clone();
    let journal = database.begin()?;
    let known = "SELECT 1 FROM operations WHERE id = ?1";
    if !journal.prepare(known)?.exists([id.0])? {
        return Err(JournalError::Corrupt(format!("it has no operation {id}")));
    }
    for event in events {
        happened(&journal, id, at, event)?;
    }
    journal.commit()?;
    let has_ended =
        |event: &Event| matches!(event, Event::Ended { status, .. } if status.is_final());
    if events.iter().any(has_ended) {
        sign::remove(&file, id);
    }
    Ok(())
}

/// Writes a time as text of one length, so that it sorts.
pub(super) fn text(at: Timestamp) -> String {
    format!("{at:.9}")
}

fn contents(operation: &NewOperation) -> Result<Contents> {
    let mut contents = Contents::default();
    for item in &operation.items {
        for state in [&item.before, &item.after].into_iter().flatten() {
            let parts = state.parts().iter();
            for bytes in parts.filter_map(|(_, content)| content.bytes()) {
                contents.add(bytes)?;
            }
        }
        if let Some(bytes) = carried(&item.edit) {
            contents.add(bytes)?;
        }
    }
    Ok(contents)
}

/// Gives the bytes that an edit carries itself; what is put back is what is after it.
fn carried(edit: &Edit) -> Option<&[u8]> {
    match edit {
        Edit::Set { document, .. } => Some(document.bytes()),
        Edit::Put { value, .. } => Some(value.bytes()),
        Edit::Clear | Edit::Restore { .. } => None,
    }
}

/// Estimates the bytes that an operation's rows take, without its contents and with its end.
fn rows(operation: &NewOperation) -> u64 {
    let of_item = |item: &NewItem| {
        let pointer = match &item.edit {
            Edit::Put { at, .. } => at.to_string().len(),
            _ => 0,
        };
        2_048 + 4 * item.state_id.as_str().len() + 2 * pointer
    };
    let items: usize = operation.items.iter().map(of_item).sum();
    let reason = operation.reason.as_ref().map_or(0, String::len);
    (items + reason + operation.source.as_str().len() + operation.source_name.len()) as u64
}

/// Gives the number that the next operation has. The count goes on also when the newest operations are no more.
fn next_id(journal: &Connection) -> Result<OperationId> {
    let sql = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'operations'";
    let next = journal.query_row(sql, [], |row| row.get(0))?;
    Ok(OperationId(next))
}

fn insert(journal: &Transaction<'_>, id: OperationId, operation: &NewOperation) -> Result<()> {
    let planned = Status::Planned.name();
    let sql = "INSERT INTO operations (id, at, kind, user, host, reason, source, source_name, undoes, undoes_item, status)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    journal.execute(
        sql,
        (
            id.0,
            text(operation.at),
            operation.kind.name(),
            &operation.author.user,
            &operation.author.host,
            &operation.reason,
            operation.source.as_str(),
            &operation.source_name,
            operation.undoes.map(|undoes| undoes.operation.0),
            operation.undoes.and_then(|undoes| undoes.item),
            planned,
        ),
    )?;
    for (number, item) in (1..).zip(&operation.items) {
        insert_item(journal, (id, number), item)?;
    }
    let sql = "INSERT INTO events (operation, at, event, status) VALUES (?1, ?2, 'planned', ?3)";
    journal.execute(sql, (id.0, text(operation.at), planned))?;
    Ok(())
}

fn insert_item(
    journal: &Transaction<'_>,
    (id, number): (OperationId, u32),
    item: &NewItem,
) -> Result<()> {
    let (edit, validate, part, pointer) = match &item.edit {
        Edit::Set { validate, .. } => ("set", Some(*validate), None, None),
        Edit::Put { part, at, .. } => {
            let part = part.map(Part::name);
            ("put", None, part, Some(at.to_string()))
        }
        Edit::Clear => ("clear", None, None, None),
        Edit::Restore { .. } => ("restore", None, None, None),
    };
    let sql = "INSERT INTO items (operation, number, state_id, edit, validate, part, pointer)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let state_id = item.state_id.as_str();
    let mut insert = journal.prepare_cached(sql)?;
    insert.execute((id.0, number, state_id, edit, validate, part, pointer))?;
    let sql = "INSERT INTO sides (operation, item, side, place, part, hash)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut insert = journal.prepare_cached(sql)?;
    let mut side = |side: &str, state: Option<&State>| -> Result<()> {
        let parts = state.map(sides).unwrap_or_default();
        for (place, (part, hash)) in (0..).zip(parts) {
            let hash = hash.as_ref().map(ContentHash::as_bytes);
            insert.execute((id.0, number, side, place, part.name(), hash))?;
        }
        Ok(())
    };
    side("before", item.before.as_ref())?;
    side("after", item.after.as_ref())?;
    if let Some(bytes) = carried(&item.edit) {
        let hash = ContentHash::of(bytes);
        let part: Option<&str> = None;
        insert.execute((id.0, number, "wanted", 0, part, hash.as_bytes()))?;
    }
    Ok(())
}

fn happened(
    journal: &Transaction<'_>,
    id: OperationId,
    at: Timestamp,
    event: &Event,
) -> Result<()> {
    let (name, item, result, status, message) = match event {
        Event::Begun => ("begun", None, None, Some(Status::Begun), None),
        Event::Item {
            number,
            result,
            message,
        } => ("item", Some(*number), Some(*result), None, message.as_ref()),
        Event::Ended { status, message } => ("ended", None, None, Some(*status), message.as_ref()),
    };
    let result = result.map(ItemResult::name);
    if let Some(number) = item {
        let sql = "UPDATE items SET result = ?3, message = ?4 WHERE operation = ?1 AND number = ?2";
        let mut update = journal.prepare_cached(sql)?;
        if update.execute((id.0, number, result, message))? == 0 {
            return Err(JournalError::Corrupt(format!(
                "its operation {id} has no item {number}"
            )));
        }
    }
    let status = status.map(Status::name);
    if status.is_some() {
        let sql = "UPDATE operations SET status = ?2, message = ?3 WHERE id = ?1";
        journal.execute(sql, (id.0, status, message))?;
    }
    let sql = "INSERT INTO events (operation, at, event, item, result, status, message)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = journal.prepare_cached(sql)?;
    insert.execute((id.0, text(at), name, item, result, status, message))?;
    Ok(())
}
