//! The imperative edge: terminal, events, effects.
