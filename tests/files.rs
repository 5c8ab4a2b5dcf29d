//! State directories, as Meltano 4.4.1 leaves them and as they can come to be.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

#[path = "files/meltano.rs"]
mod meltano;
#[path = "files/odd.rs"]
mod odd;
#[path = "files/race.rs"]
mod race;
#[path = "files/reading.rs"]
mod reading;
#[path = "support/tree.rs"]
mod tree;
