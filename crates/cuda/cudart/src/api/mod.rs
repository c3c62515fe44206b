//! The exported functions of the runtime API, one module for each section of its documentation. Functions that only call
//! one of the driver are in `crate::listed`.

mod array;
mod channel;
mod copy;
mod copy_3d;
mod copy_array;
mod device;
mod entry;
mod error;
mod external;
pub(crate) mod function;
mod graph;
#[cfg(not(feature = "cuda-12"))]
pub(crate) mod green;
mod launch;
mod memory;
mod memset;
mod occupancy;
mod pointer;
mod properties;
mod registration;
mod surface;
mod symbol;
mod texture;
