//! `logs`.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::database::{Database, JOB, Row, story};
use crate::run::{Answer, answer, command, on, without};

const LOG: &str = "elt/devtap-a-to-target-b/00000005-0000-0000-0000-000000000000/elt.log";

/// A project whose system database is that of the story, and a home for its user.
struct Project {
    folder: TempDir,
    home: TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join(".meltano")).unwrap();
        fs::write(folder.path().join("meltano.yml"), "version: 1\n").unwrap();
        fs::copy(story().file(), folder.path().join(".meltano/meltano.db")).unwrap();
        let home = TempDir::new().unwrap();
        Self { folder, home }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        let mut command = command(arguments);
        command
            .current_dir(self.folder.path())
            .env_remove("XDG_STATE_HOME")
            .env("HOME", self.home.path());
        answer(command)
    }

    /// Replaces both folders in what was written.
    fn told(&self, text: &str) -> String {
        without(self.home.path(), text)
            .replace(&self.folder.path().display().to_string(), "[PROJECT]")
    }
}

fn write(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn meltano_4_keeps_them_with_the_user() {
    let project = Project::new();
    let text = b"one\n\x1b[31mtwo\x1b[0m \xff\n";
    write(
        &project
            .home
            .path()
            .join(".local/state/meltano/log")
            .join(LOG),
        text,
    );
    let mut command = command(&["logs", JOB]);
    command
        .current_dir(project.folder.path())
        .env_remove("XDG_STATE_HOME")
        .env("HOME", project.home.path());
    let output = command.output().unwrap();
    assert_eq!(
        (output.status.code(), &*output.stdout),
        (Some(0), &text[..])
    );
    assert_eq!(output.stderr, b"");
    let (log, _) = project.run(&["logs", JOB, "--json"]).json(0);
    assert_eq!(log["log"], "one\n\u{1b}[31mtwo\u{1b}[0m \u{fffd}\n");
    assert_eq!(log["state_id"], JOB);
    assert_eq!(log["snapshot"], "run:00000005000000000000000000000000");
    assert_eq!(log["run_id"], "00000005000000000000000000000000");
    assert!(log["path"].as_str().unwrap().ends_with(LOG));
}

#[test]
fn the_user_may_keep_state_elsewhere() {
    let project = Project::new();
    write(
        &project.home.path().join("xdg/meltano/log").join(LOG),
        b"there\n",
    );
    let mut command = command(&["logs", JOB]);
    command
        .current_dir(project.folder.path())
        .env("XDG_STATE_HOME", project.home.path().join("xdg"));
    assert_eq!(answer(command).quiet(0), "there\n");
}

#[test]
fn meltano_3_kept_them_in_the_project() {
    let project = Project::new();
    write(&project.file(".meltano/logs").join(LOG), b"newest\n");
    let first = LOG.replace("00000005", "00000002");
    write(&project.file(".meltano/logs").join(first), b"second\n");
    assert_eq!(project.run(&["logs", JOB]).quiet(0), "newest\n");
    let told = project.run(&["logs", JOB, "-v"]).stderr;
    assert!(told.contains(&format!("/logs/{LOG}\n")), "{told}");
    let second = format!("{JOB}@2");
    assert_eq!(project.run(&["logs", &second]).quiet(0), "second\n");
    assert_eq!(
        project.run(&["logs", JOB, "--at", "run:00000002"]).quiet(0),
        "second\n"
    );
    // Named as a bare database it is still beside it.
    let database = project.file(".meltano/meltano.db");
    let database = database.to_str().unwrap();
    assert_eq!(on(database, &["logs", JOB]).quiet(0), "newest\n");
    // And where the project says that its own folder is.
    fs::rename(project.file(".meltano/logs"), project.file("logs")).unwrap();
    fs::rename(
        project.file(".meltano/meltano.db"),
        project.file("meltano.db"),
    )
    .unwrap();
    let mut command = command(&["logs", JOB]);
    command
        .current_dir(project.folder.path())
        .env("MELTANO_SYS_DIR_ROOT", project.folder.path());
    assert_eq!(answer(command).quiet(0), "newest\n");
}

#[test]
fn what_was_looked_at_is_named() {
    let project = Project::new();
    insta::assert_snapshot!(project.told(&project.run(&["logs", JOB]).failed(1)), @r"
    statescope: there is no log of run 00000005-0000-0000-0000-000000000000 of 'dev:tap-a-to-target-b' here
      why: looked at [PROJECT]/.meltano/logs/elt/devtap-a-to-target-b/00000005-0000-0000-0000-000000000000/elt.log and [DIR]/.local/state/meltano/log/elt/devtap-a-to-target-b/00000005-0000-0000-0000-000000000000/elt.log
      try: Meltano keeps logs on the machine, and since 4.0 with the user, that ran it; look there
    ");
    let edit = format!("{JOB}@3");
    insta::assert_snapshot!(project.told(&project.run(&["logs", &edit]).failed(1)), @r"
    statescope: run:00000003000000000000000000000000 is an edit by hand, and has no log
      try: `statescope log dev:tap-a-to-target-b` shows its runs
    ");
    let now = format!("{JOB}@now");
    insta::assert_snapshot!(project.told(&project.run(&["logs", &now]).failed(1)), @r"
    statescope: now is no run, and has no log
      try: `statescope log dev:tap-a-to-target-b` shows its runs
    ");
    let told = project.run(&["logs", "dev:tap-a"]).failed(3);
    assert!(
        told.contains("did you mean 'dev:tap-a-to-target-b'?"),
        "{told}"
    );
    let error = &project.run(&["logs", JOB, "--json"]).errors()[0];
    assert_eq!(
        (&error["error"], &error["state_id"]),
        (&"no".into(), &JOB.into())
    );
    // A folder in the place of the file is no log, and no end without an answer.
    fs::create_dir_all(project.file(".meltano/logs").join(LOG)).unwrap();
    let told = project.run(&["logs", JOB]).failed(3);
    assert!(
        told.contains("cannot open") && told.contains("it is no file"),
        "{told}"
    );
}

#[test]
fn a_job_without_runs_has_no_log() {
    let database = Database::new();
    database.state("imported", Some("{}"), Some("{}"));
    let told = on(&database.path(), &["logs", "imported"]).failed(1);
    assert!(told.contains("no run of 'imported' is known"), "{told}");
    let row = Row {
        job: "a@2",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: "{}",
    };
    database.run(&row);
    // The whole text is a state ID, since nothing is called what stands before the `@`.
    let told = on(&database.path(), &["logs", "a@2"]).failed(1);
    assert!(told.contains("of 'a@2' here"), "{told}");
}
