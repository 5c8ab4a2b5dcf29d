//! A system database, a journal, the program that edits one, and what both hold then.

use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Answer, Sandbox};

/// The state that is edited.
pub const JOB: &str = "dev:tap-github-to-target-jsonl";

/// The place of the bookmarks in it.
pub const PLACE: &str = "/singer_state/bookmarks";

/// A sandbox with a database that Meltano 4.4.1 wrote.
pub struct Stage {
    pub sandbox: Sandbox,
}

/// What a database holds of the state: the parts, and how many edits its runs tell of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub completed: String,
    pub partial: String,
    pub edits: i64,
}

impl Stage {
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.copy("meltano/cli/base.db", "meltano.db");
        Self { sandbox }
    }

    pub fn database(&self) -> PathBuf {
        self.sandbox.path("meltano.db")
    }

    pub fn journal(&self) -> PathBuf {
        self.sandbox.path("home/.local/state/statescope/journal.db")
    }

    /// Prepares the program on the database.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.program();
        command.args(arguments).arg("--source").arg(self.database());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        Answer::of(&mut self.program(arguments))
    }

    /// Puts a number under a name among the bookmarks.
    pub fn put(&self, name: &str, number: u32) -> Answer {
        let (place, number) = (format!("{PLACE}/{name}"), number.to_string());
        self.run(&["put", "--yes", JOB, &place, &number])
    }

    /// Reads the database itself, as any other program does; fails when it is damaged.
    pub fn held(&self) -> Held {
        let database = Connection::open(self.database()).unwrap();
        let whole: String = database
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(whole, "ok");
        let edits = database
            .query_row(
                "SELECT count(*) FROM runs WHERE job_name = ?1 AND state = 'STATE_EDIT'",
                [JOB],
                |row| row.get(0),
            )
            .unwrap();
        let sql = "SELECT completed_state, partial_state FROM state WHERE state_id = ?1";
        database
            .query_row(sql, [JOB], |row| {
                Ok(Held {
                    completed: row.get(0)?,
                    partial: row.get(1)?,
                    edits,
                })
            })
            .unwrap()
    }

    /// Lists the journal's operations, the newest first.
    pub fn operations(&self) -> Vec<Value> {
        let answer = self.run(&["operations", "--json"]);
        serde_json::from_str(&answer.out_of_success()).unwrap()
    }

    /// Gives the status of each operation, the oldest first.
    pub fn statuses(&self) -> Vec<String> {
        let operations = self.operations();
        let status = |operation: &Value| operation["status"].as_str().unwrap().to_owned();
        operations.iter().rev().map(status).collect()
    }
}
