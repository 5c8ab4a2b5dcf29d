//! Lists 100 000 states of about 1 KB and the last of 200 000 runs, beside `sqlite3 -readonly` selecting the same columns.
//!
//! Each round runs every contestant once, so that what the machine does meanwhile hits them alike; what counts is the ratio.
//! Wants `sqlite3` and GNU time; says so where one is missing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark has nobody to report to"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use rusqlite::Connection;
use statescope::backend::StateBackend;
use statescope::backend::sqlite::Sqlite;
use statescope::domain::job::Job;

const STATES: usize = 100_000;
const RUNS: usize = 200_000;
const ROUNDS: usize = 7;

/// The columns that a list shows of a job, by the means that SQL has: the latest run and the latest edit of each.
const SELECT: &str = "
    WITH last AS (SELECT job_name, max(started_at), id, run_id, state, payload_flags, started_at AS began, ended_at,
                         last_heartbeat_at, \"trigger\" FROM runs WHERE state <> 'STATE_EDIT' GROUP BY job_name),
         edit AS (SELECT job_name, max(started_at), id, run_id, state, payload_flags, started_at AS began, ended_at,
                         last_heartbeat_at, \"trigger\" FROM runs WHERE state = 'STATE_EDIT' GROUP BY job_name)
    SELECT state_id, partial_state, completed_state, updated_at, last.*, edit.* FROM state
    LEFT JOIN last ON last.job_name = state_id LEFT JOIN edit ON edit.job_name = state_id";

/// The states alone.
const SELECT_STATES: &str =
    "SELECT state_id, partial_state, completed_state, updated_at FROM state";

/// Says that this process is a contestant: it lists the file, without the command line.
const ROLE: &str = "STATESCOPE_BENCH_LISTS";

fn main() {
    if let Some(path) = std::env::var_os(ROLE) {
        println!("{}", list(Path::new(&path)));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    fill(&path);
    let size = std::fs::metadata(&path).unwrap().len();
    println!("{STATES} states, {RUNS} runs, {} MB", size / 1_000_000);
    race(&contestants(&path));
}

/// Lists as a program would, and counts the jobs and their streams.
fn list(path: &Path) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let source: Arc<str> = "bench".into();
    let database = Sqlite::new(path.to_owned());
    let (mut jobs, mut streams, mut runs) = (0, 0, 0);
    runtime.block_on(async {
        let mut chunks = database.list();
        while let Some(chunk) = chunks.next().await {
            for listed in chunk.unwrap().rows {
                let job = Job::summarize(listed, &source);
                jobs += 1;
                streams += job.streams.unwrap_or(0);
                runs += usize::from(job.last_run.is_some()) + usize::from(job.last_edit.is_some());
            }
        }
    });
    format!("{jobs} jobs, {streams} streams, {runs} runs")
}

struct Contestant {
    name: &'static str,
    make: Box<dyn Fn() -> Command>,
}

fn contestants(path: &Path) -> Vec<Contestant> {
    let sqlite3 = |sql: &'static str| {
        let path = path.to_owned();
        Box::new(move || {
            let mut command = Command::new("sqlite3");
            command.arg("-readonly").arg(&path).arg(sql);
            command
        })
    };
    let mut found = Vec::new();
    if runs(Command::new("sqlite3").arg("-version")) {
        found.push(Contestant {
            name: "sqlite3, states and runs",
            make: sqlite3(SELECT),
        });
        found.push(Contestant {
            name: "sqlite3, states alone",
            make: sqlite3(SELECT_STATES),
        });
    } else {
        println!("there is no sqlite3 here, so nothing to compare with");
    }
    let direct = path.to_owned();
    found.push(Contestant {
        name: "list and summarize",
        make: Box::new(move || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.env(ROLE, &direct);
            command
        }),
    });
    let program = path.to_owned();
    let program = move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_statescope"));
        command.args(["list", "--json", "--source"]).arg(&program);
        command
    };
    let listed = program().output().unwrap().stdout;
    if memchr::memmem::find_iter(&listed, "\"state_id\"").count() == STATES {
        found.push(Contestant {
            name: "statescope list --json",
            make: Box::new(program),
        });
    } else {
        println!("the program does not list {STATES} states, so it is left out");
    }
    found
}

