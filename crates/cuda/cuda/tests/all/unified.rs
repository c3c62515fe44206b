//! Unified addressing: pointer attributes, managed memory, memory pools.

use crate::common::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use texunit_cuda_abi::{
    CU_DEVICE_CPU, CU_DEVICE_INVALID, CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_SINGLE,
    CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST, CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST, CUmemAccessDesc, CUmemLocation, CUmemPoolProps,
};

functions! {
    cuPointerGetAttributes(n: u32, attributes: *const u32, data: *const *mut c_void, ptr: u64);
    cuMemRangeGetAttribute(data: *mut c_void, size: usize, attribute: u32, ptr: u64, count: usize);
    cuMemRangeGetAttributes(data: *const *mut c_void, sizes: *const usize, attributes: *const u32,
        n: usize, ptr: u64, count: usize);
    cuPointerSetAttribute(value: *const c_void, attribute: u32, ptr: u64);
    cuMemPoolSetAttribute(pool: Ptr, attribute: u32, value: *const c_void);
}

const DEVICE: CUmemLocation = CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
const HOST: CUmemLocation = CUmemLocation { kind: CU_MEM_LOCATION_TYPE_HOST, id: 0 };

/// A value written by a call, which must not change the bytes after it.
fn written<T: Copy + Default + PartialEq + std::fmt::Debug>(call: impl FnOnce(*mut c_void)) -> T {
    #[repr(C)]
    struct Guarded<T>(T, [u8; 16]);
    let mut value = Guarded(T::default(), [0xa5; 16]);
    call((&raw mut value.0).cast());
    assert_eq!(value.1, [0xa5; 16]);
    value.0
}

fn attribute<T: Copy + Default + PartialEq + std::fmt::Debug>(number: u32, ptr: u64) -> T {
    written(|to| ok!(cuPointerGetAttribute(to, number, ptr)))
}

fn device_memory(bytes: usize) -> u64 {
    written(|to| ok!(cuMemAlloc_v2(to.cast(), bytes)))
}

fn managed_memory(bytes: usize) -> u64 {
    written(|to| ok!(cuMemAllocManaged(to.cast(), bytes, CU_MEM_ATTACH_GLOBAL)))
}

