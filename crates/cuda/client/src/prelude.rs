//! Names that most modules of a library use: its wrapper around exported functions, arguments,
//! refusals, the driver, and work in streams.

pub use crate::call::{Code, Refused, property};
pub use crate::handles::Handles;
pub use crate::work::{self, Region, threads};
pub use crate::{driver, library_api};
pub use texunit_cuda_abi::args::{In, Out};
pub use texunit_cuda_abi::*;
