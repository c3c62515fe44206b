//! Tests arithmetic instructions against models and independently computed values.

mod approximate;
mod bits;
mod common;
mod compare;
mod float;
mod int;
