//! Databases to write to, and batches that were confirmed.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{BackendError, Committed, StateBackend, SystemDatabase};
use statescope::domain::edit::{Answer, Batch, Confirmation, Confirmed, Edit, Item, Plan, Target};
use statescope::domain::id::StateId;
use statescope::domain::json::Document;
use statescope::domain::location::SourceKey;
use statescope::domain::operation::OperationKind;
use tempfile::TempDir;

use crate::programs::fixtures;

pub type Results = Vec<Result<Committed, BackendError>>;

/// A copy of a fixture, in a folder of its own.
pub struct Copy {
    pub folder: TempDir,
    pub path: PathBuf,
}

impl Copy {
    /// Copies `cli/base.db`, and sets its journal mode.
    pub fn of_base(journal_mode: &str) -> Self {
        Self::of("cli/base.db", journal_mode)
    }

    pub fn of(fixture: &str, journal_mode: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meltano.db");
        fs::write(&path, fs::read(fixtures().join(fixture)).unwrap()).unwrap();
        let copy = Self { folder, path };
        let connection = copy.connection();
        connection
            .pragma_update(None, "journal_mode", journal_mode)
            .unwrap();
        drop(connection);
        assert_eq!(copy.names(), ["meltano.db"]);
        copy
    }

    pub fn database(&self) -> Sqlite {
        Sqlite::new(self.path.clone())
            .with_zone(TimeZone::UTC)
            .with_patience(Duration::from_mins(1))
    }

    pub fn connection(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    /// Does what another program does that comes, writes and goes.
    pub fn execute(&self, sql: &str) {
        self.connection().execute_batch(sql).unwrap();
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Gives every row of a table as JSON, by the names of its columns, in the order of the rows.
    pub fn rows(&self, table: &str) -> Vec<Map<String, Value>> {
        self.select(table, |value| match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Text(bytes) => String::from_utf8(bytes.to_vec()).unwrap().into(),
            other => panic!("{other:?}"),
        })
    }

    /// Gives every row of both tables with the type and the bytes of each of its values.
    pub fn exact(&self) -> Vec<Map<String, Value>> {
        let tables = ["state", "runs", "alembic_version"];
        let exact = |value: ValueRef<'_>| match value {
            ValueRef::Text(bytes) => format!("Text {}", bytes.escape_ascii()).into(),
            other => format!("{other:?}").into(),
        };
        tables
            .iter()
            .flat_map(|table| self.select(table, exact))
            .collect()
    }

    fn select(&self, table: &str, read: impl Fn(ValueRef<'_>) -> Value) -> Vec<Map<String, Value>> {
        let connection = self.connection();
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))
            .unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let rows = statement.query_map([], |row| {
            let value =
                |(place, name): (usize, &String)| (name.clone(), read(row.get_ref(place).unwrap()));
            Ok(names.iter().enumerate().map(value).collect())
        });
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    }
}

pub fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

pub fn set(text: &str) -> Edit {
    Edit::Set {
        document: document(text),
        validate: false,
    }
}

/// Sets a number, so that it can be told which write left a state.
pub fn number(number: usize) -> Edit {
    set(&format!("{{\"singer_state\": {{\"n\": {number}}}}}"))
}

/// Makes the batch of edits on what the database holds now, as the command line would, and says yes to it.
pub async fn planned(database: &Sqlite, edits: Vec<(&str, Edit)>) -> Confirmed<Batch> {
    planned_at(database, edits, Timestamp::now(), "cli", 1).await
}

pub async fn planned_at(
    database: &Sqlite,
    edits: Vec<(&str, Edit)>,
    at: Timestamp,
    trigger: &str,
    first_run: usize,
) -> Confirmed<Batch> {
    let ids: Vec<StateId> = edits.iter().map(|(id, _)| StateId::from(*id)).collect();
    let current = database.current(&ids).await.unwrap();
    let item = |((id, edit), current): ((&str, Edit), statescope::backend::Current)| {
        let before = current.stored.as_ref().map(|stored| &stored.state);
        Item {
            id: StateId::from(id),
            after: edit.apply(&StateId::from(id), before).unwrap(),
            edit,
            before: current.stored,
            findings: Vec::new(),
            consequences: Vec::new(),
        }
    };
    let plan = Plan {
        kind: OperationKind::Set,
        target: Target {
            site: "site".to_owned(),
            source: database.to_string(),
            key: SourceKey::new("sqlite:x"),
            decided_by: "the test".to_owned(),
            elsewhere: None,
        },
        items: edits.into_iter().zip(current).map(item).collect(),
        undoes: None,
        guards: Vec::new(),
        protected: Vec::new(),
        confirmation: Confirmation::Yes,
        reason: None,
    };
    let mut run = first_run;
    let mut new_id = || {
        run += 1;
        format!("{:032x}", run - 1)
    };
    let confirmed = plan.confirm(&Answer::Yes).unwrap();
    confirmed.batch(at, trigger, &mut new_id)
}

/// Plans edits, lets something happen, and commits.
pub async fn commit_after(
    copy: &Copy,
    edits: Vec<(&str, Edit)>,
    between: impl FnOnce(),
) -> Results {
    let database = copy.database();
    let batch = planned(&database, edits).await;
    between();
    database.commit(batch).await
}

/// Commits edits that nothing stands against.
pub async fn write(copy: &Copy, edits: Vec<(&str, Edit)>) {
    let results = commit_after(copy, edits, || ()).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}
