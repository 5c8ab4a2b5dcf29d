//! The rows that the real Meltano 4.4.1 wrote, and the rows that are written here.

use std::fs;

use jiff::Timestamp;
use rstest::rstest;
use serde_json::{Map, Value, json};
use statescope::backend::StateBackend;
use statescope::domain::edit::Edit;

use crate::programs::fixtures;
use crate::support::{Copy, document, planned_at};

type Row = Map<String, Value>;

/// Translates the command.
fn edit(case: &Value) -> (&str, Edit) {
    let words = case["argv"].as_array().unwrap().iter();
    let words: Vec<&str> = words.map(|word| word.as_str().unwrap()).collect();
    let operands: Vec<&str> = words[3..]
        .iter()
        .copied()
        .filter(|word| !word.starts_with("--"))
        .collect();
    if words[2] == "clear" {
        return (operands[0], Edit::Clear);
    }
    let text = case["files"][operands[1]].as_str().unwrap_or(operands[1]);
    let edit = Edit::Set {
        document: document(text),
        validate: true,
    };
    (operands[0], edit)
}

/// Takes the values that each write has its own of out of a row, and looks whether they are what they should be.
fn without_what_differs(mut row: Row) -> Row {
    for name in ["started_at", "ended_at", "updated_at"] {
        if let Some(Value::String(text)) = row.get_mut(name) {
            let digits = text
                .chars()
                .map(|sign| if sign.is_ascii_digit() { '0' } else { sign });
            *text = digits.collect();
        }
    }
    if let Some(Value::String(id)) = row.get_mut("run_id") {
        assert!(id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{id}");
        *id = format!("{} digits", id.len());
    }
    assert_eq!(row.get("started_at"), row.get("ended_at"));
    row
}

/// Gives the rows of a table after a case, from those before.
fn after(before: Vec<Row>, case: &Value, table: &str) -> Vec<Row> {
    let listed = |what: &str| case[format!("{table}_{what}")].as_array().unwrap().clone();
    let removed = listed("removed");
    let changed = listed("changed");
    let change = |row: Row| {
        let row = Value::Object(row);
        let change = changed.iter().find(|change| change["before"] == row);
        change.map_or(row, |change| change["after"].clone())
    };
    let kept = before
        .into_iter()
        .filter(|row| !removed.contains(&Value::Object(row.clone())))
        .map(change);
    let rows = kept.chain(listed("added"));
    rows.map(|row| row.as_object().unwrap().clone()).collect()
}

#[rstest]
#[case::new("set-prompt-yes")]
#[case::over("set-over-completed")]
#[case::from_a_file("set-input-file")]
#[case::other_keys("set-extra-keys")]
#[case::cleared("clear-one")]
#[case::empty_id("set-empty-state-id")]
#[case::trigger("set-trigger-env")]
#[tokio::test]
async fn rows_are_those_that_meltano_writes(
    #[case] name: &str,
    #[values("delete", "wal")] journal_mode: &str,
) {
    let file = fixtures().join(format!("cli/cases/{name}.json"));
    let case: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let copy = Copy::of(
        &format!("cli/{}", case["base"].as_str().unwrap()),
        journal_mode,
    );
    let want = ["runs", "state"].map(|table| after(copy.rows(table), &case, table));
    let database = copy.database();
    let trigger = case["env"]["MELTANO_JOB_TRIGGER"].as_str().unwrap_or("cli");
    let batch = planned_at(&database, vec![edit(&case)], Timestamp::now(), trigger, 1).await;
    let results = database.commit(batch).await;
    assert!(matches!(results.as_slice(), [Ok(_)]), "{results:?}");
    let found = ["runs", "state"].map(|table| copy.rows(table));
    let plain = |tables: [Vec<Row>; 2]| {
        tables.map(|rows| {
            rows.into_iter()
                .map(without_what_differs)
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(json!(plain(found)), json!(plain(want)));
    assert_eq!(copy.names(), ["meltano.db"]);
}

#[tokio::test]
async fn times_are_those_of_the_edit_in_utc_and_of_the_write_in_the_hosts_zone() {
    let copy = Copy::of_base("wal");
    let india = jiff::tz::TimeZone::get("Asia/Kolkata").unwrap();
    let database = copy.database().with_zone(india.clone());
    let at: Timestamp = "2026-12-01T00:00:00.000009999Z".parse().unwrap();
    let edits = vec![("a_b", crate::support::number(1))];
    let batch = planned_at(&database, edits, at, "cli", 1).await;
    let begun = Timestamp::now();
    let results = database.commit(batch).await;
    let ended = Timestamp::now();
    assert!(results[0].is_ok(), "{results:?}");
    let run = copy.rows("runs").pop().unwrap();
    assert_eq!(run["started_at"], "2026-12-01 00:00:00.000009");
    let states = copy.rows("state");
    let row = states.iter().find(|row| row["state_id"] == "a_b").unwrap();
    let text = row["updated_at"].as_str().unwrap();
    let civil: jiff::civil::DateTime = text.parse().unwrap();
    let written = india.to_timestamp(civil).unwrap();
    let microsecond = jiff::SignedDuration::from_micros(1);
    assert!(begun - microsecond <= written && written <= ended, "{text}");
    let stored = database.read(&"a_b".into()).await.unwrap().unwrap();
    assert_eq!(stored.modified.unwrap().instant, Some(written));
}
