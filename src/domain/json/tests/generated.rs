//! What holds for every document, on generated ones.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::document;
use crate::domain::json::python::{Builder, Style, dumps, respelled};
use crate::domain::json::{Document, Kind, Node, Splice};

fn space() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", " ", "\n", "\t", "\r\n  "])
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[ -!#-\\[\\]-~]{1,9}",
        2 => "[\u{7f}-\u{d7ff}\u{e000}-\u{10ffff}]",
        2 => select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]).prop_map(str::to_owned),
        2 => any::<u16>().prop_map(|code| format!("\\u{code:04x}")),
        1 => (0xd800_u16..0xe000).prop_map(|code| format!("\\u{code:04X}")),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn key() -> impl Strategy<Value = String> {
    let usual = select(vec!["\"a\"", "\"\\u0061\"", "\"b\"", "\"\"", "\"\\ud800\""]);
    prop_oneof![usual.prop_map(str::to_owned), string()]
}

fn scalar() -> impl Strategy<Value = String> {
    let word = select(vec![
        "null",
        "true",
        "false",
        "NaN",
        "Infinity",
        "-Infinity",
        "-0",
        "-0.0",
        "1e400",
    ]);
    prop_oneof![
        3 => string(),
        2 => word.prop_map(str::to_owned),
        2 => "-?(0|[1-9][0-9]{0,30})",
        2 => "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
        1 => any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| format!("{value:e}")),
    ]
}

fn padded(inner: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    (space(), inner, space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

/// Makes texts that CPython's `json.loads` reads.
fn json() -> impl Strategy<Value = String> {
    let value = scalar().prop_recursive(5, 48, 5, move |inner| {
        let member = (padded(key().boxed()), padded(inner.clone().boxed()))
            .prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            (space(), prop::collection::vec(padded(inner.boxed()), 0..5))
                .prop_map(|(space, items)| wrap('[', space, &items, ']')),
            (space(), prop::collection::vec(member, 0..5))
                .prop_map(|(space, items)| wrap('{', space, &items, '}')),
        ]
    });
    padded(value.boxed())
}

fn wrap(open: char, space: &str, items: &[String], close: char) -> String {
    let inside = if items.is_empty() {
        space.to_owned()
    } else {
        items.join(",")
    };
    format!("{open}{inside}{close}")
}

fn pick(document: &Document, index: Index) -> Node<'_> {
    document
        .nodes()
        .nth(index.index(document.node_count()))
        .unwrap()
}

