//! Textures and surfaces on arrays: arrays in, arrays out, for those who have no kernel.
//!
//! A [`Texture`] is made of arrays ([`Input`]: shape, strides, element type, bytes) or of a file, with
//! [`ArrayOptions`] for what the shape alone does not say and [`TextureOptions`] in the words of
//! `cuda.core`. A [`Request`] says what is fetched where; [`Texture::call`] checks it and gives a [`Call`],
//! which knows shape and type of the result and then fills the caller's memory with it. What an array, an
//! operand and a result are is one table, docs/python-conventions.md, whose rules errors name.
//!
//! Left out: Python, and whatever has to do with memory that others share. Nothing a caller hands in
//! panics, and nothing is allocated but texels, plans and a few blocks for each thread.

mod call;
mod error;
#[cfg(feature = "files")]
pub mod file;
mod fill;
mod input;
mod interleave;
mod meaning;
mod options;
mod point;
mod request;
mod scratch;
mod shared;
#[cfg(feature = "files")]
mod source;
mod surface;
mod texture;
mod walk;

pub use call::Call;
pub use error::{ErrorKind, SampleError};
pub use input::{Dtype, Input};
pub use meaning::{ArrayOptions, Mipmaps};
pub use options::{OPTIONS, Setting, TextureOptions};
pub use point::Single;
pub use request::{Action, Points, Request};
pub use shared::shared_shape;
#[cfg(feature = "files")]
pub use source::read;
pub use surface::{Places, Surface};
pub use texture::{Effective, Texture, resource};
