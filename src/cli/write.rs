//! What every command that writes shares: its options, and the way from a plan by its confirmation to what came of it.

use std::io::{IsTerminal as _, Write as _};

use super::journal::Place;
use super::output::{Failure, Output};
use super::session::Session;
use super::sites::{Located, Source};
use crate::domain::edit::{Answer, Confirmation, Confirmed, Edit, Plan};
use crate::domain::id::StateId;
use crate::domain::json::Document;
use crate::domain::operation::{ItemResult, OperationKind};
use crate::ops::write::{self, Carried, Planned, Request};
use crate::ops::{author, read};
use crate::report::{Fault, Report};
use outcome::Told;
use prompt::Stdin;

mod outcome;
mod plan;
pub(super) mod prompt;

/// The variable that says what started a run, as for Meltano.
const TRIGGER: &str = "MELTANO_JOB_TRIGGER";

/// How an edit is confirmed, and what is said with it.
#[derive(clap::Args, Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Confirming {
    /// Does not ask. A protected state wants --confirm all the same.
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Shows what would be done, and stops there.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Answers what a protected state asks: its ID, or for several states their number.
    #[arg(long, value_name = "TEXT")]
    pub(super) confirm: Option<String>,
    /// Edits a job that is running, although what it writes when it ends replaces the edit.
    #[arg(long)]
    pub(super) even_if_running: bool,
    /// Why; kept with the operation.
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
}

impl Confirming {
    /// Asks for edits of some states.
    pub(super) fn request(&self, kind: OperationKind, edits: Vec<(StateId, Edit)>) -> Request {
        Request {
            kind,
            edits,
            even_if_running: self.even_if_running,
            reason: self.reason.clone(),
            undoes: None,
        }
    }

    /// Gives what a plan made of an operation takes.
    pub(super) fn options(&self) -> write::Options {
        write::Options {
            even_if_running: self.even_if_running,
            reason: self.reason.clone(),
        }
    }
}

/// Holds what a plan passes the door with.
pub(super) struct Door<'d> {
    /// The source that it writes to.
    pub(super) source: &'d Source,
    /// How it is confirmed.
    pub(super) confirming: &'d Confirming,
    /// Whether standard input is free for the answer.
    pub(super) stdin: Stdin,
    /// What the plan is about, beyond its states.
    pub(super) about: Option<String>,
    /// What is said when every state holds already what is wanted.
    pub(super) nothing: String,
}

impl<'d> Door<'d> {
    pub(super) fn new(source: &'d Source, confirming: &'d Confirming) -> Self {
        Self {
            source,
            confirming,
            stdin: Stdin::Free,
            about: None,
            nothing: "nothing to do".to_owned(),
        }
    }
}

/// Shows a plan, has it confirmed, carries it out, and tells what came of it; gives the exit code.
pub(super) async fn pass(
    session: &mut Session,
    door: Door<'_>,
    mut planned: Planned,
) -> Result<u8, Failure> {
    let Some(plan) = planned.plan.take() else {
        return nothing_planned(session, &door, &planned);
    };
    let ids: Vec<StateId> = plan.items.iter().map(|item| item.id.clone()).collect();
    session
        .look_for_all_overwritten(door.source, &ids, true)
        .await;
    if door.confirming.dry_run {
        return only_shown(session, &door, &plan, &planned);
    }
    session.needs_the_journal()?;
    let journal = session.journal.store()?;
    let confirmed = confirm(session, &door, plan)?;
    let trigger = session.surroundings.variables.get(TRIGGER);
    let trigger = trigger.map_or("cli", String::as_str);
    let site = &door.source.open;
    let carried =
        write::carry_out(site, &*journal, confirmed, &author(), trigger, &mut |_| {}).await?;
    Ok(came_out(session, &planned, &carried)?)
}

