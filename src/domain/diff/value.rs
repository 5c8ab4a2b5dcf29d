//! When two values are the same, when they mean the same, and how far they are apart.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Distance;
use crate::domain::json::{Kind, Node, Text};
use crate::domain::moment::Instant;

/// Tells whether two values are the same: Python's `==` after `json.loads`, but 1, 1.0 and true are distinct, and NaN
/// equals NaN.
///
/// Strings are the same when they decode to the same characters, floats when they are read to the same double. Takes time
/// with the smaller of the two, at any depth.
pub fn same_value(left: Node<'_>, right: Node<'_>) -> bool {
    if left.raw() == right.raw() {
        return true;
    }
    let mut pending = vec![(left, right)];
    while let Some((left, right)) = pending.pop() {
        let same = match (left.kind(), right.kind()) {
            (Kind::Object, Kind::Object) => same_members(left, right, &mut pending),
            (Kind::Array, Kind::Array) => {
                left.len() == right.len()
                    && (left.children().zip(right.children()))
                        .all(|(left, right)| same_so_far(left, right, &mut pending))
            }
            _ => same_scalar(left, right),
        };
        if !same {
            return false;
        }
    }
    true
}

fn same_members<'l, 'r>(
    left: Node<'l>,
    right: Node<'r>,
    pending: &mut Vec<(Node<'l>, Node<'r>)>,
) -> bool {
    let mut lefts = left.effective_members();
    let mut rights = right.effective_members();
    loop {
        let (left, right) = match (lefts.next(), rights.next()) {
            (Some(left), Some(right)) => (left, right),
            (None, None) => return true,
            _ => return false,
        };
        if left.key() == right.key() {
            if !same_so_far(left, right, pending) {
                return false;
            }
            continue;
        }
        let rest: HashMap<Option<Text<'_>>, Node<'_>> = std::iter::once(right)
            .chain(rights)
            .map(|member| (member.key(), member))
            .collect();
        let mut count = 0;
        return std::iter::once(left).chain(lefts).all(|left| {
            count += 1;
            rest.get(&left.key())
                .is_some_and(|right| same_so_far(left, *right, pending))
        }) && count == rest.len();
    }
}

/// Compares scalars at once and puts containers off.
fn same_so_far<'l, 'r>(
    left: Node<'l>,
    right: Node<'r>,
    pending: &mut Vec<(Node<'l>, Node<'r>)>,
) -> bool {
    if left.is_container() && left.kind() == right.kind() {
        pending.push((left, right));
        return true;
    }
    same_scalar(left, right)
}

/// Compares two values of which at least one is neither array nor object.
pub(super) fn same_scalar(left: Node<'_>, right: Node<'_>) -> bool {
    let (kind, other) = (left.kind(), right.kind());
    if kind != other {
        return false;
    }
    match kind {
        Kind::Integer => integer(left) == integer(right),
        Kind::Float => left.as_f64().map(float_bits) == right.as_f64().map(float_bits),
        Kind::String => left.as_str() == right.as_str(),
        _ => left.raw() == right.raw(),
    }
}

/// Gives the digits of an integer, of which each has but one spelling: there is no negative zero.
pub(super) fn integer(node: Node<'_>) -> &str {
    match node.raw() {
        "-0" => "0",
        digits => digits,
    }
}

/// Gives the bits of a double, the same for what counts as the same: both zeros, and every NaN.
pub(super) fn float_bits(value: f64) -> u64 {
    if value.is_nan() {
        return f64::NAN.to_bits();
    }
    (value + 0.0).to_bits()
}

/// Tells whether two values that are not the same are spellings of one instant or one number.
///
/// A time without an offset is taken as UTC, a date as its midnight. An integer and a float are one number when Python says
/// `==`: exactly, the float being the double that its text is read to.
pub(super) fn same_meaning(left: Node<'_>, right: Node<'_>) -> bool {
    match (left.kind(), right.kind()) {
        (Kind::Integer, Kind::Float) => same_number(left, right),
        (Kind::Float, Kind::Integer) => same_number(right, left),
        (Kind::String, Kind::String) => {
            instants(left, right).is_some_and(|(left, right)| left.at == right.at)
        }
        _ => false,
    }
}

