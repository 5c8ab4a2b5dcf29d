//! What the real Meltano 4.4.1 printed, and what is printed here.

use std::collections::BTreeSet;
use std::fs;

use rstest::rstest;
use serde_json::Value;
use statescope::domain::json::{Document, python};

use crate::run::{Answer, fixtures, statescope};

/// The cases in which something else is promised, why, and the exit code that stands there instead.
const OTHERWISE: &[(&str, i32, &str)] = &[
    (
        "get-bad-format",
        2,
        "the option is called --pretty; a wrong option is wrong use in both",
    ),
    (
        "get-missing",
        1,
        "an unknown state ID is an answer of no, not `{}`",
    ),
    (
        "get-null-both",
        3,
        "Meltano crashes; that a state cannot be read is exit code 3",
    ),
    (
        "get-null-completed",
        3,
        "Meltano crashes; that a state cannot be read is exit code 3",
    ),
    (
        "get-null-partial",
        3,
        "Meltano crashes; that a state cannot be read is exit code 3",
    ),
    (
        "list-null-columns",
        0,
        "one unreadable state does not hide the others",
    ),
    (
        "list-pattern-brackets-are-literal",
        0,
        "in a glob `[ad]` is one of a set",
    ),
    (
        "list-pattern-case-insensitive",
        0,
        "a glob tells capitals from small letters",
    ),
    (
        "list-pattern-prefix",
        0,
        "a glob tells capitals from small letters",
    ),
    (
        "list-pattern-empty-pattern",
        2,
        "an empty pattern is wrong use",
    ),
    ("list-pattern-percent-alone", 0, "in a glob `%` is itself"),
    (
        "list-pattern-percent-is-wildcard",
        0,
        "in a glob `%` is itself",
    ),
    (
        "list-pattern-question-mark-is-literal",
        0,
        "in a glob `?` is any one character",
    ),
    (
        "list-pattern-underscore-is-wildcard",
        0,
        "in a glob `_` is itself",
    ),
];

/// Translates the arguments of `meltano`; what is no option here is left to fail.
fn translated(case: &Value) -> Vec<String> {
    let words = case["argv"].as_array().unwrap().iter();
    let words: Vec<&str> = words.map(|word| word.as_str().unwrap()).collect();
    // Without effect on what `meltano state` reads from a system database.
    let words: Vec<&str> = words
        .into_iter()
        .skip(1)
        .filter(|word| !word.starts_with("--environment"))
        .collect();
    let base = format!("cli/{}", case["base"].as_str().unwrap());
    let mut arguments = vec![words[1].to_owned(), "--source".to_owned(), base];
    if words[1] == "list" {
        arguments.extend(["--ids".to_owned(), "--with-state".to_owned()]);
    }
    let mut rest = words[2..].iter();
    while let Some(word) = rest.next() {
        match (*word, rest.as_slice().first()) {
            ("--format", Some(format)) if format.eq_ignore_ascii_case("pretty") => {
                rest.next();
                arguments.push("--pretty".to_owned());
            }
            (word, _) => arguments.push(word.to_owned()),
        }
    }
    arguments
}

fn cases() -> Vec<(String, Value)> {
    let folder = fixtures().join("cli/cases");
    let mut cases: Vec<(String, Value)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, path)
        })
        .filter(|(name, _)| name.starts_with("get-") || name.starts_with("list-"))
        .map(|(name, path)| {
            (
                name,
                serde_json::from_slice(&fs::read(path).unwrap()).unwrap(),
            )
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

#[test]
fn get_and_list_print_what_meltano_prints() {
    let mut compared = BTreeSet::new();
    for (name, case) in cases() {
        let arguments = translated(&case);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = statescope(&arguments);
        let code = i32::try_from(case["exit_code"].as_i64().unwrap()).unwrap();
        let want = case["stdout"].as_str().unwrap();
        match OTHERWISE.iter().find(|(other, ..)| *other == name) {
            None => {
                assert_eq!(
                    (answer.code, answer.stdout.as_str()),
                    (code, want),
                    "{name}"
                );
                compared.insert(name);
            }
            Some((_, own, _)) => assert_eq!(answer.code, *own, "{name}: {answer:?}"),
        }
    }
    assert_eq!(compared.len(), 16, "{compared:?}");
}

#[rstest]
#[case(
    "[ad]*",
    "dev:tap-github-to-target-jsonl a_b aXb a%b dev:tap-shopify-to-target-jsonl"
)]
#[case("DEV:*", "DEV:upper")]
#[case(
    "dev:*",
    "dev:tap-github-to-target-jsonl dev:tap-shopify-to-target-jsonl"
)]
#[case("%", "")]
#[case("a%b", "a%b")]
#[case("a?b", "a_b aXb a%b")]
#[case("a_b", "a_b")]
fn where_the_pattern_means_something_else(#[case] pattern: &str, #[case] want: &str) {
    let answer = statescope(&[
        "list",
        "--ids",
        "--quiet",
        "--source",
        "cli/base.db",
        "--pattern",
        pattern,
    ]);
    let ids: Vec<String> = answer.quiet(0).lines().map(str::to_owned).collect();
    assert_eq!(ids.join(" "), want);
}

/// Databases with the answers of `meltano state list` and `state get` of 4.4.1 after its upgrade of them.
#[rstest]
#[case("real-1.68.0-d135f52a6f49")]
#[case("real-2.6.0-5b43800443d1")]
#[case("real-2.7.0-f4c225a9492f")]
#[case("real-4.4.1-c0efb3c314eb")]
fn every_state_of_an_upgraded_database_is_what_meltano_gets(#[case] era: &str) {
    let folder = fixtures().join("upgrade").join(era);
    let source = format!("upgrade/{era}/after.db");
    let states = Document::parse(fs::read(folder.join("state-get.json")).unwrap()).unwrap();
    let mut compared = 0;
    for state in states.root().children() {
        let id = state.key().unwrap().decoded().into_owned();
        let want = python::dumps(state, python::Style::Compact) + "\n";
        let got = statescope(&["get", "--source", &source, "--", &id]);
        assert_eq!((got.code, got.stdout), (0, want), "{id}");
        compared += 1;
    }
    assert!(compared > 40, "{compared} states");
}

#[test]
fn the_list_of_every_upgraded_database_is_what_meltano_lists() {
    let mut compared = 0;
    for entry in fs::read_dir(fixtures().join("upgrade")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(want) = fs::read_to_string(folder.join("state-list.txt")) else {
            continue;
        };
        let source = folder.join("after.db").display().to_string();
        let Answer { code, stdout, .. } =
            statescope(&["list", "--ids", "--with-state", "--source", &source]);
        assert_eq!((code, stdout), (0, want), "{source}");
        compared += 1;
    }
    assert_eq!(compared, 21);
}
