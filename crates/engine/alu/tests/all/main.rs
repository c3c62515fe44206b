//! Arithmetic instructions against models and independently computed values.

mod bits;
mod common;
mod compare;
mod float;
mod int;
