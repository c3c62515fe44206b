//! Tests of the language server, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

mod grammar;
mod session;
