//! TXD from outside: one program, because each one more has to be linked.

mod exec;
mod lower;
mod state_file;
