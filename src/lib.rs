//! statescope: a terminal inspector for the state that data jobs and bots leave behind.

pub mod domain;
