//! Calls before `cuInit`. They are in a separate process, as `cuInit` cannot be undone.

#![allow(unsafe_code, clippy::unwrap_used)]

mod common;
#[path = "common/table.rs"]
mod table;
#[path = "common/world.rs"]
mod world;

use common::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use table::ROWS;
use texunit_cuda_abi::CUresult;
use world::World;

#[test]
fn nothing_works_before_init() {
    let nothing = World::nothing();
    for row in ROWS {
        let code = (row.call)(&nothing);
        assert_eq!(code, CUresult::NOT_INITIALIZED, "{}: {}", row.family, row.name);
    }
    // The driver's state is checked before arguments.
    fails!(NOT_INITIALIZED, world::cuMemAlloc_v2(null_mut(), 0));
    fails!(NOT_INITIALIZED, world::cuStreamGetFlags(null_mut(), null_mut()));
    // The following calls need no devices, and succeed before `cuInit`.
    let mut version = 0;
    ok!(cuDriverGetVersion(&raw mut version));
    assert_eq!(version, 13_050);
    let mut name = null();
    ok!(cuGetErrorName(CUresult::NOT_INITIALIZED, &raw mut name));
    // SAFETY: the text of a code lives as long as the process.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"CUDA_ERROR_NOT_INITIALIZED");
    let mut at = null_mut();
    ok!(cuGetProcAddress_v2(c"cuInit".as_ptr(), &raw mut at, 12_000, 0, null_mut()));
    assert!(!at.is_null());
    fails!(INVALID_VALUE, cuInit(1));
    fails!(NOT_INITIALIZED, world::cuCtxSynchronize());
    ok!(cuInit(0));
    fails!(INVALID_CONTEXT, world::cuCtxSynchronize());
}
