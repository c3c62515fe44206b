//! cuRAND's host API (`curand.h`) over texunit's driver: what becomes `libcurand.so.10`.
//!
//! A generator (`generator`) has a type, a seed, an offset and an ordering, from which an engine
//! (`engine`) is built when the first numbers are requested. Generation is submitted to the
//! generator's stream ([`texunit_client::work`]); a host generator generates numbers immediately.
//!
//! The numbers follow cuRAND's device functions, whose source is public (`curand_kernel.h` and the
//! headers that it includes): a `source` is one of their states, and `distribution` has their
//! distribution functions. Bits, uniform numbers and, with the GPU's special functions, Poisson
//! numbers are equal; normal numbers may differ in the last bits of logarithms. The engine
//! distributes the numbers of the states over an array by the ordering; docs/cuda-libraries.md says
//! which details are assumed.
//!
//! Sobol sequences use Joe and Kuo's direction vectors (`directions`); the scramble constants are
//! texunit's own, as cuRAND's are not public.

#![allow(unsafe_code)]

mod api;
mod code;
mod directions;
mod discrete;
mod distribution;
mod engine;
mod generator;
mod poisson;
mod source;
