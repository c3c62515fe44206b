//! Tensor cores: what `mma`, `wmma` and `mma.sp` compute, bit for bit, and which lane of a warp
//! holds which element.
//!
//! [`Product::element`] defines one element of the result, in exact integer arithmetic
//! (docs/tensor-cores.md, docs/numerics.md section 13). [`Operation`] executes a whole instruction
//! on the registers of a warp, with loops compiled for each SIMD level. Tests compare the two, and
//! both with results of an NVIDIA H200.

mod fast;
mod fragment;
mod number;
mod operation;
mod reference;
mod registers;
mod shape;
mod sparse;

pub use fragment::Fragment;
pub use number::ElementType;
pub use operation::{Operation, Scratch};
pub use shape::{BitOperation, Evidence, Order, Product, Shape};

/// Elements of D that the tensor cores of an NVIDIA H200 computed, as gzip-compressed text whose
/// header describes its lines.
pub const H200_ELEMENTS: &[u8] = include_bytes!("../tests/data/h200-elements.txt.gz");
