//! Reasons of refused calls. They are in a separate process, as the environment turns them on.

#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]
#![allow(clashing_extern_declarations)]

#[path = "../common/mod.rs"]
mod common;
mod reason;
mod refusals;
mod usual;
#[path = "../common/world.rs"]
mod world;
