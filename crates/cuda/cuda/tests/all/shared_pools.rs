//! Exported and imported pools in one process: each has addresses of its own, as between two
//! processes.

use crate::common::*;
use std::collections::BTreeMap;
use std::ptr::null_mut;
use texunit_cuda_abi::{CUmemLocation, CUmemPoolProps};
use texunit_testkit::Random;

functions! {
    cuMemPoolExportToShareableHandle(file: *mut i32, pool: Ptr, kind: u32, flags: u64);
    cuMemPoolImportFromShareableHandle(pool: *mut Ptr, file: usize, kind: u32, flags: u64);
}

fn props(handle_types: u32, max_size: usize) -> CUmemPoolProps {
    CUmemPoolProps {
        alloc_type: 1,
        handle_types,
        location: CUmemLocation { kind: 1, id: 0 },
        max_size,
        ..CUmemPoolProps::default()
    }
}

fn byte(address: u64) -> u8 {
    let mut found = 0;
    ok!(cuMemcpyDtoH_v2(&raw mut found, address, 1));
    found
}

#[test]
fn allocations_are_seen_by_those_who_import_them() {
    let _context = context();
    let (mut pool, mut plain, mut there, mut file) = (null_mut(), null_mut(), null_mut(), -1);
    let wanted = props(1, 0);
    ok!(cuMemPoolCreate(&raw mut pool, &raw const wanted));
    ok!(cuDeviceGetDefaultMemPool(&raw mut plain, 0));
    fails!(INVALID_VALUE, cuMemPoolExportToShareableHandle(&raw mut file, plain, 1, 0));
    fails!(INVALID_VALUE, cuMemPoolExportToShareableHandle(&raw mut file, pool, 1, 1));
    fails!(NOT_SUPPORTED, cuMemPoolExportToShareableHandle(&raw mut file, pool, 8, 0));
    ok!(cuMemPoolExportToShareableHandle(&raw mut file, pool, 1, 0));
    ok!(cuMemPoolImportFromShareableHandle(&raw mut there, file as usize, 1, 0));
    // SAFETY: the file belongs to the caller.
    unsafe { libc::close(file) };
    fails!(INVALID_VALUE, cuMemPoolImportFromShareableHandle(&raw mut plain, file as usize, 1, 0));
    let (mut p, mut q, mut data) = (0, 0, [0; 64]);
    fails!(INVALID_VALUE, cuMemAllocFromPoolAsync(&raw mut p, 10, there, null_mut()));
    fails!(INVALID_VALUE, cuDeviceSetMemPool(0, there));
    fails!(INVALID_VALUE, cuMemPoolExportToShareableHandle(&raw mut file, there, 1, 0));
    ok!(cuMemAllocFromPoolAsync(&raw mut p, 1000, pool, null_mut()));
    ok!(cuMemsetD8_v2(p, 9, 1000));
    fails!(INVALID_VALUE, cuMemPoolExportPointer(&raw mut data, p + 1));
    ok!(cuMemPoolExportPointer(&raw mut data, p));
    fails!(INVALID_VALUE, cuMemPoolImportPointer(&raw mut q, pool, &raw const data));
    ok!(cuMemPoolImportPointer(&raw mut q, there, &raw const data));
    assert_ne!(p, q);
    assert_eq!((byte(q), byte(q + 999)), (9, 9));
    ok!(cuMemsetD8_v2(q + 5, 3, 1));
    assert_eq!(byte(p + 5), 3);
    fails!(INVALID_VALUE, cuMemsetD8_v2(q + 999, 3, 2));
    fails!(INVALID_VALUE, cuMemPoolImportPointer(&raw mut q, there, &raw const data));
    // Invalid data, data of another pool, and an offset past the end.
    for (at, value) in [(0, 0), (16, 0xff), (31, 0xff), (39, 0xff), (32, 0)] {
        let mut wrong = data;
        wrong[at] = value;
        if at == 32 {
            wrong[32..40].fill(0);
        }
        let mut none = 0;
        fails!(INVALID_VALUE, cuMemPoolImportPointer(&raw mut none, there, &raw const wrong));
    }
    // It is freed here, but not in the exporting pool.
    ok!(cuMemFreeAsync(q, null_mut()));
    fails!(INVALID_VALUE, cuMemsetD8_v2(q, 3, 1));
    assert_eq!(byte(p), 9);
    // Freed memory is not mistaken for memory of the program.
    fails!(INVALID_VALUE, cuMemcpy(p, q, 4));
    ok!(cuMemPoolImportPointer(&raw mut q, there, &raw const data));
    ok!(cuMemFree_v2(q));
    ok!(cuMemFree_v2(p));
    ok!(cuMemPoolDestroy(there));
    ok!(cuMemPoolDestroy(pool));
}

#[test]
fn ranges_are_used_again_and_never_twice() {
    let _context = context();
    let size = 64 << 20;
    let mut pool = null_mut();
    let wanted = props(1, size);
    ok!(cuMemPoolCreate(&raw mut pool, &raw const wanted));
    let mut random = Random::for_test(20_261_130);
    let mut alive = BTreeMap::<u64, (u64, u8)>::new();
    let mut refused = 0;
    for turn in 0..600_u32 {
        if random.one_in(2) && !alive.is_empty() {
            let all: Vec<u64> = alive.keys().copied().collect();
            let address = random.of(&all);
            let (bytes, value) = alive.remove(&address).unwrap();
            assert_eq!((byte(address), byte(address + bytes - 1)), (value, value));
            ok!(cuMemFreeAsync(address, null_mut()));
            continue;
        }
        let bytes = 1 + random.below(16_u64 << 20);
        let mut address = 0;
        // SAFETY: the pointer is to a local variable.
        let result =
            unsafe { cuMemAllocFromPoolAsync(&raw mut address, bytes as usize, pool, null_mut()) };
        let used: u64 = alive.values().map(|(bytes, _)| bytes).sum();
        if result == texunit_cuda_abi::CUresult::OUT_OF_MEMORY {
            // Required only without such a gap: not if a quarter is in use.
            assert!(used + bytes > size as u64 / 4, "{used} {bytes}");
            refused += 1;
            continue;
        }
        assert_eq!(result, texunit_cuda_abi::CUresult::SUCCESS);
        let meets = |(&start, &(len, _)): (&u64, &(u64, u8))| {
            start < address + bytes && address < start + len
        };
        assert!(!alive.iter().any(meets));
        let value = turn as u8;
        ok!(cuMemsetD8_v2(address, value, 1));
        ok!(cuMemsetD8_v2(address + bytes - 1, value, 1));
        alive.insert(address, (bytes, value));
        let mut counted = 0_u64;
        ok!(cuMemPoolGetAttribute(pool, 7, (&raw mut counted).cast()));
        assert_eq!(counted, used + bytes);
    }
    assert!(refused > 0);
    alive.keys().for_each(|&address| ok!(cuMemFreeAsync(address, null_mut())));
    ok!(cuMemPoolDestroy(pool));
}
