//! Edits: what they change, what they leave, what they refuse.

use rstest::rstest;

use super::{at, document};
use crate::domain::json::{Document, NodeId, Pointer, Splice, SpliceError};

fn id(document: &Document, pointer: &str) -> NodeId {
    at(document, pointer).id()
}

fn spliced(text: &str, edits: impl Fn(&Document) -> Vec<Splice<'static>>) -> String {
    let before = document(text);
    before
        .splice(&edits(&before))
        .unwrap_or_else(|error| panic!("{error}"))
        .text()
        .to_owned()
}

fn refused(text: &str, edits: impl Fn(&Document) -> Vec<Splice<'static>>) -> SpliceError {
    let before = document(text);
    before
        .splice(&edits(&before))
        .expect_err("the edits are refused")
}

fn insert(
    into: NodeId,
    key: impl Into<Option<&'static str>>,
    with: &'static str,
) -> Splice<'static> {
    Splice::Insert {
        into,
        key: key.into(),
        with: with.as_bytes(),
    }
}

#[test]
fn no_edits_change_nothing() {
    assert_eq!(spliced(" {\"a\" :1E3 }\n", |_| vec![]), " {\"a\" :1E3 }\n");
}

#[rstest]
#[case("/a", "2", " {\"a\" :2 ,\"b\":[1.50 , \"\\u00e9\" ]}\n")]
#[case("/b/1", " [ NaN ]\n", " {\"a\" :1E3 ,\"b\":[1.50 , [ NaN ] ]}\n")]
#[case("/b", "{}", " {\"a\" :1E3 ,\"b\":{}}\n")]
#[case("", "null", " null\n")]
fn a_replacement_leaves_every_other_byte(
    #[case] pointer: &str,
    #[case] with: &str,
    #[case] after: &str,
) {
    let before = document(" {\"a\" :1E3 ,\"b\":[1.50 , \"\\u00e9\" ]}\n");
    let edit = Splice::Replace {
        at: id(&before, pointer),
        with: with.as_bytes(),
    };
    assert_eq!(before.splice(&[edit]).unwrap().text(), after);
}

#[rstest]
#[case("[1, 2, 3]", &["/0"], "[2, 3]")]
#[case("[1, 2, 3]", &["/1"], "[1, 3]")]
#[case("[1, 2, 3]", &["/2"], "[1, 2]")]
#[case("[1, 2, 3]", &["/0", "/1"], "[3]")]
#[case("[1, 2, 3]", &["/2", "/1"], "[1]")]
#[case("[1, 2, 3]", &["/0", "/2"], "[2]")]
#[case("[1, 2, 3]", &["/1", "/2", "/0"], "[]")]
#[case("[ 1 ]", &["/0"], "[]")]
#[case("{\"a\" : 1 , \"b\":2 ,\n\"c\": 3 }", &["/a"], "{\"b\":2 ,\n\"c\": 3 }")]
#[case("{\"a\" : 1 , \"b\":2 ,\n\"c\": 3 }", &["/b"], "{\"a\" : 1 , \"c\": 3 }")]
#[case("{\"a\" : 1 , \"b\":2 ,\n\"c\": 3 }", &["/c"], "{\"a\" : 1 , \"b\":2 }")]
#[case("{\n  \"a\": 1,\n  \"b\": 2\n}", &["/a"], "{\n  \"b\": 2\n}")]
#[case("{\n  \"a\": 1,\n  \"b\": 2\n}", &["/b"], "{\n  \"a\": 1\n}")]
#[case("{\n  \"a\": {\n    \"b\": 2\n  }\n}", &["/a/b"], "{\n  \"a\": {}\n}")]
#[case("[[1,2],[3,4]]", &["/0/0", "/1"], "[[2]]")]
fn a_removal_takes_one_comma_along(
    #[case] text: &str,
    #[case] pointers: &[&str],
    #[case] after: &str,
) {
    let before = document(text);
    let edits: Vec<_> = pointers
        .iter()
        .map(|pointer| Splice::Remove {
            at: id(&before, pointer),
        })
        .collect();
    assert_eq!(before.splice(&edits).unwrap().text(), after);
}