#[test]
fn pointers_have_attributes() {
    let me = context();
    let (a, b, managed) = (device_memory(1000), device_memory(10), managed_memory(100));
    let mut host = null_mut();
    ok!(cuMemHostAlloc(&raw mut host, 50, 0));
    let host = host as u64;
    // All four bytes are written, whatever they contained.
    for number in [6, 8, 10, 13, 15, 21] {
        for (ptr, is_managed) in [(a, 0), (managed, 1)] {
            let mut value = 0xcccc_cccc_u32;
            ok!(cuPointerGetAttribute((&raw mut value).cast(), number, ptr));
            // The memory is mapped; only memory of cuMemAlloc has IPC handles.
            let wanted = match number {
                13 => 1,
                8 => is_managed,
                10 => 1 - is_managed,
                _ => 0,
            };
            assert_eq!(value, wanted, "{number}");
        }
    }
    for (ptr, kind) in [(a, CU_MEMORYTYPE_DEVICE), (host, CU_MEMORYTYPE_HOST)] {
        assert_eq!(attribute::<u64>(1, ptr), me as u64);
        assert_eq!(attribute::<u32>(2, ptr + 9), kind);
        assert_eq!(attribute::<u64>(3, ptr + 9), ptr + 9);
        assert_eq!(attribute::<u64>(11, ptr + 9), ptr);
        assert_eq!(attribute::<i32>(9, ptr), 0);
        assert_eq!(attribute::<u32>(8, ptr), 0);
        assert_eq!(attribute::<u32>(13, ptr), 1);
        assert_eq!(attribute::<u32>(16, ptr), 3);
    }
    assert_eq!(attribute::<u64>(12, a), 1000);
    assert_eq!((attribute::<u64>(12, managed), attribute::<u32>(8, managed)), (100, 1));
    assert_eq!(attribute::<u32>(2, managed), CU_MEMORYTYPE_DEVICE);
    assert_eq!((attribute::<u64>(4, host), attribute::<u64>(4, managed)), (host, managed));
    assert_ne!(attribute::<u64>(7, a), attribute::<u64>(7, b));
    let mut value = 0_u64;
    let to = (&raw mut value).cast::<c_void>();
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 4, a));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 99, a));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 5, a));
    fails!(INVALID_VALUE, cuPointerGetAttribute(null_mut(), 2, a));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 2, a + 1000));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 2, to as u64));
    let flag = 1_u32;
    assert_eq!(attribute::<u32>(6, a), 0);
    ok!(cuPointerSetAttribute((&raw const flag).cast(), 6, a));
    assert_eq!(attribute::<u32>(6, a), 1);
    fails!(INVALID_VALUE, cuPointerSetAttribute((&raw const flag).cast(), 8, a));
    fails!(INVALID_VALUE, cuPointerSetAttribute((&raw const flag).cast(), 6, to as u64));
    // Unknown memory has null attributes and no device.
    let (mut kind, mut ordinal, mut start) = (7_u32, 7_i32, 7_u64);
    let data = [(&raw mut kind).cast(), (&raw mut ordinal).cast(), (&raw mut start).cast()];
    ok!(cuPointerGetAttributes(3, [2, 9, 11].as_ptr(), data.as_ptr(), to as u64));
    assert_eq!((kind, ordinal, start), (0, CU_DEVICE_INVALID, 0));
    ok!(cuPointerGetAttributes(3, [2, 9, 11].as_ptr(), data.as_ptr(), a + 1));
    assert_eq!((kind, ordinal, start), (CU_MEMORYTYPE_DEVICE, 0, a));
    fails!(INVALID_VALUE, cuPointerGetAttributes(0, [2].as_ptr(), data.as_ptr(), a));
    fails!(INVALID_VALUE, cuPointerGetAttributes(1, [77].as_ptr(), data.as_ptr(), a));
    ok!(cuMemFreeHost(host as *mut c_void));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 2, host));
    ok!(cuCtxDestroy_v2(me));
    fails!(INVALID_VALUE, cuPointerGetAttribute(to, 2, a));
}

fn range<T: Copy + Default + PartialEq + std::fmt::Debug>(number: u32, at: u64, count: usize) -> T {
    written(|to| ok!(cuMemRangeGetAttribute(to, size_of::<T>(), number, at, count)))
}

