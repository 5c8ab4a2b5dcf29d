//! The jobs of all sources, and the filter over them.

use crate::domain::id::{Matches, NameIndex, StateId};
use crate::domain::job::Job;
use crate::domain::ui::KeyPress;
use crate::tui::command::Step;
use crate::tui::message::{Effect, Ticket};
use crate::tui::model::Tickets;
use crate::tui::widget::cursor::Cursor;
use crate::tui::widget::field::Field;
use order::Head;

mod order;
mod view;

pub use order::{Grouping, Order};
pub use view::{line_at, lines, page, reported, status, view};

/// Up to how many names are filtered at once; more are filtered elsewhere, so that no key waits.
const FILTERED_AT_ONCE: usize = 4_096;

/// Holds a job and the source that it is in.
#[derive(Debug, Clone)]
pub struct Row {
    /// The place of the source.
    pub source: usize,
    /// The job.
    pub job: Job,
}

/// Holds a question to the filter that has no answer yet.
#[derive(Debug, Clone)]
struct Wanted {
    ticket: Ticket,
    query: String,
}

/// Holds the jobs of all sources, which of them are shown, and the cursor among those.
#[derive(Debug, Default)]
pub struct Jobs {
    rows: Vec<Row>,
    names: NameIndex,
    field: Field,
    /// Whether keys go to the field.
    pub editing: bool,
    matches: Option<Matches>,
    wanted: Option<Wanted>,
    order: Order,
    grouping: Grouping,
    shown: Vec<u32>,
    /// Whether the shown rows are all that there were when they were put in order.
    is_all_shown: bool,
    heads: Vec<Head>,
    /// The position of the job under the cursor, and the first line on the screen.
    cursor: Cursor,
    /// The job that the cursor was on, while its source is read again and it has not come yet.
    held: Option<(usize, StateId)>,
}

impl Jobs {
    /// Gives the job under the cursor; none while the one that it belongs on has yet to come.
    pub fn selected(&self) -> Option<&Row> {
        match self.held {
            None => self.at(self.cursor.at),
            Some(_) => None,
        }
    }

    fn at(&self, position: usize) -> Option<&Row> {
        self.rows.get(*self.shown.get(position)? as usize)
    }

    /// Gives all names, in the order in which they came.
    #[cfg(test)]
    pub fn names(&self) -> &NameIndex {
        &self.names
    }

    /// Gives the names that are shown, in order.
    #[cfg(test)]
    pub fn names_shown(&self) -> impl Iterator<Item = &str> {
        (0..self.shown.len()).filter_map(|position| Some(self.at(position)?.job.id.as_str()))
    }

    /// Tells whether no source gave a job.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Gives what the field holds.
    pub fn query(&self) -> &str {
        self.field.value()
    }

    /// Takes in jobs of one source, behind those that it gave before.
    pub fn add(&mut self, source: usize, jobs: Vec<Job>, tickets: &mut Tickets) -> Option<Effect> {
        for job in jobs {
            self.names.push(job.id.clone());
            self.rows.push(Row { source, job });
        }
        let effect = self.refilter(tickets);
        self.take_up();
        effect
    }

    /// Takes the jobs of one source out; the cursor waits for its job to come again, until [`Self::release`].
    pub fn remove(&mut self, source: usize, tickets: &mut Tickets) -> Option<Effect> {
        let selected = self.selected().map(|row| (row.source, row.job.id.clone()));
        self.held = selected.or_else(|| self.held.take());
        self.rows.retain(|row| row.source != source);
        self.names = self.rows.iter().map(|row| row.job.id.clone()).collect();
        if let Some(matches) = &mut self.matches {
            matches.len = 0;
            matches.places.clear();
        }
        self.wanted = None;
        self.shown.clear();
        self.heads.clear();
        self.is_all_shown = false;
        let effect = self.refilter(tickets);
        self.take_up();
        effect
    }

    /// Lets the cursor be where it is, whatever it waits for.
    pub fn release(&mut self) {
        self.held = None;
    }

    /// Puts the cursor on the job that it waits for, when that is shown.
    fn take_up(&mut self) {
        let Some((source, id)) = &self.held else {
            return;
        };
        let is_it = |place: &u32| {
            self.rows
                .get(*place as usize)
                .is_some_and(|row| row.source == *source && row.job.id == *id)
        };
        if let Some(position) = self.shown.iter().position(is_it) {
            self.cursor.at = position;
            self.held = None;
        }
    }

