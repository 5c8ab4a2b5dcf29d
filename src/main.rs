//! The statescope program.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use jiff::Timestamp;
use statescope::cli::{self, Invocation};
use statescope::domain::ui::Display;
use statescope::report::Report;
use statescope::{ops, shell};

fn main() -> ExitCode {
    match cli::start(std::env::args_os(), screen()) {
        Invocation::Answer(answer) => ExitCode::from(wait_for(answer.run())),
        Invocation::Browse {
            sites,
            journal,
            display,
        } => said(shell::run(sites, journal, display)),
        Invocation::Demo { display } => said(demo(display)),
        Invocation::Finished(code) => ExitCode::from(code),
    }
}

/// Opens the screen on a throw-away copy of the sample project.
fn demo(display: Display) -> Result<(), Report> {
    let demo = ops::demo::create(Timestamp::now())?;
    shell::run(vec![demo.site.clone()], None, display)
}

#[expect(clippy::print_stderr, reason = "the program's last word")]
fn said(outcome: Result<(), Report>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            eprintln!("statescope: {report}");
            ExitCode::from(report.fault.exit_code())
        }
    }
}

/// Gives how many columns and rows the terminal has that standard output is; `None` when it is none.
fn screen() -> Option<(usize, usize)> {
    const UNKNOWN: (usize, usize) = (80, 24);
    let size = || {
        crossterm::terminal::size().map_or(UNKNOWN, |(columns, rows)| (columns.into(), rows.into()))
    };
    std::io::stdout().is_terminal().then(size)
}

/// Waits for a command on this thread; stores read on threads of their own.
fn wait_for(command: impl Future<Output = u8>) -> u8 {
    match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime.block_on(command),
        Err(error) => cli::not_started(&error),
    }
}
