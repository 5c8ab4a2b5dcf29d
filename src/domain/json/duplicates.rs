//! Which members Python would not see, because a later one has the same key.

use std::collections::HashMap;
use std::collections::hash_map;

use super::{Document, Kind, Node, NodeId, Text};

/// Up to this many members are compared with each other; more are put into a map.
const PAIRWISE: usize = 12;

/// Lists every member that shares its key with a sibling, in document order.
#[derive(Default)]
pub(super) struct Duplicates(Vec<Duplicate>);

struct Duplicate {
    member: NodeId,
    /// Whose value Python has in this place: the group's last one in the first one's place, none in the others.
    shown: Option<NodeId>,
    shadowed: bool,
}

impl Duplicates {
    pub(super) fn of(document: &Document) -> Self {
        let mut found = Self::default();
        for object in document.nodes().filter(|node| node.kind() == Kind::Object) {
            match object.len() {
                0 | 1 => {}
                2..=PAIRWISE if !has_equal_pair(object) => {}
                _ => found.add_object(object),
            }
        }
        found.0.sort_unstable_by_key(|duplicate| duplicate.member);
        found
    }

    /// Gives the member that stands in the place of this one, `None` when the place is taken away.
    pub(super) fn shown_at(&self, member: NodeId) -> Option<NodeId> {
        self.find(member)
            .map_or(Some(member), |duplicate| duplicate.shown)
    }

    pub(super) fn is_shadowed(&self, member: NodeId) -> bool {
        self.find(member)
            .is_some_and(|duplicate| duplicate.shadowed)
    }

    pub(super) fn shadowed(&self) -> impl Iterator<Item = NodeId> {
        self.0
            .iter()
            .filter(|duplicate| duplicate.shadowed)
            .map(|duplicate| duplicate.member)
    }

    fn find(&self, member: NodeId) -> Option<&Duplicate> {
        let index = self
            .0
            .binary_search_by_key(&member, |duplicate| duplicate.member)
            .ok()?;
        self.0.get(index)
    }

    fn add_object(&mut self, object: Node<'_>) {
        let mut groups: HashMap<Text<'_>, Vec<NodeId>> = HashMap::new();
        let mut firsts: HashMap<Text<'_>, NodeId> = HashMap::with_capacity(object.len());
        for member in object.children() {
            let Some(key) = member.key() else { continue };
            match firsts.entry(key) {
                hash_map::Entry::Vacant(vacant) => {
                    vacant.insert(member.id());
                }
                hash_map::Entry::Occupied(first) => {
                    groups
                        .entry(key)
                        .or_insert_with(|| vec![*first.get()])
                        .push(member.id());
                }
            }
        }
        for group in groups.into_values() {
            self.add_group(&group);
        }
    }

    fn add_group(&mut self, group: &[NodeId]) {
        let Some(&last) = group.last() else { return };
        self.0
            .extend(group.iter().enumerate().map(|(index, &member)| Duplicate {
                member,
                shown: (index == 0).then_some(last),
                shadowed: member != last,
            }));
    }
}

fn has_equal_pair(object: Node<'_>) -> bool {
    let mut keys = [""; PAIRWISE];
    let mut escaped = false;
    for (slot, member) in keys.iter_mut().zip(object.children()) {
        let Some(key) = member.key() else { continue };
        escaped |= key.has_escapes();
        *slot = key.raw();
    }
    let mut left = keys.iter().take(object.len());
    while let Some(key) = left.next() {
        if left
            .clone()
            .any(|other| key == other || (escaped && Text::new(key) == Text::new(other)))
        {
            return true;
        }
    }
    false
}
