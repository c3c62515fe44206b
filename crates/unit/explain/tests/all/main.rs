//! Tests of explanations, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

mod cases;
mod golden;
