//! The shape of documents: their keys, what is an array, and the kinds of their values, not the values.
//!
//! An array has the shapes of its elements as a set: how many there are of each, and in which order, does not count.

use std::collections::HashMap;

use crate::domain::diff::{Change, ChangeKind, Diff, diff};
use crate::domain::json::{Document, Kind, Node, NodeId};

/// Numbers shapes, so that documents have the same number when they have the same shape.
///
/// Holds each shape once, however many documents have it.
#[derive(Debug, Default)]
pub struct Shapes {
    known: HashMap<Form, Shape>,
}

/// Stands for a shape among those of one [`Shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(usize);

#[derive(Debug, PartialEq, Eq, Hash)]
enum Form {
    Scalar(Kind),
    /// The shapes of the elements, each once, in order.
    Array(Vec<Shape>),
    /// The keys, as bytes, in order.
    Object(Vec<(Vec<u8>, Shape)>),
}

/// Is a document in which each value is the name of its kind, and each array has one element of each shape.
struct Drawing {
    document: Document,
    /// For each value the one in the document that was drawn.
    origins: Vec<NodeId>,
}

impl Shapes {
    /// Gives the shape of a document, at any depth.
    pub fn of(&mut self, document: &Document) -> Shape {
        let all = self.of_all(document);
        all.first().copied().unwrap_or(Shape(0))
    }

    /// Compares the shapes of two documents; the values of the changes are names of kinds, and objects and arrays of them.
    ///
    /// Paths lead into the documents: for one of several elements of a shape, to the first.
    pub fn diff(&mut self, left: &Document, right: &Document) -> Diff {
        let (before, after) = (self.draw(left), self.draw(right));
        let mut found = diff(&before.document, &after.document);
        found.identical = left == right;
        found.shapes = true;
        // A set has no order.
        found
            .changes
            .retain(|change| change.kind != ChangeKind::Reordered);
        for change in &mut found.changes {
            let origin = match (change.before, change.after) {
                (Some(id), None) => before.origin(id, left),
                (_, after_id) => after_id.and_then(|id| after.origin(id, right)),
            };
            if let Some(origin) = origin {
                lead_to(change, origin);
            }
        }
        found
    }

    /// Gives the shape of every value of a document.
    fn of_all(&mut self, document: &Document) -> Vec<Shape> {
        let nodes: Vec<Node<'_>> = document.nodes().collect();
        let mut all = vec![Shape(0); nodes.len()];
        // What is inside a value begins behind it.
        for node in nodes.into_iter().rev() {
            let form = form(node, &all);
            let next = Shape(self.known.len());
            let shape = *self.known.entry(form).or_insert(next);
            if let Some(slot) = all.get_mut(node.id().index()) {
                *slot = shape;
            }
        }
        all
    }

    fn draw(&mut self, document: &Document) -> Drawing {
        let shapes = self.of_all(document);
        let mut text = String::new();
        let mut origins = vec![];
        let mut todo = vec![Step::Value(document.root())];
        while let Some(step) = todo.pop() {
            match step {
                Step::Text(word) => text.push_str(word),
                Step::Key(node) => {
                    let key = node.key().map_or("", |key| key.raw());
                    text.extend(["\"", key, "\": "]);
                }
                Step::Value(node) => {
                    origins.push(node.id());
                    text.push_str(opening(node.kind()));
                    todo.extend(inside(node, &shapes).into_iter().rev());
                }
            }
        }
        Drawing {
            document: Document::parse(text).unwrap_or_else(|_| Document::empty_object()),
            origins,
        }
    }
}

impl Drawing {
    fn origin<'d>(&self, id: NodeId, document: &'d Document) -> Option<Node<'d>> {
        document.node(*self.origins.get(id.index())?)
    }
}

/// Writes into a change where it is in the document that was drawn.
fn lead_to(change: &mut Change, origin: Node<'_>) {
    change.path = origin.pointer();
    let steps = change.path.steps();
    let shown = steps.len().saturating_sub(change.place.rest.len());
    change.place.rest = steps.get(shown..).unwrap_or_default().to_vec();
}

fn form(node: Node<'_>, shapes: &[Shape]) -> Form {
    let shape = |node: Node<'_>| shapes.get(node.id().index()).copied().unwrap_or(Shape(0));
    match node.kind() {
        Kind::Array => {
            let mut elements: Vec<Shape> = node.children().map(shape).collect();
            elements.sort_unstable();
            elements.dedup();
            Form::Array(elements)
        }
        Kind::Object => {
            let member = |member: Node<'_>| {
                let key = member.key().map(|key| key.wtf8().into_owned());
                (key.unwrap_or_default(), shape(member))
            };
            let mut members: Vec<_> = node.effective_members().map(member).collect();
            members.sort_unstable();
            Form::Object(members)
        }
        kind => Form::Scalar(kind),
    }
}

