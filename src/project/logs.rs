//! Where Meltano keeps a run's own log.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use super::{Site, Surroundings};
use crate::domain::history::Run;
use crate::domain::location::Location;
use crate::report::{Fault, Report};

/// The folder that Meltano makes in a project, and keeps its own things in.
const SYSTEM: &str = ".meltano";

impl Surroundings {
    /// Opens a run's own log, and says where it is.
    ///
    /// Meltano 4 (4.4.1 and before) keeps it in the log folder of the user who ran it, `$XDG_STATE_HOME/meltano/log`, else
    /// `~/.local/state/meltano/log`, on macOS `~/Library/Logs/meltano`; Meltano 1 to 3 in the project, `.meltano/logs`. Below
    /// both it is `elt/STATE_ID/RUN_ID/elt.log`, the state ID without what a file name should not have.
    pub fn run_log(&self, site: &Site, run: &Run) -> Result<(PathBuf, File), Report> {
        let id = run.state_id.as_str();
        let name = run
            .run_id
            .as_deref()
            .and_then(|id| Uuid::try_parse(id).ok());
        let Some(name) = name else {
            return Err(
                Report::new(Fault::No, format!("run {} of '{id}' has no log", run.row))
                    .because("a log is named by its run's ID, and this one has none"),
            );
        };
        let mut looked_at = Vec::new();
        for folder in self.log_folders(site) {
            let path = folder
                .join("elt")
                .join(file_name(id))
                .join(name.hyphenated().to_string())
                .join("elt.log");
            match open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if is_missing(&error) => looked_at.push(path.display().to_string()),
                Err(error) => {
                    let fault = if error.kind() == ErrorKind::PermissionDenied {
                        Fault::Denied
                    } else {
                        Fault::Unreachable
                    };
                    let message = format!("cannot open {}", path.display());
                    return Err(Report::new(fault, message).because(error));
                }
            }
        }
        Err(no_log(id, &name, &looked_at))
    }

    /// Lists the folders in which logs may be, those of the project first.
    fn log_folders(&self, site: &Site) -> Vec<PathBuf> {
        let system = site
            .system
            .clone()
            .or_else(|| system_around(&site.runs.as_ref()?.location));
        let in_project = system.map(|folder| folder.join("logs"));
        let home = || Some(PathBuf::from(self.variables.get("HOME")?));
        let of_user = if cfg!(target_os = "macos") && !self.variables.contains_key("XDG_STATE_HOME")
        {
            home().map(|home| home.join("Library/Logs/meltano"))
        } else {
            self.state_folder().map(|folder| folder.join("meltano/log"))
        };
        in_project.into_iter().chain(of_user).collect()
    }
}

/// Gives the system folder that a bare database lies in, if it is one.
fn system_around(location: &Location) -> Option<PathBuf> {
    let Location::Sqlite(file) = location else {
        return None;
    };
    let folder = file.parent()?;
    (folder.file_name()? == SYSTEM).then(|| folder.to_path_buf())
}

/// Opens a file, and nothing else: a folder would open, and a pipe would wait.
fn open(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::other("it is no file"))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

fn no_log(id: &str, run: &Uuid, looked_at: &[String]) -> Report {
    let report = Report::new(
        Fault::No,
        format!("there is no log of run {run} of '{id}' here"),
    );
    let report = match looked_at {
        [] => report.because("no folder is known in which it could be"),
        paths => report.because(format!("looked at {}", paths.join(" and "))),
    };
    report.hint(
        "Meltano keeps logs on the machine, and since 4.0 with the user, that ran it; look there",
    )
}

/// Makes a state ID a file name, as `sanitize_filename` of Meltano 4.4.1 and Werkzeug before it do: ASCII letters, digits and
/// `_.-`, what is between words as `_`, nothing of `._` at the ends.
fn file_name(id: &str) -> String {
    let ascii: String = id.nfkd().filter(char::is_ascii).collect();
    let is_space = |c: char| matches!(c, '/' | ' ' | '\t'..='\r' | '\x1c'..='\x1f');
    let words: Vec<&str> = ascii
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    let is_kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let name: String = words.join("_").chars().filter(is_kept).collect();
    name.trim_matches(['.', '_']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// What `sanitize_filename` of Meltano 4.4.1 gave.
    #[rstest]
    #[case("dev:tap-github-to-target-jsonl", "devtap-github-to-target-jsonl")]
    #[case(
        "2026-11-30T231840--tap-github--target-jsonl",
        "2026-11-30T231840--tap-github--target-jsonl"
    )]
    #[case("slash/in//id", "slash_in_id")]
    #[case("../../etc/passwd", "etc_passwd")]
    #[case("Nachtabgleich – Größe 日本語 🚀", "Nachtabgleich_Groe")]
    #[case(" a\u{1f}b\u{a0}c ", "a_b_c")]
    #[case("ﬁle①", "file1")]
    #[case("a . b", "a_._b")]
    #[case("a:/:b", "a_b")]
    #[case("日本語", "")]
    #[case("..", "")]
    fn state_ids_as_file_names(#[case] id: &str, #[case] want: &str) {
        assert_eq!(file_name(id), want);
    }
}
