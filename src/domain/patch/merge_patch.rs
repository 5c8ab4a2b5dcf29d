//! JSON Merge Patch, RFC 7396.

use super::{Marks, Side, Uncarried, Why, carry, children, unambiguous};
use crate::domain::diff::Diff;
use crate::domain::json::{Kind, Node};

/// Makes the merge patch that leads from the left side of a diff to the right one, as JSON text on one line.
///
/// Arrays are carried whole. Refuses also a member that is null on the right side and has to be set: in a merge patch it would
/// remove the member. Of two equal objects the patch is `{}`; a right side that is no object is its own patch.
pub fn merge_patch(diff: &Diff) -> Result<String, Uncarried> {
    let (left, right) = (diff.left.root(), diff.right.root());
    if left.kind() != Kind::Object || right.kind() != Kind::Object {
        return set(right);
    }
    if diff.is_equal() {
        return Ok("{}".to_owned());
    }
    let mut out = String::new();
    merge(&Marks::of(diff), left, right, &mut out)?;
    Ok(out)
}

/// Writes what leads from one object to another. Goes as deep as changes are looked for, which is not far.
fn merge(
    marks: &Marks,
    left: Node<'_>,
    right: Node<'_>,
    out: &mut String,
) -> Result<(), Uncarried> {
    unambiguous(left, Side::Left)?;
    unambiguous(right, Side::Right)?;
    out.push('{');
    for node in children(left).filter(|node| marks.removed.contains(&node.id())) {
        key(node, out);
        out.push_str("null");
    }
    for (before, after) in marks.kept(left, right) {
        let objects = before.kind() == Kind::Object && after.kind() == Kind::Object;
        if marks.replaced.contains(&after.id()) {
            if objects {
                return Err(refuse(after, Why::TooDeep));
            }
            key(after, out);
            out.push_str(&member(after)?);
        } else if marks.hold_changes(before, after) {
            key(after, out);
            if objects {
                merge(marks, before, after, out)?;
            } else {
                out.push_str(&carry(after)?);
            }
        }
    }
    for node in children(right).filter(|node| marks.added.contains(&node.id())) {
        key(node, out);
        out.push_str(&member(node)?);
    }
    out.push('}');
    Ok(())
}

fn key(member: Node<'_>, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    let key = member.key().map_or("", |key| key.raw());
    out.extend(["\"", key, "\":"]);
}

/// Writes the value of a member that is set.
fn member(node: Node<'_>) -> Result<String, Uncarried> {
    if node.kind() == Kind::Null {
        return Err(refuse(node, Why::Null));
    }
    set(node)
}

/// Writes a value that is set as a whole; nulls in it are kept where no member of an object is them, or an array is around.
fn set(node: Node<'_>) -> Result<String, Uncarried> {
    let text = carry(node)?;
    if node.kind() == Kind::Object {
        let mut end_of_array = 0;
        for inner in node.descendants() {
            let place = inner.id().index();
            if place < end_of_array {
                continue;
            }
            match inner.kind() {
                Kind::Array => end_of_array = place + 1 + inner.descendants().len(),
                Kind::Null => return Err(refuse(inner, Why::Null)),
                _ => {}
            }
        }
    }
    Ok(text)
}

fn refuse(node: Node<'_>, why: Why) -> Uncarried {
    Uncarried {
        path: node.pointer(),
        side: Side::Right,
        why,
    }
}
