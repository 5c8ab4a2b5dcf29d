//! The content of strings and keys.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

/// Holds what a document has between the quotes of a string or key.
///
/// Two are equal when they decode to the same characters, however they are spelled. They are ordered by code points,
/// as Python orders `str`.
#[derive(Clone, Copy)]
pub struct Text<'d>(&'d str);

impl<'d> Text<'d> {
    pub(super) const fn new(raw: &'d str) -> Self {
        Self(raw)
    }

    /// Gives the text as it is spelled, escapes and all.
    pub const fn raw(&self) -> &'d str {
        self.0
    }

    /// Gives the characters, for people: a lone surrogate, which UTF-8 cannot hold, is written as its escape `\ud800`.
    pub fn decoded(&self) -> Cow<'d, str> {
        if !self.has_escapes() {
            return Cow::Borrowed(self.0);
        }
        let mut decoded = String::with_capacity(self.0.len());
        for unit in self.units() {
            match unit {
                Unit::Plain(text) => decoded.push_str(text),
                Unit::Char(character) => decoded.push(character),
                Unit::Surrogate(code) => {
                    // Writing to a `String` cannot fail.
                    let _ = write!(decoded, "\\u{code:04x}");
                }
            }
        }
        Cow::Owned(decoded)
    }

    /// Gives the characters exactly, as UTF-8 in which a lone surrogate is encoded like any other code point (WTF-8).
    pub fn wtf8(&self) -> Cow<'d, [u8]> {
        if !self.has_escapes() {
            return Cow::Borrowed(self.0.as_bytes());
        }
        let mut bytes = Vec::with_capacity(self.0.len());
        for unit in self.units() {
            match unit {
                Unit::Plain(text) => bytes.extend_from_slice(text.as_bytes()),
                Unit::Char(character) => {
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Unit::Surrogate(code) => {
                    let [high, low] = code.to_be_bytes();
                    bytes.extend_from_slice(&[
                        0xed,
                        0x80 | (high & 0x0f) << 2 | low >> 6,
                        0x80 | (low & 0x3f),
                    ]);
                }
            }
        }
        Cow::Owned(bytes)
    }

    /// Says whether a surrogate stands without its partner, so that no text can name it.
    pub fn has_lone_surrogate(&self) -> bool {
        self.has_escapes() && self.units().any(|unit| matches!(unit, Unit::Surrogate(_)))
    }

    pub(super) fn has_escapes(&self) -> bool {
        memchr::memchr(b'\\', self.0.as_bytes()).is_some()
    }

    /// Walks the text in runs without escapes and single escaped characters.
    pub(super) const fn units(&self) -> Units<'d> {
        Units(self.0)
    }
}

/// Is a piece of a string: a run as it stands, or what one escape, or a pair of them, means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit<'d> {
    Plain(&'d str),
    Char(char),
    Surrogate(u16),
}

#[derive(Clone)]
pub(super) struct Units<'d>(&'d str);

impl<'d> Iterator for Units<'d> {
    type Item = Unit<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let plain = memchr::memchr(b'\\', self.0.as_bytes()).unwrap_or(self.0.len());
        if plain > 0 {
            let (run, rest) = self.0.split_at_checked(plain)?;
            self.0 = rest;
            return Some(Unit::Plain(run));
        }
        if let Some(code) = self.take_unicode() {
            return Some(self.unicode(code));
        }
        let character = match self.0.as_bytes().get(1)? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            &other => char::from(other),
        };
        self.0 = self.0.get(2..)?;
        Some(Unit::Char(character))
    }
}

impl<'d> Units<'d> {
    /// Takes `\uXXXX` off the front.
    fn take_unicode(&mut self) -> Option<u16> {
        let digits = self.0.strip_prefix("\\u")?.get(..4)?;
        let code = u16::from_str_radix(digits, 16).ok()?;
        self.0 = self.0.get(6..)?;
        Some(code)
    }

    /// Makes a character of a code unit, with the one that follows where the two are a pair.
    fn unicode(&mut self, code: u16) -> Unit<'d> {
        if let Some(character) = char::from_u32(u32::from(code)) {
            return Unit::Char(character);
        }
        let mut ahead = self.clone();
        if let Some(low) = ahead.take_unicode()
            && let Some(Ok(character)) = char::decode_utf16([code, low]).next()
        {
            *self = ahead;
            return Unit::Char(character);
        }
        Unit::Surrogate(code)
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || ((self.has_escapes() || other.has_escapes()) && self.wtf8() == other.wtf8())
    }
}

impl Eq for Text<'_> {}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        match self.0.len().cmp(&other.len()) {
            Ordering::Less => false,
            Ordering::Equal => self.0 == other && !self.has_escapes(),
            Ordering::Greater => self.has_escapes() && *self.wtf8() == *other.as_bytes(),
        }
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.wtf8().cmp(&other.wtf8())
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.wtf8().hash(state);
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({:?})", self.0)
    }
}