#[rstest]
#[case("[]", "", None, "1", "[1]")]
#[case("[ ]", "", None, "1", "[1]")]
#[case("{}", "", Some("k"), "1", "{\"k\": 1}")]
#[case("{\n}", "", Some("é"), "{}", "{\"\\u00e9\": {}}")]
#[case("[1]", "", None, "2", "[1, 2]")]
#[case("[1,2]", "", None, " 3\n", "[1,2,3]")]
#[case("[1 , 2 ]", "", None, "3", "[1 , 2 , 3 ]")]
#[case("{\"a\": 1}", "", Some("b"), "2", "{\"a\": 1, \"b\": 2}")]
#[case("{\"a\":1}", "", Some("b"), "2", "{\"a\":1,\"b\":2}")]
#[case("{\"a\":[1]}", "/a", None, "2", "{\"a\":[1,2]}")]
#[case("{\"a\": [1]}", "/a", None, "2", "{\"a\": [1, 2]}")]
#[case(
    "{\"a\" : 1 ,\"c\" : 2}",
    "",
    Some("b"),
    "2",
    "{\"a\" : 1 ,\"c\" : 2 ,\"b\" : 2}"
)]
#[case(
    "{\n  \"a\": 1\n}",
    "",
    Some("b"),
    "2",
    "{\n  \"a\": 1,\n  \"b\": 2\n}"
)]
#[case(
    "{\n  \"a\": 1,\n  \"c\": 1\n}",
    "",
    Some("b"),
    "2",
    "{\n  \"a\": 1,\n  \"c\": 1,\n  \"b\": 2\n}"
)]
#[case("[\r\n\t1\r\n]", "", None, "2", "[\r\n\t1,\r\n\t2\r\n]")]
#[case("{\n  \"a\": []\n}", "/a", None, "1", "{\n  \"a\": [1]\n}")]
fn an_insertion_follows_its_neighbours(
    #[case] text: &str,
    #[case] pointer: &str,
    #[case] key: Option<&'static str>,
    #[case] with: &'static str,
    #[case] after: &str,
) {
    assert_eq!(
        spliced(text, |before| vec![insert(id(before, pointer), key, with)]),
        after
    );
}

#[test]
fn many_edits_are_made_at_once_in_any_order() {
    let text = "{\"a\": [1, 2, 3], \"b\": {\"x\": 1}, \"c\": 9}";
    let edits = |before: &Document| {
        vec![
            insert(id(before, ""), "e", "\"new\""),
            Splice::Remove {
                at: id(before, "/c"),
            },
            Splice::Replace {
                at: id(before, "/a/2"),
                with: b"33",
            },
            insert(id(before, "/b"), "y", "2"),
            Splice::Remove {
                at: id(before, "/a/0"),
            },
            insert(id(before, "/a"), None, "4"),
            insert(id(before, "/a"), None, "5"),
        ]
    };
    assert_eq!(
        spliced(text, edits),
        "{\"a\": [2, 33, 4, 5], \"b\": {\"x\": 1, \"y\": 2}, \"e\": \"new\"}"
    );
    let reversed = |before: &Document| edits(before).into_iter().rev().collect();
    assert_eq!(
        spliced(text, reversed),
        "{\"a\": [2, 33, 5, 4], \"b\": {\"x\": 1, \"y\": 2}, \"e\": \"new\"}"
    );
}

#[rstest]
#[case("[1, 2]", "[3, 4]")]
#[case("[ 1 ,2 ]", "[ 3 ,4 ]")]
#[case("[\n  1,\n  2\n]", "[\n  3,\n  4\n]")]
fn what_comes_in_the_place_of_all_keeps_their_layout(#[case] text: &str, #[case] after: &str) {
    let edits = |before: &Document| {
        let removed = before
            .root()
            .children()
            .map(|child| Splice::Remove { at: child.id() });
        removed
            .chain(["3", "4"].map(|with| insert(before.root().id(), None, with)))
            .collect()
    };
    assert_eq!(spliced(text, edits), after);
}

#[test]
fn a_key_comes_again_where_it_goes() {
    let edits = |before: &Document| {
        vec![
            Splice::Remove {
                at: id(before, "/a"),
            },
            insert(id(before, ""), "a", "2"),
        ]
    };
    assert_eq!(spliced("{\"a\":1,\"b\":0}", edits), "{\"b\":0,\"a\":2}");
}

#[test]
fn each_of_duplicate_members_is_its_own() {
    let text = "{\"a\": 1, \"a\": 2, \"a\": 3}";
    let nth = |before: &Document, index: usize| before.root().children().nth(index).unwrap().id();
    let first = spliced(text, |before| vec![Splice::Remove { at: nth(before, 0) }]);
    assert_eq!(first, "{\"a\": 2, \"a\": 3}");
    let last = spliced(text, |before| {
        vec![Splice::Remove {
            at: id(before, "/a"),
        }]
    });
    assert_eq!(last, "{\"a\": 1, \"a\": 2}");
    let middle = spliced(text, |before| {
        vec![Splice::Replace {
            at: nth(before, 1),
            with: b"0",
        }]
    });
    assert_eq!(middle, "{\"a\": 1, \"a\": 0, \"a\": 3}");
}

