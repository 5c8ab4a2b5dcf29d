//! What a command is given to read: a file, or standard input.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::session::Session;
use crate::report::{Fault, Report};

/// The word that stands for standard input.
pub(super) const STDIN: &str = "-";

impl Session {
    /// Reads a file, or standard input for `-`, whole; gives what to call it, and its bytes.
    pub(super) fn read_input<'t>(&self, text: &'t str) -> Result<(&'t str, Vec<u8>), Report> {
        let (name, bytes) = if text == STDIN {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            ("standard input", read.map(|_| bytes))
        } else {
            let path = self.surroundings.directory.join(Path::new(text));
            (text, std::fs::read(path))
        };
        let bytes = bytes.map_err(|error| {
            let fault = match error.kind() {
                ErrorKind::NotFound => Fault::NotFound,
                ErrorKind::PermissionDenied => Fault::Denied,
                _ => Fault::Unreachable,
            };
            Report::new(fault, format!("cannot read {name}")).because(error)
        })?;
        Ok((name, bytes))
    }
}
