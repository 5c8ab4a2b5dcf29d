use jiff::Timestamp;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::domain::history::{Agreement, Folding, Run, RunRecord, RunStatus, Timeline};
use crate::domain::location::SourceKey;
use crate::domain::moment::Stamp;
use crate::domain::operation::OperationKind;
use crate::domain::version::Expect;

fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

fn content(text: &str) -> Content {
    Content::read(Some(text.as_bytes()))
}

fn state(completed: &str, partial: &str) -> State {
    State::meltano(content(completed), content(partial))
}

fn bytes(state: &State, part: Part) -> String {
    let bytes = state.part(part).and_then(Content::bytes).unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn parts(state: &State) -> (String, String) {
    (bytes(state, Part::Completed), bytes(state, Part::Partial))
}

fn put_at(part: Option<Part>, at: &str, value: &str) -> Edit {
    Edit::Put {
        part,
        at: Pointer::parse(at).unwrap(),
        value: document(value),
    }
}

fn set_to(text: &str, validate: bool) -> Edit {
    Edit::Set {
        document: document(text),
        validate,
    }
}

fn applied(edit: &Edit, before: Option<&State>) -> Result<Option<State>, Report> {
    edit.apply(&StateId::from("job"), before)
}

#[rstest]
#[case::spelling(
    r#"{"singer_state":{"é":1E3,"n":-0}}"#,
    r#"{"singer_state": {"\u00e9": 1000.0, "n": 0}}"#
)]
#[case::duplicates(
    r#"{"singer_state": {"a": 1, "a": 2}}"#,
    r#"{"singer_state": {"a": 2}}"#
)]
#[case::kept(
    r#"{"singer_state": {"a": NaN}, "x": []}"#,
    r#"{"singer_state": {"a": NaN}, "x": []}"#
)]
fn a_set_is_stored_in_python_form(#[case] given: &str, #[case] want: &str) {
    let before = state(
        r#"{"singer_state": {"old": 1}}"#,
        r#"{"singer_state": {"p": 1}}"#,
    );
    let after = applied(&set_to(given, true), Some(&before))
        .unwrap()
        .unwrap();
    assert_eq!(parts(&after), (want.to_owned(), "{}".to_owned()));
    assert_eq!(applied(&set_to(given, true), None).unwrap(), Some(after));
}

#[rstest]
#[case::empty("{}", true, Some("clear"))]
#[case::without(r#"{"bookmarks": {}}"#, true, Some("no `singer_state`"))]
#[case::null(r#"{"singer_state": null}"#, true, Some("no object"))]
#[case::scalar(r#"{"singer_state": 5}"#, true, Some("no object"))]
#[case::array("[1]", true, Some("no JSON object"))]
#[case::array_unchecked("[1]", false, Some("no JSON object"))]
#[case::null_unchecked("null", false, Some("no JSON object"))]
#[case::empty_unchecked("{}", false, None)]
#[case::scalar_unchecked(r#"{"singer_state": 5}"#, false, None)]
fn what_is_no_state_is_refused(
    #[case] text: &str,
    #[case] validate: bool,
    #[case] why: Option<&str>,
) {
    let result = applied(&set_to(text, validate), None);
    match why {
        None => assert_eq!(parts(&result.unwrap().unwrap()).0, text),
        Some(why) => {
            let report = result.unwrap_err();
            assert_eq!(report.fault, Fault::Usage);
            assert!(report.to_string().contains(why), "{report}");
        }
    }
}

