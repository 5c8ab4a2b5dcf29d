//! What follows from an edit, in sentences.

use jiff::SignedDuration;

use super::effective_or_empty;
use crate::domain::diff::{Distance, diff};
use crate::domain::moment::duration;
use crate::domain::quantity::count;
use crate::domain::state::{State, stream_names};
use crate::report::printable;

/// How many streams a sentence names.
const NAMED: usize = 3;

/// Says what the next run will do otherwise than it would have, one sentence without a full stop each.
pub fn consequences(before: Option<&State>, after: Option<&State>) -> Vec<String> {
    let Some(after) = after else {
        return match before {
            Some(_) => vec!["the next run reads everything again".to_owned()],
            None => Vec::new(),
        };
    };
    let (old, new) = (effective_or_empty(before), effective_or_empty(Some(after)));
    let there: Vec<_> = stream_names(&new);
    let gone: Vec<String> = stream_names(&old)
        .into_iter()
        .filter(|name| !there.contains(name))
        .map(|name| printable(&name.decoded()))
        .collect();
    let mut sentences = Vec::new();
    if !gone.is_empty() {
        sentences.push(format!("the next run reads {} in full", streams(&gone)));
    }
    let found = diff(&old, &new);
    let back: Vec<_> = found.changes.iter().filter(|change| change.back).collect();
    let longest = back
        .iter()
        .filter_map(|change| match change.distance {
            Some(Distance::Time(length)) => Some(length.abs()),
            _ => None,
        })
        .max();
    match (back.len(), longest) {
        (0, _) => {}
        (number, Some(length)) => sentences.push(read_again(number, length)),
        (number, None) => sentences.push(format!(
            "the next run reads again from {}",
            bookmarks(number)
        )),
    }
    sentences
}

fn read_again(number: usize, length: SignedDuration) -> String {
    let upto = if number == 1 { "" } else { "up to " };
    format!(
        "the next run reads {upto}{} of {} again",
        duration(length),
        bookmarks(number)
    )
}

fn bookmarks(number: usize) -> String {
    if number == 1 {
        "1 bookmark".to_owned()
    } else {
        format!("{} bookmarks", count(number))
    }
}

fn streams(names: &[String]) -> String {
    let noun = if names.len() == 1 {
        "stream"
    } else {
        "streams"
    };
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => format!("the {noun} {shown}"),
        more => format!("the {noun} {shown} and {} more", count(more)),
    }
}
