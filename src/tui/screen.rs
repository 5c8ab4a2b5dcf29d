//! The panes and overlays; one file each: what it holds, how it changes, how it is drawn.

pub mod detail;
pub mod help;
pub mod jobs;
pub mod messages;
pub mod palette;
