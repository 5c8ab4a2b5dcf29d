//! RFC 6901.

use proptest::prelude::*;
use rstest::rstest;

use super::document;
use crate::domain::json::{Pointer, PointerError};

/// The document and pointers of RFC 6901, section 5.
#[rstest]
#[case("/foo", "[\"bar\", \"baz\"]")]
#[case("/foo/0", "\"bar\"")]
#[case("/", "0")]
#[case("/a~1b", "1")]
#[case("/c%d", "2")]
#[case("/e^f", "3")]
#[case("/g|h", "4")]
#[case("/i\\j", "5")]
#[case("/k\"l", "6")]
#[case("/ ", "7")]
#[case("/m~0n", "8")]
fn the_examples_of_the_standard_lead_where_it_says(#[case] pointer: &str, #[case] raw: &str) {
    let doc = document(
        r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#,
    );
    let pointer: Pointer = pointer.parse().unwrap();
    let node = doc.at(&pointer).unwrap();
    assert_eq!(node.raw(), raw);
    assert_eq!(node.pointer(), pointer);
}

#[rstest]
#[case("/a/-")]
#[case("/a/2")]
#[case("/a/00")]
#[case("/a/01")]
#[case("/a/+1")]
#[case("/a/-1")]
#[case("/a/")]
#[case("/a/x")]
#[case("/a/99999999999999999999999")]
#[case("/a/0/0")]
#[case("/b")]
fn what_is_not_there_is_not_found(#[case] pointer: &str) {
    let doc = document("{\"a\": [1, 2]}");
    assert!(doc.at(&Pointer::parse(pointer).unwrap()).is_none());
}

#[test]
fn in_an_object_an_index_is_a_key() {
    let doc = document("{\"0\": {\"01\": 1}}");
    assert_eq!(
        doc.at(&Pointer::parse("/0/01").unwrap()).unwrap().raw(),
        "1"
    );
}

#[rstest]
#[case("a", PointerError::NoSlash)]
#[case("#/a", PointerError::NoSlash)]
#[case("/~", PointerError::Tilde { offset: 1 })]
#[case("/a~01~2", PointerError::Tilde { offset: 5 })]
#[case("/~~0", PointerError::Tilde { offset: 1 })]
fn other_texts_are_no_pointers(#[case] text: &str, #[case] error: PointerError) {
    assert_eq!(Pointer::parse(text), Err(error));
}

#[test]
fn steps_are_added_and_taken_away() {
    let mut pointer = Pointer::root();
    assert!(pointer.is_root() && pointer.parent().is_none() && pointer.last().is_none());
    pointer.push("a/b");
    let child = pointer.child("~");
    assert_eq!(child.to_string(), "/a~1b/~0");
    assert_eq!(child.last(), Some("~"));
    assert_eq!(child.parent(), Some(pointer.clone()));
    assert!(child.starts_with(&pointer) && !pointer.starts_with(&child));
    assert!(child.starts_with(&Pointer::root()) && child.starts_with(&child));
}

#[test]
fn they_are_ordered_step_by_step() {
    let mut pointers: Vec<Pointer> = ["/a/b", "/a!", "/a", "", "/a/a/a"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    pointers.sort();
    let sorted: Vec<_> = pointers.iter().map(Pointer::to_string).collect();
    assert_eq!(sorted, ["", "/a", "/a/a/a", "/a/b", "/a!"]);
}

proptest! {
    #[test]
    fn any_steps_are_read_back(steps in prop::collection::vec("[~/01a\"\\\\é ]{0,6}", 0..5)) {
        let pointer = Pointer::from(steps);
        prop_assert_eq!(Pointer::parse(&pointer.to_string()), Ok(pointer));
    }
}
