//! `blame`.

use rstest::rstest;
use serde_json::{Value, json};
use statescope::domain::location::Location;
use statescope::ops::demo;

use crate::database::{Database, JOB, Row, story};
use crate::run::{on, statescope};

#[test]
fn each_value_has_its_snapshot() {
    let story = story();
    let text = statescope(&["blame", JOB, "--source", &story.path()]).quiet(0);
    insta::assert_snapshot!(text, @r#"
    commits   {acme, api}  replication_key  "updated_at"          1 ● run:000000010000  2026-11-27 04:10
    commits   {acme, api}  updated_at       2026-11-28T03:59:58Z  2 ● run:000000020000  2026-11-28 04:12  was 2026-11-27T03:00:00Z
    commits   {acme, web}  replication_key  "updated_at"          1 ● run:000000010000  2026-11-27 04:10
    commits   {acme, web}  updated_at       2026-11-12T00:00:00Z  3 ◆ edit by hand      2026-11-29 17:40  was 2026-11-28T03:10:00Z
    events                 id               8813007               2 ● run:000000020000  2026-11-28 04:12  was 8812331
    releases               since            2026-11-28            2 ● run:000000020000  2026-11-28 04:12
    "#);
}

#[test]
fn an_earlier_snapshot_has_a_blame_of_its_own() {
    let story = story();
    let text = on(&story.path(), &["blame", JOB, "--at", "2"]).quiet(0);
    insta::assert_snapshot!(text, @r#"
    commits   {acme, api}  replication_key  "updated_at"          1 ● run:000000010000  2026-11-27 04:10
    commits   {acme, api}  updated_at       2026-11-28T03:59:58Z  2 ● run:000000020000  2026-11-28 04:12  was 2026-11-27T03:00:00Z
    commits   {acme, web}  replication_key  "updated_at"          1 ● run:000000010000  2026-11-27 04:10
    commits   {acme, web}  updated_at       2026-11-28T03:10:00Z  2 ● run:000000020000  2026-11-28 04:12  was 2026-11-27T03:10:00Z
    events                 id               8813007               2 ● run:000000020000  2026-11-28 04:12  was 8812331
    releases               since            2026-11-28            2 ● run:000000020000  2026-11-28 04:12
    "#);
}

#[test]
fn json_has_every_key() {
    let story = story();
    let (answer, errors) = on(&story.path(), &["blame", JOB, "--json"]).json(0);
    assert_eq!(errors, [] as [Value; 0]);
    let leaves = answer.as_array().unwrap();
    assert_eq!(leaves.len(), 10);
    let at = |path: &str| {
        let found = leaves.iter().filter(|leaf| leaf["path"] == path);
        let found: Vec<&Value> = found.collect();
        assert_eq!(found.len(), 1, "{path}");
        found[0]
    };
    let web = "/singer_state/bookmarks/commits/partitions/1/replication_key_value";
    assert_eq!(
        at(web),
        &json!({
            "path": web, "value": "2026-11-12T00:00:00Z", "snapshot": "run:00000003000000000000000000000000",
            "at": "2026-11-29T17:40:00.000003Z", "previous": "2026-11-28T03:10:00Z"
        })
    );
    let since = at("/singer_state/bookmarks/releases/since");
    assert_eq!(since["snapshot"], "run:00000002000000000000000000000000");
    assert_eq!(since["previous"], Value::Null);
    assert_eq!(
        at("/singer_state/bookmarks/events/id")["previous"],
        8_812_331
    );
}

#[rstest]
#[case(&["--stream", "events"], &["/singer_state/bookmarks/events/id"])]
#[case(&["--path", "/singer_state/bookmarks/commits/partitions/1/context"], &[
    "/singer_state/bookmarks/commits/partitions/1/context/org",
    "/singer_state/bookmarks/commits/partitions/1/context/repo",
])]
fn a_part_of_it(#[case] arguments: &[&str], #[case] want: &[&str]) {
    let story = story();
    let arguments = [&["blame", JOB, "--json"], arguments].concat();
    let (answer, _) = on(&story.path(), &arguments).json(0);
    let leaves = answer.as_array().unwrap().iter();
    let paths: Vec<&str> = leaves.map(|leaf| leaf["path"].as_str().unwrap()).collect();
    assert_eq!(paths, want);
}

