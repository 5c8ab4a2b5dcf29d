//! Facts and rules. No IO, clock, async, screen or store.

pub mod diff;
pub mod digest;
pub mod edit;
pub mod history;
pub mod id;
pub mod job;
pub mod json;
pub mod lint;
pub mod location;
pub mod lock;
pub mod mark;
pub mod moment;
pub mod narrow;
pub mod nearest;
pub mod operation;
pub mod patch;
pub mod quantity;
pub mod shape;
pub mod state;
pub mod ui;
pub mod version;
