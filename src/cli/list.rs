//! `list`: one line a job.

use std::collections::HashMap;
use std::io::{self, Write as _};

use futures_util::StreamExt;

use super::output::{Failure, Output};
use super::session::Session;
use super::sites::Source;
use crate::domain::digest::Digest;
use crate::domain::id::{IdPattern, StateId};
use crate::domain::job::Job;
use crate::ops::read;
use crate::report::{Report, printable};
use rows::JsonRows;
use table::TableRows;

mod rows;
mod table;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only the state IDs that match: `*` any characters (`/` and `:` too), `?` one, `[ab]` one of a set.
    #[arg(long, value_name = "GLOB")]
    pattern: Option<String>,
    /// Only the jobs that have a state, which are those that `meltano state list` names.
    #[arg(long)]
    with_state: bool,
    /// Bare state IDs, one a line, as stored; to a terminal, control characters in them come as escapes. An ID that holds a
    /// line feed takes two lines: use --json where that matters.
    #[arg(long, conflicts_with = "json")]
    ids: bool,
}

/// Holds one job with what is known of it beyond its source.
struct Row<'j> {
    job: &'j Job,
    /// What the command line calls its source.
    name: &'j str,
    live: bool,
    elsewhere: Vec<Other<'j>>,
}

/// Says that the state ID has a state in another source as well.
struct Other<'j> {
    source: &'j str,
    /// Whether it is the same value; `None` when that cannot be told.
    equal: Option<bool>,
}

/// Takes the jobs of one source after the other, and writes them in one form.
trait Sink {
    /// Takes a job of the present source.
    fn add(&mut self, row: &Row<'_>) -> io::Result<()>;
    /// Forgets the jobs of the present source: it failed, or begins again.
    fn forget(&mut self);
    /// Writes what must not wait for the other sources: the present one has given all.
    fn next_source(&mut self, out: &mut Output) -> io::Result<()>;
    /// Writes the rest.
    fn finish(&mut self, out: &mut Output) -> io::Result<()>;
}

pub(super) async fn run(session: &mut Session, arguments: Arguments) -> Result<u8, Failure> {
    let filter = Filter::of(&arguments)?;
    let sources = session.sources()?;
    session.out.page();
    let mut sink: Box<dyn Sink> = if arguments.ids {
        Box::new(IdRows::default())
    } else if session.voice.json {
        Box::new(JsonRows::new(session.clock.now))
    } else {
        Box::new(TableRows::new(session.clock.now, sources.len() > 1))
    };
    let compared = Compared::of(&sources).await;
    let mut listed = 0;
    let mut failed = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        session.mention(source).await;
        match read_source(source, &compared.beside(place), &filter, sink.as_mut()).await {
            Ok(count) => {
                listed += count;
                sink.next_source(&mut session.out)?;
            }
            Err(Failure::Report(report)) => {
                sink.forget();
                failed.push(*report);
            }
            Err(failure) => return Err(failure),
        }
    }
    report_failures(session, failed, sources.len())?;
    sink.finish(&mut session.out)?;
    if listed == 0 {
        session.voice.note(filter.nothing_found());
    }
    Ok(0)
}

/// Reports the sources that failed; when none answered, that is the command's own failure.
fn report_failures(
    session: &mut Session,
    mut failed: Vec<Report>,
    asked: usize,
) -> Result<(), Report> {
    let own = if failed.len() == asked {
        failed.pop()
    } else {
        None
    };
    for report in &failed {
        session.miss(report);
    }
    own.map_or(Ok(()), Err)
}

/// Gives the jobs of one source to the sink, and counts them.
async fn read_source(
    source: &Source,
    beside: &Beside<'_>,
    filter: &Filter,
    sink: &mut dyn Sink,
) -> Result<usize, Failure> {
    let live = source.open.site.is_live();
    let mut chunks = read::list(&source.open);
    let (mut generation, mut count) = (0, 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.generation != generation {
            generation = chunk.generation;
            count = 0;
            sink.forget();
        }
        for job in chunk.jobs.iter().filter(|job| filter.takes(job)) {
            count += 1;
            sink.add(&Row {
                job,
                name: &source.name,
                live,
                elsewhere: beside.elsewhere(job),
            })?;
        }
    }
    Ok(count)
}

/// Chooses the jobs to list.
struct Filter {
    pattern: Option<IdPattern>,
    with_state: bool,
}

impl Filter {
    fn of(arguments: &Arguments) -> Result<Self, Report> {
        let pattern = arguments.pattern.as_deref().map(IdPattern::parse);
        Ok(Self {
            pattern: pattern.transpose()?,
            with_state: arguments.with_state,
        })
    }

    fn takes(&self, job: &Job) -> bool {
        let pattern = self.pattern.as_ref();
        (job.has_state || !self.with_state) && pattern.is_none_or(|glob| glob.matches(&job.id))
    }

    fn nothing_found(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("no state ID matches '{}'", pattern.as_str()),
            None => "there are no jobs".to_owned(),
        }
    }
}

type Digests = HashMap<StateId, Option<Digest>>;

/// Holds a digest of each state of each source, when there are several.
struct Compared<'s> {
    sources: Vec<(&'s str, Digests)>,
}

impl<'s> Compared<'s> {
    async fn of(sources: &'s [Source]) -> Self {
        let mut compared = Vec::new();
        for source in sources.iter().filter(|_| sources.len() > 1) {
            // A source that fails here fails again when it is listed, and is reported then.
            let digests = read::digests(&source.open).await.unwrap_or_default();
            compared.push((&*source.open.source, digests));
        }
        Self { sources: compared }
    }

    fn beside(&self, place: usize) -> Beside<'_> {
        Beside {
            compared: self,
            place,
        }
    }
}

/// Looks from one source at the others.
struct Beside<'c> {
    compared: &'c Compared<'c>,
    place: usize,
}

impl Beside<'_> {
    fn elsewhere(&self, job: &Job) -> Vec<Other<'_>> {
        let sources = self.compared.sources.iter().enumerate();
        let own = self.compared.sources.get(self.place);
        let own = own.and_then(|(_, digests)| digests.get(&job.id)).copied();
        sources
            .filter(|(place, _)| *place != self.place)
            .filter_map(|(_, (source, digests))| {
                let other = *digests.get(&job.id)?;
                let equal = match own {
                    None => Some(false),
                    Some(own) => own.zip(other).map(|(own, other)| own == other),
                };
                Some(Other { source, equal })
            })
            .collect()
    }
}

/// Writes bare state IDs.
#[derive(Default)]
struct IdRows {
    ids: Vec<StateId>,
}

impl Sink for IdRows {
    fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.ids.push(row.job.id.clone());
        Ok(())
    }

    fn forget(&mut self) {
        self.ids.clear();
    }

    fn next_source(&mut self, out: &mut Output) -> io::Result<()> {
        let is_terminal = out.is_terminal();
        for id in self.ids.drain(..) {
            if is_terminal {
                writeln!(out, "{}", printable(id.as_str()))?;
            } else {
                writeln!(out, "{}", id.as_str())?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Output) -> io::Result<()> {
        Ok(())
    }
}
