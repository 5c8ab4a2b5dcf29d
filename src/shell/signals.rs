//! The signals that ask for the end.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for SIGTERM, SIGHUP and SIGINT, from the moment that it is made.
#[cfg(unix)]
pub struct Stop(Vec<Signal>);

#[cfg(unix)]
impl Stop {
    /// Begins to listen; what cannot be listened for ends the process as it would have. Must be called on the runtime.
    pub fn listen() -> Self {
        let kinds = [
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::interrupt(),
        ];
        Self(
            kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        )
    }

    /// Waits until the process is asked to end.
    pub async fn asked(&mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let waiting = self.0.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures_util::future::select_all(waiting).await;
    }
}

/// Listens for Ctrl-C.
#[cfg(not(unix))]
pub struct Stop;

#[cfg(not(unix))]
impl Stop {
    /// Begins to listen.
    pub fn listen() -> Self {
        Self
    }

    /// Waits until the process is asked to end.
    pub async fn asked(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Stops the process as the terminal's Ctrl-Z does, and notices when it goes on.
#[cfg(unix)]
pub struct Resumed(Option<Signal>);

#[cfg(unix)]
impl Resumed {
    /// How long a stop is waited for that does not come: of a process that no shell could continue, the kernel stops none.
    const STOPS_WITHIN: std::time::Duration = std::time::Duration::from_millis(200);

    /// Begins to listen. Must be called on the runtime.
    pub fn listen() -> Self {
        let kind = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Self(signal(kind).ok())
    }

    /// Waits until the process, stopped by whomever, goes on.
    pub async fn again(&mut self) {
        let noticed = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if noticed.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Stops the process and those that the shell started with it, until they go on.
    pub async fn pause(&mut self) -> std::io::Result<()> {
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        tokio::select! {
            () = self.again() => {}
            () = tokio::time::sleep(Self::STOPS_WITHIN) => {}
        }
        Ok(())
    }
}

/// Is the same where processes cannot be stopped.
#[cfg(not(unix))]
pub struct Resumed;

#[cfg(not(unix))]
impl Resumed {
    /// Begins to listen.
    pub fn listen() -> Self {
        Self
    }

    /// Waits for ever.
    pub async fn again(&mut self) {
        std::future::pending().await
    }

    /// Does nothing.
    pub async fn pause(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
