//! Memory of the driver API: allocations of every kind, memory sets, refused calls.

use crate::alone;
use crate::common::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use texunit_testkit::Random;

const MANAGED_GLOBAL: u32 = 1;

fn alloc(bytes: usize) -> u64 {
    let mut dptr = 0;
    ok!(cuMemAlloc_v2(&raw mut dptr, bytes));
    dptr
}

fn host_alloc(bytes: usize, flags: u32) -> *mut c_void {
    let mut pointer = null_mut();
    ok!(cuMemHostAlloc(&raw mut pointer, bytes, flags));
    pointer
}

fn download(from: u64, bytes: usize) -> Vec<u8> {
    let mut out = vec![0xcc; bytes];
    ok!(cuMemcpyDtoH_v2(out.as_mut_ptr().cast(), from, bytes));
    out
}

fn upload(to: u64, bytes: &[u8]) {
    ok!(cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), bytes.len()));
}

fn info() -> (usize, usize) {
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
    (free, total)
}

#[test]
fn linear_memory_is_copied_and_set() {
    let _alone = alone();
    context();
    let (a, b) = (alloc(1000), alloc(100_000));
    assert!(a.is_multiple_of(512) && b.is_multiple_of(512));
    let bytes = Random::new(7).bytes(100_000);
    upload(b, &bytes);
    assert_eq!(download(b, 100_000), bytes);
    ok!(cuMemcpyDtoD_v2(a + 1, b + 5, 900));
    assert_eq!(download(a + 1, 900), bytes[5..905]);
    ok!(cuMemsetD8_v2(a, 7, 1000));
    ok!(cuMemsetD16_v2(a + 2, 0x0102, 3));
    ok!(cuMemsetD32_v2(a + 8, 0x0304_0506, 2));
    assert_eq!(download(a, 18), [7, 7, 2, 1, 2, 1, 2, 1, 6, 5, 4, 3, 6, 5, 4, 3, 7, 7]);
    ok!(cuMemcpy(a, bytes.as_ptr() as u64, 10));
    assert_eq!(download(a, 10), bytes[..10]);
    ok!(cuMemFree_v2(a));
    ok!(cuMemFree_v2(b));
}

#[test]
fn rows_are_set() {
    let _alone = alone();
    context();
    let (mut a, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&raw mut a, &raw mut pitch, 1000, 9, 4));
    assert_eq!(pitch, 1024);
    let mut model = vec![0_u8; 9 * 1024];
    upload(a, &model);
    ok!(cuMemsetD2D8_v2(a + 3, pitch, 5, 7, 9));
    ok!(cuMemsetD2D16_v2(a + 20, pitch, 0x0102, 3, 4));
    ok!(cuMemsetD2D32_v2(a + 1024 + 40, pitch, 0x0304_0506, 2, 2));
    for row in 0..9 {
        model[row * 1024 + 3..row * 1024 + 10].fill(5);
        if row < 4 {
            model[row * 1024 + 20..row * 1024 + 26].copy_from_slice(&[2, 1, 2, 1, 2, 1]);
        }
        if (1..3).contains(&row) {
            let eight = [6, 5, 4, 3, 6, 5, 4, 3];
            model[row * 1024 + 40..row * 1024 + 48].copy_from_slice(&eight);
        }
    }
    assert_eq!(download(a, 9 * 1024), model);
    // Rows without gaps are one line; a single row needs no pitch.
    ok!(cuMemsetD2D32_v2(a, 1024, 0x0101_0101, 256, 9));
    ok!(cuMemsetD2D8_v2(a + 5, 0, 2, 3, 1));
    model.fill(1);
    model[5..8].fill(2);
    assert_eq!(download(a, 9 * 1024), model);
    fails!(INVALID_VALUE, cuMemsetD2D8_v2(a, 1024, 0, 1024, 10));
    fails!(INVALID_VALUE, cuMemsetD2D8_v2(a, 1023, 0, 1024, 2));
    fails!(INVALID_VALUE, cuMemsetD2D16_v2(a, 1025, 0, 1, 2));
    fails!(INVALID_VALUE, cuMemsetD2D32_v2(a, 1024, 0, usize::MAX, 2));
    fails!(INVALID_VALUE, cuMemsetD2D32_v2(a, usize::MAX - 3, 0, 2, usize::MAX));
    ok!(cuMemsetD2D32_v2(a, 1024, 0, 0, 9));
    for element in [0, 1, 2, 5, 32] {
        let wanted = cuMemAllocPitch_v2;
        fails!(INVALID_VALUE, wanted(&raw mut a, &raw mut pitch, 100, 4, element));
    }
    fails!(INVALID_VALUE, cuMemAllocPitch_v2(&raw mut a, &raw mut pitch, 0, 4, 4));
    fails!(INVALID_VALUE, cuMemAllocPitch_v2(&raw mut a, &raw mut pitch, 100, 0, 4));
    fails!(INVALID_VALUE, cuMemAllocPitch_v2(&raw mut a, &raw mut pitch, usize::MAX, 4, 4));
}

