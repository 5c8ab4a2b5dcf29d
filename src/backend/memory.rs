//! States in memory: the reference of what a store does, with faults where a test wants them.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::Semaphore;

use super::{Access, BackendError, Capabilities, Committed, Listing, Result, StateBackend};
use crate::domain::edit::{Batch, Change, Confirmed, EditRun, Group};
use crate::domain::history::{Folding, Stored};
use crate::domain::id::StateId;
use crate::domain::job::{Beside, Listed};
use crate::domain::location::SourceKey;
use crate::domain::state::State;
use crate::domain::version::{Expect, Version};

/// How many jobs a chunk of a list holds at most.
const CHUNK_ROWS: usize = 256;

/// Numbers the stores of this process, so that each has a key of its own.
static STORES: AtomicU64 = AtomicU64::new(1);

/// Holds states in memory; every clone is another handle on the same ones.
///
/// Each write has a version of its own, also one that writes the same bytes.
#[derive(Debug, Clone)]
pub struct Memory {
    number: u64,
    held: Arc<Mutex<Held>>,
    turns: Arc<Mutex<Turns>>,
}

/// Holds what becomes of the next calls, by their kind.
type Turns = Vec<(Call, VecDeque<Turn>)>;

/// Names what is asked of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// [`StateBackend::capabilities`].
    Capabilities,
    /// [`StateBackend::list`].
    List,
    /// [`StateBackend::read`].
    Read,
    /// [`StateBackend::key`].
    Key,
    /// [`StateBackend::commit`].
    Commit,
}

/// Says what becomes of one call.
#[derive(Debug, Clone)]
pub enum Turn {
    /// It does what it is asked.
    Well,
    /// It fails before anything is done.
    FailBefore(BackendError),
    /// It does what it is asked, and fails then, as when an answer is lost.
    FailAfter(BackendError),
    /// It waits at a gate before anything is done.
    Wait(Arc<Gate>),
}

/// Holds a call back until a test has seen it there and lets it on.
#[derive(Debug)]
pub struct Gate {
    reached: Semaphore,
    opened: Semaphore,
}

#[derive(Debug, Clone, Default)]
struct Held {
    /// In the order in which they were first put.
    states: Vec<(StateId, Stored)>,
    edits: Vec<EditRun>,
    writes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Makes an empty one.
    pub fn new() -> Self {
        Self {
            number: STORES.fetch_add(1, Ordering::Relaxed),
            held: Arc::default(),
            turns: Arc::default(),
        }
    }

    /// Says what becomes of the next calls of a kind, one after the other; those behind them do well.
    pub fn next(&self, call: Call, turns: impl IntoIterator<Item = Turn>) {
        let mut next = lock(&self.turns);
        next.retain(|(other, _)| *other != call);
        next.push((call, turns.into_iter().collect()));
    }

    /// Puts a state there, or takes it away, as a program does that looks at no version.
    pub fn overwrite(&self, id: &StateId, state: Option<State>) {
        let mut held = lock(&self.held);
        match state {
            Some(state) => {
                held.put(id, state);
            }
            None => held.states.retain(|(other, _)| other != id),
        }
    }

    /// Gives the runs that tell of edits, in the order in which they were written.
    pub fn edits(&self) -> Vec<EditRun> {
        lock(&self.held).edits.clone()
    }

    fn turn(&self, call: Call) -> Turn {
        let mut next = lock(&self.turns);
        let turns = next.iter_mut().find(|(other, _)| *other == call);
        let turn = turns.and_then(|(_, turns)| turns.pop_front());
        turn.unwrap_or(Turn::Well)
    }

    /// Takes the turn of a call: waits, fails before, or gives the error to fail with after.
    async fn enter(&self, call: Call) -> Result<Option<BackendError>> {
        match self.turn(call) {
            Turn::Well => Ok(None),
            Turn::FailBefore(error) => Err(error),
            Turn::FailAfter(error) => Ok(Some(error)),
            Turn::Wait(gate) => gate.pass().await.map(|()| None),
        }
    }

    async fn ask<T>(&self, call: Call, answer: impl FnOnce(&Held) -> T) -> Result<T> {
        let after = self.enter(call).await?;
        let answer = answer(&lock(&self.held));
        after.map_or(Ok(answer), Err)
    }

