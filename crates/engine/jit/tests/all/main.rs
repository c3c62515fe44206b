//! Tests of compiled code, in a single test program to save link time. `arenas` is another, because
//! it counts the mappings of the process.
#![allow(missing_docs)]

mod floats;
mod limits;
mod page_end;
mod primitives;
mod regions;
