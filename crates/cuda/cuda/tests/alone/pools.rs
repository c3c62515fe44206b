//! Memory kept by pools: in steps of 32 MiB, until the program synchronises, trims the pool, or
//! needs the memory elsewhere.

use crate::alone;
use crate::common::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use texunit_cuda_abi::{CU_MEM_ALLOCATION_TYPE_PINNED, CUmemLocation, CUmemPoolProps};

functions! {
    cuMemPoolSetAttribute(pool: Ptr, attribute: u32, value: *const c_void);
}

const MIB: u64 = 1 << 20;
const THRESHOLD: u32 = 4;
const RESERVED: u32 = 5;
const RESERVED_HIGH: u32 = 6;
const USED: u32 = 7;

struct Pool(Ptr);

impl Pool {
    fn new(kind: u32, max_size: u64) -> Self {
        let props = CUmemPoolProps {
            alloc_type: CU_MEM_ALLOCATION_TYPE_PINNED,
            location: CUmemLocation { kind, id: 0 },
            max_size: max_size as usize,
            ..CUmemPoolProps::default()
        };
        let mut pool = null_mut();
        ok!(cuMemPoolCreate(&raw mut pool, &raw const props));
        Self(pool)
    }

    fn get(&self, attribute: u32) -> u64 {
        let mut value = 0_u64;
        ok!(cuMemPoolGetAttribute(self.0, attribute, (&raw mut value).cast()));
        value
    }

    /// Reserved and used bytes.
    fn holds(&self) -> (u64, u64) {
        (self.get(RESERVED), self.get(USED))
    }

    fn threshold(&self, bytes: u64) {
        ok!(cuMemPoolSetAttribute(self.0, THRESHOLD, (&raw const bytes).cast()));
    }

    fn alloc(&self, bytes: u64) -> u64 {
        let mut address = 0;
        ok!(cuMemAllocFromPoolAsync(&raw mut address, bytes as usize, self.0, null_mut()));
        address
    }
}

fn free(address: u64) {
    ok!(cuMemFreeAsync(address, null_mut()));
}

