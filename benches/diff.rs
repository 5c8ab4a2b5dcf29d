//! The diff of two 20 MB states of which 1 % changed, against `serde_json` reading the two, in turns in one run.
//!
//! `cargo bench --bench diff` prints medians and ratios. Each round compares documents that were read afresh, since a
//! document remembers what a comparison had to find out. Dropping results is not counted.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use statescope::domain::diff::{diff, same_value};
use statescope::domain::json::Document;

const ROUNDS: usize = 11;

fn main() {
    compare("150 000 partitions", |changed| partitions(150_000, changed));
    compare("nested bookmarks", |changed| nested(1_000, 160, changed));
    compare("a list of objects without contexts", |changed| {
        list(170_000, changed)
    });
}

fn compare(name: &str, make: impl Fn(bool) -> String) {
    let (left, right) = (make(false), make(true));
    let mut theirs = vec![];
    let mut reading = vec![];
    let mut ours = vec![];
    let mut values = vec![];
    for _ in 0..ROUNDS {
        theirs.push(time(|| [&left, &right].map(|text| value(text))));
        reading.push(time(|| [&left, &right].map(|text| document(text))));
        let (left, right) = (document(&left), document(&right));
        ours.push(time(|| diff(&left, &right)));
        values.push(time(|| same_value(left.root(), right.root())));
    }
    let found = diff(&document(&left), &document(&right));
    println!(
        "{name}: {:.1} MB and {:.1} MB, median of {ROUNDS} rounds\n  {:?}, {} leaves the same",
        mega(&left),
        mega(&right),
        found.counts(),
        found.same
    );
    let theirs = median(theirs);
    let (reading, ours) = (median(reading), median(ours));
    for (what, took) in [
        ("serde_json reads the two", theirs),
        ("diff", ours),
        ("Document::parse of the two, and diff", reading + ours),
        ("same_value", median(values)),
    ] {
        println!(
            "  {what:<38} {:>7.1} ms  x {:.2}",
            took.as_secs_f64() * 1e3,
            took.as_secs_f64() / theirs.as_secs_f64()
        );
    }
}

/// One stream; one partition in a hundred has another bookmark, a few are gone, new or have another place.
fn partitions(count: usize, changed: bool) -> String {
    let mut text = r#"{"singer_state": {"bookmarks": {"commits": {"partitions": ["#.to_owned();
    let mut comma = "";
    for id in 0..count {
        let id = if changed && id % 50_000 == 77 {
            id + count
        } else {
            id
        };
        if changed && id % 40_000 == 5 {
            continue;
        }
        let day = if changed && id % 100 == 7 { 30 } else { 29 };
        let _ = write!(
            text,
            r#"{comma}{{"context": {{"org": "acme", "repo": "repository-{id}"}}, "replication_key": "updated_at", "replication_key_value": "2026-11-{day}T04:00:{:02}Z"}}"#,
            id % 60
        );
        comma = ", ";
    }
    text + "]}}}}"
}

/// Streams of objects of bookmarks; one bookmark in a hundred has another value.
fn nested(streams: usize, objects: usize, changed: bool) -> String {
    let mut text = r#"{"singer_state": {"bookmarks": {"#.to_owned();
    for stream in 0..streams {
        let comma = if stream > 0 { ", " } else { "" };
        let _ = write!(text, r#"{comma}"stream_{stream}": {{"#);
        for object in 0..objects {
            let comma = if object > 0 { ", " } else { "" };
            let row = stream * objects + object;
            let version = if changed && row % 100 == 7 { 2 } else { 1 };
            let _ = write!(
                text,
                r#"{comma}"shard_{row:06}": {{"since": "2026-11-29T04:00:{:02}Z", "offset": {}, "version": {version}, "cursor": "c-{row:010}", "done": true}}"#,
                row % 60,
                row * 7919
            );
        }
        text.push('}');
    }
    text + "}}}"
}

/// An array that is compared by its order; one element in a hundred is another, and one is new at the front.
fn list(count: usize, changed: bool) -> String {
    let mut text = r#"{"singer_state": {"seen": ["#.to_owned();
    if changed {
        text.push_str("0, ");
    }
    for id in 0..count {
        let comma = if id > 0 { ", " } else { "" };
        let hash = if changed && id % 100 == 7 { id + 1 } else { id } * 2_654_435_761;
        let _ = write!(
            text,
            r#"{comma}{{"id": {id}, "hash": "{hash:032x}", "at": "2026-11-29T04:00:{:02}Z", "size": {}.5}}"#,
            id % 60,
            id % 977
        );
    }
    text + "]}}"
}

fn document(text: &str) -> Document {
    Document::parse(text).unwrap_or_else(|_| Document::empty_object())
}

fn value(text: &str) -> serde_json::Value {
    serde_json::from_slice(text.as_bytes()).unwrap_or_default()
}

fn mega(text: &str) -> f64 {
    let bytes = u32::try_from(text.len()).unwrap_or(u32::MAX);
    f64::from(bytes) / 1e6
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let took = start.elapsed();
    drop(result);
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
