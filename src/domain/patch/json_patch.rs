//! JSON Patch, RFC 6902.

use std::fmt;

use super::{Marks, Side, Uncarried, carry, children, unambiguous};
use crate::domain::diff::Diff;
use crate::domain::json::{Kind, Node, Text};

/// Holds operations that, applied one after the other to the left document, make the right one's value.
///
/// The value is exactly the right one's, but not its bytes: keys that are added come where the program that applies the patch
/// puts them, mostly last, and what is spelled in two ways stays as the left side spells it. An array whose elements stand in
/// another order is replaced as a whole; nothing is moved or copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonPatch {
    /// The operations, in the order in which they apply.
    pub operations: Vec<Operation>,
}

/// Is one operation; written out it is one JSON object on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Where it acts: a pointer (RFC 6901) as it stands between the quotes of a JSON string, keys as the document spells them.
    pub path: String,
    /// What it does there.
    pub action: Action,
}

/// Says what an operation does. Values are JSON text without white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Adds a member, or puts an element in before the one that stands there.
    Add(String),
    /// Takes the value out.
    Remove,
    /// Puts another value in its place.
    Replace(String),
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = match &self.action {
            Action::Add(value) => ("add", Some(value)),
            Action::Remove => ("remove", None),
            Action::Replace(value) => ("replace", Some(value)),
        };
        write!(f, r#"{{"op":"{name}","path":"{}""#, self.path)?;
        match value {
            Some(value) => write!(f, r#","value":{value}}}"#),
            None => f.write_str("}"),
        }
    }
}

impl JsonPatch {
    /// Makes the patch that leads from the left side of a diff to the right one; it has no operations when they are equal.
    ///
    /// Takes time with the containers on the way to the changes, not with the whole documents.
    pub fn of(diff: &Diff) -> Result<Self, Uncarried> {
        let mut patch = Self::default();
        if diff.is_equal() {
            return Ok(patch);
        }
        let marks = Marks::of(diff);
        let mut todo = vec![(diff.left.root(), diff.right.root(), String::new())];
        // The outer container comes first: when an inner one is at hand, the places around it are those of the right side.
        while let Some((left, right, path)) = todo.pop() {
            if marks.replaced.contains(&right.id()) {
                let value = carry(right)?;
                patch.add(path, Action::Replace(value));
            } else if marks.hold_changes(left, right) {
                let inner = patch.enter(&marks, left, right, &path)?;
                todo.extend(inner.into_iter().rev());
            }
        }
        Ok(patch)
    }

    fn add(&mut self, path: String, action: Action) {
        self.operations.push(Operation { path, action });
    }

    /// Takes out of a container what is to go and puts in what is to come; gives what is left to be looked into.
    fn enter<'d>(
        &mut self,
        marks: &Marks,
        left: Node<'d>,
        right: Node<'d>,
        path: &str,
    ) -> Result<Vec<(Node<'d>, Node<'d>, String)>, Uncarried> {
        unambiguous(left, Side::Left)?;
        unambiguous(right, Side::Right)?;
        let is_array = right.kind() == Kind::Array;
        let removed: Vec<String> = steps(left)
            .filter(|(node, _)| marks.removed.contains(&node.id()))
            .map(|(_, step)| format!("{path}/{step}"))
            .collect();
        // From the last one on, so that those before keep their places.
        for path in removed.into_iter().rev() {
            self.add(path, Action::Remove);
        }
        for (node, step) in steps(right).filter(|(node, _)| marks.added.contains(&node.id())) {
            self.add(format!("{path}/{step}"), Action::Add(carry(node)?));
        }
        let differing = |(left, right): &(Node<'d>, Node<'d>)| {
            marks.replaced.contains(&right.id()) || marks.hold_changes(*left, *right)
        };
        let kept = marks.kept(left, right);
        if !is_array {
            let inner = kept.into_iter().filter(differing);
            let step = |node: Node<'_>| node.key().map_or_else(String::new, step);
            let inner = inner.map(|(left, right)| (left, right, format!("{path}/{}", step(right))));
            return Ok(inner.collect());
        }
        let places = steps(right).filter(|(node, _)| !marks.added.contains(&node.id()));
        let inner = kept.into_iter().zip(places);
        Ok(inner
            .filter(|(pair, _)| differing(pair))
            .map(|((left, right), (_, place))| (left, right, format!("{path}/{place}")))
            .collect())
    }
}

/// Walks what is in a container, each with its step of a pointer.
fn steps(node: Node<'_>) -> impl Iterator<Item = (Node<'_>, String)> {
    children(node)
        .enumerate()
        .map(|(place, child)| match child.key() {
            Some(key) => (child, step(key)),
            None => (child, place.to_string()),
        })
}

/// Writes a key as a step of a pointer in JSON: `~` and `/` as `~0` and `~1`, all else as it is spelled.
fn step(key: Text<'_>) -> String {
    let mut out = String::with_capacity(key.raw().len());
    let mut rest = key.raw();
    while let Some(first) = rest.chars().next() {
        let length = match rest.as_bytes() {
            [b'\\', b'u', ..] => "\\u0000".len(),
            [b'\\', ..] => "\\/".len(),
            _ => first.len_utf8(),
        };
        let (unit, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(match unit.to_ascii_lowercase().as_str() {
            "~" | "\\u007e" => "~0",
            "/" | "\\/" | "\\u002f" => "~1",
            _ => unit,
        });
        rest = behind;
    }
    out
}
