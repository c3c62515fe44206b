//! The driver API from outside, as far as its tests may share a process: one program, because each one more has to be
//! linked.

// Calls C functions, as the programs do that the library is for.
#![allow(unsafe_code, clippy::unwrap_used)]
// Each file declares what it calls, as its programs would: pointers of one kind or another.
#![allow(clashing_extern_declarations)]

mod array;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod errors;
#[path = "../fetching/mod.rs"]
mod fetching;
mod files;
mod launch;
mod link;
mod module;
mod sparse;
#[path = "../common/table.rs"]
mod table;
mod texref;
mod texture;
mod texture_objects;
mod texture_views;
mod unified;
mod versions;
#[path = "../common/world.rs"]
mod world;
