//! The journal between threads, processes and users: who sees what, what a killed process leaves, and what a user may not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own helpers may fail it"
)]

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use statescope::domain::edit::Edit;
use statescope::domain::id::StateId;
use statescope::domain::json::Document;
use statescope::domain::location::SourceKey;
use statescope::domain::operation::{Author, Event, Operation, OperationId, OperationKind, Status};
use statescope::domain::state::{Content, State};
use statescope::domain::version::ContentHash;
use statescope::journal::{
    self, JournalError, JournalStore, LIMIT, NewItem, NewOperation, Ongoing, Query,
};

fn open(path: &Path) -> Arc<dyn JournalStore> {
    journal::open(path, LIMIT)
}

/// Makes an operation whose bytes no other number has.
fn operation(number: u32) -> NewOperation {
    let document = |text: String| Document::parse(text).unwrap();
    let before = document(format!("{{\"before\": {number}}}"));
    let after = document(format!(
        "{{\"after\": \"{}\"}}",
        "x".repeat(number as usize)
    ));
    let state = |document| {
        let partial = Document::empty_object();
        State::meltano(Content::Document(document), Content::Document(partial))
    };
    NewOperation {
        at: Timestamp::UNIX_EPOCH,
        kind: OperationKind::Set,
        author: Author {
            user: "ada".to_owned(),
            host: "engine".to_owned(),
        },
        reason: None,
        source: SourceKey::new("sqlite:/a.db"),
        source_name: "sqlite:////a.db".to_owned(),
        undoes: None,
        items: vec![NewItem {
            state_id: StateId::new(format!("dev:{number}")),
            edit: Edit::Set {
                document: after.clone(),
                validate: false,
            },
            before: Some(state(before)),
            after: Some(state(after)),
        }],
    }
}

async fn all(journal: &dyn JournalStore) -> Vec<Operation> {
    journal.find(Query::default()).await.unwrap()
}

async fn get(journal: &dyn JournalStore, id: OperationId) -> Operation {
    journal.get(id).await.unwrap().unwrap()
}

fn done() -> Vec<Event> {
    vec![Event::Ended {
        status: Status::Done,
        message: None,
    }]
}

const ROLE: &str = "STATESCOPE_TEST_JOURNAL";

