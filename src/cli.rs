//! The command line: what may be written there, and the commands that answer on standard output.

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::FalseyValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::Config;
use crate::domain::history::Clock;
use crate::domain::ui::Display;
use crate::journal::JournalStore;
use crate::project::{Site, Surroundings};
use crate::report::{Fault, Report};
use journal::Place;
use output::{Failure, Output};
use pager::Pager;
use session::{Session, Voice};
use sites::{Chosen, Guards, Sites};
use told::{Stopped, failure_told, wants_json, wrong_use};

mod blame;
mod changes;
mod clear;
mod completions;
mod config;
mod diff;
mod get;
mod help;
mod input;
mod journal;
mod json;
mod list;
mod log;
mod logs;
mod man;
mod names;
mod narrow;
mod nearest;
mod notices;
mod operations;
mod output;
mod pager;
mod prune;
mod put;
mod session;
mod set;
mod sites;
mod sources;
mod told;
mod undo;
mod write;

pub use help::{TOPICS, Topic};
pub use told::not_started;

/// The variable that fixes the present time, RFC 3339, so that an answer with ages in it can be given again.
const NOW: &str = "STATESCOPE_NOW";

/// Inspects the state that data jobs and bots leave behind.
#[derive(Parser)]
#[command(
    name = "statescope",
    version,
    max_term_width = 100,
    subcommand_precedence_over_arg = true,
    disable_help_subcommand = true,
    after_help = "Without a command it opens the terminal interface. A SOURCE is a Meltano project's folder, a SQLite file, a state directory, \
                  or a URI (sqlite:///FILE, file:///DIR); without one, the Meltano project that the working directory is in. \
                  `statescope help` names the topics of the guide."
)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    /// What to open.
    #[arg(value_name = "SOURCE")]
    opened: Vec<String>,
    /// A source to read; may be given again. Commands take it before or behind their name.
    #[arg(long = "source", value_name = "NAME|URI", env = "STATESCOPE_SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    options: Options,
}

/// The options that every command takes.
#[derive(Args, Debug, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
struct Options {
    /// The file of your configuration, instead of statescope/config.toml in `$XDG_CONFIG_HOME`.
    #[arg(long, value_name = "FILE", env = "STATESCOPE_CONFIG", value_parser = clap::value_parser!(OsString), global = true)]
    config: Option<OsString>,
    /// The folder of a Meltano project to read.
    #[arg(long, value_name = "DIR", env = "STATESCOPE_PROJECT", value_parser = clap::value_parser!(OsString), global = true)]
    project: Option<OsString>,
    /// Answers in JSON on standard output, errors in JSON lines on standard error.
    #[arg(long, env = "STATESCOPE_JSON", value_parser = FalseyValueParser::new(), global = true)]
    json: bool,
    /// When to use colours; `NO_COLOR` in the environment means never.
    #[arg(
        long,
        value_name = "WHEN",
        env = "STATESCOPE_COLOR",
        default_value = "auto",
        hide_default_value = true,
        global = true
    )]
    color: Color,
    /// Says nothing on standard error but errors.
    #[arg(long, env = "STATESCOPE_QUIET", value_parser = FalseyValueParser::new(), global = true)]
    quiet: bool,
    /// Says which sources are read, and what chose them.
    #[arg(
        short,
        long,
        env = "STATESCOPE_VERBOSE",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "quiet",
        global = true
    )]
    verbose: bool,
    /// Exits with 0 although some source could not be read, when others answered.
    #[arg(long, env = "STATESCOPE_BEST_EFFORT", value_parser = FalseyValueParser::new(), global = true)]
    best_effort: bool,
    /// Writes to no source.
    #[arg(long, env = "STATESCOPE_READ_ONLY", value_parser = FalseyValueParser::new(), global = true)]
    read_only: bool,
    /// The file that keeps what was before and after each edit, instead of statescope/journal.db in `$XDG_STATE_HOME`.
    #[arg(long, value_name = "PATH", env = "STATESCOPE_JOURNAL", global = true)]
    journal: Option<String>,
    /// How large the journal may become: `2GiB`, which is the default, `500MB`, or a number of bytes.
    #[arg(
        long,
        value_name = "SIZE",
        env = "STATESCOPE_JOURNAL_LIMIT",
        global = true
    )]
    journal_limit: Option<String>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    /// When standard output is a terminal.
    Auto,
    Always,
    Never,
}

