//! Tests of the public interface, in one program to save link time.

#![allow(clippy::unwrap_used)]

mod exec;
mod lower;
mod state_file;
