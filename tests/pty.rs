//! The program on a terminal: it starts, is used, and puts the terminal back however it ends.
//!
//! Every test waits for what it expects to see, with one deadline, and never for time to pass.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own helpers may fail it"
)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

/// How long anything may take; only a fault makes a test wait that long.
const DEADLINE: Duration = Duration::from_mins(1);

const ENTER_SCREEN: &str = "\x1b[?1049h";
const LEAVE_SCREEN: &str = "\x1b[?1049l";
const SHOW_CURSOR: &str = "\x1b[?25h";

/// Holds a program on a pseudo-terminal, and what it has written.
struct Terminal {
    master: Box<dyn MasterPty>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    raw: Vec<u8>,
    parser: vt100::Parser,
    modes: String,
    home: TempDir,
    until: Instant,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

impl Terminal {
    /// Starts the program; of the environment it sees only what is fixed here.
    fn start(columns: u16, rows: u16, arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.args(arguments);
        Self::run(columns, rows, command)
    }

    fn run(columns: u16, rows: u16, mut command: CommandBuilder) -> Self {
        let home = TempDir::new().unwrap();
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let extra: Vec<_> = command
            .iter_extra_env_as_str()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        command.env_clear();
        for (name, value) in extra {
            command.env(name, value);
        }
        command.env("HOME", home.path());
        command.env("XDG_STATE_HOME", home.path().join("state"));
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("TZ", "UTC");
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let modes = modes(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            output,
            raw: Vec::new(),
            parser: vt100::Parser::new(cells(rows), cells(columns), 0),
            modes,
            home,
            until: Instant::now() + DEADLINE,
        }
    }

    fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Takes in more output; `false` when there will be none.
    fn read_more(&mut self) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                self.raw.extend(bytes);
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => {
                panic!("nothing more came; the screen:\n{}", self.screen())
            }
        }
    }

    /// Waits until the screen is as wanted.
    fn wait(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> &mut Self {
        while !wanted(&self.screen()) {
            assert!(
                self.read_more(),
                "it ended before {what}; the screen:\n{}",
                self.screen()
            );
        }
        self
    }

    fn wait_for(&mut self, text: &str) -> &mut Self {
        self.wait(&format!("{text:?} was there"), |screen| {
            screen.contains(text)
        })
    }

    fn wait_until_gone(&mut self, text: &str) -> &mut Self {
        self.wait(&format!("{text:?} was gone"), |screen| {
            !screen.contains(text)
        })
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.master.resize(size(columns, rows)).unwrap();
        self.parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self
    }

    fn signal(&mut self, name: &str) -> &mut Self {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
        self
    }

    /// Waits for the end, and checks that the terminal is as it was.
    fn ends(&mut self) -> ExitStatus {
        while !self.raw_text().contains(LEAVE_SCREEN) {
            assert!(
                self.read_more(),
                "it left without leaving its screen:\n{}",
                self.raw_text()
            );
        }
        let status = self.child.wait().unwrap();
        let raw = self.raw_text();
        let last = |sequence: &str| {
            raw.rfind(sequence)
                .unwrap_or_else(|| panic!("no {sequence:?} in {raw:?}"))
        };
        assert!(last(LEAVE_SCREEN) > last(ENTER_SCREEN));
        assert!(last(SHOW_CURSOR) > last(ENTER_SCREEN));
        assert_eq!(modes(&*self.master), self.modes);
        status
    }

    fn raw_text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }
}

/// Writes how the terminal treats what is typed.
fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

