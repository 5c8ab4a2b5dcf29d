//! What a state file holds.

use crate::domain::json::{Document, Kind, SyntaxError};
use crate::domain::lint::{DOUBLE_PART, Finding, UNKNOWN_KEY};
use crate::domain::state::{Content, Part, State};
use crate::report::printable;

/// How many keys a finding names.
const NAMED: usize = 3;

/// Divides a body into its parts, as Meltano 4.4.1 reads it: a key that is missing is `{}`, of a key that is there twice the last
/// one counts. The bytes of each part are kept.
pub(super) fn divide(bytes: &[u8], parsed: Result<Document, SyntaxError>) -> (State, Vec<Finding>) {
    let document = match parsed {
        Err(error) => {
            let body = Content::Unreadable(bytes.into(), error);
            return (State::undivided(body), Vec::new());
        }
        Ok(document) if document.root().kind() != Kind::Object => {
            return (State::undivided(Content::Document(document)), Vec::new());
        }
        Ok(document) => document,
    };
    let part = |part: Part| match document.root().get(part.name()) {
        None => Content::Document(Document::empty_object()),
        Some(node) => Content::read(Some(node.raw())),
    };
    let state = State::meltano(part(Part::Completed), part(Part::Partial));
    (state, findings(&document))
}

fn findings(document: &Document) -> Vec<Finding> {
    let is_part = |name: &str| {
        [Part::Completed, Part::Partial]
            .map(Part::name)
            .contains(&name)
    };
    let members = document.root().effective_members();
    let keys = members.filter_map(|member| member.key());
    let unknown: Vec<String> = keys
        .map(|key| key.decoded().into_owned())
        .filter(|key| !is_part(key))
        .collect();
    let mut found = Vec::new();
    if !unknown.is_empty() {
        found.push(UNKNOWN_KEY.finds(format!(
            "the file has {}, which Meltano drops at the next write",
            named(&unknown)
        )));
    }
    let shadowed = document.root().children().find(|member| {
        let key = member.key();
        member.is_shadowed() && key.is_some_and(|key| is_part(&key.decoded()))
    });
    if let Some(key) = shadowed.and_then(|member| member.key()) {
        found.push(DOUBLE_PART.finds(format!(
            "the file has `{}` twice; the last one counts",
            key.decoded()
        )));
    }
    found
}

fn named(keys: &[String]) -> String {
    let shown = keys.iter().take(NAMED);
    let shown: Vec<String> = shown.map(|key| format!("`{}`", printable(key))).collect();
    match keys.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} keys more", shown.join(", ")),
    }
}
