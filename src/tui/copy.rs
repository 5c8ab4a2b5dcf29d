//! What can be copied of the selected job, as text.

use super::command::What;
use super::model::{Model, Tab};
use super::screen::detail::{Detail, History};
use super::words;
use crate::domain::json::Node;
use crate::domain::quantity::bytes;

/// How many bytes of base64 are sent to a terminal at most; several drop longer ones without a word.
const SENT: usize = 100_000;

/// Holds a text to be copied, and what it is.
#[derive(Debug)]
pub struct Copied {
    /// The text.
    pub text: String,
    /// What is to be said of it.
    pub said: String,
}

/// Gives what was asked for, or says why it cannot be copied.
pub fn copy(model: &Model, what: What) -> Result<Copied, String> {
    let detail = model.detail.as_ref().ok_or("There is no job.")?;
    let (name, text) = match what {
        What::Id => ("state ID", detail.id.as_str().to_owned()),
        What::Document => ("document", document(detail)?),
        What::Value | What::Pointer | What::Jq => {
            let node = detail
                .history()
                .and_then(|history| under(history, model.tab));
            let node = node.ok_or("There is no value under the cursor.")?;
            match what {
                What::Pointer => ("JSON Pointer", exact(node)?.pointer().to_string()),
                What::Jq => ("jq path", jq(exact(node)?)),
                What::Value | What::Id | What::Document => ("value", value(node)),
            }
        }
    };
    let encoded = text.len().div_ceil(3) * 4;
    if encoded > SENT {
        let command = match what {
            What::Document => format!(
                ": `statescope get '{}' --verbatim` writes it",
                words::id(&detail.id, usize::MAX / 2)
            ),
            _ => String::new(),
        };
        return Err(format!(
            "The {name} has {}; no more than {} are sent to a terminal{command}.",
            bytes(text.len() as u64),
            bytes((SENT / 4 * 3) as u64),
        ));
    }
    let size = bytes(text.len() as u64);
    let said = format!("Copied the {name} ({size}), if the terminal allows it.");
    Ok(Copied { text, said })
}

fn document(detail: &Detail) -> Result<String, String> {
    let snapshot = detail.history().and_then(History::snapshot);
    let snapshot = snapshot.ok_or("There is no state.")?;
    if snapshot.state.is_none() {
        return Err("There is no state.".to_owned());
    }
    match &snapshot.effective {
        Ok(document) => Ok(document.text().to_owned()),
        Err(why) => Err(format!("There is no document: {why}.")),
    }
}

/// Gives the value under the cursor; of a change, the new one, or else the old one.
fn under(history: &History, tab: Tab) -> Option<Node<'_>> {
    match tab {
        Tab::State | Tab::Json => history.under_cursor(tab),
        Tab::Diff => history.changes.as_ref()?.under_cursor(),
    }
}

/// Gives the content of a string that has one, and all else as it is stored.
fn value(node: Node<'_>) -> String {
    match node.as_str().filter(|text| !text.has_lone_surrogate()) {
        Some(text) => text.decoded().into_owned(),
        None => node.raw().to_owned(),
    }
}

fn exact(node: Node<'_>) -> Result<Node<'_>, String> {
    if node.is_named_exactly() {
        Ok(node)
    } else {
        Err("No path leads to it alone: a later key hides it, or a key is no text.".to_owned())
    }
}

/// Writes the path to a value as jq reads it.
fn jq(node: Node<'_>) -> String {
    let mut steps: Vec<String> = Vec::new();
    for step in std::iter::once(node).chain(node.ancestors()) {
        let Some(parent) = step.parent() else { break };
        let place = || {
            let before = parent
                .children()
                .take_while(|child| child.id() != step.id());
            before.count()
        };
        steps.push(
            step.key()
                .map_or_else(|| format!("[{}]", place()), |key| jq_key(&key.decoded())),
        );
    }
    let path: String = steps.into_iter().rev().collect();
    if path.starts_with('.') {
        path
    } else {
        format!(".{path}")
    }
}

fn jq_key(key: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if key.chars().all(is_name) && !key.starts_with(|c: char| c.is_ascii_digit()) && !key.is_empty()
    {
        return format!(".{key}");
    }
    let quoted = serde_json::to_string(key).unwrap_or_default();
    format!("[{quoted}]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json::Document;
    use rstest::rstest;

    #[rstest]
    #[case("", ".")]
    #[case("/a", ".a")]
    #[case("/a/1/b c", r#".a[1]["b c"]"#)]
    #[case("/0x", r#".["0x"]"#)]
    #[case("/a/1/q\"\\(1)", r#".a[1]["q\"\\(1)"]"#)]
    fn paths_for_jq(#[case] pointer: &str, #[case] want: &str) {
        let text = r#"{"a": [0, {"b c": 1, "q\"\\(1)": 2}], "0x": 3}"#;
        let document = Document::parse(text).unwrap();
        let node = document.at(&pointer.parse().unwrap()).unwrap();
        assert_eq!(jq(node), want);
    }
}
