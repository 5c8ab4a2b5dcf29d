//! `diff`: two states, by meaning.

use std::io::ErrorKind;

use super::names::Names;
use super::output::Failure;
use super::session::Session;
use super::sites::{Located, is_known, shell_word};
use crate::domain::diff::{Diff, diff};
use crate::domain::digest::Digest;
use crate::domain::history::{Snapshot, Timeline};
use crate::domain::json::Document;
use crate::domain::moment::Stamp;
use crate::domain::shape::{Shape, Shapes};
use crate::ops::read;
use crate::report::{Fault, Report};

mod answer;
mod beside;
mod many;
mod markdown;
mod patch;
mod stat;
mod text;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A job (`STATE_ID`, `SOURCE::STATE_ID`, `STATE_ID@SNAPSHOT`), a file (its path starts with `.` or `/`), or `-` for
    /// standard input. Many at once: `SOURCE::`, all of a source paired by ID, or a pattern with `*`, as 'prod:*', paired with
    /// RIGHT's by what the wildcards take.
    #[arg(value_name = "LEFT")]
    left: String,
    /// The same; without it a job is compared with itself: the snapshot before with the one named, or with `now`.
    #[arg(value_name = "RIGHT")]
    right: Option<String>,
    /// The snapshot of LEFT: its ID or the beginning of it, its number in `log`, -2 for the one before the newest, or a time.
    #[arg(long, value_name = "SNAPSHOT", allow_hyphen_values = true)]
    at: Option<String>,
    /// The snapshot of RIGHT, or without RIGHT the one to compare LEFT's with.
    #[arg(long, value_name = "SNAPSHOT", allow_hyphen_values = true)]
    right_at: Option<String>,
    /// The form of the answer. Patches are refused where they cannot carry the difference.
    #[arg(long, value_name = "FORMAT", conflicts_with = "stat")]
    format: Option<Format>,
    /// Only how many changes there are in each stream.
    #[arg(long)]
    stat: bool,
    /// Compares the structure, not the values: keys, what is an array, and kinds of values; of arrays which shapes their
    /// elements have.
    #[arg(long)]
    shape: bool,
}

/// Compares documents as it was asked for.
enum Comparer {
    Values,
    Shapes(Shapes),
}

/// Stands for what a comparer looks at of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Value(Digest),
    Shape(Shape),
}

impl Comparer {
    fn of(arguments: &Arguments) -> Self {
        if arguments.shape {
            Self::Shapes(Shapes::default())
        } else {
            Self::Values
        }
    }

    /// Gives what is the same for two documents when there is no difference between them.
    fn mark(&mut self, document: &Document) -> Mark {
        match self {
            Self::Values => Mark::Value(Digest::of(document.root())),
            Self::Shapes(shapes) => Mark::Shape(shapes.of(document)),
        }
    }

    fn diff(&mut self, left: &Document, right: &Document) -> Diff {
        match self {
            Self::Values => diff(left, right),
            Self::Shapes(shapes) => shapes.diff(left, right),
        }
    }
}

/// Names the forms of an answer that are not `--json`.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// One line a change, by stream.
    Text,
    /// Both values of each change in two columns.
    SideBySide,
    /// The operations that make RIGHT of LEFT (RFC 6902).
    JsonPatch,
    /// The members to set and to remove (RFC 7396), arrays whole.
    MergePatch,
    /// A table for a pull request or a note.
    Markdown,
}

impl Arguments {
    /// Refuses forms that do not go together.
    fn check(&self, json: bool) -> Result<(), Report> {
        let other = if self.stat { "--stat" } else { "--format" };
        if json && (self.stat || self.format.is_some()) {
            let message = format!("--json and {other} are two forms of one answer");
            let hint = "leave one out; STATESCOPE_JSON in the environment is as --json";
            return Err(Report::new(Fault::Usage, message).hint(hint));
        }
        if self.shape && matches!(self.format, Some(Format::JsonPatch | Format::MergePatch)) {
            let message = "a patch leads to a value, and --shape looks at none";
            return Err(Report::new(Fault::Usage, message).hint("leave out --shape"));
        }
        Ok(())
    }
}

