//! cuRAND's host API (`curand.h`) over texunit's driver: what becomes `libcurand.so.10`.
//!
//! A generator (`generator`) has a type, a seed, an offset and an ordering, of which an engine (`engine`) is made when the first numbers are
//! wanted. Numbers are work in the order of the generator's stream ([`texunit_client::work`]), or, of a generator of the host, made at once.
//!
//! What a number is follows cuRAND's device functions, whose source is public (`curand_kernel.h`, and the headers that it includes): a
//! `source` is a state of theirs, the functions of `distribution` are theirs. Bits, uniform numbers and, by the special functions of a
//! card, Poisson numbers are the same; normal numbers are but for the last bits of logarithms. How an ordering gives numbers of many states to
//! places of an array is the engine's, as docs/cuda-libraries.md says, with what is assumed.
//!
//! Numbers of Sobol sequences are those of Joe and Kuo (`directions`); scrambled ones are scrambled with numbers of texunit's, as those of
//! cuRAND are not public.

#![allow(unsafe_code)]

mod api;
mod code;
mod directions;
mod discrete;
mod distribution;
mod engine;
mod generator;
mod refused;
mod source;
