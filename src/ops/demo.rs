//! The throw-away sample.
