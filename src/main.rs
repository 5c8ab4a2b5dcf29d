//! The statescope program.
fn main() {}
