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
