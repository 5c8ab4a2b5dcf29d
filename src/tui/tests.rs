//! The screen as a whole: what messages do to it, what it then shows, and that nothing makes it panic.

mod random;
mod screens;
mod support;
mod transitions;
