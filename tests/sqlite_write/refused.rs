//! What keeps a write from happening at all, and leaves the database as it was.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rstest::rstest;
use statescope::backend::sqlite::Sqlite;
use statescope::backend::{BackendError, StateBackend, SystemDatabase};
use statescope::domain::edit::Edit;

use crate::programs::{Writer, list};
use crate::support::{Copy, commit_after, number, planned, set};

fn held_for(patience: &str) -> BackendError {
    BackendError::Timeout(format!(
        "another program held it locked for {patience} seconds"
    ))
}

/// Starts another process on a database, and has it run statements; gives it as it stands then, lock and all.
fn holding(test: &str, copy: &Copy, statements: &[&str]) -> Writer {
    let mut writer = Writer::start(test, &copy.path);
    for statement in statements {
        writer.run(statement);
    }
    writer
}

#[rstest]
#[case::another_writer("delete", &["BEGIN IMMEDIATE"])]
#[case::another_writer_by_a_log("wal", &["BEGIN IMMEDIATE"])]
#[case::a_reader("delete", &["BEGIN", "SELECT * FROM state"])]
#[case::all_of_it("delete", &["BEGIN EXCLUSIVE"])]
#[tokio::test]
async fn a_lock_is_waited_for_and_then_named(
    #[case] journal_mode: &str,
    #[case] statements: &[&str],
) {
    if Writer::take_part() {
        return;
    }
    let copy = Copy::of_base(journal_mode);
    let before = copy.exact();
    let database = copy.database().with_patience(Duration::from_millis(250));
    let batch = planned(&database, vec![("a_b", number(1)), ("aXb", number(2))]).await;
    copy.execute("UPDATE state SET updated_at = updated_at || '' WHERE state_id = 'a_b'");
    let test = std::thread::current().name().unwrap().to_owned();
    let writer = holding(&test, &copy, statements);
    let results = database.commit(batch.clone()).await;
    assert_eq!(results, vec![Err(held_for("0.25")); 2]);
    writer.kill();
    assert_eq!(copy.exact(), before);
    let results = database.commit(batch).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

#[tokio::test]
async fn a_commit_that_fails_fails_what_was_done_and_leaves_a_conflict_a_conflict() {
    if Writer::take_part() {
        return;
    }
    let copy = Copy::of_base("delete");
    let database = copy.database().with_patience(Duration::from_millis(50));
    let batch = planned(&database, vec![("a_b", number(1)), ("aXb", number(2))]).await;
    copy.execute("UPDATE state SET partial_state = '{ }' WHERE state_id = 'a_b'");
    let before = copy.exact();
    let test = std::thread::current().name().unwrap().to_owned();
    let reader = holding(&test, &copy, &["BEGIN", "SELECT * FROM state"]);
    let results = database.commit(batch).await;
    assert_eq!(
        results,
        [Err(BackendError::Conflict), Err(held_for("0.05"))]
    );
    reader.leave();
    assert_eq!(copy.exact(), before);
}

#[tokio::test]
async fn a_lock_that_goes_in_time_is_waited_out() {
    if Writer::take_part() {
        return;
    }
    for journal_mode in ["delete", "wal"] {
        let copy = Copy::of_base(journal_mode);
        let database = copy.database();
        let batch = planned(&database, vec![("a_b", number(1))]).await;
        let test = std::thread::current().name().unwrap().to_owned();
        let mut writer = holding(&test, &copy, &["BEGIN IMMEDIATE"]);
        let committing = tokio::spawn(async move { database.commit(batch).await });
        writer.run("UPDATE state SET partial_state = '{ }' WHERE state_id = 'aXb'");
        writer.run("COMMIT");
        assert!(committing.await.unwrap()[0].is_ok());
        writer.leave();
    }
}

#[tokio::test]
async fn what_a_killed_writer_left_half_done_is_undone_first() {
    if Writer::take_part() {
        return;
    }
    let copy = Copy::of_base("delete");
    let database = copy.database();
    let batch = planned(&database, vec![("a_b", Edit::Clear)]).await;
    let test = std::thread::current().name().unwrap().to_owned();
    let writer = holding(
        &test,
        &copy,
        &[
            "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN",
            "UPDATE state SET completed_state = 'half a write'",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO runs (job_name, payload) SELECT 'half a write', zeroblob(500) FROM n",
        ],
    );
    writer.kill();
    assert_eq!(list(&copy.path).await, Err(BackendError::Interrupted));
    assert!(database.commit(batch).await[0].is_ok());
    let want = Copy::of_base("delete");
    want.execute("DELETE FROM state WHERE state_id = 'a_b'");
    assert_eq!(copy.exact(), want.exact());
    assert_eq!(copy.names(), ["meltano.db"]);
}

#[rstest]
#[case::none("none.db", None, BackendError::NotFound)]
#[case::folder(".", None, BackendError::Unsupported("it is a folder".to_owned()))]
#[case::empty("empty.db", Some(&b""[..]), BackendError::Unsupported("it is empty".to_owned()))]
#[case::text("text.db", Some(&[b'x'; 200][..]), BackendError::Corrupt("it is not a SQLite database, or it is an encrypted one".to_owned()))]
#[tokio::test]
async fn nothing_is_made_where_no_database_is(
    #[case] name: &str,
    #[case] content: Option<&[u8]>,
    #[case] want: BackendError,
) {
    let copy = Copy::of_base("delete");
    let batch = planned(
        &copy.database(),
        vec![("a_b", number(1)), ("new", number(1))],
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    if let Some(content) = content {
        fs::write(&path, content).unwrap();
    }
    let results = Sqlite::new(path.clone()).commit(batch).await;
    assert_eq!(results, vec![Err(want); 2]);
    let there = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(there, usize::from(content.is_some()));
    if let Some(content) = content {
        assert_eq!(fs::read(path).unwrap(), content);
    }
}

#[tokio::test]
async fn a_database_that_is_cut_off_is_not_written_to() {
    for journal_mode in ["delete", "wal"] {
        let copy = Copy::of_base(journal_mode);
        let mut bytes = Vec::new();
        let results = commit_after(&copy, vec![("a_b", number(1))], || {
            bytes = fs::read(&copy.path).unwrap();
            bytes.truncate(bytes.len() / 8192 * 4096);
            fs::write(&copy.path, &bytes).unwrap();
        });
        let results = results.await;
        let is_corrupt = matches!(results.as_slice(), [Err(BackendError::Corrupt(_))]);
        assert!(is_corrupt, "{journal_mode}: {results:?}");
        assert_eq!(fs::read(&copy.path).unwrap(), bytes, "{journal_mode}");
    }
}

const PLAIN_USER: &str = "STATESCOPE_TEST_PLAIN_USER_WRITES_TO";

/// Runs a test again as a user that is bound by the rights of files, which the superuser is not.
fn as_a_plain_user(test: &str, path: &std::path::Path) -> Command {
    // Whoever may not read the build's folder may still run what was copied out of it.
    let program = path.with_file_name("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let is_superuser = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = if is_superuser {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
        command.arg(&program);
        command
    } else {
        Command::new(&program)
    };
    command
        .args([test, "--exact", "--nocapture"])
        .env(PLAIN_USER, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Plans, waits, and commits, when this is the process of the plain user.
async fn commit_as_a_plain_user() -> bool {
    let Some(path) = std::env::var_os(PLAIN_USER) else {
        return false;
    };
    let database = Sqlite::new(PathBuf::from(path));
    let batch = planned(&database, vec![("a_b", number(1))]).await;
    println!("\nplanned");
    std::io::stdin().lines().next().unwrap().unwrap();
    println!("\nresult {:?}", database.commit(batch).await);
    true
}

#[rstest]
#[case::nothing("delete", 0o666, 0o777, "Ok(")]
#[case::nothing_by_a_log("wal", 0o666, 0o777, "Ok(")]
#[case::file(
    "delete",
    0o444,
    0o777,
    "ReadOnly(\"it cannot be written to: Permission denied"
)]
#[case::file_by_a_log(
    "wal",
    0o444,
    0o777,
    "ReadOnly(\"it cannot be written to: Permission denied"
)]
#[case::folder("delete", 0o666, 0o555, "ReadOnly(\"its folder cannot be written to")]
#[case::folder_by_a_log("wal", 0o666, 0o555, "ReadOnly(\"its folder cannot be written to")]
#[tokio::test]
async fn a_file_that_may_no_longer_be_written_is_not(
    #[case] journal_mode: &str,
    #[case] file: u32,
    #[case] folder: u32,
    #[case] want: &str,
) {
    if commit_as_a_plain_user().await {
        return;
    }
    let copy = Copy::of_base(journal_mode);
    let set = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&copy.path, 0o666);
    set(copy.folder.path(), 0o777);
    let bytes = fs::read(&copy.path).unwrap();
    let test = std::thread::current().name().unwrap().to_owned();
    let mut process = as_a_plain_user(&test, &copy.path).spawn().unwrap();
    let mut answers = BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(answers.any(|line| line.unwrap() == "planned"));
    set(&copy.path, file);
    set(copy.folder.path(), folder);
    writeln!(process.stdin.take().unwrap(), "go").unwrap();
    let answers: Vec<String> = answers.map(Result::unwrap).collect();
    assert!(process.wait().unwrap().success());
    set(copy.folder.path(), 0o777);
    let mut results = answers.iter().filter(|line| line.starts_with("result "));
    let said = results.next().unwrap();
    assert!(said.contains(want), "{said}");
    if !want.starts_with("Ok") {
        assert_eq!(fs::read(&copy.path).unwrap(), bytes);
        assert_eq!(copy.names(), ["meltano.db", "program"]);
    }
}

