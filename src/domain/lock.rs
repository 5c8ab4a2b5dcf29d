//! Meltano's locks of a state: who comes first writes, for as long as the lock is fresh.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// How long a lock holds where the project does not say: the default of Meltano 4.4.1's `lock_timeout_seconds`.
pub const LOCK_TIMEOUT: SignedDuration = SignedDuration::from_secs(10);

/// Holds a lock as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Since when it says that it is held.
    pub since: Since,
    /// How long it holds.
    timeout: SignedDuration,
}

/// Says since when a lock is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// Since then.
    At(Timestamp),
    /// It is empty: Meltano 4.4.1 cannot read it, and the next writer fails on it and removes it.
    Empty,
    /// What it holds is no time, with the same end; the text, ready to print.
    Unreadable(String),
    /// It cannot be read; says why.
    Closed(String),
}

/// Says how a lock stands at a given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockStanding {
    /// Its holder may be writing.
    Held,
    /// It is older than the time for which a lock holds; the next writer replaces it.
    Expired,
    /// It is of a time to come: every writer waits until that has passed.
    Future,
    /// It is empty.
    Empty,
    /// It cannot be read, or what it holds is no time.
    Unreadable,
}

impl Lock {
    /// Reads the body of a lock: seconds since 1970 in UTC, as Python's `float` takes them.
    pub fn read(body: &[u8], timeout: SignedDuration) -> Self {
        let since = match std::str::from_utf8(body).map(str::trim) {
            Ok("") => Since::Empty,
            Ok(text) => seconds(text).map_or_else(|| unreadable(body), Since::At),
            Err(_) => unreadable(body),
        };
        Self { since, timeout }
    }

    /// Makes one that cannot be read.
    pub fn closed(why: String, timeout: SignedDuration) -> Self {
        let since = Since::Closed(why);
        Self { since, timeout }
    }

    /// Gives the moment from which the lock holds no more; `None` when that cannot be told.
    pub fn expires(&self) -> Option<Timestamp> {
        match self.since {
            Since::At(at) => at.checked_add(self.timeout).ok(),
            _ => None,
        }
    }

    /// Gives the moment since which it is held; `None` when that cannot be told.
    pub fn held_since(&self) -> Option<Timestamp> {
        match self.since {
            Since::At(at) => Some(at),
            _ => None,
        }
    }

    /// Says how it stands, by the rule of Meltano 4.4.1: a lock that is as old as the time-out still holds.
    pub fn standing(&self, now: Timestamp) -> LockStanding {
        match &self.since {
            Since::Empty => LockStanding::Empty,
            Since::Unreadable(_) | Since::Closed(_) => LockStanding::Unreadable,
            Since::At(at) if *at > now => LockStanding::Future,
            Since::At(at) if now.duration_since(*at) > self.timeout => LockStanding::Expired,
            Since::At(_) => LockStanding::Held,
        }
    }
}

impl LockStanding {
    /// Gives the name that JSON output carries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Expired => "expired",
            Self::Future => "future",
            Self::Empty => "empty",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for LockStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "locked",
            Self::Expired => "lock expired",
            Self::Future => "locked from the future",
            Self::Empty => "empty lock",
            Self::Unreadable => "unreadable lock",
        })
    }
}

fn unreadable(body: &[u8]) -> Since {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(body);
    let shown: String = text.chars().take(SHOWN).collect();
    Since::Unreadable(crate::report::printable(&shown))
}

/// Reads seconds as Python's `float` and `datetime.fromtimestamp` do, to a microsecond.
fn seconds(text: &str) -> Option<Timestamp> {
    const MICROS: f64 = 1_000_000.0;
    let bytes = text.as_bytes();
    let between_digits = |(at, _): (usize, &u8)| {
        let digit = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_digit)
        };
        digit(at.checked_sub(1)) && digit(Some(at + 1))
    };
    let mut underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    if !underscores.all(between_digits) {
        return None;
    }
    let micros = text.replace('_', "").parse::<f64>().ok()? * MICROS;
    // Python has no years beyond 9999; all that it has fits.
    let limit = Timestamp::MAX.as_microsecond();
    #[allow(clippy::cast_precision_loss, reason = "a limit may be rounded")]
    let fits = micros.is_finite() && micros.abs() < limit as f64;
    #[allow(clippy::cast_possible_truncation, reason = "it was looked at above")]
    let micros = fits.then(|| micros.round() as i64)?;
    Timestamp::from_microsecond(micros).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("1796080707.566621", "2026-12-01T00:00:00Z", LockStanding::Held)]
    #[case("0", "1970-01-01T00:00:10Z", LockStanding::Held)]
    #[case("0", "1970-01-01T00:00:10.000001Z", LockStanding::Expired)]
    #[case(" 1_0.5e0\n", "1970-01-01T00:00:10.5Z", LockStanding::Held)]
    #[case("10.5", "1970-01-01T00:00:10.499999Z", LockStanding::Future)]
    #[case("4102444800.0", "2026-12-01T00:00:00Z", LockStanding::Future)]
    #[case("", "2026-12-01T00:00:00Z", LockStanding::Empty)]
    #[case(" \n", "2026-12-01T00:00:00Z", LockStanding::Empty)]
    #[case("locked!", "2026-12-01T00:00:00Z", LockStanding::Unreadable)]
    #[case("nan", "2026-12-01T00:00:00Z", LockStanding::Unreadable)]
    #[case("inf", "2026-12-01T00:00:00Z", LockStanding::Unreadable)]
    #[case("1e300", "2026-12-01T00:00:00Z", LockStanding::Unreadable)]
    #[case("_1", "2026-12-01T00:00:00Z", LockStanding::Unreadable)]
    fn a_lock_stands_as_meltano_takes_it(
        #[case] body: &str,
        #[case] now: &str,
        #[case] want: LockStanding,
    ) {
        let now = match body {
            "1796080707.566621" => Timestamp::from_microsecond(1_796_080_708_000_000).unwrap(),
            _ => now.parse().unwrap(),
        };
        let lock = Lock::read(body.as_bytes(), LOCK_TIMEOUT);
        assert_eq!(lock.standing(now), want);
    }

    #[test]
    fn a_lock_says_since_when_and_until_when() {
        let lock = Lock::read(b"1796080707.566621", SignedDuration::from_secs(20));
        let since = Timestamp::from_microsecond(1_796_080_707_566_621).unwrap();
        assert_eq!(lock.held_since(), Some(since));
        assert_eq!(lock.expires(), Some(since + SignedDuration::from_secs(20)));
        let bytes = Lock::read(b"\xff\x1b[2J", LOCK_TIMEOUT);
        assert_eq!((bytes.held_since(), bytes.expires()), (None, None));
        assert_eq!(
            bytes.since,
            Since::Unreadable("\u{fffd}\\x1b[2J".to_owned())
        );
    }
}
