//! Every store against the one suite, and the reference store's own faults.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's own helpers may fail it"
)]

#[path = "conformance/faults.rs"]
mod faults;
#[path = "conformance/stores.rs"]
mod stores;
#[path = "conformance/suite/mod.rs"]
mod suite;
#[path = "support/tree.rs"]
mod tree;