/// Tells of states of which none can or need be written; a single one that cannot is the command's own failure.
fn nothing_planned(
    session: &mut Session,
    door: &Door<'_>,
    planned: &Planned,
) -> Result<u8, Failure> {
    if let ([], [refused]) = (planned.unchanged.as_slice(), planned.refused.as_slice()) {
        session.voice.error(&refused.report);
        show_versions(session, planned, None);
        return Ok(refused.report.fault.exit_code());
    }
    let code = outcome::write(session, &outcome::of_unplanned(planned))?;
    show_versions(session, planned, None);
    if planned.refused.is_empty() {
        session.voice.note(&door.nothing);
    }
    Ok(code)
}

/// Answers a dry run: the plan on standard output, and the exit code that carrying it out would have, questions apart.
fn only_shown(
    session: &mut Session,
    door: &Door<'_>,
    plan: &Plan,
    planned: &Planned,
) -> Result<u8, Failure> {
    let mut code = 0;
    if session.voice.json {
        let mut told: Vec<Told<'_>> = plan
            .items
            .iter()
            .map(|item| Told::planned(&item.id))
            .collect();
        told.extend(outcome::of_unplanned(planned));
        code = outcome::write(session, &told)?;
    } else {
        plan::write(&mut session.out, plan, door)?;
        session.out.flush()?;
        for refused in &planned.refused {
            session.voice.error(&refused.report);
            code = code.max(refused.report.fault.exit_code());
        }
        show_versions(session, planned, None);
    }
    if let Some(guard) = plan.guards.first() {
        session
            .voice
            .error(&guard.report().on_source(&plan.target.source));
        code = code.max(Fault::Refused.exit_code());
    }
    Ok(code)
}

/// Shows a plan, and has it answered: by an option, or by who sits at the terminal.
fn confirm(session: &Session, door: &Door<'_>, plan: Plan) -> Result<Confirmed<Plan>, Report> {
    let confirming = door.confirming;
    let given = match &confirming.confirm {
        Some(text) => Some(Answer::Typed(text.clone())),
        None => confirming.yes.then_some(Answer::Yes),
    };
    let is_stopped = !plan.guards.is_empty();
    let asks = given.is_none() && !is_stopped && !session.voice.json;
    if session.voice.speaks() || asks {
        let mut aside = session.aside();
        // Who cannot see the plan is not asked either.
        let _ = plan::write(&mut aside, &plan, door).and_then(|()| aside.flush());
    }
    let answer = match given {
        Some(answer) => answer,
        None if is_stopped => Answer::Yes,
        None if session.voice.json => return Err(not_asked(&plan)),
        None => ask(&plan, door.stdin)?,
    };
    plan.confirm(&answer)
}

/// Says that nobody is asked with `--json`, where standard error carries lines of JSON alone.
fn not_asked(plan: &Plan) -> Report {
    Report::new(
        Fault::Refused,
        "nothing was written: nobody is asked with --json",
    )
    .hint(format!("answer by {}", plan::instead(plan)))
    .on_source(&plan.target.source)
}

fn ask(plan: &Plan, stdin: Stdin) -> Result<Answer, Report> {
    let question = match &plan.confirmation {
        Confirmation::Yes => "Apply? [y/N] ".to_owned(),
        Confirmation::Typed(_) if plan.items.len() == 1 => {
            format!("{}. Type the state ID: ", plan::protected(plan))
        }
        Confirmation::Typed(number) => format!(
            "{}. Type the number of states ({number}): ",
            plan::protected(plan)
        ),
    };
    let line = prompt::ask(&question, stdin, &plan::instead(plan))?;
    let answer = match (&plan.confirmation, line) {
        (Confirmation::Yes, Some(line)) => prompt::is_yes(&line).then_some(Answer::Yes),
        (Confirmation::Typed(_), Some(line)) => (!line.is_empty()).then_some(Answer::Typed(line)),
        (_, None) => None,
    };
    answer.ok_or_else(prompt::declined)
}

