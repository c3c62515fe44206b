//! Tests of jobs, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

mod docs;
mod hostile;