#[test]
fn managed_memory_remembers_advice() {
    let me = context();
    let (m, device) = (managed_memory(1 << 16), device_memory(1 << 16));
    // SAFETY: the library has allocated so many bytes, and the program may use them.
    let bytes = unsafe { std::slice::from_raw_parts_mut(m as *mut u8, 1 << 16) };
    bytes[..4].copy_from_slice(&[1, 2, 3, 4]);
    ok!(cuMemcpyDtoD_v2(device, m, 1 << 16));
    ok!(cuMemsetD8_v2(device + 1, 9, 2));
    ok!(cuMemcpyDtoD_v2(m + 8, device, 4));
    assert_eq!(bytes[..12], [1, 2, 3, 4, 0, 0, 0, 0, 1, 9, 9, 4]);
    assert_eq!(range::<i32>(1, m, 1 << 16), 0);
    assert_eq!(range::<i32>(2, m, 1 << 16), CU_DEVICE_INVALID);
    ok!(cuMemAdvise(m, 4096, 1, 0));
    assert_eq!((range::<i32>(1, m, 4096), range::<i32>(1, m, 4097)), (1, 0));
    ok!(cuMemAdvise_v2(m, 1 << 16, 3, HOST));
    ok!(cuMemAdvise(m, 100, 3, 0));
    assert_eq!((range::<i32>(2, m, 100), range::<i32>(2, m, 101)), (0, CU_DEVICE_INVALID));
    assert_eq!(range::<i32>(2, m + 100, 8), CU_DEVICE_CPU);
    assert_eq!((range::<u32>(5, m, 1), range::<u32>(5, m + 100, 1)), (1, 2));
    ok!(cuMemAdvise(m, 1 << 16, 5, 0));
    ok!(cuMemAdvise(m, 8, 5, CU_DEVICE_CPU));
    assert_eq!(range::<[i32; 3]>(3, m, 9), [0, CU_DEVICE_INVALID, CU_DEVICE_INVALID]);
    assert_eq!(range::<[i32; 2]>(3, m, 8), [0, CU_DEVICE_CPU]);
    ok!(cuMemAdvise(m, 1 << 16, 6, 0));
    assert_eq!(range::<[i32; 1]>(3, m + 8, 1), [CU_DEVICE_INVALID]);
    assert_eq!(range::<i32>(4, m, 8), CU_DEVICE_INVALID);
    ok!(cuMemPrefetchAsync(m, 64, 0, null_mut()));
    ok!(cuMemPrefetchAsync_v2(m + 64, 64, HOST, 0, null_mut()));
    assert_eq!((range::<i32>(4, m, 64), range::<i32>(4, m + 64, 64)), (0, CU_DEVICE_CPU));
    let (ptrs, sizes, indices) = ([m, m + 8, m + 64], [8_usize, 8, 8], [0_usize, 2]);
    let (p, s, i) = (ptrs.as_ptr(), sizes.as_ptr(), indices.as_ptr());
    let to = [HOST, DEVICE];
    ok!(cuMemPrefetchBatchAsync(p, s, 3, to.as_ptr(), i, 2, 0, null_mut()));
    let at = |a| range::<i32>(4, a, 8);
    assert_eq!((at(m), at(m + 8), at(m + 16), at(m + 64)), (CU_DEVICE_CPU, CU_DEVICE_CPU, 0, 0));
    ok!(cuMemDiscardBatchAsync(p, s, 3, 0, null_mut()));
    fails!(INVALID_VALUE, cuMemPrefetchBatchAsync(p, s, 2, to.as_ptr(), i, 2, 0, null_mut()));
    fails!(INVALID_VALUE, cuMemDiscardBatchAsync(p, s, 0, 0, null_mut()));
    let (mut first, mut second) = (9_i32, 9_i32);
    let data = [(&raw mut first).cast::<c_void>(), (&raw mut second).cast()];
    ok!(cuMemRangeGetAttributes(data.as_ptr(), [4, 4].as_ptr(), [1, 4].as_ptr(), 2, m, 8));
    assert_eq!((first, second), (1, CU_DEVICE_CPU));
    fails!(INVALID_VALUE, cuMemRangeGetAttribute(data[0], 8, 1, m, 8));
    fails!(INVALID_VALUE, cuMemRangeGetAttribute(data[0], 4, 99, m, 8));
    fails!(INVALID_VALUE, cuMemRangeGetAttribute(data[0], 4, 1, m, (1 << 16) + 1));
    fails!(INVALID_VALUE, cuMemAdvise(device, 8, 1, 0));
    fails!(INVALID_VALUE, cuMemAdvise(m, 0, 1, 0));
    fails!(INVALID_VALUE, cuMemAdvise(m, 8, 7, 0));
    fails!(INVALID_DEVICE, cuMemAdvise(m, 8, 3, 55));
    fails!(INVALID_VALUE, cuMemPrefetchAsync(device, 8, 0, null_mut()));
    let mut stream = null_mut();
    ok!(cuStreamCreate(&raw mut stream, 0));
    ok!(cuStreamAttachMemAsync(stream, m, 0, CU_MEM_ATTACH_SINGLE));
    ok!(cuStreamAttachMemAsync(null_mut(), m, 1 << 16, CU_MEM_ATTACH_HOST));
    fails!(INVALID_VALUE, cuStreamAttachMemAsync(null_mut(), m, 0, CU_MEM_ATTACH_SINGLE));
    fails!(INVALID_VALUE, cuStreamAttachMemAsync(stream, m, 5, CU_MEM_ATTACH_SINGLE));
    fails!(INVALID_VALUE, cuStreamAttachMemAsync(stream, device, 0, CU_MEM_ATTACH_SINGLE));
    let mut out = 0;
    fails!(INVALID_VALUE, cuMemAllocManaged(&raw mut out, 10, CU_MEM_ATTACH_SINGLE));
    fails!(INVALID_VALUE, cuMemAllocManaged(&raw mut out, 0, CU_MEM_ATTACH_GLOBAL));
    ok!(cuMemFree_v2(m));
    fails!(INVALID_VALUE, cuMemAdvise(m, 8, 1, 0));
    ok!(cuCtxDestroy_v2(me));
}

