//! Tests of the reference and of the page about it, in a single test program to save link time.
//! `plans` is another, because it also runs on wasm32.
#![allow(clippy::unwrap_used)]

mod numerics_page;
mod properties;
mod stages;
