//! Tests of coverage, in a single test program to save link time.
#![allow(clippy::unwrap_used)]

#[path = "../../../../engine/simt/tests/common/mod.rs"]
mod common;
mod kernels;
mod merging;
mod program;
mod sources;
