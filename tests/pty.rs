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
use unicode_width::UnicodeWidthStr as _;

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
        command.env("HOME", home.path());
        command.env("XDG_STATE_HOME", home.path().join("state"));
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("TZ", "UTC");
        for (name, value) in extra {
            command.env(name, value);
        }
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
        let count = |raw: &str, sequence: &str| raw.matches(sequence).count();
        while count(&self.raw_text(), LEAVE_SCREEN) < count(&self.raw_text(), ENTER_SCREEN).max(1) {
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

    /// Waits for the end of a command that never took the whole screen.
    fn finishes(&mut self) -> ExitStatus {
        while self.read_more() {}
        assert!(!self.raw_text().contains(ENTER_SCREEN));
        self.child.wait().unwrap()
    }

    fn raw_text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }
}

/// A system database with two states, one of them protected, and the journal of the terminal's home.
struct Edited {
    folder: TempDir,
}

const DEV: &str = "dev:tap-a-to-target-b";
const PROD: &str = "prod:tap-a-to-target-b";

impl Edited {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/meltano/cli/base.db");
        std::fs::copy(fixture, folder.path().join("edited.db")).unwrap();
        let edited = Self { folder };
        for id in [DEV, PROD] {
            let sql = "INSERT INTO state (state_id, completed_state, partial_state) VALUES (?1, ?2, '{}')";
            edited
                .open()
                .execute(sql, [id, r#"{"singer_state": {"n": 1}}"#])
                .unwrap();
        }
        edited
    }

    fn open(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }

    fn file(&self) -> String {
        let path = self.folder.path().join("edited.db");
        path.to_str().unwrap().to_owned()
    }

    fn state(&self, id: &str) -> Option<String> {
        let sql = "SELECT completed_state FROM state WHERE state_id = ?1";
        self.open().query_row(sql, [id], |row| row.get(0)).ok()
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.file()).unwrap()
    }

    fn start(&self, arguments: &[&str]) -> Terminal {
        let file = self.file();
        Terminal::start(120, 30, &[arguments, &["--source", &file]].concat())
    }
}

fn journal_of(terminal: &Terminal) -> std::path::PathBuf {
    terminal.home.path().join("state/statescope/journal.db")
}

