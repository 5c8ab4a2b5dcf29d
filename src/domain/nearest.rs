//! How far one name is from another.

/// Counts the characters to insert, remove or replace between two texts; `None` above a limit.
pub fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count().abs_diff(b.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, from) in a.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        let mut least = left;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = *cell;
            left = replaced.min(left + 1).min(diagonal + 1);
            least = least.min(left);
            *cell = left;
        }
        if least > limit {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

/// Finds the nearest of some names, within two characters; the first of those that are equally near.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let near = names.into_iter();
    let near = near.filter_map(|name| Some((distance(wanted, name, 2)?, name)));
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", "", 0, Some(0))]
    #[case("list", "lsit", 2, Some(2))]
    #[case("get", "gett", 1, Some(1))]
    #[case("kitten", "sitting", 3, Some(3))]
    #[case("kitten", "sitting", 2, None)]
    #[case("größe", "grösse", 2, Some(2))]
    #[case("a", "abcd", 2, None)]
    fn distances(
        #[case] a: &str,
        #[case] b: &str,
        #[case] limit: usize,
        #[case] want: Option<usize>,
    ) {
        assert_eq!(distance(a, b, limit), want);
        assert_eq!(distance(b, a, limit), want);
    }

    #[rstest]
    #[case("colour", Some("color"))]
    #[case("time-zone", Some("time_zone"))]
    #[case("nothing", None)]
    fn the_nearest_name(#[case] wanted: &str, #[case] want: Option<&str>) {
        assert_eq!(nearest(wanted, ["time_zone", "color"]), want);
    }
}
