//! Tests of matrix instructions, in a single test program to save link time.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod fragments;
mod random;
mod recorded;
