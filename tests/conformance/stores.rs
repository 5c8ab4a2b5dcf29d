//! The stores that pass the suite, each in a place of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, params};
use statescope::backend::StateBackend;
use statescope::backend::files::Files;
use statescope::backend::memory::Memory;
use statescope::backend::sqlite::Sqlite;
use statescope::domain::id::StateId;
use statescope::domain::lock::LOCK_TIMEOUT;
use tempfile::TempDir;

use crate::suite::{Fixture, conformance, state};
use crate::tree::Tree;

conformance!(memory, Memory::new());
conformance!(sqlite_with_a_journal, Database::new("delete"));
conformance!(sqlite_with_a_log, Database::new("wal"));
conformance!(directory, Tree::new());

impl Fixture for Memory {
    fn open(&self) -> Arc<dyn StateBackend> {
        Arc::new(self.clone())
    }

    fn overwrite(&self, id: &str, parts: Option<(&str, &str)>) {
        let state = parts.map(|(completed, partial)| state(completed, partial));
        Self::overwrite(self, &StateId::from(id), state);
    }

    fn exact(&self) -> Vec<String> {
        vec![format!("{self:?}")]
    }

    fn edits(&self, id: &str) -> Option<usize> {
        let edits = Self::edits(self);
        Some(
            edits
                .iter()
                .filter(|edit| edit.state_id.as_str() == id)
                .count(),
        )
    }
}

/// A system database as Meltano 4.4.1 makes it, without rows.
struct Database {
    _folder: TempDir,
    path: PathBuf,
}

impl Database {
    fn new(journal_mode: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meltano.db");
        let empty =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano/cli/base-empty.db");
        fs::write(&path, fs::read(empty).unwrap()).unwrap();
        let made = Self {
            _folder: folder,
            path,
        };
        let connection = made.connection();
        connection
            .pragma_update(None, "journal_mode", journal_mode)
            .unwrap();
        made
    }

    fn connection(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }
}

impl Fixture for Database {
    fn open(&self) -> Arc<dyn StateBackend> {
        let store = Sqlite::new(self.path.clone());
        Arc::new(store.with_patience(Duration::from_mins(1)))
    }

    fn overwrite(&self, id: &str, parts: Option<(&str, &str)>) {
        let connection = self.connection();
        // A store may have been filled row by row; that nothing is lost when the machine stops is not what is tested.
        connection
            .pragma_update(None, "synchronous", "off")
            .unwrap();
        let Some((completed, partial)) = parts else {
            connection
                .execute("DELETE FROM state WHERE state_id = ?1", [id])
                .unwrap();
            return;
        };
        let sql = "INSERT INTO state (state_id, completed_state, partial_state) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET completed_state = ?2, partial_state = ?3";
        connection
            .execute(sql, params![id, completed, partial])
            .unwrap();
    }

    fn exact(&self) -> Vec<String> {
        let connection = self.connection();
        let sql = "SELECT quote(state_id) || quote(completed_state) || quote(partial_state) || quote(updated_at) FROM state
            UNION ALL SELECT quote(job_name) || quote(payload) || quote(run_id) FROM runs";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn edits(&self, id: &str) -> Option<usize> {
        let sql = "SELECT count(*) FROM runs WHERE job_name = ?1 AND state = 'STATE_EDIT'";
        let count: i64 = self
            .connection()
            .query_row(sql, [id], |row| row.get(0))
            .unwrap();
        usize::try_from(count).ok()
    }
}

impl Fixture for Tree {
    fn open(&self) -> Arc<dyn StateBackend> {
        Arc::new(Files::new(self.path(), LOCK_TIMEOUT))
    }

    fn overwrite(&self, id: &str, parts: Option<(&str, &str)>) {
        let file = Path::new(id).join("state.json");
        match parts {
            Some((completed, partial)) => {
                self.write(
                    file,
                    format!("{{\"completed\": {completed}, \"partial\": {partial}}}"),
                );
            }
            None => fs::remove_file(self.path().join(file)).unwrap(),
        }
    }

    fn exact(&self) -> Vec<String> {
        Self::exact(self)
    }

    fn edits(&self, _: &str) -> Option<usize> {
        None
    }
}
