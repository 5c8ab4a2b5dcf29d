//! What the program says about itself: help, the guide, the manual, completions.

use std::process::{Command, Stdio};

use rstest::rstest;
use statescope::cli::{self, TOPICS};
use tempfile::TempDir;

use crate::run::{answer, command, statescope};

/// The names of all commands that are shown.
fn commands() -> Vec<String> {
    let program = cli::command();
    let shown = program.get_subcommands().filter(|one| !one.is_hide_set());
    shown.map(|one| one.get_name().to_owned()).collect()
}

#[test]
fn help_lists_the_commands_and_the_topics() {
    let help = statescope(&["help"]).quiet(0);
    let lists = |name: &str| {
        let start = format!("  {name} ");
        help.lines().any(|line| line.starts_with(&start))
    };
    for name in commands() {
        assert!(lists(&name), "{name} in {help}");
    }
    for topic in TOPICS {
        assert!(
            lists(topic.name) && help.contains(topic.heading()),
            "{}",
            topic.name
        );
    }
}

#[rstest]
#[case(&["list"])]
#[case(&["config", "show"])]
fn help_on_a_command_is_what_the_command_says_itself(#[case] words: &[&str]) {
    let help = statescope(&[&["help"], words].concat()).quiet(0);
    assert_eq!(help, statescope(&[words, &["--help"]].concat()).quiet(0));
    assert!(
        help.contains(&format!("Usage: statescope {}", words.join(" "))),
        "{help}"
    );
}

#[test]
fn help_on_a_topic_is_the_guide_as_plain_text() {
    for topic in TOPICS {
        let text = statescope(&["help", topic.name]).quiet(0);
        assert!(text.contains(&format!("{}\n", topic.heading())), "{text}");
        for mark in ["```", "\u{1b}"] {
            assert!(!text.contains(mark), "{mark} in {}", topic.name);
        }
        assert!(!text.lines().any(|line| line.starts_with('#')), "{text}");
        assert!(text.contains("\n    $ statescope "), "{text}");
        let is_text = |line: &&str| !line.starts_with([' ', '|']) || line.starts_with("  -");
        for line in text.lines().filter(is_text) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let coloured = statescope(&["help", "states", "--color", "always"]).quiet(0);
    let heading = TOPICS
        .iter()
        .find(|topic| topic.name == "states")
        .unwrap()
        .heading();
    assert!(
        coloured.starts_with(&format!("\u{1b}[1m{heading}\u{1b}[0m\n")),
        "{coloured}"
    );
}

#[test]
fn a_word_that_is_command_and_topic_shows_both() {
    let text = statescope(&["help", "sources"]).quiet(0);
    let usage = text.find("Usage: statescope sources").unwrap();
    let heading = TOPICS
        .iter()
        .find(|topic| topic.name == "sources")
        .unwrap()
        .heading();
    assert!(text.find(heading).unwrap() > usage, "{text}");
}

#[rstest]
#[case(&["help", "snapshot"], "no command and no topic 'snapshot'", "did you mean snapshots?")]
#[case(&["help", "lst"], "no command and no topic 'lst'", "did you mean list?")]
#[case(&["help", "config", "shw"], "no command and no topic 'config shw'", "`statescope help` names")]
#[case(&["man", "snapshots"], "no command 'snapshots'", "`statescope help` names")]
fn what_is_not_there_is_wrong_use(#[case] words: &[&str], #[case] what: &str, #[case] hint: &str) {
    let told = statescope(words).failed(2);
    assert!(told.contains(what) && told.contains(hint), "{told}");
}

#[test]
fn the_manual_has_every_command() {
    let page = statescope(&["man"]).quiet(0);
    assert!(page.contains(".TH statescope 1"), "{page}");
    for name in commands() {
        assert!(
            page.contains(&format!(".SS \"statescope {name}\"")),
            "{name}"
        );
    }
    for part in [
        "statescope config init",
        "EXIT STATUS",
        "STATESCOPE\\_JOURNAL",
        "\\-\\-even\\-if\\-running",
    ] {
        let plain = part.replace("\\_", "_");
        assert!(page.contains(part) || page.contains(&plain), "{part}");
    }
    // What all commands take is described once.
    assert_eq!(page.matches("Writes to no source").count(), 1);
    let page = statescope(&["man", "config", "init"]).quiet(0);
    assert!(page.contains(".TH statescope-config-init 1"), "{page}");
}

#[rstest]
#[case("bash")]
#[case("zsh")]
#[case("fish")]
#[case("elvish")]
#[case("powershell")]
fn completions_know_every_command(#[case] shell: &str) {
    let script = statescope(&["completions", shell]).quiet(0);
    for name in commands() {
        assert!(script.contains(&name), "{name} for {shell}");
    }
    assert!(script.contains("even-if-running"), "{shell}");
}

#[test]
fn bash_takes_its_completions() {
    let script = statescope(&["completions", "bash"]).quiet(0);
    let ask = "COMP_WORDS=(statescope con); COMP_CWORD=1; _statescope statescope con statescope; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("/bin/bash")
        .args(["--norc", "-c", &format!("{script}\n{ask}")])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "config\n");
    let unknown = statescope(&["completions", "tcsh"]).failed(2);
    assert!(unknown.contains("bash"), "{unknown}");
}

#[rstest]
#[case(&["help"])]
#[case(&["help", "states"])]
#[case(&["man"])]
#[case(&["completions", "zsh"])]
#[case(&["config", "path"])]
fn what_is_about_the_program_needs_no_configuration(#[case] words: &[&str]) {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("statescope");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "no TOML").unwrap();
    let with_mistakes = |words: &[&str]| {
        let mut command = command(words);
        command.env("XDG_CONFIG_HOME", home.path());
        answer(command)
    };
    assert_eq!(with_mistakes(words).code, 0);
    assert_eq!(with_mistakes(&["config", "show"]).code, 2);
}
