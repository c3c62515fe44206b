//! First and later versions of functions: programs find them by `cuGetProcAddress`, as the headers
//! do not declare them any more, or not yet.

use crate::world::*;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use texunit_cuda_abi::*;

functions! {
    cuMemHostRegister(memory: *mut c_void, size: usize, flags: u32);
    cuGetProcAddress(name: *const c_char, at: *mut Ptr, version: i32, flags: u64);
    cuLibraryGetUnifiedFunction(function: *mut Ptr, library: Ptr, name: *const c_char);
    cuStreamGetCaptureInfo_v2(
        stream: Ptr, status: *mut u32, id: *mut u64, graph: *mut Ptr, nodes: *mut Ptr, n: *mut usize,
    );
    cuStreamGetCaptureInfo_v3(
        stream: Ptr, status: *mut u32, id: *mut u64, graph: *mut Ptr, nodes: *mut Ptr,
        edges: *mut Ptr, n: *mut usize,
    );
    cuMemRangeGetAttribute(data: *mut i32, size: usize, attribute: u32, address: u64, count: usize);
}

/// The CUDA versions from which a name refers to a function are those of cudaTypedefs.h
/// (`PFN_cuStreamGetCtx_v12050`).
#[test]
fn a_name_means_the_function_of_the_version_that_is_asked_for() {
    macro_rules! rows {
        ($($base:literal: $($version:literal $symbol:ident),+;)*) => {
            [$(($base, &[$(($version, $symbol as *const () as Ptr)),+][..])),*]
        };
    }
    let rows = rows! {
        c"cuDevicePrimaryCtxRelease": 7000 cuDevicePrimaryCtxRelease, 11000 cuDevicePrimaryCtxRelease_v2;
        c"cuDevicePrimaryCtxReset": 7000 cuDevicePrimaryCtxReset, 11000 cuDevicePrimaryCtxReset_v2;
        c"cuMemHostRegister": 4000 cuMemHostRegister, 6050 cuMemHostRegister_v2;
        c"cuStreamGetCaptureInfo": 10010 cuStreamGetCaptureInfo, 11030 cuStreamGetCaptureInfo_v2,
            12030 cuStreamGetCaptureInfo_v3;
        c"cuStreamGetCtx": 9020 cuStreamGetCtx, 12050 cuStreamGetCtx_v2;
        c"cuTexRefSetAddress2D": 2020 cuTexRefSetAddress2D, 3020 cuTexRefSetAddress2D_v2,
            4010 cuTexRefSetAddress2D_v3;
    };
    for (name, versions) in rows {
        let until = versions.iter().skip(1).map(|next| next.0).chain([13_051]);
        for (&(from, function), until) in versions.iter().zip(until) {
            for version in [from, until - 1] {
                let (mut first, mut second, mut how) = (null_mut(), null_mut(), 7);
                let (at, how_at) = (&raw mut second, &raw mut how);
                ok!(cuGetProcAddress(name.as_ptr(), &raw mut first, version, 0));
                ok!(cuGetProcAddress_v2(name.as_ptr(), at, version, 0, how_at));
                assert_eq!((first, second, how), (function, function, 0), "{name:?}, {version}");
            }
        }
        let (mut at, mut how) = (7 as Ptr, 7);
        let before = versions[0].0 - 1;
        fails!(NOT_FOUND, cuGetProcAddress_v2(name.as_ptr(), &raw mut at, before, 0, &raw mut how));
        assert_eq!((at, how), (null_mut(), 2), "{name:?}");
    }
}

/// A versioned symbol is found in any version of CUDA.
#[test]
fn symbols_with_a_version() {
    let mut at = null_mut();
    ok!(cuGetProcAddress(c"cuMemHostRegister_v2".as_ptr(), &raw mut at, 1, 0));
    assert_eq!(at, cuMemHostRegister_v2 as *const () as Ptr);
    fails!(NOT_FOUND, cuGetProcAddress(c"cuNothing".as_ptr(), &raw mut at, 13_000, 0));
}

/// Flags of the primary context, and whether it is active.
fn primary() -> (u32, i32) {
    let (mut flags, mut active) = (99, 99);
    ok!(cuDevicePrimaryCtxGetState(0, &raw mut flags, &raw mut active));
    (flags, active)
}

#[test]
fn primary_contexts() {
    ok!(cuInit(0));
    let (mut first, mut again) = (null_mut(), null_mut());
    ok!(cuDevicePrimaryCtxSetFlags(0, 2));
    assert_eq!(primary(), (2, 0));
    fails!(INVALID_VALUE, cuDevicePrimaryCtxSetFlags(0, 3));
    fails!(INVALID_DEVICE, cuDevicePrimaryCtxSetFlags(9, 2));
    ok!(cuDevicePrimaryCtxRetain(&raw mut first, 0));
    ok!(cuDevicePrimaryCtxRetain(&raw mut again, 0));
    assert_eq!((first, primary()), (again, (2, 1)));
    // A reset destroys the objects, and the context remains active.
    let mut memory = 0;
    ok!(crate::common::cuCtxSetCurrent(first));
    ok!(cuMemAlloc_v2(&raw mut memory, 64));
    ok!(cuDevicePrimaryCtxReset(0));
    fails!(INVALID_VALUE, cuMemFree_v2(memory));
    assert_eq!(primary(), (2, 1));
    fails!(INVALID_DEVICE, cuDevicePrimaryCtxReset(9));
    // The last release destroys the primary context.
    ok!(cuDevicePrimaryCtxRelease(0));
    assert_eq!(primary(), (2, 1));
    ok!(cuDevicePrimaryCtxRelease(0));
    assert_eq!(primary(), (2, 0));
    fails!(INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    fails!(CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&raw mut memory, 64));
}

