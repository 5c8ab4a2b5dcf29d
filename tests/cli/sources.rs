//! `sources`.

use serde_json::{Value, json};

use crate::database::story;
use crate::run::{answer, command, statescope, without};

#[test]
fn what_was_found_and_what_decided_it() {
    let story = story();
    let system = story.folder().join(".meltano");
    std::fs::create_dir(&system).unwrap();
    std::fs::copy(story.file(), system.join("meltano.db")).unwrap();
    let yml = "state_backend: {uri: 's3://u:secret@bucket/state'}\n";
    std::fs::write(story.folder().join("meltano.yml"), yml).unwrap();
    let mut here = command(&["sources", "--quiet"]);
    here.current_dir(story.folder());
    let project = story
        .folder()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let text = answer(here).quiet(0);
    let text = without(story.folder(), &text).replace(&project, "[PROJECT]");
    let words: Vec<&str> = text.split("  ").filter(|word| !word.is_empty()).collect();
    insta::assert_snapshot!(words.join("  "), @r"
    ● [PROJECT]  sqlite:///[DIR]/.meltano/meltano.db  runs  revision c0efb3c314eb, states stored  chosen by Meltano's default
    ! [PROJECT]  s3://•••@bucket/state  states  not read by this version  chosen by state_backend.uri in [DIR]/meltano.yml
    ");

    let mut here = command(&["sources", "--json"]);
    here.current_dir(story.folder());
    let (found, _) = answer(here).json(0);
    let yml = story.folder().join("meltano.yml").display().to_string();
    assert_eq!(
        found[0],
        json!({
            "site": project, "name": project, "uri": format!("sqlite:///{}", system.join("meltano.db").display()),
            "kind": "sqlite", "roles": ["runs"], "reachable": true, "decided_by": "Meltano's default",
            "capabilities": {"runs": true, "states": "stored"}, "live": false,
            "elsewhere": {"uri": "s3://•••@bucket/state", "decided_by": format!("state_backend.uri in {yml}")},
            "revision": "c0efb3c314eb", "revisions": ["c0efb3c314eb"], "error": null
        })
    );
}

#[test]
fn a_source_that_cannot_be_reached_is_listed_all_the_same() {
    let arguments = ["sources", "--source", "cli/base.db", "--source", "nope.db"];
    let told = statescope(&arguments);
    assert_eq!(told.code, 3);
    insta::assert_snapshot!(without(&crate::run::fixtures(), &told.stdout), @r"
    ● base.db  sqlite:///[DIR]/cli/base.db  states, runs  revision c0efb3c314eb, states stored  chosen by the command line
    ✗ nope.db  sqlite:///[DIR]/nope.db      states, runs  there is no such file                 chosen by the command line
    ");
    assert!(told.stderr.contains("there is no such file"));
    let (found, errors) = statescope(&[&arguments[..], &["--json"]].concat()).json(3);
    assert_eq!(
        (&found[0]["reachable"], &found[1]["reachable"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(found[1]["capabilities"], Value::Null);
    assert!(
        found[1]["error"]
            .as_str()
            .unwrap()
            .contains("there is no such file")
    );
    assert_eq!(errors.len(), 1);
}

#[test]
fn the_schema_of_each_time_is_told() {
    let revision = |era: &str| {
        let source = format!("upgrade/{era}/before.db");
        let (found, _) = statescope(&["sources", "--json", "--source", &source]).json(0);
        (
            found[0]["revision"].clone(),
            found[0]["capabilities"]["states"].clone(),
        )
    };
    let want = |revision: &str, states: &str| (json!(revision), json!(states));
    assert_eq!(
        revision("real-1.68.0-d135f52a6f49"),
        want("d135f52a6f49", "derived from runs")
    );
    assert_eq!(
        revision("real-2.7.0-f4c225a9492f"),
        want("f4c225a9492f", "stored")
    );
    assert_eq!(revision("failing/two-alembic-heads-5b43").0, Value::Null);
}
