//! Lists in chunks: read on a thread that may wait, taken from where nothing may.

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::{JoinHandle, spawn_blocking};

use super::{Listing, Result, stopped};
use crate::domain::job::Listed;

/// How many jobs a chunk holds at most.
const CHUNK_ROWS: usize = 256;

/// How many bytes of states a chunk holds at most, and one state more.
const CHUNK_BYTES: usize = 1 << 20;

/// How many chunks of a list wait for whoever asked for it.
const CHUNKS_AHEAD: usize = 2;

/// Makes the stream of a list, which begins when it is first asked.
pub(super) fn stream<'s>(begin: impl Fn() -> Chunks + Send + 's) -> BoxStream<'s, Result<Listing>> {
    let first = (None, begin);
    stream::unfold(first, |(chunks, begin)| async {
        let mut chunks = chunks.unwrap_or_else(&begin);
        let next = chunks.next().await?;
        Some((next, (Some(chunks), begin)))
    })
    .boxed()
}

/// Holds a list that is being read; dropping it ends the reading at the next chunk.
pub(super) struct Chunks {
    pub(super) chunks: Receiver<Result<Listing>>,
    pub(super) reading: Option<JoinHandle<()>>,
}

impl Chunks {
    /// Begins to read, on a thread of its own.
    pub(super) fn begin(
        read: impl FnOnce(&Sender<Result<Listing>>) -> Result<()> + Send + 'static,
    ) -> Self {
        let (to, chunks) = mpsc::channel(CHUNKS_AHEAD);
        let reading = spawn_blocking(move || {
            if let Err(error) = read(&to) {
                // Nobody is left to be told when this fails.
                let _ = to.blocking_send(Err(error));
            }
        });
        Self {
            chunks,
            reading: Some(reading),
        }
    }

    /// Gives the next chunk, or why there is none.
    pub(super) async fn next(&mut self) -> Option<Result<Listing>> {
        if let Some(chunk) = self.chunks.recv().await {
            return Some(chunk);
        }
        let ended = self.reading.take()?.await;
        ended.err().map(|error| Err(stopped("reading", &error)))
    }
}

/// Gathers jobs into chunks and sends them.
pub(super) struct Sink<'s> {
    to: &'s Sender<Result<Listing>>,
    generation: u32,
    rows: Vec<Listed>,
    bytes: usize,
    has_sent: bool,
}

impl<'s> Sink<'s> {
    /// Begins one reading of a source.
    pub(super) fn new(generation: u32, to: &'s Sender<Result<Listing>>) -> Self {
        Self {
            to,
            generation,
            rows: Vec::new(),
            bytes: 0,
            has_sent: false,
        }
    }

    /// Tells whether nobody wants more.
    pub(super) fn is_closed(&self) -> bool {
        self.to.is_closed()
    }

    /// Adds a job; tells whether anyone still wants more.
    pub(super) fn push(&mut self, listed: Listed, bytes: usize) -> bool {
        self.rows.push(listed);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.rows.len() < CHUNK_ROWS && self.bytes < CHUNK_BYTES {
            return true;
        }
        self.send()
    }

    fn send(&mut self) -> bool {
        self.bytes = 0;
        self.has_sent = true;
        let listing = Listing {
            generation: self.generation,
            rows: std::mem::take(&mut self.rows),
        };
        self.to.blocking_send(Ok(listing)).is_ok()
    }

    /// Sends what is left; a reading without any job is sent too, since it may follow one that had some.
    pub(super) fn finish(mut self) {
        if !self.rows.is_empty() || !self.has_sent {
            self.send();
        }
    }
}
