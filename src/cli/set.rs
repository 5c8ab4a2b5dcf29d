//! `set`: a document in the place of a state.

use super::input::STDIN;
use super::output::Failure;
use super::session::Session;
use super::write::prompt::Stdin;
use super::write::{self, Confirming, Door};
use crate::domain::edit::Edit;
use crate::domain::operation::OperationKind;
use crate::ops;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: String,
    /// The document, a Singer state: `{"singer_state": {…}}`.
    #[arg(
        value_name = "JSON",
        required_unless_present = "input_file",
        conflicts_with = "input_file",
        allow_negative_numbers = true
    )]
    document: Option<String>,
    /// The file that holds the document; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    input_file: Option<String>,
    /// Takes any object, also one that is no Singer state.
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    confirming: Confirming,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let file = arguments.input_file.as_deref();
    let document = match (file, arguments.document) {
        (Some(file), _) => {
            let (name, bytes) = session.read_input(file)?;
            write::document(bytes, &format!("what {name} holds"))?
        }
        (None, text) => write::document(text.unwrap_or_default(), "the document")?,
    };
    let located = session.locate_to_write(&arguments.job).await?;
    let edit = Edit::Set {
        document,
        validate: !arguments.no_validate,
    };
    let confirming = &arguments.confirming;
    let request = confirming.request(OperationKind::Set, vec![(located.id.clone(), edit)]);
    let planned = ops::write::plan(&located.source.open, request, session.clock.now).await?;
    let door = Door {
        stdin: match file {
            Some(STDIN) => Stdin::Data,
            _ => Stdin::Free,
        },
        ..Door::new(&located.source, confirming)
    };
    write::pass(session, door, planned).await
}