/// A double has no more digits than this before its point, and a sign.
const LONGEST_DOUBLE: usize = 310;

fn same_number(whole: Node<'_>, float: Node<'_>) -> bool {
    let digits = integer(whole);
    float.as_f64().is_some_and(|float| {
        digits.len() <= LONGEST_DOUBLE
            && float.is_finite()
            && float.fract() == 0.0
            && format!("{:.0}", float + 0.0) == digits
    })
}

fn instants(left: Node<'_>, right: Node<'_>) -> Option<(Instant, Instant)> {
    let instant = |node: Node<'_>| Instant::parse(&node.as_str()?.decoded());
    Some((instant(left)?, instant(right)?))
}

/// Says how far it is from one value to another: between two instants, or two integers.
pub(super) fn distance(before: Node<'_>, after: Node<'_>) -> Option<Distance> {
    match (before.kind(), after.kind()) {
        (Kind::String, Kind::String) => {
            let (before, after) = instants(before, after)?;
            Some(Distance::Time(after.since(&before)))
        }
        (Kind::Integer, Kind::Integer) => {
            let short = (after.as_i128())
                .zip(before.as_i128())
                .and_then(|(after, before)| after.checked_sub(before));
            Some(Distance::Integer(match short {
                Some(distance) => distance.to_string(),
                None => subtract(after.raw(), before.raw()),
            }))
        }
        _ => None,
    }
}

/// Subtracts integers of any length, in decimal digits.
fn subtract(from: &str, what: &str) -> String {
    let (from_negative, from) = sign(from);
    let (what_negative, what) = sign(what);
    let (negative, digits) = if from_negative == what_negative {
        match from.len().cmp(&what.len()).then_with(|| from.cmp(what)) {
            Ordering::Equal => return "0".to_owned(),
            Ordering::Greater => (from_negative, subtract_digits(from, what)),
            Ordering::Less => (!from_negative, subtract_digits(what, from)),
        }
    } else {
        (from_negative, add_digits(from, what))
    };
    let sign = if negative { "-" } else { "" };
    format!("{sign}{digits}")
}

fn sign(digits: &str) -> (bool, &str) {
    match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    }
}

fn add_digits(one: &str, other: &str) -> String {
    column_by_column(one, other, |one, other, carry| {
        let sum = one + other + carry;
        (sum % 10, sum / 10)
    })
}

/// Subtracts the smaller from the larger.
fn subtract_digits(larger: &str, smaller: &str) -> String {
    column_by_column(larger, smaller, |larger, smaller, borrow| {
        let left = larger + 10 - smaller - borrow;
        (left % 10, u8::from(left < 10))
    })
}

/// Goes over the digits of both from the last to the first; `column` gives a digit and what is carried on.
fn column_by_column(one: &str, other: &str, column: impl Fn(u8, u8, u8) -> (u8, u8)) -> String {
    let backward = |digits: &str| {
        let values = digits.bytes().rev().map(|digit| digit - b'0');
        values.collect::<Vec<_>>()
    };
    let (one, other) = (backward(one), backward(other));
    let mut carry = 0;
    let mut digits: Vec<char> = (0..one.len().max(other.len()))
        .map(|at| {
            let value = |digits: &[u8]| digits.get(at).copied().unwrap_or(0);
            let (digit, next) = column(value(&one), value(&other), carry);
            carry = next;
            char::from(b'0' + digit)
        })
        .collect();
    digits.extend((carry > 0).then_some('1'));
    while digits.len() > 1 && digits.last() == Some(&'0') {
        digits.pop();
    }
    digits.iter().rev().collect()
}
