//! The runs that tell of an edit, so that history adds up to what the table holds.

use crate::domain::json::{Document, Kind};
use crate::domain::state::{Content, Part, State};

/// Holds what one run tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// 1 for a whole state, 2 for one that comes on top.
    pub flags: i64,
    /// The state.
    pub document: Document,
}

/// Gives the payloads of the runs that tell of a state which was put, in the order in which they are to end.
///
/// A completed part is told with flags 1, as Meltano 4.4.1's `state set` does, and a partial one that is not `{}` with flags 2
/// behind it. A partial part on an empty completed one is told with flags 1: an empty payload counts as nothing, so flags 2
/// alone would add it to what was there before. A part that is no object cannot be told; then no run is written that would
/// tell something else.
pub fn payloads(state: &State) -> Vec<Payload> {
    let object = |part| match state.part(part) {
        Some(Content::Document(document)) if document.root().kind() == Kind::Object => {
            Some(document.clone())
        }
        _ => None,
    };
    let (Some(completed), Some(partial)) = (object(Part::Completed), object(Part::Partial)) else {
        return Vec::new();
    };
    let whole = |document| Payload { flags: 1, document };
    if partial.root().is_empty() {
        return vec![whole(completed)];
    }
    if completed.root().is_empty() {
        return vec![whole(partial)];
    }
    let on_top = Payload {
        flags: 2,
        document: partial,
    };
    vec![whole(completed), on_top]
}
