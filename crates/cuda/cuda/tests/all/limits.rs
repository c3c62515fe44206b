//! Limits of contexts and launches: stack, heap, cooperative grids.

use crate::common::*;
use std::ffi::CStr;
use std::ptr::null_mut;
use texunit_cuda_abi::CUresult;

const STACK: u32 = 0;
const HEAP: u32 = 2;

/// `recurse` adds the numbers up to n, one per call; `roomy` has 16 KiB of local memory;
/// `allocates` takes n bytes from the heap.
const PTX: &CStr = ptx!("../ptx/limits.ptx");

struct Here {
    context: Ptr,
    module: Ptr,
    memory: u64,
}

impl Here {
    fn new() -> Self {
        let mut here = Self { context: context(), module: null_mut(), memory: 0 };
        ok!(cuModuleLoadData(&raw mut here.module, PTX.as_ptr().cast()));
        ok!(cuMemAlloc_v2(&raw mut here.memory, 4));
        here
    }

    fn function(&self, name: &CStr) -> Ptr {
        let mut function = null_mut();
        ok!(cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()));
        function
    }

    /// Launches a kernel with a number; returns its result, or the fault.
    fn run(&self, name: &CStr, mut n: u32) -> Result<u32, CUresult> {
        let (f, mut memory, mut result) = (self.function(name), self.memory, 0_u32);
        let mut params = [(&raw mut memory).cast::<u8>(), (&raw mut n).cast()];
        let params = params.as_mut_ptr();
        ok!(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, null_mut(), params, null_mut()));
        // SAFETY: `result` is a local variable of that size.
        match unsafe { cuMemcpyDtoH_v2((&raw mut result).cast(), self.memory, 4) } {
            CUresult::SUCCESS => Ok(result),
            code => Err(code),
        }
    }
}

fn limit(number: u32) -> usize {
    let mut value = 0;
    ok!(cuCtxGetLimit(&raw mut value, number));
    value
}

#[test]
fn the_stack_is_limited() {
    let here = Here::new();
    assert_eq!(limit(STACK), 1024);
    assert_eq!(here.run(c"recurse", 5), Ok(15));
    // Local memory of a known size is available whatever the limit is.
    assert_eq!(here.run(c"roomy", 7), Ok(7));
    ok!(cuCtxSetLimit(STACK, 64 << 10));
    assert_eq!(limit(STACK), 64 << 10);
    assert_eq!(here.run(c"recurse", 100), Ok(5050));
    fails!(INVALID_VALUE, cuCtxSetLimit(STACK, (512 << 10) + 1));
    ok!(cuCtxSetLimit(STACK, 1024));
    assert_eq!(here.run(c"recurse", 100), Err(CUresult::HARDWARE_STACK_ERROR));
    ok!(cuCtxDestroy_v2(here.context));
    // The largest limit is all that the device has, and unlimited recursion causes a fault.
    let here = Here::new();
    ok!(cuCtxSetLimit(STACK, 512 << 10));
    assert_eq!(here.run(c"recurse", u32::MAX), Err(CUresult::HARDWARE_STACK_ERROR));
    ok!(cuCtxDestroy_v2(here.context));
    context();
    fails!(INVALID_VALUE, cuCtxSetLimit(77, 1));
}

#[test]
fn the_heap_has_its_size_from_the_first_launch_on() {
    let here = Here::new();
    assert_eq!(limit(HEAP), 8 << 20);
    fails!(OUT_OF_MEMORY, cuCtxSetLimit(HEAP, usize::MAX));
    ok!(cuCtxSetLimit(HEAP, 1 << 20));
    assert_eq!(limit(HEAP), 1 << 20);
    assert_eq!(here.run(c"allocates", 1000), Ok(1));
    assert_eq!(here.run(c"allocates", 2 << 20), Ok(0));
    fails!(INVALID_VALUE, cuCtxSetLimit(HEAP, 4 << 20));
    assert_eq!(limit(HEAP), 1 << 20);
}

#[test]
fn a_cooperative_grid_fits_on_the_card() {
    let here = Here::new();
    let idle = here.function(c"idle");
    let (mut each, mut multiprocessors) = (0, 0);
    ok!(cuDeviceGetAttribute(&raw mut multiprocessors, 16, 0));
    for threads in [32_u32, 96, 1024] {
        ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut each, idle, threads as i32, 0));
        let most = (each * multiprocessors) as u32;
        let none = null_mut();
        ok!(cuLaunchCooperativeKernel(idle, most, 1, 1, threads, 1, 1, 0, null_mut(), none));
        fails!(
            COOPERATIVE_LAUNCH_TOO_LARGE,
            cuLaunchCooperativeKernel(idle, most / 2, 3, 1, threads, 1, 1, 0, null_mut(), none)
        );
    }
    // A block that cannot run is refused as in other launches.
    fails!(
        INVALID_VALUE,
        cuLaunchCooperativeKernel(idle, 1, 1, 1, 1025, 1, 1, 0, null_mut(), null_mut())
    );
    ok!(cuCtxSynchronize());
}
