//! `log`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::database::{Database, JOB, Row, story};
use crate::run::{on, statescope, without};

#[test]
fn the_newest_snapshot_comes_first() {
    let story = story();
    let text = statescope(&["log", JOB, "--source", &story.path()]).quiet(0);
    insta::assert_snapshot!(text, @r"
    6 ○ now                                                                       =
    5 · run:000000050000  2026-11-30 16:01:00 UTC  succeeded       left no state  =
    4 ✗ run:000000040000  2026-11-30 04:03:00 UTC  failed          completed      =      Loader failed
    3 ◆ run:000000030000  2026-11-29 17:40:00 UTC  edited by hand  completed      ~1 ◀1
    2 ● run:000000020000  2026-11-28 04:12:03 UTC  succeeded       completed      +1 ~3
    1 ● run:000000010000  2026-11-27 04:10:00 UTC  succeeded       completed      +1
    ");
}

#[test]
fn what_history_does_not_explain_is_said_below_now() {
    let database = Database::new();
    let row = Row {
        job: "cleared",
        status: "SUCCESS",
        started: "2026-11-30 23:00:00.000000",
        ended: Some("2026-11-30 23:10:00.000000"),
        flags: 1,
        payload: r#"{"singer_state": {"bookmarks": {}}}"#,
    };
    database.run(&row);
    database.run(&Row {
        job: "broken",
        payload: "{\u{1b}[2J",
        ..row
    });
    database.state("broken", Some("{"), Some("{}"));
    database.state("imported", Some(r#"{"singer_state": {}}"#), Some("{}"));
    let log = |id| statescope(&["log", id, "--source", &database.path()]).quiet(0);
    insta::assert_snapshot!(log("cleared"), @r"
    2 ∅ now                                        no state              -1
        runs left a state, the source has none: it was cleared (a clear leaves no run)
    1 ● run:000000010000  2026-11-30 23:10:00 UTC  succeeded  completed  +1
    ");
    insta::assert_snapshot!(log("imported"), @r"
    1 ○ now        +1
        no run of it is known: it was imported (an import leaves no run), or ran elsewhere
    ");
    insta::assert_snapshot!(log("broken"), @r"
    2 ○ now                                                                  ?
        now is not what the runs left: it was imported (an import leaves no run)
    1 · run:000000020000  2026-11-30 23:10:00 UTC  succeeded  left no state  =  its payload is not JSON: line 1, column 2: expected a key in double quotes or '}', found '\u{1b}'
    ");
    let (answer, _) =
        statescope(&["log", "broken", "--json", "--source", &database.path()]).json(0);
    assert_eq!(answer[0]["changed"], Value::Null);
}

#[test]
fn json_has_every_key() {
    let story = story();
    let (answer, errors) = statescope(&["log", JOB, "--json", "--source", &story.path()]).json(0);
    assert_eq!(errors, [] as [Value; 0]);
    let snapshots = answer.as_array().unwrap();
    let nothing = json!({"added": 0, "removed": 0, "changed": 0, "back": 0, "respelled": 0});
    assert_eq!(
        snapshots[0],
        json!({
            "number": 6, "id": "now", "at": null, "at_text": null, "origins": ["now"], "run_id": null, "status": null,
            "flags": null, "trigger": null, "started_at": null, "ended_at": null, "parts": [], "error": null,
            "trouble": null, "actor": null, "changed": nothing, "agreement": "same"
        })
    );
    let id = "00000004000000000000000000000000";
    assert_eq!(
        snapshots[2],
        json!({
            "number": 4, "id": format!("run:{id}"), "at": "2026-11-30T04:03:00.000004Z",
            "at_text": "2026-11-30 04:03:00.000004", "origins": ["run"], "run_id": id, "status": "FAIL", "flags": 1,
            "trigger": "cli", "started_at": "2026-11-30T04:00:00.000004Z", "ended_at": "2026-11-30T04:03:00.000004Z",
            "parts": ["completed", "partial"], "error": "Loader failed\nIt had no space left", "trouble": null,
            "actor": null, "changed": nothing, "agreement": null
        })
    );
    let changed: Vec<&Value> = snapshots
        .iter()
        .map(|snapshot| &snapshot["changed"])
        .collect();
    assert_eq!(changed[3]["back"], 1);
    assert_eq!(
        (&changed[4]["added"], &changed[4]["changed"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(snapshots[3]["origins"], json!(["state_edit"]));
    assert_eq!(snapshots.len(), 6);
}

#[rstest]
#[case(&["--limit", "2"], &[6, 5])]
#[case(&["--limit", "0"], &[])]
#[case(&["--since", "2026-11-30T00:00:00Z"], &[6, 5, 4])]
#[case(&["--since", "36h", "--limit", "2"], &[6, 5])]
#[case(&["--since", "2027-01-01T00:00:00Z"], &[6])]
fn some_of_the_timeline(#[case] arguments: &[&str], #[case] want: &[u64]) {
    let story = story();
    let arguments = [&["log", JOB, "--json"], arguments].concat();
    let (answer, _) = on(&story.path(), &arguments).json(0);
    let numbers = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|snapshot| snapshot["number"].as_u64().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), want);
}

#[test]
fn what_cannot_be_answered() {
    let story = story();
    let path = story.path();
    let told = statescope(&["log", JOB, "--source", &path, "--since", "soon"]).failed(2);
    assert!(told.contains("'soon' is no time"), "{told}");
    let told = statescope(&["log", "dev:tap-a", "--source", &path]).failed(3);
    insta::assert_snapshot!(without(story.folder(), &told), @r"
    statescope: there is no state ID 'dev:tap-a' in sqlite:///[DIR]/meltano.db
      try: did you mean 'dev:tap-a-to-target-b'?
    ");
}

#[test]
fn what_went_back_stands_below_each() {
    let story = story();
    let text = on(&story.path(), &["log", JOB, "--back"]).quiet(0);
    insta::assert_snapshot!(text, @r"
    3 ◆ run:000000030000  2026-11-29 17:40:00 UTC  edited by hand  completed  ~1 ◀1
        commits {acme, web} updated_at  2026-11-28T03:10:00Z → 2026-11-12T00:00:00Z   ◀ back 16 d 3 h
    ");
    let (answer, _) = on(&story.path(), &["log", JOB, "--back", "--json"]).json(0);
    let snapshots = answer.as_array().unwrap();
    assert_eq!(snapshots.len(), 1);
    assert_eq!(
        (&snapshots[0]["number"], &snapshots[0]["changed"]["back"]),
        (&json!(3), &json!(1))
    );
    let text = on(&story.path(), &["log", JOB, "--back", "--stream", "events"]).quiet(0);
    assert_eq!(text, "");
}

#[rstest]
#[case(&["--stream", "events"], &[(2, 0, 1), (1, 1, 0)])]
#[case(&["--stream", "releases"], &[(2, 1, 0)])]
#[case(&["--stream", "commits", "--limit", "1"], &[(3, 0, 1)])]
#[case(&["--path", "/singer_state/bookmarks/commits/partitions/0"], &[(2, 0, 1), (1, 1, 0)])]
#[case(&["--path", ""], &[(3, 0, 1), (2, 1, 3), (1, 1, 0)])]
fn a_part_has_a_timeline_of_its_own(#[case] arguments: &[&str], #[case] want: &[(u64, u64, u64)]) {
    let story = story();
    let arguments = [&["log", JOB, "--json"], arguments].concat();
    let (answer, _) = on(&story.path(), &arguments).json(0);
    let count = |snapshot: &Value, what: &str| snapshot["changed"][what].as_u64().unwrap();
    let snapshots = answer.as_array().unwrap().iter();
    let found = snapshots.map(|snapshot| {
        let number = snapshot["number"].as_u64().unwrap();
        (number, count(snapshot, "added"), count(snapshot, "changed"))
    });
    assert_eq!(found.collect::<Vec<_>>(), want);
}

/// A stream that is gone now had a history.
#[test]
fn a_partition_is_followed_to_where_it_stood() {
    let database = Database::new();
    let state = |partitions: &str| {
        format!(r#"{{"singer_state": {{"bookmarks": {{"s": {{"partitions": [{partitions}]}}}}}}}}"#)
    };
    let (a, a2, b, b2) = (
        r#"{"context": {"r": "a"}, "v": 1}"#,
        r#"{"context": {"r": "a"}, "v": 2}"#,
        r#"{"context": {"r": "b"}, "v": 1}"#,
        r#"{"context": {"r": "b"}, "v": 2}"#,
    );
    let states = [
        format!("{a}, {b}"),
        format!("{a2}, {b}"),
        format!("{b2}, {a2}"),
        b2.to_owned(),
    ];
    for (day, partitions) in states.iter().enumerate() {
        database.run(&Row {
            job: "job",
            status: "SUCCESS",
            started: "2026-11-01 00:00:00.000000",
            ended: Some(&format!("2026-11-0{} 00:00:00.000000", day + 1)),
            flags: 1,
            payload: &state(partitions),
        });
    }
    database.state("job", Some(&state(b2)), Some("{}"));
    let numbers = |path: &str| {
        let arguments = ["log", "job", "--json", "--path", path];
        let (answer, _) = on(&database.path(), &arguments).json(0);
        let snapshots = answer.as_array().unwrap().iter();
        let numbers = snapshots.map(|snapshot| snapshot["number"].as_u64().unwrap());
        numbers.collect::<Vec<_>>()
    };
    // What stands first now stood second in the beginning, and changed once.
    assert_eq!(numbers("/singer_state/bookmarks/s/partitions/0/v"), [3, 1]);
    // What no longer stands anywhere is what stood there last.
    assert_eq!(
        numbers("/singer_state/bookmarks/s/partitions/1/v"),
        [4, 2, 1]
    );
    let told = on(&database.path(), &["log", "job", "--stream", "t"]).failed(1);
    insta::assert_snapshot!(told, @r"
    statescope: 'job' has no stream 't'
      try: did you mean 's'?
    ");
}
