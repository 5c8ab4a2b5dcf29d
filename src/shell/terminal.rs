//! The terminal: taken over, drawn on, and put back.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;

use super::{clipboard, crash};
use crate::report::{Fault, Report};
use crate::tui::{self, Model};

/// How many bytes of a frame are gathered before they are written: more than a large screen's first frame.
const GATHERED: usize = 64 << 10;

/// Asks for presses and the wheel, not for each move, which `EnableMouseCapture` would.
const LISTEN: &str = "\x1b[?1000h\x1b[?1006h";

/// Leaves the mouse to the terminal.
const DO_NOT_LISTEN: &str = "\x1b[?1006l\x1b[?1000l";

/// Whether the terminal is taken over, so that it is put back once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Refuses to open a screen where there is none.
pub fn check() -> Result<(), Report> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    Err(
        Report::new(Fault::Usage, "the interactive screen needs a terminal")
            .because("standard input or standard output is not one")
            .hint("`statescope list` prints the jobs, `statescope get STATE_ID` a state"),
    )
}

/// Takes the terminal over for as long as something runs, and puts it back however that ends.
///
/// A panic meanwhile, on any thread, leaves a report file; the error says where.
pub fn on_terminal<T>(body: impl FnOnce(&mut Screen) -> Result<T, Report>) -> Result<T, Report> {
    let watch = crash::Watch::begin(restore);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut screen = Screen::open().map_err(|error| failed(&error))?;
        body(&mut screen)
    }));
    restore();
    match (watch.end(), outcome) {
        (Some(report), _) => Err(report),
        (None, Ok(outcome)) => outcome,
        (None, Err(_)) => Err(Report::new(Fault::Internal, "statescope crashed")),
    }
}

/// Holds the terminal while the screen is open; dropping it puts the terminal back.
#[derive(Debug)]
pub struct Screen {
    /// Never dropped: its own drop shows the cursor, and panics where the terminal is gone.
    terminal: Taken,
    /// Whether the mouse is listened to.
    mouse: bool,
}

type Taken = ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>;

fn take(mouse: bool) -> io::Result<Taken> {
    TAKEN.store(true, Ordering::SeqCst);
    let open = || {
        enable_raw_mode()?;
        let mut out = BufWriter::with_capacity(GATHERED, io::stdout());
        // `Terminal::clear` would ask the terminal where its cursor is, and not every one answers in time.
        execute!(
            out,
            EnterAlternateScreen,
            EnableBracketedPaste,
            Print(if mouse { LISTEN } else { "" }),
            Clear(ClearType::All)
        )?;
        Ok(ManuallyDrop::new(Terminal::new(CrosstermBackend::new(
            out,
        ))?))
    };
    open().inspect_err(|_| restore())
}

impl Screen {
    fn open() -> io::Result<Self> {
        Ok(Self {
            terminal: take(true)?,
            mouse: true,
        })
    }

    /// Puts the terminal back, for as long as the program is stopped.
    #[allow(
        clippy::unused_self,
        reason = "there is a terminal to put back only while there is a screen"
    )]
    pub(super) fn leave(&mut self) {
        restore();
    }

    /// Takes the terminal over again, whatever became of it meanwhile; the next frame is drawn whole.
    pub(super) fn retake(&mut self) -> io::Result<()> {
        restore();
        self.terminal = take(self.mouse)?;
        Ok(())
    }

    /// Tells how large the terminal is.
    pub(super) fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Puts a text into the terminal's clipboard.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        clipboard::copy(text, self.terminal.backend_mut())
    }

    /// Listens to the mouse, or leaves it to the terminal.
    pub(super) fn listen_to_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        let asked = if on { LISTEN } else { DO_NOT_LISTEN };
        execute!(self.terminal.backend_mut(), Print(asked))
    }

    /// Draws what has changed since the last time.
    pub(super) fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.terminal
            .draw(|frame| tui::view(model, frame))
            .map(drop)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Tells that the terminal cannot be read or written.
pub fn failed(error: &io::Error) -> Report {
    Report::new(Fault::Unreachable, "cannot use the terminal").because(error)
}

/// Puts the terminal back, once; what fails cannot be helped, and the rest is done all the same.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = queue!(
        out,
        Print(DO_NOT_LISTEN),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = out.flush();
    let _ = disable_raw_mode();
}
