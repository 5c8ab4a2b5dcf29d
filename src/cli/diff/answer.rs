//! A diff in JSON.

use std::io::{self, Write};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::Side;
use crate::cli::json::{self, Text, Values};
use crate::domain::diff::{Change, Diff, Distance, Place};
use crate::domain::json::{Node, Pointer};

#[derive(Serialize)]
struct SideLine<'s> {
    source: Option<&'s str>,
    name: &'s str,
    snapshot: Option<&'s str>,
    at: Option<Text<Timestamp>>,
}

#[derive(Serialize)]
struct PlaceLine<'p> {
    stream: Option<&'p str>,
    context: Option<&'p [String]>,
    rest: &'p [String],
}

/// Writes the whole diff, change by change, however many there are.
pub(super) fn write(
    out: &mut impl Write,
    diff: &Diff,
    left: &Side,
    right: &Side,
) -> io::Result<()> {
    write!(
        out,
        r#"{{"equal":{},"identical":{},"left":"#,
        diff.is_equal(),
        diff.identical
    )?;
    json::write(out, &SideLine::of(left))?;
    out.write_all(br#","right":"#)?;
    json::write(out, &SideLine::of(right))?;
    out.write_all(br#","changes":"#)?;
    write_changes(out, diff)?;
    out.write_all(b"}\n")
}

/// Writes the changes as an array, one a line.
pub(super) fn write_changes(out: &mut impl Write, diff: &Diff) -> io::Result<()> {
    out.write_all(b"[")?;
    let values = (Values::of(&diff.left), Values::of(&diff.right));
    for (place, change) in diff.changes.iter().enumerate() {
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        write_change(out, diff, change, &values)?;
    }
    out.write_all(if diff.changes.is_empty() {
        b"]"
    } else {
        b"\n]"
    })
}

impl<'s> SideLine<'s> {
    fn of(side: &'s Side) -> Self {
        let taken = side.snapshot.as_ref();
        Self {
            source: side.source.as_deref(),
            name: &side.name,
            snapshot: taken.map(|taken| taken.id.as_str()),
            at: json::instant(taken.and_then(|taken| taken.at.as_ref())),
        }
    }
}

fn write_change(
    out: &mut impl Write,
    diff: &Diff,
    change: &Change,
    values: &(Values, Values),
) -> io::Result<()> {
    out.write_all(br#"{"path":"#)?;
    json::write(out, &Text::<&Pointer>(&change.path))?;
    write!(out, r#","kind":"{}","before":"#, change.kind.name())?;
    write_value(out, &values.0, diff.before(change))?;
    out.write_all(br#","after":"#)?;
    write_value(out, &values.1, diff.after(change))?;
    out.write_all(br#","place":"#)?;
    json::write(out, &PlaceLine::of(&change.place))?;
    out.write_all(br#","distance":"#)?;
    match &change.distance {
        None => out.write_all(b"null")?,
        Some(Distance::Time(length)) => write!(out, r#"{{"seconds":{}}}"#, seconds(*length))?,
        Some(Distance::Integer(digits)) => write!(out, r#"{{"integer":{digits}}}"#)?,
    }
    write!(out, r#","back":{}}}"#, change.back)
}

fn write_value(out: &mut impl Write, values: &Values, node: Option<Node<'_>>) -> io::Result<()> {
    match node {
        Some(node) => values.write(out, node),
        None => out.write_all(b"null"),
    }
}

/// Writes a length in seconds as a JSON number, to the nanosecond.
fn seconds(length: SignedDuration) -> String {
    let sign = if length.is_negative() { "-" } else { "" };
    let size = length.unsigned_abs();
    let fraction = format!("{:09}", size.subsec_nanos());
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", size.as_secs())
}

impl<'p> PlaceLine<'p> {
    fn of(place: &'p Place) -> Self {
        Self {
            stream: place.stream.as_deref(),
            context: place.context.as_deref(),
            rest: &place.rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_json_numbers() {
        assert_eq!(seconds(SignedDuration::from_millis(-1_500)), "-1.5");
        assert_eq!(seconds(SignedDuration::from_secs(86_386)), "86386");
        assert_eq!(seconds(SignedDuration::ZERO), "0");
        assert_eq!(seconds(SignedDuration::from_nanos(10)), "0.00000001");
    }
}