#[test]
fn streams() {
    let world = World::new();
    let nothing = || (9_u32, 9_u64);
    let (mut graph, mut nodes, mut edges, mut n) = (7 as Ptr, 7 as Ptr, 7 as Ptr, 7);
    for stream in [null_mut(), 1 as Ptr, 2 as Ptr, world.stream] {
        let (mut status, mut id) = nothing();
        ok!(cuStreamGetCaptureInfo(stream, &raw mut status, &raw mut id));
        assert_eq!((status, id), (0, 0));
        (status, id) = nothing();
        let (to, of) = (&raw mut status, &raw mut id);
        let (g, d) = (&raw mut graph, &raw mut nodes);
        ok!(cuStreamGetCaptureInfo_v2(stream, to, of, g, d, &raw mut n));
        assert_eq!((status, id), (0, 0));
        (status, id) = nothing();
        ok!(cuStreamGetCaptureInfo_v3(stream, to, of, g, d, &raw mut edges, &raw mut n));
        assert_eq!((status, id), (0, 0));
        // The pointer for the number may be null, that for the status may not.
        ok!(cuStreamGetCaptureInfo(stream, to, null_mut()));
        fails!(INVALID_VALUE, cuStreamGetCaptureInfo(stream, null_mut(), of));
        let (mut owner, mut green) = (null_mut(), 7 as Ptr);
        ok!(cuStreamGetCtx_v2(stream, &raw mut owner, &raw mut green));
        assert_eq!((owner, green), (world.context, null_mut()));
        fails!(INVALID_VALUE, cuStreamGetCtx_v2(stream, null_mut(), &raw mut green));
    }
    // Results that exist only during a capture are not written.
    assert_eq!((graph, nodes, edges, n), (7 as Ptr, 7 as Ptr, 7 as Ptr, 7));
    let mut status = 0;
    fails!(INVALID_HANDLE, cuStreamGetCaptureInfo(world.array, &raw mut status, null_mut()));
    fails!(PROFILER_DISABLED, cuProfilerInitialize(c"a".as_ptr(), c"b".as_ptr(), 0));
    ok!(cuCtxDestroy_v2(world.context));
}

#[test]
fn unified_functions() {
    let world = World::new();
    let (mut function, name) = (null_mut(), c"good".as_ptr());
    let at = &raw mut function;
    fails!(INVALID_VALUE, cuLibraryGetUnifiedFunction(at, world.library, name));
    fails!(INVALID_HANDLE, cuLibraryGetUnifiedFunction(at, world.module, name));
    fails!(INVALID_VALUE, cuLibraryGetUnifiedFunction(at, world.library, null()));
    // The device's own value.
    let mut value = 7;
    ok!(cuDeviceGetAttribute(&raw mut value, 129, 0));
    assert_eq!(value, 0);
    ok!(cuCtxDestroy_v2(world.context));
}

#[test]
fn registered_memory() {
    let context = context();
    let mut memory = vec![5_u8; 4096];
    let at = memory.as_mut_ptr().cast::<c_void>();
    ok!(cuMemHostRegister(at, 4096, 0));
    fails!(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(at, 4096, 0));
    fails!(INVALID_VALUE, cuMemHostRegister(at, 0, 0));
    let mut address = 0;
    ok!(cuMemHostGetDevicePointer_v2(&raw mut address, at, 0));
    assert_eq!(address, at as u64);
    ok!(cuMemsetD8_v2(address + 1, 9, 4095));
    ok!(cuMemHostUnregister(at));
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(at));
    assert!(memory[0] == 5 && memory[1..].iter().all(|&byte| byte == 9));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn discards_and_prefetches() {
    let world = World::new();
    let mut managed = 0;
    ok!(cuMemAllocManaged(&raw mut managed, 4096, 1));
    let places = [
        CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        CUmemLocation { kind: CU_MEM_LOCATION_TYPE_HOST, id: 0 },
    ];
    let (ranges, sizes) = ([managed, managed + 2048], [2048, 2048]);
    let call = |ranges: &[u64; 2], indices: &[usize; 2], groups, flags| {
        let (at, sizes, places) = (ranges.as_ptr(), sizes.as_ptr(), places.as_ptr());
        let (indices, stream) = (indices.as_ptr(), world.stream);
        // SAFETY: each array has two elements.
        unsafe {
            cuMemDiscardAndPrefetchBatchAsync(at, sizes, 2, places, indices, groups, flags, stream)
        }
    };
    let prefetched_to = |address| {
        let mut place = 7;
        // `CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION`
        ok!(cuMemRangeGetAttribute(&raw mut place, 4, 4, address, 2048));
        place
    };
    assert_eq!(call(&ranges, &[0, 1], 2, 0), CUresult::SUCCESS);
    assert_eq!([managed, managed + 2048].map(prefetched_to), [0, CU_DEVICE_CPU]);
    assert_eq!(call(&ranges, &[0, 0], 1, 0), CUresult::SUCCESS);
    assert_eq!([managed, managed + 2048].map(prefetched_to), [0, 0]);
    for refused in [
        call(&ranges, &[0, 1], 2, 1),
        call(&ranges, &[1, 1], 1, 0),
        call(&ranges, &[0, 0], 2, 0),
        call(&ranges, &[0, 1], 0, 0),
        call(&ranges, &[0, 1], 3, 0),
        call(&[managed, world.memory], &[0, 1], 2, 0),
    ] {
        assert_eq!(refused, CUresult::INVALID_VALUE);
    }
    ok!(cuCtxDestroy_v2(world.context));
}

