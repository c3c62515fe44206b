//! Arrays and mipmapped arrays: descriptors read back, and refused calls.

use crate::fetching::*;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::*;

const LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
const SURFACE: u32 = CUDA_ARRAY3D_SURFACE_LDST;
const CUBEMAP: u32 = CUDA_ARRAY3D_CUBEMAP;
const GATHER: u32 = CUDA_ARRAY3D_TEXTURE_GATHER;
const SPARSE: u32 = CUDA_ARRAY3D_SPARSE;

fn float(size: [usize; 3], flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    let [width, height, depth] = size;
    CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: 0x20, num_channels: 1, flags }
}

fn create(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> CUresult {
    let mut array = null_mut();
    // SAFETY: both pointers are to local variables.
    let code = unsafe { cuArray3DCreate_v2(&raw mut array, descriptor) };
    if code == CUresult::SUCCESS {
        let mut back = CUDA_ARRAY3D_DESCRIPTOR::default();
        ok!(cuArray3DGetDescriptor_v2(&raw mut back, array));
        assert_eq!(&back, descriptor);
        ok!(cuArrayDestroy(array));
    }
    code
}

#[test]
fn kinds_of_arrays() {
    let context = context();
    let (fine, refused) = (CUresult::SUCCESS, CUresult::INVALID_VALUE);
    #[rustfmt::skip]
    let cases = [
        ([16, 0, 0], 0, fine),              ([16, 8, 0], 0, fine),           ([16, 8, 4], 0, fine),
        ([16, 0, 3], LAYERED, fine),        ([16, 8, 3], LAYERED, fine),     ([16, 8, 1], LAYERED, fine),
        ([8, 8, 6], CUBEMAP, fine),         ([8, 8, 12], CUBEMAP | LAYERED, fine),
        ([16, 8, 0], SURFACE, fine),        ([16, 8, 0], GATHER, fine),      ([8, 8, 6], CUBEMAP | SURFACE, fine),
        ([16, 8, 0], CUDA_ARRAY3D_COLOR_ATTACHMENT, fine), ([2, 2, 16_385], 0, fine), ([2, 2, 32_769], 0, refused),
        // An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, refused these on 2026-11-28.
        ([16, 8, 3], LAYERED | GATHER, refused), ([8, 8, 6], CUBEMAP | GATHER, refused),
        ([16, 8, 0], CUDA_ARRAY3D_DEPTH_TEXTURE, refused), ([256, 256, 0], SPARSE | SURFACE, refused),
        ([256, 256, 0], SPARSE, fine),      ([64, 64, 64], SPARSE, fine),    ([256, 256, 3], SPARSE | LAYERED, fine),
        ([0, 0, 0], 0, refused),            ([0, 8, 0], 0, refused),         ([16, 0, 4], 0, refused),
        ([16, 8, 0], LAYERED, refused),     ([16, 0, 0], LAYERED, refused),
        ([8, 8, 5], CUBEMAP, refused),      ([8, 4, 6], CUBEMAP, refused),   ([8, 8, 12], CUBEMAP, refused),
        ([8, 8, 7], CUBEMAP | LAYERED, refused), ([8, 0, 6], CUBEMAP, refused),
        ([16, 0, 0], GATHER, refused),      ([16, 8, 4], GATHER, refused),
        ([16, 0, 0], SPARSE, refused),      ([16, 0, 3], SPARSE | LAYERED, refused),
        ([16, 8, 0], 0x200, refused),       ([16, 8, 0], 0x8000_0000, refused),
        ([16, 8, 0], CUDA_ARRAY3D_DEFERRED_MAPPING, CUresult::NOT_SUPPORTED),
        ([16, 8, 0], CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, CUresult::NOT_SUPPORTED),
        // Limits of the device: for textures, surfaces, `tld4` and memory.
        ([131_072, 0, 0], 0, fine),         ([131_073, 0, 0], 0, refused),   ([16, 0, 2049], LAYERED, refused),
        ([32_769, 4, 2], LAYERED, refused), ([32_768, 32_769, 0], GATHER, refused), ([usize::MAX, 4, 0], 0, refused),
        ([1 << 32, 4, 0], 0, refused),      ([16_384, 16_384, 16_384], 0, CUresult::OUT_OF_MEMORY),
    ];
    for (size, flags, wanted) in cases {
        assert_eq!(create(&float(size, flags)), wanted, "{size:?} {flags:#x}");
    }
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn formats_and_channels() {
    let context = context();
    let of = |format, num_channels, flags| CUDA_ARRAY3D_DESCRIPTOR {
        width: 8,
        height: 8,
        depth: 0,
        format,
        num_channels,
        flags,
    };
    let mut made = 0;
    for format in 0..=0x100 {
        for channels in 0..=5 {
            let wanted = match (format, channels) {
                (0x01..=0x03 | 0x08..=0x0a | 0x10 | 0x20, 1 | 2 | 4) => CUresult::SUCCESS,
                (0xc0 | 0xc3 | 0xc6 | 0xc9, 1) | (0xc1 | 0xc4 | 0xc7 | 0xca, 2) => {
                    CUresult::SUCCESS
                }
                (0xc2 | 0xc5 | 0xc8 | 0xcb | 0x50, 4) => CUresult::SUCCESS,
                (0x91..=0x96 | 0x9d | 0x9e, 4) | (0x97 | 0x98, 1) | (0x99 | 0x9a, 2) => {
                    CUresult::SUCCESS
                }
                (0x9b | 0x9c, 3) => CUresult::SUCCESS,
                // Includes video formats: an NVIDIA H200 returned this for 8 x 8 elements.
                _ => CUresult::INVALID_VALUE,
            };
            made += u32::from(wanted == CUresult::SUCCESS);
            let given = of(format, channels, 0);
            assert_eq!(create(&given), wanted, "{format:#x} {channels}");
        }
    }
    assert_eq!(made, 51);
    // Block-compressed formats have neither 1D arrays nor surfaces; a 1D array cannot be sparse.
    let blocks = of(0x91, 4, 0);
    assert_eq!(create(&CUDA_ARRAY3D_DESCRIPTOR { height: 0, ..blocks }), CUresult::INVALID_VALUE);
    assert_eq!(create(&of(0x91, 4, SURFACE)), CUresult::NOT_SUPPORTED);
    assert_eq!(create(&CUDA_ARRAY3D_DESCRIPTOR { depth: 4, ..blocks }), CUresult::SUCCESS);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn descriptors_of_every_version() {
    let context = context();
    let mut array = null_mut();
    let given = CUDA_ARRAY_DESCRIPTOR { width: 16, height: 0, format: 0x10, num_channels: 2 };
    ok!(cuArrayCreate_v2(&raw mut array, &raw const given));
    let mut back = CUDA_ARRAY_DESCRIPTOR::default();
    ok!(cuArrayGetDescriptor_v2(&raw mut back, array));
    assert_eq!(back, given);
    let mut solid = CUDA_ARRAY3D_DESCRIPTOR::default();
    ok!(cuArray3DGetDescriptor_v2(&raw mut solid, array));
    let wanted = CUDA_ARRAY3D_DESCRIPTOR { width: 16, format: 0x10, num_channels: 2, ..solid };
    assert_eq!((solid.depth, solid.flags, solid.height, solid), (0, 0, 0, wanted));
    let old = CUDA_ARRAY_DESCRIPTOR_v1 { width: 9, height: 5, format: 0x01, num_channels: 4 };
    ok!(cuArrayCreate(&raw mut array, &raw const old));
    let mut old_back = CUDA_ARRAY_DESCRIPTOR_v1::default();
    ok!(cuArrayGetDescriptor(&raw mut old_back, array));
    assert_eq!(old_back, old);
    let old = CUDA_ARRAY3D_DESCRIPTOR_v1 {
        width: 9,
        height: 5,
        depth: 3,
        format: 0x01,
        num_channels: 4,
        flags: LAYERED,
    };
    ok!(cuArray3DCreate(&raw mut array, &raw const old));
    let mut old_back = CUDA_ARRAY3D_DESCRIPTOR_v1::default();
    ok!(cuArray3DGetDescriptor(&raw mut old_back, array));
    assert_eq!(old_back, old);
    ok!(cuArrayGetDescriptor_v2(&raw mut back, array));
    assert_eq!((back.width, back.height), (9, 5));
    fails!(INVALID_VALUE, cuArray3DCreate_v2(&raw mut array, null()));
    fails!(INVALID_VALUE, cuArray3DCreate_v2(null_mut(), &raw const solid));
    fails!(INVALID_VALUE, cuArray3DGetDescriptor_v2(null_mut(), array));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn mipmapped_arrays_and_their_levels() {
    let context = context();
    let level = |array, number| {
        let mut level = null_mut();
        ok!(cuMipmappedArrayGetLevel(&raw mut level, array, number));
        let mut back = CUDA_ARRAY3D_DESCRIPTOR::default();
        ok!(cuArray3DGetDescriptor_v2(&raw mut back, level));
        (level, [back.width, back.height, back.depth], back.flags)
    };
    let given = float([20, 9, 5], 0);
    let array = mipmapped(&given, 100);
    let sizes = [[20, 9, 5], [10, 4, 2], [5, 2, 1], [2, 1, 1], [1, 1, 1]];
    for (number, size) in sizes.into_iter().enumerate() {
        let (handle, back, _) = level(array, number as u32);
        assert_eq!((back, level(array, number as u32).0), (size, handle));
    }
    let mut none = null_mut();
    fails!(INVALID_VALUE, cuMipmappedArrayGetLevel(&raw mut none, array, 5));
    fails!(INVALID_VALUE, cuMipmappedArrayGetLevel(&raw mut none, array, u32::MAX));
    let layered = mipmapped(&float([16, 0, 3], LAYERED | SURFACE), 0);
    assert_eq!(level(layered, 0).1, [16, 0, 3]);
    fails!(INVALID_VALUE, cuMipmappedArrayGetLevel(&raw mut none, layered, 1));
    let layered = mipmapped(&float([16, 0, 3], LAYERED | SURFACE), 3);
    let (handle, size, flags) = level(layered, 2);
    assert_eq!((size, flags), ([4, 0, 3], LAYERED | SURFACE));
    // A level can be used by a surface and a texture, and is destroyed with its array.
    let (mut surface, resource) = (0, of_array(handle));
    ok!(cuSurfObjectCreate(&raw mut surface, &raw const resource));
    fails!(INVALID_VALUE, cuArrayDestroy(handle));
    ok!(cuMipmappedArrayDestroy(layered));
    let mut back = CUDA_ARRAY3D_DESCRIPTOR::default();
    fails!(INVALID_HANDLE, cuArray3DGetDescriptor_v2(&raw mut back, handle));
    fails!(INVALID_HANDLE, cuMipmappedArrayDestroy(layered));
    fails!(INVALID_HANDLE, cuMipmappedArrayGetLevel(&raw mut none, layered, 0));
    fails!(INVALID_HANDLE, cuArrayDestroy(array));
    ok!(cuMipmappedArrayDestroy(array));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn planes_and_memory_that_no_array_has() {
    let context = context();
    let (given, mut plane) = (array(&float([16, 8, 0], 0)), null_mut());
    fails!(INVALID_VALUE, cuArrayGetPlane(&raw mut plane, given, 0));
    fails!(INVALID_HANDLE, cuArrayGetPlane(&raw mut plane, null_mut(), 0));
    let mut needs = CUDA_ARRAY_MEMORY_REQUIREMENTS::default();
    fails!(INVALID_VALUE, cuArrayGetMemoryRequirements(&raw mut needs, given, 0));
    fails!(INVALID_DEVICE, cuArrayGetMemoryRequirements(&raw mut needs, given, 99));
    fails!(INVALID_HANDLE, cuArrayGetMemoryRequirements(&raw mut needs, null_mut(), 0));
    let given = mipmapped(&float([16, 8, 0], 0), 2);
    fails!(INVALID_VALUE, cuMipmappedArrayGetMemoryRequirements(&raw mut needs, given, 0));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn contexts_own_arrays() {
    let first = context();
    let given = array(&float([16, 8, 0], 0));
    let levels = mipmapped(&float([16, 8, 0], 0), 2);
    let mut level = null_mut();
    ok!(cuMipmappedArrayGetLevel(&raw mut level, levels, 1));
    ok!(cuCtxDestroy_v2(first));
    let second = context();
    let mut back = CUDA_ARRAY3D_DESCRIPTOR::default();
    for array in [given, level] {
        fails!(INVALID_HANDLE, cuArray3DGetDescriptor_v2(&raw mut back, array));
    }
    fails!(INVALID_HANDLE, cuMipmappedArrayDestroy(levels));
    ok!(cuCtxDestroy_v2(second));
    ok!(crate::common::cuCtxSetCurrent(null_mut()));
    fails!(INVALID_CONTEXT, cuArrayDestroy(given));
}