/// Holds one side: a document and what it is called.
struct Side {
    document: Document,
    /// The source that it is from; `None` for a file.
    source: Option<String>,
    /// The job, or the file's path.
    name: String,
    /// The snapshot; `None` for a file.
    snapshot: Option<Taken>,
}

impl Side {
    /// Tells whether the sides are a job's newest snapshot and what the source holds now.
    fn is_before_now(&self, right: &Self) -> bool {
        let is_now = |side: &Self| {
            side.snapshot
                .as_ref()
                .is_some_and(|taken| taken.id == "now")
        };
        self.snapshot.is_some() && !is_now(self) && is_now(right)
    }
}

/// Names the snapshot that a side is.
struct Taken {
    id: String,
    short: String,
    at: Option<Stamp>,
}

/// Holds what one word on the command line means.
enum Operand {
    File { name: String, document: Document },
    Job(Box<Job>),
}

struct Job {
    located: Located,
    timeline: Timeline,
    /// The place of the snapshot in the timeline.
    place: usize,
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    arguments.check(session.voice.json)?;
    if let Some(groups) = many::groups(session, &arguments)? {
        return many::run(session, &arguments, groups).await;
    }
    let (left, right) = sides(session, &arguments).await?;
    let found = Comparer::of(&arguments).diff(&left.document, &right.document);
    let code = u8::from(!found.is_equal());
    if found.identical && arguments.right.is_none() && left.is_before_now(&right) {
        session.voice.note(format_args!(
            "now is what the run before left; `statescope diff {}` shows what that run changed",
            shell_word(&format!("{}@-2", arguments.left))
        ));
    }
    match write(session, &arguments, &found, &left, &right) {
        // A reader that has seen enough does not change the answer.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(code),
        Err(failure) => Err(failure),
        Ok(()) => Ok(code),
    }
}

fn write(
    session: &mut Session,
    arguments: &Arguments,
    found: &Diff,
    left: &Side,
    right: &Side,
) -> Result<(), Failure> {
    if session.voice.json {
        answer::write(&mut session.out, found, left, right)?;
        return Ok(());
    }
    session.out.page();
    if arguments.stat {
        stat::write(session, found, left, right)?;
        return Ok(());
    }
    match arguments.format.unwrap_or(Format::Text) {
        Format::Text => text::write(session, found, left, right)?,
        Format::SideBySide => beside::write(session, found, left, right)?,
        Format::Markdown => markdown::write(session, found, left, right)?,
        Format::JsonPatch => return patch::write_json_patch(&mut session.out, found),
        Format::MergePatch => return patch::write_merge_patch(&mut session.out, found),
    }
    Ok(())
}

async fn sides(session: &mut Session, arguments: &Arguments) -> Result<(Side, Side), Report> {
    let at = arguments.at.as_deref();
    let right_at = arguments.right_at.as_deref();
    let left = operand(session, &arguments.left, at).await?;
    if let Some(right) = &arguments.right {
        if right == "-" && arguments.left == "-" {
            return Err(Report::new(
                Fault::Usage,
                "standard input cannot be both sides",
            ));
        }
        let right = operand(session, right, right_at).await?;
        return Ok((left.side()?, right.side()?));
    }
    let Operand::Job(job) = left else {
        return Err(
            Report::new(Fault::Usage, "a file needs something to be compared with")
                .hint("write it behind the file: a state ID, or another file"),
        );
    };
    if let Some(text) = right_at {
        let place = job.place(session.find(&job.timeline, text)?);
        return Ok((job.side(job.place)?, job.side(place)?));
    }
    let before = match job.place.checked_sub(1) {
        Some(place) => job.side(place)?,
        None => Side {
            document: Document::empty_object(),
            snapshot: None,
            ..job.named("nothing")
        },
    };
    Ok((before, job.side(job.place)?))
}

