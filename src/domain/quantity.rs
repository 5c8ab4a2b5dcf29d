//! Quantities as people say them.

/// Writes a number of bytes in one unit: `980 B`, `1.2 kB`, `20 MB`.
pub fn bytes(number: u64) -> String {
    let (mut whole, mut tenths, mut unit) = (number, 0, "B");
    for next in ["kB", "MB", "GB", "TB", "PB"] {
        if whole < 1_000 {
            break;
        }
        tenths = whole % 1_000 / 100;
        whole /= 1_000;
        unit = next;
    }
    if whole < 10 && unit != "B" {
        format!("{whole}.{tenths} {unit}")
    } else {
        format!("{whole} {unit}")
    }
}

/// Reads a number of bytes as [`bytes`] writes one, without a fraction: `500MB`, `2 GiB`, and plain `1000`. Capitals do not matter;
/// `None` for everything else, and for more than fits.
pub fn read_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let number: u64 = digits.parse().ok()?;
    let unit = unit.trim_start().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, 1_024),
        None => (unit, 1_000),
    };
    let power = match prefix {
        "" if base == 1_000 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    number.checked_mul(u64::pow(base, power))
}

/// Writes a count with its digits in groups of three.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + 4);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(0, "0 B")]
    #[case(999, "999 B")]
    #[case(1_000, "1.0 kB")]
    #[case(9_999, "9.9 kB")]
    #[case(10_000, "10 kB")]
    #[case(20_400_000, "20 MB")]
    #[case(u64::MAX, "18446 PB")]
    fn byte_counts(#[case] number: u64, #[case] want: &str) {
        assert_eq!(bytes(number), want);
    }

    #[rstest]
    #[case("2GiB", Some(2 << 30))]
    #[case("500MB", Some(500_000_000))]
    #[case("500 mb", Some(500_000_000))]
    #[case("64k", Some(64_000))]
    #[case("1000", Some(1_000))]
    #[case("12 B", Some(12))]
    #[case("1.5GB", None)]
    #[case("-1", None)]
    #[case("GB", None)]
    #[case("", None)]
    #[case("2iB", None)]
    #[case("2PB", None)]
    #[case("99999999TB", None)]
    fn byte_counts_are_read(#[case] text: &str, #[case] want: Option<u64>) {
        assert_eq!(read_bytes(text), want);
    }

    #[rstest]
    #[case(7, "7")]
    #[case(1_000, "1 000")]
    #[case(1_234_567, "1 234 567")]
    fn grouped_counts(#[case] number: usize, #[case] want: &str) {
        assert_eq!(count(number), want);
    }
}
