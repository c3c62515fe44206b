//! Tensor cores: what `mma`, `wmma` and `mma.sp` compute, bit for bit, and which lane of a warp holds which element.
//!
//! [`Product::element`] is the rule (docs/tensor-cores.md, docs/numerics.md section 13): one element of the result, in exact
//! integers. [`Operation`] does a whole instruction on the registers of a warp, with loops that are built for each SIMD level;
//! tests compare the two, and both with what an NVIDIA H200 answered.

mod fast;
mod fragment;
mod number;
mod operation;
mod reference;
mod registers;
mod shape;
mod sparse;

pub use fragment::Fragment;
pub use number::Number;
pub use operation::{Operation, Scratch};
pub use shape::{BitOperation, Evidence, Order, Product, Shape};

/// Elements of D that the tensor core of an NVIDIA H200 computed: text, compressed by gzip, whose head describes its lines.
pub const H200_ELEMENTS: &[u8] = include_bytes!("../tests/data/h200-elements.txt.gz");
