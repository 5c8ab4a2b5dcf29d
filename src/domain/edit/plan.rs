//! Plans: what a write would do, what stands against it, and the confirmation that makes it one.

use jiff::{SignedDuration, Timestamp};

use super::{Batch, Change, Edit, EditRun, Group, payloads};
use crate::domain::history::Stored;
use crate::domain::id::StateId;
use crate::domain::lint::Finding;
use crate::domain::location::SourceKey;
use crate::domain::operation::{OperationKind, Undoes};
use crate::domain::state::State;
use crate::domain::version::Expect;
use crate::report::{Fault, Report};

/// Says where a plan would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The site's name.
    pub site: String,
    /// The display form of the source's URI.
    pub source: String,
    /// The place, for the journal.
    pub key: SourceKey,
    /// What chose it, as words.
    pub decided_by: String,
    /// What Meltano reads instead, as words; `None` when this source is the live one.
    pub elsewhere: Option<String>,
}

/// Is something that keeps a plan from being carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// The source is not written to; says why.
    ReadOnly(String),
    /// The job runs, and would go on from what it read, or write over the edit.
    Running {
        /// The job.
        id: StateId,
        /// The run's ID.
        run_id: Option<String>,
        /// When it last gave a sign of life, or started.
        since: Option<Timestamp>,
    },
}

impl Guard {
    /// Makes the report of a refusal.
    pub fn report(&self) -> Report {
        match self {
            Self::ReadOnly(why) => {
                Report::new(Fault::Refused, "the source is not written to").because(why)
            }
            Self::Running { id, since, .. } => {
                let report = Report::new(Fault::Refused, format!("'{id}' is running"))
                    .hint("wait until it ends, or write all the same with --even-if-running")
                    .on_state(id.as_str());
                match since {
                    Some(since) => report.because(format!(
                        "its last sign of life is of {since}; what it writes when it ends would replace the edit"
                    )),
                    None => report,
                }
            }
        }
    }
}

/// Says what a person has to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// Yes or no.
    Yes,
    /// A text, typed: a state ID, or for several states their number.
    Typed(String),
}

/// Is what a person, or the command line, answered; a no is none, and makes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Yes,
    /// A text.
    Typed(String),
}

/// Holds what a plan would do to one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The state.
    pub id: StateId,
    /// What is wanted.
    pub edit: Edit,
    /// What was read; `None` for no state.
    pub before: Option<Stored>,
    /// What would be there; `None` for no state.
    pub after: Option<State>,
    /// What is wrong with it, or worth knowing.
    pub findings: Vec<Finding>,
    /// What follows, one sentence each.
    pub consequences: Vec<String>,
}

impl Item {
    /// Gives the state that was read.
    pub fn state_before(&self) -> Option<&State> {
        self.before.as_ref().map(|stored| &stored.state)
    }

    /// Tells whether nothing would change.
    pub fn is_unchanged(&self) -> bool {
        super::is_same(self.state_before(), self.after.as_ref())
    }

    /// Gives the changes that make it so, all together or none: the state's, and the runs that tell of it.
    ///
    /// A deletion writes no run, as Meltano 4.4.1's `state clear` writes none. Of two runs the second ends a microsecond
    /// later, since the upgrade of a system database counts only what ended later than a whole state.
    fn group(&self, at: Timestamp, trigger: &str, new_id: &mut dyn FnMut() -> String) -> Group {
        let expect = match &self.before {
            None => Expect::Absent,
            Some(stored) => Expect::Version(stored.version.clone()),
        };
        let id = self.id.clone();
        let Some(state) = self.after.clone() else {
            return Group(match expect {
                Expect::Absent => Vec::new(),
                Expect::Version(expect) => vec![Change::Delete { id, expect }],
            });
        };
        let runs = payloads(&state).into_iter().enumerate();
        let runs: Vec<Change> = runs
            .map(|(place, payload)| {
                let later = SignedDuration::from_micros(i64::try_from(place).unwrap_or(0));
                Change::AppendEdit(EditRun {
                    state_id: self.id.clone(),
                    run_id: new_id(),
                    at: at.checked_add(later).unwrap_or(at),
                    trigger: trigger.to_owned(),
                    flags: payload.flags,
                    payload: payload.document,
                })
            })
            .collect();
        let mut changes = vec![Change::Put { id, state, expect }];
        changes.extend(runs);
        Group(changes)
    }
}

/// Holds what a write would do. Showing it writes nothing; only a confirmed one can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What kind of command made it.
    pub kind: OperationKind,
    /// Where it would write.
    pub target: Target,
    /// Its states, each one with a change.
    pub items: Vec<Item>,
    /// What it takes back.
    pub undoes: Option<Undoes>,
    /// What stands against it.
    pub guards: Vec<Guard>,
    /// The environments of its states that are protected, each once.
    pub protected: Vec<String>,
    /// What has to be answered.
    pub confirmation: Confirmation,
    /// Why, as the person said.
    pub reason: Option<String>,
}

impl Plan {
    /// Gives the text that stands for this plan: the ID of its state, or how many there are.
    pub fn text_to_type(items: &[Item]) -> String {
        match items {
            [item] => item.id.as_str().to_owned(),
            items => items.len().to_string(),
        }
    }

    /// Takes an answer, and makes the plan one that can be carried out.
    ///
    /// Fails with [`Fault::Refused`] when something stands against it, or the answer is not the one that it wants.
    pub fn confirm(self, answer: &Answer) -> Result<Confirmed<Self>, Report> {
        if let Some(guard) = self.guards.first() {
            return Err(guard.report().on_source(&self.target.source));
        }
        let wanted = Self::text_to_type(&self.items);
        let is_right = match (&self.confirmation, answer) {
            (Confirmation::Yes, Answer::Yes) => true,
            (Confirmation::Typed(wanted), Answer::Typed(text)) => wanted == text,
            (Confirmation::Yes, Answer::Typed(text)) => *text == wanted,
            (Confirmation::Typed(_), Answer::Yes) => false,
        };
        if is_right {
            return Ok(Confirmed(self));
        }
        let report = match (&self.confirmation, answer) {
            (Confirmation::Typed(_), Answer::Yes) => {
                Report::new(Fault::Refused, "a protected state is not written on a yes")
                    .hint(format!("type '{wanted}', or give it by --confirm"))
            }
            (_, Answer::Typed(text)) => Report::new(
                Fault::Refused,
                format!("'{text}' is not what was asked for"),
            )
            .hint(format!("it is '{wanted}'")),
            (_, Answer::Yes) => Report::new(Fault::Refused, "the plan was not confirmed"),
        };
        Err(report.on_source(&self.target.source))
    }
}

/// Wraps what a person has confirmed; made of a [`Plan`] by its answer, and in no other way.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed<T>(T);

impl<T> Confirmed<T> {
    /// Gives what was confirmed.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// Gives what was confirmed, to be used up.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Confirmed<Plan> {
    /// Makes what the store is asked to write, one group a state, in their order.
    ///
    /// `at` is the time of the edit, `trigger` what the runs say that started it; `new_id` makes the ID of a run.
    pub fn batch(
        &self,
        at: Timestamp,
        trigger: &str,
        new_id: &mut dyn FnMut() -> String,
    ) -> Confirmed<Batch> {
        let items = self.0.items.iter();
        Confirmed(Batch {
            groups: items.map(|item| item.group(at, trigger, new_id)).collect(),
        })
    }
}
