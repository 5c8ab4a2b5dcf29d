//! Screens and transitions.
