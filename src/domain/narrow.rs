//! One part of many documents: a stream, or what a pointer names, found in each of them.

use crate::domain::diff::{Change, ChangeKind, Diff, same_value};
use crate::domain::json::{Document, Kind, Node, NodeId, Pointer};
use crate::domain::state::stream;

/// Names a part of a document, so that it is found in earlier and later ones too.
#[derive(Debug, Clone, PartialEq)]
pub struct Section(Way);

#[derive(Debug, Clone, PartialEq)]
enum Way {
    Stream(String),
    Steps(Vec<Step>),
}

/// Leads from a value to one in it.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Member(String),
    Element(usize),
    /// By what its context holds; among several with the same context, by how many of them stand before it.
    Partition {
        context: Document,
        nth: usize,
    },
}

impl Section {
    /// Names the stream of a Singer state.
    pub fn stream(name: impl Into<String>) -> Self {
        Self(Way::Stream(name.into()))
    }

    /// Names what a pointer leads to in one document; `None` when that is nothing.
    ///
    /// A partition on the way is known by its context from there on, so that in other documents it is found wherever it
    /// stands; every other element of an array by its place.
    pub fn at(pointer: &Pointer, document: &Document) -> Option<Self> {
        document.at(pointer)?;
        let mut steps = Vec::new();
        let mut way = Pointer::root();
        for text in pointer.steps() {
            let outer = document.at(&way)?;
            way.push(text);
            steps.push(Step::to(document.at(&way)?, outer, text)?);
        }
        Some(Self(Way::Steps(steps)))
    }

    /// Finds the part in a document.
    pub fn find<'d>(&self, document: &'d Document) -> Option<Node<'d>> {
        match &self.0 {
            Way::Stream(name) => stream(document, name),
            Way::Steps(steps) => {
                (steps.iter()).try_fold(document.root(), |node, step| step.from(node))
            }
        }
    }

    /// Chooses of a diff the changes of this part: what changed in it, and what came or went with it in it.
    pub fn changes<'c>(&self, diff: &'c Diff) -> Vec<&'c Change> {
        let (before, after) = (self.find(&diff.left), self.find(&diff.right));
        let is_same = match (before, after) {
            (Some(before), Some(after)) => same_value(before, after),
            (None, None) => true,
            _ => false,
        };
        let within = |id: Option<NodeId>, part: Option<Node<'_>>| {
            id.zip(part).is_some_and(|(id, part)| holds(part, id))
        };
        let around = |id: Option<NodeId>, document: &Document, part: Option<Node<'_>>| {
            let node = id.and_then(|id| document.node(id));
            (node.zip(part)).is_some_and(|(node, part)| holds(node, part.id()))
        };
        let concerns = |change: &&Change| {
            within(change.before, before)
                || within(change.after, after)
                || (!is_same
                    && change.kind != ChangeKind::Reordered
                    && (around(change.before, &diff.left, before)
                        || around(change.after, &diff.right, after)))
        };
        diff.changes.iter().filter(concerns).collect()
    }
}

/// Tells whether a value is another, or holds it.
pub fn holds(outer: Node<'_>, inner: NodeId) -> bool {
    let first = outer.id().index();
    (first..=first + outer.descendants().len()).contains(&inner.index())
}

impl Step {
    /// Names the step that leads from a container to a value in it, which the pointer calls by this text.
    fn to(node: Node<'_>, outer: Node<'_>, text: &str) -> Option<Self> {
        if outer.kind() != Kind::Array {
            return Some(Self::Member(text.to_owned()));
        }
        let index = text.parse().ok()?;
        let is_partition = outer.key().is_some_and(|key| key == "partitions");
        let context = context(node).filter(|_| is_partition);
        let document = context.and_then(|context| Document::parse(context.raw()).ok());
        let Some(document) = document else {
            return Some(Self::Element(index));
        };
        let before = outer.children().take(index);
        let nth = before
            .filter(|other| has_context(*other, &document))
            .count();
        Some(Self::Partition {
            context: document,
            nth,
        })
    }

    fn from<'d>(&self, outer: Node<'d>) -> Option<Node<'d>> {
        match self {
            Self::Member(key) if outer.kind() == Kind::Object => outer.get(key),
            Self::Member(_) => None,
            Self::Element(index) => outer.element(*index),
            Self::Partition { context, nth } => {
                let elements = outer.children().filter(|_| outer.kind() == Kind::Array);
                elements
                    .filter(|element| has_context(*element, context))
                    .nth(*nth)
            }
        }
    }
}

