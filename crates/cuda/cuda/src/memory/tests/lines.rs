//! Copies in batches, and between contexts.

use super::{Holder, Random, set_up, things};
use crate::prelude::*;

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
