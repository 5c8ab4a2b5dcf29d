//! What a panic leaves behind: a report file, and a sentence that says where.

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use etcetera::{BaseStrategy, choose_base_strategy};
use jiff::Timestamp;
use tokio::sync::Notify;

use crate::report::{Fault, Report};

/// The first panic, as it will be told.
static FOUND: Mutex<Option<Report>> = Mutex::new(None);

/// Wakes the loop when a thread that is not its own panics.
static NOTICE: Notify = Notify::const_new();

/// Waits until some thread panics.
pub async fn noticed() {
    NOTICE.notified().await;
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// Takes note of panics while it is there.
pub struct Watch {
    before: Hook,
}

impl Watch {
    /// Begins; `restore` is called at once for a panic of this thread, before anything else can go wrong.
    pub fn begin(restore: fn()) -> Self {
        let before = panic::take_hook();
        let own = thread::current().id();
        panic::set_hook(Box::new(move |info| note(info, own, restore)));
        Self { before }
    }

    /// Ends; gives the first panic, if there was one.
    pub fn end(self) -> Option<Report> {
        drop(panic::take_hook());
        panic::set_hook(self.before);
        FOUND.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn note(info: &PanicHookInfo<'_>, own: ThreadId, restore: fn()) {
    if thread::current().id() == own {
        restore();
    }
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if found.is_none() {
        *found = Some(report(info));
    }
    drop(found);
    NOTICE.notify_one();
}

fn report(info: &PanicHookInfo<'_>) -> Report {
    let what = info.payload_as_str().unwrap_or("no message");
    let report = Report::new(Fault::Internal, "statescope crashed").because(what);
    match write(&text(info, what)) {
        Ok(path) => report.hint(format!(
            "nothing was written to any source; the report is {}",
            path.display()
        )),
        Err(error) => report.hint(format!(
            "nothing was written to any source; no report could be written: {error}"
        )),
    }
}

fn text(info: &PanicHookInfo<'_>, what: &str) -> String {
    let mut text = format!(
        "statescope {} crashed at {}\n{what}\n",
        env!("CARGO_PKG_VERSION"),
        Timestamp::now(),
    );
    // Writing to a `String` cannot fail.
    if let Some(place) = info.location() {
        let _ = writeln!(text, "at {place}");
    }
    let thread = thread::current();
    let _ = writeln!(text, "thread {}", thread.name().unwrap_or("without a name"));
    let _ = writeln!(text, "\n{}", Backtrace::force_capture());
    text
}

/// Writes the report where the user's programs keep such things, else into the folder for temporary files.
fn write(text: &str) -> std::io::Result<PathBuf> {
    let state = choose_base_strategy()
        .ok()
        .and_then(|base| base.state_dir())
        .map(|folder| folder.join("statescope"));
    let kept = state.map(|folder| write_into(&folder, text));
    match kept {
        Some(Ok(path)) => Ok(path),
        Some(Err(_)) | None => write_into(&std::env::temp_dir(), text),
    }
}

fn write_into(folder: &Path, text: &str) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut file = tempfile::Builder::new()
        .prefix(&format!("crash-{stamp}-"))
        .suffix(".txt")
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}
