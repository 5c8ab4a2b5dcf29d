//! Writes to system databases: the rows that Meltano writes, only over what was read, whole or not at all.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own helpers may fail it"
)]

#[path = "sqlite_write/access.rs"]
mod access;
#[path = "sqlite_write/beside.rs"]
mod beside;
#[path = "sqlite_write/bytes.rs"]
mod bytes;
#[path = "sqlite_write/groups.rs"]
mod groups;
#[path = "sqlite_write/meltano.rs"]
mod meltano;
#[path = "sqlite_open/support.rs"]
#[allow(dead_code, reason = "each test binary uses its own part of it")]
mod programs;
#[path = "sqlite_write/refused.rs"]
mod refused;
#[path = "sqlite_write/support.rs"]
mod support;
