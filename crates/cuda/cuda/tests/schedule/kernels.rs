//! Kernels of the random schedules.

use super::cuModuleGetFunction;
use crate::common::*;
use std::ffi::CStr;
use std::ptr::null_mut;

/// `add` adds to each of `n` words. In `spin` and `sync` all blocks of a cooperative launch
/// synchronise `rounds` times: at a counter in the first word, or at the grid barrier of
/// cooperative groups. Then each block writes the sum into its own word after the counter.
pub(super) const PTX: &CStr = ptx!("../ptx/schedule.ptx");

/// Functions of the kernels in a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    pub(super) add: Ptr,
    pub(super) spin: Ptr,
    pub(super) sync: Ptr,
}

impl Kernels {
    pub(super) fn of(module: Ptr) -> Self {
        let find = |name: &CStr| {
            let mut function = null_mut();
            ok!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
            function
        };
        Self { add: find(c"add"), spin: find(c"spin"), sync: find(c"sync") }
    }
}
