//! Strings and keys, decoded.

use std::collections::HashSet;

use rstest::rstest;

use super::document;
use crate::domain::json::{Document, Text};

#[rstest]
#[case(r#""plain""#, "plain", b"plain")]
#[case(r#""""#, "", b"")]
#[case(
    r#""\"\\\/\b\f\n\r\t""#,
    "\"\\/\u{8}\u{c}\n\r\t",
    b"\"\\/\x08\x0c\n\r\t"
)]
#[case(r#""\u00E9\u00e9é""#, "ééé", "ééé".as_bytes())]
#[case(r#""\u0000""#, "\0", b"\0")]
#[case(r#""\uD83D\uDE00 😀""#, "😀 😀", "😀 😀".as_bytes())]
#[case(r#""\ud800""#, "\\ud800", b"\xed\xa0\x80")]
#[case(r#""\uDFFFx""#, "\\udfffx", b"\xed\xbf\xbfx")]
#[case(
    r#""\ud83d\ud83d\ude00""#,
    "\\ud83d😀",
    b"\xed\xa0\xbd\xf0\x9f\x98\x80"
)]
#[case(r#""\ude00\ud83d""#, "\\ude00\\ud83d", b"\xed\xb8\x80\xed\xa0\xbd")]
#[case(
    r#""\ud83d\n\ude00""#,
    "\\ud83d\n\\ude00",
    b"\xed\xa0\xbd\n\xed\xb8\x80"
)]
#[case(r#""\ud83d\\ude00""#, "\\ud83d\\ude00", b"\xed\xa0\xbd\\ude00")]
#[case(r#""\ud800\u0061""#, "\\ud800a", b"\xed\xa0\x80a")]
fn escapes_are_decoded(#[case] json: &str, #[case] decoded: &str, #[case] wtf8: &[u8]) {
    let doc = document(json);
    let text = doc.root().as_str().unwrap();
    assert_eq!(text.raw(), &json[1..json.len() - 1]);
    assert_eq!(text.decoded(), decoded);
    assert_eq!(&*text.wtf8(), wtf8);
    assert_eq!(
        text.has_lone_surrogate(),
        std::str::from_utf8(wtf8).is_err()
    );
    assert_eq!(text == *decoded, wtf8 == decoded.as_bytes());
}

fn members(doc: &Document) -> Vec<Text<'_>> {
    doc.root()
        .children()
        .map(|child| child.as_str().unwrap())
        .collect()
}

#[test]
fn texts_are_equal_when_they_decode_to_the_same() {
    let doc = document(
        r#"["aé\n", "\u0061\u00e9\u000A", "a\u00e9\\n", "\ud800", "\uD800", "\\ud800", ""]"#,
    );
    let texts = members(&doc);
    let equal = |left: usize, right: usize| texts[left] == texts[right];
    assert!(equal(0, 1) && equal(3, 4));
    assert!(!equal(0, 2) && !equal(3, 5) && !equal(5, 6) && !equal(0, 6));
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 5);
    assert!(texts[1] == "aé\n" && texts[2] == "aé\\n" && texts[6] == "");
    assert!(texts[5] == "\\ud800" && texts[3] != "\\ud800");
    assert!(texts[0] != "aé\\" && texts[0] != "aé\n\n" && texts[1] != "aéx");
}

#[test]
fn texts_are_ordered_by_code_points() {
    let doc = document(r#"["\uffff", "\ud83d\ude00", "b", "\u0061b", "a", "\ud83d", ""]"#);
    let mut texts = members(&doc);
    texts.sort();
    let sorted: Vec<_> = texts.iter().map(Text::raw).collect();
    assert_eq!(
        sorted,
        [
            "",
            "a",
            r"\u0061b",
            "b",
            r"\ud83d",
            r"\uffff",
            r"\ud83d\ude00"
        ]
    );
}

#[test]
fn keys_are_compared_decoded() {
    let doc = document(r#"{"\u0061b": 1, "\ud800": 2, "\\ud800": 3, "c\/d": 4}"#);
    let raw = |key: &str| doc.root().get(key).map(|node| node.raw());
    assert_eq!(
        (raw("ab"), raw("\\ud800"), raw("c/d"), raw("c\\/d")),
        (Some("1"), Some("3"), Some("4"), None)
    );
    let lone = doc.root().children().nth(1).unwrap();
    assert_eq!(lone.pointer().to_string(), "/\\ud800");
    assert!(!lone.is_named_exactly());
}
