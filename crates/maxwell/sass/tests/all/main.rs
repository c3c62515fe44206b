//! Machine instructions from outside: one program, because each one more has to be linked.

mod descriptors;
mod words;
