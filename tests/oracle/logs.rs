//! Where the real Meltano keeps a run's log we find it, and which run gave a value we say.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::{Project, words};

const JOB: &str = "dev:tap-sh-to-target-sh";

const PLUGINS: &str = "\
default_environment: dev
environments:
- name: dev
plugins:
  extractors:
  - {name: tap-sh, namespace: tap_sh, executable: ./tap.sh, capabilities: [state]}
  loaders:
  - {name: target-sh, namespace: target_sh, executable: ./target.sh}
";

/// Runs the pipeline once; the tap says a word, and leaves a bookmark.
fn run(project: &Project, word: &str, bookmark: u8) {
    let state = format!(r#"{{"bookmarks": {{"s": {{"id": {bookmark}, "same": true}}}}}}"#);
    let tap = format!("echo '{word}' >&2\necho '{{\"type\": \"STATE\", \"value\": {state}}}'\n");
    let target = format!("cat >/dev/null\necho '{state}'\n");
    for (name, script) in [("tap.sh", tap), ("target.sh", target)] {
        let script = format!("#!/bin/sh\n{script}");
        let path = project.sandbox.write(format!("project/{name}"), script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
            .expect("a script can be made executable");
    }
    let ran = project.meltano_many(&[words(&["run", "tap-sh", "target-sh"])]);
    assert_eq!(ran[0].code, Some(0), "{ran:#?}");
}

#[test]
fn the_log_of_a_run_is_found_and_its_values_are_its_own() {
    let project = Project::new();
    project.sandbox.write("project/meltano.yml", PLUGINS);
    run(&project, "the first tap speaks", 1);
    run(&project, "the second tap speaks", 2);
    let first = project
        .statescope(&["logs", &format!("{JOB}@1")])
        .out_of_success();
    let second = project.statescope(&["logs", JOB]).out_of_success();
    assert!(first.contains("the first tap speaks"), "{first}");
    assert!(second.contains("the second tap speaks"), "{second}");
    let blame = project.statescope(&["blame", JOB, "--json"]);
    let blame: Vec<Value> =
        serde_json::from_str(&blame.out_of_success()).expect("blame is a JSON array");
    let log = project.statescope(&["log", JOB, "--json"]);
    let log: Vec<Value> = serde_json::from_str(&log.out_of_success()).expect("log is an array");
    let of = |leaf: usize, run: usize| assert_eq!(blame[leaf]["snapshot"], log[run]["id"]);
    assert_eq!(blame[0]["path"], "/singer_state/bookmarks/s/id");
    assert_eq!(
        (&blame[0]["value"], &blame[0]["previous"]),
        (&2.into(), &1.into())
    );
    of(0, 1);
    assert_eq!(blame[1]["path"], "/singer_state/bookmarks/s/same");
    of(1, 2);
}
