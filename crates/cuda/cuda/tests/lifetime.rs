//! A million objects of each kind are created and destroyed, and the process must not grow. It is a
//! separate process, as its memory is measured. Without `TEXUNIT_LONG_TESTS` there are 20,000 of
//! each.

#![allow(unsafe_code, clippy::unwrap_used)]

mod common;
#[path = "common/world.rs"]
mod world;

use std::ptr::{null, null_mut};
use texunit_cuda_abi::CUDA_TEXTURE_DESC;
use world::*;

/// Resident memory of the process in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * text.split(' ').nth(1).unwrap().parse::<u64>().unwrap()
}

/// Creates and destroys `n` objects: memory after the first half and at the end must differ by less
/// than 100 bytes per object.
fn flat(kind: &str, n: u64, mut pair: impl FnMut()) {
    // Memory kept for reuse is allocated by the first objects.
    (0..n / 2).for_each(|_| pair());
    let before = resident();
    (0..n / 2).for_each(|_| pair());
    let grown = resident().saturating_sub(before);
    assert!(grown < n / 2 * 100, "{kind}: {grown} bytes in {} pairs", n / 2);
}

#[test]
fn nothing_is_left_of_a_million_pairs() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let n = if long { 1_000_000 } else { 20_000 };
    let w = World::new();
    let (resource, how) = (of_array(w.array), CUDA_TEXTURE_DESC::default());
    flat("texture object", n, || {
        let mut object = 0;
        ok!(cuTexObjectCreate(&raw mut object, &raw const resource, &raw const how, null()));
        ok!(cuTexObjectDestroy(object));
    });
    flat("surface object", n, || {
        let mut object = 0;
        ok!(cuSurfObjectCreate(&raw mut object, &raw const resource));
        ok!(cuSurfObjectDestroy(object));
    });
    flat("array", n, || {
        let mut array = null_mut();
        ok!(cuArray3DCreate_v2(&raw mut array, &raw const ARRAY));
        ok!(cuArrayDestroy(array));
    });
    flat("mipmapped array", n, || {
        let (mut mipmapped, mut level) = (null_mut(), null_mut());
        ok!(cuMipmappedArrayCreate(&raw mut mipmapped, &raw const ARRAY, 2));
        ok!(cuMipmappedArrayGetLevel(&raw mut level, mipmapped, 1));
        ok!(cuMipmappedArrayDestroy(mipmapped));
    });
    flat("event", n, || {
        let mut event = null_mut();
        ok!(cuEventCreate(&raw mut event, 0));
        ok!(cuEventRecord(event, w.stream));
        ok!(cuEventDestroy_v2(event));
    });
    flat("stream", n, || {
        let mut stream = null_mut();
        ok!(cuStreamCreate(&raw mut stream, 0));
        ok!(cuStreamDestroy_v2(stream));
    });
    flat("allocation", n, || {
        let mut memory = 0;
        ok!(cuMemAlloc_v2(&raw mut memory, 512));
        ok!(cuMemFree_v2(memory));
    });
    flat("allocation of a stream", n, || {
        let mut memory = 0;
        ok!(cuMemAllocAsync(&raw mut memory, 512, w.stream));
        ok!(cuMemFreeAsync(memory, w.stream));
    });
    flat("host memory", n, || {
        let mut memory = null_mut();
        ok!(cuMemAllocHost_v2(&raw mut memory, 512));
        ok!(cuMemFreeHost(memory));
    });
    flat("linking", n, || {
        let mut link = null_mut();
        ok!(cuLinkCreate_v2(0, null(), null_mut(), &raw mut link));
        ok!(cuLinkDestroy(link));
    });
    flat("module", n, || {
        let mut module = null_mut();
        ok!(cuModuleLoadData(&raw mut module, PTX.as_ptr().cast()));
        ok!(cuModuleUnload(module));
    });
    let none = null_mut::<usize>();
    flat("library", n, || {
        let (mut library, mut kernel, mut function) = (null_mut(), null_mut(), null_mut());
        let text = PTX.as_ptr().cast();
        ok!(cuLibraryLoadData(&raw mut library, text, null(), none, 0, null(), null(), 0));
        ok!(cuLibraryGetKernel(&raw mut kernel, library, c"good".as_ptr()));
        ok!(cuKernelGetFunction(&raw mut function, kernel));
        ok!(cuLibraryUnload(library));
    });
    flat("launch", n, || {
        assert_eq!(World::launch(w.function).name(), "CUDA_SUCCESS");
    });
    flat("context", n, || {
        let context = context();
        ok!(cuCtxDestroy_v2(context));
    });
    // A context with an object of each kind.
    flat("full context", n / 4, || {
        let world = World::new();
        ok!(cuCtxDestroy_v2(world.context));
        // Libraries and link states belong to the process.
        ok!(cuLibraryUnload(world.library));
        // SAFETY: a number; whether it has ended with its context is not what is tested.
        let _ = unsafe { cuLinkDestroy(world.link) };
    });
}
