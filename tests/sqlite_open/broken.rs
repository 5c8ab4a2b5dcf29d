//! What is no system database, or no longer one: each has a message, none is waited for.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rstest::rstest;
use rusqlite::Connection;
use statescope::backend::BackendError::{self, Corrupt, Denied, NotFound, Unsupported};

use crate::support::{Footprint, ask_everything, fixtures, list, upgrade};

async fn error(path: &Path) -> BackendError {
    list(path).await.unwrap_err()
}

#[rstest]
#[case(b"", Unsupported("it is empty".into()))]
#[case(b"SQLite format 3\0", Corrupt("it is cut off after 16 bytes, inside the header of a SQLite database".into()))]
#[case(b"plugins:\n  extractors: []\n", Corrupt("it is not a SQLite database, or it is an encrypted one".into()))]
#[case(&[0xA5; 4096], Corrupt("it is not a SQLite database, or it is an encrypted one".into()))]
#[tokio::test]
async fn files_that_are_no_databases(#[case] content: &[u8], #[case] want: BackendError) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    fs::write(&path, content).unwrap();
    assert_eq!(error(&path).await, want);
}

#[tokio::test]
async fn things_that_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| folder.path().join(name);
    assert_eq!(
        error(folder.path()).await,
        Unsupported("it is a folder".into())
    );
    assert_eq!(error(&named("missing.db")).await, NotFound);
    std::os::unix::fs::symlink(named("missing.db"), named("link.db")).unwrap();
    assert_eq!(error(&named("link.db")).await, NotFound);
    File::create(named("file")).unwrap();
    assert_eq!(error(&named("file/meltano.db")).await, NotFound);
    let device = Unsupported("it is a device or a pipe, not a file".into());
    assert_eq!(error(Path::new("/dev/zero")).await, device);
    let made = Command::new("mkfifo").arg(named("pipe")).status().unwrap();
    assert!(made.success());
    assert_eq!(error(&named("pipe")).await, device);
}

#[rstest]
#[case(
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, mine TEXT); CREATE TABLE state (id INTEGER PRIMARY KEY)"
)]
#[case(
    "CREATE VIEW state AS SELECT 1 AS state_id, 2 AS partial_state, 3 AS completed_state, 4 AS updated_at"
)]
#[case("CREATE TABLE other (x)")]
#[tokio::test]
async fn databases_of_others(#[case] sql: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let Unsupported(why) = error(&path).await else {
        panic!("{sql}");
    };
    assert_eq!(
        why,
        "it is no Meltano system database: it has no runs, job or state table of Meltano's"
    );
}

/// Reads what was made of a copy of a database, and its log; all that is asked for is an answer.
async fn answers(database: &[u8], log: Option<&[u8]>) -> Result<usize, BackendError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.db");
    fs::write(&path, database).unwrap();
    if let Some(log) = log {
        fs::write(folder.path().join("live.db-wal"), log).unwrap();
    }
    let before = Footprint::of(folder.path());
    let answer = ask_everything(&path).await.map(|jobs| jobs.len());
    assert_eq!(Footprint::of(folder.path()), before);
    answer
}

#[tokio::test]
async fn truncated_databases_answer() {
    let whole = fs::read(fixtures().join("cli/base.db")).unwrap();
    let lengths = (1..120).chain((120..whole.len()).step_by(509));
    for length in lengths.chain([whole.len() - 1]) {
        let Err(Corrupt(why)) = answers(&whole[..length], None).await else {
            panic!("{length} bytes were taken for a whole database");
        };
        // Within its first page SQLite itself finds that something is wrong.
        assert!(
            length < 4096 || why.contains("it is cut off"),
            "{length}: {why}"
        );
    }
    assert_eq!(answers(&whole, None).await, Ok(17));
}

#[tokio::test]
async fn damaged_pages_answer() {
    let whole = fs::read(fixtures().join("cli/base.db")).unwrap();
    for page in 0..whole.len() / 4096 {
        for fill in [0x00, 0x0D, 0xFF] {
            let mut bytes = whole.clone();
            let from = (page * 4096).max(100);
            bytes[from..(page + 1) * 4096].fill(fill);
            match answers(&bytes, None).await {
                Ok(_) | Err(Corrupt(_) | Unsupported(_)) => {}
                Err(other) => panic!("page {page} of {fill}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn truncated_logs_answer_with_what_was_whole() {
    let database = fs::read(upgrade("wal-live/live.db")).unwrap();
    let log = fs::read(upgrade("wal-live/live.db-wal")).unwrap();
    for length in [0, 1, 31, 32, 33, 55, 56, 4151, 4152, 4153, 8271, 8272] {
        assert_eq!(
            answers(&database, Some(&log[..length])).await,
            Ok(2),
            "{length}"
        );
    }
}

const ROLE: &str = "STATESCOPE_TEST_READS";

#[tokio::test]
async fn a_file_that_may_not_be_read() {
    if let Some(path) = std::env::var_os(ROLE) {
        let why = error(Path::new(&path)).await;
        assert!(matches!(&why, Denied(_)), "{why:?}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meltano.db");
    fs::copy(fixtures().join("cli/base.db"), &path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_err() {
        let Denied(why) = error(&path).await else {
            panic!("read");
        };
        assert_eq!(
            why,
            "this user may not read it: Permission denied (os error 13)"
        );
        return;
    }
    // The superuser may read anything; so it asks somebody else, who needs a copy of this program that he can run.
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for mode in [0o000, 0o600] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let asked = Command::new(&program)
            .args(["broken::a_file_that_may_not_be_read", "--exact"])
            .env(ROLE, &path)
            .current_dir(folder.path())
            .uid(65534)
            .gid(65534)
            .output()
            .unwrap();
        assert!(
            asked.status.success(),
            "{}",
            String::from_utf8_lossy(&asked.stdout)
        );
    }
}
