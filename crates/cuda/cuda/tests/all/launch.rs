//! Launches and occupancy through the exported functions.

use crate::common::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{CUlaunchAttribute, CUlaunchConfig};

functions! {
    cuParamSetv(function: Ptr, offset: i32, from: *const u8, size: u32);
    cuOccupancyMaxPotentialBlockSize(
        grid: *mut i32, block: *mut i32, function: Ptr,
        shared_of: Option<unsafe extern "C" fn(i32) -> usize>, shared: usize, limit: i32,
    );
}

/// `fill` writes block, thread and value; each of the others has a different fault.
const PTX: &CStr = ptx!("../ptx/launch.ptx");

struct Here {
    module: Ptr,
}

impl Here {
    fn new() -> Self {
        context();
        let mut module = null_mut();
        ok!(cuModuleLoadData(&raw mut module, PTX.as_ptr().cast()));
        Self { module }
    }

    fn function(&self, name: &CStr) -> Ptr {
        let mut function = null_mut();
        ok!(cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()));
        function
    }
}

/// Device memory for `n` 32-bit numbers.
fn memory(n: usize) -> u64 {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&raw mut address, 4 * n));
    address
}

fn numbers(address: u64, n: usize) -> Vec<u32> {
    let mut values = vec![0_u32; n];
    ok!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 4 * n));
    values
}

/// Launches without parameters.
fn launch(f: Ptr, grid: [u32; 3], block: [u32; 3], shared: u32) -> String {
    let ([gx, gy, gz], [bx, by, bz], no) = (grid, block, null_mut());
    // SAFETY: a kernel without parameters, or a launch that is refused.
    unsafe { cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, no, null_mut(), null_mut()) }.name()
}

fn config(grid: u32, block: u32, attributes: &[CUlaunchAttribute]) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: grid,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: block,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: 0,
        attrs: attributes.as_ptr() as u64,
        numAttrs: attributes.len() as u32,
    }
}

fn attribute(id: u32, first: [u32; 3]) -> CUlaunchAttribute {
    let mut value = [0; 16];
    value[..3].copy_from_slice(&first);
    CUlaunchAttribute { id, pad: 0, value }
}

#[test]
fn parameters_come_in_every_way() {
    let here = Here::new();
    let (fill, none) = (here.function(c"fill"), null_mut());
    let wanted = |value: u32| (value..value + 8).collect::<Vec<_>>();
    let (mut out, mut value) = (memory(8), 10_u32);
    let argument = &raw mut value;
    // SAFETY: `value` lives as long as the calls, and is only written between them.
    let set = |new: u32| unsafe { argument.write(new) };
    let mut params = [(&raw mut out).cast::<u8>(), argument.cast()];
    let params = params.as_mut_ptr();
    ok!(cuLaunchKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, params, null_mut()));
    assert_eq!(numbers(out, 8), wanted(10));
    set(20);
    ok!(cuLaunchCooperativeKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, params));
    assert_eq!(numbers(out, 8), wanted(20));
    set(30);
    // Cooperative launch, cluster of one block, priority.
    let attributes = [attribute(2, [1, 0, 0]), attribute(4, [1; 3]), attribute(8, [1, 0, 0])];
    let how = config(2, 4, &attributes);
    ok!(cuLaunchKernelEx(&raw const how, fill, params, null_mut()));
    assert_eq!(numbers(out, 8), wanted(30));
    // A C structure has four bytes of padding at its end.
    let buffer = [out, 40];
    let mut size = 16_usize;
    let given = &raw mut size;
    // SAFETY: `given` points to the local variable `size`, to which no reference exists.
    let set = |new: usize| unsafe { given.write(new) };
    let mut extra = [1, buffer.as_ptr() as usize, 2, given as usize, 0];
    ok!(cuLaunchKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, null_mut(), extra.as_mut_ptr()));
    assert_eq!(numbers(out, 8), wanted(40));
    set(11);
    fails!(
        INVALID_VALUE,
        cuLaunchKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, null_mut(), extra.as_mut_ptr())
    );
    set(12);
    fails!(
        INVALID_VALUE,
        cuLaunchKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, params, extra.as_mut_ptr())
    );
    fails!(INVALID_VALUE, cuLaunchKernel(fill, 2, 1, 1, 4, 1, 1, 0, none, null_mut(), null_mut()));
    // The launch functions of CUDA 2.
    ok!(cuFuncSetBlockShape(fill, 4, 1, 1));
    ok!(cuParamSetSize(fill, 12));
    ok!(cuParamSetv(fill, 0, (&raw const out).cast(), 8));
    ok!(cuParamSeti(fill, 8, 50));
    ok!(cuLaunchGrid(fill, 2, 1));
    assert_eq!(numbers(out, 8), wanted(50));
    fails!(INVALID_VALUE, cuFuncSetBlockShape(fill, 0, 1, 1));
    fails!(INVALID_VALUE, cuParamSeti(fill, -4, 1));
    fails!(INVALID_VALUE, cuParamSetSize(fill, 1 << 30));
}

