//! Edits: from what a person wants, by the new bytes, to a plan, and from a confirmed plan to what a store writes.

use crate::domain::history::Stored;
use crate::domain::id::StateId;
use crate::domain::json::{Document, Kind, Pointer, Splice, python};
use crate::domain::state::{Content, Part, State};
use crate::report::{Fault, Report};

mod batch;
mod consequence;
mod plan;
mod protect;
mod runs;
mod threeway;

pub use batch::{Batch, Change, EditRun, Group};
pub use consequence::consequences;
pub use plan::{Answer, Confirmation, Confirmed, Guard, Item, Plan, Target};
pub use protect::Protected;
pub use runs::{Payload, payloads};
pub use threeway::ThreeWay;

/// Says what is wanted of one state.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// A document in the place of the effective state.
    Set {
        /// The document, as it was given; it is stored in Python form.
        document: Document,
        /// Whether it has to be a Singer state: an object with an object `singer_state`.
        validate: bool,
    },
    /// A value at a place.
    Put {
        /// The part that is edited as it stands; `None` for the effective state.
        part: Option<Part>,
        /// The place: of a value that is there, or of a new member or element of one that is.
        at: Pointer,
        /// The value; its bytes are kept.
        value: Document,
    },
    /// No state.
    Clear,
    /// Parts as they once were, verbatim; `None` for no state.
    Restore {
        /// The state.
        state: Option<State>,
    },
}

impl Edit {
    /// Makes what the source is to hold of what it holds; `None` is no state.
    ///
    /// Follows what Meltano 4.4.1's `state set` and `state clear` write: an edit of the effective state goes into the
    /// completed part, and leaves the partial one `{}`.
    pub fn apply(&self, id: &StateId, before: Option<&State>) -> Result<Option<State>, Report> {
        let failed = |report: Report| report.on_state(id.as_str());
        match self {
            Self::Set { document, validate } => set(document, *validate).map(Some).map_err(failed),
            Self::Put { part, at, value } => {
                let before = before.ok_or_else(|| failed(absent(id)))?;
                put(before, *part, at, value).map(Some).map_err(failed)
            }
            Self::Clear if before.is_none() => Err(failed(absent(id))),
            Self::Clear => Ok(None),
            Self::Restore { state } => Ok(state.clone()),
        }
    }
}

/// Tells whether two sides hold the same bytes in each part.
pub fn is_same(one: Option<&State>, other: Option<&State>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let bytes = |state: &State| {
                let parts = state.parts().iter();
                let bytes =
                    parts.map(|(part, content)| (*part, content.bytes().map(<[u8]>::to_vec)));
                bytes.collect::<Vec<_>>()
            };
            bytes(one) == bytes(other)
        }
        _ => false,
    }
}

fn absent(id: &StateId) -> Report {
    Report::new(Fault::No, format!("'{id}' has no state"))
        .hint("`statescope list` names the states; `statescope set` makes one")
}

fn completed(document: Document) -> State {
    let partial = Document::empty_object();
    State::meltano(Content::Document(document), Content::Document(partial))
}

fn set(document: &Document, validate: bool) -> Result<State, Report> {
    let root = document.root();
    let wrong = |why: &str| {
        Report::new(Fault::Usage, "the document is no Singer state")
            .because(why)
            .hint("a state is {\"singer_state\": {…}}; --no-validate takes any object")
    };
    if root.kind() != Kind::Object {
        return Err(Report::new(Fault::Usage, "the document cannot be a state")
            .because("it is no JSON object, and Meltano reads nothing else")
            .hint("a state is {\"singer_state\": {…}}"));
    }
    if validate {
        match root.get("singer_state").map(|node| node.kind()) {
            Some(Kind::Object) => {}
            Some(_) => return Err(wrong("its `singer_state` is no object")),
            None if root.is_empty() => {
                return Err(wrong("it is empty; `statescope clear` deletes a state"));
            }
            None => return Err(wrong("it has no `singer_state`")),
        }
    }
    let written = python::dumps(root, python::Style::Default);
    let written = Document::parse(written).map_err(|error| {
        Report::new(Fault::Internal, "the document cannot be written").because(error)
    })?;
    Ok(completed(written))
}