#[rstest]
#[case::replaces(
    "/singer_state/a",
    "2",
    r#"{"singer_state":{"a":2,  "b":[1]}, "a":1,"a":2}"#
)]
#[case::adds(
    "/singer_state/c",
    "{}",
    r#"{"singer_state":{"a":1e5,  "b":[1],  "c":{}}, "a":1,"a":2}"#
)]
#[case::appends(
    "/singer_state/b/-",
    "2",
    r#"{"singer_state":{"a":1e5,  "b":[1,2]}, "a":1,"a":2}"#
)]
#[case::appends_by_number(
    "/singer_state/b/1",
    "2",
    r#"{"singer_state":{"a":1e5,  "b":[1,2]}, "a":1,"a":2}"#
)]
#[case::the_one_that_counts("/a", "3", r#"{"singer_state":{"a":1e5,  "b":[1]}, "a":1,"a":3}"#)]
#[case::keeps_its_bytes(
    "/singer_state/a",
    "\"\\u00E9\"",
    r#"{"singer_state":{"a":"\u00E9",  "b":[1]}, "a":1,"a":2}"#
)]
fn a_put_leaves_every_other_byte(#[case] at: &str, #[case] value: &str, #[case] want: &str) {
    const BEFORE: &str = r#"{"singer_state":{"a":1e5,  "b":[1]}, "a":1,"a":2}"#;
    for before in [state(BEFORE, "{}"), state("{}", BEFORE)] {
        let after = applied(&put_at(None, at, value), Some(&before))
            .unwrap()
            .unwrap();
        assert_eq!(parts(&after), (want.to_owned(), "{}".to_owned()));
    }
}

