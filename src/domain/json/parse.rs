//! The reader: one pass over the bytes, no recursion, one flat entry a value.

use std::fmt;

use super::node::{Entry, narrow};

/// The first size in bytes that is refused; spans are 32 bits wide.
const TOO_LARGE: usize = u32::MAX as usize;

/// Says where a text stops being a JSON document, and what would have been read there.
///
/// Written out it reads `line 3, column 14: expected ',' or '}', found 'x'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The byte offset of the fault.
    pub offset: usize,
    /// The line of the fault, from 1; only a line feed ends a line.
    pub line: usize,
    /// The column of the fault, from 1, in characters.
    pub column: usize,
    /// What could have stood there.
    pub expected: Expected,
    /// What stands there, ready to print: nothing in it can act on a terminal.
    pub found: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            expected,
            found,
            ..
        } = self;
        write!(
            f,
            "line {line}, column {column}: expected {expected}, found {found}"
        )
    }
}

impl std::error::Error for SyntaxError {}

/// Names what the reader could have gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// Any value.
    Value,
    /// The first element of an array, or its end.
    ValueOrBracket,
    /// The first key of an object, or its end.
    KeyOrBrace,
    /// A key, after a comma.
    Key,
    /// The colon after a key.
    Colon,
    /// What follows an element.
    CommaOrBracket,
    /// What follows a member.
    CommaOrBrace,
    /// Nothing more: the document is complete.
    End,
    /// A digit of a number.
    Digit,
    /// One of the four hexadecimal digits after `\u`.
    HexDigit,
    /// The character after a backslash.
    Escape,
    /// More of a string, up to its closing quote.
    Quote,
    /// An escape in place of a raw control character.
    NoControl,
    /// Bytes that are UTF-8.
    Utf8,
    /// A document small enough for the reader.
    Smaller,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "a value",
            Self::ValueOrBracket => "a value or ']'",
            Self::KeyOrBrace => "a key in double quotes or '}'",
            Self::Key => "a key in double quotes",
            Self::Colon => "':'",
            Self::CommaOrBracket => "',' or ']'",
            Self::CommaOrBrace => "',' or '}'",
            Self::End => "the end of the document",
            Self::Digit => "a digit",
            Self::HexDigit => "four hexadecimal digits after '\\u'",
            Self::Escape => "one of \"\\/bfnrtu after '\\'",
            Self::Quote => "a closing '\"'",
            Self::NoControl => "control characters in a string to be escaped",
            Self::Utf8 => "UTF-8 text",
            Self::Smaller => "a document smaller than 4 GiB",
        })
    }
}

/// Reads the bytes into their text and its values, the root first, each before its children.
pub(super) fn parse(bytes: Vec<u8>) -> Result<(String, Vec<Entry>), SyntaxError> {
    check_size(bytes.len())?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        let before = String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default());
        error_at(&before, at, Expected::Utf8, format!("byte 0x{byte:02x}"))
    })?;
    if text.starts_with('\u{feff}') {
        return Err(error_at(
            &text,
            0,
            Expected::Value,
            "a byte order mark".to_owned(),
        ));
    }
    let mut parser = Parser::new(&text);
    parser.document()?;
    let mut nodes = parser.nodes;
    nodes.shrink_to_fit();
    Ok((text, nodes))
}

/// Refuses a size that 32-bit spans cannot hold.
pub(super) fn check_size(bytes: usize) -> Result<(), SyntaxError> {
    if bytes < TOO_LARGE {
        return Ok(());
    }
    Err(error_at("", 0, Expected::Smaller, format!("{bytes} bytes")))
}

fn error_at(text: &str, offset: usize, expected: Expected, found: String) -> SyntaxError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    SyntaxError {
        offset,
        line: memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        expected,
        found,
    }
}