    async fn listings(&self) -> Vec<Result<Listing>> {
        let after = match self.enter(Call::List).await {
            Ok(after) => after,
            Err(error) => return vec![Err(error)],
        };
        let held = lock(&self.held).clone();
        let rows: Vec<Listed> = held.states.into_iter().map(listed).collect();
        let chunks = rows.chunks(CHUNK_ROWS).map(|rows| {
            Ok(Listing {
                generation: 0,
                rows: rows.to_vec(),
            })
        });
        chunks.chain(after.map(Err)).collect()
    }
}

impl Gate {
    /// Makes a closed one.
    pub fn closed() -> Arc<Self> {
        Arc::new(Self {
            reached: Semaphore::new(0),
            opened: Semaphore::new(0),
        })
    }

    /// Waits until a call is there.
    pub async fn reached(&self) -> Result<()> {
        pass(&self.reached).await
    }

    /// Lets one call on.
    pub fn open(&self) {
        self.opened.add_permits(1);
    }

    async fn pass(&self) -> Result<()> {
        self.reached.add_permits(1);
        pass(&self.opened).await
    }
}

async fn pass(gate: &Semaphore) -> Result<()> {
    let permit = gate.acquire().await;
    permit
        .map_err(|error| BackendError::Unreachable(error.to_string()))?
        .forget();
    Ok(())
}

impl Held {
    fn find(&self, id: &StateId) -> Option<&Stored> {
        let mut states = self.states.iter();
        states
            .find(|(other, _)| other == id)
            .map(|(_, stored)| stored)
    }

    fn put(&mut self, id: &StateId, state: State) -> Version {
        self.writes += 1;
        let version = Version::new(self.writes.to_string());
        let stored = Stored {
            state,
            modified: None,
            version: version.clone(),
        };
        match self.states.iter_mut().find(|(other, _)| other == id) {
            Some((_, there)) => *there = stored,
            None => self.states.push((id.clone(), stored)),
        }
        version
    }

    fn expect(&self, id: &StateId, expect: &Expect) -> Result<()> {
        let there = self.find(id).map(|stored| &stored.version);
        let is_met = match expect {
            Expect::Absent => there.is_none(),
            Expect::Version(version) => there == Some(version),
        };
        is_met.then_some(()).ok_or(BackendError::Conflict)
    }

    fn change(&mut self, change: &Change, versions: &mut Vec<Option<Version>>) -> Result<()> {
        match change {
            Change::Put { id, state, expect } => {
                self.expect(id, expect)?;
                versions.push(Some(self.put(id, state.clone())));
            }
            Change::Delete { id, expect } => {
                self.expect(id, &Expect::Version(expect.clone()))?;
                self.states.retain(|(other, _)| other != id);
                versions.push(None);
            }
            Change::AppendEdit(run) => self.edits.push(run.clone()),
        }
        Ok(())
    }

    /// Does a group whole, or leaves everything as it was.
    fn group(&mut self, group: &Group) -> Result<Committed> {
        let mut after = self.clone();
        let mut versions = Vec::new();
        let mut changes = group.0.iter();
        changes.try_for_each(|change| after.change(change, &mut versions))?;
        *self = after;
        Ok(Committed { versions })
    }
}

fn listed((id, stored): (StateId, Stored)) -> Listed {
    Listed {
        id,
        stored: Some(stored),
        last_run: None,
        last_edit: None,
        beside: Beside::default(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory:{}", self.number)
    }
}

#[async_trait]
impl StateBackend for Memory {
    async fn capabilities(&self) -> Result<Capabilities> {
        let able = |_: &Held| Capabilities {
            runs: false,
            folding: Folding::Written,
            access: Access::ReadWrite,
        };
        self.ask(Call::Capabilities, able).await
    }

    fn list(&self) -> BoxStream<'_, Result<Listing>> {
        stream::once(self.listings()).flat_map(stream::iter).boxed()
    }

    async fn read(&self, id: &StateId) -> Result<Option<Stored>> {
        self.ask(Call::Read, |held| held.find(id).cloned()).await
    }

    async fn key(&self) -> Result<SourceKey> {
        let key = |_: &Held| SourceKey::new(self.to_string());
        self.ask(Call::Key, key).await
    }

    async fn commit(&self, batch: Confirmed<Batch>) -> Vec<Result<Committed>> {
        let groups = &batch.get().groups;
        let all = |error: BackendError| vec![Err(error); groups.len()];
        let after = match self.enter(Call::Commit).await {
            Ok(after) => after,
            Err(error) => return all(error),
        };
        let mut held = lock(&self.held);
        let done = groups.iter().map(|group| held.group(group)).collect();
        after.map_or(done, all)
    }
}
