//! `get`.

use rstest::rstest;

use crate::database::{Database, JOB, Row, story};
use crate::run::{on, statescope, without};

/// Makes states whose stored form and Python form differ.
fn spelled() -> Database {
    let database = Database::new();
    database
        .state("plain", Some("{\"a\" : 1E3, \"é\": -0}\n"), Some("{}"))
        .state(
            "merged",
            Some(r#"{"a":{"x":1}}"#),
            Some(r#"{"a":{"y":1E3}}"#),
        )
        .state("null", None, Some("{}"))
        .state("broken", Some("{\"a\": \u{1b}[2J"), Some("{}"))
        .state("conflict", Some(r#"{"a": 1}"#), Some(r#"{"a": {"b": 1}}"#))
        .state("", Some(r#"{"nameless": true}"#), Some("{}"));
    database
}

#[rstest]
#[case(&["plain"], "{\"a\":1000.0,\"\\u00e9\":0}\n")]
#[case(&["plain", "--pretty"], "{\n  \"a\": 1000.0,\n  \"\\u00e9\": 0\n}\n")]
#[case(&["plain", "--verbatim"], "{\"a\" : 1E3, \"é\": -0}\n")]
#[case(&["plain", "--part", "partial"], "{}\n")]
#[case(&["plain", "--part", "partial", "--verbatim"], "{}")]
#[case(&["merged"], "{\"a\":{\"x\":1,\"y\":1000.0}}\n")]
#[case(&["merged", "--verbatim"], r#"{"a": {"x": 1, "y": 1000.0}}"#)]
#[case(&["merged", "--part", "completed"], "{\"a\":{\"x\":1}}\n")]
#[case(&["merged", "--part", "partial", "--verbatim"], r#"{"a":{"y":1E3}}"#)]
#[case(&["null", "--part", "partial"], "{}\n")]
#[case(&["conflict", "--part", "partial"], "{\"a\":{\"b\":1}}\n")]
#[case(&["broken", "--part", "completed", "--verbatim"], "{\"a\": \u{1b}[2J")]
#[case(&[""], "{\"nameless\":true}\n")]
#[case(&["plain", "--json"], "{\"a\":1000.0,\"\\u00e9\":0}\n")]
fn a_state_in_each_form(#[case] arguments: &[&str], #[case] want: &str) {
    let spelled = spelled();
    let arguments = [&["get"], arguments].concat();
    assert_eq!(on(&spelled.path(), &arguments).quiet(0), want);
}

#[rstest]
#[case(&["null"], "the completed part is NULL", "--part partial")]
#[case(&["null", "--part", "completed"], "the completed part of 'null' is NULL", "--part")]
#[case(&["null", "--verbatim"], "the completed part is NULL", "--part partial")]
#[case(&["conflict"], "/a", "--part")]
#[case(&["broken"], "the completed part is not JSON: ", "--part")]
#[case(&["broken", "--part", "completed"], "line 1", "--part completed --verbatim")]
fn a_state_that_cannot_be_told(#[case] arguments: &[&str], #[case] why: &str, #[case] hint: &str) {
    let spelled = spelled();
    let path = spelled.path();
    let arguments = [&["get"], arguments].concat();
    let told = on(&path, &arguments).failed(3);
    assert!(told.contains(why) && told.contains(hint), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
    let errors = on(&path, &[&arguments[..], &["--json"]].concat()).errors();
    assert_eq!(errors[0]["error"], "corrupt");
    assert_eq!(errors[0]["state_id"], arguments[1]);
}

#[test]
fn an_unknown_state_id_is_an_answer_of_no() {
    let told = statescope(&[
        "get",
        "--source",
        "cli/base.db",
        "dev:tap-github-to-target-jsnol",
    ]);
    let told = without(&crate::run::fixtures(), &told.failed(1));
    insta::assert_snapshot!(told, @r"
    statescope: there is no state ID 'dev:tap-github-to-target-jsnol' in sqlite:///[DIR]/cli/base.db
      try: did you mean 'dev:tap-github-to-target-jsonl'?
    ");
    let error = &statescope(&["get", "--json", "--source", "cli/base.db", "zzzzz"]).errors()[0];
    assert_eq!(error["error"], "no");
    assert_eq!(error["state_id"], "zzzzz");
    assert_eq!(error["hint"], "`statescope list` names the state IDs");
}

#[test]
fn a_job_without_a_state_says_how_to_see_its_last() {
    let database = Database::new();
    let row = Row {
        job: "it's gone",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: r#"{"singer_state": {}}"#,
    };
    database.run(&row);
    database.run(&Row {
        job: "never",
        flags: 0,
        payload: "{}",
        ..row
    });
    let told = |id| {
        without(
            database.folder(),
            &statescope(&["get", "--source", &database.path(), id]).failed(1),
        )
    };
    insta::assert_snapshot!(told("it's gone"), @r"
    statescope: 'it's gone' has history, and no state
      why: runs left a state, the source has none: it was cleared (a clear leaves no run)
      try: `statescope log 'it'\''s gone'` shows its history, `statescope get 'it'\''s gone' --at run:000000010000` its last state
    ");
    insta::assert_snapshot!(told("never"), @r"
    statescope: 'never' has history, and no state
      why: no run left one
      try: `statescope log never` shows its runs; none of them left a state
    ");
    let last = [
        "get",
        "--source",
        &database.path(),
        "it's gone",
        "--at",
        "run:00000001",
    ];
    assert_eq!(statescope(&last).quiet(0), "{\"singer_state\":{}}\n");
    let at_now = [
        "get",
        "--source",
        &database.path(),
        "it's gone",
        "--at",
        "now",
    ];
    assert!(
        statescope(&at_now)
            .failed(1)
            .contains("has history, and no state")
    );
}

#[rstest]
#[case("-1", "2026-11-12T00:00:00Z")]
#[case("now", "2026-11-12T00:00:00Z")]
#[case("1", "2026-11-27T03:10:00Z")]
#[case("run:00000002000000000000000000000000", "2026-11-28T03:10:00Z")]
#[case("2026-11-28T12:00:00Z", "2026-11-28T03:10:00Z")]
fn a_snapshot_is_named_in_many_ways(#[case] snapshot: &str, #[case] web: &str) {
    let story = story();
    let text = statescope(&["get", JOB, "--source", &story.path(), "--at", snapshot]).quiet(0);
    assert!(text.contains(web), "{text}");
}

#[test]
fn a_time_without_an_offset_is_local_and_said_to_be_taken_so() {
    let story = story();
    let arguments = [
        "get",
        JOB,
        "--source",
        &story.path(),
        "--at",
        "yesterday 03:00",
    ];
    let told = statescope(&arguments);
    assert_eq!(told.code, 0);
    assert!(told.stdout.contains("2026-11-12T00:00:00Z"));
    assert_eq!(
        told.stderr,
        "statescope: 'yesterday 03:00' is taken for 2026-11-30 03:00:00 UTC\n"
    );
    assert_eq!(
        statescope(&[&arguments[..], &["--quiet"]].concat()).stderr,
        ""
    );
}

#[rstest]
#[case("9", 3)]
#[case("run:1", 3)]
#[case("run:0000", 2)]
#[case("soon", 3)]
#[case("", 3)]
#[case("2001-01-01T00:00:00Z", 3)]
fn a_snapshot_that_is_not_there(#[case] snapshot: &str, #[case] code: i32) {
    let story = story();
    let at = format!("--at={snapshot}");
    let told = statescope(&["get", JOB, "--source", &story.path(), &at]).failed(code);
    assert!(told.contains(snapshot), "{told}");
}

#[test]
fn a_state_id_in_several_sources_needs_its_source() {
    let (one, other) = (Database::new(), Database::new());
    one.state("both", Some(r#"{"a": 1}"#), Some("{}"));
    other.state("both", Some(r#"{"a": 2}"#), Some("{}"));
    other.state("a::b", Some(r#"{"a": 3}"#), Some("{}"));
    let sources = ["--source", &one.path(), "--source", &other.path()];
    let get = |more: &[&str]| statescope(&[&["get"], &sources[..], more].concat());
    let told = get(&["both"]).failed(2);
    assert!(told.contains(&format!("{}::both", one.path())), "{told}");
    assert!(told.contains(&format!("{}::both", other.path())), "{told}");
    assert_eq!(
        get(&[&format!("{}::both", other.path())]).quiet(0),
        "{\"a\":2}\n"
    );
    assert_eq!(
        get(&[&format!("sqlite:///{}::both", one.path())]).quiet(0),
        "{\"a\":1}\n"
    );
    assert_eq!(get(&["a::b"]).quiet(0), "{\"a\":3}\n");
    let told = get(&["meltano.db::both"]).failed(2);
    assert!(
        told.contains("'meltano.db' names several sources"),
        "{told}"
    );
    let told = get(&["neither"]).failed(1);
    assert!(
        told.contains(&one.path()) && told.contains(&other.path()),
        "{told}"
    );
}

#[test]
fn a_source_can_be_named_with_the_state_alone() {
    // A folder is there by the name of what stands before the colons, and is no source.
    let told = statescope(&["get", "upgrade::x", "--source", "cli/base.db"]);
    assert!(told.failed(1).contains("no state ID 'upgrade::x'"));
    let name = "cli/base.db::both-empty";
    assert_eq!(statescope(&["get", name]).quiet(0), "{}\n");
    let told = statescope(&["get", "./nope.db::x"]).failed(3);
    assert!(told.contains("there is no such file"), "{told}");
}

#[test]
fn an_answer_from_one_source_stands_though_another_fails() {
    let arguments = [
        "get",
        "both-empty",
        "--source",
        "cli/base.db",
        "--source",
        "nope.db",
    ];
    let told = statescope(&arguments);
    assert_eq!((told.code, told.stdout.as_str()), (3, "{}\n"));
    assert!(told.stderr.contains("nope.db"), "{told:?}");
    let told = statescope(&[&arguments[..], &["--best-effort"]].concat());
    assert_eq!((told.code, told.stdout.as_str()), (0, "{}\n"));
}

#[rstest]
#[case(&["plain", "--path", "/a"], "1000.0\n")]
#[case(&["plain", "--path", "/a", "--verbatim"], "1E3")]
#[case(&["plain", "--path", "/\u{e9}"], "0\n")]
#[case(&["merged", "--path", "/a", "--pretty"], "{\n  \"x\": 1,\n  \"y\": 1000.0\n}\n")]
#[case(&["merged", "--path", "/a", "--part", "partial"], "{\"y\":1000.0}\n")]
#[case(&["", "--path", ""], "{\"nameless\":true}\n")]
fn a_part_of_a_state(#[case] arguments: &[&str], #[case] want: &str) {
    let arguments = [&["get"], arguments].concat();
    assert_eq!(on(&spelled().path(), &arguments).quiet(0), want);
}

#[test]
fn one_stream_of_a_state() {
    let story = story();
    let get = |arguments: &[&str]| on(&story.path(), &[&["get", JOB], arguments].concat());
    assert_eq!(get(&["--stream", "events"]).quiet(0), "{\"id\":8813007}\n");
    let earlier = get(&["--stream", "events", "--at", "1"]);
    assert_eq!(earlier.quiet(0), "{\"id\":8812331}\n");
    let told = get(&["--stream", "event"]).failed(1);
    assert!(told.contains("did you mean 'events'?"), "{told}");
    let told = get(&["--stream", "xyz"]).failed(1);
    assert!(told.contains("it has commits, events, releases"), "{told}");
    let told = get(&["--path", "/singer_state/bookmarks/events/i"]).failed(1);
    assert!(
        told.contains("did you mean '/singer_state/bookmarks/events/id'?"),
        "{told}"
    );
    let errors = get(&["--path", "/nope/deep", "--json"]).errors();
    assert_eq!(errors[0]["error"], "no");
    assert_eq!(errors[0]["hint"], "it has /singer_state");
}
