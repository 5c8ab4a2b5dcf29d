//! The command line, as a script sees it: what goes to standard output, what to standard error, and the exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

#[path = "cli/blame.rs"]
mod blame;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/database.rs"]
mod database;
#[path = "cli/diff.rs"]
mod diff;
#[path = "cli/diff_formats.rs"]
mod diff_formats;
#[path = "cli/diff_many.rs"]
mod diff_many;
#[path = "cli/directory.rs"]
mod directory;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/get.rs"]
mod get;
#[path = "cli/goldens.rs"]
mod goldens;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/list.rs"]
mod list;
#[path = "cli/log.rs"]
mod log;
#[path = "cli/logs.rs"]
mod logs;
#[path = "cli/operations.rs"]
mod operations;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/sources.rs"]
mod sources;
#[path = "cli/stage.rs"]
mod stage;
#[path = "support/tree.rs"]
mod tree;
#[path = "cli/undo.rs"]
mod undo;
#[path = "cli/write.rs"]
mod write;
