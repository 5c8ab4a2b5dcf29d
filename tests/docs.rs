//! The guide does what it says, and what is made of the tables of the program is up to date.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

#[path = "docs/guide.rs"]
mod guide;
#[path = "docs/reference.rs"]
mod reference;
#[path = "support/mod.rs"]
mod support;
