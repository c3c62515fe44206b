//! Machine instructions from outside: one program, because each one more has to be linked.

mod descriptors;
mod exec;
mod lower;
mod state_file;
mod words;
