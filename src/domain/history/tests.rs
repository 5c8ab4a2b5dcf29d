use super::*;
use crate::report::Fault;
use jiff::tz::TimeZone;
use rstest::rstest;

fn record(row: i64, ended: &str, flags: i64, payload: &str) -> RunRecord {
    let stamp = (!ended.is_empty()).then(|| Stamp::utc(ended));
    RunRecord {
        run: Run {
            row,
            state_id: "job".into(),
            run_id: Some(format!("{row:032x}")),
            status: RunStatus::Success,
            started_at: Some(Stamp::utc("2026-01-01 00:00:00")),
            ended_at: stamp,
            heartbeat_at: None,
            trigger: None,
            flags: Some(flags),
        },
        payload: Content::read(Some(payload.as_bytes())),
    }
}

fn text(state: &State) -> String {
    state
        .effective()
        .map_or_else(|why| why.to_string(), |document| document.text().to_owned())
}

fn stored(completed: &str, partial: &str, modified: Option<&str>) -> Stored {
    let content = |text: &str| Content::read(Some(text.as_bytes()));
    let state = State::meltano(content(completed), content(partial));
    Stored::of_content(state, modified.map(Stamp::utc))
}

const A: &str = r#"{"singer_state": {"a": 1}}"#;
const B: &str = r#"{"singer_state": {"b": 2}}"#;

/// The rules that the fixtures' upgrade follows, one a row.
#[rstest]
#[case::latest_by_end_not_by_row(vec![(1, "2026-01-03 00:00:00", 1, B), (2, "2026-01-02 00:00:00", 1, A)], B)]
#[case::lowest_row_of_a_tie(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "2026-01-02 00:00:00", 1, B)], A)]
#[case::incomplete_later_is_merged(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "2026-01-03 00:00:00", 2, B)], r#"{"singer_state": {"a": 1, "b": 2}}"#)]
#[case::incomplete_at_the_same_time_is_not(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "2026-01-02 00:00:00", 2, B)], A)]
#[case::incomplete_tie_before_the_row(vec![(1, "2026-01-02 00:00:00", 2, B), (2, "2026-01-02 00:00:00", 1, A)], A)]
#[case::no_end_does_not_count(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "", 1, B)], A)]
#[case::t_is_later_as_text(vec![(1, "2026-01-02T00:00:00", 1, A), (2, "2026-01-02 09:00:00", 1, B)], A)]
#[case::no_singer_state_counts_for_its_time(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "2026-01-03 00:00:00", 1, "{}")], "{}")]
#[case::flags_zero_never_read(vec![(1, "2026-01-02 00:00:00", 1, A), (2, "2026-01-03 00:00:00", 0, "not json")], A)]
#[case::nothing_counts(vec![(1, "", 0, "{}")], "{}")]
fn derived_states(#[case] rows: Vec<(i64, &str, i64, &str)>, #[case] want: &str) {
    let records: Vec<_> = rows
        .iter()
        .map(|(row, ended, flags, payload)| record(*row, ended, *flags, payload))
        .collect();
    assert_eq!(text(&derive(records.clone())), want);
    let wanted = derives_from(records.iter().map(|record| &record.run));
    let few = records
        .into_iter()
        .filter(|record| wanted.contains(&record.run.row))
        .collect();
    assert_eq!(text(&derive(few)), want, "the rows named are enough");
}

#[test]
fn a_derived_state_that_cannot_be_merged_is_a_conflict() {
    let state = derive(vec![
        record(1, "2026-01-01 00:00:00", 2, r#"{"singer_state": null}"#),
        record(2, "2026-01-02 00:00:00", 2, r#"{"singer_state": {"a": 1}}"#),
    ]);
    assert!(matches!(state.effective(), Err(NoEffective::Conflict(_))));
    let broken = derive(vec![record(1, "2026-01-01 00:00:00", 1, "{\"a\"")]);
    assert!(matches!(
        broken.effective(),
        Err(NoEffective::Unreadable(..))
    ));
}

#[test]
fn written_states_keep_a_pending_partial_until_a_complete_run() {
    let records = vec![
        record(
            1,
            "2026-01-01 00:00:00",
            1,
            r#"{"singer_state": {"a": 1}, "error": "x"}"#,
        ),
        record(2, "2026-01-02 00:00:00", 2, B),
        record(3, "2026-01-03 00:00:00", 0, "{}"),
        record(4, "2026-01-04 00:00:00", 1, B),
    ];
    let timeline = Timeline::build(
        "job".into(),
        records,
        Folding::Written,
        Some(stored(B, "{}", None)),
    );
    let states: Vec<_> = timeline
        .snapshots
        .iter()
        .map(|s| s.effective.as_ref().unwrap().text().to_owned())
        .collect();
    assert_eq!(
        states,
        [
            A,
            r#"{"singer_state": {"a": 1, "b": 2}}"#,
            r#"{"singer_state": {"a": 1, "b": 2}}"#,
            B,
            B
        ]
    );
    assert_eq!(timeline.agreement, Agreement::Same);
    assert_eq!(timeline.snapshots[0].error.as_deref(), Some("x"));
    assert!(timeline.snapshots[2].wrote.is_empty());
    assert!(timeline.snapshots[4].is_now());
}

#[rstest]
#[case::same(Some(stored(A, "{}", None)), Agreement::Same)]
#[case::cleared(None, Agreement::Cleared)]
#[case::imported(Some(stored(B, "{}", None)), Agreement::Imported)]
#[case::unexplained(
    Some(stored(B, "{}", Some("2026-02-01 00:00:00"))),
    Agreement::Unexplained
)]
fn a_difference_between_fold_and_source_is_explained(
    #[case] now: Option<Stored>,
    #[case] want: Agreement,
) {
    let records = vec![record(1, "2026-01-01 00:00:00", 1, A)];
    assert_eq!(
        Timeline::build("job".into(), records, Folding::Written, now).agreement,
        want
    );
}