#[test]
fn a_put_on_two_parts_writes_what_they_add_up_to() {
    let before = state(r#"{"singer_state":{"a":1}}"#, r#"{"singer_state":{"b":2}}"#);
    let after = applied(&put_at(None, "/singer_state/b", "3"), Some(&before))
        .unwrap()
        .unwrap();
    let want = r#"{"singer_state": {"a": 1, "b": 3}}"#;
    assert_eq!(parts(&after), (want.to_owned(), "{}".to_owned()));
}

#[test]
fn a_put_on_one_part_leaves_the_other() {
    let before = state(r#"{"singer_state":{"a":1}}"#, r#"{"singer_state":{"b":2}}"#);
    let edit = put_at(Some(Part::Partial), "/singer_state/b", "3");
    let after = applied(&edit, Some(&before)).unwrap().unwrap();
    let want = (r#"{"singer_state":{"a":1}}"#, r#"{"singer_state":{"b":3}}"#);
    assert_eq!(parts(&after), (want.0.to_owned(), want.1.to_owned()));
}

#[rstest]
#[case("/x/y", "the document has no such member")]
#[case("/singer_state/b/7", "'/singer_state/b' is an array of 1")]
#[case("/singer_state/a/b", "'/singer_state/a' is no object and no array")]
fn a_place_that_is_not_there_says_how_far_the_way_goes(#[case] at: &str, #[case] why: &str) {
    let before = state(r#"{"singer_state":{"a":1,"b":[1]}}"#, "{}");
    let report = applied(&put_at(None, at, "1"), Some(&before)).unwrap_err();
    assert_eq!(report.fault, Fault::Usage);
    assert!(report.to_string().contains(why), "{report}");
}

#[test]
fn what_cannot_be_read_is_replaced_whole_or_not_at_all() {
    let before = State::meltano(content("{\"a"), Content::Null);
    for part in [None, Some(Part::Completed), Some(Part::Partial)] {
        let report = applied(&put_at(part, "/a", "1"), Some(&before)).unwrap_err();
        assert_eq!(report.fault, Fault::Corrupt);
    }
    let set = applied(&set_to(r#"{"singer_state": {}}"#, true), Some(&before));
    assert!(set.unwrap().is_some());
    assert_eq!(applied(&Edit::Clear, Some(&before)).unwrap(), None);
    let restore = Edit::Restore {
        state: Some(before.clone()),
    };
    assert_eq!(applied(&restore, None).unwrap(), Some(before));
}

#[test]
fn a_state_that_is_not_there_is_neither_edited_nor_cleared() {
    for edit in [put_at(None, "/a", "1"), Edit::Clear] {
        assert_eq!(applied(&edit, None).unwrap_err().fault, Fault::No);
    }
}

fn plan_of(ids: &[&str], confirmation: Confirmation, guards: Vec<Guard>) -> Plan {
    let item = |id: &&str| Item {
        id: StateId::from(*id),
        edit: Edit::Clear,
        before: Some(Stored::of_content(state("{}", "{}"), None)),
        after: None,
        findings: Vec::new(),
        consequences: Vec::new(),
    };
    Plan {
        kind: OperationKind::Clear,
        target: Target {
            site: "site".to_owned(),
            source: "sqlite:////x.db".to_owned(),
            key: SourceKey::new("sqlite:/x.db"),
            decided_by: "the command line".to_owned(),
            elsewhere: None,
        },
        items: ids.iter().map(item).collect(),
        undoes: None,
        guards,
        protected: Vec::new(),
        confirmation,
        reason: None,
    }
}

fn typed(text: &str) -> Answer {
    Answer::Typed(text.to_owned())
}

#[rstest]
#[case::yes(&["a"], None, Answer::Yes, true)]
#[case::typed_where_a_yes_does(&["a"], None, typed("a"), true)]
#[case::typed_wrong_where_a_yes_does(&["a"], None, typed("b"), false)]
#[case::yes_where_it_is_to_be_typed(&["a"], Some("a"), Answer::Yes, false)]
#[case::typed(&["a"], Some("a"), typed("a"), true)]
#[case::typed_in_part(&["ab"], Some("ab"), typed("a"), false)]
#[case::typed_empty(&["ab"], Some("ab"), typed(""), false)]
#[case::number(&["a", "b"], Some("2"), typed("2"), true)]
#[case::an_id_for_a_number(&["a", "b"], Some("2"), typed("a"), false)]
fn only_the_right_answer_confirms(
    #[case] ids: &[&str],
    #[case] wanted: Option<&str>,
    #[case] answer: Answer,
    #[case] confirmed: bool,
) {
    let confirmation = wanted.map_or(Confirmation::Yes, |text| {
        Confirmation::Typed(text.to_owned())
    });
    let plan = plan_of(ids, confirmation, Vec::new());
    match plan.clone().confirm(&answer) {
        Ok(found) => assert!(confirmed && *found.get() == plan),
        Err(report) => assert!(!confirmed && report.fault == Fault::Refused),
    }
}

#[test]
fn no_answer_passes_a_guard() {
    let guards = [
        Guard::ReadOnly("it is".to_owned()),
        Guard::Running {
            id: StateId::from("a"),
            run_id: None,
            since: None,
        },
    ];
    for guard in guards {
        let plan = plan_of(&["a"], Confirmation::Yes, vec![guard]);
        for answer in [Answer::Yes, typed("a")] {
            assert_eq!(
                plan.clone().confirm(&answer).unwrap_err().fault,
                Fault::Refused
            );
        }
    }
}

fn batch_of(item: Item) -> Group {
    let mut plan = plan_of(&[], Confirmation::Yes, Vec::new());
    plan.items = vec![item];
    let mut number = 0;
    let mut new_id = || {
        number += 1;
        format!("{number:032x}")
    };
    let at = "2026-12-01T00:00:00Z".parse().unwrap();
    let confirmed = plan.confirm(&Answer::Yes).unwrap();
    let batch = confirmed.batch(at, "cli", &mut new_id);
    batch.into_inner().groups.remove(0)
}

#[test]
fn every_change_is_conditional_on_what_was_read() {
    let stored = Stored::of_content(state("{}", "{}"), None);
    let version = stored.version.clone();
    let item = |before: Option<Stored>, after: Option<State>| Item {
        id: StateId::from("a"),
        edit: Edit::Clear,
        before,
        after,
        findings: Vec::new(),
        consequences: Vec::new(),
    };
    let expect = |group: Group| match group.0.into_iter().next() {
        Some(Change::Put { expect, .. }) => Some(expect),
        Some(Change::Delete { expect, .. }) => Some(Expect::Version(expect)),
        _ => None,
    };
    let some = Some(Expect::Version(version));
    let after = || Some(state(r#"{"singer_state": {}}"#, "{}"));
    assert_eq!(expect(batch_of(item(Some(stored.clone()), after()))), some);
    assert_eq!(expect(batch_of(item(Some(stored), None))), some);
    assert_eq!(expect(batch_of(item(None, after()))), Some(Expect::Absent));
    assert!(batch_of(item(None, None)).0.is_empty());
}

/// Folds the runs of an edit behind some other run, as Meltano does, and says how the sum relates to the table.
fn agreement_behind(earlier: &str, after: &State) -> Agreement {
    let item = Item {
        id: StateId::from("a"),
        edit: Edit::Restore {
            state: Some(after.clone()),
        },
        before: None,
        after: Some(after.clone()),
        findings: Vec::new(),
        consequences: Vec::new(),
    };
    let stamp = |at: Timestamp| Some(Stamp::utc(at.to_string()));
    let run = |row, at: Timestamp, flags, payload: &[u8]| RunRecord {
        run: Run {
            row,
            state_id: StateId::from("a"),
            run_id: None,
            status: RunStatus::StateEdit,
            started_at: stamp(at),
            ended_at: stamp(at),
            heartbeat_at: None,
            trigger: None,
            flags: Some(flags),
        },
        payload: Content::read(Some(payload)),
    };
    let first = "2026-11-01T00:00:00Z".parse().unwrap();
    let mut records = vec![run(1, first, 1, earlier.as_bytes())];
    for change in batch_of(item).0 {
        if let Change::AppendEdit(edit) = change {
            let row = i64::try_from(records.len()).unwrap() + 1;
            records.push(run(row, edit.at, edit.flags, edit.payload.bytes()));
        }
    }
    let now = Stored::of_content(after.clone(), Some(Stamp::utc("2026-12-01 00:00:00")));
    Timeline::build(StateId::from("a"), records, Folding::Written, Some(now)).agreement
}

fn singer() -> impl Strategy<Value = String> {
    let member = ("[a-c]", prop_oneof!["[0-9]", Just("{\"x\": 1}".to_owned())]);
    proptest::collection::btree_map("[a-c]", member, 0..3).prop_map(|members| {
        let members: Vec<String> = members
            .into_iter()
            .map(|(key, (inner, value))| format!("\"{key}\": {{\"{inner}\": {value}}}"))
            .collect();
        format!("{{\"singer_state\": {{{}}}}}", members.join(", "))
    })
}

proptest! {
    #[test]
    fn history_adds_up_to_what_was_put_back(
        earlier in singer(),
        completed in prop_oneof![Just("{}".to_owned()), singer()],
        partial in prop_oneof![Just("{}".to_owned()), singer()],
    ) {
        let after = state(&completed, &partial);
        prop_assume!(completed != "{}" || partial != "{}");
        prop_assume!(after.effective().is_ok());
        prop_assert_eq!(agreement_behind(&earlier, &after), Agreement::Same);
    }
}

#[rstest]
#[case(Some(r#"{"singer_state": {"bookmarks": {"a": {"d": "2026-11-20"}, "b": {}, "c": {}, "d": {}, "e": {}}}}"#), Some(r#"{"singer_state": {"bookmarks": {"a": {"d": "2026-11-10"}}}}"#), &["the next run reads the streams b, c, d and 1 more in full", "the next run reads 10 d of 1 bookmark again"])]
#[case(Some("{}"), None, &["the next run reads everything again"])]
#[case(None, Some(r#"{"singer_state": {"bookmarks": {"a": {}}}}"#), &[])]
#[case(Some(r#"{"singer_state": {"bookmarks": {"a": {"d": "2026-11-10"}}}}"#), Some(r#"{"singer_state": {"bookmarks": {"a": {"d": "2026-11-20"}}}}"#), &[])]
fn what_follows(#[case] before: Option<&str>, #[case] after: Option<&str>, #[case] want: &[&str]) {
    let of = |text: Option<&str>| text.map(|text| state(text, "{}"));
    assert_eq!(consequences(of(before).as_ref(), of(after).as_ref()), want);
}
