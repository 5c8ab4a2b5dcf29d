//! `diff` in its other forms.

use rstest::rstest;

use crate::database::{JOB, story};
use crate::diff::files;
use crate::run::{answer, command, on};

const LEFT: &str = r#"{"singer_state": {"bookmarks": {
    "commits": {"partitions": [
        {"context": {"org": "acme"}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"},
        {"context": {"org": "größe 日本"}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"}]},
    "gone": {"since": "2026-01-01"}, "number": {"id": 10},
    "spelled": {"at": "2026-11-30T00:00:00Z"}}}, "other": [1, 2, 3]}"#;

const RIGHT: &str = r#"{"singer_state": {"bookmarks": {
    "commits": {"partitions": [
        {"context": {"org": "größe 日本"}, "replication_key": "at", "replication_key_value": "2026-11-29T00:00:00Z"},
        {"context": {"org": "new"}, "replication_key": "at", "replication_key_value": "2026-11-30T00:00:00Z"}]},
    "new": {"since": "2026-01-01", "list": [1e5, {"x": "| <b>`\u001b[2J"}]}, "number": {"id": 12},
    "spelled": {"at": "2026-11-30T00:00:00+00:00"}}}, "other": [1, 3]}"#;

#[test]
fn json_patch_is_one_operation_a_line() {
    let told = files(LEFT, RIGHT, &["--format", "json-patch"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    [
    {"op":"remove","path":"/singer_state/bookmarks/gone"},
    {"op":"add","path":"/singer_state/bookmarks/new","value":{"since":"2026-01-01","list":[1e5,{"x":"| <b>`\u001b[2J"}]}},
    {"op":"remove","path":"/singer_state/bookmarks/commits/partitions/0"},
    {"op":"add","path":"/singer_state/bookmarks/commits/partitions/1","value":{"context":{"org":"new"},"replication_key":"at","replication_key_value":"2026-11-30T00:00:00Z"}},
    {"op":"replace","path":"/singer_state/bookmarks/commits/partitions/0/replication_key_value","value":"2026-11-29T00:00:00Z"},
    {"op":"replace","path":"/singer_state/bookmarks/number/id","value":12},
    {"op":"replace","path":"/singer_state/bookmarks/spelled/at","value":"2026-11-30T00:00:00+00:00"},
    {"op":"remove","path":"/other/1"}
    ]
    "#);
    serde_json::from_str::<serde_json::Value>(&told).unwrap();
    let told = files(LEFT, LEFT, &["--format", "json-patch"]).quiet(0);
    assert_eq!(told, "[]\n");
}

#[test]
fn merge_patch_is_one_line() {
    let told = files(LEFT, RIGHT, &["--format", "merge-patch"]).quiet(1);
    insta::assert_snapshot!(told, @r#"{"singer_state":{"bookmarks":{"gone":null,"commits":{"partitions":[{"context":{"org":"größe 日本"},"replication_key":"at","replication_key_value":"2026-11-29T00:00:00Z"},{"context":{"org":"new"},"replication_key":"at","replication_key_value":"2026-11-30T00:00:00Z"}]},"number":{"id":12},"spelled":{"at":"2026-11-30T00:00:00+00:00"},"new":{"since":"2026-01-01","list":[1e5,{"x":"| <b>`\u001b[2J"}]}}},"other":[1,3]}"#);
    let told = files(LEFT, LEFT, &["--format", "merge-patch"]).quiet(0);
    assert_eq!(told, "{}\n");
}

#[test]
fn what_a_patch_writes_cannot_reach_the_terminal() {
    let right = "{\"\u{9b}31m\": \"\u{202e}\"}";
    for format in ["json-patch", "merge-patch"] {
        let told = files("{}", right, &["--format", format]).quiet(1);
        assert!(
            told.contains(r"\u009b31m") && told.contains(r"\u202e"),
            "{told}"
        );
    }
}

#[rstest]
#[case(
    "json-patch",
    r#"{"a": [NaN]}"#,
    "a JSON Patch: a number that JSON does not have stands at '/a/0'"
)]
#[case(
    "merge-patch",
    r#"{"a": {"b": null}}"#,
    "a merge patch: a null that a merge patch cannot set stands at '/a/b'"
)]
#[case(
    "merge-patch",
    r#"{"a": {"b": 1, "b": 1}}"#,
    "a merge patch: a key that its object has twice stands at '/a/b'"
)]
fn patches_are_refused_with_the_place(
    #[case] format: &str,
    #[case] right: &str,
    #[case] why: &str,
) {
    let told = files("{}", right, &["--format", format]).failed(5);
    let (what, why) = why.split_once(": ").unwrap();
    assert!(
        told.starts_with(&format!("statescope: {what} cannot carry")),
        "{told}"
    );
    assert!(
        told.contains(&format!("\n  why: {why}, on the right\n  try: `")),
        "{told}"
    );
}

