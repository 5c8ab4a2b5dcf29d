//! What goes wrong, as a script sees it: the exit code, and words on standard error alone.

use std::fs;
use std::process::Stdio;

use rstest::rstest;
use tempfile::TempDir;

use crate::database::{Database, JOB, story};
use crate::run::{answer, command, statescope, without};

/// Makes a folder with files that are no system databases, and one that was cut off.
fn faulty() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("text.db"),
        "this is no database, only a text that is long enough to have a header\n",
    )
    .unwrap();
    fs::write(folder.path().join("empty.db"), "").unwrap();
    let whole = fs::read(crate::run::fixtures().join("cli/base.db")).unwrap();
    fs::write(folder.path().join("cut.db"), &whole[..whole.len() / 2]).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    folder
}

#[rstest]
#[case("nope.db", "not-found")]
#[case("text.db", "corrupt")]
#[case("cut.db", "corrupt")]
#[case("empty.db", "unsupported")]
#[case("folder", "not-found")]
#[case("s3://bucket/state", "unsupported")]
#[case("ftp://x", "usage")]
#[case("", "usage")]
fn a_source_that_cannot_be_read(#[case] source: &str, #[case] fault: &str) {
    let faulty = faulty();
    let code = if fault == "usage" { 2 } else { 3 };
    for words in [&["list"][..], &["get", "x"], &["log", "x"], &["diff", "x"]] {
        let run = |more: &[&str]| {
            let mut command = command(&[words, &["--source", source], more].concat());
            command.current_dir(faulty.path());
            answer(command)
        };
        let text = run(&[]).failed(code);
        assert!(
            text.starts_with("statescope: ") && text.contains("\n  try: "),
            "{text}"
        );
        assert!(text.lines().count() <= 3, "{text}");
        let json = run(&["--json"]);
        assert_eq!(json.failed(code).lines().count(), 1);
        assert_eq!(run(&["--json"]).errors()[0]["error"], fault);
    }
    let left = fs::read_dir(faulty.path()).unwrap().count();
    assert_eq!(left, 4, "reading leaves nothing behind");
}

#[test]
fn without_a_project_the_demo_is_named() {
    let empty = TempDir::new().unwrap();
    let mut list = command(&["list"]);
    list.current_dir(empty.path());
    insta::assert_snapshot!(without(empty.path(), &answer(list).failed(3)), @r"
    statescope: there is no Meltano project in [DIR] or above it
      try: name a source (`statescope meltano.db`), or try `statescope demo`
    ");
}

#[rstest]
#[case(&["list", "--pattern", ""])]
#[case(&["list", "--pattern", "[a"])]
#[case(&["list", "--ids", "--json"])]
#[case(&["list", "x"])]
#[case(&["get"])]
#[case(&["get", "x", "--part", "both"])]
#[case(&["get", "x", "--verbatim", "--pretty"])]
#[case(&["log", "x", "--limit", "many"])]
#[case(&["diff", "-", "-"])]
#[case(&["diff", "./a.json"])]
#[case(&["list", "--color", "sometimes"])]
#[case(&["list", "-v", "--quiet"])]
#[case(&["list", "--nope"])]
fn wrong_use(#[case] arguments: &[&str]) {
    let arguments = [arguments, &["--source", "cli/base.db"]].concat();
    let run = |more: &[&str]| {
        let mut command = command(&[&arguments[..], more].concat());
        command.write_stdin("{}");
        answer(command)
    };
    assert!(
        !run(&[])
            .failed(if arguments[1] == "./a.json" { 3 } else { 2 })
            .is_empty()
    );
}

#[rstest]
#[case(&["get", "x", "--part", "both", "--json"], "invalid value 'both' for '--part <NAME>' [possible values: completed, partial, body]")]
#[case(&["get", "--json"], "the following required arguments were not provided: <STATE_ID>")]
#[case(&["list", "--json", "--pattern", ""], "the pattern '' cannot be used: it is empty and would match nothing")]
fn wrong_use_is_a_line_of_json_where_that_is_wanted(
    #[case] arguments: &[&str],
    #[case] want: &str,
) {
    let told = statescope(arguments);
    assert_eq!(told.failed(2).lines().count(), 1);
    let error = &statescope(arguments).errors()[0];
    assert_eq!(
        (&error["error"], &error["message"]),
        (&"usage".into(), &want.into())
    );
    let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["error", "source", "state_id", "message", "hint"]);
}

