//! How values, times and runs are put into few words.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::text::{elide, elide_middle, width_up_to};
use crate::domain::history::{Run, RunStatus, Snapshot};
use crate::domain::id::StateId;
use crate::domain::json::{Kind, Node};
use crate::domain::moment;
use crate::domain::quantity::count;
use crate::domain::state::Bookmark;

/// Up to how many bytes of a string are decoded for a line.
const DECODED: usize = 4_096;

/// Writes a value on a line: strings without quotes where nothing else reads so, what holds others as a count.
pub fn value(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Object => format!("{{{}}}", counted(node.len(), "key", "keys")),
        Kind::Array => format!("[{}]", counted(node.len(), "item", "items")),
        Kind::String => string(node),
        _ => node.raw().to_owned(),
    }
}

fn string(node: Node<'_>) -> String {
    let raw = node.raw();
    let Some(text) = node.as_str().filter(|_| raw.len() <= DECODED) else {
        return raw.to_owned();
    };
    let text = text.decoded();
    let plain = text.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_')
        && !text.ends_with(char::is_whitespace)
        && !matches!(&*text, "null" | "true" | "false" | "NaN" | "Infinity")
        && text.parse::<f64>().is_err();
    if plain {
        text.into_owned()
    } else {
        format!("\"{text}\"")
    }
}

/// Writes a state ID in so many cells: what every ID of Meltano's convention has in common goes first, then the middle.
pub fn id(id: &StateId, columns: usize) -> String {
    let whole = match id.as_str() {
        "" => "\"\"",
        text => text,
    };
    if width_up_to(whole, columns) <= columns {
        return elide(whole, columns);
    }
    let Some(parts) = id.parts() else {
        return elide_middle(whole, columns);
    };
    let suffix = parts
        .suffix
        .map_or(String::new(), |suffix| format!(":{suffix}"));
    let target = parts.target.trim_start_matches("target-");
    let (environment, tap) = (parts.environment, parts.tap);
    let without_target = format!("{environment}:{tap}…{target}{suffix}");
    let without_tap = format!(
        "{environment}:…{}…{target}{suffix}",
        tap.trim_start_matches("tap-")
    );
    [without_target, without_tap]
        .into_iter()
        .find(|short| width_up_to(short, columns) <= columns)
        .map_or_else(
            || elide_middle(whole, columns),
            |short| elide(&short, columns),
        )
}

/// Picks the bookmark that says most of how far a stream is: one that spells a time, else a number, else the first.
pub fn principal<'d>(bookmarks: &[Bookmark<'d>]) -> Option<Bookmark<'d>> {
    let rank = |bookmark: &&Bookmark<'d>| match bookmark.value.kind() {
        _ if bookmark.instant().is_some() => 0,
        Kind::Integer | Kind::Float => 1,
        _ => 2,
    };
    bookmarks.iter().min_by_key(rank).copied()
}

/// Writes a count with the word for what is counted.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Writes a time as people say it: `today 04:00`, `yesterday 17:40`, `28 Nov 04:00`, `28 Nov 2025`.
pub fn when(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (then, today) = (zone.to_datetime(at), zone.to_datetime(now).date());
    let clock = then.strftime("%H:%M");
    if then.date() == today {
        format!("today {clock}")
    } else if today.yesterday().is_ok_and(|day| day == then.date()) {
        format!("yesterday {clock}")
    } else if then.year() == today.year() {
        format!("{} {clock}", then.strftime("%-d %b"))
    } else {
        then.strftime("%-d %b %Y").to_string()
    }
}

/// Names a zone as a title does: `Europe/Berlin`, `UTC`, `+05:30`.
pub fn zone(zone: &TimeZone, now: Timestamp) -> String {
    match zone.iana_name() {
        Some("Etc/UTC" | "Etc/UCT" | "Etc/Universal" | "Etc/Zulu") => "UTC".to_owned(),
        Some(name) => name.to_owned(),
        None => zone.to_offset(now).to_string(),
    }
}

