//! Facts and rules. No IO, clock, async, screen or store.

pub mod json;