#[test]
fn a_state_of_which_no_run_is_known_says_so() {
    let timeline = Timeline::build(
        "job".into(),
        Vec::new(),
        Folding::Written,
        Some(stored(A, "{}", None)),
    );
    assert_eq!(timeline.agreement, Agreement::NoRuns);
}

#[test]
fn what_the_upgrade_computed_is_told_from_an_import() {
    let records = vec![
        record(1, "2026-01-02 00:00:00", 1, A),
        record(2, "2026-01-02 00:00:00", 1, B),
    ];
    let timeline = Timeline::build(
        "job".into(),
        records,
        Folding::Written,
        Some(stored("{}", A, None)),
    );
    assert_eq!(timeline.agreement, Agreement::Upgraded);
}

/// The upgrade passes over a run without an end, and may so leave a state that is empty.
#[test]
fn an_empty_state_that_the_upgrade_left_is_not_an_import() {
    let records = vec![record(1, "", 1, A)];
    let timeline = Timeline::build(
        "job".into(),
        records,
        Folding::Written,
        Some(stored("{}", "{}", None)),
    );
    assert_eq!(timeline.agreement, Agreement::Upgraded);
}

#[test]
fn before_the_state_table_nothing_was_imported_or_upgraded() {
    let timeline = Timeline::build(
        "job".into(),
        vec![record(1, "2026-01-02 00:00:00", 1, A)],
        Folding::Derived,
        Some(stored(B, "{}", None)),
    );
    assert_eq!(timeline.agreement, Agreement::Unexplained);
}

#[test]
fn unreadable_payloads_and_missing_ends_are_shown() {
    let records = vec![
        record(1, "2026-01-02 00:00:00", 1, A),
        record(2, "", 1, B),
        record(3, "2026-01-03 00:00:00", 1, "{\"singer"),
    ];
    let timeline = Timeline::build(
        "job".into(),
        records,
        Folding::Written,
        Some(stored(A, "{}", None)),
    );
    assert_eq!(timeline.snapshots.len(), 4);
    assert!(
        timeline.snapshots[2]
            .trouble
            .as_ref()
            .unwrap()
            .contains("not JSON")
    );
    assert_eq!(
        timeline.snapshots[2].effective,
        timeline.snapshots[1].effective
    );
}

#[test]
fn snapshots_are_found_as_people_name_them() {
    let records = vec![
        record(0xaa, "2026-01-01 10:00:00", 1, A),
        record(0xab, "2026-01-02 10:00:00", 1, B),
    ];
    let timeline = Timeline::build(
        "job".into(),
        records,
        Folding::Written,
        Some(stored(B, "{}", None)),
    );
    let clock = Clock {
        now: "2026-01-03T12:00:00Z".parse().unwrap(),
        zone: TimeZone::fixed(jiff::tz::offset(1)),
    };
    let number = |text: &str| {
        timeline
            .find(text, &clock)
            .map(|snapshot| snapshot.number)
            .map_err(|report| report.fault)
    };
    assert_eq!(number("now"), Ok(3));
    assert_eq!(number("-1"), Ok(3));
    assert_eq!(number("-3"), Ok(1));
    assert_eq!(number("2"), Ok(2));
    assert_eq!(number("4"), Err(Fault::NotFound));
    assert_eq!(number("run:000000000000000000000000000000aa"), Ok(1));
    assert_eq!(number("run:0000"), Err(Fault::Usage));
    assert_eq!(number("run:ff"), Err(Fault::NotFound));
    assert_eq!(number("2026-01-02T10:00:00Z"), Ok(2));
    assert_eq!(
        number("2026-01-02 10:59"),
        Ok(1),
        "local time, an hour ahead of UTC"
    );
    assert_eq!(number("30h"), Ok(1));
    assert_eq!(number("26h"), Ok(2));
    assert_eq!(number("yesterday 11:00"), Ok(2));
    assert_eq!(number("yesterday"), Ok(1));
    assert_eq!(number("3w"), Err(Fault::NotFound));
    assert_eq!(number("nonsense"), Err(Fault::NotFound));
}

#[rstest]
#[case("2026-01-01 11:56:00", None, true)]
#[case("2026-01-01 11:54:00", None, false)]
#[case("", Some("2025-12-31 12:30:00"), true)]
#[case("", Some("2025-12-31 11:30:00"), false)]
fn staleness_follows_meltano(
    #[case] heartbeat: &str,
    #[case] started: Option<&str>,
    #[case] alive: bool,
) {
    let mut run = record(1, "", 0, "{}").run;
    run.status = RunStatus::Running;
    run.heartbeat_at = (!heartbeat.is_empty()).then(|| Stamp::utc(heartbeat));
    run.started_at = started.map(Stamp::utc);
    assert_eq!(run.is_alive("2026-01-01T12:00:00Z".parse().unwrap()), alive);
}
