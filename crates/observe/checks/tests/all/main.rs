//! Tests of checks, in a single test program to save link time.
#![allow(missing_docs, clippy::print_stdout)]

mod groups;
mod initialized;
mod races;
mod removal;
mod streams;
