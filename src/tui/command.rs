//! The one table of commands: help, footer and the meaning of every key come from it.

use crate::domain::ui::{Key, KeyPress};

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

const ENTER: KeyPress = KeyPress::of(Key::Enter);
const ESC: KeyPress = KeyPress::of(Key::Esc);
const PANES: &[Context] = &[Context::Jobs, Context::State, Context::Json, Context::Diff];
const PALETTE: &[Context] = &[Context::Palette];
const COPY: &[Context] = &[Context::Copy];
const STATE: &[Context] = &[Context::State, Context::Json];
const DETAIL: &[Context] = &[Context::State, Context::Json, Context::Diff];
const LISTS: &[Context] = &[
    Context::Jobs,
    Context::State,
    Context::Json,
    Context::Diff,
    Context::Messages,
    Context::Help,
];

/// Holds every command, in the order in which they are shown.
pub const COMMANDS: &[Entry] = &[
    entry(
        Command::Open,
        "go into the job",
        Some(footer("open", 0)),
        &[ENTER],
        &[Context::Jobs],
    ),
    entry(
        Command::Toggle,
        "open or close the line",
        Some(footer("open", 0)),
        &[ENTER, KeyPress::char(' ')],
        &[Context::State],
    ),
    entry(
        Command::NextChange,
        "the next change",
        Some(footer("next", 0)),
        &[KeyPress::char('n')],
        &[Context::Diff],
    ),
    entry(
        Command::PreviousChange,
        "the previous change",
        None,
        &[KeyPress::char('N')],
        &[Context::Diff],
    ),
    entry(
        Command::Earlier,
        "the snapshot before",
        Some(footer("earlier", 5)),
        &[KeyPress::char('h'), KeyPress::of(Key::Left)],
        PANES,
    ),
    entry(
        Command::Later,
        "the snapshot after",
        Some(footer("later", 5)),
        &[KeyPress::char('l'), KeyPress::of(Key::Right)],
        PANES,
    ),
    entry(
        Command::EarlierChange,
        "back to where the value under the cursor changed",
        Some(footer("changed", 6)),
        &[KeyPress::char('<')],
        DETAIL,
    ),
    entry(
        Command::LaterChange,
        "on to where the value under the cursor changes",
        None,
        &[KeyPress::char('>')],
        DETAIL,
    ),
    entry(
        Command::ToggleDiff,
        "what the snapshot changed, or its state",
        Some(footer("diff", 4)),
        &[KeyPress::char('d')],
        PANES,
    ),
    entry(
        Command::NextTab,
        "state, JSON, diff in turn",
        Some(footer("view", 6)),
        &[KeyPress::char('v')],
        PANES,
    ),
    entry(
        Command::Mark,
        "mark the snapshot to compare others with, or clear it",
        Some(footer("mark", 7)),
        &[KeyPress::char('m')],
        PANES,
    ),
    entry(
        Command::CopyWhat,
        "copy the value, its path, the document, the ID",
        Some(footer("copy", 9)),
        &[KeyPress::char('y')],
        PANES,
    ),
    entry(
        Command::Filter,
        "filter the jobs",
        Some(footer("filter", 1)),
        &[KeyPress::char('/')],
        &[Context::Jobs, Context::Diff],
    ),
    entry(
        Command::Sort,
        "sort by ID, run, bookmark, size, finding in turn",
        Some(footer("sort", 10)),
        &[KeyPress::char('s')],
        &[Context::Jobs],
    ),
    entry(
        Command::Group,
        "group by environment, source in turn",
        None,
        &[KeyPress::char('S')],
        &[Context::Jobs],
    ),
    entry(
        Command::Search,
        "search the state; capitals count when typed",
        Some(footer("search", 1)),
        &[KeyPress::char('/')],
        STATE,
    ),
    entry(
        Command::NextMatch,
        "the next place of what was searched",
        Some(footer("next", 1)),
        &[KeyPress::char('n')],
        STATE,
    ),
    entry(
        Command::PreviousMatch,
        "the previous place of what was searched",
        None,
        &[KeyPress::char('N')],
        STATE,
    ),
    entry(
        Command::CloseSiblings,
        "close the line and those beside it",
        None,
        &[KeyPress::char('c'), KeyPress::char('-')],
        &[Context::State],
    ),
    entry(
        Command::OpenSiblings,
        "open the line and those beside it",
        None,
        &[KeyPress::char('e'), KeyPress::char('+')],
        &[Context::State],
    ),
    entry(
        Command::Move(Step::Down),
        "down",
        None,
        &[KeyPress::char('j'), KeyPress::of(Key::Down)],
        LISTS,
    ),
    entry(
        Command::Move(Step::Up),
        "up",
        None,
        &[KeyPress::char('k'), KeyPress::of(Key::Up)],
        LISTS,
    ),
    entry(
        Command::Move(Step::HalfDown),
        "half a page down",
        None,
        &[KeyPress::ctrl('d')],
        LISTS,
    ),
    entry(
        Command::Move(Step::HalfUp),
        "half a page up",
        None,
        &[KeyPress::ctrl('u')],
        LISTS,
    ),
    entry(
        Command::Move(Step::PageDown),
        "a page down",
        None,
        &[KeyPress::of(Key::PageDown), KeyPress::ctrl('f')],
        LISTS,
    ),
    entry(
        Command::Move(Step::PageUp),
        "a page up",
        None,
        &[KeyPress::of(Key::PageUp), KeyPress::ctrl('b')],
        LISTS,
    ),
    entry(
        Command::Move(Step::First),
        "the first line",
        None,
        &[KeyPress::char('g'), KeyPress::of(Key::Home)],
        LISTS,
    ),
    entry(
        Command::Move(Step::Last),
        "the last line",
        None,
        &[KeyPress::char('G'), KeyPress::of(Key::End)],
        LISTS,
    ),
    entry(
        Command::OtherPane,
        "the other pane",
        None,
        &[KeyPress::of(Key::Tab), KeyPress::of(Key::BackTab)],
        PANES,
    ),
    entry(
        Command::Back,
        "drop the search, or back to the jobs",
        Some(footer("back", 11)),
        &[ESC],
        DETAIL,
    ),
    entry(
        Command::Back,
        "drop the filter",
        None,
        &[ESC],
        &[Context::Jobs],
    ),
    entry(
        Command::Reload,
        "read everything again",
        Some(footer("again", 2)),
        &[KeyPress::char('r')],
        PANES,
    ),
    entry(
        Command::Palette,
        "any command by its name",
        Some(footer("commands", 8)),
        &[KeyPress::char(':')],
        PANES,
    ),
    entry(
        Command::Messages,
        "everything that was said",
        None,
        &[],
        PANES,
    ),
    entry(
        Command::Help,
        "these keys",
        Some(footer("help", 3)),
        &[KeyPress::char('?')],
        PANES,
    ),
    entry(
        Command::Quit,
        "leave",
        Some(footer("quit", 12)),
        &[KeyPress::char('q'), KeyPress::ctrl('c')],
        PANES,
    ),
    entry(
        Command::ToggleMouse,
        "listen to the mouse, or leave it to the terminal",
        None,
        &[],
        PANES,
    ),
    entry(
        Command::Suspend,
        "stop, until `fg` in the shell goes on",
        None,
        &[KeyPress::ctrl('z')],
        PANES,
    ),
    entry(
        Command::Accept,
        "keep the filter",
        Some(footer("keep", 0)),
        &[ENTER, KeyPress::of(Key::Tab)],
        &[Context::Field],
    ),
    entry(
        Command::Back,
        "drop the filter",
        Some(footer("drop", 1)),
        &[ESC],
        &[Context::Field],
    ),
    entry(
        Command::Move(Step::Down),
        "down",
        Some(footer("next", 2)),
        &[KeyPress::of(Key::Down), KeyPress::ctrl('n')],
        &[Context::Field],
    ),
    entry(
        Command::Move(Step::Up),
        "up",
        Some(footer("previous", 3)),
        &[KeyPress::of(Key::Up), KeyPress::ctrl('p')],
        &[Context::Field],
    ),
    entry(
        Command::Accept,
        "keep the search",
        Some(footer("keep", 0)),
        &[ENTER, KeyPress::of(Key::Tab)],
        &[Context::Search],
    ),
    entry(
        Command::Back,
        "drop the search",
        Some(footer("drop", 1)),
        &[ESC],
        &[Context::Search],
    ),
    entry(
        Command::NextMatch,
        "the next place",
        Some(footer("next", 2)),
        &[KeyPress::of(Key::Down), KeyPress::ctrl('n')],
        &[Context::Search],
    ),
    entry(
        Command::PreviousMatch,
        "the previous place",
        Some(footer("previous", 3)),
        &[KeyPress::of(Key::Up), KeyPress::ctrl('p')],
        &[Context::Search],
    ),
    entry(
        Command::Accept,
        "do it",
        Some(footer("do it", 0)),
        &[ENTER],
        PALETTE,
    ),
    entry(
        Command::Back,
        "do nothing",
        Some(footer("nothing", 1)),
        &[ESC],
        PALETTE,
    ),
    entry(
        Command::Move(Step::Down),
        "down",
        Some(footer("next", 2)),
        &[KeyPress::of(Key::Down), KeyPress::ctrl('n')],
        PALETTE,
    ),
    entry(
        Command::Move(Step::Up),
        "up",
        Some(footer("previous", 3)),
        &[KeyPress::of(Key::Up), KeyPress::ctrl('p')],
        PALETTE,
    ),
    entry(
        Command::Copy(What::Value),
        "the value under the cursor",
        Some(footer("value", 1)),
        &[KeyPress::char('y'), KeyPress::char('v')],
        COPY,
    ),
    entry(
        Command::Copy(What::Pointer),
        "its path as a JSON Pointer",
        Some(footer("pointer", 2)),
        &[KeyPress::char('p')],
        COPY,
    ),
    entry(
        Command::Copy(What::Jq),
        "its path as jq reads it",
        Some(footer("jq path", 3)),
        &[KeyPress::char('j')],
        COPY,
    ),
    entry(
        Command::Copy(What::Document),
        "the document",
        Some(footer("document", 4)),
        &[KeyPress::char('d')],
        COPY,
    ),
    entry(
        Command::Copy(What::Id),
        "the state ID",
        Some(footer("ID", 5)),
        &[KeyPress::char('i')],
        COPY,
    ),
    entry(
        Command::Back,
        "copy nothing",
        Some(footer("nothing", 0)),
        &[ESC, KeyPress::char('q')],
        COPY,
    ),
    entry(
        Command::Back,
        "close this",
        Some(footer("close", 0)),
        &[ESC, KeyPress::char('?'), KeyPress::char('q'), ENTER],
        &[Context::Help, Context::Messages],
    ),
    entry(
        Command::Quit,
        "leave",
        None,
        &[KeyPress::ctrl('c')],
        &[
            Context::Field,
            Context::Search,
            Context::Copy,
            Context::Palette,
            Context::Messages,
            Context::Help,
        ],
    ),
];

const fn footer(word: &'static str, rank: u8) -> Footer {
    Footer { word, rank }
}

const fn entry(
    command: Command,
    about: &'static str,
    footer: Option<Footer>,
    keys: &'static [KeyPress],
    contexts: &'static [Context],
) -> Entry {
    Entry {
        command,
        about,
        footer,
        keys,
        contexts,
    }
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
            assert_eq!(find(ESC, context), Some(Command::Back));
        }
    }
}