#[test]
fn a_yes_applies_a_plan() {
    for yes in ["y\r", "YES\r"] {
        let edited = Edited::new();
        let mut terminal = edited.start(&["put", DEV, "/singer_state/n", "2"]);
        terminal
            .wait_for("1 → 2")
            .wait_for("Apply? [y/N]")
            .press(yes)
            .wait_for("undo it with `statescope undo 1`");
        assert_eq!(terminal.finishes().exit_code(), 0);
        assert!(terminal.screen().contains(&format!("done  {DEV}")));
        assert_eq!(edited.state(DEV).unwrap(), r#"{"singer_state": {"n": 2}}"#);
        assert!(journal_of(&terminal).exists());
    }
}

#[test]
fn anything_but_a_yes_writes_nothing() {
    for no in ["n\r", "\r", "yep\r", "\u{4}"] {
        let edited = Edited::new();
        let before = edited.bytes();
        let mut terminal = edited.start(&["put", DEV, "/singer_state/n", "2"]);
        terminal
            .wait_for("Apply? [y/N]")
            .press(no)
            .wait_for("nothing was written");
        assert_eq!(terminal.finishes().exit_code(), 1, "{no:?}");
        assert!(edited.bytes() == before, "{no:?}");
        assert!(!journal_of(&terminal).exists());
    }
}

#[test]
fn a_protected_state_wants_its_id_typed() {
    let of_one = "prod is protected. Type the state ID:";
    let of_two = "prod is protected. Type the number of states (2):";
    for (ids, question, typed, code) in [
        (&[PROD][..], of_one, "prod:tap-a-to-target-b\r", 0),
        (&[PROD], of_one, "y\r", 5),
        (&[PROD], of_one, "\r", 1),
        (&[PROD], of_one, "\u{4}", 1),
        (&[PROD, DEV], of_two, "2\r", 0),
        (&[PROD, DEV], of_two, "3\r", 5),
    ] {
        let edited = Edited::new();
        let before = edited.bytes();
        let mut terminal = edited.start(&[&["clear"], ids].concat());
        terminal.wait_for(question).press(typed);
        assert_eq!(terminal.finishes().exit_code(), code, "{typed:?}");
        assert_eq!(edited.state(PROD).is_none(), code == 0, "{typed:?}");
        assert_eq!(journal_of(&terminal).exists(), code == 0, "{typed:?}");
        assert_eq!(edited.bytes() == before, code != 0, "{typed:?}");
    }
}

#[test]
fn with_data_on_standard_input_the_terminal_itself_is_asked() {
    for (answer, code) in [("y\r", 0), ("n\r", 1)] {
        let edited = Edited::new();
        let line = format!(
            "printf '%s' '{{\"singer_state\": {{\"n\": 3}}}}' | {} set {DEV} --input-file - --source {}",
            env!("CARGO_BIN_EXE_statescope"),
            edited.file()
        );
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", &line]);
        let mut terminal = Terminal::run(120, 30, command);
        terminal.wait_for("Apply? [y/N]").press(answer);
        assert_eq!(terminal.finishes().exit_code(), code);
        let is_new = edited.state(DEV).unwrap() == r#"{"singer_state": {"n": 3}}"#;
        assert_eq!(is_new, code == 0);
    }
}

#[test]
fn a_document_that_is_typed_is_no_answer() {
    let edited = Edited::new();
    let mut terminal = edited.start(&["set", DEV, "--input-file", "-"]);
    terminal
        .press("{\"singer_state\": {\"n\": 4}}\r\u{4}")
        .wait_for("Apply? [y/N]")
        .press("y\r");
    assert_eq!(terminal.finishes().exit_code(), 0);
    assert_eq!(edited.state(DEV).unwrap(), r#"{"singer_state": {"n": 4}}"#);
}

#[test]
fn who_cannot_see_the_plan_is_not_asked() {
    let edited = Edited::new();
    let before = edited.bytes();
    let line = format!(
        "{} clear {DEV} --source {} 2>{}; echo code $?",
        env!("CARGO_BIN_EXE_statescope"),
        edited.file(),
        edited.folder.path().join("said").display()
    );
    let mut command = CommandBuilder::new("/bin/sh");
    command.args(["-c", &line]);
    let mut terminal = Terminal::run(120, 30, command);
    terminal.wait_for("code 5");
    let said = std::fs::read_to_string(edited.folder.path().join("said")).unwrap();
    assert!(said.contains("answer by --yes"), "{said}");
    assert!(edited.bytes() == before);
}

#[test]
fn a_state_that_changes_while_it_is_asked_is_left_alone_and_the_three_versions_are_shown() {
    let edited = Edited::new();
    let mut terminal = edited.start(&["put", DEV, "/singer_state/n", "2"]);
    terminal.wait_for("Apply? [y/N]");
    let theirs = r#"{"singer_state": {"n": 1, "theirs": true}}"#;
    let sql = "UPDATE state SET completed_state = ?1 WHERE state_id = ?2";
    edited.open().execute(sql, [theirs, DEV]).unwrap();
    let before = edited.bytes();
    terminal
        .press("y\r")
        .wait_for(&format!("conflict  {DEV}"))
        .wait_for("changed since it was read; nothing was written")
        .wait_for("since you read it")
        .wait_for("+ singer_state.theirs")
        .wait_for("what you want")
        .wait_for("1 → 2")
        .wait_for("operation 1 · nothing was written");
    assert_eq!(terminal.finishes().exit_code(), 4);
    assert!(edited.bytes() == before);
    assert_eq!(edited.state(DEV).unwrap(), theirs);
}

#[test]
fn of_many_states_the_worst_outcome_is_the_exit_code() {
    let edited = Edited::new();
    let mut terminal = edited.start(&["clear", DEV, "both-empty", "none"]);
    terminal.wait_for("Apply? [y/N]");
    let sql = "UPDATE state SET completed_state = '{}' WHERE state_id = ?1";
    edited.open().execute(sql, [DEV]).unwrap();
    terminal.press("y\r");
    assert_eq!(terminal.finishes().exit_code(), 4);
    let screen = terminal.screen();
    let outcomes = format!("conflict  {DEV}\ndone  both-empty\nrefused  none\n");
    assert!(screen.contains(&outcomes), "{screen}");
    assert_eq!(edited.state(DEV).unwrap(), "{}");
    assert_eq!(edited.state("both-empty"), None);
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
fn colours_are_shown_as_they_are_wanted() {
    for (wish, no_color, is_coloured) in [
        ("auto", "", true),
        ("never", "", false),
        ("auto", "1", false),
        ("always", "1", true),
    ] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.args(["demo", "--color", wish]);
        command.env("NO_COLOR", no_color);
        command.env("TERM", "xterm-256color");
        let mut terminal = Terminal::run(80, 24, command);
        terminal.wait_for("bookmarks").press("q");
        assert_eq!(terminal.ends().exit_code(), 0);
        let sets_a_colour = terminal.raw_text().contains("\x1b[38;5;");
        assert_eq!(sets_a_colour, is_coloured, "{wish} {no_color:?}");
    }
}

#[test]
fn times_are_shown_in_the_configured_zone() {
    for (zone, title) in [("local", "Asia/Tokyo"), ("UTC", "UTC")] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.arg("demo");
        command.env("TZ", "Asia/Tokyo");
        command.env("STATESCOPE_TIME_ZONE", zone);
        let mut terminal = Terminal::run(100, 30, command);
        let is_titled = |screen: &str| {
            let first = screen.lines().next().unwrap_or_default();
            first.trim_end().ends_with(title)
        };
        terminal.wait("the zone in the title", is_titled).press("q");
        assert_eq!(terminal.ends().exit_code(), 0);
    }
}

#[test]
fn what_is_copied_reaches_the_terminal_and_tmux() {
    for (tmux, before) in [
        ("", "\x1b]52;c;"),
        ("/none,1,0", "\x1bPtmux;\x1b\x1b]52;c;"),
    ] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.arg("demo");
        command.env("TMUX", tmux);
        command.env("PATH", "/nonexistent");
        let mut terminal = Terminal::run(80, 24, command);
        terminal
            .wait_for("bookmarks")
            .press("yi")
            .wait_for("Copied the state ID (30 B)")
            .press("q");
        assert_eq!(terminal.ends().exit_code(), 0);
        let sent = format!("{before}ZGV2OnRhcC1naXRodWItdG8tdGFyZ2V0LWpzb25s");
        assert!(
            terminal.raw_text().contains(&sent),
            "{:?}",
            terminal.raw_text()
        );
    }
}

