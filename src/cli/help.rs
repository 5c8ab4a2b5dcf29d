//! `help`: on a command, as the command line describes it, and on a topic of the guide.

use std::io::Write as _;

use clap::Command;

use super::output::{Failure, Output, Tone};
use crate::domain::nearest::nearest;
use crate::report::{Fault, Report};

/// Is a part of the guide, in Markdown.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// The word that asks for it.
    pub name: &'static str,
    /// Its text; the first line is its heading.
    pub text: &'static str,
}

/// Holds the guide, in the order in which it is read.
pub const TOPICS: &[Topic] = &[
    topic("states", include_str!("../../assets/guide/states.md")),
    topic("sources", include_str!("../../assets/guide/sources.md")),
    topic("snapshots", include_str!("../../assets/guide/snapshots.md")),
    topic("patterns", include_str!("../../assets/guide/patterns.md")),
    topic("editing", include_str!("../../assets/guide/editing.md")),
    topic(
        "configuration",
        include_str!("../../assets/guide/configuration.md"),
    ),
    topic("json", include_str!("../../assets/guide/json.md")),
    topic(
        "exit-codes",
        include_str!("../../assets/guide/exit-codes.md"),
    ),
];

const fn topic(name: &'static str, text: &'static str) -> Topic {
    Topic { name, text }
}

impl Topic {
    /// Gives the heading of its text.
    pub fn heading(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(['#', ' '])
    }
}

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A command, or a topic of the guide; without one, the commands and the topics are listed.
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output, colour: bool) -> Result<(), Failure> {
    let program = super::command();
    let words = &arguments.words;
    if words.is_empty() {
        command(program, out, colour)?;
        return Ok(topics(out)?);
    }
    let topic = match words.as_slice() {
        [word] => TOPICS.iter().find(|topic| topic.name == word),
        _ => None,
    };
    let found = find(&program, words);
    if found.is_none() && topic.is_none() {
        return Err(unknown(&program, words, true).into());
    }
    let both = found.is_some() && topic.is_some();
    if let Some(found) = found {
        command(found, out, colour)?;
    }
    if both {
        out.write_all(b"\n")?;
    }
    if let Some(topic) = topic {
        text(topic.text, out)?;
    }
    Ok(())
}

/// Finds a command by the words that call it.
pub(super) fn find(program: &Command, words: &[String]) -> Option<Command> {
    let mut program = program.clone();
    program.build();
    let mut found = &program;
    for word in words {
        found = found.find_subcommand(word)?;
    }
    Some(found.clone())
}

/// Says that words are no command, and which may have been meant.
pub(super) fn unknown(program: &Command, words: &[String], with_topics: bool) -> Report {
    let text = words.join(" ");
    let names = program.get_subcommands().map(Command::get_name);
    let topics = TOPICS.iter().filter(|_| with_topics);
    let names = names.chain(topics.map(|topic| topic.name));
    let what = if with_topics {
        "no command and no topic"
    } else {
        "no command"
    };
    let report = Report::new(Fault::Usage, format!("there is {what} '{text}'"));
    match nearest(&text, names) {
        Some(near) => report.hint(format!("did you mean {near}?")),
        None => report.hint("`statescope help` names the commands and the topics"),
    }
}

fn command(mut command: Command, out: &mut Output, colour: bool) -> std::io::Result<()> {
    let help = command.render_long_help();
    if colour {
        write!(out, "{}", help.ansi())
    } else {
        write!(out, "{help}")
    }
}

fn topics(out: &mut Output) -> std::io::Result<()> {
    out.write_all(b"\n")?;
    out.line(Tone::Heading, "Topics of the guide:")?;
    TOPICS
        .iter()
        .try_for_each(|topic| writeln!(out, "  {:<14} {}", topic.name, topic.heading()))
}

/// Writes Markdown as plain text: headings without their marks, code indented.
fn text(markdown: &str, out: &mut Output) -> std::io::Result<()> {
    let mut in_code = false;
    for line in markdown.lines() {
        let heading = line.trim_start_matches('#');
        if line.starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            let code = format!("    {line}");
            out.line(Tone::Plain, code.trim_end())?;
        } else if heading.len() < line.len() {
            out.line(Tone::Heading, heading.trim_start())?;
        } else {
            out.line(Tone::Plain, line)?;
        }
    }
    Ok(())
}