#[test]
fn the_demo_is_browsed_filtered_compared_resized_and_left() {
    let mut terminal = Terminal::start(120, 36, &["demo"]);
    terminal
        .wait_for("statescope ▸ ● demo")
        .wait_for("12 ─")
        .wait_for("bookmarks")
        .press("/shopify snow")
        .wait_for("Jobs 1 of 12")
        .press("\r")
        .wait_for("Enter open")
        .wait_for("prod:tap-shopify-to-target-snowflake ─")
        .wait_for("inventory_levels")
        .press("hd")
        .wait_for("[Diff]")
        .wait_for("streams moved")
        .resize(80, 24)
        .wait_until_gone("bookmark")
        .wait_for("[Diff]")
        .resize(60, 15)
        .wait_for("1 of 2")
        .press("\t")
        .wait_for("2 of 2")
        .press("?")
        .wait_for("Keys")
        .press("\x1b")
        .wait_until_gone("Keys")
        .press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn the_terminal_is_put_back_after_a_signal() {
    for name in ["-TERM", "-HUP", "-INT"] {
        let mut terminal = Terminal::start(80, 24, &["demo"]);
        terminal.wait_for("bookmarks").signal(name);
        assert_eq!(terminal.ends().exit_code(), 0, "{name}");
    }
}

#[test]
fn a_terminal_that_is_gone_ends_it() {
    let mut terminal = Terminal::start(80, 24, &["demo"]);
    terminal.wait_for("bookmarks");
    let Terminal {
        master,
        keys,
        mut child,
        output,
        home,
        ..
    } = terminal;
    drop((master, keys, output));
    child.wait().unwrap();
    let reports = home.path().join("state/statescope");
    assert!(!reports.exists(), "{}", only_file(&reports));
}

#[test]
fn a_file_that_is_no_database_says_so_and_can_be_left() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("none.db");
    std::fs::write(&file, "this is no database").unwrap();
    let mut terminal = Terminal::start(80, 24, &[file.to_str().unwrap()]);
    terminal
        .wait_for("✗ none.db")
        .wait_for("or it is an encrypted")
        .press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn nothing_stored_reaches_the_terminal_as_a_command() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("evil.db");
    let evil = "\u{1b}]0;evil\u{7}\u{1b}[2J\u{9b}2J";
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
             INSERT INTO alembic_version VALUES ('c0efb3c314eb');
             CREATE TABLE runs (id INTEGER PRIMARY KEY, job_name VARCHAR, run_id VARCHAR, state VARCHAR, started_at DATETIME,
                 last_heartbeat_at DATETIME, ended_at DATETIME, payload VARCHAR, payload_flags INTEGER, \"trigger\" VARCHAR);
             CREATE TABLE state (state_id VARCHAR PRIMARY KEY, partial_state VARCHAR, completed_state VARCHAR, updated_at DATETIME);",
        )
        .unwrap();
    let state = serde_json::json!({"singer_state": {"bookmarks": {evil: {evil: evil}}}});
    let values = [evil, "{}", &state.to_string()];
    database
        .execute(
            "INSERT INTO state (state_id, partial_state, completed_state) VALUES (?, ?, ?)",
            values,
        )
        .unwrap();
    database.close().unwrap();
    let mut terminal = Terminal::start(120, 24, &[file.to_str().unwrap()]);
    terminal
        .wait_for("bookmarks")
        .wait_for(r"\x1b]0;evil\x07")
        .press("?")
        .wait_for("Keys")
        .press("q")
        .wait_until_gone("Keys")
        .press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    let raw = terminal.raw_text();
    assert!(
        !raw.contains("\u{1b}]0;") && !raw.contains('\u{7}') && !raw.contains('\u{9b}'),
        "{raw:?}"
    );
}

#[test]
fn without_a_terminal_it_is_wrong_use() {
    let output = Command::new(env!("CARGO_BIN_EXE_statescope"))
        .arg("demo")
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("statescope list"), "{said}");
    assert!(output.stdout.is_empty());
}

/// Names the panic that the test below makes when it runs as its own child.
const PANIC: &str = "STATESCOPE_TEST_PANIC";

#[test]
fn the_terminal_is_put_back_after_a_panic_and_a_report_is_left() {
    if let Ok(thread) = std::env::var(PANIC) {
        return panic_on_terminal(&thread);
    }
    for thread in ["main", "other"] {
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--nocapture"]);
        command.arg("the_terminal_is_put_back_after_a_panic_and_a_report_is_left");
        command.env(PANIC, thread);
        let mut terminal = Terminal::run(80, 24, command);
        terminal.ends();
        terminal.wait_for("test result: ok");
        let said = terminal.screen();
        assert!(said.contains("why: a fault in this test"), "{said}");
        let report = only_file(&terminal.home.path().join("state/statescope"));
        assert!(report.contains("a fault in this test"), "{report}");
        assert!(report.contains("pty.rs"), "{report}");
    }
}

fn panic_on_terminal(thread: &str) {
    let outcome = statescope::shell::on_terminal(|_| {
        let fault = || -> () { panic!("a fault in this test") };
        match thread {
            "main" => fault(),
            _ => assert!(std::thread::spawn(fault).join().is_err()),
        }
        Ok(())
    });
    println!("{}", outcome.unwrap_err());
}

fn only_file(folder: &Path) -> String {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap()
}