/// Tells what came of a plan; gives the highest exit code met.
fn came_out(session: &mut Session, planned: &Planned, carried: &Carried) -> std::io::Result<u8> {
    let mut told = outcome::of_carried(carried);
    told.extend(outcome::of_unplanned(planned));
    let mut code = outcome::write(session, &told)?;
    show_versions(session, planned, Some(carried));
    if let Some(report) = &carried.afterwards {
        session.voice.error(report);
        code = code.max(report.fault.exit_code());
    }
    let operation = carried.operation;
    let was_written = |result| matches!(result, ItemResult::Done | ItemResult::Overwritten);
    let last = if carried.outcomes.iter().any(|one| was_written(one.result)) {
        format!("operation {operation} · undo it with `statescope undo {operation}`")
    } else {
        format!("operation {operation} · nothing was written")
    };
    session.voice.last(last);
    Ok(code)
}

/// Shows the three versions of each state that has moved on, as two differences.
fn show_versions(session: &Session, planned: &Planned, carried: Option<&Carried>) {
    if session.voice.json {
        return;
    }
    let refused = planned.refused.iter();
    let refused = refused.filter_map(|refused| {
        Some((
            "since the operation",
            &refused.id,
            refused.versions.as_ref()?,
        ))
    });
    let outcomes = carried.map_or(&[][..], |carried| &carried.outcomes).iter();
    let outcomes = outcomes
        .filter_map(|outcome| Some(("since you read it", &outcome.id, outcome.versions.as_ref()?)));
    let mut aside = session.aside();
    for (since, id, versions) in outcomes.chain(refused) {
        // The error itself is told apart from this.
        let _ = outcome::write_versions(&mut aside, id, since, versions);
    }
}

/// Reads a document that is to be written.
pub(super) fn document(bytes: impl Into<Vec<u8>>, what: &str) -> Result<Document, Report> {
    Document::parse(bytes).map_err(|error| {
        Report::new(
            Fault::Usage,
            format!("{what} is not JSON; nothing was written"),
        )
        .because(error)
        .hint("it is one JSON value; a shell wants it quoted: '{\"a\": 1}', '\"text\"'")
    })
}

impl Session {
    /// Gives a way to write to standard error in columns and colours.
    pub(super) fn aside(&self) -> Output {
        let is_terminal = std::io::stderr().is_terminal();
        let width = self.out.width().filter(|_| is_terminal);
        Output::aside(self.colour_aside, width)
    }

    /// Finds the job that is to be written, and says what is to be known of its source.
    pub(super) async fn locate_to_write(&mut self, text: &str) -> Result<Located, Report> {
        let Some(located) = self.locate(text).await? else {
            return Err(self.unknown(Fault::No, None, text).await);
        };
        self.look_back_to_write(&located.source).await;
        Ok(located)
    }

    /// Names what may have been meant, where a state that is not there was to be edited and the job is not known at all.
    pub(super) async fn with_nearest(&mut self, located: &Located, planned: &mut Planned) {
        let [refused] = planned.refused.as_mut_slice() else {
            return;
        };
        let open = &located.source.open;
        if refused.report.fault != Fault::No || planned.plan.is_some() {
            return;
        }
        let timeline = read::timeline(open, &located.id).await;
        if timeline.is_ok_and(|timeline| !super::sites::is_known(&timeline)) {
            refused.report = self.unknown(Fault::No, Some(located), "").await;
        }
    }
}

impl Place {
    /// Reads one operation, which has to be there.
    pub(super) async fn operation(
        &self,
        id: crate::domain::operation::OperationId,
    ) -> Result<crate::domain::operation::Operation, Report> {
        let journal = self.store()?;
        let found = match self.existing() {
            None => None,
            Some(journal) => {
                let found = journal.get(id).await;
                found.map_err(|error| error.report(&journal))?
            }
        };
        found.ok_or_else(|| {
            Report::new(
                Fault::No,
                format!("there is no operation {id} in the journal {journal}"),
            )
            .hint("`statescope operations` lists them")
        })
    }
}

/// Tells that an operation needs nothing more: each of its states is as it should be.
pub(super) fn pass_by(
    session: &mut Session,
    operation: &crate::domain::operation::Operation,
    what: &str,
) -> std::io::Result<u8> {
    let items = operation.items.iter();
    let told: Vec<Told<'_>> = items.map(|item| Told::unchanged(&item.state_id)).collect();
    let code = outcome::write(session, &told)?;
    session.voice.note(what);
    Ok(code)
}
