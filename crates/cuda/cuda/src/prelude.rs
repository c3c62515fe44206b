//! Names that most modules of the crate use: the parameters and results of exported functions,
//! refusals, handles.

pub(crate) use crate::handle::{Handle, Object};
pub(crate) use std::ffi::{c_int, c_uint, c_void};
pub(crate) use std::sync::{Arc, Mutex, MutexGuard};
pub(crate) use texunit_cuda_abi::args::{
    Answer, Elements, In, InBytes, InOut, Out, OutBytes, Raw, Text,
};
pub(crate) use texunit_cuda_abi::*;
pub(crate) use texunit_forms::Count;
