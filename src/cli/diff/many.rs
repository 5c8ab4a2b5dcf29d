//! A diff of many states with as many others: whole sources by ID, or two patterns by what their wildcards took.

use std::collections::HashMap;
use std::io::ErrorKind;

use super::{Arguments, Comparer, Format, Mark, names_a_file};
use crate::cli::output::Failure;
use crate::cli::session::Session;
use crate::cli::sites::{Source, shell_word};
use crate::domain::diff::{Counts, Diff};
use crate::domain::id::{IdPattern, StateId};
use crate::domain::json::Document;
use crate::ops::compare::{self, Print};
use crate::report::{Fault, Report};

mod forms;

/// How many bytes of differing states are held at once.
const ROOM: u64 = 32 << 20;

/// Holds one side: the states of a source that a pattern matches.
pub(super) struct Group {
    source: Source,
    pattern: IdPattern,
    /// Whether it is everything that the source has, which may be nothing.
    is_whole: bool,
}

/// Holds a state and the one that it is compared with.
struct Pair {
    left: Option<StateId>,
    right: Option<StateId>,
    verdict: Verdict,
    /// How many bytes both have.
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Equal,
    Different,
    OnlyLeft,
    OnlyRight,
    /// One of the states cannot be told.
    Unknown,
}

/// Counts the pairs, and the changes in them.
#[derive(Default)]
struct Totals {
    equal: usize,
    different: usize,
    only_left: usize,
    only_right: usize,
    unknown: usize,
    changes: Counts,
}

/// Finds out whether many states are meant; `None` when each word means one.
pub(super) fn groups(
    session: &mut Session,
    arguments: &Arguments,
) -> Result<Option<[Group; 2]>, Report> {
    let left = group(session, &arguments.left)?;
    let right = match &arguments.right {
        Some(text) => Some((text, group(session, text)?)),
        None => None,
    };
    let wrong = |message: String| Report::new(Fault::Usage, message);
    let example = "as `statescope diff 'prod:*' 'staging:*'`, or `SOURCE::` on both sides";
    let (left, right) = match (left, right) {
        (None, None | Some((_, None))) => return Ok(None),
        (Some(_), None) => {
            let message = format!(
                "'{}' means many states, and nothing to compare them with",
                arguments.left
            );
            return Err(wrong(message).hint(format!("write a second pattern, {example}")));
        }
        (Some(left), Some((_, Some(right)))) => (left, right),
        (None, Some((many, Some(_)))) => return Err(one_and_many(&arguments.left, many, example)),
        (Some(_), Some((one, None))) => return Err(one_and_many(one, &arguments.left, example)),
    };
    if left.is_whole != right.is_whole {
        let message = "everything of one source is paired by ID, and a pattern by its wildcards";
        return Err(wrong(message.to_owned()).hint(
            "write `SOURCE::` on both sides, or `SOURCE::*` for a pattern that matches everything",
        ));
    }
    let (count, other) = (left.pattern.wildcards(), right.pattern.wildcards());
    if count != other {
        let message = format!(
            "'{}' has {count} wildcards, and '{}' {other}",
            left.pattern.as_str(),
            right.pattern.as_str()
        );
        return Err(wrong(message)
            .because("states are paired by what the wildcards took")
            .hint(format!("write as many on both sides, {example}")));
    }
    if arguments.at.is_some() || arguments.right_at.is_some() {
        return Err(wrong("many states are compared as they are now".to_owned())
            .hint("leave out --at and --right-at"));
    }
    if let Some(Format::SideBySide | Format::JsonPatch | Format::MergePatch) = arguments.format {
        return Err(
            wrong("many states have no answer in this --format".to_owned())
                .hint("use text, markdown, --stat or --json; or name two states"),
        );
    }
    Ok(Some([left, right]))
}

fn one_and_many(one: &str, many: &str, example: &str) -> Report {
    let message = format!("'{one}' means one state, and '{many}' many");
    Report::new(Fault::Usage, message).hint(format!("write a pattern on both sides, {example}"))
}

/// Finds the group that a word means; `None` for a file or one state.
fn group(session: &mut Session, text: &str) -> Result<Option<Group>, Report> {
    if text == "-" || names_a_file(session, text)? {
        return Ok(None);
    }
    if let Some(located) = session.qualified(text)? {
        let id = located.id.as_str();
        let is_whole = id.is_empty();
        if !is_whole && !id.contains('*') {
            return Ok(None);
        }
        let pattern = IdPattern::parse(if is_whole { "*" } else { id })?;
        let source = located.source;
        return Ok(Some(Group {
            source,
            pattern,
            is_whole,
        }));
    }
    if !text.contains('*') {
        return Ok(None);
    }
    let pattern = IdPattern::parse(text)?;
    let source = session.only_source().map_err(|report| {
        if report.fault != Fault::Usage {
            return report;
        }
        let message = format!("'{text}' may mean the states of several sources");
        let cause = report.cause.unwrap_or_default();
        let word = shell_word(&format!("SOURCE::{text}"));
        Report::new(Fault::Usage, message)
            .because(cause)
            .hint(format!("write {word}"))
    })?;
    Ok(Some(Group {
        source,
        pattern,
        is_whole: false,
    }))
}

