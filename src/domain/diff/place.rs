//! Where a change is, as a pointer and for people.

use std::fmt;

use crate::domain::json::{Kind, Node, Pointer};
use crate::domain::state::may_be_bookmark;

/// Says where in a Singer state a change is, for people: `commits {acme, api} updated_at`.
///
/// Written out it is plain text, as the document has it: whoever shows it makes it printable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The stream; `None` outside `singer_state.bookmarks`, and `bookmarks` of a document without the wrapping.
    pub stream: Option<String>,
    /// The partition's context, its values in order: strings without quotes, all others as they are spelled.
    pub context: Option<Vec<String>>,
    /// What is left of the path below those; empty when the whole stream or partition is meant. A last
    /// `replication_key_value` is given as the replication key's own name, where the object beside it tells.
    pub rest: Vec<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context = (self.context.as_ref()).map(|values| format!("{{{}}}", values.join(", ")));
        let rest = (!self.rest.is_empty()).then(|| self.rest.join("."));
        let parts: Vec<&str> = [&self.stream, &context, &rest]
            .into_iter()
            .filter_map(Option::as_deref)
            .collect();
        if parts.is_empty() {
            return f.write_str("the whole document");
        }
        f.write_str(&parts.join(" "))
    }
}

/// Is a value on the way to a change, and its place among its siblings.
#[derive(Clone, Copy)]
pub(super) struct Spot<'d> {
    pub(super) node: Node<'d>,
    pub(super) index: usize,
}

/// Is where a change is, and whether a bookmark stands there.
pub(super) struct Located {
    pub(super) path: Pointer,
    pub(super) place: Place,
    pub(super) is_bookmark: bool,
}

/// Says what role a value plays in a Singer state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    SingerState,
    Streams,
    Stream,
    Partitions,
    Partition,
    /// A bookmark, or an object of bookmarks, in a stream or partition.
    Bookmark,
    Other,
}

impl Role {
    /// Gives the role of a child of what plays this one.
    fn of_child(self, step: &str, child: Node<'_>, parent: Node<'_>) -> Self {
        match self {
            Self::Root if step == "singer_state" => Self::SingerState,
            Self::Root if step == "bookmarks" && parent.get("singer_state").is_none() => {
                Self::Streams
            }
            Self::SingerState if step == "bookmarks" => Self::Streams,
            Self::Streams if parent.kind() == Kind::Object => Self::Stream,
            Self::Stream if step == super::PARTITIONS && child.kind() == Kind::Array => {
                Self::Partitions
            }
            Self::Partitions => Self::Partition,
            Self::Stream | Self::Partition | Self::Bookmark
                if parent.kind() == Kind::Object && may_be_bookmark(step) =>
            {
                Self::Bookmark
            }
            _ => Self::Other,
        }
    }
}

/// Finds out where the last of these values is; the first is the root, and each is in the one before it.
pub(super) fn locate<'d>(way: impl Iterator<Item = Spot<'d>> + Clone) -> Located {
    let mut place = Place::default();
    let mut steps: Vec<String> = Vec::with_capacity(8);
    let mut shown = 0;
    let mut role = Role::Root;
    let mut holder = None;
    for (parent, spot) in way.clone().zip(way.skip(1)) {
        let step = match spot.node.key() {
            Some(key) => key.decoded().into_owned(),
            None => spot.index.to_string(),
        };
        role = role.of_child(&step, spot.node, parent.node);
        steps.push(step);
        if role == Role::Stream {
            place.stream = steps.last().cloned();
            shown = steps.len();
        } else if role == Role::Partition
            && let Some(values) = context(spot.node)
        {
            place.context = Some(values);
            shown = steps.len();
        }
        holder = Some((parent.node, spot.node));
    }
    place.rest = steps.get(shown..).unwrap_or_default().to_vec();
    if let (Some(_), Some(last), Some((parent, _))) = (&place.stream, place.rest.last_mut(), holder)
        && last == "replication_key_value"
        && let Some(key) = parent.get("replication_key").and_then(|key| key.as_str())
    {
        *last = key.decoded().into_owned();
    }
    let is_scalar = holder.is_some_and(|(_, node)| !node.is_container());
    Located {
        path: Pointer::from(steps),
        place,
        is_bookmark: is_scalar && matches!(role, Role::Stream | Role::Bookmark),
    }
}

fn context(partition: Node<'_>) -> Option<Vec<String>> {
    let context = (partition.kind() == Kind::Object)
        .then(|| partition.get(super::CONTEXT))
        .flatten()
        .filter(|context| context.kind() == Kind::Object)?;
    let values = context
        .effective_members()
        .map(|member| match member.as_str() {
            Some(text) => text.decoded().into_owned(),
            None => member.raw().to_owned(),
        });
    Some(values.collect())
}