fn python(document: &Document) -> String {
    dumps(document.root(), Style::Default)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn bytes_are_kept_and_every_value_reads_alone(text in json()) {
        let read = document(&text);
        prop_assert_eq!(read.bytes(), text.as_bytes());
        for node in read.nodes() {
            let alone = document(node.raw());
            prop_assert_eq!(alone.root().kind(), node.kind());
            prop_assert_eq!(alone.node_count(), node.descendants().len() + 1);
            prop_assert_eq!(node.children().len(), node.children().count());
            prop_assert!(node.children().all(|child| child.parent().is_some_and(|parent| parent.id() == node.id())));
            if node.is_named_exactly() {
                prop_assert_eq!(read.at(&node.pointer()).map(|found| found.id()), Some(node.id()));
            }
        }
    }

    #[test]
    fn a_cut_text_is_refused_at_its_end_or_is_a_shorter_document(text in json(), at in any::<Index>()) {
        let cut: String = text.chars().take(at.index(text.chars().count())).collect();
        match Document::parse(cut.as_str()) {
            Ok(read) => prop_assert_eq!(read.text(), cut),
            Err(error) => {
                let word = text[error.offset..].trim_end().starts_with(['n', 't', 'f', 'N', 'I']) || text[error.offset..].starts_with("Inf");
                prop_assert!(error.offset == cut.len() || word, "{} in {:?}", error, cut);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_inside_it(text in "[\\[\\]{}:,\" \\\\un0-9eE.+\\-a\n]{0,24}") {
        match Document::parse(text.as_str()) {
            Ok(read) => prop_assert_eq!(read.text(), text),
            Err(error) => prop_assert!(text.is_char_boundary(error.offset)),
        }
    }

    #[test]
    fn the_python_form_of_the_python_form_is_itself(text in json()) {
        let read = document(&text);
        let once = document(&python(&read));
        prop_assert_eq!(python(&once), once.text());
        prop_assert_eq!(respelled(&once), []);
        prop_assert_eq!(once.duplicate_keys(), []);
        for style in [Style::Compact, Style::Indent(2)] {
            let other = document(&dumps(read.root(), style));
            prop_assert_eq!(python(&other), once.text());
            prop_assert_eq!(dumps(other.root(), style), other.text());
        }
        prop_assert_eq!(dumps(read.root(), Style::Compact), dumps(once.root(), Style::Compact));
    }

    #[test]
    fn what_is_built_from_its_members_is_the_python_form(text in json()) {
        let read = document(&text);
        let mut builder = Builder::new();
        if read.root().kind() == Kind::Object {
            builder.begin_object();
            for member in read.root().effective_members() {
                builder.key(member.key().unwrap());
                builder.value(member);
            }
            builder.end_object();
        } else {
            builder.value(read.root());
        }
        let built = builder.finish().unwrap();
        prop_assert_eq!(built.text(), python(&read));
    }

    #[test]
    fn a_value_replaced_by_its_own_text_changes_nothing(text in json(), at in any::<Index>()) {
        let read = document(&text);
        let node = pick(&read, at);
        let same = read.splice(&[Splice::Replace { at: node.id(), with: node.raw().as_bytes() }]).unwrap();
        prop_assert_eq!(same, read);
    }

    #[test]
    fn a_replacement_stands_in_its_place(text in json(), at in any::<Index>(), with in json()) {
        let read = document(&text);
        let node = pick(&read, at);
        let span = node.span();
        let after = read.splice(&[Splice::Replace { at: node.id(), with: with.as_bytes() }]).unwrap();
        let new = document(&with);
        prop_assert_eq!(after.node(node.id()).unwrap().raw(), new.root().raw());
        prop_assert!(after.text().starts_with(&text[..span.start]) && after.text().ends_with(&text[span.end..]));
        prop_assert_eq!(after.node_count() + node.descendants().len(), read.node_count() + new.node_count() - 1);
    }

    #[test]
    fn removals_leave_the_other_values_as_they_were(text in json(), picks in prop::collection::vec(any::<Index>(), 1..6)) {
        let read = document(&text);
        let Some(container) = picks.iter().map(|&at| pick(&read, at)).find(|node| !node.is_empty()) else { return Ok(()) };
        let gone: Vec<_> = picks.iter().map(|at| container.children().nth(at.index(container.len())).unwrap().id()).collect();
        let mut unique = gone.clone();
        unique.sort();
        unique.dedup();
        let edits: Vec<_> = unique.iter().map(|&at| Splice::Remove { at }).collect();
        let after = read.splice(&edits).unwrap();
        let kept: Vec<_> = container.children().filter(|child| !unique.contains(&child.id())).map(item).collect();
        let left = after.node(container.id()).unwrap();
        prop_assert_eq!(left.children().map(item).collect::<Vec<_>>(), kept);
        prop_assert!(after.text().starts_with(&text[..=container.span().start]));
        prop_assert!(after.text().ends_with(&text[container.span().end - 1..]));
        prop_assert_eq!(read.splice(&[edits.as_slice(), &edits].concat()).is_err(), true);
    }

    #[test]
    fn an_insertion_comes_last_and_its_removal_undoes_it(text in json(), at in any::<Index>(), with in json()) {
        let read = document(&text);
        let container = pick(&read, at);
        let key = (container.kind() == Kind::Object).then_some("not \"there\"");
        let edit = Splice::Insert { into: container.id(), key, with: with.as_bytes() };
        if !container.is_container() {
            prop_assert!(read.splice(&[edit]).is_err());
            return Ok(());
        }
        let after = read.splice(&[edit]).unwrap();
        let grown = after.node(container.id()).unwrap();
        let last = grown.children().last().unwrap();
        prop_assert_eq!(grown.len(), container.len() + 1);
        let new = document(&with);
        prop_assert_eq!(last.raw(), new.root().raw());
        let named = last.key().map(|key| key.decoded());
        prop_assert_eq!(named.as_deref(), key);
        let back = after.splice(&[Splice::Remove { at: last.id() }]).unwrap();
        if container.is_empty() {
            prop_assert_eq!(python(&back), python(&read));
        } else {
            prop_assert_eq!(back, read);
        }
    }
}

/// Gives the text of an element, or of a member with its key.
fn item(node: Node<'_>) -> String {
    format!("{:?} {}", node.key(), node.raw())
}
