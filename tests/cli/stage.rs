//! A database, a journal of its own, and the program that writes to them.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use rusqlite::Connection;
use rusqlite::types::Value as Column;
use serde_json::Value;

use crate::database::{Database, JOB, story};
use crate::run::{Answer, answer, command};

/// A database in which states are edited, with the journal beside it.
pub struct Stage {
    pub database: Database,
}

/// The rows of both tables.
pub type Rows = Vec<Vec<Column>>;

impl Stage {
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Takes the job with a story.
    pub fn story() -> Self {
        Self::new(story())
    }

    /// Adds the same state under some IDs.
    pub fn with(self, ids: &[&str]) -> Self {
        for id in ids {
            self.database.state(
                id,
                Some(r#"{"singer_state": {"bookmarks": {"s": {"a": 1}}}}"#),
                Some("{}"),
            );
        }
        self
    }

    pub fn folder(&self) -> &Path {
        self.database.folder()
    }

    pub fn journal(&self) -> PathBuf {
        self.folder().join("kept/journal.db")
    }

    /// Prepares a command on the source, at the present time.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command
            .arg("--source")
            .arg(self.database.path())
            .env("STATESCOPE_JOURNAL", self.journal())
            .env_remove("STATESCOPE_NOW");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        answer(self.command(arguments))
    }

    /// Runs a command that has to do what it is asked.
    pub fn done(&self, arguments: &[&str]) -> Answer {
        let answer = self.run(arguments);
        assert_eq!(answer.code, 0, "{answer:?}");
        answer
    }

    /// Gives the bytes of the source; nothing else may be beside it but the journal.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(self.database.file()).unwrap()
    }

    pub fn rows(&self) -> Rows {
        let database = Connection::open(self.database.file()).unwrap();
        let mut all = Vec::new();
        for sql in [
            "SELECT job_name, state, payload, payload_flags, \"trigger\", started_at = ended_at FROM runs ORDER BY id",
            "SELECT state_id, completed_state, partial_state FROM state ORDER BY state_id",
        ] {
            let mut statement = database.prepare(sql).unwrap();
            let columns = statement.column_count();
            let rows = statement
                .query_map([], |row| (0..columns).map(|at| row.get(at)).collect())
                .unwrap();
            all.extend(rows.map(Result::unwrap));
        }
        all
    }

    /// Reads one state, completed and partial.
    pub fn state(&self, id: &str) -> Option<(Option<String>, Option<String>)> {
        let database = Connection::open(self.database.file()).unwrap();
        let sql = "SELECT completed_state, partial_state FROM state WHERE state_id = ?1";
        let read = database.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)));
        match read {
            Err(rusqlite::Error::QueryReturnedNoRows) => None,
            read => Some(read.unwrap()),
        }
    }

    /// Writes as a program does that looks at no version, and leaves no run.
    pub fn overwrite(&self, id: &str, completed: &str) {
        let database = Connection::open(self.database.file()).unwrap();
        let sql = "UPDATE state SET completed_state = ?2, partial_state = '{}' WHERE state_id = ?1";
        assert_eq!(database.execute(sql, [id, completed]).unwrap(), 1);
    }

    /// Lists the journal's operations, the newest first.
    pub fn operations(&self) -> Vec<Value> {
        let (found, _) = self.run(&["operations", "--json"]).json(0);
        found.as_array().unwrap().clone()
    }

    pub fn statuses(&self) -> Vec<String> {
        let operations = self.operations();
        let status = |operation: &Value| operation["status"].as_str().unwrap().to_owned();
        operations.iter().map(status).collect()
    }

    /// Runs a command that must write nothing, neither to the source nor into the journal.
    pub fn writes_nothing(&self, command: Command) -> Answer {
        let (bytes, journal) = (self.bytes(), fs::read(self.journal()).ok());
        let answer = answer(command);
        assert!(self.bytes() == bytes, "the source was written: {answer:?}");
        let now = fs::read(self.journal()).ok();
        assert!(now == journal, "the journal was written: {answer:?}");
        answer
    }
}

/// The place of a bookmark in the job with a story.
pub const WEB: &str = "/singer_state/bookmarks/commits/partitions/1/replication_key_value";

/// Puts another time at [`WEB`].
pub const PUT: [&str; 4] = ["put", JOB, WEB, "\"2026-11-01T00:00:00Z\""];
