//! Textures and surfaces on arrays: array-level fetches for users without a kernel.
//!
//! A [`Texture`] is made of arrays ([`Input`]: shape, strides, element type, bytes) or of a file,
//! with [`ArrayOptions`] for what the shape alone does not say and [`TextureOptions`] named as in
//! `cuda.core`. A [`Request`] describes many fetches; [`Texture::call`] checks it and returns a
//! [`Call`], which knows shape and type of the result and writes it to the caller's memory. The
//! rules for arrays, operands and results are a table in docs/python-conventions.md, and errors
//! name the rule.
//!
//! This crate knows nothing of Python or of memory that is shared with other libraries. No input
//! from a caller panics. Only texels, plans and a few blocks per thread are allocated.

mod call;
mod error;
#[cfg(feature = "files")]
pub mod file;
mod fill;
mod input;
mod meaning;
mod options;
mod point;
mod request;
#[cfg(feature = "files")]
mod source;
mod surface;
mod texture;
mod walk;

pub use call::Call;
pub use error::{ErrorKind, Result, SampleError};
pub use input::Input;
pub use meaning::{ArrayOptions, Mipmaps, shared_shape};
pub use options::{OPTIONS, Setting, TextureOptions};
pub use point::PointResult;
pub use request::{Action, Points, Request};
#[cfg(feature = "files")]
pub use source::read;
pub use surface::{Surface, SurfaceCoordinates};
pub use texture::{Effective, Texture, resource};
pub use texunit_texel::Dtype;