fn put(
    before: &State,
    part: Option<Part>,
    at: &Pointer,
    value: &Document,
) -> Result<State, Report> {
    let document = match part {
        None => before.effective().map_err(|why| {
            Report::new(Fault::Corrupt, "the state cannot be edited in place")
                .because(why)
                .hint("edit one part by --part, or replace it whole by `statescope set`")
        })?,
        Some(part) => match before.part(part) {
            Some(Content::Document(document)) => document.clone(),
            other => return Err(not_a_document(part, other)),
        },
    };
    let edited = put_into(&document, at, value)?;
    let Some(part) = part else {
        return Ok(completed(edited));
    };
    let side = |name: Part| match before.part(name) {
        Some(content) if name != part => content.clone(),
        _ => Content::Document(edited.clone()),
    };
    Ok(State::meltano(side(Part::Completed), side(Part::Partial)))
}

fn not_a_document(part: Part, content: Option<&Content>) -> Report {
    let why = match content {
        Some(Content::Unreadable(_, error)) => format!("it is not JSON: {error}"),
        _ => "it is NULL".to_owned(),
    };
    Report::new(
        Fault::Corrupt,
        format!("the {part} part cannot be edited in place"),
    )
    .because(why)
    .hint("replace the state whole by `statescope set`; its bytes stay in the journal")
}

/// Splices a value into a document: over the one at the place, or as a new member or element of the container there.
fn put_into(document: &Document, at: &Pointer, value: &Document) -> Result<Document, Report> {
    if let Some(node) = document.at(at) {
        if !node.is_named_exactly() {
            return Err(ambiguous(at));
        }
        let splice = Splice::Replace {
            at: node.id(),
            with: value.bytes(),
        };
        return spliced(document, at, splice);
    }
    let (Some(outer), Some(key)) = (at.parent(), at.last()) else {
        return Err(no_place(document, at));
    };
    let Some(holder) = document.at(&outer) else {
        return Err(no_place(document, at));
    };
    if !holder.is_named_exactly() {
        return Err(ambiguous(&outer));
    }
    let is_end = key == "-" || key.parse() == Ok(holder.len());
    let key = match holder.kind() {
        Kind::Object => Some(key),
        Kind::Array if is_end => None,
        _ => return Err(no_place(document, at)),
    };
    let splice = Splice::Insert {
        into: holder.id(),
        key,
        with: value.bytes(),
    };
    spliced(document, at, splice)
}

fn spliced(document: &Document, at: &Pointer, splice: Splice<'_>) -> Result<Document, Report> {
    document.splice(&[splice]).map_err(|error| {
        Report::new(Fault::Usage, format!("the value cannot be put at '{at}'")).because(error)
    })
}

fn ambiguous(at: &Pointer) -> Report {
    Report::new(
        Fault::Corrupt,
        format!("'{at}' does not name its value exactly"),
    )
    .because("a key on the way has a lone surrogate, which no pointer can spell")
    .hint("replace the state whole by `statescope set`")
}

/// Says that a place is not there, and how far the way to it goes.
fn no_place(document: &Document, at: &Pointer) -> Report {
    let mut reached = at.clone();
    while document.at(&reached).is_none() {
        match reached.parent() {
            Some(outer) => reached = outer,
            None => break,
        }
    }
    let found = document.at(&reached);
    let here = if reached.is_root() {
        "the document".to_owned()
    } else {
        format!("'{reached}'")
    };
    let why = match found.map(|node| (node.kind(), node.len())) {
        Some((Kind::Object, _)) => format!("{here} has no such member"),
        Some((Kind::Array, len)) => format!("{here} is an array of {len}"),
        _ => format!("{here} is no object and no array"),
    };
    let hint = match found.map(|node| node.kind()) {
        Some(Kind::Object) => "put an object with the rest of the way in it there",
        Some(Kind::Array) => "`-` adds an element at the end of an array",
        _ => "put an object in its place",
    };
    Report::new(Fault::Usage, format!("there is no place '{at}'"))
        .because(why)
        .hint(hint)
}

/// Gives the effective document of what a source holds; `{}` for no state and for one that cannot be told.
pub fn effective_or_empty(state: Option<&State>) -> Document {
    state
        .and_then(|state| state.effective().ok())
        .unwrap_or_else(Document::empty_object)
}

/// Gives the state of what a source holds.
pub fn state_of(stored: Option<&Stored>) -> Option<&State> {
    stored.map(|stored| &stored.state)
}

#[cfg(test)]
mod tests;
