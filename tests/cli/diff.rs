//! `diff`.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use crate::database::{Database, JOB, Row, story};
use crate::run::{Answer, answer, command, on, statescope};

/// Runs `diff` on two files in a folder, the second one on standard input.
pub fn files(left: &str, right: &str, more: &[&str]) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), left).unwrap();
    let mut command = command(&[&["diff", "./a.json", "-"], more].concat());
    command.current_dir(folder.path()).write_stdin(right);
    answer(command)
}

#[test]
fn changes_stand_below_their_stream() {
    let story = story();
    let at = |snapshot: &str| format!("{JOB}@{snapshot}");
    let diff = |words: &[&str], code| on(&story.path(), &[&["diff"], words].concat()).quiet(code);
    insta::assert_snapshot!(diff(&[&at("2")], 1), @r#"
    A dev:tap-a-to-target-b@run:000000010000 (2026-11-27 04:10:00 UTC) → B dev:tap-a-to-target-b@run:000000020000 (2026-11-28 04:12:03 UTC)
    3 changed · 1 added · 6 the same
      commits
        {acme, api}  updated_at    2026-11-27T03:00:00Z → 2026-11-28T03:59:58Z   + 1 d
        {acme, web}  updated_at    2026-11-27T03:10:00Z → 2026-11-28T03:10:00Z   + 1 d
      events         id            8812331 → 8813007                             + 676
    + releases       whole stream  {"since": "2026-11-28"}
    "#);
    insta::assert_snapshot!(diff(&[&at("3")], 1), @r"
    A dev:tap-a-to-target-b@run:000000020000 (2026-11-28 04:12:03 UTC) → B dev:tap-a-to-target-b@run:000000030000 (2026-11-29 17:40:00 UTC)
    1 changed · 1 of them went back · 9 the same
      commits {acme, web}  updated_at  2026-11-28T03:10:00Z → 2026-11-12T00:00:00Z   ◀ back 16 d 3 h
    ");
    insta::assert_snapshot!(diff(&[&at("1")], 1), @r"
    A nothing → B dev:tap-a-to-target-b@run:000000010000 (2026-11-27 04:10:00 UTC)
    1 added
    + singer_state    1 key
    ");
    insta::assert_snapshot!(diff(&[&at("4"), JOB, "--right-at", "1"], 1), @r#"
    A dev:tap-a-to-target-b@run:000000040000 (2026-11-30 04:03:00 UTC) → B dev:tap-a-to-target-b@run:000000010000 (2026-11-27 04:10:00 UTC)
    3 changed · 2 of them went back · 1 removed · 6 the same
      commits
        {acme, api}  updated_at    2026-11-28T03:59:58Z → 2026-11-27T03:00:00Z   ◀ back 1 d
        {acme, web}  updated_at    2026-11-12T00:00:00Z → 2026-11-27T03:10:00Z   + 15 d 3 h
      events         id            8813007 → 8812331                             ◀ back 676
    - releases       whole stream  {"since": "2026-11-28"}
    "#);
}

#[test]
fn a_job_is_compared_with_what_it_was() {
    let story = story();
    let arguments = ["diff", JOB];
    let told = on(&story.path(), &arguments);
    assert_eq!(told.code, 0);
    insta::assert_snapshot!(told.stdout, @r"
    A dev:tap-a-to-target-b@run:000000050000 (2026-11-30 16:01:00 UTC) → B dev:tap-a-to-target-b@now
    identical, byte for byte
    ");
    insta::assert_snapshot!(told.stderr, @r"
    statescope: now is what the run before left; `statescope diff dev:tap-a-to-target-b@-2` shows what that run changed
    ");
    let two = on(
        &story.path(),
        &["diff", JOB, "--at", "-4", "--right-at", "-5", "--json"],
    );
    let (answer, _) = two.json(1);
    assert_eq!(
        answer["left"]["snapshot"],
        "run:00000003000000000000000000000000"
    );
    assert_eq!(
        answer["right"]["snapshot"],
        "run:00000002000000000000000000000000"
    );
}

#[test]
fn every_kind_of_change_has_its_line() {
    let left = r#"{"singer_state": {"bookmarks": {
        "partitions_stream": {"partitions": [
            {"context": {"id": 1}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"},
            {"context": {"id": 2}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"}]},
        "gone": {"since": "2026-01-01"}, "number": {"id": 10}, "text": {"cursor": "a"},
        "spelled": {"at": "2026-11-30T00:00:00Z"}}}, "other": 1}"#;
    let right = r#"{"singer_state": {"bookmarks": {
        "partitions_stream": {"partitions": [
            {"context": {"id": 1}, "replication_key": "at", "replication_key_value": "2026-11-29T00:00:00Z"},
            {"context": {"id": 3}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"}]},
        "new": {"since": "2026-01-01"}, "number": {"id": 12}, "text": {"cursor": "b"},
        "spelled": {"at": "2026-11-30T00:00:00+00:00"}}}, "other": "\u001b[2J"}"#;
    let told = files(left, right, &[]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    4 changed · 1 of them went back · 2 added · 2 removed · 1 spelled otherwise · 2 the same
      partitions_stream
        {1}                      at               2026-11-30T00:00:00Z → 2026-11-29T00:00:00Z        ◀ back 1 d
      - {2}                      whole partition
      + {3}                      whole partition
    - gone                       whole stream     {"since": "2026-01-01"}
    + new                        whole stream     {"since": "2026-01-01"}
      number                     id               10 → 12                                            + 2
      text                       cursor           "a" → "b"
      other                                       1 → "\u001b[2J"
    the same, spelled otherwise
      spelled                    at               2026-11-30T00:00:00Z → 2026-11-30T00:00:00+00:00
    "#);
}

#[rstest]
#[case("{}", "{}", 0, true, true)]
#[case("{}", "{ }", 0, true, false)]
#[case(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, 0, true, false)]
#[case(r#"{"a": 1}"#, r#"{"a": 1.0}"#, 1, false, false)]
#[case(r#"{"a": NaN}"#, r#"{"a":NaN}"#, 0, true, false)]
fn grades_of_equality(
    #[case] left: &str,
    #[case] right: &str,
    #[case] code: i32,
    #[case] equal: bool,
    #[case] identical: bool,
) {
    let (answer, _) = files(left, right, &["--json"]).json(code);
    assert_eq!(
        (&answer["equal"], &answer["identical"]),
        (&json!(equal), &json!(identical))
    );
    let text = files(left, right, &[]).quiet(code);
    assert_eq!(
        text.contains("identical, byte for byte"),
        identical,
        "{text}"
    );
    assert_eq!(
        text.contains("the same value, in other bytes"),
        equal && !identical,
        "{text}"
    );
}

#[test]
fn json_holds_the_values_as_they_are() {
    let left = r#"{"a": 1E3, "n": NaN, "big": 123456789012345678901234567890, "list": [1,  2]}"#;
    let right = r#"{"a": "\ud800", "n": [Infinity, {"x": 1, "x": 2}], "big": 123456789012345678901234567891, "list": [1,  3]}"#;
    let told = files(left, right, &["--json"]);
    assert_eq!(told.code, 1);
    let lines = [
        "\"before\":1E3,\"after\":\"\\ud800\"",
        r#""before":{"$text": "NaN"},"after":[{"$text": "Infinity"}, {"x": 2}]"#,
    ];
    for line in lines {
        assert!(told.stdout.contains(line), "{told:?}");
    }
    assert!(
        told.stdout.contains("123456789012345678901234567891"),
        "{told:?}"
    );
    assert!(
        told.stdout.contains(r#""distance":{"integer":1}"#),
        "{told:?}"
    );
}

#[test]
fn json_has_every_key() {
    let story = story();
    let (answer, _) = on(&story.path(), &["diff", &format!("{JOB}@3"), "--json"]).json(1);
    let source = format!("sqlite:///{}", story.path());
    let pointer = "/singer_state/bookmarks/commits/partitions/1/replication_key_value";
    assert_eq!(
        answer,
        json!({
            "equal": false, "identical": false,
            "left": {"source": source, "name": JOB, "snapshot": "run:00000002000000000000000000000000",
                "at": "2026-11-28T04:12:03.000002Z"},
            "right": {"source": source, "name": JOB, "snapshot": "run:00000003000000000000000000000000",
                "at": "2026-11-29T17:40:00.000003Z"},
            "changes": [{"path": pointer, "kind": "changed", "before": "2026-11-28T03:10:00Z", "after": "2026-11-12T00:00:00Z",
                "place": {"stream": "commits", "context": ["acme", "web"], "rest": ["updated_at"]},
                "distance": {"seconds": -1_393_800}, "back": true}]
        })
    );
}

#[test]
fn text_stops_where_json_goes_on() {
    let object = |value: &str| {
        let members: Vec<String> = (0..1_234).map(|i| format!("\"k{i}\": {value}")).collect();
        format!("{{{}}}", members.join(", "))
    };
    let (left, right) = (object("1"), object("\"x\""));
    let text = files(&left, &right, &[]).quiet(1);
    assert_eq!(text.lines().count(), 2 + 1_000 + 1);
    assert!(
        text.ends_with("… and 234 more; --json gives them all\n"),
        "{text}"
    );
    let (answer, _) = files(&left, &right, &["--json"]).json(1);
    assert_eq!(answer["changes"].as_array().unwrap().len(), 1_234);
}

/// Makes state IDs that look like snapshots of one another.
fn at_signs() -> Database {
    let database = Database::new();
    database
        .state("job", Some(r#"{"who": "job"}"#), Some("{}"))
        .state("job@host", Some(r#"{"who": "job@host"}"#), Some("{}"))
        .state("lone@2", Some(r#"{"who": "lone@2"}"#), Some("{}"));
    database
}

#[rstest]
#[case("job@host", "job@host", "now")]
#[case("job@now", "job", "now")]
#[case("job@1", "job", "now")]
#[case("job@host@-1", "job@host", "now")]
#[case("lone@2", "lone@2", "now")]
fn the_last_at_sign_splits_where_a_snapshot_follows(
    #[case] word: &str,
    #[case] name: &str,
    #[case] snapshot: &str,
) {
    let database = at_signs();
    let (answer, _) =
        on(&database.path(), &["diff", word, "job", "--json"]).json(i32::from(name != "job"));
    assert_eq!(
        (&answer["left"]["name"], &answer["left"]["snapshot"]),
        (&json!(name), &json!(snapshot))
    );
}

#[test]
fn two_sources_can_be_compared_and_are_named() {
    let (one, other) = (Database::new(), Database::new());
    one.state("x", Some(r#"{"a": 1}"#), Some("{}"));
    other.state("x", Some(r#"{"a": 2}"#), Some("{}"));
    let sides = [format!("{}::x", one.path()), format!("{}::x", other.path())];
    let text = statescope(&["diff", &sides[0], &sides[1]]).quiet(1);
    let text = text
        .replace(&one.path(), "[ONE]")
        .replace(&other.path(), "[OTHER]");
    insta::assert_snapshot!(text, @r"
    A sqlite:///[ONE]::x@now → B sqlite:///[OTHER]::x@now
    1 changed
      a    1 → 2   + 1
    ");
}

#[test]
fn a_state_that_is_gone_is_nothing() {
    let database = Database::new();
    database.run(&Row {
        job: "cleared",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: r#"{"singer_state": {"a": 1}}"#,
    });
    let text = on(&database.path(), &["diff", "cleared"]).quiet(1);
    insta::assert_snapshot!(text, @r#"
    A cleared@run:000000010000 (2026-11-30 23:10:00 UTC) → B cleared@now
    1 removed
    - singer_state    {"a": 1}
    "#);
}

#[rstest]
#[case(&["diff", "nope", "both-empty"], 3, "there is no state ID 'nope'")]
#[case(&["diff", "both-empty", "nope"], 3, "there is no state ID 'nope'")]
#[case(&["diff", "both-empty@9"], 3, "has no snapshot '9'")]
#[case(&["diff", "both-empty", "./nope.json"], 3, "cannot read ./nope.json")]
#[case(&["diff", "-", "--at", "1"], 2, "has no snapshots")]
#[case(&["diff", "-"], 2, "a file needs something to be compared with")]
#[case(&["diff", "-", "-"], 2, "standard input cannot be both sides")]
#[case(&["diff", "both-empty", "./cli/base.db"], 3, "it is not JSON")]
fn what_cannot_be_compared(#[case] arguments: &[&str], #[case] code: i32, #[case] why: &str) {
    let mut command = command(&[arguments, &["--source", "cli/base.db"]].concat());
    command.write_stdin("{}");
    let told = answer(command).failed(code);
    assert!(told.contains(why), "{told}");
}

#[test]
fn a_state_that_cannot_be_told_cannot_be_compared() {
    let told = statescope(&["diff", "neither", "--source", "cli/base-nulls.db"]).failed(3);
    assert!(
        told.contains("is NULL") && told.contains("--part"),
        "{told}"
    );
    let errors =
        statescope(&["diff", "neither", "--json", "--source", "cli/base-nulls.db"]).errors();
    assert_eq!(errors[0]["state_id"], Value::from("neither"));
}
