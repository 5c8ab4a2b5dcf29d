//! The pager: to a terminal, more than a screen goes through it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::{SigId, flag, low_level};
use unicode_width::UnicodeWidthStr;

use crate::report::printable;

/// What pages where `PAGER` is not set: it keeps colours, and what it showed, and leaves when one screen is enough.
const DEFAULT: [&str; 2] = ["less", "-FRX"];

/// Names the program that pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pager {
    words: Vec<String>,
    /// Whether somebody is told that it cannot be started: who chose it, and wants to be told things.
    is_missed: bool,
    /// How many columns and rows the terminal has.
    screen: (usize, usize),
}

impl Pager {
    /// Reads `PAGER`, a command with its arguments quoted as for a shell, which is not asked; `None` when it is empty or `cat`,
    /// and on a terminal that cannot move its cursor.
    pub(super) fn chosen(
        variables: &BTreeMap<String, String>,
        screen: (usize, usize),
        quiet: bool,
    ) -> Option<Self> {
        let text = variables.get("PAGER").map(String::as_str);
        if variables.get("TERM").is_some_and(|term| term == "dumb") {
            return None;
        }
        let words = match text {
            None => DEFAULT.map(str::to_owned).to_vec(),
            // A text that no shell would take names a program that is not there, and is told so.
            Some(text) => shell_words::split(text).unwrap_or_else(|_| vec![text.to_owned()]),
        };
        let is_none = words.first().is_none_or(|program| program == "cat");
        (!is_none).then_some(Self {
            words,
            is_missed: text.is_some() && !quiet,
            screen,
        })
    }

    /// Starts it, if it can be started.
    fn start(&self) -> Option<Running> {
        let (program, arguments) = self.words.split_first()?;
        let started = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn();
        match started {
            Ok(mut child) => Some(Running {
                input: child.stdin.take(),
                child,
                interrupts: flag::register(SIGINT, Arc::new(AtomicBool::new(false))).ok(),
            }),
            Err(error) => {
                if self.is_missed {
                    let program = printable(program);
                    // Nobody is left to tell when standard error is closed.
                    let _ = writeln!(
                        io::stderr(),
                        "statescope: cannot start the pager '{program}': {error}"
                    );
                }
                None
            }
        }
    }

    /// Tells whether a text has more rows than the terminal, one being left for what comes behind it.
    fn is_needed(&self, text: &[u8]) -> bool {
        let (columns, rows) = self.screen;
        let text = String::from_utf8_lossy(text);
        let mut left = rows.saturating_sub(1);
        for line in text.lines() {
            let taken = width(line).div_ceil(columns.max(1)).max(1);
            if taken > left {
                return true;
            }
            left -= taken;
        }
        false
    }
}

/// Measures a line without the colours in it.
fn width(line: &str) -> usize {
    let mut pieces = line.split("\x1b[");
    let first = pieces.next().map_or(0, UnicodeWidthStr::width);
    let behind = |piece: &str| piece.split_once('m').map_or(0, |(_, text)| text.width());
    first + pieces.map(behind).sum::<usize>()
}

/// Is a pager at work. An interrupt from the keyboard is meant for it, and must not end this program before it.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    interrupts: Option<SigId>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It waits for the end of its input.
        drop(self.input.take());
        let _ = self.child.wait();
        if let Some(id) = self.interrupts {
            low_level::unregister(id);
        }
    }
}

/// Writes to standard output, or through the pager once that is wanted and there is more than a screen.
pub(super) struct Writer {
    out: Box<dyn Write>,
    stage: Stage,
}

enum Stage {
    Plain,
    /// Keeps what was written until it is known whether it is more than a screen.
    Holding(Pager, Vec<u8>),
    Paging(Running),
}

impl Writer {
    pub(super) fn new(out: Box<dyn Write>) -> Self {
        Self {
            out,
            stage: Stage::Plain,
        }
    }

    /// Lets everything from now on go through a pager when it is more than a screen.
    pub(super) fn page(&mut self, pager: Pager) {
        if matches!(self.stage, Stage::Plain) {
            self.stage = Stage::Holding(pager, Vec::new());
        }
    }

    /// Writes what was kept, through the pager when one is wanted, and keeps nothing from now on.
    fn release(&mut self, with_pager: bool) -> io::Result<()> {
        let Stage::Holding(pager, held) = std::mem::replace(&mut self.stage, Stage::Plain) else {
            return Ok(());
        };
        if with_pager && let Some(running) = pager.start() {
            self.stage = Stage::Paging(running);
        }
        self.write_all(&held)
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stage {
            Stage::Plain => self.out.write(bytes),
            Stage::Paging(running) => match &mut running.input {
                Some(input) => input.write(bytes),
                None => Err(ErrorKind::BrokenPipe.into()),
            },
            Stage::Holding(pager, held) => {
                held.extend_from_slice(bytes);
                if pager.is_needed(held) {
                    self.release(true)?;
                }
                Ok(bytes.len())
            }
        }
    }

    /// Shows what was written, when there is no pager to show it: then it is no more than a screen.
    fn flush(&mut self) -> io::Result<()> {
        self.release(false)?;
        match &mut self.stage {
            Stage::Paging(Running {
                input: Some(input), ..
            }) => input.flush(),
            _ => self.out.flush(),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // A command that fails has told less than it wanted to; what there is, is shown. Nobody is left to tell when it cannot.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&[], &["less", "-FRX"])]
    #[case(&[("PAGER", "more -s 'a b'")], &["more", "-s", "a b"])]
    #[case(&[("PAGER", "it's")], &["it's"])]
    #[case(&[("PAGER", "")], &[])]
    #[case(&[("PAGER", " ")], &[])]
    #[case(&[("PAGER", "cat")], &[])]
    #[case(&[("PAGER", "cat -u")], &[])]
    #[case(&[("TERM", "dumb")], &[])]
    fn the_pager_is_chosen(#[case] variables: &[(&str, &str)], #[case] want: &[&str]) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables = variables.iter().map(owned).collect();
        let words = Pager::chosen(&variables, (80, 24), false).map(|pager| pager.words);
        assert_eq!(words.unwrap_or_default(), want);
    }

    #[rstest]
    #[case("", false)]
    #[case("1\n2\n", false)]
    #[case("1\n2\n3\n", true)]
    #[case("1\n\n3", true)]
    #[case("0123456789\n2\n", false)]
    #[case("0123456789x\n2\n", true)]
    #[case("日本語日本\n2\n", false)]
    #[case("日本語日本語\n2\n", true)]
    #[case("\x1b[31m01234\x1b[0m56789\n2\n", false)]
    fn a_screen_is_three_rows_of_ten(#[case] text: &str, #[case] want: bool) {
        let pager = Pager::chosen(&BTreeMap::new(), (10, 3), false).unwrap();
        assert_eq!(pager.is_needed(text.as_bytes()), want);
    }
}