pub(super) async fn run(
    session: &mut Session,
    arguments: &Arguments,
    groups: [Group; 2],
) -> Result<u8, Failure> {
    let [left, right] = &groups;
    session.mention(&left.source).await;
    let is_one_source = left.source.open.source == right.source.open.source;
    if !is_one_source {
        session.mention(&right.source).await;
    }
    let mut comparer = Comparer::of(arguments);
    let prints = prints(&groups, is_one_source, &mut comparer).await?;
    for (group, found) in groups.iter().zip(&prints) {
        group.check(found)?;
    }
    let pairs = pair(&groups, prints, |group, id, why| {
        let message = format!("the state of '{id}' cannot be compared");
        let report = Report::new(Fault::Corrupt, message).because(why);
        session.miss(
            &report
                .on_source(&group.source.open.source)
                .on_state(id.as_str()),
        );
    });
    let code = u8::from(pairs.iter().any(|pair| pair.verdict != Verdict::Equal));
    let form = forms::Form::of(session, arguments);
    match write(session, form, &groups, pairs, comparer).await {
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(code),
        Err(failure) => Err(failure),
        Ok(totals) => Ok(u8::from(!totals.all_equal())),
    }
}

type Prints = HashMap<StateId, Print<Mark>>;

/// Reads each source once.
async fn prints(
    groups: &[Group; 2],
    is_one_source: bool,
    comparer: &mut Comparer,
) -> Result<[Prints; 2], Report> {
    let [left, right] = groups;
    let mut of = |document: &Document| comparer.mark(document);
    let is_left = |id: &StateId| left.pattern.matches(id);
    let is_right = |id: &StateId| right.pattern.matches(id);
    if is_one_source {
        let all = compare::prints(&left.source.open, |id| is_left(id) || is_right(id), of).await?;
        let of_left = all.iter().filter(|(id, _)| is_left(id));
        let of_left = of_left
            .map(|(id, print)| (id.clone(), print.clone()))
            .collect();
        let of_right = all.into_iter().filter(|(id, _)| is_right(id)).collect();
        return Ok([of_left, of_right]);
    }
    let of_left = compare::prints(&left.source.open, is_left, &mut of).await?;
    let of_right = compare::prints(&right.source.open, is_right, of).await?;
    Ok([of_left, of_right])
}

/// Pairs the states of both sides, in the order of their IDs; says of each that cannot be told why.
fn pair(
    groups: &[Group; 2],
    prints: [Prints; 2],
    mut untold: impl FnMut(&Group, &StateId, &str),
) -> Vec<Pair> {
    let [left, right] = groups;
    let [of_left, of_right] = prints;
    let taken = |group: &Group, id: &StateId| -> Vec<Box<str>> {
        let captures = group.pattern.captures(id).unwrap_or_default();
        captures.into_iter().map(Box::from).collect()
    };
    let mut rights: HashMap<Vec<Box<str>>, (StateId, Print<Mark>)> = of_right
        .into_iter()
        .map(|(id, print)| (taken(right, &id), (id, print)))
        .collect();
    let mut pairs: Vec<_> = of_left
        .into_iter()
        .map(|(id, print)| {
            let other = rights.remove(&taken(left, &id));
            (Some((id, print)), other)
        })
        .collect();
    pairs.extend(rights.into_values().map(|right| (None, Some(right))));
    // What has the same ID on two sides and is no pair stands left before right.
    pairs.sort_unstable_by(|a, b| {
        let place = |sides: &(Option<(StateId, _)>, Option<(StateId, _)>)| {
            let side = sides.0.as_ref().or(sides.1.as_ref());
            (side.map(|(id, _)| id.clone()), sides.0.is_none())
        };
        place(a).cmp(&place(b))
    });
    let mut judge = |left_side: Option<(StateId, Print<Mark>)>,
                     right_side: Option<(StateId, Print<Mark>)>| {
        for (group, side) in [(left, &left_side), (right, &right_side)] {
            if let Some((id, Print { of: Err(why), .. })) = side {
                untold(group, id, why);
            }
        }
        let size =
            |side: &Option<(_, Print<Mark>)>| side.as_ref().map_or(0, |(_, print)| print.size);
        Pair {
            size: size(&left_side) + size(&right_side),
            verdict: verdict(left_side.as_ref(), right_side.as_ref()),
            left: left_side.map(|(id, _)| id),
            right: right_side.map(|(id, _)| id),
        }
    };
    pairs
        .into_iter()
        .map(|(left, right)| judge(left, right))
        .collect()
}

fn verdict(
    left: Option<&(StateId, Print<Mark>)>,
    right: Option<&(StateId, Print<Mark>)>,
) -> Verdict {
    match (left, right) {
        (_, None) => Verdict::OnlyLeft,
        (None, _) => Verdict::OnlyRight,
        (Some((_, left)), Some((_, right))) => match (&left.of, &right.of) {
            (Ok(left), Ok(right)) if left == right => Verdict::Equal,
            (Ok(_), Ok(_)) => Verdict::Different,
            _ => Verdict::Unknown,
        },
    }
}

