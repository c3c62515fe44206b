//! Tests of the exported driver API that can share a process. They are one program, as linking each
//! additional program takes time.

// Unsafe code is allowed here, because the tests call C functions as programs do.
#![allow(unsafe_code, clippy::unwrap_used, clippy::print_stdout)]
// Each file declares the functions that it calls with its own pointer types, as programs would.
#![allow(clashing_extern_declarations)]

mod array;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod errors;
#[path = "../fetching/mod.rs"]
mod fetching;
mod files;
mod freed;
mod launch;
mod limits;
mod link;
mod linked;
mod module;
mod processes;
mod registered;
mod settings;
mod shared_pools;
mod sparse;
#[path = "../common/table.rs"]
mod table;
mod texref;
mod texture;
mod texture_objects;
mod texture_views;
mod threads;
mod unified;
mod versions;
mod work;
#[path = "../common/world.rs"]
mod world;
