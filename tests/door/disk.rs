//! Disks that are full, or can no longer be written.
//!
//! Each runs a script in a mount namespace of its own, where a small tmpfs can be mounted: the superuser has one made, anybody
//! else one in which he is the superuser.

use std::process::Command;

use crate::stage::{JOB, PLACE, Stage};
use crate::support::Answer;

/// Runs a script in a namespace in which `$disk` is a folder to mount on.
fn in_namespace(stage: &Stage, script: &str) -> String {
    let mut command = Command::new("unshare");
    stage.sandbox.confine(&mut command);
    let disk = stage.sandbox.path("disk");
    std::fs::create_dir_all(&disk).unwrap();
    let answer = Answer::of(
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-euc", script])
            .env("disk", disk)
            .env("program", env!("CARGO_BIN_EXE_statescope"))
            .env("database", stage.database())
            .env("job", JOB)
            .env("place", PLACE),
    );
    assert_eq!(
        answer.code,
        Some(0),
        "a tmpfs is needed, which takes a kernel with user namespaces: {answer:#?}"
    );
    answer.out
}

/// What came of one edit on a disk with so much room: the exit code, what the source holds then, and the journal's status.
#[derive(Debug)]
struct Came {
    kilobytes: u32,
    code: u32,
    is_new: bool,
    status: String,
    is_told: bool,
}

/// Fills the disk but for some room, edits, makes room again, and tells what came of it; for more and more room.
///
/// `source` and `journal` are where they lie, `$disk` for the disk that is full.
fn on_a_full_disk(source: &str, journal: &str) -> Vec<Came> {
    let stage = Stage::new();
    let script = format!(
        r#"
        for room in $(seq 0 4 160); do
            mount -t tmpfs -o size=1m none "$disk"
            rm -rf elsewhere && mkdir elsewhere
            source={source}/meltano.db journal={journal}/journal.db
            cp "$database" "$source"
            free=$(df --output=avail -k "$disk" | tail -1)
            head -c "$(( (free - room) * 1024 ))" /dev/zero >"$disk/ballast"
            code=0
            "$program" put --yes --source "$source" --journal "$journal" "$job" "$place/new" 1 >said 2>&1 || code=$?
            rm "$disk/ballast"
            "$program" get --source "$source" --journal "$journal" "$job" >state 2>notes
            new=false; grep -q '"new":1' state && new=true
            told=false; grep -q 'cut short' notes && told=true
            status=$("$program" operations --json --source "$source" --journal "$journal" | grep -o '"status": *"[a-z]*"' | head -1 | cut -d'"' -f4)
            echo "$room $code $new ${{status:-none}} $told"
            umount "$disk"
        done
        "#
    );
    let said = in_namespace(&stage, &script);
    let came = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        Came {
            kilobytes: words[0].parse().unwrap(),
            code: words[1].parse().unwrap(),
            is_new: words[2] == "true",
            status: words[3].to_owned(),
            is_told: words[4] == "true",
        }
    };
    said.lines().map(came).collect()
}

/// Whatever the room: the old state or the new one, and an exit code and a journal that say which.
fn is_told_truly(came: &Came) {
    let status = came.status.as_str();
    match (came.code, came.is_new) {
        (0, true) => assert!(status == "done" && !came.is_told, "{came:?}"),
        // The end could not be written down; the next start says so.
        (3, true) => assert!(status == "begun" && came.is_told, "{came:?}"),
        (3, false) => assert!(
            matches!(status, "none" | "failed") || came.is_told,
            "{came:?}"
        ),
        _ => panic!("{came:?}"),
    }
}

fn has_both_ends(all: &[Came]) {
    let (first, last) = (&all[0], &all[all.len() - 1]);
    assert_eq!((first.kilobytes, first.code), (0, 3), "{first:?}");
    assert_eq!(last.code, 0, "{last:?}");
}

#[test]
fn a_journal_on_a_full_disk_lets_nothing_be_written() {
    let all = on_a_full_disk("elsewhere", "$disk");
    all.iter().for_each(is_told_truly);
    has_both_ends(&all);
}

#[test]
fn a_source_on_a_full_disk_keeps_the_old_state() {
    let all = on_a_full_disk("$disk", "elsewhere");
    all.iter().for_each(is_told_truly);
    has_both_ends(&all);
    let failed = all.iter().filter(|came| came.code == 3);
    assert!(failed.clone().count() > 0);
    assert!(
        failed.clone().all(|came| came.status == "failed"),
        "{all:?}"
    );
}

#[test]
fn both_on_a_full_disk() {
    let all = on_a_full_disk("$disk", "$disk");
    all.iter().for_each(is_told_truly);
    has_both_ends(&all);
}

#[test]
fn a_journal_on_a_file_system_that_is_read_only_lets_nothing_be_written() {
    let stage = Stage::new();
    let before = stage.held();
    let said = in_namespace(
        &stage,
        r#"
        mount -t tmpfs -o size=1m none "$disk"
        put() { "$program" put --yes --source "$database" --journal "$disk/$1" "$job" "$place/$2" 1 2>&1; }
        mount -o remount,ro "$disk"
        put new.db a && exit 9 || echo "new $?"
        mount -o remount,rw "$disk"
        put old.db b >said || exit 8
        mount -o remount,ro "$disk"
        put old.db c && exit 7 || echo "old $?"
        "$program" get --source "$database" --journal "$disk/old.db" "$job"
        "#,
    );
    assert_eq!(said.matches("nothing was written").count(), 2, "{said}");
    assert!(
        said.contains("new 3\n") && said.contains("old 3\n"),
        "{said}"
    );
    let held = stage.held();
    assert_eq!(
        held.edits,
        before.edits + 1,
        "only the one that could be kept"
    );
    assert!(held.completed.contains(r#""b": 1"#), "{held:?}");
}
