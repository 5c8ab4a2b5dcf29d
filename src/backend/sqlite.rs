//! System databases in SQLite files.
//!
//! Every question is one burst of reads from one moment of the file, on a connection of its own, on a thread that may wait:
//! see `open` for what keeps a burst from leaving anything behind. Nothing here depends on the schema's revision, only on
//! the tables and columns that are there.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use jiff::tz::TimeZone;
use rusqlite::Connection;
use tokio::task::spawn_blocking;

use super::chunks::{self, Chunks};
use super::{
    Capabilities, Committed, Current, DatabaseFacts, Listing, Result, StateBackend, SystemDatabase,
    key_of, stopped,
};
use crate::domain::edit::{Batch, Confirmed};
use crate::domain::history::{Run, RunRecord, Stored, derive, derives_from};
use crate::domain::id::StateId;
use crate::domain::location::{Location, SourceKey};
use rows::Runs;
use schema::{RunsTable, Schema};

mod access;
mod anchor;
mod fault;
mod list;
mod open;
mod rows;
mod schema;
mod write;

/// Reads and writes a system database in a SQLite file.
#[derive(Debug, Clone)]
pub struct Sqlite {
    path: PathBuf,
    zone: TimeZone,
    patience: Duration,
}

impl Sqlite {
    /// Names the file; it is opened at each burst of reads and each write, and closed behind it.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            zone: TimeZone::system(),
            patience: open::PATIENCE,
        }
    }

    /// Sets how long a write waits for a program that has the database locked: 5 seconds, unless set.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the zone that `state.updated_at` is taken for and written in, which Meltano 4.4.1 writes in the local time of its host.
    #[must_use]
    pub fn with_zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }

    fn begin_list(&self) -> Chunks {
        let (path, zone) = (self.path.clone(), self.zone.clone());
        Chunks::begin(move |to| {
            open::burst(&path, |connection, generation| {
                list::send(connection, generation, &zone, to)
            })
        })
    }

    /// Reads in one burst, on a thread that may wait.
    async fn read_in_a_burst<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection, &Schema) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = self.path.clone();
        let read = move || {
            open::burst(&path, |connection, _| {
                read(connection, &Schema::read(connection)?)
            })
        };
        spawn_blocking(read)
            .await
            .map_err(|error| stopped("reading", &error))?
    }
}

impl fmt::Display for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Location::Sqlite(self.path.clone()).fmt(f)
    }
}

#[async_trait]
impl StateBackend for Sqlite {
    async fn capabilities(&self) -> Result<Capabilities> {
        self.read_in_a_burst(|connection, schema| {
            Ok(Capabilities {
                runs: schema.runs.is_some(),
                folding: schema.folding(),
                access: access::of(connection, schema)?,
            })
        })
        .await
    }

    fn list(&self) -> BoxStream<'_, Result<Listing>> {
        chunks::stream(|| self.begin_list())
    }

    async fn read(&self, id: &StateId) -> Result<Option<Stored>> {
        let (id, zone) = (id.clone(), self.zone.clone());
        self.read_in_a_burst(move |connection, schema| read_state(connection, schema, &id, &zone))
            .await
    }

    async fn key(&self) -> Result<SourceKey> {
        let path = self.path.clone();
        let found = spawn_blocking(move || std::fs::canonicalize(path));
        let found = found.await.map_err(|error| stopped("reading", &error))?;
        Ok(key_of(
            "sqlite",
            &found.map_err(|error| fault::of_file(&error))?,
        ))
    }

    async fn commit(&self, batch: Confirmed<Batch>) -> Vec<Result<Committed>> {
        let groups = batch.get().groups.len();
        let database = self.clone();
        let write = move || write::commit(&database, batch.get(), &mut |_| {});
        let written = spawn_blocking(write).await;
        written.unwrap_or_else(|error| vec![Err(stopped("writing to", &error)); groups])
    }
}

#[async_trait]
impl SystemDatabase for Sqlite {
    async fn runs(&self, id: &StateId) -> Result<Vec<RunRecord>> {
        let id = id.clone();
        self.read_in_a_burst(move |connection, schema| read_runs(connection, schema, &id))
            .await
    }

