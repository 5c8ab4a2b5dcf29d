//! Names, links, locks and files that Meltano does not make, or not here.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use jiff::Timestamp;
use rstest::rstest;
use statescope::backend::{Access, BackendError, StateBackend};
use statescope::domain::job::Job;
use statescope::domain::lock::LockStanding;
use statescope::domain::state::Part;

use crate::reading::{bytes, effective, list, listed, read, rules, store};
use crate::tree::Tree;

const BODY: &str = r#"{"completed": {"a": 1}, "partial": {}}"#;
const GOOD: &str = "{\"a\":1}\n";

async fn gives(tree: &Tree, id: &str) -> Option<String> {
    let found = read(tree, id).await.unwrap();
    found.map(|stored| effective(&stored).unwrap())
}

#[tokio::test]
async fn folders_that_windows_named_have_the_ids_of_their_jobs() {
    let name = "ZGV2OnRhcC1hLXRvLXRhcmdldC1i";
    let tree = Tree::new().with(name, BODY).with("plain", BODY);
    let id = "dev:tap-a-to-target-b";
    let found = listed(&tree, id).await;
    assert_eq!(rules(&found), ["windows-name"]);
    assert!(found.beside.findings[0].message.contains(name));
    assert_eq!(gives(&tree, id).await.as_deref(), Some(GOOD));

    // A folder of the ID's own comes first, and the other keeps its name.
    let tree = tree.with(id, r#"{"completed": {"b": 2}}"#);
    assert_eq!(rules(&listed(&tree, id).await), Vec::<&str>::new());
    assert_eq!(rules(&listed(&tree, name).await), ["windows-name"]);
    assert_eq!(gives(&tree, id).await.as_deref(), Some("{\"b\":2}\n"));
    assert_eq!(gives(&tree, name).await.as_deref(), Some(GOOD));
}

#[rstest]
#[case::nested("a/b", "a/b/state.json")]
#[case::empty("", "state.json")]
#[case::hidden(".hidden", ".hidden/state.json")]
#[case::in_another("job/inner", "job/inner/state.json")]
#[tokio::test]
async fn what_meltano_does_not_list_is_listed_and_said_so(#[case] id: &str, #[case] file: &str) {
    let tree = Tree::new().with("job", BODY);
    tree.write(file, BODY);
    assert_eq!(rules(&listed(&tree, id).await), ["unlisted"]);
    assert_eq!(gives(&tree, id).await.as_deref(), Some(GOOD));
    assert_eq!(list(&tree).await.len(), 2);
}

#[rstest]
#[case("../state/job")]
#[case("./job")]
#[case("job/")]
#[case("/job")]
#[case("job//")]
#[case("job\0")]
#[case("nothing")]
#[tokio::test]
async fn no_id_leads_out_of_the_directory_or_to_a_folder_by_another_name(#[case] id: &str) {
    let tree = Tree::new().with("job", BODY);
    assert_eq!(read(&tree, id).await, Ok(None));
    assert_eq!(read(&tree, &"x".repeat(300)).await, Ok(None));
}

#[tokio::test]
async fn names_that_are_no_text_are_shown_and_read() {
    let tree = Tree::new().with(OsStr::from_bytes(b"caf\xe9"), BODY);
    let found = listed(&tree, "caf\u{fffd}").await;
    assert_eq!(rules(&found), ["not-utf-8"]);
    assert!(found.beside.findings[0].message.contains("caf\\xe9"));
    assert_eq!(gives(&tree, "caf\u{fffd}").await.as_deref(), Some(GOOD));
    let tree = tree.with(OsStr::from_bytes(b"caf\xe8"), BODY);
    let two = read(&tree, "caf\u{fffd}").await.unwrap_err();
    assert!(matches!(two, BackendError::Unsupported(_)), "{two:?}");
}

#[tokio::test]
async fn what_is_no_file_carries_its_own_error_and_the_others_go_on() {
    let tree = Tree::new().with("good", BODY);
    let folder = |id: &str| {
        fs::create_dir(tree.path().join(id)).unwrap();
        tree.path().join(id).join("state.json")
    };
    let pipe = folder("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    fs::create_dir(folder("folder")).unwrap();
    symlink("nowhere", folder("broken link")).unwrap();
    let circle = folder("circle");
    symlink(&circle, &circle).unwrap();
    symlink("/dev/null", folder("device")).unwrap();
    symlink(tree.path().join("good/state.json"), folder("link")).unwrap();
    for (id, why) in [
        ("pipe", "a device or a pipe"),
        ("folder", "a folder"),
        ("broken link", "a link to nothing"),
        ("circle", "symbolic links"),
        ("device", "a device or a pipe"),
    ] {
        let found = listed(&tree, id).await;
        let unread = found.beside.unread.clone().unwrap();
        assert!(unread.contains(why), "{id}: {unread}");
        let job = Job::summarize(found, &"file:///x".into());
        assert!(job.has_state && job.findings[0].rule == "unread");
        let error = read(&tree, id).await.unwrap_err().to_string();
        assert!(error.contains(why), "{id}: {error}");
    }
    assert_eq!(gives(&tree, "good").await.as_deref(), Some(GOOD));
    assert_eq!(gives(&tree, "link").await.as_deref(), Some(GOOD));
    assert_eq!(list(&tree).await.len(), 7);
}

#[tokio::test]
async fn links_to_folders_are_looked_into_and_no_circle_is_walked() {
    let tree = Tree::new().with("job", BODY);
    symlink("job", tree.path().join("other")).unwrap();
    symlink("..", tree.path().join("job/up")).unwrap();
    fs::create_dir(tree.outside().join("far")).unwrap();
    fs::write(tree.outside().join("far/state.json"), BODY).unwrap();
    symlink(tree.outside().join("far"), tree.path().join("linked")).unwrap();
    let ids: Vec<_> = list(&tree)
        .await
        .iter()
        .map(|listed| listed.id.to_string())
        .collect();
    assert_eq!(ids, ["job", "linked", "other"]);
}

#[tokio::test]
async fn locks_are_no_ids_and_stand_beside_their_states() {
    let tree = Tree::with_corrupt();
    let now: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
    for (id, has_state, standing, findings) in [
        ("lock-stale", true, LockStanding::Expired, 0),
        ("lock-far-future", true, LockStanding::Future, 0),
        ("lock-empty", true, LockStanding::Empty, 1),
        ("lock-garbage", true, LockStanding::Unreadable, 1),
        ("locked-by-dead-process", false, LockStanding::Expired, 0),
    ] {
        let found = listed(&tree, id).await;
        let job = Job::summarize(found, &"file:///x".into());
        let lock = job.lock.unwrap();
        assert_eq!(
            (job.has_state, lock.standing(now)),
            (has_state, standing),
            "{id}"
        );
        assert_eq!(job.findings.len(), findings, "{id}");
    }
    assert!(listed(&tree, "set-by-cli").await.beside.lock.is_none());
    // A folder of that name is one like any other, and a lock in the directory itself locks no job.
    let tree = Tree::new().with("job/lock", BODY);
    tree.write("lock", "1");
    let ids: Vec<_> = list(&tree)
        .await
        .iter()
        .map(|listed| listed.id.to_string())
        .collect();
    assert_eq!(ids, ["job/lock"]);
}

#[tokio::test]
async fn what_is_no_directory_is_said() {
    let tree = Tree::new();
    let gone = store(tree.path().join("gone"));
    assert_eq!(gone.capabilities().await, Err(BackendError::NotFound));
    assert_eq!(gone.read(&"x".into()).await, Err(BackendError::NotFound));
    assert_eq!(gone.key().await, Err(BackendError::NotFound));
    let first = futures_util::StreamExt::next(&mut gone.list()).await;
    assert_eq!(first, Some(Err(BackendError::NotFound)));
    let file = store(tree.write("file", "x"));
    let error = file.capabilities().await.unwrap_err();
    assert!(matches!(error, BackendError::Unsupported(_)), "{error:?}");
    assert_eq!(list(&Tree::new()).await, []);
}

#[tokio::test]
async fn it_is_read_only_and_says_why() {
    let tree = Tree::new().with("job", BODY);
    let able = store(tree.path()).capabilities().await.unwrap();
    assert!(!able.runs);
    let Access::ReadOnly(why) = able.access else {
        panic!("{able:?}");
    };
    assert!(why.contains("SQLite system databases"), "{why}");
}

#[tokio::test]
async fn the_key_is_the_same_on_every_way_to_it() {
    let tree = Tree::new();
    symlink(tree.path(), tree.outside().join("link")).unwrap();
    let key = store(tree.path()).key().await.unwrap();
    assert_eq!(
        store(tree.outside().join("link")).key().await,
        Ok(key.clone())
    );
    assert!(key.as_str().starts_with("directory:/"));
}

#[tokio::test]
async fn a_state_has_the_time_of_its_file_and_a_version_of_its_bytes() {
    let tree = Tree::new().with("job", BODY);
    let first = read(&tree, "job").await.unwrap().unwrap();
    let modified = first.modified.clone().unwrap();
    assert_eq!(modified.rfc3339().as_deref(), Some("2026-11-30T12:00:00Z"));
    assert_eq!(bytes(&first, Part::Completed), Some(&br#"{"a": 1}"#[..]));
    // The same bytes, another time: the version stays, as for every store that hashes.
    fs::write(tree.path().join("job/state.json"), BODY).unwrap();
    let again = read(&tree, "job").await.unwrap().unwrap();
    assert_eq!(again.version, first.version);
    assert_ne!(again.modified, first.modified);
    tree.write("job/state.json", format!("{BODY} "));
    let spaced = read(&tree, "job").await.unwrap().unwrap();
    assert_eq!(spaced.state, first.state);
    assert_ne!(spaced.version, first.version);
}
