//! Times: as stores wrote them, and as instants.

use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Says which zone a stored time without an offset was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// Universal time, by the writer's rule (Meltano's `runs`).
    Utc,
    /// The local time of a host that the store does not name (Meltano's `state.updated_at`); taken as this machine's.
    Local,
    /// The text itself carried an offset.
    Explicit,
}

impl Zone {
    /// Gives the name that JSON output uses: `UTC`, `local` or `offset`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utc => "UTC",
            Self::Local => "local",
            Self::Explicit => "offset",
        }
    }
}

/// Holds a time as a store wrote it, and the instant that it was taken for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The text as stored.
    pub text: String,
    /// The zone that it was read in.
    pub zone: Zone,
    /// The instant; `None` when the text is no time.
    pub instant: Option<Timestamp>,
}

impl Stamp {
    /// Reads a time that a system database holds; `zone` is what a text without an offset means, `local` this machine's zone.
    pub fn read(text: impl Into<String>, zone: Zone, local: &TimeZone) -> Self {
        let text = text.into();
        let parsed = Instant::parse(&text);
        let (zone, instant) = match parsed {
            None => (zone, None),
            Some(found) if found.has_offset => (Zone::Explicit, Some(found.at)),
            Some(found) if zone == Zone::Local => (
                zone,
                found
                    .civil()
                    .and_then(|civil| local.to_ambiguous_timestamp(civil).compatible().ok()),
            ),
            Some(found) => (zone, Some(found.at)),
        };
        Self {
            text,
            zone,
            instant,
        }
    }

    /// Reads a time that is UTC by its writer's rule.
    pub fn utc(text: impl Into<String>) -> Self {
        Self::read(text, Zone::Utc, &TimeZone::UTC)
    }

    /// Gives the instant as RFC 3339 in UTC, `None` when the text is no time.
    pub fn rfc3339(&self) -> Option<String> {
        self.instant.map(|at| at.to_string())
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.instant {
            Some(at) => write!(f, "{at}"),
            None => f.write_str(&crate::report::printable(&self.text)),
        }
    }
}

/// Holds an instant that a text spells, and how it spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// The instant; a text without an offset is taken as UTC.
    pub at: Timestamp,
    /// Whether the text carried an offset or `Z`.
    pub has_offset: bool,
    /// Whether the text is a date alone.
    pub date_only: bool,
}

impl Instant {
    /// Reads the spellings that taps write: RFC 3339, the same with a space for the `T`, without an offset, without a
    /// fraction, and a date alone. Gives `None` for everything else, numbers too.
    pub fn parse(text: &str) -> Option<Self> {
        if !looks_like_a_date(text.as_bytes()) || text.contains('[') {
            return None;
        }
        if text.len() == 10 {
            let date: Date = text.parse().ok()?;
            return Some(Self {
                at: utc(date.to_datetime(jiff::civil::Time::midnight()))?,
                has_offset: false,
                date_only: true,
            });
        }
        if let Ok(at) = text.parse::<Timestamp>() {
            return Some(Self {
                at,
                has_offset: true,
                date_only: false,
            });
        }
        let civil: DateTime = text.parse().ok()?;
        Some(Self {
            at: utc(civil)?,
            has_offset: false,
            date_only: false,
        })
    }

    /// Gives the text's own calendar reading, when it carried no offset.
    fn civil(&self) -> Option<DateTime> {
        (!self.has_offset).then(|| TimeZone::UTC.to_datetime(self.at))
    }

    /// Gives how far `self` is after `earlier`; negative when it is before.
    pub fn since(&self, earlier: &Self) -> SignedDuration {
        self.at.duration_since(earlier.at)
    }
}

fn utc(civil: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(civil).ok()
}

/// Turns almost everything that is no time away before it is parsed: `dddd-dd-dd` at the front, a separator behind.
fn looks_like_a_date(text: &[u8]) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let is = |at: usize, wanted: &[u8]| text.get(at).is_some_and(|byte| wanted.contains(byte));
    (text.len() == 10 || is(10, b"Tt "))
        && text.len() <= 40
        && is(4, b"-")
        && is(7, b"-")
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
}

