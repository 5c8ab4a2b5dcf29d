//! JSON that this program writes itself: one form for every command, safe for a terminal too.

use std::fmt;
use std::io::{self, Write};

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use crate::domain::history::RunStatus;
use crate::domain::json::{Children, Document, EffectiveMembers, Kind, Node};
use crate::domain::moment::Stamp;
use crate::report::{Report, needs_escape};

/// Writes compact JSON in which control characters, and marks that reorder text, are escapes everywhere.
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        safe(writer, fragment)
    }
}

/// Writes a value on one line, without a line feed.
pub(super) fn write(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Safe);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes JSON text; what may not reach a terminal can only stand in its strings, where an escape means the same.
pub(super) fn safe(out: &mut (impl Write + ?Sized), text: &str) -> io::Result<()> {
    if text.is_ascii() && !text.as_bytes().contains(&0x7f) {
        return out.write_all(text.as_bytes());
    }
    let mut written = 0;
    for (at, character) in text.char_indices().filter(|(_, c)| needs_escape(*c)) {
        let end = at + character.len_utf8();
        out.write_all(text.get(written..at).unwrap_or_default().as_bytes())?;
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        written = end;
    }
    out.write_all(text.get(written..).unwrap_or_default().as_bytes())
}

/// Is serialised as what [`fmt::Display`] gives, without a copy.
pub(super) struct Text<T>(pub(super) T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Gives a stored time as JSON carries it: UTC, RFC 3339; `None` when the text is no time.
pub(super) fn instant(stamp: Option<&Stamp>) -> Option<Text<Timestamp>> {
    stamp?.instant.map(Text)
}

/// Gives a run's status as the column has it; `None` for NULL.
pub(super) fn status(status: &RunStatus) -> Option<&str> {
    (*status != RunStatus::Other(None)).then(|| status.name())
}

/// Writes a JSON array element by element, one a line; nothing before the first, so that a failure leaves nothing.
#[derive(Default)]
pub(super) struct Array {
    open: bool,
    separate: bool,
}

impl Array {
    /// Opens the array; harmless when it is open.
    pub(super) fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        if !self.open {
            self.open = true;
            out.write_all(b"[")?;
        }
        Ok(())
    }

    /// Writes what stands before an element.
    pub(super) fn element(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.begin(out)?;
        let before: &[u8] = if self.separate { b",\n" } else { b"\n" };
        self.separate = true;
        out.write_all(before)
    }

    /// Closes the array, when it was opened.
    pub(super) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if self.open {
            self.close(out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Closes an array that is open, and stays on the line.
    pub(super) fn close(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.separate { b"\n]" } else { b"]" })
    }
}

/// Is a failure as standard error carries it with `--json`.
#[derive(Serialize)]
struct ErrorLine<'r> {
    error: &'r str,
    source: Option<&'r str>,
    state_id: Option<&'r str>,
    message: String,
    hint: Option<&'r str>,
}

/// Gives a failure as one line of JSON.
pub(super) fn error_line(report: &Report) -> Vec<u8> {
    named_line(report.fault.name(), report)
}

/// Gives a report as one line of JSON, under a name of its own.
pub(super) fn named_line(name: &str, report: &Report) -> Vec<u8> {
    let line = ErrorLine {
        error: name,
        source: report.source.as_deref(),
        state_id: report.state_id.as_deref(),
        message: report.sentence(),
        hint: report.hint.as_deref(),
    };
    let mut bytes = Vec::new();
    // Writing to a `Vec` cannot fail.
    let _ = write(&mut bytes, &line);
    bytes.push(b'\n');
    bytes
}

/// Writes values of one document as JSON that every reader takes.
///
/// They stay as stored, but for what JSON does not have: `NaN` becomes `{"$text": "NaN"}`, and of duplicate keys the last
/// one's value stands in the first one's place, as Python reads them.
pub(super) struct Values {
    /// Where what JSON does not have begins, in order.
    odd: Vec<usize>,
}

impl Values {
    pub(super) fn of(document: &Document) -> Self {
        let mut odd: Vec<usize> = document
            .duplicate_keys()
            .into_iter()
            .map(|id| document.node(id).map_or(0, |node| node.span().start))
            .collect();
        odd.extend(
            document
                .nodes()
                .filter(|node| is_beyond_json(*node))
                .map(|node| node.span().start),
        );
        odd.sort_unstable();
        Self { odd }
    }