    async fn history(&self, id: &StateId) -> Result<(Option<Stored>, Vec<RunRecord>)> {
        let (id, zone) = (id.clone(), self.zone.clone());
        self.read_in_a_burst(move |connection, schema| {
            Ok((
                read_state(connection, schema, &id, &zone)?,
                read_runs(connection, schema, &id)?,
            ))
        })
        .await
    }

    async fn current(&self, ids: &[StateId]) -> Result<Vec<Current>> {
        let (ids, zone) = (ids.to_vec(), self.zone.clone());
        self.read_in_a_burst(move |connection, schema| {
            let runs = runs_without_payload(connection, schema, &ids)?;
            let current = |(id, runs): (&StateId, Vec<Run>)| {
                Ok(Current {
                    id: id.clone(),
                    stored: read_state(connection, schema, id, &zone)?,
                    runs,
                })
            };
            ids.iter().zip(runs).map(current).collect()
        })
        .await
    }

    async fn facts(&self) -> Result<DatabaseFacts> {
        self.read_in_a_burst(|connection, schema| schema.facts(connection))
            .await
    }
}

fn read_state(
    connection: &Connection,
    schema: &Schema,
    id: &StateId,
    zone: &TimeZone,
) -> Result<Option<Stored>> {
    let Some(states) = schema.states else {
        return match &schema.runs {
            Some(table) => derive_state(connection, table, id),
            None => Ok(None),
        };
    };
    let found = rows::of_job(connection, ("state", states.key), id)?;
    found
        .first()
        .map(|row| rows::state(connection, *row, zone))
        .transpose()
}

/// Computes a state as Meltano before 2.7.0 did; a job with runs has one, if only an empty one.
fn derive_state(
    connection: &Connection,
    table: &RunsTable,
    id: &StateId,
) -> Result<Option<Stored>> {
    let found = rows::of_job(connection, (table.name, table.key), id)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mut runs = Runs::prepare(connection, table)?;
    let all = found
        .into_iter()
        .map(|row| runs.run(row, id))
        .collect::<Result<Vec<Run>>>()?;
    let records = derives_from(&all)
        .into_iter()
        .map(|row| runs.record(row, id))
        .collect::<Result<Vec<_>>>()?;
    Ok(Some(Stored::of_content(derive(records), None)))
}

fn read_runs(connection: &Connection, schema: &Schema, id: &StateId) -> Result<Vec<RunRecord>> {
    let Some(table) = &schema.runs else {
        return Ok(Vec::new());
    };
    let mut runs = Runs::prepare(connection, table)?;
    rows::of_job(connection, (table.name, table.key), id)?
        .into_iter()
        .map(|row| runs.record(row, id))
        .collect()
}

/// Reads the runs of some jobs, job by job.
fn runs_without_payload(
    connection: &Connection,
    schema: &Schema,
    ids: &[StateId],
) -> Result<Vec<Vec<Run>>> {
    let Some(table) = &schema.runs else {
        return Ok(vec![Vec::new(); ids.len()]);
    };
    let found = rows::of_jobs(connection, (table.name, table.key), ids)?;
    let mut runs = Runs::prepare(connection, table)?;
    let mut of_job = |(id, rows): (&StateId, Vec<i64>)| {
        rows.into_iter()
            .map(|row| runs.run(row, id))
            .collect::<Result<Vec<Run>>>()
    };
    ids.iter().zip(found).map(&mut of_job).collect()
}

#[cfg(test)]
mod tests;

/// Makes a new database from SQL text; for the sample project only, since it writes without the one door.
///
/// Fails when anything is at the path already.
pub fn create(path: &Path, sql: &str) -> Result<()> {
    std::fs::File::create_new(path).map_err(|error| fault::of_file(&error))?;
    let connection = Connection::open(path)?;
    connection.execute_batch(&format!("BEGIN; {sql}\n; COMMIT"))?;
    Ok(())
}
