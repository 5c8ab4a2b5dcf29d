//! The one table of commands: help, footer and the meaning of every key come from it.

use crate::domain::ui::KeyPress;

mod table;

pub use table::COMMANDS;

/// Names what a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Leaves the program.
    Quit,
    /// Listens to the mouse, or leaves it to the terminal.
    ToggleMouse,
    /// Stops the program, as the shell's job control does.
    Suspend,
    /// Shows the keys.
    Help,
    /// Goes back one step: out of a field, a filter, an overlay, a pane.
    Back,
    /// Goes to the other pane.
    OtherPane,
    /// Goes into the job under the cursor.
    Open,
    /// Opens the filter field.
    Filter,
    /// Goes on to the next order of the jobs.
    Sort,
    /// Goes on to the next grouping of the jobs.
    Group,
    /// Opens the field for a text to look for in a state.
    Search,
    /// Goes to the next place of what is looked for.
    NextMatch,
    /// Goes to the previous place of what is looked for.
    PreviousMatch,
    /// Keeps what a field holds and leaves it.
    Accept,
    /// Reads everything again.
    Reload,
    /// Moves the cursor.
    Move(Step),
    /// Steps to the snapshot before.
    Earlier,
    /// Steps to the snapshot after.
    Later,
    /// Steps to the snapshot before in which the value under the cursor changed.
    EarlierChange,
    /// Steps to the snapshot after in which the value under the cursor changes.
    LaterChange,
    /// Shows what the snapshot changed, or the state again.
    ToggleDiff,
    /// Shows the next of state, JSON and diff.
    NextTab,
    /// Marks the snapshot that others are compared with, or clears its mark.
    Mark,
    /// Opens the palette: every command by its name.
    Palette,
    /// Shows everything that was said.
    Messages,
    /// Asks what to copy.
    CopyWhat,
    /// Copies something to the terminal's clipboard.
    Copy(What),
    /// Opens or closes the line under the cursor.
    Toggle,
    /// Closes the line under the cursor and those beside it.
    CloseSiblings,
    /// Opens the line under the cursor and those beside it.
    OpenSiblings,
    /// Goes to the next change.
    NextChange,
    /// Goes to the previous change.
    PreviousChange,
}

/// Names what can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// The value under the cursor.
    Value,
    /// Its path as a JSON Pointer.
    Pointer,
    /// Its path as jq reads it.
    Jq,
    /// The selected snapshot's effective state.
    Document,
    /// The selected job's ID.
    Id,
}

/// Says how far a cursor moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// One line down.
    Down,
    /// One line up.
    Up,
    /// Half a page down.
    HalfDown,
    /// Half a page up.
    HalfUp,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// To the first line.
    First,
    /// To the last line.
    Last,
}

/// Says what the keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// The list of jobs.
    Jobs,
    /// The filter field.
    Field,
    /// The field for a text to look for in a state.
    Search,
    /// A job's state as a tree.
    State,
    /// A job's state as JSON.
    Json,
    /// What a snapshot changed.
    Diff,
    /// The question what to copy.
    Copy,
    /// The palette.
    Palette,
    /// The overlay that shows everything that was said.
    Messages,
    /// The overlay that shows the keys.
    Help,
}

/// Holds every context.
#[cfg(test)]
const CONTEXTS: &[Context] = &[
    Context::Jobs,
    Context::Field,
    Context::Search,
    Context::State,
    Context::Json,
    Context::Diff,
    Context::Copy,
    Context::Palette,
    Context::Messages,
    Context::Help,
];

/// Puts a command into the footer.
#[derive(Debug, Clone, Copy)]
pub struct Footer {
    /// The word for it.
    pub word: &'static str,
    /// Which commands give way first where there is no room for all: the highest.
    pub rank: u8,
}

/// Describes a command in some contexts.
pub struct Entry {
    /// The command.
    pub command: Command,
    /// What it does, as a person would be told.
    pub about: &'static str,
    /// What the footer says of it; `None` keeps it out of there.
    pub footer: Option<Footer>,
    /// The keys, the one to show first.
    pub keys: &'static [KeyPress],
    /// Where the keys mean this.
    pub contexts: &'static [Context],
}

/// Gives the name of a command, as the palette has it.
pub fn name(command: Command) -> &'static str {
    match command {
        Command::Quit => "quit",
        Command::ToggleMouse => "mouse",
        Command::Suspend => "suspend",
        Command::Help => "help",
        Command::Back => "back",
        Command::OtherPane => "other-pane",
        Command::Open => "open",
        Command::Filter => "filter",
        Command::Sort => "sort",
        Command::Group => "group",
        Command::Search => "search",
        Command::NextMatch => "next-match",
        Command::PreviousMatch => "previous-match",
        Command::Accept => "accept",
        Command::Reload => "reload",
        Command::Move(Step::Down) => "down",
        Command::Move(Step::Up) => "up",
        Command::Move(Step::HalfDown) => "half-page-down",
        Command::Move(Step::HalfUp) => "half-page-up",
        Command::Move(Step::PageDown) => "page-down",
        Command::Move(Step::PageUp) => "page-up",
        Command::Move(Step::First) => "first",
        Command::Move(Step::Last) => "last",
        Command::Earlier => "earlier",
        Command::Later => "later",
        Command::EarlierChange => "earlier-change",
        Command::LaterChange => "later-change",
        Command::ToggleDiff => "diff",
        Command::NextTab => "view",
        Command::Mark => "mark",
        Command::Palette => "commands",
        Command::Messages => "messages",
        Command::CopyWhat => "copy",
        Command::Copy(What::Value) => "copy-value",
        Command::Copy(What::Pointer) => "copy-pointer",
        Command::Copy(What::Jq) => "copy-jq",
        Command::Copy(What::Document) => "copy-document",
        Command::Copy(What::Id) => "copy-id",
        Command::Toggle => "toggle",
        Command::CloseSiblings => "close-siblings",
        Command::OpenSiblings => "open-siblings",
        Command::NextChange => "next-change",
        Command::PreviousChange => "previous-change",
    }
}

/// Finds what a key means.
pub fn find(press: KeyPress, context: Context) -> Option<Command> {
    of(context)
        .find(|entry| entry.keys.contains(&press))
        .map(|entry| entry.command)
}

/// Lists what can be done in a context.
pub fn of(context: Context) -> impl Iterator<Item = &'static Entry> {
    COMMANDS
        .iter()
        .filter(move |entry| entry.contexts.contains(&context))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ui::Key;

    #[test]
    fn no_key_means_two_things_at_one_place() {
        for context in CONTEXTS.iter().copied() {
            let mut seen = Vec::new();
            for entry in of(context) {
                for key in entry.keys {
                    assert!(!seen.contains(key), "{key} in {context:?}");
                    seen.push(*key);
                }
            }
        }
    }

    #[test]
    fn every_name_is_one_commands() {
        for entry in COMMANDS {
            for other in COMMANDS {
                let same = entry.command == other.command;
                assert_eq!(name(entry.command) == name(other.command), same);
            }
        }
    }

    #[test]
    fn every_place_can_be_left_and_quit() {
        for context in CONTEXTS.iter().copied() {
            assert_eq!(find(KeyPress::ctrl('c'), context), Some(Command::Quit));
            assert_eq!(find(KeyPress::of(Key::Esc), context), Some(Command::Back));
        }
    }
}
