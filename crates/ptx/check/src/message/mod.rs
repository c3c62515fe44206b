//! What is said: how it is worded, corrected and guessed, and how much of it.

pub(crate) mod cap;
pub(crate) mod cascade;
pub(crate) mod fixes;
pub(crate) mod say;
