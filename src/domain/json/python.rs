//! The form in which CPython 3.11 writes JSON.
//!
//! `json.dumps(json.loads(text))` is not its text: separators become `, ` and `: `, everything outside printable ASCII
//! is escaped, floats are written as `repr` writes them (`1E3` is `1000.0`, `1e400` is `Infinity`), `-0` is `0`, and of
//! duplicate keys the last value stands in the first one's place. Meltano stores what it wrote so; what is compared
//! with it, or written in its stead, takes this form.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::text::Unit;
use super::{Document, EffectiveMembers, Kind, Node, NodeId, SyntaxError, Text};

/// Chooses separators and line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// `json.dumps(value)`: `, ` and `: `, on one line.
    #[default]
    Default,
    /// `json.dumps(value, separators=(",", ":"))`.
    Compact,
    /// `json.dumps(value, indent=n)`. Its size grows with the square of the depth.
    Indent(usize),
}

/// Writes what `json.dumps(json.loads(text))` of CPython 3.11 gives for a value, to any depth.
pub fn dumps(node: Node<'_>, style: Style) -> String {
    let mut writer = Writer::new(style);
    writer.value(node);
    writer.out
}

/// Writes a double as `json.dumps` does: `repr(float)`, and `NaN`, `Infinity`, `-Infinity`.
pub fn float_repr(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = shortest(value);
    let (sign, size) = scientific
        .strip_prefix('-')
        .map_or(("", scientific.as_str()), |size| ("-", size));
    let (mantissa, exponent) = size.split_once('e').unwrap_or((size, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let places = exponent.unsigned_abs() as usize;
    let digits = mantissa.replace('.', "");
    match exponent {
        -4..=-1 => format!("{sign}0.{}{digits}", "0".repeat(places - 1)),
        0..16 => format!("{sign}{}", with_point(&digits, places + 1)),
        16.. => format!("{sign}{mantissa}e+{places:02}"),
        _ => format!("{sign}{mantissa}e-{places:02}"),
    }
}

/// Gives the shortest digits that read back as the value, and of those the nearest ones. Where two are equally near,
/// Python takes the even one and Rust's own choice is the upper.
fn shortest(value: f64) -> String {
    let upper = format!("{value:e}");
    let mantissa = upper.split('e').next().unwrap_or_default();
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let even = format!("{value:.*e}", digits - 1);
    if even.parse() == Ok(value) {
        even
    } else {
        upper
    }
}

/// Puts the point after so many digits, adding zeros before it and one after it where there are none.
fn with_point(digits: &str, before: usize) -> String {
    match digits.split_at_checked(before) {
        Some((whole, fraction)) if !fraction.is_empty() => format!("{whole}.{fraction}"),
        _ => format!("{digits:0<before$}.0"),
    }
}

/// Writes a text as a JSON string in ASCII, as `json.dumps` does.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// Gives the Python form of a value that holds no others, `None` for an array or object.
pub fn scalar(node: Node<'_>) -> Option<Cow<'_, str>> {
    let raw = node.raw();
    Some(match node.kind() {
        Kind::Null | Kind::Bool => Cow::Borrowed(raw),
        Kind::Integer => Cow::Borrowed(if raw == "-0" { "0" } else { raw }),
        Kind::Float => Cow::Owned(float_repr(node.as_f64()?)),
        Kind::String => string(node.as_str()?, raw),
        Kind::Array | Kind::Object => return None,
    })
}

/// Gives the Python form of a string, whose text with its quotes is `raw`.
fn string<'d>(text: Text<'d>, raw: &'d str) -> Cow<'d, str> {
    if is_plain(text.raw()) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    push_text(&mut out, text);
    Cow::Owned(out)
}

/// Names the half of a member, or the value, that Python spells in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Respelled {
    /// The key of this value.
    Key(NodeId),
    /// This number or string.
    Value(NodeId),
}

/// Lists the keys, numbers and strings whose Python form is another text, in the order in which Python writes them.
///
/// What Python drops ([`Document::duplicate_keys`]), and what is in it, is not among them.
pub fn respelled(document: &Document) -> Vec<Respelled> {
    let mut found = vec![];
    walk(document.root(), |step| {
        let Step::Value(node) = step else { return };
        if let Some(key) = node.key()
            && let Cow::Owned(written) = string(key, "")
            && written.get(1..written.len() - 1) != Some(key.raw())
        {
            found.push(Respelled::Key(node.id()));
        }
        if scalar(node).is_some_and(|written| written != node.raw()) {
            found.push(Respelled::Value(node.id()));
        }
    });
    found
}

/// Writes a document in Python's default form, piece by piece.
///
/// Commas are its care, brackets and keys the caller's; where they do not fit, [`Self::finish`] gives the error of the
/// reader. Keys are not compared with each other.
#[derive(Clone, Debug)]
pub struct Builder(Writer);

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Begins an empty text.
    pub fn new() -> Self {
        Self(Writer::new(Style::Default))
    }

    /// Opens an object.
    pub fn begin_object(&mut self) {
        self.0.begin('{');
    }

    /// Closes the innermost object.
    pub fn end_object(&mut self) {
        self.0.end('}');
    }

    /// Opens an array.
    pub fn begin_array(&mut self) {
        self.0.begin('[');
    }

    /// Closes the innermost array.
    pub fn end_array(&mut self) {
        self.0.end(']');
    }

    /// Writes the key of the next value.
    pub fn key(&mut self, key: Text<'_>) {
        self.0.key(key);
    }

    /// Writes the key of the next value from decoded text.
    pub fn key_str(&mut self, key: &str) {
        self.0.separate();
        self.0.out.push_str(&quote(key));
        self.0.colon();
    }

    /// Writes a value of some document.
    pub fn value(&mut self, node: Node<'_>) {
        self.0.value(node);
    }

    /// Writes a string from decoded text.
    pub fn string(&mut self, text: &str) {
        self.0.separate();
        self.0.out.push_str(&quote(text));
        self.0.last = Last::Value;
    }

    /// Gives the document, or says where what was written is none.
    pub fn finish(self) -> Result<Document, SyntaxError> {
        Document::parse(self.0.out)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// An opening bracket, or nothing yet.
    Open,
    Key,
    Value,
}

#[derive(Clone, Debug)]
struct Writer {
    out: String,
    style: Style,
    depth: usize,
    last: Last,
}

impl Writer {
    const fn new(style: Style) -> Self {
        Self {
            out: String::new(),
            style,
            depth: 0,
            last: Last::Open,
        }
    }

    fn value(&mut self, node: Node<'_>) {
        self.out.reserve(node.span().len());
        let root = node.id();
        walk(node, |step| match step {
            Step::Value(node) => {
                if node.id() != root
                    && let Some(key) = node.key()
                {
                    self.key(key);
                }
                match node.kind() {
                    Kind::Array => self.begin('['),
                    Kind::Object => self.begin('{'),
                    _ => self.scalar(node),
                }
            }
            Step::End(Kind::Array) => self.end(']'),
            Step::End(_) => self.end('}'),
        });
    }

    fn scalar(&mut self, node: Node<'_>) {
        self.separate();
        if let Some(written) = scalar(node) {
            self.out.push_str(&written);
        }
        self.last = Last::Value;
    }

    fn key(&mut self, key: Text<'_>) {
        self.separate();
        push_text(&mut self.out, key);
        self.colon();
    }

    fn colon(&mut self) {
        self.out.push_str(if self.style == Style::Compact {
            ":"
        } else {
            ": "
        });
        self.last = Last::Key;
    }

    fn begin(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
        self.depth += 1;
        self.last = Last::Open;
    }

    fn end(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        if self.last == Last::Value {
            self.break_line();
        }
        self.out.push(bracket);
        self.last = Last::Value;
    }

    /// Writes what belongs between the last thing and a key or value.
    fn separate(&mut self) {
        match self.last {
            Last::Key => return,
            Last::Open if self.depth == 0 => return,
            Last::Open => {}
            Last::Value if self.style == Style::Default => self.out.push_str(", "),
            Last::Value => self.out.push(','),
        }
        self.break_line();
    }

    fn break_line(&mut self) {
        if let Style::Indent(width) = self.style {
            self.out.push('\n');
            self.out
                .extend(std::iter::repeat_n(' ', width * self.depth));
        }
    }
}

enum Step<'d> {
    Value(Node<'d>),
    End(Kind),
}

/// Walks a value and what is in it as Python's objects have it, without recursion.
fn walk<'d>(node: Node<'d>, mut visit: impl FnMut(Step<'d>)) {
    let mut open: Vec<(EffectiveMembers<'d>, Kind)> = vec![];
    let mut next = Some(node);
    loop {
        if let Some(node) = next {
            visit(Step::Value(node));
            if node.is_container() {
                open.push((EffectiveMembers(node.children()), node.kind()));
            }
        } else if let Some((_, kind)) = open.pop() {
            visit(Step::End(kind));
        }
        match open.last_mut() {
            Some((members, _)) => next = members.next(),
            None => return,
        }
    }
}

fn push_text(out: &mut String, text: Text<'_>) {
    out.push('"');
    if is_plain(text.raw()) {
        out.push_str(text.raw());
    } else {
        push_units(out, text);
    }
    out.push('"');
}

fn push_units(out: &mut String, text: Text<'_>) {
    for unit in text.units() {
        match unit {
            Unit::Plain(run) => push_escaped(out, run),
            Unit::Char(character) => push_char(out, character),
            Unit::Surrogate(code) => push_code(out, code),
        }
    }
}

fn push_escaped(out: &mut String, text: &str) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        text.chars().for_each(|character| push_char(out, character));
    }
}

fn push_char(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        ' '..='~' => out.push(character),
        _ => character
            .encode_utf16(&mut [0; 2])
            .iter()
            .for_each(|&code| push_code(out, code)),
    }
}

fn push_code(out: &mut String, code: u16) {
    // Writing to a `String` cannot fail.
    let _ = write!(out, "\\u{code:04x}");
}

/// Says whether Python writes the text as it is: printable ASCII without quotes and backslashes.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~'))
}
