//! Reads operations back: four queries, however many there are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use rusqlite::types::ToSql;
use rusqlite::{Connection, Row, params_from_iter};

use super::formats::FORMATS;
use super::open::Database;
use super::write::text;
use super::{contents, sign};
use crate::domain::id::StateId;
use crate::domain::json::Pointer;
use crate::domain::location::SourceKey;
use crate::domain::operation::{
    Author, ItemResult, Operation, OperationId, OperationItem, OperationKind, RecordedEdit, Status,
    Undoes,
};
use crate::domain::state::Part;
use crate::domain::version::{ContentHash, Sides};
use crate::journal::{JournalError, Query, Result};

/// Finds operations, the newest first.
pub(super) fn find(path: &Path, query: &Query) -> Result<Vec<Operation>> {
    let Some(mut database) = Database::to_read(path, FORMATS)? else {
        return Ok(Vec::new());
    };
    select(&mut database, &Wanted::by(query))
}

/// Reads one operation.
pub(super) fn get(path: &Path, id: OperationId) -> Result<Option<Operation>> {
    let Some(mut database) = Database::to_read(path, FORMATS)? else {
        return Ok(None);
    };
    let found = select(&mut database, &Wanted::one(id))?;
    Ok(found.into_iter().next())
}

/// Reads bytes by their hashes.
pub(super) fn contents_of(
    path: &Path,
    hashes: &[ContentHash],
) -> Result<HashMap<ContentHash, Vec<u8>>> {
    let mut found = HashMap::new();
    let Some(mut database) = Database::to_read(path, FORMATS)? else {
        return Ok(found);
    };
    let Some(journal) = database.snapshot()? else {
        return Ok(found);
    };
    for hash in hashes {
        if let Some(bytes) = contents::read(&journal, hash)? {
            found.insert(*hash, bytes);
        }
    }
    Ok(found)
}

/// Is a query for the numbers of the operations that are asked for, with what stands for its question marks.
struct Wanted {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Wanted {
    fn one(id: OperationId) -> Self {
        Self {
            sql: "SELECT id FROM operations WHERE id = ?".to_owned(),
            values: vec![Box::new(id.0)],
        }
    }

    fn by(query: &Query) -> Self {
        let mut conditions = vec!["true".to_owned()];
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut with = |condition: &str, value: Box<dyn ToSql>| {
            conditions.push(condition.to_owned());
            values.push(value);
        };
        if !query.sources.is_empty() {
            let sources: Vec<&str> = query.sources.iter().map(SourceKey::as_str).collect();
            let sources = serde_json::Value::from(sources).to_string();
            with(
                "source IN (SELECT value FROM json_each(?))",
                Box::new(sources),
            );
        }
        if let Some(user) = &query.user {
            with("user = ?", Box::new(user.clone()));
        }
        if let Some(since) = query.since {
            with("at >= ?", Box::new(text(since)));
        }
        if !query.state_ids.is_empty() {
            let ids: Vec<&str> = query.state_ids.iter().map(StateId::as_str).collect();
            let ids = serde_json::Value::from(ids).to_string();
            with(
                "id IN (SELECT operation FROM items WHERE state_id IN (SELECT value FROM json_each(?)))",
                Box::new(ids),
            );
        }
        if query.unfinished {
            conditions.push("status IN ('planned', 'begun')".to_owned());
        }
        let mut sql = format!(
            "SELECT id FROM operations WHERE {} ORDER BY id DESC",
            conditions.join(" AND ")
        );
        if let Some(limit) = query.limit {
            sql.push_str(" LIMIT ?");
            values.push(Box::new(i64::try_from(limit).unwrap_or(i64::MAX)));
        }
        Self { sql, values }
    }

    /// Runs a query in which `{wanted}` stands for this one, and hands each row on.
    fn each(
        &self,
        journal: &Connection,
        sql: &str,
        mut with: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let sql = sql.replace("{wanted}", &self.sql);
        let mut statement = journal.prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(&self.values))?;
        while let Some(row) = rows.next()? {
            with(row)?;
        }
        Ok(())
    }
}

/// Holds the hashes of one item, side by side.
#[derive(Debug, Default)]
struct ItemSides {
    before: Option<Sides>,
    after: Option<Sides>,
    wanted: Option<ContentHash>,
}

fn select(database: &mut Database, wanted: &Wanted) -> Result<Vec<Operation>> {
    let file = database.file.clone();
    let Some(journal) = database.snapshot()? else {
        return Ok(Vec::new());
    };
    let mut items = items(&journal, wanted)?;
    let incomplete = incomplete(&journal, wanted)?;
    let mut found = Vec::new();
    let sql = "SELECT id, at, kind, user, host, reason, source, source_name, undoes, undoes_item, status, message
        FROM operations WHERE id IN ({wanted}) ORDER BY id DESC";
    wanted.each(&journal, sql, |row| {
        let mut operation = operation(row)?;
        operation.items = items.remove(&operation.id).unwrap_or_default();
        operation.has_bodies = !incomplete.contains(&operation.id);
        // Before the transaction ends: until then no end can be written down, and so no sign goes in order.
        operation.is_running = !operation.status.is_final() && sign::is_held(&file, operation.id);
        found.push(operation);
        Ok(())
    })?;
    Ok(found)
}

