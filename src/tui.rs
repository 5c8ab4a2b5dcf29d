//! The interactive screen as pure functions: messages change a model and ask for effects, a view draws the model.
//!
//! Nothing here reads a clock, a store or a terminal. [`update`] is total, every asynchronous answer carries the
//! [`Ticket`] of the question, and an answer to a question that no longer stands is dropped. [`view`] draws what is on
//! the screen and nothing else, so its work does not grow with the number of jobs or the size of a state.

mod ascii;
pub mod command;
mod copy;
mod layout;
mod message;
mod model;
mod said;
mod screen;
mod text;
mod update;
mod view;
mod widget;
mod words;

#[cfg(test)]
mod tests;

pub use message::{Effect, Message, Mouse, Ticket};
pub use model::{Model, Setup, SourceSetup};
pub use update::update;
pub use view::view;
