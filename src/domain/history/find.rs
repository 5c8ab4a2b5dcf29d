//! Finding a snapshot by what a person, or a script, wrote.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{Snapshot, Timeline};
use crate::domain::moment::Instant;
use crate::report::{Fault, Report};

/// Tells what time it is, and where; rules of `domain` take it as a value.
#[derive(Debug, Clone)]
pub struct Clock {
    /// Now.
    pub now: Timestamp,
    /// The zone in which times without an offset are meant.
    pub zone: TimeZone,
}

impl Clock {
    /// Reads a time: RFC 3339, the same without an offset (local), a date, `yesterday 03:00`, `today`, or an age such as `2h`.
    pub fn parse(&self, text: &str) -> Option<Timestamp> {
        let text = text.trim();
        if let Some(length) = length(text) {
            return self.now.checked_sub(length).ok();
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let days = match word {
            "today" => Some(0),
            "yesterday" => Some(1),
            _ => None,
        };
        if let Some(days) = days {
            let today = self.zone.to_datetime(self.now).date();
            let date = today.checked_sub(jiff::Span::new().days(days)).ok()?;
            let time = if rest.is_empty() {
                Time::midnight()
            } else {
                clock_time(rest)?
            };
            return self.local(date.to_datetime(time));
        }
        let found = Instant::parse(text)?;
        if found.has_offset {
            return Some(found.at);
        }
        self.local(TimeZone::UTC.to_datetime(found.at))
    }

    fn local(&self, civil: jiff::civil::DateTime) -> Option<Timestamp> {
        self.zone.to_ambiguous_timestamp(civil).compatible().ok()
    }
}

fn clock_time(text: &str) -> Option<Time> {
    let padded = if text.len() == 4 {
        format!("0{text}")
    } else {
        text.to_owned()
    };
    padded.parse().ok()
}

/// Reads a length of time in one unit: `90s`, `15m`, `2h`, `3d`, `1w`; `None` for everything else.
pub fn length(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().next_back()?;
    let count: i64 = text
        .strip_suffix(unit)?
        .parse()
        .ok()
        .filter(|count| *count >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    Some(SignedDuration::from_secs(count.checked_mul(seconds)?))
}

impl Timeline {
    /// Finds the snapshot that a text means.
    ///
    /// A text is `now`, an ID (`run:…`) or its unique beginning, the number that `log` shows, `-1` for the newest, `-2` for the
    /// one before it, or a time: then the newest snapshot that was there at that time.
    pub fn find(&self, text: &str, clock: &Clock) -> Result<&Snapshot, Report> {
        if let Ok(number) = text.parse::<i64>() {
            return self.by_number(number, text);
        }
        let by_id = self.by_id(text)?;
        if let Some(snapshot) = by_id {
            return Ok(snapshot);
        }
        match clock.parse(text) {
            Some(at) => self.by_time(at, text),
            None => Err(self.missing(
                text,
                "it is no snapshot ID, number or time of this timeline",
            )),
        }
    }

    fn by_number(&self, number: i64, text: &str) -> Result<&Snapshot, Report> {
        let count = i64::try_from(self.snapshots.len()).unwrap_or(i64::MAX);
        let place = if number < 0 {
            count + number
        } else {
            number - 1
        };
        usize::try_from(place)
            .ok()
            .and_then(|place| self.snapshots.get(place))
            .ok_or_else(|| self.missing(text, &format!("the timeline has numbers 1 to {count}")))
    }

    fn by_id(&self, text: &str) -> Result<Option<&Snapshot>, Report> {
        let exact = |snapshot: &&Snapshot| snapshot.id.as_str() == text;
        if let Some(found) = self.snapshots.iter().rev().find(exact) {
            return Ok(Some(found));
        }
        if !text.starts_with("run:") || text == "run:" {
            return Ok(None);
        }
        let mut found = self
            .snapshots
            .iter()
            .filter(|snapshot| snapshot.id.as_str().starts_with(text));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(Some(one)),
            (Some(one), Some(other)) => Err(Report::new(
                Fault::Usage,
                format!("'{text}' begins several snapshots of {}", self.state_id),
            )
            .because(format!("{} and {} are two of them", one.id, other.id))
            .hint("write more of the ID")),
            (None, _) => Err(self.missing(text, "no run of this job has an ID that begins so")),
        }
    }

    fn by_time(&self, at: Timestamp, text: &str) -> Result<&Snapshot, Report> {
        let there = |snapshot: &&Snapshot| {
            let instant = snapshot.at.as_ref().and_then(|stamp| stamp.instant);
            !snapshot.is_now() && instant.is_some_and(|instant| instant <= at)
        };
        let newest = self.snapshots.iter().rev().find(there);
        newest.ok_or_else(|| {
            self.missing(
                text,
                &format!("the timeline has no snapshot as old as {at}"),
            )
        })
    }

    fn missing(&self, text: &str, why: &str) -> Report {
        Report::new(
            Fault::NotFound,
            format!("{} has no snapshot '{text}'", self.state_id),
        )
        .because(why)
        .hint(format!(
            "`statescope log {}` lists its snapshots",
            self.state_id
        ))
        .on_state(self.state_id.as_str())
    }
}
