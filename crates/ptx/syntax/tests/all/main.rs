//! Tests of the parser, in a single test program to save link time.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod mutations;
mod tree;