const SMALL_DISK: &str = "STATESCOPE_TEST_WRITES_TO_A_SMALL_DISK";

/// Writes more than the disk holds, and then less, when this is the process that has a small disk.
async fn write_to_a_small_disk() -> bool {
    let Some(folder) = std::env::var_os(SMALL_DISK) else {
        return false;
    };
    let path = PathBuf::from(folder).join("meltano.db");
    let database = Sqlite::new(path.clone());
    let before = list(&path).await.unwrap();
    let much = format!(
        "{{\"singer_state\": {{\"n\": \"{}\"}}}}",
        "x".repeat(400_000)
    );
    let edits = vec![("aXb", number(1)), ("a_b", set(&much)), ("new", number(2))];
    let results = database.commit(planned(&database, edits).await).await;
    assert_eq!(results, vec![Err(BackendError::DiskFull); 3]);
    assert_eq!(list(&path).await.unwrap(), before);
    let batch = planned(&database, vec![("a_b", number(3))]).await;
    assert!(database.commit(batch).await[0].is_ok());
    println!("\nall of it");
    true
}

/// Makes a small disk that only one process sees, and goes with it.
const MOUNT: &str = r#"mount -t tmpfs -o size=192k none "$1" && cp "$2" "$1/meltano.db" && exec "$3" "$4" --exact --nocapture"#;

#[rstest]
#[tokio::test]
async fn a_full_disk_is_named_and_keeps_what_it_had(#[values("delete", "wal")] journal_mode: &str) {
    if write_to_a_small_disk().await {
        return;
    }
    let copy = Copy::of_base(journal_mode);
    let disk = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", MOUNT, "sh"])
        .args([disk.path(), &copy.path, &std::env::current_exe().unwrap()])
        .arg(std::thread::current().name().unwrap())
        .env(SMALL_DISK, disk.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("\nall of it\n"), "{output:?}");
}

#[tokio::test]
async fn a_file_that_another_one_replaced_is_compared_anew() {
    let copy = Copy::of_base("delete");
    let database = copy.database();
    let batch = planned(&database, vec![("a_b", number(1)), ("aXb", number(2))]).await;
    let other = Copy::of_base("delete");
    other.execute("UPDATE state SET partial_state = '{ }' WHERE state_id = 'a_b'");
    fs::rename(&other.path, &copy.path).unwrap();
    let results = database.commit(batch).await;
    assert_eq!(results[0], Err(BackendError::Conflict));
    assert!(results[1].is_ok());
    let after = database.current(&["aXb".into()]).await.unwrap();
    assert_eq!(after[0].runs.len(), 1);
}
