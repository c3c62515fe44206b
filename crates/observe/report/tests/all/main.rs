//! Tests of reports, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

mod golden;
mod places;
mod sarif;