/// The sources, written behind a command's name.
#[derive(Args)]
struct Behind {
    /// A source to read; may be given again.
    #[arg(long = "source", value_name = "NAME|URI")]
    sources: Vec<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Opens the terminal interface on a bundled sample project, in a throw-away copy.
    Demo,
    /// Lists the jobs, one a line.
    List {
        #[command(flatten)]
        arguments: list::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Prints a job's state, as `meltano state get` does.
    Get {
        #[command(flatten)]
        arguments: get::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Prints a job's timeline, newest first.
    Log {
        #[command(flatten)]
        arguments: log::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Prints a run's own log file, as Meltano keeps it.
    Logs {
        #[command(flatten)]
        arguments: logs::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Says of each value in a job's state which run or edit gave it, when, and what it was before.
    Blame {
        #[command(flatten)]
        arguments: blame::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Compares two states by meaning; exits with 0 when they are the same value, 1 when not.
    Diff {
        #[command(flatten)]
        arguments: diff::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Puts a document in the place of a state, as `meltano state set` does.
    Set {
        #[command(flatten)]
        arguments: set::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Puts a value at a place in a state.
    Put {
        #[command(flatten)]
        arguments: put::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Deletes states, as `meltano state clear` does.
    Clear {
        #[command(flatten)]
        arguments: clear::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Takes an operation back: what was before it is put back byte for byte.
    Undo {
        #[command(flatten)]
        arguments: undo::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Lists the operations in the journal, newest first; with --again does one again.
    Operations {
        #[command(flatten)]
        arguments: operations::Arguments,
        #[command(flatten)]
        behind: Behind,
    },
    /// Drops the states of old operations from the journal.
    Prune {
        #[command(flatten)]
        arguments: prune::Arguments,
    },
    /// Lists the sources: what was found, what decided it, what it can do.
    Sources {
        #[command(flatten)]
        behind: Behind,
    },
    /// Shows what is configured and what chose it, names the files, or writes a first one.
    #[command(disable_help_subcommand = true)]
    Config {
        #[command(subcommand)]
        action: config::Action,
    },
    /// Prints a script by which a shell completes the command line.
    Completions {
        #[command(flatten)]
        arguments: completions::Arguments,
    },
    /// Prints the manual page, as roff: of the program, or of one command.
    Man {
        #[command(flatten)]
        arguments: man::Arguments,
    },
    /// Prints help on a command or on a topic of the guide.
    Help {
        #[command(flatten)]
        arguments: help::Arguments,
    },
}

impl Command {
    fn sources(&self) -> &[String] {
        match self {
            Self::Demo
            | Self::Prune { .. }
            | Self::Config { .. }
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Help { .. } => &[],
            Self::List { behind, .. }
            | Self::Get { behind, .. }
            | Self::Log { behind, .. }
            | Self::Logs { behind, .. }
            | Self::Blame { behind, .. }
            | Self::Diff { behind, .. }
            | Self::Set { behind, .. }
            | Self::Put { behind, .. }
            | Self::Clear { behind, .. }
            | Self::Undo { behind, .. }
            | Self::Operations { behind, .. }
            | Self::Sources { behind } => &behind.sources,
        }
    }
}

/// Says what a command line asks for.
pub enum Invocation {
    /// The terminal interface on these sites.
    Browse {
        /// The sites, in the order in which they were named; never none.
        sites: Vec<Site>,
        /// The journal, when there is one.
        journal: Option<Arc<dyn JournalStore>>,
        /// How things are shown.
        display: Display,
    },
    /// The terminal interface on the bundled sample.
    Demo {
        /// How things are shown.
        display: Display,
    },
    /// A command that answers on standard output.
    Answer(Box<Answer>),
    /// Nothing more: help was printed, or what is wrong was said. The value is the exit code.
    Finished(u8),
}

/// Holds a command that is ready to run.
pub struct Answer {
    command: Command,
    options: Options,
    chosen: Chosen,
    process: Process,
    journal: Place,
    color: Color,
}

/// Holds what the commands know of the process that they run in.
struct Process {
    surroundings: Surroundings,
    clock: Clock,
    /// How many columns and rows the terminal has that standard output is; `None` when it is none.
    screen: Option<(usize, usize)>,
}

/// Reads a command line, the program's name first.
///
/// `screen` is how many columns and rows the terminal has that standard output is, `None` when it is none. What is wrong is
/// written to standard error; help and version to standard output.
pub fn start(
    arguments: impl IntoIterator<Item = OsString>,
    screen: Option<(usize, usize)>,
) -> Invocation {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = Line::command()
        .try_get_matches_from(&arguments)
        .and_then(|matches| Ok((Line::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((line, matches)) => {
            let voice = Voice::of(&line.options);
            invocation(line, &matches, screen)
                .unwrap_or_else(|stopped| Invocation::Finished(stopped.told(voice)))
        }
        Err(error) => Invocation::Finished(wrong_use(&error, wants_json(&arguments))),
    }
}

fn invocation(
    line: Line,
    matches: &ArgMatches,
    screen: Option<(usize, usize)>,
) -> Result<Invocation, Stopped> {
    let width = screen.map(|(columns, _)| columns);
    let surroundings = Surroundings::of_process()?;
    if let Some(code) = about_itself(&line, &surroundings, width)? {
        return Ok(Invocation::Finished(code));
    }
    let mut chosen = Chosen::of(&line, matches);
    let lookup = config::lookup(&line.options, matches, &chosen, &surroundings);
    if let Some(Command::Config { action }) = line.command
        && !matches!(action, config::Action::Show)
    {
        let mut out = Output::new(false, width);
        let code = match action {
            config::Action::Init => config::init(&lookup, &mut out)?,
            _ => config::path(&lookup, &mut out, line.options.json)?,
        };
        out.flush()?;
        return Ok(Invocation::Finished(code));
    }
    let config = config::read(lookup, &chosen, &surroundings)?;
    chosen.obey(&config);
    let process = Process::new(surroundings, screen, &config)?;
    let journal = Place::configured(&config, &process.surroundings)?;
    let color = Color::configured(&config);
    let display = Display {
        zone: process.clock.zone.clone(),
        colour: color.is_on(&process.surroundings, width.is_some()),
    };
    match line.command {
        Some(Command::Demo) => Ok(Invocation::Demo { display }),
        Some(Command::Config { .. }) => {
            let mut out = Output::new(color.is_on(&process.surroundings, width.is_some()), width);
            let code = config::show(&config, &journal, &mut out, line.options.json)?;
            out.flush()?;
            Ok(Invocation::Finished(code))
        }
        None => {
            not_a_command(&line.opened, &process.surroundings, &config)?;
            let sites = Sites::resolve(&chosen, &process.surroundings)?.into_every_site()?;
            Ok(Invocation::Browse {
                sites,
                journal: journal.existing(),
                display,
            })
        }
        Some(command) => Ok(Invocation::Answer(Box::new(Answer {
            command,
            options: line.options,
            chosen,
            process,
            journal,
            color,
        }))),
    }
}

/// Answers a command that is about the program itself, and that no configuration changes; `None` for any other.
fn about_itself(
    line: &Line,
    surroundings: &Surroundings,
    width: Option<usize>,
) -> Result<Option<u8>, Failure> {
    let colour = line.options.color.is_on(surroundings, width.is_some());
    let mut out = Output::new(colour, width);
    match &line.command {
        Some(Command::Completions { arguments }) => completions::run(arguments, &mut out)?,
        Some(Command::Man { arguments }) => man::run(arguments, &mut out)?,
        Some(Command::Help { arguments }) => help::run(arguments, &mut out, colour)?,
        _ => return Ok(None),
    }
    out.flush()?;
    Ok(Some(0))
}

/// Describes the command line, for what is made of it: help, completions, manual and reference.
pub fn command() -> clap::Command {
    Line::command()
}

impl Process {
    fn new(
        surroundings: Surroundings,
        screen: Option<(usize, usize)>,
        config: &Config,
    ) -> Result<Self, Report> {
        let now = match surroundings.variables.get(NOW) {
            None => Timestamp::now(),
            Some(text) => text.parse().map_err(|error| {
                Report::new(Fault::Usage, format!("{NOW} is no time"))
                    .because(error)
                    .hint("write it as RFC 3339, `2026-11-30T04:00:00Z`, or leave it unset")
            })?,
        };
        let zone = if config.is_utc() {
            TimeZone::UTC
        } else {
            TimeZone::system()
        };
        Ok(Self {
            surroundings,
            clock: Clock { now, zone },
            screen,
        })
    }
}

impl Chosen {
    /// Gathers the sources; what the command line names puts what the environment names out of force.
    fn of(line: &Line, matches: &ArgMatches) -> Self {
        let is_written = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        let behind = line.command.as_ref().map_or(&[][..], Command::sources);
        let any_written = !behind.is_empty()
            || !line.opened.is_empty()
            || is_written("sources")
            || is_written("project");
        let counts = |id| is_written(id) || !any_written;
        let is_set = |text: &&String| is_written("sources") || !text.is_empty();
        let before = line.sources.iter().filter(|_| counts("sources"));
        let before = before.filter(is_set);
        Self {
            sources: line
                .opened
                .iter()
                .chain(before)
                .chain(behind)
                .cloned()
                .collect(),
            project: line
                .options
                .project
                .as_ref()
                .filter(|folder| counts("project") && !folder.is_empty())
                .map(PathBuf::from),
            ..Self::default()
        }
    }

    /// Takes what is configured for every source.
    fn obey(&mut self, config: &Config) {
        self.guards = Guards {
            read_only: config.read_only().map(|origin| format!("{origin} says so")),
            protected: config.protected(),
        };
        self.names.clone_from(config.names());
    }
}

/// Finds the word that is neither a source nor a command, but nearly a command.
fn not_a_command(
    opened: &[String],
    surroundings: &Surroundings,
    config: &Config,
) -> Result<(), Report> {
    let commands = Line::command();
    for word in opened {
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_name = config.names().contains_key(word);
        if !is_word || is_name || surroundings.directory.join(word).exists() {
            continue;
        }
        let names = commands.get_subcommands().map(clap::Command::get_name);
        let near = names
            .filter_map(|name| Some((nearest::distance(word, name, 2)?, name)))
            .min();
        if let Some((_, name)) = near {
            let message = format!("there is no command and no source '{word}'");
            return Err(Report::new(Fault::Usage, message).hint(format!("did you mean `{name}`?")));
        }
    }
    Ok(())
}

impl Answer {
    /// Runs the command, and gives the exit code.
    pub async fn run(self) -> u8 {
        let voice = Voice::of(&self.options);
        match self.answer(voice).await {
            Ok(code) => code,
            Err(failure) => failure_told(voice, failure),
        }
    }

    async fn answer(self, voice: Voice) -> Result<u8, Failure> {
        let Self {
            command,
            options,
            chosen,
            process,
            journal,
            color,
        } = self;
        let colour = color.is_on(&process.surroundings, process.screen.is_some());
        let colour_aside = color.is_on(&process.surroundings, std::io::stderr().is_terminal());
        let sites = Sites::resolve(&chosen, &process.surroundings)?;
        let screen = process.screen.filter(|_| !options.json);
        let pager = screen.and_then(|screen| {
            Pager::chosen(&process.surroundings.variables, screen, options.quiet)
        });
        let width = process.screen.map(|(columns, _)| columns);
        let mut session = Session {
            out: Output::new(colour, width).paged_by(pager),
            voice,
            clock: process.clock,
            surroundings: process.surroundings,
            sites,
            journal,
            colour_aside,
            told: notices::Told::default(),
            missed: false,
        };
        let code = match command {
            Command::List { arguments, .. } => list::run(&mut session, arguments).await?,
            Command::Get { arguments, .. } => get::run(&mut session, arguments).await?,
            Command::Log { arguments, .. } => log::run(&mut session, arguments).await?,
            Command::Logs { arguments, .. } => logs::run(&mut session, arguments).await?,
            Command::Blame { arguments, .. } => blame::run(&mut session, arguments).await?,
            Command::Diff { arguments, .. } => diff::run(&mut session, arguments).await?,
            Command::Sources { .. } => sources::run(&mut session).await?,
            Command::Set { arguments, .. } => set::run(&mut session, arguments).await?,
            Command::Put { arguments, .. } => put::run(&mut session, arguments).await?,
            Command::Clear { arguments, .. } => clear::run(&mut session, arguments).await?,
            Command::Undo { arguments, .. } => undo::run(&mut session, arguments).await?,
            Command::Operations { arguments, .. } => {
                operations::run(&mut session, arguments).await?
            }
            Command::Prune { arguments } => prune::run(&mut session, arguments).await?,
            Command::Demo
            | Command::Config { .. }
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::Help { .. } => 0,
        };
        match session.out.flush() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
        let missed = session.missed && !options.best_effort;
        Ok(if missed { code.max(3) } else { code })
    }
}

impl Color {
    fn is_on(self, surroundings: &Surroundings, is_terminal: bool) -> bool {
        let variable = |name| surroundings.variables.get(name).map(String::as_str);
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                is_terminal
                    && variable("NO_COLOR").is_none_or(str::is_empty)
                    && variable("TERM") != Some("dumb")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_made() {
        Line::command().debug_assert();
    }
}
