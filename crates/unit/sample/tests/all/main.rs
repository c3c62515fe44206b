//! Tests of the calls that sample arrays, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

mod conventions;
mod fetch_cases;
