//! Saying why a command line goes no further, with the exit code of that.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};

use clap::error::ErrorKind as Wrong;

use super::json;
use super::output::Failure;
use super::session::Voice;
use crate::report::{Fault, Report};

/// Says why a command line goes no further.
pub(super) struct Stopped(Vec<Failure>);

impl<F: Into<Failure>> From<F> for Stopped {
    fn from(failure: F) -> Self {
        Self(vec![failure.into()])
    }
}

impl From<Vec<Report>> for Stopped {
    fn from(reports: Vec<Report>) -> Self {
        Self(reports.into_iter().map(Failure::from).collect())
    }
}

impl Stopped {
    /// Says everything, and gives the highest exit code.
    pub(super) fn told(self, voice: Voice) -> u8 {
        let failures = self.0.into_iter();
        failures
            .map(|failure| failure_told(voice, failure))
            .max()
            .unwrap_or(0)
    }
}

/// Says what stopped a command, and gives the exit code.
pub(super) fn failure_told(voice: Voice, failure: Failure) -> u8 {
    match failure {
        Failure::Report(report) => {
            voice.error(&report);
            report.fault.exit_code()
        }
        Failure::Output(error) => output_failed(voice, &error),
    }
}

/// Tells why standard output took no more; a reader that closed the pipe has seen enough, and that is no fault.
fn output_failed(voice: Voice, error: &std::io::Error) -> u8 {
    if error.kind() == ErrorKind::BrokenPipe {
        return 0;
    }
    let report = Report::new(Fault::Unreachable, "cannot write the answer").because(error);
    voice.error(&report);
    report.fault.exit_code()
}

/// Says that the process cannot run commands at all, and gives the exit code.
pub fn not_started(error: &std::io::Error) -> u8 {
    let report = Report::new(Fault::Internal, "cannot start").because(error);
    let voice = Voice {
        json: false,
        quiet: false,
        verbose: false,
    };
    voice.error(&report);
    report.fault.exit_code()
}

/// Says what is wrong with a command line, or prints the help that was asked for.
pub(super) fn wrong_use(error: &clap::Error, json: bool) -> u8 {
    let is_answer = matches!(error.kind(), Wrong::DisplayHelp | Wrong::DisplayVersion);
    if is_answer || !json {
        // Nobody is left to tell when this cannot be written.
        let _ = error.print();
    } else {
        let text = error.render().to_string();
        let mut parts = text.split("\n\n").map(one_line);
        let message = parts.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let mut hint = String::new();
        for part in parts.filter(|part| !part.is_empty()) {
            let separator = if hint.is_empty() { "" } else { "; " };
            // Writing to a `String` cannot fail.
            let _ = write!(
                hint,
                "{separator}{}",
                part.strip_prefix("tip: ").unwrap_or(&part)
            );
        }
        let report = Report::new(Fault::Usage, message).hint(hint);
        let _ = std::io::stderr().write_all(&json::error_line(&report));
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tells whether errors are wanted as JSON, on a command line that could not be read.
pub(super) fn wants_json(arguments: &[OsString]) -> bool {
    let falsey = ["", "0", "f", "false", "n", "no", "off"];
    let variable = std::env::var("STATESCOPE_JSON");
    arguments
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument == "--json")
        || variable.is_ok_and(|value| !falsey.contains(&value.to_lowercase().as_str()))
}
