//! The lossless document: bytes as they were stored, and a flat tree of spans over them.
//!
//! A [`Document`] reads exactly what CPython 3.11's `json.loads` reads, and keeps what a value model loses: `1e5` stays
//! `1e5`, `"\u00e9"` stays escaped, duplicate keys stay, integers keep every digit, and `NaN`, `Infinity` and lone
//! surrogates are values like others. An edit is a [`Splice`] into the bytes; every byte that it does not name stays.
//! [`python`] writes the form that Python's `json.dumps(json.loads(text))` would write.
//!
//! Two things are read that CPython refuses at run time, not in its grammar: integers longer than 4 300 digits
//! (`sys.set_int_max_str_digits`) and nesting deeper than its recursion limit.

mod document;
mod duplicates;
mod node;
mod parse;
mod pointer;
pub mod python;
pub mod search;
mod splice;
mod text;

#[cfg(test)]
mod tests;

pub use document::Document;
pub use node::{Children, EffectiveMembers, Kind, Node, NodeId};
pub use parse::{Expected, SyntaxError};
pub use pointer::{Pointer, PointerError};
pub use splice::{Splice, SpliceError};
pub use text::Text;
