//! `help`: on a command, as the command line describes it, and on a topic of the guide.

use std::io::Write as _;

use clap::Command;
use unicode_width::UnicodeWidthStr as _;

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

/// Writes Markdown as plain text: headings without their marks, code indented, paragraphs as wide as the terminal.
fn text(markdown: &str, out: &mut Output) -> std::io::Result<()> {
    let width = out.width().map_or(NARROW, |width| width.min(WIDE));
    let mut in_code = false;
    let mut paragraph = String::new();
    for line in markdown.lines() {
        let heading = line.trim_start_matches('#');
        let is_fence = line.starts_with("```");
        let is_row = line.starts_with('|');
        let goes_on = !in_code && !is_fence && !is_row && heading == line && !line.is_empty();
        if goes_on && !paragraph.is_empty() && !is_item(line) {
            paragraph.push(' ');
            paragraph.push_str(line.trim());
            continue;
        }
        write_paragraph(&mut paragraph, width, out)?;
        if goes_on {
            paragraph.push_str(line);
        } else if is_fence {
            in_code = !in_code;
        } else if in_code {
            out.line(Tone::Plain, format!("    {line}").trim_end())?;
        } else if heading == line {
            out.line(Tone::Plain, line)?;
        } else {
            out.line(Tone::Heading, heading.trim_start())?;
        }
    }
    write_paragraph(&mut paragraph, width, out)
}

/// How wide a text is where nobody's terminal is known, and at most.
const NARROW: usize = 80;
const WIDE: usize = 100;

/// Tells whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "))
}

/// Writes what was gathered, broken between words; what is behind the first line of an item stands below its text.
fn write_paragraph(paragraph: &mut String, width: usize, out: &mut Output) -> std::io::Result<()> {
    let indent = match paragraph.split_once(' ') {
        Some((mark, _)) if is_item(paragraph) => mark.width() + 1,
        _ => 0,
    };
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        if !line.trim().is_empty() {
            if line.width() + 1 + word.width() > width {
                out.line(Tone::Plain, &line)?;
                line = " ".repeat(indent);
            } else {
                line.push(' ');
            }
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        out.line(Tone::Plain, &line)?;
    }
    paragraph.clear();
    Ok(())
}
