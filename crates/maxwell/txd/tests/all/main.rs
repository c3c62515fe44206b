//! Tests of the public interface, in one program to save link time.

mod exec;
mod lower;
mod state_file;