fn props(kind: u32, location: CUmemLocation, max_size: usize) -> CUmemPoolProps {
    CUmemPoolProps { alloc_type: kind, location, max_size, ..CUmemPoolProps::default() }
}

fn pool_attribute<T: Copy + Default + PartialEq + std::fmt::Debug>(pool: Ptr, number: u32) -> T {
    written(|to| ok!(cuMemPoolGetAttribute(pool, number, to)))
}

#[test]
fn pools_count_and_limit() {
    let me = context();
    let (mut pool, mut other) = (null_mut(), null_mut());
    let wanted = props(CU_MEM_ALLOCATION_TYPE_PINNED, DEVICE, 1000);
    ok!(cuMemPoolCreate(&raw mut pool, &raw const wanted));
    ok!(cuDeviceGetDefaultMemPool(&raw mut other, 0));
    assert_ne!(pool, other);
    let from = |bytes: usize| -> u64 {
        written(|to| ok!(cuMemAllocFromPoolAsync(to.cast(), bytes, pool, null_mut())))
    };
    let (a, b) = (from(600), from(300));
    let mut out = 0;
    fails!(OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&raw mut out, 101, pool, null_mut()));
    fails!(INVALID_VALUE, cuMemAllocFromPoolAsync(&raw mut out, 0, pool, null_mut()));
    fails!(INVALID_VALUE, cuMemAllocFromPoolAsync(&raw mut out, 1, null_mut(), null_mut()));
    fails!(INVALID_HANDLE, cuMemAllocFromPoolAsync(&raw mut out, 1, pool, pool));
    assert_eq!((attribute::<u64>(17, a), attribute::<u64>(1, a)), (pool as u64, 0));
    assert_eq!((pool_attribute::<u64>(pool, 7), pool_attribute::<u64>(pool, 13)), (900, 1000));
    ok!(cuMemFreeAsync(a, null_mut()));
    fails!(INVALID_VALUE, cuMemFreeAsync(a, null_mut()));
    ok!(cuMemFree_v2(b));
    assert_eq!((pool_attribute::<u64>(pool, 7), pool_attribute::<u64>(pool, 8)), (0, 900));
    let mut number = 0_u64;
    ok!(cuMemPoolSetAttribute(pool, 8, (&raw const number).cast()));
    assert_eq!(pool_attribute::<u64>(pool, 8), 0);
    number = 5;
    fails!(INVALID_VALUE, cuMemPoolSetAttribute(pool, 8, (&raw const number).cast()));
    ok!(cuMemPoolSetAttribute(pool, 4, (&raw const number).cast()));
    assert_eq!(pool_attribute::<u64>(pool, 4), 5);
    assert_eq!((pool_attribute::<i32>(pool, 1), pool_attribute::<i32>(pool, 12)), (1, 1));
    ok!(cuMemPoolTrimTo(pool, 0));
    let mut flags = 9;
    ok!(cuMemPoolGetAccess(&raw mut flags, pool, &DEVICE));
    assert_eq!(flags, 3);
    let no_access = CUmemAccessDesc { location: DEVICE, flags: 0 };
    fails!(INVALID_VALUE, cuMemPoolSetAccess(pool, &raw const no_access, 1));
    let access = CUmemAccessDesc { location: DEVICE, flags: 3 };
    ok!(cuMemPoolSetAccess(pool, &raw const access, 1));
    let exported = CUmemPoolProps { handle_types: 1, ..wanted };
    ok!(cuMemPoolCreate(&raw mut other, &raw const exported));
    assert_eq!((pool_attribute::<i32>(other, 10), pool_attribute::<i32>(pool, 10)), (1, 0));
    ok!(cuMemPoolDestroy(other));
    for (handle_types, location) in [(1, HOST), (8, DEVICE)] {
        let wrong = CUmemPoolProps { handle_types, location, ..wanted };
        fails!(NOT_SUPPORTED, cuMemPoolCreate(&raw mut other, &raw const wrong));
    }
    let nowhere = CUmemPoolProps { location: CUmemLocation { kind: 1, id: 77 }, ..wanted };
    fails!(INVALID_DEVICE, cuMemPoolCreate(&raw mut other, &raw const nowhere));
    // An allocation outlives its pool.
    let last = from(10);
    ok!(cuMemPoolDestroy(pool));
    fails!(INVALID_VALUE, cuMemPoolDestroy(pool));
    ok!(cuMemsetD8_v2(last, 1, 10));
    ok!(cuMemFreeAsync(last, null_mut()));
    ok!(cuCtxDestroy_v2(me));
}