/// Names where a snapshot comes from: `run 01a22ebf41c2`, `edit by hand`, `now`.
pub fn origin(snapshot: &Snapshot) -> String {
    match snapshot.run() {
        None => "now".to_owned(),
        Some(run) if run.status == RunStatus::StateEdit => "edit by hand".to_owned(),
        Some(_) => snapshot.id.short().replacen(':', " ", 1),
    }
}

/// Says how a run stands or ended, at a given time.
pub fn standing(run: &Run, now: Timestamp) -> String {
    if run.status != RunStatus::Running || run.is_alive(now) {
        return run.status.word().to_owned();
    }
    let heartbeat = run.heartbeat_at.as_ref().and_then(|stamp| stamp.instant);
    match heartbeat {
        Some(at) => format!("stale: no sign of life for {}", moment::age(at, now)),
        None => "stale: it never ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json::Document;
    use crate::domain::state::bookmarks_of;
    use rstest::rstest;

    #[rstest]
    #[case(r#""2026-11-30T03:58:10Z""#, "\"2026-11-30T03:58:10Z\"", false)]
    #[case(r#""""#, "\"\"", true)]
    #[case(r#""12""#, "\"12\"", true)]
    #[case(r#""null""#, "\"null\"", true)]
    #[case(r#""[x""#, "\"[x\"", true)]
    #[case(r#""a ""#, "\"a \"", true)]
    #[case("1e5", "1e5", true)]
    #[case("NaN", "NaN", true)]
    #[case(r#"{"a": 1}"#, "{1 key}", true)]
    #[case("[1, 2]", "[2 items]", true)]
    fn values(#[case] text: &str, #[case] want: &str, #[case] quoted: bool) {
        let document = Document::parse(text).unwrap();
        let want = if quoted { want } else { want.trim_matches('"') };
        assert_eq!(value(document.root()), want);
    }

    #[test]
    fn a_stream_is_told_by_a_time_or_a_number_rather_than_by_a_word() {
        let text = r#"{"bookmarks": {"a": {"method": "LOG_BASED", "lsn": 5, "at": "2026-11-30"}, "b": {"method": "X", "lsn": 5}, "c": {"method": "X"}, "d": {}}}"#;
        let document = Document::parse(text).unwrap();
        let streams = document.root().get("bookmarks").unwrap();
        let told: Vec<_> = streams
            .children()
            .map(|stream| principal(&bookmarks_of(stream)).map(|bookmark| bookmark.value.raw()))
            .collect();
        assert_eq!(
            told,
            [Some("\"2026-11-30\""), Some("5"), Some("\"X\""), None]
        );
    }

    #[test]
    fn the_empty_id_is_seen() {
        assert_eq!(id(&StateId::from(""), 20), "\"\"");
    }

    #[rstest]
    #[case(34, "prod:tap-github-to-target-bigquery")]
    #[case(33, "prod:tap-github…bigquery")]
    #[case(24, "prod:tap-github…bigquery")]
    #[case(23, "prod:…github…bigquery")]
    #[case(20, "prod:tap-git…igquery")]
    #[case(3, "pr…")]
    fn ids_lose_first_what_they_have_in_common(#[case] columns: usize, #[case] want: &str) {
        let whole = StateId::from("prod:tap-github-to-target-bigquery");
        assert_eq!(id(&whole, columns), want);
    }

    #[rstest]
    #[case("2026-11-30T04:00:00Z", "today 04:00")]
    #[case("2026-11-29T17:40:00Z", "yesterday 17:40")]
    #[case("2026-11-28T04:00:00Z", "28 Nov 04:00")]
    #[case("2025-11-30T04:00:00Z", "30 Nov 2025")]
    fn times(#[case] at: &str, #[case] want: &str) {
        let now = "2026-11-30T06:00:00Z".parse().unwrap();
        assert_eq!(when(at.parse().unwrap(), now, &TimeZone::UTC), want);
    }
}