fn runs(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Runs all of them in turn, and prints for each the fastest and the middle time, the ratio to the first, and its memory.
fn race(contestants: &[Contestant]) {
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        for (contestant, times) in contestants.iter().zip(&mut times) {
            let start = Instant::now();
            assert!(runs(&mut (contestant.make)()), "{}", contestant.name);
            times.push(start.elapsed());
        }
    }
    let mut first = None;
    for (contestant, mut times) in contestants.iter().zip(times) {
        times.sort_unstable();
        let (fastest, middle) = (times[0], times[ROUNDS / 2]);
        let first = *first.get_or_insert(middle);
        println!(
            "{:26} fastest {:4} ms, middle {:4} ms, {:.2} of the first, {}",
            contestant.name,
            fastest.as_millis(),
            middle.as_millis(),
            ratio(middle, first),
            memory(&(contestant.make)()),
        );
    }
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// Asks GNU time for the most memory that a command held.
fn memory(command: &Command) -> String {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M"]).arg(command.get_program());
    timed.args(command.get_args());
    for (name, value) in command.get_envs() {
        timed.env(name, value.unwrap_or_default());
    }
    let Ok(out) = timed.stdout(Stdio::null()).output() else {
        return "memory unknown: there is no /usr/bin/time".to_owned();
    };
    let said = String::from_utf8_lossy(&out.stderr);
    match said
        .lines()
        .last()
        .and_then(|line| line.parse::<u64>().ok())
    {
        Some(kilobytes) => format!("{} MB at most", kilobytes / 1024),
        None => format!("memory unknown: {said}"),
    }
}

/// Makes the database as Meltano 4.4.1 leaves one: written through a log, and no log there.
fn fill(path: &Path) {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA synchronous = off;
             CREATE TABLE runs (id INTEGER NOT NULL, job_name VARCHAR, state VARCHAR(7), started_at DATETIME,
                 ended_at DATETIME, payload VARCHAR, payload_flags INTEGER, run_id CHAR(32), \"trigger\" VARCHAR,
                 last_heartbeat_at DATETIME, PRIMARY KEY (id));
             CREATE TABLE state (state_id VARCHAR(900) NOT NULL, partial_state VARCHAR, completed_state VARCHAR,
                 updated_at DATETIME, PRIMARY KEY (state_id), UNIQUE (state_id));",
        )
        .unwrap();
    let transaction = connection.transaction().unwrap();
    {
        let mut insert_run = transaction
            .prepare("INSERT INTO runs VALUES (NULL, ?1, ?2, ?3, ?4, ?5, 1, ?6, 'cli', ?4)")
            .unwrap();
        for number in 0..RUNS {
            // Every job runs twice; every 41st is an edit.
            let status = if number % 41 == 7 {
                "STATE_EDIT"
            } else {
                "SUCCESS"
            };
            let run_id = format!("{:032x}", number * 7919);
            insert_run
                .execute((
                    id(number % STATES),
                    status,
                    moment(number),
                    moment(number + 40),
                    state(number),
                    run_id,
                ))
                .unwrap();
        }
        let mut insert_state = transaction
            .prepare("INSERT INTO state VALUES (?1, ?2, ?3, ?4)")
            .unwrap();
        for number in 0..STATES {
            let partial = if number % 10 == 3 {
                state(number + 1)
            } else {
                "{}".to_owned()
            };
            insert_state
                .execute((id(number), partial, state(number), moment(number + STATES)))
                .unwrap();
        }
    }
    transaction.commit().unwrap();
}

fn id(number: usize) -> String {
    format!(
        "prod:tap-shop-{number:06}-to-target-snowflake:region-{}",
        number % 7
    )
}

/// Gives a time as Meltano writes it, later for a later number.
fn moment(number: usize) -> String {
    let (hours, minutes, seconds) = (number / 3600 % 24, number / 60 % 60, number % 60);
    let day = number / 86_400 + 1;
    format!(
        "2026-03-{day:02} {hours:02}:{minutes:02}:{seconds:02}.{:06}",
        number * 37 % 1_000_000
    )
}

/// Writes a Singer state of about 1 KB: streams with a bookmark each, one of them by partition.
fn state(number: usize) -> String {
    let mut text = String::from("{\"singer_state\": {\"bookmarks\": {");
    for stream in [
        "orders",
        "customers",
        "products",
        "refunds",
        "inventory_levels",
    ] {
        let at = moment(number + stream.len() * 997).replace(' ', "T");
        write!(
            text,
            "\"{stream}\": {{\"replication_key\": \"updated_at\", \"replication_key_value\": \"{at}+00:00\", \
             \"starting_replication_value\": \"2021-01-01T00:00:00+00:00\"}}, "
        )
        .unwrap();
    }
    text.push_str("\"events\": {\"partitions\": [");
    for store in 0..3 {
        let (at, comma) = (
            moment(number + store).replace(' ', "T"),
            if store < 2 { ", " } else { "" },
        );
        write!(
            text,
            "{{\"context\": {{\"store_id\": {store}}}, \"replication_key\": \"id\", \"replication_key_value\": \"{at}Z\"}}{comma}"
        )
        .unwrap();
    }
    text.push_str("]}}}}");
    text
}
