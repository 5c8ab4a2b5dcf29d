//! `diff` of many states with as many others.

use rstest::rstest;
use serde_json::{Value, json};

use crate::database::Database;
use crate::run::{Answer, on, statescope};

/// Makes a database of states.
fn database(states: &[(&str, &str)]) -> Database {
    let database = Database::new();
    for (id, state) in states {
        database.state(id, Some(state), Some("{}"));
    }
    database
}

fn stream(at: &str) -> String {
    format!(r#"{{"singer_state": {{"bookmarks": {{"s": {{"at": "{at}"}}, "t": {{"id": 1}}}}}}}}"#)
}

/// Makes a database in which one environment is like another, and then not.
fn environments() -> Database {
    let (old, new) = (
        stream("2026-11-29T00:00:00Z"),
        stream("2026-11-30T00:00:00Z"),
    );
    let spaced = new.replace(' ', "");
    database(&[
        ("prod:a", &new),
        ("prod:b", &new),
        ("prod:c|`日本", &new),
        ("prod:gone", &new),
        ("staging:a", &spaced),
        ("staging:b", &old),
        ("staging:c|`日本", "{}"),
        ("staging:new", &old),
        ("other", "{}"),
    ])
}

fn diff(database: &Database, words: &[&str]) -> Answer {
    on(&database.path(), &[&["diff"], words].concat())
}

#[test]
fn patterns_pair_by_what_their_wildcards_took() {
    let told = diff(&environments(), &["prod:*", "staging:*"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A prod:* → B staging:*
    = prod:a → staging:a
    ≠ prod:b → staging:b              1 changed · 1 of them went back
    ≠ prod:c|`日本 → staging:c|`日本  1 removed
    - prod:gone                       only left
    + staging:new                     only right
    1 equal · 2 different · 1 only left · 1 only right
    "#);
    let told = diff(&environments(), &["prod:*", "staging:*", "--stat"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A prod:* → B staging:*
    1 equal · 2 different · 1 only left · 1 only right
    1 changed · 1 of them went back · 1 removed
    "#);
    let told = diff(
        &environments(),
        &["prod:*", "staging:*", "--format", "markdown"],
    )
    .quiet(1);
    insta::assert_snapshot!(told, @r#"
    A `prod:*` → B `staging:*`

    | | left | right | changes |
    | --- | --- | --- | --- |
    | ≠ | `prod:b` | `staging:b` | 1 changed · 1 of them went back |
    | ≠ | <code>prod&#58;c&#124;&#96;日本</code> | <code>staging&#58;c&#124;&#96;日本</code> | 1 removed |
    | - | `prod:gone` |  | only left |
    | + |  | `staging:new` | only right |

    1 equal · 2 different · 1 only left · 1 only right
    "#);
}

#[test]
fn json_has_every_pair_with_its_changes() {
    let database = environments();
    let (answer, errors) = diff(&database, &["prod:*", "staging:*", "--json"]).json(1);
    assert_eq!(errors, Vec::<Value>::new());
    let source = format!("sqlite:///{}", database.path());
    let change = json!({"path": "/singer_state/bookmarks/s/at", "kind": "changed", "before": "2026-11-30T00:00:00Z",
        "after": "2026-11-29T00:00:00Z", "place": {"stream": "s", "context": null, "rest": ["at"]},
        "distance": {"seconds": -86_400}, "back": true});
    let mut answer = answer;
    let last = answer["pairs"][2]["changes"].take();
    assert_eq!(last.as_array().unwrap().len(), 1);
    assert_eq!(
        answer,
        json!({
            "left": {"source": source, "pattern": "prod:*"},
            "right": {"source": source, "pattern": "staging:*"},
            "pairs": [
                {"left": "prod:a", "right": "staging:a", "equal": true, "only": null, "changes": []},
                {"left": "prod:b", "right": "staging:b", "equal": false, "only": null, "changes": [change]},
                {"left": "prod:c|`日本", "right": "staging:c|`日本", "equal": false, "only": null, "changes": null},
                {"left": "prod:gone", "right": null, "equal": false, "only": "left", "changes": null},
                {"left": null, "right": "staging:new", "equal": false, "only": "right", "changes": null},
            ],
            "equal": false,
        })
    );
}

#[test]
fn whole_sources_pair_by_id() {
    let state = stream("2026-11-30T00:00:00Z");
    let one = database(&[("x", &state), ("y", &state)]);
    let other = database(&[("y", &state), ("x", &state)]);
    let sides = [format!("{}::", one.path()), format!("{}::", other.path())];
    let hide = |text: String| {
        let text = text.replace(&one.path(), "[ONE]");
        text.replace(&other.path(), "[OTHER]")
    };
    let told = statescope(&["diff", &sides[0], &sides[1]]).quiet(0);
    insta::assert_snapshot!(hide(told), @r#"
    A sqlite:///[ONE]:: → B sqlite:///[OTHER]::
    = x
    = y
    2 equal
    "#);
    let (answer, _) = statescope(&["diff", &sides[0], &sides[1], "--json"]).json(0);
    assert_eq!(answer["equal"], json!(true));
    assert_eq!(answer["left"]["pattern"], Value::Null);
    other.state("z", Some("{}"), Some("{}"));
    let told = statescope(&["diff", &sides[0], &sides[1]]).quiet(1);
    insta::assert_snapshot!(hide(told), @r#"
    A sqlite:///[ONE]:: → B sqlite:///[OTHER]::
    = x
    = y
    + z  only right
    2 equal · 1 only right
    "#);
    let pattern = format!("{}::x*", other.path());
    let told = statescope(&["diff", &sides[0], &pattern]).failed(2);
    assert!(told.contains("write `SOURCE::` on both sides"), "{told}");
    let sides = [format!("{}::*", one.path()), pattern];
    let told = statescope(&["diff", &sides[0], &sides[1]]).quiet(1);
    assert!(told.contains("- x  only left\n+ x  only right\n"), "{told}");
    let empty = Database::new();
    let sides = [format!("{}::x*", empty.path()), sides[1].clone()];
    let told = statescope(&["diff", &sides[0], &sides[1]]).failed(3);
    assert!(told.contains("matches 'x*'"), "{told}");
}

#[test]
fn sources_without_states_are_equal() {
    let (one, other) = (Database::new(), Database::new());
    let sides = [format!("{}::", one.path()), format!("{}::", other.path())];
    let told = statescope(&["diff", &sides[0], &sides[1]]).quiet(0);
    assert!(told.ends_with("\nno states on either side\n"), "{told}");
    let (answer, _) = statescope(&["diff", &sides[0], &sides[1], "--json"]).json(0);
    assert_eq!(
        (&answer["equal"], &answer["pairs"]),
        (&json!(true), &json!([]))
    );
}

#[test]
fn a_state_that_cannot_be_told_is_said_and_the_others_compared() {
    let database = environments();
    database.state("prod:bad", None, None);
    database.state("staging:bad", Some("{}"), Some("{}"));
    let told = diff(&database, &["prod:*", "staging:*"]);
    assert_eq!(told.code, 3, "{told:?}");
    assert!(
        told.stderr
            .contains("the state of 'prod:bad' cannot be compared"),
        "{told:?}"
    );
    assert!(told.stdout.contains("? prod:bad → staging:bad"), "{told:?}");
    assert!(told.stdout.contains("= prod:a"), "{told:?}");
    let (answer, errors) = diff(&database, &["prod:*", "staging:*", "--json"]).json(3);
    assert_eq!(errors[0]["state_id"], "prod:bad");
    let pairs = answer["pairs"].as_array().unwrap();
    let pair = pairs
        .iter()
        .find(|pair| pair["left"] == "prod:bad")
        .unwrap();
    assert_eq!(
        (&pair["equal"], &pair["changes"]),
        (&Value::Null, &Value::Null)
    );
    let told = diff(&database, &["prod:*", "staging:*", "--best-effort"]);
    assert_eq!(told.code, 1, "{told:?}");
}

/// More states differ than are read one by one.
#[test]
fn many_differing_states_are_read_at_once() {
    let (old, new) = (
        stream("2026-11-29T00:00:00Z"),
        stream("2026-11-30T00:00:00Z"),
    );
    let database = Database::new();
    for number in 0..50 {
        database.state(&format!("a:{number}"), Some(&old), Some("{}"));
        database.state(&format!("b:{number}"), Some(&new), Some("{}"));
    }
    let (answer, _) = diff(&database, &["a:*", "b:*", "--json"]).json(1);
    let pairs = answer["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 50);
    for pair in pairs {
        let (left, right) = (
            pair["left"].as_str().unwrap(),
            pair["right"].as_str().unwrap(),
        );
        assert_eq!(left.strip_prefix('a'), right.strip_prefix('b'));
        assert_eq!(pair["changes"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn shapes_of_many_are_compared() {
    let told = diff(&environments(), &["prod:*", "staging:*", "--shape"]).quiet(1);
    insta::assert_snapshot!(told, @r#"
    A prod:* → B staging:*
    = prod:a → staging:a
    = prod:b → staging:b
    ≠ prod:c|`日本 → staging:c|`日本  1 removed
    - prod:gone                       only left
    + staging:new                     only right
    2 equal · 1 different · 1 only left · 1 only right
    "#);
}

#[rstest]
#[case(&["prod:*"], 2, "nothing to compare them with")]
#[case(&["prod:*", "staging:a"], 2, "'staging:a' means one state, and 'prod:*' many")]
#[case(&["prod:a", "staging:*"], 2, "'prod:a' means one state, and 'staging:*' many")]
#[case(&["-", "staging:*"], 2, "'-' means one state")]
#[case(&["prod:*", "*:*"], 2, "'prod:*' has 1 wildcards, and '*:*' 2")]
#[case(&["prod:*", "staging:*", "--at", "2h"], 2, "compared as they are now")]
#[case(&["prod:*", "staging:*", "--format", "json-patch"], 2, "no answer in this --format")]
#[case(&["prod:*", "staging:*", "--format", "side-by-side"], 2, "no answer in this --format")]
#[case(&["prod:*[", "staging:*["], 2, "is not closed")]
#[case(&["prod:*", "nope:*"], 3, "no state in")]
fn what_many_cannot_be(#[case] words: &[&str], #[case] code: i32, #[case] why: &str) {
    let told = diff(&environments(), words).failed(code);
    assert!(told.contains(why), "{told}");
}

#[test]
fn a_bare_pattern_is_of_one_source() {
    let (one, other) = (environments(), environments());
    let words = [
        "diff",
        "prod:*",
        "staging:*",
        "--source",
        &one.path(),
        "--source",
        &other.path(),
    ];
    let told = statescope(&words).failed(2);
    assert!(
        told.contains("several sources") && told.contains("write 'SOURCE::prod:*'"),
        "{told}"
    );
}