/// A job with names and values of every width, set by hand where no history tells.
fn wide() -> Database {
    let database = Database::new();
    let run = |started, payload| {
        database.run(&Row {
            job: "wide",
            status: "SUCCESS",
            started,
            ended: Some(started),
            flags: 1,
            payload,
        });
    };
    run(
        "2026-11-30 04:00:00.000000",
        r#"{"singer_state": {"bookmarks": {"größe": {"日本語": "値"}, "s": {"x": NaN, "gone": 1}}}}"#,
    );
    run(
        "2026-12-01 04:00:00.000000",
        r#"{"singer_state": {"bookmarks": {"größe": {"日本語": "値値値"}, "s": {"x": 1E3}}}}"#,
    );
    let now = r#"{"singer_state": {"bookmarks": {"größe": {"日本語": "値値値"}, "s": {"x": 1E3, "esc": "\u001b[2J", "back": NaN}}, "a": {}}, "k": [[], -0]}"#;
    database.state("wide", Some(now), Some("{}"));
    database
}

#[test]
fn wide_characters_are_aligned_and_what_no_history_explains_is_now() {
    let text = on(&wide().path(), &["blame", "wide"]).quiet(0);
    insta::assert_snapshot!(text, @r#"
    größe  日本語          "値値値"     2 ● run:000000020000  today 04:00  was "値"
    s      x               1E3          2 ● run:000000020000  today 04:00  was NaN
    s      esc             "\u001b[2J"  3 ○ now
    s      back            NaN          3 ○ now
           singer_state.a  {}           3 ○ now
           k.0             []           3 ○ now
           k.1             -0           3 ○ now
    "#);
}

#[test]
fn columns_that_hold_nothing_are_left_out() {
    let database = Database::new();
    database
        .state("bare", Some(r#"{"a": {"b": 1}}"#), Some("{}"))
        .state("empty", Some("{}"), Some("{}"));
    let text = on(&database.path(), &["blame", "bare"]).quiet(0);
    assert_eq!(text, "a.b  1  1 ○ now\n");
    let text = on(&database.path(), &["blame", "empty"]).quiet(0);
    assert_eq!(text, "the whole document  {}  1 ○ now\n");
}

#[test]
fn the_sample_project_tells_who_moved_a_bookmark_back() {
    let demo = demo::create("2026-11-30T04:30:00Z".parse().unwrap()).unwrap();
    let Location::Sqlite(file) = &demo.site.states.location else {
        panic!("the demo is a SQLite file");
    };
    let file = file.to_str().unwrap();
    let job = "dev:tap-github-to-target-bigquery";
    let text = on(file, &["blame", job, "--stream", "commits"]).quiet(0);
    insta::assert_snapshot!(text, @r#"
    commits  {acme, api}   replication_key  "updated_at"           1 ● run:01a1f78a619a  2026-11-20 06:05
    commits  {acme, api}   updated_at       2026-11-29T05:30:12Z  10 ● run:01a225e3997a  2026-11-29 06:05  was 2026-11-28T05:12:13Z
    commits  {acme, web}   replication_key  "updated_at"           1 ● run:01a1f78a619a  2026-11-20 06:05
    commits  {acme, web}   updated_at       2026-11-12T00:00:00Z  11 ◆ edit by hand      2026-11-29 17:40  was 2026-11-29T05:52:00Z
    commits  {acme, docs}  replication_key  "updated_at"           1 ● run:01a1f78a619a  2026-11-20 06:05
    commits  {acme, docs}  updated_at       2026-11-28T15:25:19Z  10 ● run:01a225e3997a  2026-11-29 06:05  was 2026-11-27T01:38:29Z
    "#);
    let text = on(file, &["log", job, "--back"]).quiet(0);
    insta::assert_snapshot!(text, @r"
    11 ◆ run:01a22864c6f8  2026-11-29 17:40:22 UTC  edited by hand  completed  ~1 ◀1
         commits {acme, web} updated_at  2026-11-29T05:52:00Z → 2026-11-12T00:00:00Z   ◀ back 17 d 5 h
    ");
}

#[test]
fn values_are_as_stored_and_what_json_has_not_is_text() {
    let text = on(&wide().path(), &["blame", "wide", "--json"]).quiet(0);
    insta::assert_snapshot!(text, @r#"
    [
    {"path":"/singer_state/bookmarks/größe/日本語","value":"値値値","snapshot":"run:00000002000000000000000000000000","at":"2026-12-01T04:00:00Z","previous":"値"},
    {"path":"/singer_state/bookmarks/s/x","value":1E3,"snapshot":"run:00000002000000000000000000000000","at":"2026-12-01T04:00:00Z","previous":{"$text": "NaN"}},
    {"path":"/singer_state/bookmarks/s/esc","value":"\u001b[2J","snapshot":"now","at":null,"previous":null},
    {"path":"/singer_state/bookmarks/s/back","value":{"$text": "NaN"},"snapshot":"now","at":null,"previous":null},
    {"path":"/singer_state/a","value":{},"snapshot":"now","at":null,"previous":null},
    {"path":"/k/0","value":[],"snapshot":"now","at":null,"previous":null},
    {"path":"/k/1","value":-0,"snapshot":"now","at":null,"previous":null}
    ]
    "#);
}

#[test]
fn what_cannot_be_answered() {
    let story = story();
    let path = story.path();
    let told = on(&path, &["blame", "dev:tap-a"]).failed(3);
    assert!(
        told.contains("did you mean 'dev:tap-a-to-target-b'?"),
        "{told}"
    );
    let told = on(&path, &["blame", JOB, "--stream", "commit"]).failed(1);
    insta::assert_snapshot!(told, @r"
    statescope: 'dev:tap-a-to-target-b' has no stream 'commit'
      try: did you mean 'commits'?
    ");
    let told = on(&path, &["blame", JOB, "--at", "1", "--stream", "releases"]).failed(1);
    insta::assert_snapshot!(told, @r"
    statescope: 'dev:tap-a-to-target-b' has no stream 'releases'
      try: it has commits, events
    ");
    let told = on(
        &path,
        &["blame", JOB, "--path", "/singer_state/bookmarks/event"],
    )
    .failed(1);
    insta::assert_snapshot!(told, @r"
    statescope: 'dev:tap-a-to-target-b' has nothing at '/singer_state/bookmarks/event'
      try: did you mean '/singer_state/bookmarks/events', '/singer_state/bookmarks/commits' or '/singer_state/bookmarks/releases'?
    ");
    let told = on(&path, &["blame", JOB, "--path", "no-slash"]).failed(2);
    assert!(told.contains("begins with '/'"), "{told}");
    let told = on(&path, &["blame", JOB, "--path", "/a", "--stream", "s"]).failed(2);
    assert!(told.contains("cannot be used with"), "{told}");
    let database = Database::new();
    database.state("broken", Some("{"), Some("{}"));
    database.run(&Row {
        job: "gone",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: r#"{"singer_state": {"a": 1}}"#,
    });
    let told = on(&database.path(), &["blame", "broken"]).failed(3);
    assert!(told.contains("the completed part is not JSON"), "{told}");
    let told = on(&database.path(), &["blame", "gone"]).failed(1);
    assert!(told.contains("has history, and no state"), "{told}");
    let text = on(&database.path(), &["blame", "gone", "--at", "1"]).quiet(0);
    assert!(text.contains("run:000000010000"), "{text}");
    let told = on(&database.path(), &["blame", "broken", "--json"]).errors();
    assert_eq!(told[0]["error"], "corrupt");
}

/// Every state that the real releases left is blamed whole, each value on a snapshot that has it.
#[rstest]
#[case("real-2.6.0-5b43800443d1")]
#[case("real-4.4.1-c0efb3c314eb")]
fn real_histories(#[case] era: &str) {
    let source = format!("upgrade/{era}/after.db");
    let (jobs, _) = on(&source, &["list", "--json", "--with-state"]).json(0);
    let mut blamed = 0;
    for job in jobs.as_array().unwrap() {
        let id = job["state_id"].as_str().unwrap();
        let answer = statescope(&["blame", "--json", "--source", &source, "--", id]);
        let (leaves, _) = answer.json(0);
        for leaf in leaves.as_array().unwrap() {
            let at = format!("--at={}", leaf["snapshot"].as_str().unwrap());
            let path = leaf["path"].as_str().unwrap();
            let there = [
                "get", "--source", &source, "--json", &at, "--path", path, "--", id,
            ];
            assert_eq!(statescope(&there).code, 0, "{id} {leaf}");
            blamed += 1;
        }
    }
    assert!(blamed > 40, "{blamed}");
}
