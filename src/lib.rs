//! statescope: a terminal inspector for the state that data jobs and bots leave behind.

pub mod backend;
pub mod cli;
pub mod config;
pub mod domain;
pub mod journal;
pub mod ops;
pub mod project;
pub mod report;
pub mod shell;
pub mod tui;