#[test]
fn copies_with_attributes() {
    let world = World::new();
    let from: Vec<u8> = (0..=255).collect();
    let address = from.as_ptr() as u64;
    let mut back = [0; 64];
    let mut attributes = CUmemcpyAttributes { src_access_order: 1, ..Default::default() };
    let call = |attributes: &CUmemcpyAttributes, size, stream| {
        // SAFETY: both have at least 256 bytes.
        unsafe { cuMemcpyWithAttributesAsync(world.memory, address, size, attributes, stream) }
    };
    assert_eq!(call(&attributes, 64, world.stream), CUresult::SUCCESS);
    ok!(cuMemcpyDtoH_v2(back.as_mut_ptr(), world.memory, 64));
    assert_eq!(back[..], from[..64]);
    // Refused in the default stream, and past the end of the memory.
    assert_eq!(call(&attributes, 64, null_mut()), CUresult::INVALID_VALUE);
    assert_eq!(call(&attributes, 8192, world.stream), CUresult::INVALID_VALUE);
    for order in [0, 4] {
        attributes.src_access_order = order;
        assert_eq!(call(&attributes, 64, world.stream), CUresult::INVALID_VALUE);
    }
    // Three rows of four bytes with a pitch of ten, to rows without gaps.
    let memory = |what, pitch| CUmemcpy3DOperand {
        kind: CU_MEMCPY_OPERAND_TYPE_POINTER,
        what,
        numbers: [pitch, 0, 0],
    };
    let mut copy = CUDA_MEMCPY3D_BATCH_OP {
        src: memory(address, 10),
        dst: memory(world.memory, 0),
        extent: [4, 3, 1],
        src_access_order: 1,
        ..Default::default()
    };
    ok!(cuMemcpy3DWithAttributesAsync(&raw const copy, 0, world.stream));
    ok!(cuMemcpyDtoH_v2(back.as_mut_ptr(), world.memory, 13));
    assert_eq!(back[..13], [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 12]);
    fails!(INVALID_VALUE, cuMemcpy3DWithAttributesAsync(&raw const copy, 1, world.stream));
    fails!(INVALID_VALUE, cuMemcpy3DWithAttributesAsync(&raw const copy, 0, null_mut()));
    fails!(INVALID_VALUE, cuMemcpy3DWithAttributesAsync(null(), 0, world.stream));
    copy.extent[1] = 0;
    fails!(INVALID_VALUE, cuMemcpy3DWithAttributesAsync(&raw const copy, 0, world.stream));
    ok!(cuCtxDestroy_v2(world.context));
}

/// 32-bit addresses, which no memory has here.
#[test]
fn texture_references_of_short_addresses() {
    let world = World::new();
    let (mut reference, mut address) = (null_mut(), 7);
    ok!(cuTexRefCreate(&raw mut reference));
    fails!(INVALID_VALUE, cuTexRefGetAddress(&raw mut address, reference));
    let short = CUDA_ARRAY_DESCRIPTOR_v1 { width: 8, height: 4, format: 0x20, num_channels: 1 };
    fails!(INVALID_VALUE, cuTexRefSetAddress2D(reference, &raw const short, 512, 512));
    fails!(INVALID_VALUE, cuTexRefSetAddress2D(reference, null(), 512, 512));
    fails!(INVALID_HANDLE, cuTexRefSetAddress2D(world.array, &raw const short, 512, 512));
    let long = CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: 0x20, num_channels: 1 };
    ok!(cuTexRefSetAddress2D_v3(reference, &raw const long, world.memory, 512));
    // The address exists, but does not fit in 32 bits.
    fails!(INVALID_VALUE, cuTexRefGetAddress(&raw mut address, reference));
    assert_eq!(address, 7);
    ok!(cuTexRefDestroy(reference));
    ok!(cuCtxDestroy_v2(world.context));
}