    /// Writes one value of the document.
    pub(super) fn write(&self, out: &mut impl Write, node: Node<'_>) -> io::Result<()> {
        let span = node.span();
        let first = self.odd.partition_point(|place| *place < span.start);
        if self.odd.get(first).is_none_or(|place| *place >= span.end) {
            return safe(out, node.raw());
        }
        as_python_reads(out, node)
    }
}

fn is_beyond_json(node: Node<'_>) -> bool {
    matches!(node.raw(), "NaN" | "Infinity" | "-Infinity")
}

enum Inside<'d> {
    Array(Children<'d>),
    Object(EffectiveMembers<'d>),
}

impl<'d> Inside<'d> {
    fn of(node: Node<'d>) -> Option<Self> {
        match node.kind() {
            Kind::Array => Some(Self::Array(node.children())),
            Kind::Object => Some(Self::Object(node.effective_members())),
            _ => None,
        }
    }

    fn next(&mut self) -> Option<Node<'d>> {
        match self {
            Self::Array(elements) => elements.next(),
            Self::Object(members) => members.next(),
        }
    }

    fn brackets(&self) -> (&'static [u8], &'static [u8]) {
        match self {
            Self::Array(_) => (b"[", b"]"),
            Self::Object(_) => (b"{", b"}"),
        }
    }
}

/// Writes a value member by member, to any depth.
fn as_python_reads(out: &mut impl Write, node: Node<'_>) -> io::Result<()> {
    let mut open: Vec<(Inside<'_>, bool)> = Vec::new();
    let mut next = Some((node, false));
    loop {
        if let Some((node, is_member)) = next {
            if is_member && let Some(key) = node.key() {
                write!(out, "\"")?;
                safe(out, key.raw())?;
                write!(out, "\": ")?;
            }
            match Inside::of(node) {
                Some(inside) => {
                    out.write_all(inside.brackets().0)?;
                    open.push((inside, false));
                }
                None if is_beyond_json(node) => write!(out, "{{\"$text\": \"{}\"}}", node.raw())?,
                None => safe(out, node.raw())?,
            }
        }
        let Some((inside, separate)) = open.last_mut() else {
            return Ok(());
        };
        next = inside.next().map(|node| (node, true));
        if next.is_none() {
            out.write_all(inside.brackets().1)?;
            open.pop();
        } else if std::mem::replace(separate, true) {
            out.write_all(b", ")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("[1E3, -0, 12345678901234567890123]", None)]
    #[case(r#"{"a": "\ud800", "b" : [ ]}"#, None)]
    #[case(
        "[NaN, -Infinity]",
        Some(r#"[{"$text": "NaN"}, {"$text": "-Infinity"}]"#)
    )]
    #[case(r#"["NaN"]"#, None)]
    #[case(
        r#"{"a": 1,"b": 2,"a": {"c": NaN}}"#,
        Some(r#"{"a": {"c": {"$text": "NaN"}}, "b": 2}"#)
    )]
    #[case("[\"\u{9b}31m\u{7f}\u{202e}\"]", Some(r#"["\u009b31m\u007f\u202e"]"#))]
    fn values_stay_as_stored_unless_json_has_no_such_thing(
        #[case] text: &str,
        #[case] want: Option<&str>,
    ) {
        let document = Document::parse(text.as_bytes()).unwrap();
        let mut written = Vec::new();
        Values::of(&document)
            .write(&mut written, document.root())
            .unwrap();
        assert_eq!(
            String::from_utf8(written.clone()).unwrap(),
            want.unwrap_or(text)
        );
        if !text.contains("\\ud800") {
            serde_json::from_slice::<serde_json::Value>(&written).unwrap();
        }
    }

    #[test]
    fn only_the_part_that_needs_it_is_rewritten() {
        let document = Document::parse(*br#"{"a":  [1 ,2], "b": NaN}"#).unwrap();
        let values = Values::of(&document);
        let mut written = Vec::new();
        values
            .write(&mut written, document.root().get("a").unwrap())
            .unwrap();
        assert_eq!(written, b"[1 ,2]");
    }

    #[test]
    fn any_depth_is_written() {
        let text = format!("{}NaN{}", "[".repeat(100_000), "]".repeat(100_000));
        let document = Document::parse(text).unwrap();
        let mut written = Vec::new();
        Values::of(&document)
            .write(&mut written, document.root())
            .unwrap();
        assert_eq!(written.len(), 200_000 + r#"{"$text": "NaN"}"#.len());
    }
}
