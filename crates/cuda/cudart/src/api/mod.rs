//! The exported functions of the runtime API, one module for each section of its documentation.
//! Functions that only call one of the driver are in `crate::listed`.

mod array;
mod copy;
mod copy_3d;
mod copy_array;
mod device;
mod entry;
pub(crate) mod function;
mod graph;
#[cfg(not(feature = "cuda-12"))]
pub(crate) mod green;
mod launch;
mod memory;
mod memset;
mod properties;
mod registration;
mod texture;

// Names that most of these modules use.
use crate::call::{check, runtime_api};
use crate::driver::{self, *};
use crate::registry;
use crate::state::{self, check_device, context, primary};
use crate::types::*;
use std::ffi::{c_char, c_int, c_uint, c_void};
use texunit_cuda_abi::args::{Answer, In, InOut, Out, Raw, Text};
use texunit_forms::Count;
