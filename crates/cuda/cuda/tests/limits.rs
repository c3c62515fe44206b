//! Limits of contexts and launches: stack, heap, cooperative grids.

#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use common::{Ptr, context, cuCtxDestroy_v2, fails, functions, ok};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;
use texunit_cuda_abi::CUresult;

functions! {
    cuCtxSetLimit(limit: u32, value: usize);
    cuCtxGetLimit(value: *mut usize, limit: u32);
    cuCtxSynchronize();
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuModuleLoadData(module: *mut Ptr, image: *const u8);
    cuModuleGetFunction(function: *mut Ptr, module: Ptr, name: *const c_char);
    cuLaunchKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8, extra: *mut usize,
    );
    cuLaunchCooperativeKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8,
    );
    cuOccupancyMaxActiveBlocksPerMultiprocessor(n: *mut i32, f: Ptr, threads: i32, shared: usize);
    cuMemAlloc_v2(address: *mut u64, size: usize);
    cuMemcpyDtoH_v2(to: *mut u8, from: u64, size: usize);
}

const STACK: u32 = 0;
const HEAP: u32 = 2;

/// `recurse` adds the numbers up to n, one per call; `roomy` has 16 KiB of local memory;
/// `allocates` takes n bytes from the heap.
const PTX: &CStr = c"
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 at) malloc(.param .b64 size);
.visible .func (.param .b32 out) down(.param .b32 n)
{
    .local .align 8 .b8 room[64];
    .reg .b32 %r<6>;
    .reg .pred %p1;
    ld.param.u32 %r1, [n];
    st.local.u32 [room], %r1;
    mov.u32 %r2, 0;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    sub.u32 %r3, %r1, 1;
    {
        .param .b32 given;
        .param .b32 back;
        st.param.b32 [given], %r3;
        call.uni (back), down, (given);
        ld.param.b32 %r4, [back];
    }
    ld.local.u32 %r5, [room];
    add.u32 %r2, %r4, %r5;
END:
    st.param.b32 [out], %r2;
    ret;
}
.visible .entry recurse(.param .u64 at, .param .u32 n)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [n];
    {
        .param .b32 given;
        .param .b32 back;
        st.param.b32 [given], %r1;
        call.uni (back), down, (given);
        ld.param.b32 %r2, [back];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry roomy(.param .u64 at, .param .u32 n)
{
    .local .align 8 .b8 room[16384];
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [n];
    st.local.u32 [room + 16380], %r1;
    ld.local.u32 %r2, [room + 16380];
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry allocates(.param .u64 at, .param .u32 n)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<3>;
    .reg .pred %p1;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [n];
    cvt.u64.u32 %rd2, %r1;
    {
        .param .b64 size;
        .param .b64 back;
        st.param.b64 [size], %rd2;
        call.uni (back), malloc, (size);
        ld.param.b64 %rd3, [back];
    }
    setp.ne.u64 %p1, %rd3, 0;
    selp.u32 %r2, 1, 0, %p1;
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry idle() { ret; }
";

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