/// Reads an operation's own row; what is in other tables is left empty.
fn operation(row: &Row<'_>) -> Result<Operation> {
    let undoes: Option<i64> = row.get("undoes")?;
    let item: Option<u32> = row.get("undoes_item")?;
    Ok(Operation {
        id: OperationId(row.get("id")?),
        at: read(row, "at", |text| text.parse().ok())?,
        kind: read(row, "kind", OperationKind::named)?,
        author: Author {
            user: row.get("user")?,
            host: row.get("host")?,
        },
        reason: row.get("reason")?,
        source: SourceKey::new(row.get::<_, String>("source")?),
        source_name: row.get("source_name")?,
        undoes: undoes.map(|operation| Undoes {
            operation: OperationId(operation),
            item,
        }),
        items: Vec::new(),
        status: read(row, "status", Status::named)?,
        message: row.get("message")?,
        is_running: false,
        has_bodies: false,
    })
}

fn items(
    journal: &Connection,
    wanted: &Wanted,
) -> Result<BTreeMap<OperationId, Vec<OperationItem>>> {
    let mut sides = sides(journal, wanted)?;
    let mut items: BTreeMap<OperationId, Vec<OperationItem>> = BTreeMap::new();
    let sql = "SELECT operation, number, state_id, edit, validate, part, pointer, result, message
        FROM items WHERE operation IN ({wanted}) ORDER BY operation, number";
    wanted.each(journal, sql, |row| {
        let operation = OperationId(row.get("operation")?);
        let number = row.get("number")?;
        let sides = sides.remove(&(operation, number)).unwrap_or_default();
        items.entry(operation).or_default().push(OperationItem {
            number,
            state_id: StateId::new(row.get::<_, String>("state_id")?),
            edit: edit(row, sides.wanted)?,
            before: sides.before,
            after: sides.after,
            result: read_some(row, "result", ItemResult::named)?,
            message: row.get("message")?,
        });
        Ok(())
    })?;
    Ok(items)
}

fn edit(row: &Row<'_>, wanted: Option<ContentHash>) -> Result<RecordedEdit> {
    let carried = || wanted.ok_or_else(|| odd("an edit carries nothing"));
    let name: String = row.get("edit")?;
    match name.as_str() {
        "set" => Ok(RecordedEdit::Set {
            document: carried()?,
            validate: row.get("validate")?,
        }),
        "put" => Ok(RecordedEdit::Put {
            part: read_some(row, "part", part)?,
            at: read(row, "pointer", |text| Pointer::parse(text).ok())?,
            value: carried()?,
        }),
        "clear" => Ok(RecordedEdit::Clear),
        "restore" => Ok(RecordedEdit::Restore),
        _ => Err(odd("an edit is none that is known")),
    }
}

fn sides(journal: &Connection, wanted: &Wanted) -> Result<BTreeMap<(OperationId, u32), ItemSides>> {
    let mut all: BTreeMap<(OperationId, u32), ItemSides> = BTreeMap::new();
    let sql = "SELECT operation, item, side, part, hash
        FROM sides WHERE operation IN ({wanted}) ORDER BY operation, item, side, place";
    wanted.each(journal, sql, |row| {
        let item = (OperationId(row.get("operation")?), row.get("item")?);
        let of_item = all.entry(item).or_default();
        let hash: Option<Vec<u8>> = row.get("hash")?;
        let hash = hash
            .map(|hash| ContentHash::read(&hash).ok_or_else(|| odd("a hash has no 32 bytes")))
            .transpose()?;
        let side: String = row.get("side")?;
        let of_side = match side.as_str() {
            "before" => &mut of_item.before,
            "after" => &mut of_item.after,
            _ => {
                of_item.wanted = hash;
                return Ok(());
            }
        };
        let part = read(row, "part", part)?;
        of_side.get_or_insert_default().push((part, hash));
        Ok(())
    })?;
    Ok(all)
}

/// Lists the operations that lack some of their bytes.
fn incomplete(journal: &Connection, wanted: &Wanted) -> Result<BTreeSet<OperationId>> {
    let mut incomplete = BTreeSet::new();
    let sql = "SELECT DISTINCT operation FROM sides
        WHERE operation IN ({wanted}) AND hash IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM contents WHERE contents.hash = sides.hash)";
    wanted.each(journal, sql, |row| {
        incomplete.insert(OperationId(row.get("operation")?));
        Ok(())
    })?;
    Ok(incomplete)
}

fn part(name: &str) -> Option<Part> {
    let mut parts = [Part::Completed, Part::Partial].into_iter();
    parts.find(|part| part.name() == name)
}

fn read<T>(row: &Row<'_>, column: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    let found = read_some(row, column, read)?;
    found.ok_or_else(|| odd(&format!("a row has no {column}")))
}

fn read_some<T>(
    row: &Row<'_>,
    column: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    let found: Option<String> = row.get(column)?;
    let odd = |found| odd(&format!("the {column} '{found}' is none that is known"));
    found
        .map(|found| read(&found).ok_or_else(|| odd(found)))
        .transpose()
}

fn odd(why: &str) -> JournalError {
    JournalError::Corrupt(format!("it is damaged: {why}"))
}