#[rstest]
#[case(&["lsit"], 2, "did you mean `list`?")]
#[case(&["gett", "dev:x"], 2, "did you mean `get`?")]
fn a_word_that_is_nearly_a_command(
    #[case] arguments: &[&str],
    #[case] code: i32,
    #[case] hint: &str,
) {
    let told = statescope(arguments).failed(code);
    assert!(told.contains(hint), "{told}");
}

#[test]
fn help_and_version_are_answers() {
    assert!(statescope(&["--help"]).quiet(0).contains("statescope"));
    assert!(
        statescope(&["diff", "--help"])
            .quiet(0)
            .contains("--right-at")
    );
    assert_eq!(
        statescope(&["--version"]).quiet(0),
        format!("statescope {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_time_that_is_none_is_wrong_use() {
    let mut list = command(&["list", "--source", "cli/base.db"]);
    list.env("STATESCOPE_NOW", "noon");
    assert!(answer(list).failed(2).contains("STATESCOPE_NOW is no time"));
}

/// Writes more than a pipe holds, to a reader that goes away after the first line.
#[rstest]
#[case(&["list", "--json"], 0)]
#[case(&["list"], 0)]
#[case(&["list", "--ids"], 0)]
#[case(&["get", "large"], 0)]
#[case(&["get", "large", "--verbatim"], 0)]
#[case(&["diff", "large", "--json"], 1)]
#[case(&["log", JOB], 0)]
fn a_reader_that_has_seen_enough_is_no_fault(#[case] arguments: &[&str], #[case] code: i32) {
    let story = story();
    let many: Vec<String> = (0..40_000).map(|i| format!(r#""{i}": {i}"#)).collect();
    story.state(
        "large",
        Some(&format!("{{{}}}", many.join(", "))),
        Some("{}"),
    );
    for i in 0..300 {
        story.state(&format!("{i}{}", "x".repeat(800)), Some("{}"), Some("{}"));
    }
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_statescope"))
        .args(arguments)
        .args(["--source", &story.path()])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(code));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[test]
fn a_full_disk_is_said() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ended = std::process::Command::new(env!("CARGO_BIN_EXE_statescope"))
        .args(["get", "both-empty", "--source", "cli/base.db"])
        .current_dir(crate::run::fixtures())
        .env_clear()
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(3));
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(
        told.starts_with("statescope: cannot write the answer\n  why: "),
        "{told}"
    );
}

#[test]
fn colour_only_repeats() {
    let story = story();
    let run = |more: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(&[&["log", JOB, "--source", &story.path()], more].concat());
        command.envs(variables.iter().copied());
        answer(command).quiet(0)
    };
    let plain = run(&[], &[]);
    let coloured = run(&["--color", "always"], &[]);
    assert!(!plain.contains('\u{1b}') && coloured.contains("\u{1b}[31mfailed\u{1b}[0m"));
    let bare = ["1", "2", "31", "32", "33", "36", "0"]
        .iter()
        .fold(coloured.clone(), |text, code| {
            text.replace(&format!("\u{1b}[{code}m"), "")
        });
    assert_eq!(bare, plain);
    assert_eq!(run(&[], &[("STATESCOPE_COLOR", "always")]), coloured);
    assert_eq!(
        run(&["--color", "never"], &[("STATESCOPE_COLOR", "always")]),
        plain
    );
    assert_eq!(run(&["--color", "always"], &[("NO_COLOR", "1")]), coloured);
}

#[test]
fn what_is_read_can_be_told() {
    let told = statescope(&["get", "both-empty", "--source", "cli/base.db", "-v"]);
    assert_eq!((told.code, told.stdout.as_str()), (0, "{}\n"));
    assert!(
        told.stderr.contains("reading sqlite:///")
            && told.stderr.contains("(chosen by the command line)")
    );
}

#[test]
fn no_secret_of_an_address_is_shown() {
    let addresses = ["postgresql://u:hunter2@h/db", "s3://KEY:hunter2@bucket/p"];
    for address in addresses {
        for words in [
            &["list"][..],
            &["sources"],
            &["sources", "--json"],
            &["get", "x", "-v"],
        ] {
            let told = statescope(&[words, &["--source", address]].concat());
            assert_eq!(told.code, 3);
            assert!(!format!("{told:?}").contains("hunter2"), "{told:?}");
        }
    }
    let database = Database::new();
    fs::write(
        database.folder().join("meltano.yml"),
        "database_uri: postgresql://u:hunter2@h/db\n",
    )
    .unwrap();
    let told = statescope(&["list", "--project", database.folder().to_str().unwrap()]);
    assert!(!told.failed(3).contains("hunter2"));
}
