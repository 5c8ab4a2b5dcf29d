use super::*;

fn tree(text: &str) -> Tree {
    Tree::new(&Document::parse(text).unwrap())
}

fn shown(tree: &Tree) -> Vec<String> {
    (0..tree.len())
        .filter_map(|at| tree.row(at))
        .map(|line| {
            let sign = match line.is_open() {
                Some(true) => "▾ ",
                Some(false) => "▸ ",
                None => "",
            };
            format!("{}{sign}{}", "  ".repeat(line.depth()), line.label())
        })
        .collect()
}

fn partitions(count: usize) -> String {
    let each: Vec<_> = (0..count)
        .map(|n| {
            format!(r#"{{"context": {{"org": "acme", "n": {n}}}, "updated_at": "2026-11-30"}}"#)
        })
        .collect();
    format!(
        r#"{{"singer_state": {{"bookmarks": {{"commits": {{"partitions": [{}]}}, "issues": {{"since": 1}}}}}}}}"#,
        each.join(", ")
    )
}

#[test]
fn it_opens_at_the_streams_with_few_partitions_open() {
    assert_eq!(
        shown(&tree(&partitions(2))),
        [
            "▾ bookmarks",
            "  ▾ commits",
            "    ▸ {acme, 0}",
            "    ▸ {acme, 1}",
            "  ▸ issues",
        ]
    );
    assert_eq!(
        shown(&tree(&partitions(21))),
        ["▾ bookmarks", "  ▸ commits", "  ▸ issues"]
    );
}

#[test]
fn what_is_beside_the_singer_state_is_shown_with_it() {
    assert_eq!(
        shown(&tree(
            r#"{"singer_state": {"bookmarks": {"a": {"k": 1}}}, "x": [1, {}]}"#
        )),
        [
            "▾ singer_state",
            "  ▾ bookmarks",
            "    ▸ a",
            "▾ x",
            "  [0]",
            "  [1]",
        ]
    );
}

#[test]
fn a_line_opens_and_closes_and_one_inside_closes_what_it_is_in() {
    let mut tree = tree(&partitions(2));
    tree.cursor.at = 2;
    tree.toggle();
    assert_eq!(
        shown(&tree)[2..5],
        ["    ▾ {acme, 0}", "      ▸ context", "      updated_at"]
    );
    tree.cursor.at = 4;
    tree.toggle();
    assert_eq!((tree.len(), tree.cursor.at), (5, 2));
}

#[test]
fn siblings_open_and_close_together() {
    let mut tree = tree(&partitions(2));
    tree.cursor.at = 3;
    tree.set_siblings(true);
    assert_eq!(tree.len(), 9);
    assert_eq!(tree.row(tree.cursor.at).unwrap().label(), "{acme, 1}");
    tree.set_siblings(false);
    assert_eq!((tree.len(), tree.cursor.at), (5, 3));
}

#[test]
fn bookmarks_are_found_for_streams_and_partitions_only() {
    let tree = tree(&partitions(2));
    let found: Vec<_> = (0..tree.len())
        .filter_map(|at| tree.row(at))
        .map(|line| line.bookmark().map(|(bookmark, _)| bookmark.value.raw()))
        .collect();
    assert_eq!(
        found,
        [
            None,
            None,
            Some("\"2026-11-30\""),
            Some("\"2026-11-30\""),
            Some("1")
        ]
    );
}

#[test]
fn another_snapshot_keeps_what_was_open_and_the_cursor() {
    let mut before = tree(&partitions(30));
    before.cursor.at = 1;
    before.toggle();
    before.cursor.at = 9;
    before.toggle();
    assert_eq!(before.row(9).unwrap().label(), "{acme, 7}");

    let after = before.carry_to(&Document::parse(partitions(25)).unwrap());
    assert_eq!(after.row(after.cursor.at).unwrap().label(), "{acme, 7}");
    assert_eq!(after.len(), 3 + 25 + 2);

    let without = before.carry_to(&Document::parse(partitions(3)).unwrap());
    assert_eq!(without.row(without.cursor.at).unwrap().label(), "commits");
}

#[test]
fn a_state_with_very_many_partitions_opens_whole() {
    let mut tree = tree(&partitions(200_000));
    tree.cursor.at = 1;
    tree.toggle();
    assert_eq!(tree.len(), 200_003);
    tree.step(Step::Last, 20);
    tree.step(Step::Up, 20);
    assert_eq!(tree.row(tree.cursor.at).unwrap().label(), "{acme, 199999}");
    assert_eq!(tree.row(tree.cursor.at).unwrap().depth(), 2);
}

#[test]
fn nesting_without_end_needs_no_stack() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let mut tree = tree(&deep);
    for _ in 0..200 {
        tree.toggle();
        tree.step(Step::Last, 20);
    }
    assert_eq!(tree.row(tree.cursor.at).unwrap().depth(), 199);
}
