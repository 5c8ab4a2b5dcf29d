//! What keeps a plan from being carried out: guards, protection, nobody to ask. None of it writes anything.

use jiff::{SignedDuration, Timestamp};
use rstest::rstest;
use rusqlite::Connection;

use crate::database::JOB;
use crate::run::without;
use crate::stage::{PUT, Stage};

const PROD: &str = "prod:tap-a-to-target-b";

/// Adds a run of the job that gave a sign of life just now.
fn running(stage: &Stage) {
    let stamp = |ago: i64| {
        let at = Timestamp::now() - SignedDuration::from_secs(ago);
        at.strftime("%Y-%m-%d %H:%M:%S%.6f").to_string()
    };
    let sql = "INSERT INTO runs (job_name, state, started_at, last_heartbeat_at, payload, payload_flags, run_id, \"trigger\")
        VALUES (?1, 'RUNNING', ?2, ?3, '{}', 0, '0000000f000000000000000000000000', 'cli')";
    let database = Connection::open(stage.database.file()).unwrap();
    database
        .execute(sql, [JOB, &stamp(600), &stamp(1)])
        .unwrap();
}

#[rstest]
#[case::no_answer(&["set", "new", r#"{"singer_state": {}}"#], "answer by --yes")]
#[case::of_one(&["clear", PROD], "answer by --confirm prod:tap-a-to-target-b")]
#[case::of_many(&["clear", PROD, "a"], "answer by --confirm 2")]
#[case::yes_is_not_enough(&["clear", PROD, "--yes"], "or give it by --confirm")]
#[case::another_text(&["clear", PROD, "--confirm", "prod"], "'prod' is not what was asked for")]
#[case::another_number(&["clear", PROD, "a", "--confirm", PROD], "it is '2'")]
#[case::even_with_yes(&["clear", PROD, "--yes", "--confirm", "x"], "'x' is not what was asked for")]
fn without_the_right_answer_nothing_is_written(#[case] arguments: &[&str], #[case] hint: &str) {
    let stage = Stage::story().with(&[PROD, "a"]);
    let told = stage.writes_nothing(stage.command(arguments)).failed(5);
    assert!(told.contains(hint), "{told}");
    let told = stage.writes_nothing(stage.command(&[arguments, &["--json"]].concat()));
    assert_eq!(told.failed(5).lines().count(), 1);
    assert!(!stage.journal().exists());
}

#[rstest]
#[case(&["clear", PROD, "--confirm", PROD])]
#[case(&["clear", PROD, "a", "--confirm", "2"])]
#[case(&["clear", "a", "--confirm", "a"])]
#[case(&["clear", "a", "-y"])]
fn the_right_answer_is_one(#[case] arguments: &[&str]) {
    let stage = Stage::story().with(&[PROD, "a"]);
    stage.done(arguments);
    assert_eq!(stage.statuses(), ["done"]);
}

#[test]
fn data_on_standard_input_is_no_answer() {
    let stage = Stage::story();
    let mut command = stage.command(&["set", "new", "--input-file", "-"]);
    command.write_stdin("{\"singer_state\": {}}\ny\n");
    let told = stage.writes_nothing(command).failed(2);
    assert!(told.contains("line 2, column 1"), "{told}");
    let mut command = stage.command(&["clear", JOB]);
    command.write_stdin("y\n");
    let told = stage.writes_nothing(command).failed(5);
    assert!(told.contains("nobody can be asked"), "{told}");
}

