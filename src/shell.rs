//! The imperative edge: the terminal, the loop between it and the screen, and what the screen asks for.
//!
//! Everything is a message to [`tui::update`]: keys, answers, time. The screen is drawn once nothing waits to be taken in,
//! and not while nothing changes. The terminal is put back however the loop ends: a key, an error, a signal, a panic.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt;
use jiff::Timestamp;
use ratatui::layout::Size;
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::time::{Instant, Interval, interval_at};

use crate::domain::ui::{Display, Theme};
use crate::journal::JournalStore;
use crate::project::Site;
use crate::report::{Fault, Report};
use crate::tui::{self, Effect, Message, Model, Setup, SourceSetup};

mod clipboard;
mod crash;
mod effects;
mod keys;
mod signals;
mod terminal;

use effects::Effects;
use signals::{Resumed, Stop};
pub use terminal::{Screen, on_terminal};

/// How often the ages on the screen are brought up to date.
const TICK: Duration = Duration::from_secs(30);

/// How many messages are taken in before the screen is drawn all the same, so that a flood of answers cannot freeze it.
const TAKEN_AT_ONCE: usize = 256;

/// How many events wait before the terminal does.
const WAITING_EVENTS: usize = 256;

/// How many answers wait before those who give them do.
const WAITING_ANSWERS: usize = 64;

/// Opens the screen on some sites, and comes back when the user leaves.
///
/// Things are shown as `display` says. What the journal says of operations that were cut short is shown with their source.
///
/// Without a terminal on both sides it is wrong use. A signal that asks for the end, or a terminal that is gone, ends it
/// quietly.
pub fn run(
    sites: Vec<Site>,
    journal: Option<Arc<dyn JournalStore>>,
    display: Display,
) -> Result<(), Report> {
    terminal::check()?;
    // Else it would look at `NO_COLOR` again, which an option may have overruled.
    crossterm::style::force_color_output(display.colour);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Report::new(Fault::Internal, "cannot start").because(error))?;
    let (stop, resumed) = {
        let _on_runtime = runtime.enter();
        (Stop::listen(), Resumed::listen())
    };
    let outcome = on_terminal(|screen| {
        runtime.block_on(session(screen, (stop, resumed), sites, journal, display))
    });
    runtime.shutdown_background();
    outcome
}

async fn session(
    screen: &mut Screen,
    (mut stop, mut resumed): (Stop, Resumed),
    sites: Vec<Site>,
    journal: Option<Arc<dyn JournalStore>>,
    display: Display,
) -> Result<(), Report> {
    let size = screen.size().map_err(|error| terminal::failed(&error))?;
    let (model, first) = Model::new(setup(&sites, size, display));
    let (sender, answers) = mpsc::channel(WAITING_ANSWERS);
    let mut session = Session {
        model,
        effects: Effects::new(sites, journal, sender),
        events: events(),
        answers,
        ticks: interval_at(Instant::now() + TICK, TICK),
    };
    session.effects.run(first);
    loop {
        if let Err(error) = screen.draw(&session.model) {
            return ended(&error);
        }
        let next = tokio::select! {
            biased;
            () = stop.asked() => return Ok(()),
            () = crash::noticed() => return Ok(()),
            () = resumed.again() => screen.retake().map(|()| None),
            next = session.next() => next,
        };
        match next.and_then(|message| session.take_in(message, screen)) {
            Ok(Going::On) => {}
            Ok(Going::Pause) => {
                screen.leave();
                if let Err(error) = resumed.pause().await.and_then(|()| screen.retake()) {
                    return ended(&error);
                }
            }
            Ok(Going::Away) => return Ok(()),
            Err(error) => return ended(&error),
        }
    }
}

/// Says whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Going {
    On,
    Pause,
    Away,
}

struct Session {
    model: Model,
    effects: Effects,
    events: mpsc::Receiver<io::Result<Event>>,
    answers: mpsc::Receiver<Message>,
    ticks: Interval,
}

