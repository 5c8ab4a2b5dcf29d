//! What the tests that run the program have in common: a throw-away folder, fixtures copied into it, and an
//! environment in which nothing of the machine or of the person who runs the tests is left.

#![allow(
    dead_code,
    reason = "each test binary uses its own part of this module"
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Gives the path of a fixture, which must not be opened in place: a database may be written beside.
pub fn fixture(relative: impl AsRef<Path>) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(relative);
    assert!(path.exists(), "no fixture {}", path.display());
    path
}

/// Reads a fixture that is text.
pub fn fixture_text(relative: impl AsRef<Path>) -> String {
    std::fs::read_to_string(fixture(relative)).expect("a fixture of text can be read")
}

/// A throw-away folder with a home of its own, removed when dropped.
pub struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    /// Makes an empty one.
    pub fn new() -> Self {
        let root = TempDir::with_prefix("statescope-test-").expect("a folder can be made");
        std::fs::create_dir(root.path().join("home")).expect("a home can be made");
        Self { root }
    }

    /// Gives a path in it, whether or not something is there.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(relative)
    }

    /// Writes a file in it, with the folders above, and gives its path.
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        self.make_folder_of(&path);
        std::fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Copies a fixture to `relative`, with the `-wal` and `-shm` beside it if it has them, and gives the path.
    pub fn copy(&self, source: impl AsRef<Path>, relative: impl AsRef<Path>) -> PathBuf {
        let source = fixture(source);
        let path = self.path(relative);
        self.make_folder_of(&path);
        std::fs::copy(&source, &path).expect("a fixture can be copied");
        for suffix in ["-wal", "-shm"] {
            let beside = with_suffix(&source, suffix);
            if beside.exists() {
                std::fs::copy(beside, with_suffix(&path, suffix)).expect("its log can be copied");
            }
        }
        path
    }

    /// Clears a command's environment and points it into this folder.
    pub fn confine(&self, command: &mut Command) {
        let home = self.path("home");
        command
            .env_clear()
            .current_dir(self.root.path())
            .stdin(Stdio::null())
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("COLUMNS", "100");
        for (name, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_RUNTIME_DIR", ".run"),
        ] {
            command.env(name, home.join(folder));
        }
    }

    /// Prepares the program, confined, without arguments.
    pub fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_statescope"));
        self.confine(&mut command);
        command
    }

    /// Runs the program, confined, and waits for its answer.
    pub fn statescope<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Answer {
        Answer::of(self.program().args(arguments))
    }

    fn make_folder_of(&self, path: &Path) {
        assert!(path.starts_with(self.root.path()), "it lies in the sandbox");
        let folder = path.parent().expect("it has a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What a program answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The exit code; none when a signal ended the program.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Answer {
    /// Runs a command and waits for what it says.
    pub fn of(command: &mut Command) -> Self {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("the program can be started");
        Self {
            code: status.code(),
            out: String::from_utf8(stdout).expect("standard output is UTF-8"),
            err: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Gives standard output, and fails the test with all that was said when the exit code is not 0.
    #[track_caller]
    pub fn out_of_success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.out
    }
}