/// Counts how often the terminal was taken over.
fn screens(terminal: &Terminal) -> usize {
    terminal.raw_text().matches(ENTER_SCREEN).count()
}

#[test]
fn it_stops_with_the_terminal_put_back_and_goes_on_where_it_was() {
    let line = format!(
        "set -m; {} demo; stty -a | grep -o ' -\\?icanon'; echo it is stopped; read go; fg",
        env!("CARGO_BIN_EXE_statescope")
    );
    let mut command = CommandBuilder::new("/bin/sh");
    command.args(["-c", &line]);
    command.env("PATH", std::env::var("PATH").unwrap());
    let mut terminal = Terminal::run(80, 24, command);
    terminal
        .wait_for("bookmarks")
        .press("j\u{1a}")
        .wait_for("it is stopped");
    assert!(
        terminal.screen().contains(" icanon"),
        "{}",
        terminal.screen()
    );
    assert!(!terminal.screen().contains("bookmarks"));
    assert_eq!(screens(&terminal), 1);
    terminal
        .press("go\r")
        .wait_for("bookmarks")
        .wait_for("prod:tap-github-to-target-snowflake  ");
    assert_eq!(screens(&terminal), 2);
    terminal.press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn stopped_from_outside_it_is_drawn_anew_when_it_goes_on() {
    let mut terminal = Terminal::start(80, 24, &["demo"]);
    terminal
        .wait_for("bookmarks")
        .signal("-STOP")
        .signal("-CONT");
    while screens(&terminal) < 2 {
        assert!(terminal.read_more());
    }
    terminal.wait_for("bookmarks").press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn the_mouse_selects_and_is_given_back() {
    let mut terminal = Terminal::start(80, 24, &["demo"]);
    terminal
        .wait_for("bookmarks")
        .press("\x1b[<0;5;5M\x1b[<0;5;5m")
        .wait_for("prod:tap-github-to-target-snowflake  ")
        .press("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    let raw = terminal.raw_text();
    assert!(raw.rfind("\x1b[?1000l").unwrap() > raw.rfind("\x1b[?1000h").unwrap());
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

/// A pager that a test wrote, and a database with a state of many lines.
struct Paged {
    edited: Edited,
}

impl Paged {
    fn new(script: &str) -> Self {
        let edited = Edited::new();
        std::fs::write(edited.folder.path().join("pager.sh"), script).unwrap();
        let keys: Vec<String> = (0..20_000).map(|key| format!("\"key {key}\": 1")).collect();
        let sql = "UPDATE state SET completed_state = ?2 WHERE state_id = ?1";
        let state = format!("{{{}}}", keys.join(", "));
        assert_eq!(edited.open().execute(sql, [DEV, &state]).unwrap(), 1);
        Self { edited }
    }

    /// Runs a command on a terminal of ten rows, or more.
    fn run(&self, rows: u16, pager: &str, arguments: &[&str]) -> Terminal {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.args(arguments);
        command.args(["--source", &self.edited.file()]);
        let script = self.edited.folder.path().join("pager.sh");
        command.env("PAGER", pager.replace("SCRIPT", script.to_str().unwrap()));
        Terminal::run(100, rows, command)
    }
}

const COUNTS: &str = "echo \"PAGED $1\"; wc -l; echo END";

#[test]
fn more_than_a_screen_goes_through_the_pager() {
    let paged = Paged::new(COUNTS);
    let script = "sh SCRIPT 'with care'";
    for (arguments, rows, is_paged) in [
        (&["list"][..], 10, true),
        (&["list"], 40, false),
        (&["list", "--ids"], 10, true),
        (&["list", "--json"], 10, false),
        (&["get", DEV, "--pretty"], 10, true),
        (&["get", DEV, "--pretty", "--json"], 10, false),
        (&["blame", DEV], 10, true),
        (&["log", DEV], 10, false),
        (&["diff", DEV, PROD], 10, true),
    ] {
        let mut terminal = paged.run(rows, script, arguments);
        let code = terminal.finishes().exit_code();
        let told = terminal.raw_text();
        assert_eq!(
            told.contains("PAGED with care"),
            is_paged,
            "{arguments:?}: {told}"
        );
        // The end of the input comes, and the pager's end is waited for.
        assert_eq!(told.ends_with("END\r\n"), is_paged, "{arguments:?}: {told}");
        assert_eq!(code, u32::from(arguments[0] == "diff"), "{arguments:?}");
    }
}

#[test]
fn a_pager_that_has_seen_enough_is_no_error() {
    let paged = Paged::new("read line; echo \"saw $line\"; exit 3");
    let mut terminal = paged.run(10, "sh SCRIPT", &["get", DEV, "--pretty"]);
    assert_eq!(terminal.finishes().exit_code(), 0);
    assert_eq!(terminal.raw_text(), "saw {\r\n");
}

#[test]
fn without_a_pager_everything_is_shown() {
    let paged = Paged::new(COUNTS);
    for (pager, told) in [
        ("", false),
        ("cat", false),
        ("/nonexistent/pager", true),
        ("'unfinished", true),
    ] {
        let mut terminal = paged.run(10, pager, &["get", DEV, "--pretty"]);
        assert_eq!(terminal.finishes().exit_code(), 0, "{pager:?}");
        let text = terminal.raw_text();
        assert_eq!(text.contains("cannot start the pager"), told, "{pager:?}");
        assert_eq!(text.matches(": 1").count(), 20_000, "{pager:?}");
    }
}

#[test]
fn where_no_pager_is_chosen_less_is_one_if_it_is_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let paged = Paged::new("");
    let folder = paged.edited.folder.path().join("bin");
    for is_there in [false, true] {
        if is_there {
            std::fs::create_dir(&folder).unwrap();
            let less = folder.join("less");
            std::fs::write(&less, "#!/bin/sh\necho \"LESS $*\"\nexec /bin/cat\n").unwrap();
            std::fs::set_permissions(&less, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statescope"));
        command.args(["get", DEV, "--pretty", "--source", &paged.edited.file()]);
        command.env("PATH", &folder);
        let mut terminal = Terminal::run(100, 10, command);
        assert_eq!(terminal.finishes().exit_code(), 0);
        let first = if is_there {
            "LESS -FRX\r\n{\r\n"
        } else {
            "{\r\n"
        };
        assert!(terminal.raw_text().starts_with(first), "{is_there}");
        assert_eq!(terminal.raw_text().matches(": 1").count(), 20_000);
    }
}

#[test]
fn bare_ids_cannot_move_the_cursor() {
    let edited = Edited::new();
    let sql =
        "INSERT INTO state (state_id, completed_state, partial_state) VALUES (?1, '{}', '{}')";
    edited.open().execute(sql, ["a\u{1b}[2Jb\nc"]).unwrap();
    let mut terminal = edited.start(&["list", "--ids", "--pattern", "a*b*"]);
    assert_eq!(terminal.finishes().exit_code(), 0);
    let text = terminal.raw_text();
    assert!(
        text.contains("a\\x1b[2Jb\\nc\r\n") && !text.contains('\u{1b}'),
        "{text:?}"
    );
}

#[test]
fn a_log_cannot_move_the_cursor() {
    let project = TempDir::new().unwrap();
    let system = project.path().join(".meltano");
    std::fs::create_dir(&system).unwrap();
    let sql = include_str!("../assets/demo/meltano.sql");
    let file = system.join("meltano.db");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
    let log =
        "logs/elt/devtap-github-to-target-bigquery/01a225e3-997a-7eb3-8379-68c6c07ba351/elt.log";
    let log = system.join(log);
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(&log, "one\x1b[2J\r\n\x1b[31mtwo").unwrap();
    let job = "dev:tap-github-to-target-bigquery@10";
    let mut terminal = Terminal::start(100, 10, &["logs", job, "--source", file.to_str().unwrap()]);
    assert_eq!(terminal.finishes().exit_code(), 0);
    assert_eq!(terminal.raw_text(), "one\\x1b[2J\r\n\\x1b[31mtwo\r\n");
}

#[test]
fn an_interrupt_is_the_pagers() {
    let script = "trap 'echo CAUGHT' INT; cat >/dev/null; echo READY; until read key </dev/tty && test \"$key\" = q; do :; done; echo BYE";
    let paged = Paged::new(script);
    let mut terminal = paged.run(10, "sh SCRIPT", &["get", DEV, "--pretty"]);
    terminal
        .wait_for("READY")
        .press("\u{3}")
        .wait_for("CAUGHT")
        .press("q\r")
        .wait_for("BYE");
    assert_eq!(terminal.finishes().exit_code(), 0);
}

#[test]
fn a_line_of_blame_is_no_wider_than_the_terminal() {
    let database = TempDir::new().unwrap();
    let file = database.path().join("meltano.db");
    let sql = include_str!("../assets/demo/meltano.sql");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
    let file = file.to_str().unwrap();
    let job = "dev:tap-github-to-target-bigquery";
    let lines = |columns, arguments: &[&str]| {
        let arguments = [
            arguments,
            &["blame", job, "--color", "never", "--source", file],
        ]
        .concat();
        let mut terminal = Terminal::start(columns, 40, &arguments);
        assert_eq!(terminal.finishes().exit_code(), 0);
        let lines: Vec<String> = terminal.raw_text().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 11, "{lines:?}");
        lines
    };
    let widest = |lines: &[String]| lines.iter().map(|line| line.width()).max();
    let whole = lines(200, &[]);
    assert!(
        whole[3].contains("2026-11-12T00:00:00Z") && whole[3].contains("was 2026-11-29T05:52:00Z")
    );
    let narrow = lines(100, &[]);
    assert_eq!(widest(&narrow), Some(100), "{narrow:?}");
    assert!(
        narrow[3].contains("2026-11-12T")
            && narrow[3].contains("◆ edit  2026-11-29 17:40  was 2026-11-"),
        "{narrow:?}"
    );
}