impl Group {
    /// Refuses a pattern that nothing matches.
    fn check(&self, found: &Prints) -> Result<(), Report> {
        if self.is_whole || !found.is_empty() {
            return Ok(());
        }
        let source = &self.source.open.source;
        let message = format!("no state in {source} matches '{}'", self.pattern.as_str());
        Err(Report::new(Fault::NotFound, message)
            .hint("`statescope list` names the state IDs")
            .on_source(source))
    }
}

impl Totals {
    fn all_equal(&self) -> bool {
        self.different + self.only_left + self.only_right + self.unknown == 0
    }

    fn add(&mut self, verdict: Verdict, diff: Option<&Diff>) {
        *match verdict {
            Verdict::Equal => &mut self.equal,
            Verdict::Different => &mut self.different,
            Verdict::OnlyLeft => &mut self.only_left,
            Verdict::OnlyRight => &mut self.only_right,
            Verdict::Unknown => &mut self.unknown,
        } += 1;
        if let Some(diff) = diff {
            let counts = diff.counts();
            self.changes.added += counts.added;
            self.changes.removed += counts.removed;
            self.changes.changed += counts.changed;
            self.changes.back += counts.back;
            self.changes.respelled += counts.respelled;
        }
    }

    /// Counts the pairs in words.
    fn words(&self) -> String {
        let counts = [
            (self.equal, "equal"),
            (self.different, "different"),
            (self.only_left, "only left"),
            (self.only_right, "only right"),
            (self.unknown, "that cannot be compared"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = counts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if words.is_empty() {
            return "no states on either side".to_owned();
        }
        words.join(" · ")
    }
}

/// Writes the answer, holding no more differing states at once than there is room for.
async fn write(
    session: &mut Session,
    mut form: forms::Form,
    groups: &[Group; 2],
    mut pairs: Vec<Pair>,
    mut comparer: Comparer,
) -> Result<Totals, Failure> {
    let mut totals = Totals::default();
    form.begin(session, groups, &pairs)?;
    let mut rest = pairs.as_mut_slice();
    while !rest.is_empty() {
        let (chunk, behind) = rest.split_at_mut(fitting(rest));
        let [lefts, rights] = documents(groups, chunk).await?;
        for pair in chunk {
            let found = pair.verdict == Verdict::Different;
            let diff = found.then(|| {
                let left = lefts.get(pair.left.as_ref()?)?;
                let right = rights.get(pair.right.as_ref()?)?;
                Some(comparer.diff(left, right))
            });
            let diff = diff.flatten();
            // What was written meanwhile counts as it was read last.
            pair.verdict = match (pair.verdict, &diff) {
                (Verdict::Different, None) => Verdict::Unknown,
                (Verdict::Different, Some(diff)) if diff.is_equal() => Verdict::Equal,
                (verdict, _) => verdict,
            };
            totals.add(pair.verdict, diff.as_ref());
            form.pair(session, pair, diff.as_ref())?;
        }
        rest = behind;
    }
    form.end(session, &totals)?;
    Ok(totals)
}

/// Counts how many pairs from the first on can be held; one at least.
fn fitting(pairs: &[Pair]) -> usize {
    let mut held = 0;
    let fits = |pair: &&Pair| {
        if pair.verdict == Verdict::Different {
            held += pair.size;
        }
        held <= ROOM
    };
    pairs.iter().take_while(fits).count().max(1)
}

/// Reads the states that differ.
async fn documents(
    groups: &[Group; 2],
    pairs: &[Pair],
) -> Result<[HashMap<StateId, Document>; 2], Report> {
    let differing = || {
        pairs
            .iter()
            .filter(|pair| pair.verdict == Verdict::Different)
    };
    let lefts = differing().filter_map(|pair| pair.left.clone()).collect();
    let rights = differing().filter_map(|pair| pair.right.clone()).collect();
    let [left, right] = groups;
    let lefts = compare::documents(&left.source.open, lefts).await?;
    let rights = compare::documents(&right.source.open, rights).await?;
    Ok([lefts, rights])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(verdict: Verdict, size: u64) -> Pair {
        Pair {
            left: None,
            right: None,
            verdict,
            size,
        }
    }

    #[test]
    fn only_what_differs_takes_room() {
        let (equal, different) = (Verdict::Equal, Verdict::Different);
        let half = ROOM / 2;
        let pairs = [
            pair(equal, ROOM),
            pair(different, half),
            pair(Verdict::OnlyLeft, ROOM),
            pair(different, half),
            pair(equal, ROOM),
            pair(different, 1),
        ];
        assert_eq!(fitting(&pairs), 5);
        assert_eq!(fitting(&pairs[5..]), 1);
        assert_eq!(fitting(&[pair(different, ROOM + 1), pair(equal, 1)]), 1);
    }
}
