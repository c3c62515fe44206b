//! Copies of lines of arrays, in batches, and between contexts.

use super::{Holder, Random, handle_of, set_up, things};
use crate::memory;
use crate::prelude::*;
use crate::state;
use texunit_device::{ArrayDescriptor, Extent, Format, Geometry};

// The functions as a C program declares them.
#[allow(clashing_extern_declarations)]
unsafe extern "C" {
    fn cuMemcpy3DPeer(copy: *const CUDA_MEMCPY3D) -> CUresult;
    fn cuMemcpy3DBatchAsync_v2(
        count: usize,
        list: *const CUDA_MEMCPY3D_BATCH_OP,
        flags: u64,
        stream: usize,
    ) -> CUresult;
    fn cuMemcpyHtoA_v2(array: usize, offset: usize, from: *const u8, count: usize) -> CUresult;
    fn cuMemcpyAtoH_v2(to: *mut u8, array: usize, offset: usize, count: usize) -> CUresult;
    fn cuMemcpyAtoA_v2(to: usize, at: usize, from: usize, at: usize, count: usize) -> CUresult;
    fn cuMemcpyAtoD_v2(to: u64, from: usize, at: usize, count: usize) -> CUresult;
    fn cuMemcpyDtoA_v2(to: usize, at: usize, from: u64, count: usize) -> CUresult;
}

#[test]
fn lines_of_arrays_are_copied() {
    let context = set_up();
    let device = &state::gpu(0).unwrap().device;
    let format = Format::from_name("u16x2").unwrap();
    let extent = Extent { width: 50, height: 1, depth: 1 };
    let line = || {
        let descriptor = ArrayDescriptor::new(format, Geometry::D1, extent, "line");
        let array = device.create_array(&descriptor).unwrap();
        (handle_of(&context, &array), array)
    };
    let ((a, first), (b, second)) = (line(), line());
    let address = memory::allocate(&context, 100).unwrap();
    let bytes: Vec<u8> = (0..200).collect();
    let mut back = vec![0; 60];
    // SAFETY: sizes are inside the vectors and what was made above.
    unsafe {
        assert_eq!(cuMemcpyHtoA_v2(a, 0, bytes.as_ptr(), 200), CUresult::SUCCESS);
        assert_eq!(cuMemcpyAtoA_v2(b, 8, a, 100, 100), CUresult::SUCCESS);
        assert_eq!(cuMemcpyAtoD_v2(address, b, 8, 64), CUresult::SUCCESS);
        assert_eq!(cuMemcpyDtoA_v2(b, 140, address, 60), CUresult::SUCCESS);
        assert_eq!(cuMemcpyAtoH_v2(back.as_mut_ptr(), b, 140, 60), CUresult::SUCCESS);
        // Past the end, and not of whole texels.
        assert_eq!(cuMemcpyHtoA_v2(a, 4, bytes.as_ptr(), 200), CUresult::INVALID_VALUE);
        assert_eq!(cuMemcpyHtoA_v2(a, 2, bytes.as_ptr(), 4), CUresult::INVALID_VALUE);
        assert_eq!(cuMemcpyAtoH_v2(back.as_mut_ptr(), b, 0, 3), CUresult::INVALID_VALUE);
        assert_eq!(cuMemcpyHtoA_v2(0, 0, bytes.as_ptr(), 4), CUresult::INVALID_HANDLE);
        assert_eq!(cuMemcpyHtoA_v2(a, 200, bytes.as_ptr(), 0), CUresult::SUCCESS);
    }
    assert_eq!(first.read(), bytes);
    assert_eq!(second.read()[8..108], bytes[100..200]);
    assert_eq!(back, bytes[100..160]);
    assert_eq!(second.read()[140..], back);
}

#[test]
fn batches_and_peers() {
    let context = set_up();
    let things = things(&context, &mut Random::new(3));
    let Holder::Device(memory) = &things[2].kind else { panic!("a device's memory") };
    let from = memory.address();
    let Holder::Array(array, texels) = &things[4 + 2].kind else { panic!("an array") };
    // An array of 20 x 8 texels of 16 bytes, 5 layers: sizes are in texels.
    let memory = CUmemcpy3DOperand { kind: 1, what: from, numbers: [25, 4, 0] };
    let part = CUmemcpy3DOperand { kind: 2, what: *array as u64, numbers: [2, 3, 1] };
    let (extent, order) = ([10, 4, 2], 1);
    let copy = CUDA_MEMCPY3D_BATCH_OP {
        src: memory,
        dst: part,
        extent,
        src_access_order: order,
        flags: 0,
    };
    // SAFETY: all is inside memory that this test has made.
    let run = |list: &[CUDA_MEMCPY3D_BATCH_OP], flags, stream| unsafe {
        cuMemcpy3DBatchAsync_v2(list.len(), list.as_ptr(), flags, stream)
    };
    assert_eq!(run(&[copy], 0, 2), CUresult::SUCCESS);
    let all = texels.read();
    for z in 0..2 {
        for y in 0..4 {
            let there = (((z + 1) * 8 + y + 3) * 20 + 2) * 16;
            let here = (z * 4 + y) * 25 * 16;
            assert_eq!(all[there..there + 160], things[2].model[here..here + 160]);
        }
    }
    for wrong in [
        CUDA_MEMCPY3D_BATCH_OP { src_access_order: 0, ..copy },
        CUDA_MEMCPY3D_BATCH_OP { extent: [10, 0, 2], ..copy },
        CUDA_MEMCPY3D_BATCH_OP { extent: [19, 4, 2], ..copy },
        CUDA_MEMCPY3D_BATCH_OP { extent: [usize::MAX, 4, 2], ..copy },
        CUDA_MEMCPY3D_BATCH_OP { src: CUmemcpy3DOperand { kind: 0, ..memory }, ..copy },
        CUDA_MEMCPY3D_BATCH_OP { src: CUmemcpy3DOperand { numbers: [9, 4, 0], ..memory }, ..copy },
    ] {
        assert_eq!(run(&[copy, wrong], 0, 2), CUresult::INVALID_VALUE, "{wrong:?}");
    }
    assert_eq!(run(&[copy], 1, 2), CUresult::INVALID_VALUE);
    assert_eq!(run(&[copy], 0, 0), CUresult::INVALID_VALUE);
    assert_eq!(run(&[], 0, 2), CUresult::INVALID_VALUE);
    let mine = context.handle.number();
    let side = CopySide3D {
        memory_type: CU_MEMORYTYPE_DEVICE,
        device: from,
        context: mine,
        ..CopySide3D::default()
    };
    let dst = CopySide3D { device: from + 100, ..side };
    let copy = CUDA_MEMCPY3D { src: side, dst, width_in_bytes: 50, height: 1, depth: 1 };
    let stale = CUDA_MEMCPY3D { src: CopySide3D { context: 8, ..side }, ..copy };
    // SAFETY: both structures are valid, and their addresses are device memory, which the driver
    // checks.
    unsafe {
        assert_eq!(cuMemcpy3DPeer(&raw const copy), CUresult::SUCCESS);
        assert_eq!(cuMemcpy3DPeer(&raw const stale), CUresult::INVALID_CONTEXT);
    }
    assert_eq!(things[2].bytes()[100..150], things[2].model[..50]);
}
