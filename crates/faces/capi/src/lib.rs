//! The texture and surface unit for C and C++: the functions, structures and numbers of `texunit.h`.
//!
//! Everything is exported under C's names. `include/texunit.h` is made of these sources by cbindgen
//! (`cargo run -p xtask -- header`, whose test compares the two), so the comments here are those that users of C read:
//! they name functions and constants as C does. [docs/c.md](../../../docs/c.md) is the guide.
//!
//! * Handles are numbers, not addresses ([`handle`]): one that is wrong, of another kind or destroyed is an error.
//! * Every function is one call of `status::guard`: what goes wrong becomes a code and a text of the thread, and no panic
//!   gets into the caller's frames.
//! * Pointers of the caller are read and written only in [`caller`], which looks for null pointers, sizes that overflow and
//!   memory that overlaps. What cannot be seen from inside, memory that is not there, is the caller's promise.
//!
//! What is fetched and which rules hold is the business of `texunit-sample` and `texunit-unit`; here descriptors become
//! their arguments.

#![allow(unsafe_code, non_camel_case_types, non_snake_case)]

pub mod array;
pub mod caller;
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
pub use desc::*;
pub use fetch::*;
pub use formats::*;
pub use handle::{texunit_array, texunit_sampler, texunit_surface, texunit_texture};
pub use query::*;
pub use status::*;
pub use surface::*;
pub use text::*;
pub use texture::*;