/// Is a piece of a drawing that is still to be written.
enum Step<'d> {
    Text(&'static str),
    Key(Node<'d>),
    Value(Node<'d>),
}

fn opening(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "\"null\"",
        Kind::Bool => "\"boolean\"",
        Kind::Integer => "\"integer\"",
        Kind::Float => "\"float\"",
        Kind::String => "\"string\"",
        Kind::Array => "[",
        Kind::Object => "{",
    }
}

/// Lists what follows the opening of a value.
fn inside<'d>(node: Node<'d>, shapes: &[Shape]) -> Vec<Step<'d>> {
    let mut steps = vec![];
    let mut add = |node: Node<'d>, is_member: bool| {
        if !steps.is_empty() {
            steps.push(Step::Text(", "));
        }
        steps.extend(is_member.then_some(Step::Key(node)));
        steps.push(Step::Value(node));
    };
    match node.kind() {
        Kind::Object => {
            for member in node.effective_members() {
                add(member, true);
            }
            steps.push(Step::Text("}"));
        }
        Kind::Array => {
            let mut elements: Vec<Node<'d>> = node.children().collect();
            let shape = |node: &Node<'_>| shapes.get(node.id().index()).copied();
            elements.sort_by_key(shape);
            elements.dedup_by_key(|node| shape(node));
            for element in elements {
                add(element, false);
            }
            steps.push(Step::Text("]"));
        }
        _ => {}
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::diff::tests::laws::{any_document, any_pair};
    use proptest::prelude::*;
    use rstest::rstest;

    fn document(text: &str) -> Document {
        Document::parse(text).unwrap()
    }

    fn compare(left: &str, right: &str) -> Diff {
        Shapes::default().diff(&document(left), &document(right))
    }

    /// Writes a shape in one way only.
    fn written(node: Node<'_>) -> String {
        match node.kind() {
            Kind::Array => format!(
                "{:?}",
                node.children().map(written).collect::<BTreeSet<_>>()
            ),
            Kind::Object => {
                let member =
                    |member: Node<'_>| (member.key().unwrap().wtf8().into_owned(), written(member));
                let members = node.effective_members().map(member);
                format!("object {:?}", members.collect::<BTreeSet<_>>())
            }
            kind => format!("{kind:?}"),
        }
    }

    #[rstest]
    #[case(r#"{"a": 1, "b": "x"}"#, r#"{"b": "y", "a": 2}"#, true)]
    #[case("[1, 2, 3]", "[4]", true)]
    #[case(r#"[1, "a"]"#, r#"["a", 1, 1]"#, true)]
    #[case("[]", "[1]", false)]
    #[case("[]", "{}", false)]
    #[case("1", "1.0", false)]
    #[case("null", "true", false)]
    #[case("true", "false", true)]
    #[case("NaN", "1.5", true)]
    #[case(r#"{"a": 1, "a": "x"}"#, r#"{"a": "y"}"#, true)]
    #[case(r#"{"\u0061": 1}"#, r#"{"a": 2}"#, true)]
    fn shapes(#[case] left: &str, #[case] right: &str, #[case] same: bool) {
        assert_eq!(compare(left, right).is_equal(), same);
        assert_eq!(compare(right, left).is_equal(), same);
    }

    #[test]
    fn changes_lead_into_the_documents() {
        let left = r#"{"bookmarks": {"s": {"partitions": [
            {"context": {"k": 1}, "replication_key": "at", "replication_key_value": "x"},
            {"context": {"k": 2}, "replication_key": "at", "replication_key_value": "y"}]}}, "list": [1, 2, "x"]}"#;
        let right = r#"{"bookmarks": {"s": {"partitions": [
            {"context": {"k": 1}, "replication_key": "at", "replication_key_value": "x"},
            {"context": {"k": 2}, "replication_key": "at", "replication_key_value": 5}]}}, "list": [1, 2, null, "x"]}"#;
        let found = compare(left, right);
        let lines = found.changes.iter().map(|change| {
            let values = [found.before(change), found.after(change)];
            let values = values.map(|node| node.map_or("-", |node| node.raw()));
            format!("{} {} {}", change.kind.name(), change.path, values[1])
        });
        let lines: Vec<String> = lines.collect();
        assert_eq!(
            lines,
            [
                "added /bookmarks/s/partitions/1 {\"context\": {\"k\": \"integer\"}, \"replication_key\": \"string\", \
                 \"replication_key_value\": \"integer\"}",
                "added /list/2 \"null\"",
            ]
        );
    }

    #[test]
    fn any_depth_has_a_shape() {
        let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(compare(&nested("1"), &nested("2")).is_equal());
        assert!(!compare(&nested("1"), &nested("null")).is_equal());
    }

    proptest! {
        #[test]
        fn no_changes_mean_the_same_shape((left, right) in any_pair()) {
            let (left, right) = (document(&left), document(&right));
            let want = written(left.root()) == written(right.root());
            let mut shapes = Shapes::default();
            prop_assert_eq!(shapes.of(&left) == shapes.of(&right), want);
            prop_assert_eq!(shapes.diff(&left, &right).is_equal(), want);
        }

        #[test]
        fn paths_name_values_of_the_documents((left, right) in any_pair()) {
            let (left, right) = (document(&left), document(&right));
            let found = Shapes::default().diff(&left, &right);
            for change in &found.changes {
                let document = if change.after.is_some() { &right } else { &left };
                let mut nodes = document.nodes();
                prop_assert!(nodes.any(|node| node.pointer() == change.path), "{}", change.path);
            }
        }

        #[test]
        fn a_document_has_its_own_shape(text in any_document()) {
            prop_assert!(compare(&text, &text).is_equal());
        }
    }
}
