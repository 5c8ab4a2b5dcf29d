//! Pieces of screens that know nothing of jobs or sources.

pub mod changes;
pub mod cursor;
pub mod field;
pub mod frame;
pub mod json;
pub mod overlay;
pub mod strip;
pub mod tree;