#[test]
fn side_by_side_has_both_values_of_each_change() {
    let told = files(LEFT, RIGHT, &["--format", "side-by-side"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A ./a.json                             │ B -
    2 changed · 1 of them went back · 2 added · 3 removed · 1 spelled otherwise · 4 the same

    commits {acme}
    {                                      │
      "context": {                         │
        "org": "acme"                      │
      },                                   │
      "replication_key": "at",             │
      "replication_key_value": "2026-11-30 │
    T00:00:00Z"                            │
    }                                      │

    commits {größe 日本} at   ◀ back 1 d
    2026-11-30T00:00:00Z                   │ 2026-11-29T00:00:00Z

    commits {new}
                                           │ {
                                           │   "context": {
                                           │     "org": "new"
                                           │   },
                                           │   "replication_key": "at",
                                           │   "replication_key_value": "2026-11-30
                                           │ T00:00:00Z"
                                           │ }

    gone
    {                                      │
      "since": "2026-01-01"                │
    }                                      │

    new
                                           │ {
                                           │   "since": "2026-01-01",
                                           │   "list": [
                                           │     1e5,
                                           │     {
                                           │       "x": "| <b>`\u001b[2J"
                                           │     }
                                           │   ]
                                           │ }

    number id   + 2
    10                                     │ 12

    spelled at   the same, spelled otherwise
    2026-11-30T00:00:00Z                   │ 2026-11-30T00:00:00+00:00

    other.1
    2                                      │
    "#);
    let rows = told.lines().filter(|line| line.contains('│'));
    let widths = rows.map(unicode_width::UnicodeWidthStr::width);
    assert!(widths.max().unwrap() <= 80, "{told}");
    let story = story();
    let words = ["diff", &format!("{JOB}@3"), "--format", "side-by-side"];
    insta::assert_snapshot!(on(&story.path(), &words).quiet(1), @r#"
    A dev:tap-a-to-target-b@run:0000000200 │ B dev:tap-a-to-target-b@run:0000000300
      00 (2026-11-28 04:12:03 UTC)         │   00 (2026-11-29 17:40:00 UTC)
    1 changed · 1 of them went back · 9 the same

    commits {acme, web} updated_at   ◀ back 16 d 3 h
    2026-11-28T03:10:00Z                   │ 2026-11-12T00:00:00Z
    "#);
}

#[rstest]
#[case("60", true)]
#[case("59", false)]
fn two_columns_want_room(#[case] columns: &str, #[case] fits: bool) {
    let story = story();
    let words = [
        "diff",
        &format!("{JOB}@3"),
        "--format",
        "side-by-side",
        "--source",
    ];
    let mut command = command(&words);
    command.arg(story.path()).env("COLUMNS", columns);
    let told = answer(command);
    assert_eq!(
        (told.code, told.stdout.contains('│')),
        (1, fits),
        "{told:?}"
    );
    assert_eq!(
        told.stderr.contains("this is --format text"),
        !fits,
        "{told:?}"
    );
}

#[test]
fn long_values_are_cut_in_two_columns() {
    let list: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let right = format!("{{\"list\": [{}]}}", list.join(","));
    let told = files("{}", &right, &["--format", "side-by-side"]).quiet(1);
    assert_eq!(
        told.lines().filter(|line| line.contains('│')).count(),
        1 + 24
    );
    assert!(told.ends_with("│ … (100 elements in all)\n"), "{told}");
}

#[test]
fn markdown_is_a_table_that_nothing_breaks() {
    let told = files(LEFT, RIGHT, &["--format", "markdown"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A `./a.json` → B `-`

    2 changed · 1 of them went back · 2 added · 3 removed · 1 spelled otherwise · 4 the same

    | | where | before | after | moved |
    | --- | --- | --- | --- | --- |
    | removed | `commits {acme}` | `3 keys` |  |  |
    | went back | `commits {größe 日本} at` | `2026-11-30T00:00:00Z` | `2026-11-29T00:00:00Z` | ◀ back 1 d |
    | added | `commits {new}` |  | `3 keys` |  |
    | removed | `gone` | `{"since": "2026-01-01"}` |  |  |
    | added | `new` |  | <code>&#123;&#34;since&#34;&#58; &#34;2026-01-01&#34;, &#34;list&#34;&#58; &#91;1e5, &#123;&#34;x&#34;&#58; &#34;&#124; &#60;b&#62;&#96;&#92;u001b&#91;2J&#34;&#125;&#93;&#125;</code> |  |
    | changed | `number id` | `10` | `12` | + 2 |
    | spelled otherwise | `spelled at` | `2026-11-30T00:00:00Z` | `2026-11-30T00:00:00+00:00` |  |
    | removed | `other.1` | `2` |  |  |
    "#);
    let told = files(LEFT, LEFT, &["--format", "markdown"]).quiet(0);
    insta::assert_snapshot!(told, @r#"
    A `./a.json` → B `-`

    identical, byte for byte
    "#);
    let evil = r#"{"k|`": "a\\|b\n</td><script>`|", "<img>": "[x](http://y)", "@me": "www.x", "\u2028|": "\r\n| a | b"}"#;
    let told = files("{}", evil, &["--format", "markdown"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A `./a.json` → B `-`

    4 added

    | | where | before | after | moved |
    | --- | --- | --- | --- | --- |
    | added | <code>k&#124;&#96;</code> |  | <code>&#34;a&#92;&#92;&#124;b&#92;n&#60;&#47;td&#62;&#60;script&#62;&#96;&#124;&#34;</code> |  |
    | added | `<img>` |  | `"[x](http://y)"` |  |
    | added | `@me` |  | `"www.x"` |  |
    | added | <code>&#92;u&#123;2028&#125;&#124;</code> |  | <code>&#34;&#92;r&#92;n&#124; a &#124; b&#34;</code> |  |
    "#);
}

#[test]
fn stat_counts_by_stream() {
    let told = files(LEFT, RIGHT, &["--stat"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    commits           | 3 ◀+-
    gone              | 1 -
    new               | 1 +
    number            | 1 ~
    spelled           | 1 ≈
    (outside streams) | 1 -
    2 changed · 1 of them went back · 2 added · 3 removed · 1 spelled otherwise · 4 the same
    "#);
    let told = files(LEFT, LEFT, &["--stat"]).quiet(0);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    identical, byte for byte
    "#);
}

#[rstest]
#[case(&["--json", "--format", "text"], "--json and --format are two forms of one answer")]
#[case(&["--json", "--stat"], "--json and --stat are two forms of one answer")]
#[case(&["--stat", "--format", "text"], "cannot be used with")]
#[case(&["--format", "html"], "invalid value 'html'")]
fn forms_do_not_go_together(#[case] more: &[&str], #[case] why: &str) {
    let told = files("{}", "{}", more).failed(2);
    assert!(told.contains(why), "{told}");
}

#[test]
fn every_form_but_a_patch_stops_at_a_thousand_changes() {
    let object = |value: &str| {
        let members: Vec<String> = (0..1_001).map(|i| format!("\"k{i}\": {value}")).collect();
        format!("{{{}}}", members.join(", "))
    };
    let (left, right) = (object("1"), object("2"));
    for format in ["text", "side-by-side", "markdown"] {
        let told = files(&left, &right, &["--format", format]).quiet(1);
        assert!(told.contains("… and 1 more; "), "{format}: {told}");
        assert!(told.contains("k999") && !told.contains("k1000"), "{format}");
    }
    for format in ["json-patch", "merge-patch"] {
        let told = files(&left, &right, &["--format", format]).quiet(1);
        assert!(told.contains("k1000"), "{format}");
    }
}

#[test]
fn shapes_are_compared_without_values() {
    let left = r#"{"singer_state": {"bookmarks": {"commits": {"partitions": [
        {"context": {"k": 1}, "at": "2026-11-30"}, {"context": {"k": 2}, "at": "2026-11-29"}]}, "s": {"id": 1}}}}"#;
    let same = r#"{"singer_state": {"bookmarks": {"s": {"id": 7}, "commits": {"partitions": [
        {"context": {"k": 9}, "at": ""}]}}}}"#;
    let told = files(left, same, &["--shape"]).quiet(0);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    the same shape
    "#);
    let other = r#"{"singer_state": {"bookmarks": {"s": {"id": "7", "n": [1, 2]}, "commits": {"partitions": [
        {"context": {"k": 9}, "at": ""}, {"context": {"k": 9}, "at": null}]}}}}"#;
    let told = files(left, other, &["--shape"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    1 changed · 2 added · 2 the same
      s
                         id               integer → string
      +                  n                ["integer"]
    + commits {integer}  whole partition
    "#);
    let told = files(left, other, &["--shape", "--format", "markdown"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A `./a.json` → B `-`

    1 changed · 2 added · 2 the same

    | | where | before | after | moved |
    | --- | --- | --- | --- | --- |
    | changed | `s id` | `integer` | `string` |  |
    | added | `s n` |  | `["integer"]` |  |
    | added | `commits {integer}` |  | `{"context": {"k": "integer"}, "at": "null"}` |  |
    "#);
    let told = files(left, other, &["--shape", "--stat"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A ./a.json → B -
    s       | 2 ~+
    commits | 1 +
    1 changed · 2 added · 2 the same
    "#);
    let (answer, _) = files(left, other, &["--shape", "--json"]).json(1);
    let pointer = "/singer_state/bookmarks/commits/partitions/1";
    assert_eq!(answer["changes"][2]["path"], pointer, "{answer}");
}

#[test]
fn a_patch_has_no_shape() {
    let told = files("{}", "{}", &["--shape", "--format", "json-patch"]).failed(2);
    assert!(told.contains("leave out --shape"), "{told}");
}
