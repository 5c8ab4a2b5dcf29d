//! The schemas that Meltano made from 0.34 on, told from the tables themselves and never from the revision.
//!
//! The revision does not settle it: at f4c225a9492f a database may or may not have a `state` table, and an upgrade that
//! failed leaves a schema that is ahead of its revision.

use rusqlite::{Connection, OptionalExtension};

use super::rows;
use crate::backend::{BackendError, DatabaseFacts, Result};
use crate::domain::history::Folding;

/// Says which tables a database has, and which columns they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schema {
    pub runs: Option<RunsTable>,
    pub states: Option<StatesTable>,
}

/// Describes the table of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunsTable {
    pub name: &'static str,
    pub key: &'static str,
    /// Whether there are `run_id`, `trigger` and `last_heartbeat_at`, which came one by one.
    pub has_run_id: bool,
    pub has_trigger: bool,
    pub has_heartbeat: bool,
}

/// Describes the table of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatesTable {
    pub key: &'static str,
}

impl Schema {
    /// Finds the tables. One of the right name without the columns that Meltano's has belongs to someone else.
    pub fn read(connection: &Connection) -> Result<Self> {
        let runs = match RunsTable::find(connection, "runs")? {
            Some(found) => Some(found),
            None => RunsTable::find(connection, "job")?,
        };
        let states = StatesTable::find(connection)?;
        if runs.is_none() && states.is_none() {
            return Err(BackendError::Unsupported(
                "it is no Meltano system database: it has no runs, job or state table of Meltano's"
                    .to_owned(),
            ));
        }
        Ok(Self { runs, states })
    }

    /// Tells how the runs add up to states.
    pub fn folding(&self) -> Folding {
        match self.states {
            Some(_) => Folding::Written,
            None => Folding::Derived,
        }
    }

    /// Adds the revision.
    pub fn facts(&self, connection: &Connection) -> Result<DatabaseFacts> {
        Ok(DatabaseFacts {
            revisions: revisions(connection)?,
            runs_table: self.runs.map(|runs| runs.name),
            state_key: self.states.map(|states| states.key),
        })
    }
}

impl RunsTable {
    fn find(connection: &Connection, name: &'static str) -> Result<Option<Self>> {
        let columns = columns(connection, name)?;
        let has = |column: &str| columns.iter().any(|found| found == column);
        let needed = [
            "state",
            "started_at",
            "ended_at",
            "payload",
            "payload_flags",
        ];
        let key = ["job_name", "job_id"].into_iter().find(|key| has(key));
        Ok(key
            .filter(|_| needed.iter().all(|column| has(column)))
            .map(|key| Self {
                name,
                key,
                has_run_id: has("run_id"),
                has_trigger: has("trigger"),
                has_heartbeat: has("last_heartbeat_at"),
            }))
    }
}

impl StatesTable {
    fn find(connection: &Connection) -> Result<Option<Self>> {
        let columns = columns(connection, "state")?;
        let has = |column: &str| columns.iter().any(|found| found == column);
        let key = ["state_id", "job_name"].into_iter().find(|key| has(key));
        let needed = ["partial_state", "completed_state", "updated_at"];
        Ok(key
            .filter(|_| needed.iter().all(|column| has(column)))
            .map(|key| Self { key }))
    }
}

/// Lists the columns of a table; none for a table that is not there, for a view, and for a table without row numbers.
fn columns(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let ordinary = connection
        .query_row(
            "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND type = 'table' AND wr = 0",
            [table],
            |_| Ok(()),
        )
        .optional()?;
    if ordinary.is_none() {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1, 'main')")?;
    let mut rows = statement.query([table])?;
    let mut columns = Vec::new();
    while let Some(row) = rows.next()? {
        columns.extend(rows::text(row.get_ref(0)?));
    }
    Ok(columns)
}

/// Reads the statement that made a table, as it was written.
pub(super) fn sql_of(connection: &Connection, table: &str) -> Result<Option<String>> {
    let sql = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [table],
            |row| Ok(rows::text(row.get_ref(0)?)),
        )
        .optional()?;
    Ok(sql.flatten())
}

/// Reads every row of `alembic_version`; none without the table.
pub(super) fn revisions(connection: &Connection) -> Result<Vec<String>> {
    if !columns(connection, "alembic_version")?.contains(&"version_num".to_owned()) {
        return Ok(Vec::new());
    }
    let mut statement =
        connection.prepare("SELECT version_num FROM alembic_version ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    let mut revisions = Vec::new();
    while let Some(row) = rows.next()? {
        revisions.extend(rows::text(row.get_ref(0)?));
    }
    Ok(revisions)
}
