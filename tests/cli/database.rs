//! System databases made for one test, in the schema of Meltano 4.4.1.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use tempfile::TempDir;

const SCHEMA: &str = r#"
PRAGMA synchronous = OFF;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO alembic_version VALUES ('c0efb3c314eb');
CREATE TABLE runs (id INTEGER NOT NULL, job_name VARCHAR, state VARCHAR(10), started_at DATETIME, ended_at DATETIME,
    payload VARCHAR, payload_flags INTEGER, run_id CHAR(32), "trigger" VARCHAR, last_heartbeat_at DATETIME, PRIMARY KEY (id));
CREATE TABLE state (state_id VARCHAR(900) NOT NULL, partial_state VARCHAR, completed_state VARCHAR, updated_at DATETIME,
    PRIMARY KEY (state_id));
"#;

/// A database in a folder of its own, which goes with it.
pub struct Database {
    folder: TempDir,
    connection: Connection,
}

/// One row of `runs`; its number makes its ID.
pub struct Row<'a> {
    pub job: &'a str,
    pub status: &'a str,
    pub started: &'a str,
    pub ended: Option<&'a str>,
    pub flags: i64,
    pub payload: &'a str,
}

impl Database {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let connection = Connection::open(folder.path().join("meltano.db")).unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        Self { folder, connection }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("meltano.db")
    }

    /// Gives the file's path as an argument.
    pub fn path(&self) -> String {
        self.file().to_str().unwrap().to_owned()
    }

    pub fn state(&self, id: &str, completed: Option<&str>, partial: Option<&str>) -> &Self {
        let sql =
            "INSERT INTO state (state_id, completed_state, partial_state) VALUES (?1, ?2, ?3)";
        self.connection
            .execute(sql, params![id, completed, partial])
            .unwrap();
        self
    }

    pub fn run(&self, row: &Row<'_>) -> &Self {
        let sql = r#"INSERT INTO runs (job_name, state, started_at, ended_at, payload, payload_flags, run_id, "trigger")
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, printf('%08x', 1 + (SELECT count(*) FROM runs)) || printf('%024x', 0), 'cli')"#;
        self.connection
            .execute(
                sql,
                params![
                    row.job,
                    row.status,
                    row.started,
                    row.ended,
                    row.payload,
                    row.flags
                ],
            )
            .unwrap();
        self
    }
}

/// The job of [`story`].
pub const JOB: &str = "dev:tap-a-to-target-b";

/// Makes a job with a story: two good runs, a failed one, one that received nothing, an edit that moved a bookmark back.
pub fn story() -> Database {
    let database = Database::new();
    let payload = |api: &str, web: &str, more: &str| {
        format!(
            r#"{{"singer_state": {{"bookmarks": {{"commits": {{"partitions": [{{"context": {{"org": "acme", "repo": "api"}}, "replication_key": "updated_at", "replication_key_value": "{api}"}}, {{"context": {{"org": "acme", "repo": "web"}}, "replication_key": "updated_at", "replication_key_value": "{web}"}}]}}, {more}}}}}}}"#
        )
    };
    let first = payload(
        "2026-11-27T03:00:00Z",
        "2026-11-27T03:10:00Z",
        r#""events": {"id": 8812331}"#,
    );
    let second = payload(
        "2026-11-28T03:59:58Z",
        "2026-11-28T03:10:00Z",
        r#""events": {"id": 8813007}, "releases": {"since": "2026-11-28"}"#,
    );
    let edited = payload(
        "2026-11-28T03:59:58Z",
        "2026-11-12T00:00:00Z",
        r#""events": {"id": 8813007}, "releases": {"since": "2026-11-28"}"#,
    );
    let failed = edited.replacen(
        '{',
        r#"{"error": "Loader failed\nIt had no space left", "#,
        1,
    );
    let day = |status, day: &'static str, flags, payload| {
        let (started, ended) = match day {
            "27" => ("2026-11-27 04:00:00.000001", "2026-11-27 04:10:00.000001"),
            "28" => ("2026-11-28 04:00:00.000002", "2026-11-28 04:12:03.000002"),
            "29" => ("2026-11-29 17:40:00.000003", "2026-11-29 17:40:00.000003"),
            "30" => ("2026-11-30 04:00:00.000004", "2026-11-30 04:03:00.000004"),
            _ => ("2026-11-30 16:00:00.000005", "2026-11-30 16:01:00.000005"),
        };
        database.run(&Row {
            job: JOB,
            status,
            started,
            ended: Some(ended),
            flags,
            payload,
        });
    };
    day("SUCCESS", "27", 1, &first);
    day("SUCCESS", "28", 1, &second);
    day("STATE_EDIT", "29", 1, &edited);
    day("FAIL", "30", 1, &failed);
    day("SUCCESS", "30 again", 0, "{}");
    database.state(JOB, Some(&edited), Some("{}"));
    database
}