/// Writes a character between quotes so that it cannot act on a terminal.
fn quoted(character: char) -> String {
    match character {
        '\'' | '"' => format!("'{character}'"),
        _ => format!("'{}'", character.escape_debug()),
    }
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Entry>,
    /// The container that is being read; its entry's `parent` is the way back, so no other stack is kept.
    open: u32,
    in_object: bool,
    /// Children of `open` so far.
    count: u32,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let nodes = Vec::with_capacity(text.len() / 16 + 1);
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            nodes,
            open: Entry::NONE,
            in_object: false,
            count: 0,
        }
    }

    fn document(&mut self) -> Result<(), SyntaxError> {
        let mut key = Entry::NO_KEY;
        loop {
            self.skip_whitespace();
            let start = self.at;
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    self.leaf(start, key, false);
                }
                Some(b'{') => {
                    self.open(key, true);
                    if self.peek() != Some(b'}') {
                        key = self.key(Expected::KeyOrBrace)?;
                        continue;
                    }
                    self.close();
                }
                Some(b'[') => {
                    self.open(key, false);
                    if self.peek() != Some(b']') {
                        key = Entry::NO_KEY;
                        continue;
                    }
                    self.close();
                }
                Some(b'-' | b'0'..=b'9') => {
                    let float = self.number()?;
                    self.leaf(start, key, float);
                }
                _ => {
                    let float = self.word()?;
                    self.leaf(start, key, float);
                }
            }
            match self.after_value()? {
                Some(next) => key = next,
                None => return Ok(()),
            }
        }
    }

    /// Reads on to the next value: through closing brackets and a comma, and the key that follows in an object.
    /// `None` is the end of the document.
    fn after_value(&mut self) -> Result<Option<u32>, SyntaxError> {
        loop {
            self.skip_whitespace();
            let next = self.peek();
            if self.open == Entry::NONE {
                return if next.is_none() {
                    Ok(None)
                } else {
                    Err(self.fail(Expected::End))
                };
            }
            match (next, self.in_object) {
                (Some(b','), true) => {
                    self.at += 1;
                    self.skip_whitespace();
                    return self.key(Expected::Key).map(Some);
                }
                (Some(b','), false) => {
                    self.at += 1;
                    return Ok(Some(Entry::NO_KEY));
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (_, true) => return Err(self.fail(Expected::CommaOrBrace)),
                (_, false) => return Err(self.fail(Expected::CommaOrBracket)),
            }
        }
    }

    /// Reads a key and its colon, and gives the offset of the key's opening quote.
    #[inline]
    fn key(&mut self, expected: Expected) -> Result<u32, SyntaxError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.fail(expected));
        }
        self.string()?;
        self.skip_whitespace();
        if self.peek() != Some(b':') {
            return Err(self.fail(Expected::Colon));
        }
        self.at += 1;
        Ok(narrow(start))
    }

    fn open(&mut self, key: u32, object: bool) {
        let id = narrow(self.nodes.len());
        self.nodes.push(Entry {
            key,
            parent: self.open,
            ..Entry::at(narrow(self.at))
        });
        if let Some(parent) = self.nodes.get_mut(self.open as usize) {
            parent.len = self.count + 1;
        }
        (self.open, self.in_object, self.count) = (id, object, 0);
        self.at += 1;
        self.skip_whitespace();
    }

    fn close(&mut self) {
        self.at += 1;
        let next = narrow(self.nodes.len());
        let Some(entry) = self.nodes.get_mut(self.open as usize) else {
            return;
        };
        (entry.end, entry.next, entry.len) = (narrow(self.at), next, self.count);
        self.open = entry.parent;
        if let Some(parent) = self.nodes.get(self.open as usize) {
            self.count = parent.len;
            self.in_object = self.bytes.get(parent.start as usize) == Some(&b'{');
        }
    }

    #[inline]
    fn leaf(&mut self, start: usize, key: u32, float: bool) {
        self.count += 1;
        let next = narrow(self.nodes.len() + 1);
        let (start, end) = (narrow(start), narrow(self.at));
        self.nodes.push(Entry {
            start,
            end,
            key,
            parent: self.open,
            next,
            len: u32::from(float),
        });
    }

    #[inline]
    fn string(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        loop {
            self.at = self.next_special(self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.fail(Expected::NoControl)),
                None => return Err(self.fail(Expected::Quote)),
            }
        }
    }

    /// Finds the next quote, backslash or control character, eight bytes at a time.
    #[inline]
    fn next_special(&self, mut at: usize) -> usize {
        while let Some(eight) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let marks = special_bytes(u64::from_le_bytes(*eight));
            if marks != 0 {
                return at + (marks.trailing_zeros() / 8) as usize;
            }
            at += 8;
        }
        let tail = self.bytes.get(at..).unwrap_or_default();
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
        at + tail.iter().position(special).unwrap_or(tail.len())
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.fail(Expected::HexDigit));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.fail(Expected::Escape)),
        }
        Ok(())
    }

    /// Reads a number, or `-Infinity`, and says whether Python makes a float of it.
    fn number(&mut self) -> Result<bool, SyntaxError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
            if self.rest().starts_with(b"Infinity") {
                self.at += "Infinity".len();
                return Ok(true);
            }
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
            float = true;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
            float = true;
        }
        Ok(float)
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.fail(Expected::Digit))
        } else {
            Ok(())
        }
    }

    /// Reads one of the words, and says whether Python makes a float of it.
    fn word(&mut self) -> Result<bool, SyntaxError> {
        let words: [(&[u8], bool); 5] = [
            (b"null", false),
            (b"true", false),
            (b"false", false),
            (b"NaN", true),
            (b"Infinity", true),
        ];
        for (word, float) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(float);
            }
        }
        let first = self.count == 0 && self.open != Entry::NONE && !self.in_object;
        Err(self.fail(if first {
            Expected::ValueOrBracket
        } else {
            Expected::Value
        }))
    }

    #[inline]
    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn fail(&self, expected: Expected) -> SyntaxError {
        let character = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next());
        let found = character.map_or_else(|| "the end of the text".to_owned(), quoted);
        error_at(self.text, self.at, expected, found)
    }
}

/// Sets the high bit of bytes that are a quote, a backslash or below 0x20. The lowest bit set is exact; a borrow can
/// only mark bytes above it.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below_space = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let is_quote = quote.wrapping_sub(ONES) & !quote;
    let is_backslash = backslash.wrapping_sub(ONES) & !backslash;
    (below_space | is_quote | is_backslash) & HIGHS
}
