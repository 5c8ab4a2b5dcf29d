//! The reference is made of the tables of the program: the command line, the configuration, the keys, the findings.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{Arg, Command};
use statescope::config::{self, KEYS, Kind, Value};
use statescope::domain::lint::STATE_RULES;
use statescope::tui::command::COMMANDS;
use statescope::{cli, domain::ui::KeyPress};

/// The variable that has the files written anew instead of compared.
const UPDATE: &str = "STATESCOPE_UPDATE_REFERENCE";

/// The first line of each file of the reference.
const MADE: &str = "<!-- Made from the program's own tables. To make it anew: \
                    STATESCOPE_UPDATE_REFERENCE=1 cargo nextest run -E 'test(the_reference_is_up_to_date)' -->";

/// Every file that is made, by its path in the repository.
fn made() -> Vec<(&'static str, String)> {
    vec![
        ("assets/config.toml", config::commented()),
        ("assets/reference/command-line.md", command_line()),
        ("assets/reference/configuration.md", configuration()),
        ("assets/reference/keys.md", keys()),
        ("assets/reference/findings.md", findings()),
    ]
}

#[test]
fn the_reference_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut stale = Vec::new();
    for (name, text) in made() {
        let path = root.join(name);
        if fs::read_to_string(&path).ok().as_deref() == Some(&text) {
            continue;
        }
        if std::env::var_os(UPDATE).is_some() {
            let folder = path.parent().expect("it lies in a folder");
            fs::create_dir_all(folder).expect("a folder can be made");
            fs::write(&path, text).expect("a file can be written");
        } else {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} differ from what the tables say; the first line of each says how they are made anew"
    );
}

#[test]
fn the_reference_leaves_nothing_out() {
    let line = command_line();
    for name in [
        "## statescope diff",
        "### statescope config init",
        "`--even-if-running`",
        "STATESCOPE_JOURNAL",
    ] {
        assert!(line.contains(name), "{name}");
    }
    for key in KEYS {
        assert!(
            configuration().contains(&format!("## {}\n", key.name)),
            "{}",
            key.name
        );
    }
    for entry in COMMANDS {
        assert!(keys().contains(&capital(entry.about)), "{}", entry.about);
    }
    for rule in STATE_RULES {
        assert!(
            findings().contains(&format!("`{}`", rule.name)),
            "{}",
            rule.name
        );
    }
}

/// Begins a page.
fn page(title: &str, about: &str) -> String {
    format!("{MADE}\n\n# {title}\n\n{about}\n")
}

/// Keeps a text within one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn command_line() -> String {
    let mut program = cli::command();
    program.build();
    let mut out = page(
        "Command line",
        "Every command, with what it takes. `statescope help COMMAND` prints the same on a terminal.",
    );
    write!(out, "\n## Options of every command\n\n").expect("a string takes text");
    arguments(
        &mut out,
        program.get_arguments().filter(|one| is_everywhere(one)),
    );
    write!(out, "\n## statescope\n").expect("a string takes text");
    one(&mut out, &program);
    below(&mut out, &program, "statescope", "##");
    out
}

fn below(out: &mut String, above: &Command, path: &str, level: &str) {
    for command in above.get_subcommands().filter(|one| !one.is_hide_set()) {
        let path = format!("{path} {}", command.get_name());
        write!(out, "\n{level} {path}\n").expect("a string takes text");
        one(out, command);
        below(out, command, &path, &format!("{level}#"));
    }
}

fn one(out: &mut String, command: &Command) {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    write!(out, "\n{about}.\n\n```\n{usage}\n```\n\n").expect("a string takes text");
    let own = command.get_arguments().filter(|one| !is_everywhere(one));
    let own: Vec<&Arg> = own.filter(|one| !is_about_itself(one)).collect();
    if own.is_empty() {
        out.truncate(out.trim_end().len() + 1);
    } else {
        arguments(out, own.into_iter());
    }
}

fn is_everywhere(argument: &Arg) -> bool {
    argument.is_global_set()
}