    /// Brings what is shown in line with the query and the names, or asks for that.
    fn refilter(&mut self, tickets: &mut Tickets) -> Option<Effect> {
        let query = self.field.value();
        if query.trim().is_empty() {
            self.matches = None;
            self.wanted = None;
            let all = self.arranged(self.all_places());
            self.show(all);
            self.is_all_shown = true;
            return None;
        }
        if self.names.len() > FILTERED_AT_ONCE {
            return self.ask(query.to_owned(), tickets);
        }
        self.wanted = None;
        let found = Matches::find(&self.names, query, self.matches.as_ref(), &|| false);
        self.take(found?);
        None
    }

    /// Asks for a filter; a question that already waits for the same is not asked again, so that rows that keep coming
    /// cannot put the answer off for ever.
    fn ask(&mut self, query: String, tickets: &mut Tickets) -> Option<Effect> {
        if self
            .wanted
            .as_ref()
            .is_some_and(|wanted| wanted.query == query)
        {
            return None;
        }
        let ticket = tickets.next();
        let usable =
            |last: &&Matches| last.len == self.names.len() && query.starts_with(&last.query);
        let previous = self.matches.as_ref().filter(usable).cloned();
        self.wanted = Some(Wanted {
            ticket,
            query: query.clone(),
        });
        Some(Effect::Filter {
            ticket,
            names: self.names.clone(),
            query,
            previous,
        })
    }

    /// Takes in the answer of a filter; asks again when more names came meanwhile.
    pub fn filtered(
        &mut self,
        ticket: Ticket,
        matches: Matches,
        tickets: &mut Tickets,
    ) -> Option<Effect> {
        self.wanted.take_if(|wanted| wanted.ticket == ticket)?;
        let complete = matches.len == self.names.len();
        self.take(matches);
        self.take_up();
        if complete {
            None
        } else {
            self.refilter(tickets)
        }
    }

    /// Shows what matches: from the best match for a new query, with the cursor on its job for the same one.
    fn take(&mut self, matches: Matches) {
        let same = self
            .matches
            .as_ref()
            .is_some_and(|last| last.query == matches.query);
        self.is_all_shown = false;
        let places = matches.places.clone();
        self.matches = Some(matches);
        let arranged = self.arranged(places);
        if same {
            self.show(arranged);
        } else {
            self.shown = arranged;
            self.find_heads();
            self.cursor = Cursor::default();
            self.held = None;
        }
    }

    /// Shows other rows, and keeps the cursor on its job.
    fn show(&mut self, places: Vec<u32>) {
        let kept = self.shown.get(self.cursor.at).copied();
        self.shown = places;
        let position = kept.and_then(|kept| self.shown.iter().position(|place| *place == kept));
        self.cursor.at = position.unwrap_or(0);
        self.find_heads();
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step, page: usize) {
        self.release();
        self.cursor.step(step, self.shown.len(), page);
    }

    /// Puts the cursor on the job of a line of the list.
    pub fn put_on_line(&mut self, line: usize) {
        if let Some(order::ListLine::Job(position, _)) = self.line(line) {
            self.cursor.at = position;
            self.release();
        }
    }

    /// Brings the cursor onto the screen.
    pub fn settle(&mut self, page: usize) {
        self.cursor.at = self.cursor.at.min(self.shown.len().saturating_sub(1));
        let line = self.line_of(self.cursor.at);
        let mut lines = Cursor {
            at: line,
            top: self.cursor.top,
        };
        lines.settle(self.line_count(), page);
        if self.is_first_of_group(self.cursor.at) && page > 1 {
            lines.top = lines.top.min(line.saturating_sub(1));
        }
        self.cursor.top = lines.top;
    }

    /// Empties the field and shows everything again, with the cursor on its job.
    pub fn clear(&mut self, tickets: &mut Tickets) -> Option<Effect> {
        self.editing = false;
        self.field.reset();
        self.refilter(tickets)
    }

    /// Takes a key into the field; keys that no field knows change nothing.
    pub fn edit(&mut self, press: KeyPress, tickets: &mut Tickets) -> Option<Effect> {
        if !self.field.edit(press) {
            return None;
        }
        self.refilter(tickets)
    }

    /// Takes pasted text into the field.
    pub fn paste(&mut self, text: &str, tickets: &mut Tickets) -> Option<Effect> {
        self.field.paste(text);
        self.refilter(tickets)
    }
}
