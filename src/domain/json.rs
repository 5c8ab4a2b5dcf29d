//! The lossless document.