fn is_about_itself(argument: &Arg) -> bool {
    argument.is_hide_set() || ["help", "version"].contains(&argument.get_id().as_str())
}

fn arguments<'a>(out: &mut String, all: impl Iterator<Item = &'a Arg>) {
    out.push_str("| takes | means |\n| --- | --- |\n");
    for argument in all {
        let help = argument.get_long_help().or(argument.get_help());
        let mut about = help.map(ToString::to_string).unwrap_or_default();
        let words = argument.get_possible_values();
        let words = words.iter().filter(|word| !word.is_hide_set());
        let words: Vec<String> = words.map(|word| format!("`{}`", word.get_name())).collect();
        if !words.is_empty() && argument.get_action().takes_values() {
            write!(about, ": {}", words.join(", ")).expect("a string takes text");
        }
        let defaults = argument.get_default_values();
        let is_shown =
            !argument.is_hide_default_value_set() && argument.get_action().takes_values();
        for default in defaults.iter().filter(|_| is_shown) {
            write!(about, "; `{}` without it", default.to_string_lossy())
                .expect("a string takes text");
        }
        if let Some(variable) = argument.get_env() {
            write!(about, " (`{}`)", variable.to_string_lossy()).expect("a string takes text");
        }
        writeln!(out, "| {} | {} |", written(argument), cell(&about)).expect("a string takes text");
    }
}

/// Writes an option or an argument as it stands on a command line.
fn written(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = names.iter().map(|name| cell(name.as_str())).collect();
    let values = values.join(" ");
    if argument.is_positional() {
        return format!("`{values}`");
    }
    let short = argument.get_short().map(|short| format!("`-{short}`, "));
    let long = argument.get_long().unwrap_or_default();
    let values = if argument.get_action().takes_values() {
        format!(" {values}")
    } else {
        String::new()
    };
    format!("{}`--{long}{values}`", short.unwrap_or_default())
}

fn configuration() -> String {
    let mut out = page(
        "Configuration",
        "Every key, for `$XDG_CONFIG_HOME/statescope/config.toml` and a project's `.statescope.toml`. What counts before what is in \
         [the guide](../guide/configuration.md).",
    );
    for key in KEYS {
        write!(
            out,
            "\n## {}\n\n{}\n\n- takes {}\n",
            key.name, key.about, key.kind
        )
        .expect("a string takes text");
        let default = Value::from(key.default);
        let word = if key.kind == Kind::Sources {
            "for example"
        } else {
            "built in:"
        };
        writeln!(out, "- {word} `{default}`").expect("a string takes text");
        if let Some(option) = key.option {
            writeln!(out, "- option `{option}`").expect("a string takes text");
        }
        if let Some(variable) = key.variable {
            writeln!(out, "- variable `{variable}`").expect("a string takes text");
        }
        let place = if key.in_project {
            "may be"
        } else {
            "cannot be"
        };
        writeln!(out, "- {place} set by a project's file").expect("a string takes text");
    }
    out
}

fn keys() -> String {
    let mut out = page(
        "Keys",
        "What the keys of the terminal interface do, and in which part of it.",
    );
    out.push_str("\n| keys | do | in |\n| --- | --- | --- |\n");
    for entry in COMMANDS {
        let press = |press: &KeyPress| format!("`{press}`");
        let keys: Vec<String> = entry.keys.iter().map(press).collect();
        let places: Vec<String> = entry
            .contexts
            .iter()
            .map(|one| format!("{one:?}").to_lowercase())
            .collect();
        let (keys, places) = (cell(&keys.join(" ")), places.join(", "));
        writeln!(out, "| {keys} | {} | {places} |", capital(entry.about))
            .expect("a string takes text");
    }
    out
}

fn findings() -> String {
    let mut out = page(
        "Findings",
        "What is looked for in each state. A finding is shown with the state, and in a plan; JSON carries the rule's name.",
    );
    out.push_str("\n| rule | looks for |\n| --- | --- |\n");
    for rule in STATE_RULES {
        writeln!(out, "| `{}` | {} |", rule.name, cell(&capital(rule.about)))
            .expect("a string takes text");
    }
    out
}