/// Finds what a word means: a file, or a job at a snapshot.
async fn operand(session: &mut Session, text: &str, at: Option<&str>) -> Result<Operand, Report> {
    let is_file = text == "-" || names_a_file(session, text)?;
    if is_file {
        if at.is_some() {
            return Err(Report::new(
                Fault::Usage,
                format!("'{text}' is a file, and has no snapshots"),
            )
            .hint("leave out --at or --right-at"));
        }
        let document = read_file(session, text)?;
        let name = text.to_owned();
        return Ok(Operand::File { name, document });
    }
    let mut whole = None;
    for (id, snapshot) in readings(session, text, at) {
        match session.locate(id).await? {
            Some(located) => {
                let timeline = read::timeline(&located.source.open, &located.id).await?;
                if is_known(&timeline) {
                    session.mention(&located.source).await;
                    session.look_for_overwritten(&located).await;
                    return job(session, located, timeline, snapshot);
                }
                whole = Some(located);
            }
            None => whole = None,
        }
    }
    Err(session.unknown(Fault::NotFound, whole.as_ref(), text).await)
}

/// Tells a path from a `SOURCE::STATE_ID` whose source is a path.
fn names_a_file(session: &Session, text: &str) -> Result<bool, Report> {
    let is_path = text.starts_with(['.', '/']);
    let is_there = || session.surroundings.directory.join(text).is_file();
    Ok(is_path && (is_there() || session.qualified(text)?.is_none()))
}

/// Lists what a text can mean, the likeliest first: split at the last `@` whose right side is a snapshot, then whole.
pub(super) fn readings<'t>(
    session: &Session,
    text: &'t str,
    at: Option<&'t str>,
) -> Vec<(&'t str, Option<&'t str>)> {
    if at.is_some() {
        return vec![(text, at)];
    }
    let is_snapshot = |right: &str| {
        right == "now"
            || right.starts_with("run:")
            || right.parse::<i64>().is_ok()
            || session.clock.parse(right).is_some()
    };
    let split = text.rmatch_indices('@').find_map(|(place, _)| {
        let (left, right) = (text.get(..place)?, text.get(place + 1..)?);
        is_snapshot(right).then_some((left, Some(right)))
    });
    split.into_iter().chain([(text, None)]).collect()
}

fn job(
    session: &Session,
    located: Located,
    timeline: Timeline,
    snapshot: Option<&str>,
) -> Result<Operand, Report> {
    let mut job = Job {
        place: timeline.snapshots.len().saturating_sub(1),
        located,
        timeline,
    };
    if let Some(text) = snapshot {
        job.place = job.place(session.find(&job.timeline, text)?);
    }
    Ok(Operand::Job(Box::new(job)))
}

impl Operand {
    fn side(self) -> Result<Side, Report> {
        match self {
            Self::Job(job) => job.side(job.place),
            Self::File { name, document } => Ok(Side {
                document,
                source: None,
                name,
                snapshot: None,
            }),
        }
    }
}

impl Job {
    /// Gives the place of one of its snapshots.
    fn place(&self, snapshot: &Snapshot) -> usize {
        let snapshots = self.timeline.snapshots.iter();
        let found = snapshots.take_while(|other| other.number != snapshot.number);
        found.count()
    }

    fn named(&self, name: &str) -> Side {
        Side {
            document: Document::empty_object(),
            source: Some(self.located.source.open.source.to_string()),
            name: name.to_owned(),
            snapshot: None,
        }
    }

    fn side(&self, place: usize) -> Result<Side, Report> {
        let id = &self.located.id;
        let Some(snapshot) = self.timeline.snapshots.get(place) else {
            return Ok(self.named(id.as_str()));
        };
        let document = snapshot.effective.as_ref().map_err(|why| {
            Report::new(
                Fault::Corrupt,
                format!("the state of '{id}' at {} cannot be told", snapshot.id),
            )
            .because(why)
            .hint("look at its parts with `statescope get --part completed` and `--part partial`")
            .on_source(&self.located.source.open.source)
            .on_state(id.as_str())
        })?;
        Ok(Side {
            document: document.clone(),
            snapshot: Some(Taken {
                id: snapshot.id.as_str().to_owned(),
                short: Names::of(&self.timeline).of_snapshot(snapshot),
                at: snapshot.at.clone(),
            }),
            ..self.named(id.as_str())
        })
    }
}

fn read_file(session: &Session, text: &str) -> Result<Document, Report> {
    let (name, bytes) = session.read_input(text)?;
    Document::parse(bytes).map_err(|error| {
        Report::new(Fault::Corrupt, format!("cannot read {name}"))
            .because(format!("it is not JSON: {error}"))
            .hint("a file holds one JSON document, as `statescope get` prints it")
    })
}