fn context(partition: Node<'_>) -> Option<Node<'_>> {
    let is_object = |node: &Node<'_>| node.kind() == Kind::Object;
    let context = is_object(&partition).then(|| partition.get("context"))?;
    context.filter(is_object)
}

fn has_context(partition: Node<'_>, wanted: &Document) -> bool {
    context(partition).is_some_and(|context| same_value(context, wanted.root()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::diff::diff;
    use rstest::rstest;

    fn document(text: &str) -> Document {
        Document::parse(text).unwrap()
    }

    const TWO: &str = r#"{"singer_state": {"bookmarks": {"s": {"partitions": [{"context": {"r": "a"}, "v": 1}, {"context": {"r": "b"}, "v": 2}]}, "t": {"v": [1, 2]}}}}"#;
    const TURNED: &str = r#"{"singer_state": {"bookmarks": {"s": {"partitions": [{"v": 5, "context": {"r" : "b"}}, {"context": {"r": "a"}, "v": 1}]}}}}"#;

    #[rstest]
    #[case("", TWO, Some(TURNED))]
    #[case("/singer_state/bookmarks/s/partitions/1/v", "2", Some("5"))]
    #[case("/singer_state/bookmarks/s/partitions/0/v", "1", Some("1"))]
    #[case("/singer_state/bookmarks/t", r#"{"v": [1, 2]}"#, None)]
    #[case("/singer_state/bookmarks/t/v/1", "2", None)]
    fn a_part_is_found_where_it_stands(
        #[case] pointer: &str,
        #[case] here: &str,
        #[case] there: Option<&str>,
    ) {
        let (two, turned) = (document(TWO), document(TURNED));
        let section = Section::at(&pointer.parse().unwrap(), &two).unwrap();
        assert_eq!(section.find(&two).map(|node| node.raw()), Some(here));
        assert_eq!(section.find(&turned).map(|node| node.raw()), there);
    }

    #[test]
    fn of_partitions_with_the_same_context_each_is_itself() {
        let twice =
            document(r#"{"partitions": [{"context": {}, "v": 1}, {"context": {}, "v": 2}]}"#);
        let section = Section::at(&"/partitions/1/v".parse().unwrap(), &twice).unwrap();
        assert_eq!(section.find(&twice).map(|node| node.raw()), Some("2"));
    }

    #[test]
    fn a_pointer_to_nothing_names_no_part() {
        for pointer in [
            "/a",
            "/singer_state/bookmarks/s/partitions/2",
            "/singer_state/bookmarks/t/v/01",
        ] {
            assert_eq!(Section::at(&pointer.parse().unwrap(), &document(TWO)), None);
        }
    }

    #[rstest]
    #[case::in_it("s", TWO, TURNED, &["reordered /singer_state/bookmarks/s/partitions", "changed /singer_state/bookmarks/s/partitions/0/v"])]
    #[case::it_went("t", TWO, TURNED, &["removed /singer_state/bookmarks/t"])]
    #[case::it_came_with_all("t", "{}", TWO, &["added /singer_state"])]
    #[case::all_came_without_it("u", "{}", TWO, &[])]
    #[case::all_went_with_it("s", TWO, r#"{"singer_state": 5}"#, &["changed /singer_state"])]
    #[case::nothing_did("t", TWO, TWO, &[])]
    fn changes_of_a_stream(
        #[case] name: &str,
        #[case] left: &str,
        #[case] right: &str,
        #[case] want: &[&str],
    ) {
        let found = diff(&document(left), &document(right));
        let changes = Section::stream(name).changes(&found);
        let written = |change: &&Change| format!("{} {}", change.kind.name(), change.path);
        assert_eq!(changes.iter().map(written).collect::<Vec<_>>(), want);
    }

    #[test]
    fn the_order_of_what_is_around_a_part_is_not_its_own() {
        let (two, turned) = (document(TWO), document(TURNED));
        let at = |pointer: &str| Section::at(&pointer.parse().unwrap(), &two).unwrap();
        let found = diff(&two, &turned);
        let count = |pointer| at(pointer).changes(&found).len();
        assert_eq!(count("/singer_state/bookmarks/s/partitions/0"), 0);
        assert_eq!(count("/singer_state/bookmarks/s/partitions/1"), 1);
    }
}
