//! Reading a 20 MB state against `serde_json`, in turns in one run.
//!
//! `cargo bench --bench json` prints medians and their ratio. Both readers get borrowed bytes, so the copy that
//! `Document` makes of them is counted; dropping the result is not.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use statescope::domain::json::python::{Style, dumps};
use statescope::domain::json::{Document, Pointer};

const SIZE: usize = 20_000_000;
const ROUNDS: usize = 15;

fn main() {
    let text = state(SIZE);
    println!(
        "a state of {:.1} MB, median of {ROUNDS} rounds",
        mega(text.len())
    );
    let mut ours = vec![];
    let mut theirs = vec![];
    let mut extra = vec![];
    for _ in 0..ROUNDS {
        ours.push(time(|| Document::parse(text.as_bytes())));
        theirs.push(time(|| {
            serde_json::from_slice::<serde_json::Value>(text.as_bytes())
        }));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    report("Document::parse", ours, text.len());
    report("serde_json::from_slice::<Value>", theirs, text.len());
    println!(
        "{:<34} {:>9.2}",
        "ratio",
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
    let Ok(document) = Document::parse(text.as_bytes()) else {
        return;
    };
    println!("{:<34} {:>9}", "values", document.node_count());
    for _ in 0..ROUNDS {
        extra.push(time(|| dumps(document.root(), Style::Default)));
    }
    report("python::dumps", median(extra), text.len());
    let unread = (0..ROUNDS).filter_map(|_| Document::parse(text.as_bytes()).ok());
    report(
        "duplicate_keys, first call",
        median(
            unread
                .map(|fresh| time(|| fresh.duplicate_keys()))
                .collect(),
        ),
        text.len(),
    );
    let pointer = Pointer::from(
        ["singer_state", "bookmarks", "stream_199"]
            .map(str::to_owned)
            .to_vec(),
    );
    let found = (0..ROUNDS).map(|_| time(|| document.at(&pointer).is_some()));
    let micros = median(found.collect()).as_secs_f64() * 1e6;
    println!("{:<34} {micros:>9.3} µs", "at, the last stream");
}

/// Makes a state of many partitions, in the form that Meltano stores.
fn state(size: usize) -> String {
    let mut text = String::with_capacity(size + 100_000);
    text.push_str(r#"{"singer_state": {"bookmarks": {"#);
    let mut row = 0_usize;
    for stream in 0..200 {
        text.push_str(if stream == 0 { "" } else { ", " });
        let _ = write!(text, r#""stream_{stream}": {{"partitions": ["#);
        let first = row;
        while text.len() < size / 200 * (stream + 1) {
            text.push_str(if row == first { "" } else { ", " });
            let _ = write!(
                text,
                r#"{{"context": {{"org": "organisation-{}", "repo": "repository_{row}", "id": {}}}, "replication_key": "updated_at", "replication_key_value": "2026-{:02}-{:02}T{:02}:{:02}:00+00:00"}}"#,
                row % 97,
                row * 7919,
                row % 12 + 1,
                row % 28 + 1,
                row % 24,
                row % 60,
            );
            row += 1;
        }
        text.push_str("]}");
    }
    text.push_str("}}}");
    text
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let taken = start.elapsed();
    drop(result);
    taken
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn report(name: &str, taken: Duration, bytes: usize) {
    let seconds = taken.as_secs_f64();
    println!(
        "{name:<34} {:>9.3} ms {:>9.0} MB/s",
        seconds * 1e3,
        mega(bytes) / seconds
    );
}
