//! The texture and surface unit for C and C++: the functions, structures and constants of
//! `texunit.h`.
//!
//! Everything is exported under C's names. cbindgen generates `include/texunit.h` from these
//! sources and `data/constants.txt` (`cargo run -p xtask -- header`; a test compares the two), so
//! the comments here are those that C users read, and name functions and constants as in C. The
//! guide is [docs/c.md](../../../docs/c.md).
//!
//! * Handles are numbers, not addresses ([`handle`]): an invalid or destroyed handle, or one of
//!   another kind, is an error.
//! * Every function is one call of `status::guard`, which turns errors and panics into a status and
//!   a message for the thread, so that no panic unwinds into the caller.
//! * The caller's pointers are accessed only in [`caller`], which checks for null, overflow and
//!   overlap. That the memory is valid cannot be checked, and is the caller's responsibility.
//!
//! The semantics of fetches are in `texunit-sample` and `texunit-unit`; this crate converts
//! descriptors to their arguments.

#![allow(unsafe_code, non_camel_case_types, non_snake_case)]

pub mod array;
pub mod caller;
pub mod constants;
pub mod desc;
pub mod fetch;
pub mod formats;
pub mod handle;
pub mod query;
pub mod resource;
pub mod status;
pub mod surface;
pub mod text;
pub mod texture;

pub use array::*;
pub use constants::*;
pub use desc::*;
pub use fetch::*;
pub use handle::{texunit_array, texunit_sampler, texunit_surface, texunit_texture};
pub use query::*;
pub use status::*;
pub use surface::*;
pub use text::*;
pub use texture::*;
