//! Copies of rows of linear memory: addresses of rows, and the range of an allocation that a copy
//! may access.

use crate::common::*;
use texunit_cuda_abi::{
    CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CopySide2D, CopySide3D,
};

/// Device memory with bytes 0, 1, 2, ...
fn counted(bytes: usize) -> u64 {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&raw mut address, bytes));
    let numbers: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
    ok!(cuMemcpyHtoD_v2(address, numbers.as_ptr(), bytes));
    address
}

fn device_rows(device: u64, x_in_bytes: usize, y: usize, pitch: usize) -> CopySide2D {
    let memory_type = CU_MEMORYTYPE_DEVICE;
    CopySide2D { x_in_bytes, y, memory_type, device, pitch, ..CopySide2D::default() }
}

fn host_rows(to: &mut [u8], x_in_bytes: usize, pitch: usize) -> CopySide2D {
    let host = to.as_mut_ptr().expose_provenance() as u64;
    let memory_type = CU_MEMORYTYPE_HOST;
    CopySide2D { x_in_bytes, memory_type, host, pitch, ..CopySide2D::default() }
}

#[test]
fn a_row_may_start_behind_the_pitch() {
    context();
    let from = counted(200);
    let mut to = [0xee; 40];
    // From rows of 4 bytes at 10 * y + 25, starting at row 1, to rows at 8 * y + 13.
    let (src, dst) = (device_rows(from, 25, 1, 10), host_rows(&mut to, 13, 8));
    let copy = CUDA_MEMCPY2D { src, dst, width_in_bytes: 4, height: 3 };
    ok!(cuMemcpy2D_v2(&raw const copy));
    let mut wanted = [0xee; 40];
    wanted[13..17].copy_from_slice(&[35, 36, 37, 38]);
    wanted[21..25].copy_from_slice(&[45, 46, 47, 48]);
    wanted[29..33].copy_from_slice(&[55, 56, 57, 58]);
    assert_eq!(to, wanted);
    to.fill(0xee);
    ok!(cuMemcpy2DUnaligned_v2(&raw const copy));
    assert_eq!(to, wanted);
    // The width must not be larger than either pitch.
    for (from_pitch, to_pitch) in [(3, 8), (10, 3)] {
        let (src, dst) =
            (CopySide2D { pitch: from_pitch, ..src }, CopySide2D { pitch: to_pitch, ..dst });
        fails!(INVALID_VALUE, cuMemcpy2D_v2(&CUDA_MEMCPY2D { src, dst, ..copy }));
    }
    assert_eq!(to, wanted);
}

#[test]
fn slices_likewise() {
    context();
    let from = counted(250);
    let mut to = [0_u8; 12];
    let src = CopySide3D {
        x_in_bytes: 17,
        y: 1,
        z: 1,
        memory_type: CU_MEMORYTYPE_DEVICE,
        device: from,
        pitch: 10,
        height: 4,
        ..CopySide3D::default()
    };
    let dst = CopySide3D {
        memory_type: CU_MEMORYTYPE_HOST,
        host: to.as_mut_ptr().expose_provenance() as u64,
        pitch: 3,
        height: 2,
        ..CopySide3D::default()
    };
    let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes: 3, height: 2, depth: 2 };
    ok!(cuMemcpy3D_v2(&raw const copy));
    // A row starts at ((z + 1) * 4 + y + 1) * 10 + 17.
    assert_eq!(to, [67, 68, 69, 77, 78, 79, 107, 108, 109, 117, 118, 119]);
    // More rows than a slice contains.
    let low = CopySide3D { height: 2, ..src };
    fails!(INVALID_VALUE, cuMemcpy3D_v2(&CUDA_MEMCPY3D { src: low, ..copy }));
}

#[test]
fn the_whole_region_is_in_the_allocation_of_the_address() {
    context();
    let (from, other) = (counted(100), counted(100));
    let mut to = [0; 100];
    let dst = host_rows(&mut to, 0, 10);
    let copy = |x, y| {
        let src = device_rows(from, x, y, 10);
        CUDA_MEMCPY2D { src, dst, width_in_bytes: 5, height: 4 }
    };
    // The last byte is 3 rows and 5 bytes after the first.
    ok!(cuMemcpy2D_v2(&copy(65, 0)));
    ok!(cuMemcpy2D_v2(&copy(5, 6)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(66, 0)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(6, 6)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(usize::MAX, 0)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(0, usize::MAX)));
    // An adjacent allocation is not part of this one, although its memory is valid.
    let (near, far) = (from.min(other), from.max(other));
    let src = device_rows(near, (far - near) as usize, 0, 10);
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&CUDA_MEMCPY2D { src, ..copy(0, 0) }));
    let src = device_rows(far, 0, 0, 10);
    ok!(cuMemcpy2D_v2(&CUDA_MEMCPY2D { src, ..copy(0, 0) }));
}

#[test]
fn memory_of_the_host_is_registered_wholly_or_not_at_all() {
    context();
    let device = counted(64);
    let mut memory = vec![0_u8; 3 * 4096];
    // The second of three parts is registered.
    let middle = memory[4096..8192].as_mut_ptr().cast();
    ok!(cuMemHostRegister_v2(middle, 4096, 0));
    let mut copy = |first: usize, rows| {
        let dst = CopySide2D { x_in_bytes: first, ..host_rows(&mut memory, 0, 16) };
        CUDA_MEMCPY2D { src: device_rows(device, 0, 0, 16), dst, width_in_bytes: 16, height: rows }
    };
    ok!(cuMemcpy2D_v2(&copy(0, 4)));
    ok!(cuMemcpy2D_v2(&copy(4096, 4)));
    ok!(cuMemcpy2D_v2(&copy(8192 - 64, 4)));
    ok!(cuMemcpy2D_v2(&copy(8192, 4)));
    ok!(cuMemcpy2D_v2(&copy(4096 - 64, 4)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(4096 - 63, 4)));
    fails!(INVALID_VALUE, cuMemcpy2D_v2(&copy(8192 - 63, 4)));
    ok!(cuMemHostUnregister(middle));
    ok!(cuMemcpy2D_v2(&copy(4096 - 63, 4)));
    let counted: Vec<u8> = (0..64).collect();
    assert_eq!(memory[4096 - 63..4097], counted);
}