/// Used bytes of the device.
fn in_use() -> u64 {
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
    (total - free) as u64
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_LOCATION_TYPE_HOST`
const DEVICE: u32 = 1;
const HOST: u32 = 2;

#[test]
fn a_pool_grows_in_steps_and_keeps_what_is_freed() {
    let _alone = alone();
    let me = context();
    let before = in_use();
    let pool = Pool::new(DEVICE, 0);
    assert_eq!((pool.holds(), in_use()), ((0, 0), before));
    let small = pool.alloc(1000);
    assert_eq!((pool.holds(), in_use()), ((32 * MIB, 1000), before + 32 * MIB));
    let large = pool.alloc(40 * MIB);
    assert_eq!((pool.holds(), in_use()), ((64 * MIB, 40 * MIB + 1000), before + 64 * MIB));
    ok!(cuMemsetD8_v2(large, 7, 100));
    free(large);
    ok!(cuMemFree_v2(small));
    assert_eq!((pool.holds(), in_use()), ((64 * MIB, 0), before + 64 * MIB));
    // Freed memory is inaccessible, but the next allocation gets its address.
    let mut bytes = [1_u8; 100];
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), large, 100));
    assert_eq!((pool.alloc(40 * MIB), pool.alloc(900)), (large, small));
    ok!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), large, 100));
    assert_eq!(bytes, [0; 100]);
    assert_eq!(pool.holds(), (64 * MIB, 40 * MIB + 900));
    free(large);
    free(small);
    ok!(cuMemPoolDestroy(pool.0));
    assert_eq!(in_use(), before);
    ok!(cuCtxDestroy_v2(me));
}

#[test]
fn waiting_and_trimming_give_back() {
    let _alone = alone();
    let me = context();
    let before = in_use();
    let pool = Pool::new(DEVICE, 0);
    let fill = || free(pool.alloc(70 * MIB));
    let mut event = null_mut();
    ok!(cuEventCreate(&raw mut event, 0));
    // Without a threshold no memory is kept after a synchronising call of any kind.
    let wait: [&dyn Fn(); 3] =
        [&|| ok!(cuCtxSynchronize()), &|| ok!(cuStreamSynchronize(null_mut())), &|| {
            ok!(cuEventSynchronize(event))
        }];
    for wait in wait {
        fill();
        assert_eq!((pool.holds(), in_use()), ((96 * MIB, 0), before + 96 * MIB));
        wait();
        assert_eq!((pool.holds(), in_use()), ((0, 0), before));
    }
    assert_eq!(pool.get(RESERVED_HIGH), 96 * MIB);
    // Used memory stays, and whole steps below the threshold.
    pool.threshold(64 * MIB);
    fill();
    ok!(cuCtxSynchronize());
    assert_eq!((pool.holds(), in_use()), ((64 * MIB, 0), before + 64 * MIB));
    let used = pool.alloc(33 * MIB);
    ok!(cuMemPoolTrimTo(pool.0, 0));
    assert_eq!(pool.holds(), (64 * MIB, 33 * MIB));
    free(used);
    ok!(cuMemPoolTrimTo(pool.0, (63 * MIB) as usize));
    assert_eq!((pool.holds(), in_use()), ((32 * MIB, 0), before + 32 * MIB));
    pool.threshold(u64::MAX);
    fill();
    ok!(cuCtxSynchronize());
    assert_eq!(pool.holds(), (96 * MIB, 0));
    let zero = 0_u64;
    ok!(cuMemPoolTrimTo(pool.0, 0));
    ok!(cuMemPoolSetAttribute(pool.0, RESERVED_HIGH, (&raw const zero).cast()));
    assert_eq!((pool.holds(), pool.get(RESERVED_HIGH), in_use()), ((0, 0), 0, before));
    // A pool with a maximum size does not hold more than that.
    let limited = Pool::new(DEVICE, MIB);
    let all = limited.alloc(MIB - 1);
    assert_eq!(limited.holds(), (MIB, MIB - 1));
    free(all);
    ok!(cuMemPoolDestroy(limited.0));
    // Host memory is counted likewise, and not as the device's.
    let host = Pool::new(HOST, 0);
    let address = host.alloc(100);
    assert_eq!((host.holds(), in_use()), ((32 * MIB, 100), before));
    free(address);
    assert_eq!(host.holds(), (32 * MIB, 0));
    ok!(cuCtxSynchronize());
    assert_eq!(host.holds(), (0, 0));
    ok!(cuMemPoolDestroy(host.0));
    ok!(cuMemPoolDestroy(pool.0));
    ok!(cuCtxDestroy_v2(me));
}

#[test]
fn what_is_kept_goes_where_it_is_needed() {
    let _alone = alone();
    let me = context();
    let before = in_use();
    let (pool, other) = (Pool::new(DEVICE, 0), Pool::new(DEVICE, 0));
    pool.threshold(u64::MAX);
    let most = 12 * 1024 * MIB - before;
    let part = (most / 3).next_multiple_of(MIB) - MIB;
    let all = [0; 3].map(|_| pool.alloc(part));
    // A request that is too large is refused without an effect.
    let mut address = 0;
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&raw mut address, part as usize));
    assert_eq!(pool.get(USED), 3 * part);
    all.into_iter().for_each(free);
    ok!(cuCtxSynchronize());
    assert!(in_use() >= before + 3 * part);
    // An allocation without a pool, and one of another pool.
    ok!(cuMemAlloc_v2(&raw mut address, part as usize));
    assert_eq!(pool.holds(), (0, 0));
    free(pool.alloc(part));
    let elsewhere = other.alloc(2 * part);
    free(elsewhere);
    // Variables of a module.
    let (mut module, left) = (null_mut(), 12 * 1024 * MIB - in_use());
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .b8 much[{}];\0",
        left + part
    );
    ok!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()));
    ok!(cuModuleUnload(module));
    ok!(cuMemFree_v2(address));
    for pool in [pool, other] {
        ok!(cuMemPoolDestroy(pool.0));
    }
    assert_eq!(in_use(), before);
    ok!(cuCtxDestroy_v2(me));
}
