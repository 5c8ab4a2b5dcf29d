//! In which order jobs are shown, and in which groups.

use std::cmp::{Ordering, Reverse};

use super::{Jobs, Row};

/// Says in which order jobs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As the sources give them, or the best match of a filter first.
    #[default]
    Source,
    /// By their IDs.
    Id,
    /// The latest run first.
    LastRun,
    /// The oldest bookmark first: what has stopped moving.
    Bookmark,
    /// The largest state first.
    Size,
    /// The worst finding first.
    Findings,
}

impl Order {
    /// Gives the one after it; after the last the first.
    pub fn next(self) -> Self {
        match self {
            Self::Source => Self::Id,
            Self::Id => Self::LastRun,
            Self::LastRun => Self::Bookmark,
            Self::Bookmark => Self::Size,
            Self::Size => Self::Findings,
            Self::Findings => Self::Source,
        }
    }

    /// Says it in a heading; `None` for what needs no word.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Source => None,
            Self::Id => Some("by ID"),
            Self::LastRun => Some("by run"),
            Self::Bookmark => Some("by bookmark"),
            Self::Size => Some("by size"),
            Self::Findings => Some("by finding"),
        }
    }

    fn compare(self, a: &Row, b: &Row) -> Ordering {
        match self {
            Self::Source => Ordering::Equal,
            Self::Id => a.job.id.as_str().cmp(b.job.id.as_str()),
            Self::LastRun => last_run(a).cmp(&last_run(b)),
            Self::Bookmark => bookmark(a).cmp(&bookmark(b)),
            Self::Size => b.job.size.cmp(&a.job.size),
            Self::Findings => worst(b).cmp(&worst(a)),
        }
    }
}

/// Orders by the time of the last run, those without one last.
fn last_run(row: &Row) -> (bool, Reverse<Option<jiff::Timestamp>>) {
    let run = row.job.last_run.as_ref().or(row.job.last_edit.as_ref());
    let at = run.and_then(|run| run.at()?.instant);
    (at.is_none(), Reverse(at))
}

/// Orders by the time of the newest bookmark, those without one last.
fn bookmark(row: &Row) -> (bool, Option<jiff::Timestamp>) {
    let newest = row.job.bookmark.as_ref().map(|ages| ages.newest);
    (newest.is_none(), newest)
}

fn worst(row: &Row) -> Option<crate::domain::lint::Severity> {
    row.job.findings.iter().map(|found| found.severity).max()
}

/// Says in which groups jobs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// In none.
    #[default]
    None,
    /// By the environment that their IDs name.
    Environment,
    /// By their sources.
    Source,
}

impl Grouping {
    /// Gives the one after it; where there is one source only, there are no groups by source.
    pub fn next(self, several_sources: bool) -> Self {
        match self {
            Self::None => Self::Environment,
            Self::Environment if several_sources => Self::Source,
            Self::Environment | Self::Source => Self::None,
        }
    }

    /// Says it in a heading; `None` for what needs no word.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Environment => Some("per environment"),
            Self::Source => Some("per source"),
        }
    }

    fn compare(self, a: &Row, b: &Row) -> Ordering {
        match self {
            Self::None => Ordering::Equal,
            Self::Environment => {
                let key = |environment: Option<&str>| environment.is_none();
                let (a, b) = (environment(a), environment(b));
                key(a).cmp(&key(b)).then(a.cmp(&b))
            }
            Self::Source => a.source.cmp(&b.source),
        }
    }

    fn of(self, row: &Row) -> Option<Group> {
        match self {
            Self::None => None,
            Self::Environment => Some(Group::Environment(environment(row).map(str::to_owned))),
            Self::Source => Some(Group::Source(row.source)),
        }
    }
}

fn environment(row: &Row) -> Option<&str> {
    row.job.id.parts().map(|parts| parts.environment)
}

/// Is what the jobs of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// The environment that their IDs name, or that they name none.
    Environment(Option<String>),
    /// The place of their source.
    Source(usize),
}

/// Is the line over a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The position of its first job.
    at: usize,
    /// What it is a group of.
    pub group: Group,
    /// How many jobs it has.
    pub count: usize,
}

/// Is a line of the list.
pub enum ListLine<'j> {
    /// The name of a group.
    Head(&'j Head),
    /// A job, and its position among the jobs.
    Job(usize, &'j Row),
}

impl Jobs {
    /// Goes on to the next order; the cursor stays on its job.
    pub fn next_order(&mut self) {
        self.order = self.order.next();
        self.rearrange();
    }

    /// Goes on to the next grouping; the cursor stays on its job.
    pub fn next_grouping(&mut self, several_sources: bool) {
        self.grouping = self.grouping.next(several_sources);
        self.rearrange();
    }

    fn rearrange(&mut self) {
        let places = match &self.matches {
            Some(matches) => matches.places.clone(),
            None => self.all_places(),
        };
        let arranged = self.arranged(places);
        self.show(arranged);
    }

    /// Gives all places; those that are shown in their order, so that sorting them again costs little.
    pub(super) fn all_places(&self) -> Vec<u32> {
        let all = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let known = if self.is_all_shown {
            &self.shown[..]
        } else {
            &[]
        };
        let first = u32::try_from(known.len()).unwrap_or(u32::MAX);
        known.iter().copied().chain(first..all).collect()
    }

    /// Puts places into the order that was asked for; what is equal in it stays as it comes, or of no filter, as the sources
    /// give it.
    pub(super) fn arranged(&self, mut places: Vec<u32>) -> Vec<u32> {
        let filtered = self.matches.is_some();
        if filtered && self.order == Order::Source && self.grouping == Grouping::None {
            return places;
        }
        places.sort_by(|a, b| {
            let (Some(left), Some(right)) =
                (self.rows.get(*a as usize), self.rows.get(*b as usize))
            else {
                return Ordering::Equal;
            };
            let asked = self
                .grouping
                .compare(left, right)
                .then_with(|| self.order.compare(left, right));
            if filtered {
                asked
            } else {
                asked.then_with(|| (left.source, a).cmp(&(right.source, b)))
            }
        });
        places
    }

    /// Finds the lines over the groups.
    pub(super) fn find_heads(&mut self) {
        let mut heads: Vec<Head> = Vec::new();
        if self.grouping != Grouping::None {
            for position in 0..self.shown.len() {
                let group = self.at(position).and_then(|row| self.grouping.of(row));
                let Some(group) = group else { continue };
                match heads.last_mut() {
                    Some(last) if last.group == group => last.count += 1,
                    _ => heads.push(Head {
                        at: position,
                        group,
                        count: 1,
                    }),
                }
            }
        }
        self.heads = heads;
    }

    /// Counts the lines of the list.
    pub(super) fn line_count(&self) -> usize {
        self.shown.len() + self.heads.len()
    }

    /// Gives the line that a job is on.
    pub(super) fn line_of(&self, position: usize) -> usize {
        position + self.heads.partition_point(|head| head.at <= position)
    }

    /// Tells whether a job is the first of a group.
    pub(super) fn is_first_of_group(&self, position: usize) -> bool {
        self.heads
            .binary_search_by_key(&position, |head| head.at)
            .is_ok()
    }

    /// Gives a line.
    pub fn line(&self, line: usize) -> Option<ListLine<'_>> {
        let before = self.heads.iter().enumerate();
        let above = before
            .take_while(|(number, head)| head.at + number < line)
            .count();
        match self.heads.get(above) {
            Some(head) if head.at + above == line => Some(ListLine::Head(head)),
            _ => {
                let position = line.checked_sub(above)?;
                Some(ListLine::Job(position, self.at(position)?))
            }
        }
    }
}
