//! The signals that ask for the end.

/// Waits until the process is asked to end: by SIGTERM, SIGHUP or SIGINT.
#[cfg(unix)]
pub async fn stop() {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    async fn one(signal: std::io::Result<Signal>) {
        match signal {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    }
    tokio::select! {
        () = one(signal(SignalKind::terminate())) => {}
        () = one(signal(SignalKind::hangup())) => {}
        () = one(signal(SignalKind::interrupt())) => {}
    }
}

/// Waits until the process is asked to end.
#[cfg(not(unix))]
pub async fn stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