#[test]
fn a_new_value_must_be_json() {
    let error = refused("[1, 2]", |before| {
        vec![
            Splice::Remove {
                at: id(before, "/0"),
            },
            Splice::Replace {
                at: id(before, "/1"),
                with: b"3,\n4",
            },
        ]
    });
    let SpliceError::Value {
        edit: 1,
        error: place,
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!((place.line, place.column), (1, 2));
    assert_eq!(
        error.to_string(),
        "the value of edit 1 is not JSON: line 1, column 2: expected the end of the document, found ','"
    );
    let error = refused("[]", |before| vec![insert(before.root().id(), None, "")]);
    assert!(
        matches!(error, SpliceError::Value { edit: 0, .. }),
        "{error:?}"
    );
}

#[rstest]
#[case("/a", "/a")]
#[case("/a", "/a/0")]
#[case("/a", "/a/1/b")]
#[case("", "/c")]
fn edits_in_a_value_that_goes_overlap(#[case] outer: &str, #[case] inner: &str) {
    let before = document("{\"a\": [1, {\"b\": {}}], \"c\": [2]}");
    let (outer, inner) = (id(&before, outer), id(&before, inner));
    let replace = |at| Splice::Replace { at, with: b"0" };
    assert_eq!(
        before.splice(&[replace(outer), replace(inner)]),
        Err(SpliceError::Overlap {
            first: 0,
            second: 1
        })
    );
    if inner != outer {
        assert_eq!(
            before.splice(&[replace(inner), replace(outer)]),
            Err(SpliceError::Overlap {
                first: 1,
                second: 0
            })
        );
        let remove = Splice::Remove { at: inner };
        assert_eq!(
            before.splice(&[replace(outer), remove]),
            Err(SpliceError::Overlap {
                first: 0,
                second: 1
            })
        );
    }
}

#[test]
fn an_insertion_into_a_value_that_goes_overlaps() {
    let error = |pointer: &str| {
        refused("{\"a\": [1, {\"b\": []}], \"c\": [2]}", |before| {
            vec![
                insert(id(before, pointer), None, "1"),
                Splice::Remove {
                    at: id(before, "/a"),
                },
            ]
        })
    };
    assert_eq!(
        error("/a"),
        SpliceError::Overlap {
            first: 1,
            second: 0
        }
    );
    assert_eq!(
        error("/a/1/b"),
        SpliceError::Overlap {
            first: 1,
            second: 0
        }
    );
    let beside = |before: &Document| {
        vec![
            insert(id(before, "/c"), None, "1"),
            Splice::Remove {
                at: id(before, "/a"),
            },
        ]
    };
    assert_eq!(
        spliced("{\"a\": [1], \"c\": [2]}", beside),
        "{\"c\": [2, 1]}"
    );
}

#[test]
fn edits_that_cannot_be_are_refused() {
    let text = "{\"a\": [1], \"b\": 2}";
    let place = |pointer: &str| Pointer::parse(pointer).unwrap();
    let root = |before: &Document| before.root().id();
    assert_eq!(
        refused(text, |before| vec![Splice::Remove { at: root(before) }]),
        SpliceError::Root { edit: 0 }
    );
    assert_eq!(
        refused(text, |_| vec![Splice::Remove { at: NodeId(4) }]),
        SpliceError::Unknown { edit: 0 }
    );
    assert_eq!(
        refused(text, |_| vec![insert(NodeId(u32::MAX), None, "1")]),
        SpliceError::Unknown { edit: 0 }
    );
    let error = refused(text, |before| vec![insert(id(before, "/b"), None, "1")]);
    assert_eq!(
        error,
        SpliceError::NoContainer {
            edit: 0,
            at: place("/b")
        }
    );
    assert_eq!(
        error.to_string(),
        "edit 0 inserts into \"/b\", which is no array and no object"
    );
    let error = refused(text, |before| vec![insert(root(before), None, "1")]);
    assert_eq!(
        error,
        SpliceError::KeyMissing {
            edit: 0,
            at: place("")
        }
    );
    let error = refused(text, |before| vec![insert(id(before, "/a"), "k", "1")]);
    assert_eq!(
        error,
        SpliceError::KeyUnexpected {
            edit: 0,
            at: place("/a")
        }
    );
    let taken = |edit, key: &str| SpliceError::KeyTaken {
        edit,
        at: place(""),
        key: key.to_owned(),
    };
    assert_eq!(
        refused(text, |before| vec![insert(root(before), "b", "1")]),
        taken(0, "b")
    );
    let twice = |before: &Document| {
        vec![
            insert(root(before), "c", "1"),
            insert(root(before), "c", "1"),
        ]
    };
    assert_eq!(refused(text, twice), taken(1, "c"));
    assert_eq!(
        refused("{\"\\u0062\": 1}", |before| vec![insert(
            root(before),
            "b",
            "1"
        )]),
        taken(0, "b")
    );
}

#[test]
fn a_hundred_thousand_edits_are_one_splice() {
    let text = format!("[{}]", vec!["1"; 100_000].join(", "));
    let before = document(&text);
    let edits: Vec<_> = before
        .root()
        .children()
        .map(|child| Splice::Replace {
            at: child.id(),
            with: b"22",
        })
        .collect();
    assert_eq!(
        before.splice(&edits).unwrap().text(),
        text.replace('1', "22")
    );
    let odd: Vec<_> = before
        .root()
        .children()
        .step_by(2)
        .map(|child| Splice::Remove { at: child.id() })
        .collect();
    assert_eq!(before.splice(&odd).unwrap().root().len(), 50_000);
}
