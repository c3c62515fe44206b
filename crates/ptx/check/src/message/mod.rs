//! Diagnostics: wording, corrections, suggestions, and limits.

pub(crate) mod cap;
pub(crate) mod cascade;
pub(crate) mod fixes;
pub(crate) mod say;
