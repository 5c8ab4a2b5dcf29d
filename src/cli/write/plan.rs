//! A plan as text: where it would write, what would change, what follows, what is asked.

use std::io::{self, Write as _};

use super::Door;
use crate::cli::changes::{self, MOST};
use crate::cli::output::{Output, Tone};
use crate::cli::sites::shell_word;
use crate::domain::diff::{Diff, diff};
use crate::domain::edit::{Confirmation, Edit, Item, Plan, effective_or_empty, payloads};
use crate::domain::json::Document;
use crate::domain::lint::Severity;
use crate::domain::operation::OperationKind;
use crate::domain::quantity::{bytes, count};
use crate::domain::state::{Content, Part, State, stream_names};
use crate::report::printable;

/// How many states are listed when a plan is of many.
const LISTED: usize = 20;

/// Writes a plan.
pub(super) fn write(out: &mut Output, plan: &Plan, door: &Door<'_>) -> io::Result<()> {
    heading(out, plan, door)?;
    match plan.items.as_slice() {
        [item] => one(out, item)?,
        items => many(out, items)?,
    }
    for guard in &plan.guards {
        out.line(
            Tone::Bad,
            &format!("! refused  {}", guard.report().sentence()),
        )?;
    }
    let is_closed = |guard: &_| matches!(guard, crate::domain::edit::Guard::ReadOnly(_));
    if plan.guards.iter().any(is_closed) {
        return Ok(());
    }
    out.line(Tone::Plain, &format!("writes  {}", writes(&plan.items)))?;
    let undo = match plan.kind {
        // Without a number no undo is undone; it is told when there is one.
        OperationKind::Undo => "statescope undo NUMBER".to_owned(),
        _ => format!("statescope undo{}", printable(&door.source.words)),
    };
    out.line(Tone::Plain, &format!("undo    {undo}"))?;
    if let Some(reason) = &plan.reason {
        out.line(Tone::Plain, &format!("reason  {}", printable(reason)))?;
    }
    out.line(Tone::Plain, &format!("asks    {}", asks(plan)))
}

fn heading(out: &mut Output, plan: &Plan, door: &Door<'_>) -> io::Result<()> {
    let target = &plan.target;
    let doing = match plan.kind {
        OperationKind::Set => "set in",
        OperationKind::Put => "put into",
        OperationKind::Clear => "clear from",
        OperationKind::Undo => "undo in",
    };
    let heading = format!(
        "{doing} {}  {}  (chosen by {})",
        target.site, target.source, target.decided_by
    );
    out.line(Tone::Heading, &printable(&heading))?;
    if let Some(elsewhere) = &target.elsewhere {
        let line = format!("Meltano does not read this: {elsewhere}");
        out.line(Tone::Warning, &printable(&line))?;
    }
    if let Some(about) = &door.about {
        out.line(Tone::Plain, &printable(about))?;
    }
    Ok(())
}

/// Writes all that there is to say of a plan for one state.
fn one(out: &mut Output, item: &Item) -> io::Result<()> {
    out.line(Tone::Heading, &item.id.to_string())?;
    match &item.after {
        None => out.line(Tone::Bad, &format!("  {}", deletion(item)))?,
        Some(after) => {
            if let Edit::Put {
                part: Some(part), ..
            } = &item.edit
            {
                part_edited(out, item, after, *part)?;
            }
            effective(out, item, after)?;
        }
    }
    for finding in &item.findings {
        let line = format!(
            "! {}  {}",
            finding.severity.name(),
            printable(&finding.message)
        );
        out.line(tone(finding.severity), &line)?;
    }
    for sentence in &item.consequences {
        out.line(Tone::Plain, &format!("then    {}", printable(sentence)))?;
    }
    Ok(())
}

/// Writes what `--part` changes in its part, and that what is below is what both parts add up to.
fn part_edited(out: &mut Output, item: &Item, after: &State, part: Part) -> io::Result<()> {
    let document = |state: Option<&State>| {
        let content = state.and_then(|state| state.part(part));
        let document = content.and_then(Content::document);
        document.cloned().unwrap_or_else(Document::empty_object)
    };
    let changed = diff(&document(item.state_before()), &document(Some(after)));
    let about = match part {
        Part::Completed => "what the last complete run left",
        Part::Partial => "what incomplete runs and merges left since",
        Part::Body => "the file as it stands",
    };
    out.line(Tone::Plain, &format!("  in the {part} part, {about}:"))?;
    drawn(out, &changed)?;
    out.line(Tone::Plain, "  and so in what both parts add up to:")
}

/// Writes what changes in what the next run starts from.
fn effective(out: &mut Output, item: &Item, after: &State) -> io::Result<()> {
    let before = item.state_before();
    if before.is_none() {
        out.line(Tone::Plain, "  there is no state yet")?;
    }
    for (state, when) in [(before, "is there now"), (Some(after), "would be there")] {
        if let Some(why) = state.and_then(|state| state.effective().err()) {
            let line = format!("  what {when} adds up to nothing: {why}");
            out.line(Tone::Warning, &printable(&line))?;
        }
    }
    drawn(out, &change_of(item))
}

