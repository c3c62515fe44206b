//! Work of libraries: what it reads, and where its results are.

use crate::common::*;
use std::ffi::c_void;
use texunit_cuda_abi::work::{Forget, Region, Run, Str};
use texunit_testkit::Random;

functions! {
    texunit_work_2(stream: usize, name: Str, regions: *const Region, count: usize, together: u64,
        run: Run, forget: Forget, data: *mut c_void);
    cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize);
}

/// Bytes of memory that the regions of a test are in.
const SIZE: usize = 1024;

/// The results of the work: `value` gets the index of a region and that of a byte. A region that is
/// only written gets the bytes of the first region backwards, and another one its own.
fn mix(
    regions: &[Region],
    count: u64,
    value: impl Fn(usize, usize) -> u8,
    set: impl Fn(usize, usize, u8),
) {
    for (w, region) in regions.iter().enumerate().filter(|(_, region)| region.is_written()) {
        let size = region.part(0, count).bytes().unwrap() as usize;
        for i in 0..size {
            let from = if region.is_read() { value(w, i) } else { value(0, size - 1 - i) };
            set(w, i, from.wrapping_mul(3).wrapping_add(w as u8));
        }
    }
}

/// [`mix`] as a library's callback, which is given the regions.
unsafe extern "C" fn mixes(data: *mut c_void, memory: *const *mut u8, count: u64) -> u32 {
    // SAFETY: the data are the test's regions, each with memory for its elements.
    unsafe {
        let regions = &*data.cast::<Vec<Region>>();
        let at = |region: usize, i: usize| (*memory.add(region)).add(i);
        mix(regions, count, |region, i| *at(region, i), |region, i, value| *at(region, i) = value);
    }
    0
}

/// A library's callback that writes only the first byte of the only region.
unsafe extern "C" fn writes_one(_: *mut c_void, memory: *const *mut u8, _: u64) -> u32 {
    // SAFETY: the region has at least a byte.
    unsafe { **memory = 9 };
    0
}

unsafe extern "C" fn forget(_: *mut c_void) {}

/// Does work on regions, at once.
fn work(regions: &mut Vec<Region>, together: u64, run: Run) {
    let name = Str::of("test");
    let (start, count) = (regions.as_ptr(), regions.len());
    let data = std::ptr::from_mut(regions).cast();
    ok!(texunit_work_2(0, name, start, count, together, run, forget, data));
}

fn upload(to: u64, bytes: &[u8]) {
    ok!(cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), bytes.len()));
}

fn download(from: u64) -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    ok!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), from, SIZE));
    bytes
}

/// A region in a part of the memory. Its elements do not overlap each other.
fn region(random: &mut Random, start: u64, shape: (u64, [u64; 4]), access: u64) -> Region {
    let (element, count) = shape;
    let (mut stride, mut step) = ([0; 4], element);
    let is_contiguous = random.chance(60);
    for d in (0..4).rev() {
        stride[d] = step.cast_signed();
        step = step * count[d] + if is_contiguous { 0 } else { element * random.below(2_u64) };
    }
    let grain = random.of(&[64, element]);
    let address = start + random.below(SIZE as u64 / 4 / grain) * grain;
    Region { address, element, access, count, stride }
}

#[test]
fn results_are_those_of_copies() {
    let created = context();
    let (mut device, mut managed) = (0, 0);
    ok!(cuMemAlloc_v2(&raw mut device, SIZE));
    ok!(cuMemAllocManaged(&raw mut managed, SIZE, 1));
    let mut random = Random::for_test(55);
    for round in 0..2000 {
        let base = random.of(&[device, device, managed]);
        let shape = (
            1 << random.below(4_u64),
            [random.within(1..=3), random.within(1..=2), 1, random.within(1..=4)],
        );
        // In parts, no part reads what another one writes.
        let in_parts = random.chance(30);
        let mut regions = vec![region(&mut random, base, shape, Region::READ)];
        for _ in 0..if in_parts { 1 } else { random.within(1..=3) } {
            let start = if in_parts { base + SIZE as u64 / 2 } else { base };
            let access = random.of(&[Region::WRITTEN, Region::WRITTEN | Region::READ]);
            regions.push(region(&mut random, start, shape, access));
        }
        let together = if in_parts { random.within(1..=2) } else { 0 };
        let before = random.bytes(SIZE);
        upload(base, &before);
        work(&mut regions, together, mixes);

        let expected = std::cell::RefCell::new(before);
        let all = shape.1[0];
        let step = if in_parts { together } else { all };
        for first in (0..all).step_by(step as usize) {
            let count = step.min(all - first);
            let places = |region: &Region| -> Vec<usize> {
                let elements = region.part(first, count).addresses();
                elements.flat_map(|at| (at..at + shape.0).map(|at| (at - base) as usize)).collect()
            };
            let places: Vec<Vec<usize>> = regions.iter().map(places).collect();
            let given = expected.borrow().clone();
            let value = |region: usize, i: usize| given[places[region][i]];
            mix(&regions, count, value, |region, i, value| {
                expected.borrow_mut()[places[region][i]] = value;
            });
        }
        assert_eq!(download(base), expected.into_inner(), "round {round}: {regions:x?}");
    }
    ok!(cuCtxDestroy_v2(created));
}

#[test]
fn a_region_in_one_piece_of_device_memory_is_not_copied() {
    let created = context();
    let mut device = 0;
    ok!(cuMemAlloc_v2(&raw mut device, SIZE));
    upload(device, &[7; SIZE]);
    let (count, stride) = ([2, 1, 4, 8], [256, 0, 64, 8]);
    let whole = Region { address: device, element: 8, access: Region::WRITTEN, count, stride };
    work(&mut vec![whole], 0, writes_one);
    let mut expected = vec![7; SIZE];
    expected[0] = 9;
    assert_eq!(download(device), expected);
    ok!(cuCtxDestroy_v2(created));
}
