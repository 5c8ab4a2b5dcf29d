//! Opens and reads SQLite files: every schema, every way to open one, and everything that is none.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own helpers may fail it"
)]

#[path = "sqlite_open/broken.rs"]
mod broken;
#[path = "sqlite_open/eras.rs"]
mod eras;
#[path = "sqlite_open/support.rs"]
mod support;
#[path = "sqlite_open/ways.rs"]
mod ways;