#[test]
fn what_is_wrong_has_the_drivers_code() {
    let _alone = alone();
    let me = context();
    let a = alloc(1000);
    let mut bytes = [0_u8; 1001];
    let host = bytes.as_mut_ptr().cast::<c_void>();
    let mut out = 0;
    fails!(INVALID_VALUE, cuMemAlloc_v2(&raw mut out, 0));
    fails!(INVALID_VALUE, cuMemAlloc_v2(null_mut(), 16));
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&raw mut out, usize::MAX));
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&raw mut out, info().1 + 1));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(a, host.cast(), 1001));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(host.cast(), a + 1, 1000));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(host.cast(), a - 1, 1));
    fails!(INVALID_VALUE, cuMemcpyDtoD_v2(a, a + 500, 501));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(0, host.cast(), 1));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(a, null_mut(), 1));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(a, host.cast(), usize::MAX));
    fails!(INVALID_VALUE, cuMemcpy(u64::MAX, a, 8));
    // Host and device memory are exchanged.
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(host as u64, host.cast(), 1));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(a, a as *const u8, 1));
    fails!(INVALID_VALUE, cuMemsetD8_v2(host as u64, 0, 1));
    // A size of 0 allows any address.
    ok!(cuMemcpyHtoD_v2(a, null_mut(), 0));
    ok!(cuMemcpyDtoD_v2(0, 0, 0));
    ok!(cuMemsetD32_v2(a, 0, 0));
    fails!(INVALID_VALUE, cuMemsetD16_v2(a + 1, 0, 1));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a + 2, 0, 1));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a, 0, 251));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a, 0, usize::MAX / 2));
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, a + 999));
    assert_eq!((base, size), (a, 1000));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&raw mut base, &raw mut size, a + 1000));
    fails!(INVALID_VALUE, cuMemFree_v2(a + 1));
    fails!(INVALID_VALUE, cuMemFree_v2(host as u64));
    ok!(cuMemFree_v2(0));
    fails!(INVALID_VALUE, cuMemFreeHost(a as *mut c_void));
    ok!(cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(host.cast(), a, 1));
    ok!(cuCtxSetCurrent(null_mut()));
    fails!(INVALID_CONTEXT, cuMemAlloc_v2(&raw mut out, 16));
    fails!(INVALID_CONTEXT, cuMemcpyHtoD_v2(a, host.cast(), 1));
    fails!(INVALID_CONTEXT, cuMemGetInfo_v2(&raw mut size, &raw mut size));
    ok!(cuCtxDestroy_v2(me));
}

#[test]
fn a_context_frees_what_was_allocated_in_it() {
    let _alone = alone();
    let outer = context();
    let (free, _) = info();
    let inner = context();
    let (a, host) = (alloc(5000), host_alloc(100, 0));
    let mut managed = 0;
    ok!(cuMemAllocManaged(&raw mut managed, 100, MANAGED_GLOBAL));
    assert_eq!(info().0, free - 5000);
    ok!(cuCtxDestroy_v2(inner));
    ok!(cuCtxSetCurrent(outer));
    assert_eq!(info().0, free);
    fails!(INVALID_VALUE, cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemFreeHost(host));
    fails!(INVALID_VALUE, cuMemFree_v2(managed));
    ok!(cuCtxDestroy_v2(outer));
}

#[test]
fn host_memory_is_one_place_for_all() {
    let _alone = alone();
    context();
    let (device, host) = (alloc(4096), host_alloc(3000, 1));
    assert!((host as u64).is_multiple_of(4096));
    // SAFETY: the library has allocated 3000 bytes, which nobody else uses.
    let bytes = unsafe { std::slice::from_raw_parts_mut(host.cast::<u8>(), 3000) };
    bytes.copy_from_slice(&Random::new(3).bytes(3000));
    ok!(cuMemcpyHtoD_v2(device, host.cast(), 3000));
    assert_eq!(download(device, 3000), bytes);
    // The device writes, and the program reads.
    let (mut pointer, mut flags) = (0, 9);
    ok!(cuMemHostGetDevicePointer_v2(&raw mut pointer, host.wrapping_byte_add(8), 0));
    assert_eq!(pointer, host as u64 + 8);
    ok!(cuMemsetD32_v2(pointer, 0x0102_0304, 1));
    assert_eq!(bytes[8..12], [4, 3, 2, 1]);
    ok!(cuMemHostGetFlags(&raw mut flags, host.cast()));
    assert_eq!(flags, 1);
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(device, host.cast(), 3001));
    fails!(INVALID_VALUE, cuMemHostGetDevicePointer_v2(&raw mut pointer, host, 1));
    fails!(INVALID_VALUE, cuMemHostGetFlags(&raw mut flags, (&raw mut pointer).cast()));
    fails!(INVALID_VALUE, cuMemHostAlloc(null_mut(), 10, 0));
    let mut out = null_mut();
    fails!(INVALID_VALUE, cuMemHostAlloc(&raw mut out, 0, 0));
    fails!(INVALID_VALUE, cuMemHostAlloc(&raw mut out, 10, 8));
    fails!(OUT_OF_MEMORY, cuMemHostAlloc(&raw mut out, usize::MAX / 2, 0));
    fails!(INVALID_VALUE, cuMemFree_v2(host as u64));
    ok!(cuMemFreeHost(host));
    fails!(INVALID_VALUE, cuMemFreeHost(host));
    ok!(cuMemAllocHost_v2(&raw mut out, 10));
    ok!(cuMemFreeHost(out));
}