#[test]
fn launches_that_no_device_takes_are_refused() {
    let here = Here::new();
    let small = here.function(c"small");
    let (fine, value) = ("CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE");
    assert_eq!(launch(small, [1; 3], [64, 1, 1], 0), fine);
    for (grid, block) in [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 1, 1], [1, 0, 1]),
        ([1, 65536, 1], [1, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [32, 32, 2]),
    ] {
        assert_eq!(launch(small, grid, block, 0), value, "{grid:?} {block:?}");
    }
    // More threads than `.maxntid` (inferred from numba-cuda's tests, which expect this code).
    assert_eq!(launch(small, [1; 3], [65, 1, 1], 0), value);
    let exact = here.function(c"exact");
    assert_eq!(launch(exact, [1; 3], [32, 1, 1], 0), fine);
    assert_eq!(launch(exact, [1; 3], [16, 1, 1], 0), value);
    let shares = here.function(c"shares");
    assert_eq!(launch(shares, [1; 3], [1; 3], 48 * 1024), fine);
    assert_eq!(launch(shares, [1; 3], [1; 3], 48 * 1024 + 1), value);
    ok!(cuFuncSetAttribute(shares, 8, 99 * 1024));
    assert_eq!(launch(shares, [1; 3], [1; 3], 99 * 1024), fine);
    let cluster = [attribute(4, [2, 1, 1])];
    let how = config(2, 4, &cluster);
    fails!(INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&raw const how, small, null_mut(), null_mut()));
    let unknown = [attribute(4000, [0; 3])];
    let how = config(2, 4, &unknown);
    fails!(INVALID_VALUE, cuLaunchKernelEx(&raw const how, small, null_mut(), null_mut()));
    fails!(INVALID_VALUE, cuLaunchKernelEx(null(), small, null_mut(), null_mut()));
    assert_eq!(launch(here.module, [1; 3], [1; 3], 0), "CUDA_ERROR_INVALID_HANDLE");
    assert_eq!(launch(null_mut(), [1; 3], [1; 3], 0), "CUDA_ERROR_INVALID_HANDLE");
}

#[test]
fn a_fault_ends_the_context() {
    for (name, at, code) in [
        (c"outside", 0x10_u64, "CUDA_ERROR_ILLEGAL_ADDRESS"),
        (c"outside", 1, "CUDA_ERROR_MISALIGNED_ADDRESS"),
        (c"trapping", 0, "CUDA_ERROR_LAUNCH_FAILED"),
    ] {
        let here = Here::new();
        let (f, mut at, no) = (here.function(name), at, null_mut());
        let good = here.function(c"small");
        let mut params = [(&raw mut at).cast::<u8>()];
        // The launch itself succeeds, as it has not been executed yet.
        ok!(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, no, params.as_mut_ptr(), null_mut()));
        // SAFETY: the call takes no pointers.
        assert_eq!(unsafe { cuCtxSynchronize() }.name(), code);
        assert_eq!(launch(good, [1; 3], [1; 3], 0), code);
        let mut address = 0;
        // SAFETY: only a local variable is written.
        assert_eq!(unsafe { cuMemAlloc_v2(&raw mut address, 4) }.name(), code);
    }
    // Another context is still usable.
    let here = Here::new();
    assert_eq!(launch(here.function(c"small"), [1; 3], [1; 3], 0), "CUDA_SUCCESS");
}

unsafe extern "C" fn shared_of(threads: i32) -> usize {
    100 * threads as usize
}

#[test]
fn occupancy_is_that_of_the_card() {
    let here = Here::new();
    let (fill, small) = (here.function(c"fill"), here.function(c"small"));
    let blocks = |f: Ptr, threads: i32, shared: usize| {
        let mut n = -1;
        ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut n, f, threads, shared));
        n
    };
    // An SM of sm_86 holds 1536 threads, 16 blocks, and 100 KiB of shared memory, of which each
    // block uses 1 KiB for the system.
    assert_eq!(blocks(fill, 256, 0), 6);
    assert_eq!(blocks(fill, 1024, 0), 1);
    assert_eq!(blocks(fill, 33, 0), 16);
    assert_eq!(blocks(fill, 64, 24 * 1024), 4);
    assert_eq!(blocks(fill, 64, 49 * 1024), 0);
    // A kernel's `.maxntid` has no effect: an NVIDIA H200 (sm_90) with driver 580.159.04, CUDA
    // 13.0, returned this on 2026-11-28.
    assert_eq!(blocks(small, 65, 0), 16);
    assert_eq!(blocks(small, 1025, 0), 0);
    let mut n = 0;
    fails!(INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut n, fill, 0, 0));
    let (mut grid, mut block) = (0, 0);
    ok!(cuOccupancyMaxPotentialBlockSize(&raw mut grid, &raw mut block, fill, None, 0, 0));
    assert_eq!((block, grid), (768, 2 * 28));
    ok!(cuOccupancyMaxPotentialBlockSize(&raw mut grid, &raw mut block, fill, None, 0, 200));
    assert_eq!((block, grid), (192, 8 * 28));
    ok!(cuOccupancyMaxPotentialBlockSize(
        &raw mut grid,
        &raw mut block,
        fill,
        Some(shared_of),
        0,
        0
    ));
    // With 100 bytes for each thread, floor(102400 / (100 n + 1024)) blocks of n threads fit.
    let held = blocks(fill, block, 100 * block as usize);
    assert_eq!(grid, held * 28);
    for threads in (32..=480).step_by(32) {
        let other = blocks(fill, threads, 100 * threads as usize) * threads;
        assert!(other <= held * block, "{threads}");
    }
    let mut size = 0;
    ok!(cuOccupancyAvailableDynamicSMemPerBlock(&raw mut size, fill, 2, 256));
    assert_eq!(size, 49 * 1024);
    fails!(INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&raw mut size, fill, 7, 256));
    let how = config(4, 256, &[]);
    ok!(cuOccupancyMaxPotentialClusterSize(&raw mut n, fill, &raw const how));
    assert_eq!(n, 1);
    ok!(cuOccupancyMaxActiveClusters(&raw mut n, fill, &raw const how));
    assert_eq!(n, 6 * 28);
    ok!(cuFuncGetAttribute(&raw mut n, 4, fill));
    assert!((16..=64).contains(&n), "{n} registers, with which blocks of 1024 threads run");
}
