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
    #[case(7, "7")]
    #[case(1_000, "1 000")]
    #[case(1_234_567, "1 234 567")]
    fn grouped_counts(#[case] number: usize, #[case] want: &str) {
        assert_eq!(count(number), want);
    }
}
