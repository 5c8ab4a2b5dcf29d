//! The one door for writes under faults: processes killed at each step, writers that race, disks that are full.
//!
//! Whatever happens, a source holds the old state or the new one, and the journal says which.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own helpers may fail it"
)]

mod support;

#[path = "door/between.rs"]
mod between;
#[path = "door/disk.rs"]
mod disk;
#[path = "door/kill.rs"]
mod kill;
#[path = "door/race.rs"]
mod race;
#[path = "door/stage.rs"]
mod stage;
