use super::*;
use rstest::rstest;

fn content(text: Option<&str>) -> Content {
    Content::read(text.map(str::as_bytes))
}

fn state(completed: &str, partial: &str) -> State {
    State::meltano(content(Some(completed)), content(Some(partial)))
}

/// The answers of Meltano 4.4.1's `merge` and `state get`.
#[rstest]
#[case(r#"{"a": 1}"#, "{}", r#"{"a": 1}"#)]
#[case("{}", r#"{"a":1}"#, r#"{"a":1}"#)]
#[case("{}", "{}", "{}")]
#[case(
    r#"{"a": {"b": 1, "c": 2}}"#,
    r#"{"a": {"c": 3, "d": 4}}"#,
    r#"{"a": {"b": 1, "c": 3, "d": 4}}"#
)]
#[case(
    r#"{"z": 1, "a": 2}"#,
    r#"{"b": 1, "a": [1]}"#,
    r#"{"z": 1, "a": [1], "b": 1}"#
)]
#[case(r#"{"a": {"b": 1}}"#, r#"{"a": null}"#, r#"{"a": null}"#)]
#[case(r#"{"a": 5}"#, r#"{"a": {}}"#, r#"{"a": 5}"#)]
#[case(
    r#"{"a": 1, "a": 2, "b": 1E3}"#,
    r#"{"c": "ü", "c": -0}"#,
    r#"{"a": 2, "b": 1000.0, "c": 0}"#
)]
fn effective_is_partial_over_completed(
    #[case] completed: &str,
    #[case] partial: &str,
    #[case] want: &str,
) {
    assert_eq!(state(completed, partial).effective().unwrap().text(), want);
}

#[rstest]
#[case(r#"{"a": 5}"#, r#"{"a": {"b": 1}}"#, "/a")]
#[case(r#"{"a": {"b": null}}"#, r#"{"a": {"b": {"c": 1}}}"#, "/a/b")]
#[case(r#"{"x/y": [1]}"#, r#"{"x/y": {"c": 1}}"#, "/x~1y")]
fn a_merge_that_meltano_cannot_do_names_the_place(
    #[case] completed: &str,
    #[case] partial: &str,
    #[case] path: &str,
) {
    let Err(NoEffective::Conflict(conflict)) = state(completed, partial).effective() else {
        panic!("merged");
    };
    assert_eq!(conflict.path.to_string(), path);
}

#[test]
fn null_unreadable_and_other_values_have_no_effective_state() {
    let null = State::meltano(content(None), content(Some("{}")));
    assert_eq!(
        null.effective(),
        Err(NoEffective::NullPart(Part::Completed))
    );
    let broken = State::meltano(content(Some("{}")), content(Some("{\"a\": 1")));
    assert!(matches!(
        broken.effective(),
        Err(NoEffective::Unreadable(Part::Partial, _))
    ));
    assert_eq!(
        state("[1]", "{}").effective(),
        Err(NoEffective::NotAnObject(Part::Completed))
    );
}

#[test]
fn nesting_deeper_than_python_can_merge_is_a_conflict() {
    let deep = format!("{}1{}", "{\"a\":".repeat(2000), "}".repeat(2000));
    assert!(matches!(
        state(&deep, &deep).effective(),
        Err(NoEffective::Conflict(_))
    ));
}

#[test]
fn bookmarks_are_found_in_every_shape_that_taps_write() {
    let text = r#"{"singer_state": {"bookmarks": {
        "issues": {"since": "2026-11-30T03:58:10Z"},
        "events": {"replication_key": "id", "replication_key_value": 8812331, "starting_replication_value": 1},
        "commits": {"partitions": [
            {"context": {"org": "acme", "repo": "api"}, "replication_key": "updated_at", "replication_key_value": "2026-11-30T03:59:58Z"},
            {"context": {"org": "acme", "repo": "web"}, "replication_key": "updated_at", "replication_key_value": "2026-11-12"}]},
        "acme/api": {"pulls": {"since": "2026-10-01T00:00:00Z"}},
        "plain": "2026-09-01",
        "full": {}
    }, "currently_syncing": "issues"}}"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let found = bookmarks(&document)
        .iter()
        .map(|b| {
            format!(
                "{} {} {} {}",
                b.stream.decoded(),
                b.context.map_or("-", |c| c.raw()),
                b.name.decoded(),
                b.value.raw()
            )
        })
        .collect::<Vec<_>>();
    assert_eq!(
        found,
        [
            r#"issues - since "2026-11-30T03:58:10Z""#,
            "events - id 8812331",
            r#"commits {"org": "acme", "repo": "api"} updated_at "2026-11-30T03:59:58Z""#,
            r#"commits {"org": "acme", "repo": "web"} updated_at "2026-11-12""#,
            r#"acme/api - since "2026-10-01T00:00:00Z""#,
            r#"plain - plain "2026-09-01""#,
        ]
    );
    assert_eq!(stream_names(&document).len(), 6);
    let ages = BookmarkAges::of(&document).unwrap();
    assert_eq!(ages.newest.to_string(), "2026-11-30T03:59:58Z");
    assert_eq!(
        (
            ages.oldest.to_string().as_str(),
            ages.oldest_stream.as_str()
        ),
        ("2026-09-01T00:00:00Z", "plain")
    );
}