/// Writes a length of time as people say it, two units at most: `23 h 59 m`, `17 d 4 h`, `12 s`, `250 ms`. No sign.
pub fn duration(length: SignedDuration) -> String {
    let seconds = length.unsigned_abs().as_secs();
    let (days, hours, minutes, rest) = (
        seconds / 86_400,
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    );
    let two = |a: u64, a_unit: &str, b: u64, b_unit: &str| {
        if b == 0 {
            format!("{a} {a_unit}")
        } else {
            format!("{a} {a_unit} {b} {b_unit}")
        }
    };
    match (days, hours, minutes) {
        (0, 0, 0) if rest == 0 && !length.is_zero() => {
            let millis = length.unsigned_abs().subsec_millis();
            if millis == 0 {
                "< 1 ms".to_owned()
            } else {
                format!("{millis} ms")
            }
        }
        (0, 0, 0) => format!("{rest} s"),
        (0, 0, _) => two(minutes, "m", rest, "s"),
        (0, _, _) => two(hours, "h", minutes, "m"),
        _ => two(days, "d", hours, "h"),
    }
}

/// Writes an age in one unit, for narrow columns: `now` (under a minute), `12 m`, `5 h`, `17 d`, and from 1 000 days on `2 y`. A
/// time to come is `in 5 h`.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let length = now.duration_since(at);
    let seconds = length.unsigned_abs().as_secs();
    let text = match seconds {
        0..60 => return "now".to_owned(),
        60..3_600 => format!("{} m", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        172_800..86_400_000 => format!("{} d", seconds / 86_400),
        _ => format!("{} y", seconds / 86_400 / 365),
    };
    if length.is_negative() {
        format!("in {text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2026-11-30T03:58:10Z", Some(("2026-11-30T03:58:10Z", true)))]
    #[case("2026-11-30T03:58:10.5+02:00", Some(("2026-11-30T01:58:10.5Z", true)))]
    #[case("2026-11-30 03:58:10+00:00", Some(("2026-11-30T03:58:10Z", true)))]
    #[case("2026-11-30T03:58:10", Some(("2026-11-30T03:58:10Z", false)))]
    #[case("2026-11-30 03:58:10.123456", Some(("2026-11-30T03:58:10.123456Z", false)))]
    #[case("2026-11-30", Some(("2026-11-30T00:00:00Z", false)))]
    #[case("2026-13-30", None)]
    #[case("2026-02-30", None)]
    #[case("20261130", None)]
    #[case("2026-11-30T25:00:00", None)]
    #[case("2026-11-30T03:58:10Z[Europe/Berlin]", None)]
    #[case("12345", None)]
    #[case("2026-11-30x", None)]
    #[case("", None)]
    fn instants(#[case] text: &str, #[case] want: Option<(&str, bool)>) {
        let got = Instant::parse(text).map(|found| (found.at.to_string(), found.has_offset));
        assert_eq!(got, want.map(|(at, offset)| (at.to_owned(), offset)));
    }

    #[test]
    fn a_local_time_is_taken_in_the_zone_given() {
        let berlin = TimeZone::fixed(jiff::tz::offset(1));
        let stamp = Stamp::read("2026-11-30 03:58:10.000001", Zone::Local, &berlin);
        assert_eq!(stamp.rfc3339().unwrap(), "2026-11-30T02:58:10.000001Z");
        assert_eq!(stamp.zone, Zone::Local);
        let bad = Stamp::read("yesterday", Zone::Local, &berlin);
        assert_eq!(
            (bad.instant, bad.to_string()),
            (None, "yesterday".to_owned())
        );
    }

    #[rstest]
    #[case(0, "0 s")]
    #[case(59, "59 s")]
    #[case(-61, "1 m 1 s")]
    #[case(7200, "2 h")]
    #[case(86_399, "23 h 59 m")]
    #[case(17 * 86_400 + 4 * 3600 + 5, "17 d 4 h")]
    fn durations(#[case] seconds: i64, #[case] want: &str) {
        assert_eq!(duration(SignedDuration::from_secs(seconds)), want);
    }

    #[rstest]
    #[case(5, "now")]
    #[case(720, "12 m")]
    #[case(7200, "2 h")]
    #[case(47 * 3600, "47 h")]
    #[case(17 * 86_400, "17 d")]
    #[case(999 * 86_400, "999 d")]
    #[case(1_000 * 86_400, "2 y")]
    #[case(-7200, "in 2 h")]
    fn ages(#[case] seconds: i64, #[case] want: &str) {
        let now = Timestamp::from_second(1_000_000_000).unwrap();
        assert_eq!(age(now - SignedDuration::from_secs(seconds), now), want);
    }
}
