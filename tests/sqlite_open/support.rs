//! Lists, folders that must stay as they are, and programs that write in another process.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::SystemTime;

use futures_util::StreamExt;
use rusqlite::Connection;
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{BackendError, StateBackend, SystemDatabase};
use statescope::domain::job::Listed;

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano")
}

pub fn upgrade(name: &str) -> PathBuf {
    fixtures().join("upgrade").join(name)
}

pub async fn list(path: &Path) -> Result<Vec<Listed>, BackendError> {
    let database = Sqlite::new(path.to_owned());
    let mut chunks = database.list();
    let (mut generation, mut rows) = (0, Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.generation != generation {
            generation = chunk.generation;
            rows.clear();
        }
        rows.extend(chunk.rows);
    }
    Ok(rows)
}

/// Asks everything that can be asked; gives the list.
pub async fn ask_everything(path: &Path) -> Result<Vec<Listed>, BackendError> {
    let jobs = list(path).await?;
    let database = Sqlite::new(path.to_owned());
    database.capabilities().await?;
    database.facts().await?;
    for job in &jobs {
        database.read(&job.id).await?;
        database.runs(&job.id).await?;
        database.history(&job.id).await?;
    }
    Ok(jobs)
}

/// Gives the completed parts of a list, by ID.
pub fn completed(jobs: &[Listed]) -> Vec<(&str, &str)> {
    jobs.iter()
        .filter_map(|job| {
            let (_, completed) = job.stored.as_ref()?.state.parts().first()?;
            Some((job.id.as_str(), completed.document()?.text()))
        })
        .collect()
}

/// Holds what a folder holds: its own time of change, and length, time and content of each file.
///
/// Of a log's index, which writer and readers keep their marks in, only that it is there.
#[derive(Debug, PartialEq, Eq)]
pub struct Footprint {
    folder: SystemTime,
    files: BTreeMap<String, Option<(SystemTime, Vec<u8>)>>,
}

impl Footprint {
    pub fn of(folder: &Path) -> Self {
        let files = fs::read_dir(folder).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let marks = (!name.ends_with("-shm")).then(|| {
                let modified = entry.metadata().unwrap().modified().unwrap();
                (modified, fs::read(entry.path()).unwrap())
            });
            (name, marks)
        });
        Self {
            files: files.collect(),
            folder: fs::metadata(folder).unwrap().modified().unwrap(),
        }
    }

    pub fn names(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }
}

const ROLE: &str = "STATESCOPE_TEST_WRITES_TO";

/// Runs statements on one connection, in a process of its own; ends when it is dropped.
pub struct Writer {
    process: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Writer {
    /// Starts the process. It runs the test of the given name again, which first calls [`Writer::take_part`].
    pub fn start(test: &str, path: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture"])
            .env(ROLE, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, answers }
    }

    /// Runs one statement, and waits until it is done.
    pub fn run(&mut self, sql: &str) {
        writeln!(self.process.stdin.as_ref().unwrap(), "{sql}").unwrap();
        assert!(self.answers.any(|line| line.unwrap() == "done"), "{sql}");
    }

    /// Kills it in the middle of whatever it does.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Lets it close its connection and end.
    pub fn leave(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }

    /// Does the work of the process when this is it.
    pub fn take_part() -> bool {
        let Some(path) = std::env::var_os(ROLE) else {
            return false;
        };
        let connection = Connection::open(path).unwrap();
        connection
            .busy_timeout(std::time::Duration::from_mins(1))
            .unwrap();
        for statement in std::io::stdin().lines() {
            connection.execute_batch(&statement.unwrap()).unwrap();
            println!("\ndone");
        }
        true
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