#[test]
fn places_have_a_current_pool() {
    let me = context();
    let (mut default, mut mine, mut now) = (null_mut(), null_mut(), null_mut());
    ok!(cuDeviceGetDefaultMemPool(&raw mut default, 0));
    let kind = CU_MEM_ALLOCATION_TYPE_PINNED;
    ok!(cuMemPoolCreate(&raw mut mine, &props(kind, DEVICE, 0)));
    ok!(cuDeviceSetMemPool(0, mine));
    ok!(cuDeviceGetMemPool(&raw mut now, 0));
    assert_eq!(now, mine);
    let a: u64 = written(|to| ok!(cuMemAllocAsync(to.cast(), 64, null_mut())));
    assert_eq!(attribute::<u64>(17, a), mine as u64);
    ok!(cuMemFreeAsync(a, null_mut()));
    ok!(cuMemPoolDestroy(mine));
    ok!(cuMemGetMemPool(&raw mut now, &DEVICE, kind));
    assert_eq!(now, default);
    fails!(INVALID_VALUE, cuMemPoolDestroy(default));
    fails!(INVALID_VALUE, cuDeviceSetMemPool(0, mine));
    fails!(INVALID_DEVICE, cuDeviceGetMemPool(&raw mut now, 44));
    // Pools of host memory and of managed memory.
    ok!(cuMemGetDefaultMemPool(&raw mut now, &HOST, kind));
    fails!(INVALID_VALUE, cuDeviceSetMemPool(0, now));
    fails!(INVALID_VALUE, cuMemSetMemPool(&DEVICE, kind, now));
    ok!(cuMemSetMemPool(&HOST, kind, now));
    let from = |pool: Ptr| -> u64 {
        written(|to| ok!(cuMemAllocFromPoolAsync(to.cast(), 64, pool, null_mut())))
    };
    let host = from(now);
    assert_eq!((attribute::<u32>(2, host), attribute::<u32>(8, host)), (CU_MEMORYTYPE_HOST, 0));
    let kind = CU_MEM_ALLOCATION_TYPE_MANAGED;
    ok!(cuMemPoolCreate(&raw mut mine, &props(kind, DEVICE, 0)));
    let managed = from(mine);
    assert_eq!(attribute::<u32>(8, managed), 1);
    ok!(cuMemAdvise(managed, 64, 1, 0));
    ok!(cuMemFreeAsync(managed, null_mut()));
    ok!(cuMemFreeAsync(host, null_mut()));
    ok!(cuMemPoolDestroy(mine));
    ok!(cuCtxDestroy_v2(me));
}
