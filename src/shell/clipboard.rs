//! The clipboard of the terminal that the user sits at, wherever the program runs: OSC 52.

use std::io::{self, Write};
use std::process::{Command as Process, Stdio};

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

/// Puts a text into the clipboard, as far as the terminal lets us; whether it did, no terminal says.
///
/// Inside tmux, its own `load-buffer -w` does it (tmux 3.2 and later, unless `set-clipboard` is off): by default tmux does
/// not pass on what programs send. Where that fails, the sequence is wrapped for `allow-passthrough`.
pub fn copy(text: &str, out: &mut impl Write) -> io::Result<()> {
    let inside_tmux = std::env::var_os("TMUX").is_some_and(|value| !value.is_empty());
    if inside_tmux && load_buffer(text).is_ok() {
        return Ok(());
    }
    out.write_all(sequence(text, inside_tmux).as_bytes())?;
    out.flush()
}

fn load_buffer(text: &str) -> io::Result<()> {
    let mut tmux = Process::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = match tmux.stdin.take() {
        Some(mut input) => input.write_all(text.as_bytes()),
        None => Ok(()),
    };
    let status = tmux.wait()?;
    written?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other("tmux refused it"))
    }
}

fn sequence(text: &str, inside_tmux: bool) -> String {
    let mut plain = String::new();
    // Writing to a `String` cannot fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    if inside_tmux {
        format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_sent_as_base64_and_wrapped_for_tmux() {
        let plain = sequence("größe\x1b", false);
        assert_eq!(plain, "\x1b]52;c;Z3LDtsOfZRs=\x1b\\");
        assert_eq!(
            sequence("größe\x1b", true),
            "\x1bPtmux;\x1b\x1b]52;c;Z3LDtsOfZRs=\x1b\x1b\\\x1b\\"
        );
    }
}
