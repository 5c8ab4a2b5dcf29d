//! `--stream` and `--path`: only one part of a state.

use super::nearest::Nearest;
use super::sites::{Located, any_of};
use crate::domain::id::StateId;
use crate::domain::json::{Document, Kind, Pointer};
use crate::domain::narrow::Section;
use crate::domain::state::stream_names;
use crate::report::{Fault, Report};

#[derive(clap::Args)]
pub(super) struct Narrowing {
    /// Only this stream.
    #[arg(long, value_name = "NAME", conflicts_with = "path")]
    stream: Option<String>,
    /// Only what is at this place, as JSON output names it (RFC 6901): `/singer_state/bookmarks/commits`. A partition is
    /// followed by its context, wherever it stands in another snapshot.
    #[arg(long, value_name = "POINTER")]
    path: Option<Pointer>,
}

impl Narrowing {
    /// Tells whether only a part is wanted.
    pub(super) fn is_wanted(&self) -> bool {
        self.stream.is_some() || self.path.is_some()
    }

    /// Finds the part in the first of some documents that has it; `None` when all of it is wanted.
    pub(super) fn section<'d>(
        &self,
        located: &Located,
        documents: impl Iterator<Item = &'d Document> + Clone,
    ) -> Result<Option<Section>, Report> {
        if let Some(name) = &self.stream {
            let section = Section::stream(name);
            if documents
                .clone()
                .any(|document| section.find(document).is_some())
            {
                return Ok(Some(section));
            }
            let names = documents.flat_map(stream_names);
            let names = names.map(|name| name.decoded().into_owned()).collect();
            let message = format!("'{}' has no stream '{name}'", located.id);
            return Err(missing(located, message, name, names));
        }
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let found = documents
            .clone()
            .find_map(|document| Section::at(path, document));
        found.map(Some).ok_or_else(|| {
            let message = format!("'{}' has nothing at '{path}'", located.id);
            let names = documents
                .clone()
                .flat_map(|document| beside(path, document));
            missing(located, message, &path.to_string(), names.collect())
        })
    }
}

/// Names what there is where a pointer leaves the document.
fn beside(path: &Pointer, document: &Document) -> Vec<String> {
    let mut outer = path.clone();
    while let Some(next) = outer.parent() {
        outer = next;
        let Some(node) = document.at(&outer) else {
            continue;
        };
        return match node.kind() {
            Kind::Object => (node.effective_members())
                .filter_map(|member| Some(outer.child(member.key()?.decoded()).to_string()))
                .collect(),
            _ => vec![outer.to_string()],
        };
    }
    Vec::new()
}

/// Says that a part is not there, and names those that may have been meant.
fn missing(located: &Located, message: String, wanted: &str, mut names: Vec<String>) -> Report {
    names.sort();
    names.dedup();
    let mut nearest = Nearest::to(wanted);
    for name in &names {
        nearest.add(StateId::from(name.as_str()));
    }
    let near = nearest.names();
    let near: Vec<&str> = near.iter().map(StateId::as_str).collect();
    let report = Report::new(Fault::No, message)
        .on_source(&located.source.open.source)
        .on_state(located.id.as_str());
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    match (near.as_slice(), all.as_slice()) {
        ([], []) => report,
        ([], all) => {
            let more = all.len().saturating_sub(MOST);
            let shown = all.get(..MOST).unwrap_or(all).join(", ");
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            report.hint(format!("it has {shown}{more}"))
        }
        (near, _) => report.hint(format!("did you mean {}?", any_of(near))),
    }
}

/// How many names are listed where none is near.
const MOST: usize = 8;