#[test]
fn a_job_that_runs_is_not_edited() {
    let stage = Stage::story();
    running(&stage);
    let told = stage.writes_nothing(stage.command(&[&PUT[..], &["--yes"]].concat()));
    let told = told.failed(5);
    assert!(
        told.contains("! refused  'dev:tap-a-to-target-b' is running"),
        "{told}"
    );
    assert!(told.contains("--even-if-running"), "{told}");
    let told = stage.writes_nothing(stage.command(&[&PUT[..], &["--dry-run"]].concat()));
    assert_eq!(told.code, 5, "{told:?}");
    assert!(told.stdout.contains("! refused  "), "{told:?}");
    let told = stage.writes_nothing(stage.command(&[&PUT[..], &["--dry-run", "--json"]].concat()));
    let (planned, errors) = told.json(5);
    assert_eq!(planned[0]["outcome"], "planned");
    assert_eq!(errors[0]["error"], "refused");
    let told = stage.done(&[&PUT[..], &["--yes", "--even-if-running"]].concat());
    assert!(
        told.stderr.contains("! warning  the job is running"),
        "{told:?}"
    );
}

#[rstest]
#[case::option(&["--read-only"], None, Some("--read-only says so"))]
#[case::variable(&[], Some("1"), Some("STATESCOPE_READ_ONLY in the environment says so"))]
#[case::both(&["--read-only"], Some("0"), Some("--read-only says so"))]
#[case::neither(&[], Some("0"), None)]
fn a_source_that_is_read_only(
    #[case] option: &[&str],
    #[case] variable: Option<&str>,
    #[case] why: Option<&str>,
) {
    for arguments in [
        &PUT[..],
        &["clear", "--all"],
        &["set", JOB, r#"{"singer_state": {}}"#],
    ] {
        let stage = Stage::story();
        let mut command = stage.command(&[arguments, option, &["--yes"]].concat());
        command.envs(variable.map(|value| ("STATESCOPE_READ_ONLY", value)));
        let Some(why) = why else {
            assert_eq!(crate::run::answer(command).code, 0);
            continue;
        };
        let told = stage.writes_nothing(command).failed(5);
        assert!(
            told.contains("the source is not written to") && told.contains(why),
            "{told}"
        );
        assert!(!stage.journal().exists());
    }
}

#[test]
fn a_source_named_with_the_state_is_read_only_too() {
    let stage = Stage::story();
    let name = format!("{}::{JOB}", stage.database.path());
    let mut command = crate::run::command(&["put", &name, "/a", "1", "--yes", "--read-only"]);
    command.env("STATESCOPE_JOURNAL", stage.journal());
    let told = stage.writes_nothing(command).failed(5);
    assert!(told.contains("--read-only says so"), "{told}");
}

#[test]
fn an_undo_is_refused_as_an_edit_is() {
    let stage = Stage::story();
    stage.done(&[&PUT[..], &["--yes"]].concat());
    let told = stage.writes_nothing(stage.command(&["undo", "--yes", "--read-only"]));
    assert!(told.failed(5).contains("--read-only"));
    let told = stage.writes_nothing(stage.command(&["undo"]));
    assert!(told.failed(5).contains("answer by --yes"));
}

#[test]
fn a_journal_that_cannot_be_used_lets_nothing_be_written() {
    let stage = Stage::story();
    std::fs::create_dir_all(stage.journal().parent().unwrap()).unwrap();
    std::fs::write(
        stage.journal(),
        "this is no journal, but a text that is long enough to be one",
    )
    .unwrap();
    let told = stage.writes_nothing(stage.command(&[&PUT[..], &["--yes"]].concat()));
    assert_eq!((told.code, told.stdout.as_str()), (3, ""), "{told:?}");
    assert_eq!(
        told.stderr.matches("nothing was written").count(),
        1,
        "{told:?}"
    );
    assert_eq!(told.stderr.matches("cannot be used").count(), 1, "{told:?}");
    assert!(told.stderr.contains("--journal"), "{told:?}");
    let told = stage.writes_nothing(stage.command(&["get", JOB]));
    assert_eq!(told.code, 0);
    assert_eq!(told.stderr.lines().count(), 1, "{told:?}");
    assert!(without(stage.folder(), &told.stderr).contains("[DIR]/kept/journal.db"));
    let told = stage.writes_nothing(stage.command(&["list"]));
    assert_eq!((told.code, told.stderr.lines().count()), (0, 1), "{told:?}");
}
