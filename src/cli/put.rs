//! `put`: a value at a place in a state.

use super::get::PartName;
use super::output::Failure;
use super::session::Session;
use super::write::{self, Confirming, Door};
use crate::domain::edit::Edit;
use crate::domain::json::Pointer;
use crate::domain::operation::OperationKind;
use crate::ops;
use crate::report::{Fault, Report};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The job: its state ID, or `SOURCE::STATE_ID`.
    #[arg(value_name = "STATE_ID")]
    job: String,
    /// The place (RFC 6901): of a value that is there, or of a new member or element; `-` adds an element at the end.
    #[arg(value_name = "POINTER")]
    at: String,
    /// The value; its spelling is kept.
    #[arg(value_name = "JSON", allow_negative_numbers = true)]
    value: String,
    /// Edits one part as it stands, instead of what both add up to.
    #[arg(long, value_name = "NAME")]
    part: Option<PartName>,
    #[command(flatten)]
    confirming: Confirming,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let at = Pointer::parse(&arguments.at).map_err(|error| {
        Report::new(
            Fault::Usage,
            format!("'{}' is no pointer; nothing was written", arguments.at),
        )
        .because(error)
        .hint(
            "write `/singer_state/bookmarks/STREAM/KEY`; `statescope diff --json` names places so",
        )
    })?;
    let value = write::document(arguments.value, "the value")?;
    let located = session.locate_to_write(&arguments.job).await?;
    let edit = Edit::Put {
        part: arguments.part.map(Into::into),
        at,
        value,
    };
    let confirming = &arguments.confirming;
    let request = confirming.request(OperationKind::Put, vec![(located.id.clone(), edit)]);
    let mut planned = ops::write::plan(&located.source.open, request, session.clock.now).await?;
    session.with_nearest(&located, &mut planned).await;
    write::pass(session, Door::new(&located.source, confirming), planned).await
}
