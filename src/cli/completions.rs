//! `completions`: a script by which a shell completes the command line.

use super::output::{Failure, Output};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut super::command(),
        "statescope",
        &mut script,
    );
    std::io::Write::write_all(out, &script)?;
    Ok(())
}
