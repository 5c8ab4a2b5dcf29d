//! The sample project behind `statescope demo`: a throw-away copy whose story ends now.

use std::fs;
use std::path::Path;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::backend;
use crate::domain::location::Location;
use crate::project::{DecidedBy, Site, Source};
use crate::report::{Fault, Report};

const PROJECT: &str = include_str!("../../assets/demo/meltano.yml");
const DATABASE: &str = include_str!("../../assets/demo/meltano.sql");

/// The moment at which the sample was written down; its first line says so too.
const ANCHOR: &str = "2026-11-30T04:30:00Z";

/// Holds the copy; dropping it removes the folder.
#[derive(Debug)]
pub struct Demo {
    /// The project in the copy.
    pub site: Site,
    /// Kept for its drop.
    _folder: TempDir,
}

/// Makes a copy of the sample in a private temporary folder, every time in it moved so that the story ends at `now`.
pub fn create(now: Timestamp) -> Result<Demo, Report> {
    let failed = |error: &dyn std::fmt::Display| {
        Report::new(Fault::Unreachable, "cannot make the sample project")
            .because(error)
            .hint("set TMPDIR to a folder with a megabyte to spare")
    };
    let folder = TempDir::with_prefix("statescope-demo-").map_err(|error| failed(&error))?;
    let system = folder.path().join(".meltano");
    fs::create_dir(&system).map_err(|error| failed(&error))?;
    fs::write(folder.path().join("meltano.yml"), PROJECT).map_err(|error| failed(&error))?;
    let file = system.join("meltano.db");
    fill(&file, now).map_err(|error| failed(&error))?;
    let source = Source {
        location: Location::Sqlite(file),
        decided_by: DecidedBy::Default,
    };
    let site = Site {
        system: Some(system),
        ..Site::of_one("demo", source)
    };
    Ok(Demo {
        site,
        _folder: folder,
    })
}

fn fill(file: &Path, now: Timestamp) -> Result<(), String> {
    let anchor: Timestamp = ANCHOR
        .parse()
        .map_err(|error: jiff::Error| error.to_string())?;
    let minutes = now.duration_since(anchor).as_mins();
    let sql = moved(DATABASE, SignedDuration::from_mins(minutes));
    backend::sqlite::create(file, &sql).map_err(|error| error.to_string())
}

/// Moves every time in a text by a length: `YYYY-MM-DD`, alone or with `HH:MM:SS` behind a space or a `T`. A date alone moves by
/// whole days.
fn moved(text: &str, by: SignedDuration) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found, after)) = next_time(rest) {
        out.push_str(before);
        out.push_str(&move_one(found, by).unwrap_or_else(|| found.to_owned()));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn move_one(found: &str, by: SignedDuration) -> Option<String> {
    if found.len() == 10 {
        let date: Date = found.parse().ok()?;
        let days = by.as_hours().div_euclid(24);
        return Some(
            date.checked_add(SignedDuration::from_hours(days * 24))
                .ok()?
                .to_string(),
        );
    }
    let separator = found.get(10..11)?;
    let time: DateTime = found.parse().ok()?;
    let time = time.checked_add(by).ok()?;
    Some(
        time.strftime(&format!("%Y-%m-%d{separator}%H:%M:%S"))
            .to_string(),
    )
}

/// Splits a text around its first date or time.
fn next_time(text: &str) -> Option<(&str, &str, &str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len()).find(|at| {
        shaped(bytes.get(*at..), "dddd-dd-dd")
            && !at
                .checked_sub(1)
                .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
    })?;
    let here = bytes.get(at..);
    let long = ["dddd-dd-dd dd:dd:dd", "dddd-dd-ddTdd:dd:dd"];
    let length = if long.iter().any(|shape| shaped(here, shape)) {
        19
    } else {
        10
    };
    Some((
        text.get(..at)?,
        text.get(at..at + length)?,
        text.get(at + length..)?,
    ))
}

/// Tells whether bytes begin with a shape, in which `d` stands for a digit.
fn shaped(bytes: Option<&[u8]>, shape: &str) -> bool {
    bytes.is_some_and(|bytes| {
        bytes.len() >= shape.len()
            && shape.bytes().zip(bytes).all(|(want, byte)| match want {
                b'd' => byte.is_ascii_digit(),
                want => want == *byte,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_move_and_everything_else_stays() {
        let text = "'2026-11-30 04:00:01.123456' {\"a\": \"2026-11-30T23:30:00Z\", \"b\": \"2026-11-12\"} x2026-11-12 12026-11-12 ü";
        let want = "'2026-12-01 05:00:01.123456' {\"a\": \"2026-12-02T00:30:00Z\", \"b\": \"2026-11-13\"} x2026-11-12 12026-11-12 ü";
        assert_eq!(moved(text, SignedDuration::from_hours(25)), want);
        assert_eq!(
            moved(want, SignedDuration::from_hours(-25)),
            text.replace("2026-11-12\"", "2026-11-11\"")
        );
    }

    #[test]
    fn the_sample_says_when_it_was_written_down() {
        assert_eq!(
            DATABASE.lines().next(),
            Some("-- anchor: 2026-11-30T04:30:00Z")
        );
    }
}