impl Session {
    /// Waits for the next message; `None` for an event that means nothing here.
    async fn next(&mut self) -> io::Result<Option<Message>> {
        tokio::select! {
            biased;
            event = self.events.recv() => translated(event),
            Some(answer) = self.answers.recv() => Ok(Some(answer)),
            _ = self.ticks.tick() => Ok(Some(Message::Tick(Timestamp::now()))),
        }
    }

    /// Gives a message that waits, keys before answers; `None` when none does.
    fn waiting(&mut self) -> io::Result<Option<Message>> {
        loop {
            match self.events.try_recv() {
                Ok(event) => {
                    if let Some(message) = translated(Some(event))? {
                        return Ok(Some(message));
                    }
                }
                Err(TryRecvError::Disconnected) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(TryRecvError::Empty) => return Ok(self.answers.try_recv().ok()),
            }
        }
    }

    /// Takes in a message and those that wait behind it.
    fn take_in(&mut self, first: Option<Message>, screen: &mut Screen) -> io::Result<Going> {
        let mut next = first;
        for _ in 0..TAKEN_AT_ONCE {
            let Some(message) = next else { break };
            let effects = tui::update(&mut self.model, message);
            if effects.contains(&Effect::Quit) {
                return Ok(Going::Away);
            }
            for effect in &effects {
                match effect {
                    Effect::Copy(text) => screen.copy(text)?,
                    Effect::Mouse(on) => screen.listen_to_mouse(*on)?,
                    _ => {}
                }
            }
            let pauses = effects.contains(&Effect::Suspend);
            self.effects.run(effects);
            if pauses {
                return Ok(Going::Pause);
            }
            next = self.waiting()?;
        }
        Ok(Going::On)
    }
}

/// Reads the terminal's events beside the loop, so that the loop can ask whether one waits.
fn events() -> mpsc::Receiver<io::Result<Event>> {
    let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
    tokio::spawn(async move {
        let mut events = EventStream::new();
        while let Some(event) = events.next().await {
            let failed = event.is_err();
            if sender.send(event).await.is_err() || failed {
                return;
            }
        }
    });
    receiver
}

fn translated(event: Option<io::Result<Event>>) -> io::Result<Option<Message>> {
    match event {
        Some(event) => event.map(|event| keys::message(&event)),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn setup(sites: &[Site], size: Size, display: Display) -> Setup {
    let about = |site: &Site| SourceSetup {
        title: site.name.clone(),
        kind: site.states.location.kind().to_owned(),
        elsewhere: site.elsewhere.as_ref().map(|(place, _)| place.clone()),
    };
    Setup {
        sources: sites.iter().map(about).collect(),
        size,
        now: Timestamp::now(),
        zone: display.zone,
        theme: if display.colour {
            Theme::Ansi
        } else {
            Theme::Plain
        },
        ascii: !shows_unicode(|name| std::env::var(name).ok()),
    }
}

/// Tells whether the locale's characters are Unicode, as its first variable that is set says; without any, it is taken for
/// granted, for containers set none and are looked at through terminals of today.
fn shows_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty());
    set.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Ends on an error of the terminal: quietly when it is gone, for then nobody is there to be told.
fn ended(error: &io::Error) -> Result<(), Report> {
    /// What reads and writes give once the other side of a pseudo-terminal is closed.
    const EIO: i32 = 5;
    let gone = error.raw_os_error() == Some(EIO)
        || matches!(
            error.kind(),
            io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotConnected
        );
    if gone {
        Ok(())
    } else {
        Err(terminal::failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_tells_the_characters() {
        let of = |set: &[(&str, &str)]| {
            shows_unicode(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(of(&[]));
        assert!(of(&[("LANG", "de_DE.UTF-8")]));
        assert!(of(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!of(&[("LANG", "C")]));
        assert!(!of(&[("LC_ALL", "POSIX"), ("LANG", "de_DE.UTF-8")]));
        assert!(!of(&[
            ("LC_CTYPE", "de_DE.ISO-8859-1"),
            ("LANG", "de_DE.UTF-8")
        ]));
    }
}
