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