#[test]
fn registered_memory_is_used_in_place() {
    let _alone = alone();
    context();
    let device = alloc(100);
    let mut bytes = Random::new(5).bytes(1000);
    let host = bytes.as_mut_ptr().cast::<c_void>();
    ok!(cuMemHostRegister_v2(host, 900, 2));
    fails!(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(host, 900, 0));
    let inside = host.wrapping_byte_add(10);
    fails!(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(inside, 1, 0));
    ok!(cuMemsetD8_v2(host as u64, 7, 5));
    ok!(cuMemcpyDtoD_v2(device, host as u64, 100));
    ok!(cuMemcpyDtoD_v2(host as u64 + 800, device, 100));
    // The copy crosses the end of the registered range.
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(device, host.wrapping_byte_add(850).cast(), 90));
    let mut flags = 0;
    ok!(cuMemHostGetFlags(&raw mut flags, inside.cast()));
    assert_eq!(flags, 2);
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(inside));
    fails!(INVALID_VALUE, cuMemFreeHost(host));
    ok!(cuMemHostUnregister(host));
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(host));
    fails!(INVALID_VALUE, cuMemsetD8_v2(host as u64, 7, 5));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(null_mut(), 900, 0));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(host, 0, 0));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(host, 10, 16));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(host, usize::MAX, 0));
    fails!(NOT_SUPPORTED, cuMemHostRegister_v2(host, 10, 4));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(device as *mut c_void, 10, 0));
    assert_eq!(bytes[..5], [7; 5]);
    assert_eq!(bytes[..100], bytes[800..900]);
}

/// A million allocations with `TEXUNIT_LONG_TESTS`, a tenth without.
#[test]
fn a_million_pairs() {
    let _alone = alone();
    let first = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 100_000 } else { 10_000 };
    context();
    let (free, _) = info();
    let kept: Vec<u64> = (0..1000).map(|_| alloc(16)).collect();
    let time = |pairs: usize| {
        let start = std::time::Instant::now();
        for i in 0..pairs {
            // All sizes are equally frequent.
            let a = alloc(1 + i * (100_000 / first) % 100_000);
            ok!(cuMemFree_v2(a));
        }
        start.elapsed()
    };
    let (begin, rest) = (time(first), time(9 * first));
    assert!(rest < 40 * begin, "{first} pairs took {begin:?}, nine times as many {rest:?}");
    // Address windows that are used up, after 128 TiB, are reused.
    for _ in 0..100_000 {
        let a = alloc(2 << 30);
        ok!(cuMemFree_v2(a));
    }
    for a in kept {
        ok!(cuMemFree_v2(a));
    }
    assert_eq!(info().0, free);
}

#[test]
fn two_threads_at_once() {
    let _alone = alone();
    let outer = context();
    let (free, _) = info();
    std::thread::scope(|scope| {
        for seed in 1..=2_u64 {
            scope.spawn(move || {
                let mine = context();
                let mut random = Random::for_test(seed);
                let mut live: Vec<(u64, Vec<u8>)> = Vec::new();
                for _ in 0..3000 {
                    if live.len() < 20 {
                        let size = 1 + random.below(3000_usize);
                        let (a, bytes) = (alloc(size), random.bytes(size));
                        upload(a, &bytes);
                        live.push((a, bytes));
                    }
                    let (a, bytes) = live.swap_remove(random.below(live.len()));
                    assert_eq!(download(a, bytes.len()), bytes);
                    ok!(cuMemFree_v2(a));
                }
                ok!(cuCtxDestroy_v2(mine));
            });
        }
    });
    ok!(cuCtxSetCurrent(outer));
    assert_eq!(info().0, free);
}
