//! The exported functions of the runtime API, one module for each section of its documentation.

mod array;
mod batch;
mod channel;
mod copy;
mod copy_3d;
mod copy_array;
mod device;
mod entry;
mod error;
mod event;
mod external;
mod function;
mod graph;
#[cfg(not(feature = "cuda-12"))]
mod green;
mod host;
mod ipc;
mod launch;
mod library;
#[cfg(not(feature = "cuda-12"))]
mod logs;
mod managed;
mod memory;
mod memset;
mod mipmap;
mod occupancy;
mod pointer;
mod pool;
mod properties;
mod registration;
mod stream;
mod surface;
mod symbol;
mod texture;
