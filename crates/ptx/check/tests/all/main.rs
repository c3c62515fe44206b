//! What the checker says: one program, because each one more has to be linked.

#![allow(clippy::unwrap_used)]

mod examples;
mod fixes;
mod helps;
mod hostile;
mod lints;
mod operands;
mod options;
mod oracle;
mod recovery;
mod requirements;
mod sources;
mod trees;
