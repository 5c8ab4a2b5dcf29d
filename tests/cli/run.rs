//! Running the program in an environment that is the same everywhere.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// What one run of the program gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    /// Gives standard output, of a command that did what it was asked to and said nothing else.
    pub fn quiet(self, code: i32) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (code, ""), "{self:?}");
        self.stdout
    }

    /// Gives standard error, of a command that gave no answer.
    pub fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{self:?}");
        self.stderr
    }

    /// Reads standard output as JSON, with the error lines.
    pub fn json(&self, code: i32) -> (Value, Vec<Value>) {
        assert_eq!(self.code, code, "{self:?}");
        let answer = if self.stdout.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&self.stdout).unwrap()
        };
        (answer, self.errors())
    }

    /// Reads each line of standard error as JSON.
    pub fn errors(&self) -> Vec<Value> {
        let lines = self.stderr.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano")
}

/// Makes a command in the folder of the fixtures, in an environment without anything of the person who runs the tests.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_statescope"));
    command
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_DATA_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", "/nonexistent")
        .env("XDG_CACHE_HOME", "/nonexistent")
        .env("TZ", "UTC")
        .env("LANG", "C.UTF-8")
        .env("COLUMNS", "80")
        .env("STATESCOPE_NOW", "2026-12-01T00:00:00Z");
    command
}

/// Runs a command to its end.
pub fn answer(mut command: Command) -> Answer {
    let output = command.output().unwrap();
    Answer {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn statescope(arguments: &[&str]) -> Answer {
    answer(command(arguments))
}

/// Replaces a folder in what was written, so that it is the same on every machine.
pub fn without(folder: &Path, text: &str) -> String {
    text.replace(&folder.display().to_string(), "[DIR]")
}

/// Runs a command on one source.
pub fn on(source: &str, arguments: &[&str]) -> Answer {
    statescope(&[arguments, &["--source", source]].concat())
}
