//! Asking: on a terminal, and never where standard input carries data.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write as _};

use crate::report::{Fault, Report, printable};

/// Says whether standard input is free for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Stdin {
    /// Nothing was read from it.
    Free,
    /// It is what the command was given to read.
    Data,
}

/// Tells whether somebody can be asked: whether standard error, where the question goes, is a terminal.
fn can_ask() -> bool {
    io::stderr().is_terminal()
}

/// Asks, and gives the line that was typed, without its end; `None` at the end of input.
///
/// `instead` names the option that answers where nobody can be asked. Fails with [`Fault::Refused`] then.
pub(in crate::cli) fn ask(
    question: &str,
    stdin: Stdin,
    instead: &str,
) -> Result<Option<String>, Report> {
    let nobody = || {
        Report::new(Fault::Refused, "nothing was written: nobody can be asked")
            .because("there is no terminal to ask on")
            .hint(format!("answer by {instead}"))
    };
    if !can_ask() {
        return Err(nobody());
    }
    let input: Box<dyn Read> = if stdin == Stdin::Free && io::stdin().is_terminal() {
        Box::new(io::stdin())
    } else {
        Box::new(File::open("/dev/tty").map_err(|_| nobody())?)
    };
    let mut stderr = io::stderr().lock();
    let asked = write!(stderr, "{}", printable(question)).and_then(|()| stderr.flush());
    let line = asked.and_then(|()| read_line(input));
    let line = line.map_err(|error| {
        Report::new(
            Fault::Refused,
            "nothing was written: no answer could be read",
        )
        .because(error)
        .hint(format!("answer by {instead}"))
    })?;
    if line.is_none() {
        let _ = writeln!(stderr);
    }
    Ok(line)
}

fn read_line(input: Box<dyn Read>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    BufReader::new(input).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Some(text.strip_suffix('\r').unwrap_or(text).to_owned()))
}

/// Tells whether an answer is a yes.
pub(in crate::cli) fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Makes the report of a no.
pub(in crate::cli) fn declined() -> Report {
    Report::new(Fault::No, "nothing was written").because("the answer was no")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("y", true)]
    #[case(" YES ", true)]
    #[case("", false)]
    #[case("n", false)]
    #[case("yep", false)]
    fn only_a_yes_is_one(#[case] line: &str, #[case] want: bool) {
        assert_eq!(is_yes(line), want);
    }

    #[rstest]
    #[case("", None)]
    #[case("\n", Some(""))]
    #[case("dev:x\r\nmore", Some("dev:x"))]
    #[case("no end", Some("no end"))]
    fn one_line_is_read(#[case] text: &str, #[case] want: Option<&str>) {
        let line = read_line(Box::new(io::Cursor::new(text.to_owned()))).unwrap();
        assert_eq!(line.as_deref(), want);
    }
}
