//! A conflict: what was read, what is there now, and what was wanted.

use super::effective_or_empty;
use crate::domain::diff::{Diff, diff};
use crate::domain::state::State;

/// Holds the three versions of a state that a conflict is about; `None` is no state.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreeWay {
    /// As it was when it was read.
    pub base: Option<State>,
    /// As it is now.
    pub theirs: Option<State>,
    /// As it was to become.
    pub ours: Option<State>,
}

impl ThreeWay {
    /// Compares what was read with what is there now.
    pub fn their_changes(&self) -> Diff {
        diff(
            &effective_or_empty(self.base.as_ref()),
            &effective_or_empty(self.theirs.as_ref()),
        )
    }

    /// Compares what was read with what was wanted.
    pub fn our_changes(&self) -> Diff {
        diff(
            &effective_or_empty(self.base.as_ref()),
            &effective_or_empty(self.ours.as_ref()),
        )
    }
}
