//! A diff as a patch that other programs apply.

use std::io::{self, Write};

use crate::cli::json;
use crate::cli::output::Failure;
use crate::domain::diff::Diff;
use crate::domain::patch::{JsonPatch, Uncarried, Why, merge_patch};
use crate::report::{Fault, Report};

/// Writes a JSON Patch, one operation a line.
pub(super) fn write_json_patch(out: &mut impl Write, diff: &Diff) -> Result<(), Failure> {
    let patch = JsonPatch::of(diff).map_err(|why| refused("JSON Patch", &why))?;
    let mut array = json::Array::default();
    array.begin(out)?;
    for operation in &patch.operations {
        array.element(out)?;
        json::safe(out, &operation.to_string())?;
    }
    Ok(array.end(out)?)
}

/// Writes a merge patch on one line.
pub(super) fn write_merge_patch(out: &mut impl Write, diff: &Diff) -> Result<(), Failure> {
    let patch = merge_patch(diff).map_err(|why| refused("merge patch", &why))?;
    json::safe(out, &patch)?;
    out.write_all(b"\n").map_err(io::Error::into)
}

fn refused(what: &str, uncarried: &Uncarried) -> Report {
    let hint = match uncarried.why {
        Why::Null | Why::TooDeep => "`--format json-patch` can carry it",
        Why::NoNumber | Why::DuplicateKey => {
            "`--json` tells every change; `statescope get --verbatim` gives the document as it is"
        }
    };
    Report::new(
        Fault::Refused,
        format!("a {what} cannot carry this difference"),
    )
    .because(uncarried)
    .hint(hint)
}
