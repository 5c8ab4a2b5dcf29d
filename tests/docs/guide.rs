//! Runs the commands of the guide on the sample project, in a folder of their own.

use std::path::Path;
use std::process::Command;

use statescope::cli::{self, TOPICS, Topic};
use statescope::ops;

use crate::support::{Answer, Sandbox};

/// The moment at which the story of the sample ends.
const NOW: &str = "2026-11-30T04:30:00Z";

/// Stands for any text in a line, and alone on one for any lines.
const ANY: &str = "...";

/// One command, what it is to print, and how it is to end.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    code: i32,
    output: Vec<String>,
}

/// Finds the commands of a text: lines of `sh` blocks that begin with `$`, each with the output below it.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = line == "```sh";
        } else if let (true, Some(command)) = (in_block, line.strip_prefix("$ ")) {
            let (command, code) = match command.split_once("    # exits with ") {
                Some((command, code)) => (command, code.parse().expect("a code is a number")),
                None => (command, 0),
            };
            steps.push(Step {
                command: command.to_owned(),
                code,
                output: Vec::new(),
            });
        } else if in_block {
            let step = steps
                .last_mut()
                .expect("a command stands before its output");
            step.output.push(line.to_owned());
        }
    }
    steps
}

/// Tells whether a line is as wanted, where `...` stands for any text.
fn line_fits(want: &str, line: &str) -> bool {
    let Some((before, after)) = want.split_once(ANY) else {
        return want.trim_end() == line.trim_end();
    };
    line.strip_prefix(before).is_some_and(|rest| {
        let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        ends.any(|at| line_fits(after, &rest[at..]))
    })
}

/// Tells whether an output is as wanted, where `...` alone stands for any lines.
fn fits(want: &[String], lines: &[&str]) -> bool {
    match want.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == ANY => {
            (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| line_fits(first, line) && fits(rest, lines)),
    }
}

/// Puts the sample project into a sandbox.
fn stage() -> Sandbox {
    let sandbox = Sandbox::new();
    let demo = ops::demo::create(NOW.parse().expect("it is a time")).expect("a sample can be made");
    let uri = demo.site.states.location.uri();
    let database = uri
        .strip_prefix("sqlite:///")
        .expect("the sample is a SQLite file");
    let database = Path::new(database);
    let system = database.parent().expect("it lies in a folder");
    let file = std::fs::read(database).expect("the database can be read");
    sandbox.write("project/.meltano/meltano.db", file);
    let project = system
        .parent()
        .expect("it lies in a project")
        .join("meltano.yml");
    let file = std::fs::read(project).expect("the project can be read");
    sandbox.write("project/meltano.yml", file);
    sandbox
}

fn run(sandbox: &Sandbox, command: &str) -> Answer {
    let program = Path::new(env!("CARGO_BIN_EXE_statescope"));
    let folder = program.parent().expect("it lies in a folder");
    let mut shell = Command::new("/bin/sh");
    sandbox.confine(&mut shell);
    shell
        .arg("-c")
        .arg(format!("exec 2>&1\n{command}"))
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("STATESCOPE_NOW", NOW)
        .current_dir(sandbox.path("project"));
    Answer::of(&mut shell)
}

#[test]
fn every_command_of_the_guide_does_what_the_guide_says() {
    let mut wrong = String::new();
    for Topic { name, text } in TOPICS {
        let sandbox = stage();
        let steps = steps(text);
        assert!(!steps.is_empty(), "{name} shows no command");
        for step in steps {
            let Answer { code, out, .. } = run(&sandbox, &step.command);
            let lines: Vec<&str> = out.lines().collect();
            if code != Some(step.code) || !fits(&step.output, &lines) {
                let said = format!("{name}: {step:#?}\nended with {code:?} and said\n{out}\n");
                wrong.push_str(&said);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The README shows commands without a prompt, some of which open the screen or ask; none may be wrong use.
#[test]
fn every_command_of_the_readme_is_one() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(readme).expect("the README can be read");
    let program = cli::command();
    let sandbox = stage();
    sandbox.write("project/state.json", r#"{"singer_state": {}}"#);
    for folder in ["bash-completion/completions", "man/man1"] {
        sandbox.write(format!("home/.local/share/{folder}/other"), "");
    }
    let mut found = 0;
    let blocks = text.split("```sh\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    for line in blocks.flat_map(str::lines) {
        let mut words = line.split_whitespace();
        let is_ours = words.next() == Some("statescope");
        let is_answer = words
            .next()
            .is_some_and(|word| program.find_subcommand(word).is_some());
        if is_ours && is_answer {
            let answer = run(&sandbox, line);
            assert_ne!(answer.code, Some(2), "{line}: {answer:?}");
            found += 1;
        }
    }
    assert!(found > 8, "{found} commands were found");
}

#[test]
fn the_guide_is_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/guide");
    let entries = std::fs::read_dir(folder).expect("the guide can be listed");
    let mut files: Vec<String> = entries
        .map(|entry| entry.expect("an entry can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut topics: Vec<String> = TOPICS
        .iter()
        .map(|topic| format!("{}.md", topic.name))
        .collect();
    topics.sort();
    assert_eq!(files, topics);
    for topic in TOPICS {
        assert!(
            topic.text.starts_with("# "),
            "{} has no heading",
            topic.name
        );
        assert!(!topic.heading().is_empty());
        let is_odd = |c: char| c.is_control() && c != '\n';
        assert!(
            !topic.text.contains(is_odd),
            "{} has a control character",
            topic.name
        );
        assert_eq!(topic.text.matches("```").count() % 2, 0, "{}", topic.name);
    }
}

#[test]
fn what_the_guide_does_not_say_is_noticed() {
    let want = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    assert!(fits(
        &want(&["a ... c", "...", "z"]),
        &["a b c", "m", "n", "z"]
    ));
    assert!(!fits(&want(&["a ... c"]), &["a b"]));
    assert!(!fits(&want(&["a"]), &["a", "b"]));
    assert!(!fits(&want(&["a", "..."]), &["b"]));
    assert!(!fits(&want(&[]), &["a"]));
    let found = steps("```sh\n$ x    # exits with 3\ny\n```\n```toml\n$ z\n```\n");
    let step = Step {
        command: "x".to_owned(),
        code: 3,
        output: want(&["y"]),
    };
    assert_eq!(found, [step]);
}