/// Works on a journal in a process of its own; ends when it is dropped.
struct Process {
    process: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts the process. It runs the test of the given name again, which first calls [`Process::take_part`].
    fn start(test: &str, path: &Path) -> Self {
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

    fn say(&mut self, word: &str) {
        writeln!(self.process.stdin.as_ref().unwrap(), "{word}").unwrap();
    }

    /// Waits for the next answer.
    fn answer(&mut self) -> i64 {
        let mut answers = self.answers.by_ref().map(Result::unwrap);
        answers
            .find_map(|line| line.strip_prefix("answer ")?.parse().ok())
            .expect("the process ended")
    }

    fn ask(&mut self, word: &str) -> OperationId {
        self.say(word);
        OperationId(self.answer())
    }

    /// Kills it in the middle of whatever it does.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Does the work of the process when this is it.
    async fn take_part() -> bool {
        let Some(path) = std::env::var_os(ROLE) else {
            return false;
        };
        let path = PathBuf::from(path);
        let journal = open(&path);
        let mut ongoing: Option<Ongoing> = None;
        for word in std::io::stdin().lines() {
            let id = match word.unwrap().as_str() {
                "plan" => ongoing.insert(journal.plan(operation(1)).await.unwrap()).id,
                "begin" => {
                    let id = ongoing.as_ref().unwrap().id;
                    let events = vec![Event::Begun];
                    journal
                        .record(id, Timestamp::UNIX_EPOCH, events)
                        .await
                        .unwrap();
                    id
                }
                "drop" => ongoing.take().unwrap().id,
                "many" => {
                    many(journal.as_ref()).await;
                    OperationId(0)
                }
                "half" => {
                    write_half(&path);
                    OperationId(0)
                }
                other => panic!("{other}"),
            };
            println!("\nanswer {id}");
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Plans operations and lets them end, and tells of each.
async fn many(journal: &dyn JournalStore) {
    for number in 0..30 {
        let ongoing = journal.plan(operation(number * 100)).await.unwrap();
        journal
            .record(ongoing.id, Timestamp::UNIX_EPOCH, done())
            .await
            .unwrap();
        println!("\nanswer {}", ongoing.id);
    }
}

/// Writes pages to a journal's file, of a transaction that does not end while the process lives.
fn write_half(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE operations SET reason = 'half';
             INSERT INTO contents SELECT randomblob(32), 1, randomblob(5000) FROM json_each('[1,2,3,4,5,6,7,8,9]')",
        )
        .unwrap();
    std::mem::forget(connection);
}

#[tokio::test]
async fn a_killed_process_leaves_an_operation_that_was_interrupted() {
    if Process::take_part().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let journal = open(&path);
    let name = "a_killed_process_leaves_an_operation_that_was_interrupted";
    let (mut one, mut other) = (Process::start(name, &path), Process::start(name, &path));
    let (planned, begun) = (one.ask("plan"), other.ask("plan"));
    other.ask("begin");
    for (id, status) in [(planned, Status::Planned), (begun, Status::Begun)] {
        let found = get(journal.as_ref(), id).await;
        assert_eq!((found.status, found.is_running), (status, true));
        assert!(!found.is_interrupted());
    }
    one.kill();
    assert!(get(journal.as_ref(), planned).await.is_interrupted());
    assert!(get(journal.as_ref(), begun).await.is_running);
    other.kill();
    assert!(get(journal.as_ref(), begun).await.is_interrupted());
    let sign = |id| folder.path().join(format!("journal.db.op-{id}"));
    assert!(sign(planned).exists() && sign(begun).exists());
    for id in [planned, begun] {
        journal
            .record(id, Timestamp::UNIX_EPOCH, done())
            .await
            .unwrap();
        assert!(!get(journal.as_ref(), id).await.is_interrupted());
        assert!(!sign(id).exists());
    }
}

#[tokio::test]
async fn a_process_that_gives_an_operation_up_leaves_it_interrupted() {
    if Process::take_part().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let name = "a_process_that_gives_an_operation_up_leaves_it_interrupted";
    let mut process = Process::start(name, &path);
    let id = process.ask("plan");
    assert!(get(open(&path).as_ref(), id).await.is_running);
    process.ask("drop");
    assert!(get(open(&path).as_ref(), id).await.is_interrupted());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_that_plan_at_once_get_different_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(&folder.path().join("new/journal.db"));
    let threads = (0..6).map(|thread| {
        let journal = journal.clone();
        tokio::spawn(async move {
            let mut ids = Vec::new();
            for number in 0..8 {
                let new = operation(thread * 10 + number);
                let ongoing = journal.plan(new).await.unwrap();
                let running = get(journal.as_ref(), ongoing.id).await;
                assert!(running.is_running, "{running:?}");
                journal
                    .record(ongoing.id, Timestamp::UNIX_EPOCH, done())
                    .await
                    .unwrap();
                ids.push(ongoing.id);
            }
            ids
        })
    });
    let mut ids = BTreeSet::new();
    for thread in threads.collect::<Vec<_>>() {
        ids.extend(thread.await.unwrap());
    }
    assert_eq!(ids, (1..=48).map(OperationId).collect());
    let found = all(journal.as_ref()).await;
    assert!(
        found
            .iter()
            .all(|found| found.status == Status::Done && found.has_bodies)
    );
    assert_eq!(found.len(), 48);
}

#[tokio::test]
async fn processes_that_plan_at_once_get_different_numbers_and_are_seen_whole() {
    if Process::take_part().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/journal.db");
    let journal = open(&path);
    let name = "processes_that_plan_at_once_get_different_numbers_and_are_seen_whole";
    let mut processes = [(); 3].map(|()| Process::start(name, &path));
    for process in &mut processes {
        process.say("many");
    }
    let mut ids = BTreeSet::new();
    for _ in 0..30 {
        for process in &mut processes {
            assert!(ids.insert(process.answer()), "twice");
        }
        // Whoever has no end yet is at work: an operation that ends this moment is never taken for one that was cut short.
        let interrupted = all(journal.as_ref()).await;
        let interrupted = interrupted.iter().filter(|found| found.is_interrupted());
        assert_eq!(interrupted.count(), 0);
    }
    assert_eq!(ids, (1..=90).collect());
}

#[tokio::test]
async fn a_process_that_is_killed_at_any_moment_leaves_whole_operations() {
    if Process::take_part().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let journal = open(&path);
    let name = "a_process_that_is_killed_at_any_moment_leaves_whole_operations";
    let mut told = 0;
    for killed_after in [1, 2, 3, 5, 8] {
        let mut process = Process::start(name, &path);
        process.say("many");
        for _ in 0..killed_after {
            told = process.answer();
        }
        process.kill();
        let found = all(journal.as_ref()).await;
        let ended = found.iter().filter(|found| found.id.0 <= told);
        assert!(ended.clone().all(|found| found.status == Status::Done));
        assert_eq!(ended.count(), usize::try_from(told).unwrap());
        for operation in &found {
            assert!(operation.has_bodies);
            assert_eq!(operation.items.len(), 1);
            for side in [&operation.items[0].before, &operation.items[0].after] {
                for (_, hash) in side.as_ref().unwrap() {
                    let hash = hash.unwrap();
                    assert!(
                        journal
                            .contents(vec![hash])
                            .await
                            .unwrap()
                            .contains_key(&hash)
                    );
                }
            }
        }
        told = found.first().unwrap().id.0;
        for operation in found.iter().filter(|found| found.is_interrupted()) {
            journal
                .record(operation.id, Timestamp::UNIX_EPOCH, done())
                .await
                .unwrap();
        }
    }
    let check = "PRAGMA integrity_check";
    let connection = Connection::open(&path).unwrap();
    let sound: String = connection.query_row(check, [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[tokio::test]
async fn reading_takes_back_a_write_that_was_cut_short() {
    if Process::take_part().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let journal = open(&path);
    drop(journal.plan(operation(1)).await.unwrap());
    let name = "reading_takes_back_a_write_that_was_cut_short";
    let mut process = Process::start(name, &path);
    let whole = fs::read(&path).unwrap();
    process.ask("half");
    process.kill();
    assert!(
        fs::read(&path).unwrap() != whole,
        "nothing was half written"
    );
    let hot = folder.path().join("journal.db-journal");
    assert!(hot.exists());
    let found = all(journal.as_ref()).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reason, None);
    assert!(!hot.exists());
    assert!(fs::read(&path).unwrap() == whole);
}

/// Runs a test again as somebody who has no rights beyond his own, in a folder and on files that are his.
fn as_somebody(test: &str, folder: &Path, files: &[&Path], role: &Path) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    if fs::metadata(folder).unwrap().uid() == 0 {
        const NOBODY: u32 = 65534;
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        let copy = folder.join("program");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        for file in files {
            chown(file, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        program = Command::new(copy);
        program.uid(NOBODY).gid(NOBODY);
    }
    let asked = program
        .args([test, "--exact", "--nocapture"])
        .env(ROLE, role)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&asked.stdout);
    assert!(
        asked.status.success() && said.contains("took part"),
        "{said}"
    );
}

/// Asks of a journal that may not be written: reading answers, writing says why not.
async fn ask_unwritable(journal: &Path, why: &str) {
    let store = open(journal);
    let found = all(store.as_ref()).await;
    assert_eq!(found.len(), 1);
    assert!(found[0].is_interrupted());
    let hash = ContentHash::of(b"{}");
    let found = store.contents(vec![hash]).await.unwrap();
    assert_eq!(found.get(&hash), Some(&b"{}".to_vec()));
    let planned = store.plan(operation(2)).await.unwrap_err();
    let recorded = store
        .record(OperationId(1), Timestamp::UNIX_EPOCH, done())
        .await;
    for error in [planned, recorded.unwrap_err()] {
        assert_eq!(error, JournalError::Unwritable(why.to_owned()));
    }
    println!("took part");
}

async fn one_operation(path: &Path) {
    drop(open(path).plan(operation(1)).await.unwrap());
}

#[tokio::test]
async fn a_journal_that_may_only_be_read() {
    if let Some(path) = std::env::var_os(ROLE) {
        let why = "it cannot be written: Permission denied (os error 13)";
        return ask_unwritable(Path::new(&path), why).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("journal");
    let path = inner.join("journal.db");
    one_operation(&path).await;
    fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    let files = [inner.as_path(), path.as_path()];
    as_somebody(
        "a_journal_that_may_only_be_read",
        folder.path(),
        &files,
        &path,
    );
}

#[tokio::test]
async fn a_journal_whose_folder_may_only_be_read() {
    if let Some(path) = std::env::var_os(ROLE) {
        let store = open(Path::new(&path));
        assert_eq!(all(store.as_ref()).await.len(), 1);
        let planned = store.plan(operation(2)).await.unwrap_err();
        let why = "a file beside it cannot be made: Permission denied (os error 13)";
        assert_eq!(planned, JournalError::Unwritable(why.to_owned()));
        let recorded = store
            .record(OperationId(1), Timestamp::UNIX_EPOCH, done())
            .await;
        assert!(
            matches!(recorded, Err(JournalError::Unwritable(_))),
            "{recorded:?}"
        );
        let beside = Path::new(&path).with_file_name("other.db");
        let planned = open(&beside).plan(operation(2)).await.unwrap_err();
        let why = "it cannot be made: Permission denied (os error 13)";
        assert_eq!(planned, JournalError::Unwritable(why.to_owned()));
        let below = Path::new(&path).with_file_name("further/other.db");
        let planned = open(&below).plan(operation(2)).await.unwrap_err();
        let why = "its folder cannot be made: Permission denied (os error 13)";
        assert_eq!(planned, JournalError::Unwritable(why.to_owned()));
        assert!(all(open(&beside).as_ref()).await.is_empty());
        println!("took part");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("journal");
    let path = inner.join("journal.db");
    one_operation(&path).await;
    fs::set_permissions(&inner, Permissions::from_mode(0o500)).unwrap();
    let files = [inner.as_path(), path.as_path()];
    as_somebody(
        "a_journal_whose_folder_may_only_be_read",
        folder.path(),
        &files,
        &path,
    );
    fs::set_permissions(&inner, Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn somebody_elses_journal_that_all_may_write_is_not_written() {
    if let Some(path) = std::env::var_os(ROLE) {
        let why =
            "others may read it, and that cannot be changed: Operation not permitted (os error 1)";
        return ask_unwritable(Path::new(&path), why).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("journal");
    let path = inner.join("journal.db");
    one_operation(&path).await;
    if chown(&path, Some(1), Some(1)).is_err() {
        // Only the superuser gives a file away.
        return;
    }
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    let name = "somebody_elses_journal_that_all_may_write_is_not_written";
    as_somebody(name, folder.path(), &[inner.as_path()], &path);
}
