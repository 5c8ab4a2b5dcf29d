//! `man`: the manual page, as roff.

use std::io::Write as _;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::help::{find, unknown};
use super::output::{Failure, Output};

/// What the exit codes mean, for the page of the whole program.
const EXIT_STATUS: [(&str, &str); 6] = [
    ("0", "Done, or nothing to do; in a comparison: the same."),
    (
        "1",
        "The answer is no: different, declined, an unknown state ID in `get`.",
    ),
    ("2", "Wrong use, a mistake in the configuration included."),
    (
        "3",
        "A source or a state could not be found, reached or read.",
    ),
    ("4", "A conflict: the state changed since it was read."),
    (
        "5",
        "Refused by a guard: read-only, protected, running, or nobody there to answer.",
    ),
];

/// The program and its version, at the foot of a page.
const SOURCE: &str = concat!("statescope ", env!("CARGO_PKG_VERSION"));

const FILES: [(&str, &str); 3] = [
    (
        "$XDG_CONFIG_HOME/statescope/config.toml",
        "Your configuration; `statescope config init` writes a first one.",
    ),
    (
        ".statescope.toml",
        "A project's configuration, beside its meltano.yml.",
    ),
    (
        "$XDG_STATE_HOME/statescope/journal.db",
        "The journal: what was before and after each edit.",
    ),
];

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The command to print the page of; without it, the page is of the whole program.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<(), Failure> {
    let mut program = super::command();
    program.build();
    let page = if arguments.command.is_empty() {
        whole(&program)?
    } else {
        let Some(command) = find(&program, &arguments.command) else {
            return Err(unknown(&program, &arguments.command, false).into());
        };
        let mut page = Vec::new();
        Man::new(command).source(SOURCE).render(&mut page)?;
        page
    };
    out.write_all(&page)?;
    Ok(())
}

/// Makes the page of the whole program, with each command below a heading of its own.
fn whole(program: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(program.clone()).source(SOURCE);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    page.extend_from_slice(b".PP\n");
    body(&man, &mut page, |man, out| man.render_extra_section(out))?;
    man.render_options_section(&mut page)?;
    let mut roff = Roff::default();
    roff.control("SH", ["COMMANDS"]);
    roff.to_writer(&mut page)?;
    commands(program, program.get_name(), &mut page)?;
    let mut roff = Roff::default();
    for (heading, rows) in [("EXIT STATUS", &EXIT_STATUS[..]), ("FILES", &FILES)] {
        roff.control("SH", [heading]);
        for (name, about) in rows {
            roff.control("TP", []);
            roff.text([bold(*name)]);
            roff.text([roman(*about)]);
        }
    }
    roff.to_writer(&mut page)?;
    Ok(page)
}

/// Writes the commands below one, without the options that all take.
fn commands(above: &Command, path: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    for command in above.get_subcommands().filter(|one| !one.is_hide_set()) {
        let path = format!("{path} {}", command.get_name());
        let mut roff = Roff::default();
        roff.control("SS", [path.as_str()]);
        roff.to_writer(page)?;
        let own = command.clone().mut_args(|one| {
            let is_everywhere = one.is_global_set() || one.get_id() == "help";
            one.hide(is_everywhere)
        });
        let has_options = own.get_arguments().any(|one| !one.is_hide_set());
        let man = Man::new(own);
        body(&man, page, |man, out| man.render_synopsis_section(out))?;
        page.extend_from_slice(b".PP\n");
        body(&man, page, |man, out| man.render_description_section(out))?;
        if has_options {
            body(&man, page, |man, out| man.render_options_section(out))?;
        }
        commands(command, &path, page)?;
    }
    Ok(())
}

/// Writes a section without its heading.
fn body(
    man: &Man,
    page: &mut Vec<u8>,
    section: impl Fn(&Man, &mut dyn std::io::Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut text = Vec::new();
    section(man, &mut text)?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let is_preamble = |line: &[u8]| line.starts_with(b".ie ") || line.starts_with(b".el ");
    for line in lines.filter(|line| !line.starts_with(b".SH") && !is_preamble(line)) {
        page.extend_from_slice(line);
    }
    Ok(())
}