fn drawn(out: &mut Output, changed: &Diff) -> io::Result<()> {
    out.line(Tone::Plain, &format!("  {}", changes::summary(changed)))?;
    let rest = changes::write(out, changed, MOST)?;
    if rest > 0 {
        writeln!(out, "… and {} more", count(rest))?;
    }
    Ok(())
}

fn change_of(item: &Item) -> Diff {
    diff(
        &effective_or_empty(item.state_before()),
        &effective_or_empty(item.after.as_ref()),
    )
}

/// Writes a line a state, and what is wrong with them, up to a limit, and totals.
fn many(out: &mut Output, items: &[Item]) -> io::Result<()> {
    for item in items.iter().take(LISTED) {
        let what = match &item.after {
            None => deletion(item),
            Some(_) => changes::summary(&change_of(item)),
        };
        out.line(Tone::Plain, &format!("  {}  {what}", item.id))?;
    }
    and_more(out, items.len())?;
    let mut found: Vec<_> = items
        .iter()
        .flat_map(|item| item.findings.iter().map(move |finding| (item, finding)))
        .collect();
    found.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    for (item, finding) in found.iter().take(LISTED) {
        let severity = finding.severity.name();
        let line = format!("! {severity}  {}: {}", item.id, printable(&finding.message));
        out.line(tone(finding.severity), &line)?;
    }
    and_more(out, found.len())?;
    let follows = follows(items);
    for line in follows.iter().take(LISTED) {
        out.line(Tone::Plain, line)?;
    }
    and_more(out, follows.len())?;
    let size: u64 = items
        .iter()
        .filter_map(Item::state_before)
        .map(State::size)
        .sum();
    let total = format!("{} states, {} now", count(items.len()), bytes(size));
    out.line(Tone::Plain, &total)
}

/// Says what follows from the edits of many states, the same sentence once.
fn follows(items: &[Item]) -> Vec<String> {
    let mut sentences: Vec<(&str, Vec<&Item>)> = Vec::new();
    for item in items {
        for sentence in &item.consequences {
            match sentences.iter_mut().find(|(known, _)| known == sentence) {
                Some((_, of)) => of.push(item),
                None => sentences.push((sentence, vec![item])),
            }
        }
    }
    let line = |(sentence, of): &(&str, Vec<&Item>)| match of.as_slice() {
        [item] => format!("then    {}: {}", item.id, printable(sentence)),
        of => format!(
            "then    for {} states: {}",
            count(of.len()),
            printable(sentence)
        ),
    };
    sentences.iter().map(line).collect()
}

fn and_more(out: &mut Output, all: usize) -> io::Result<()> {
    if all > LISTED {
        writeln!(out, "  … and {} more", count(all - LISTED))?;
    }
    Ok(())
}

fn deletion(item: &Item) -> String {
    let streams = stream_names(&effective_or_empty(item.state_before())).len();
    let plural = if streams == 1 { "" } else { "s" };
    let size = item.state_before().map_or(0, State::size);
    format!(
        "deletes the state: {} stream{plural}, {}",
        count(streams),
        bytes(size)
    )
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Plain,
    }
}

/// Says which rows are written, and what happens together.
fn writes(items: &[Item]) -> String {
    let put = items.iter().filter_map(|item| item.after.as_ref());
    let runs: usize = put.clone().map(|state| payloads(state).len()).sum();
    let put = put.count();
    let deleted = items.len() - put;
    let rows = |count: usize| match count {
        1 => "one row of state".to_owned(),
        _ => format!("{} rows of state", self::count(count)),
    };
    let mut words = Vec::new();
    if put > 0 {
        words.push(rows(put));
    }
    if deleted > 0 {
        words.push(format!("deletes {}", rows(deleted)));
    }
    let together = if items.len() == 1 { "" } else { "each state " };
    match (put, runs) {
        (0, _) => format!("{} · no run, as Meltano", words.join(", ")),
        (_, 0) => format!("{}, no run · {together}atomic", words.join(", ")),
        (_, 1) => format!(
            "{}, one STATE_EDIT run · {together}atomic",
            words.join(", ")
        ),
        _ => format!(
            "{}, {} STATE_EDIT runs · {together}atomic",
            words.join(", "),
            count(runs)
        ),
    }
}

/// Says what has to be answered, and which option answers it.
fn asks(plan: &Plan) -> String {
    let instead = instead(plan);
    match &plan.confirmation {
        Confirmation::Yes => format!("yes or no ({instead} does not ask)"),
        Confirmation::Typed(_) if plan.items.len() == 1 => {
            format!("the state ID, typed: {} ({instead})", protected(plan))
        }
        Confirmation::Typed(_) => format!(
            "the number of states, typed: {} ({instead})",
            protected(plan)
        ),
    }
}

/// Gives the option that answers what a plan asks.
pub(super) fn instead(plan: &Plan) -> String {
    match &plan.confirmation {
        Confirmation::Yes => "--yes".to_owned(),
        Confirmation::Typed(text) => format!("--confirm {}", shell_word(text)),
    }
}

/// Says which environments of a plan are protected.
pub(super) fn protected(plan: &Plan) -> String {
    let names: Vec<String> = plan.protected.iter().map(|name| printable(name)).collect();
    match names.as_slice() {
        [name] => format!("{name} is protected"),
        names => format!("{} are protected", names.join(" and ")),
    }
}
