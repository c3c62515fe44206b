//! Texture and surface objects: descriptors read back, refused calls, and lifetimes.

use crate::fetching::cases::*;
use crate::fetching::*;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::*;
use texunit_testkit::Random;

#[test]
fn what_was_given_comes_back() {
    let context = context();
    let given = array(&plain(8, 8, 0x20, 4));
    let mut random = Random::for_test(5);
    let (state, _) = state(&mut random, true, NORMALIZED_COORDINATES | 0x20);
    let mut resource = of_array(given);
    resource.reserved[3] = 7;
    let handle = texture(&resource, &state, None);
    let (mut resource_back, mut state_back) = Default::default();
    ok!(cuTexObjectGetResourceDesc(&raw mut resource_back, handle));
    ok!(cuTexObjectGetTextureDesc(&raw mut state_back, handle));
    assert_eq!((resource_back, state_back), (resource, state));
    // An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, returned this without a view on
    // 2026-11-28.
    let mut view = CUDA_RESOURCE_VIEW_DESC { width: 7, ..CUDA_RESOURCE_VIEW_DESC::default() };
    ok!(cuTexObjectGetResourceViewDesc(&raw mut view, handle));
    assert_eq!(view, CUDA_RESOURCE_VIEW_DESC::default());
    fails!(INVALID_VALUE, cuTexObjectGetTextureDesc(null_mut(), handle));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn textures_that_are_refused() {
    let context = context();
    let given = array(&plain(8, 8, 0x20, 4));
    let (fine, state) = (of_array(given), CUDA_TEXTURE_DESC::default());
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 4096));
    let (linear, pitched) = (linear(memory, 4096), pitched(memory));
    let create = |resource: CUDA_RESOURCE_DESC, state: CUDA_TEXTURE_DESC| {
        let mut handle = 0;
        // SAFETY: the pointers are to local structures.
        unsafe { cuTexObjectCreate(&raw mut handle, &raw const resource, &raw const state, null()) }
    };
    let resources = [
        (fine, CUresult::SUCCESS),
        (linear, CUresult::SUCCESS),
        (pitched, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { flags: 1, ..fine }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { res_type: 4, ..fine }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { what: 0, ..fine }, CUresult::INVALID_HANDLE),
        (CUDA_RESOURCE_DESC { what: 12345, ..fine }, CUresult::INVALID_HANDLE),
        (CUDA_RESOURCE_DESC { res_type: 1, ..fine }, CUresult::INVALID_HANDLE),
        (CUDA_RESOURCE_DESC { what: memory + 16, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { what: 512, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { size: usize::MAX, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { num_channels: 3, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { format: 0xc0, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { pitch_in_bytes: 48, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { what: memory + 256, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { pitch_in_bytes: 0, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { height: 100, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { height: 1 << 40, ..pitched }, CUresult::INVALID_VALUE),
        // An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, created these on 2026-11-28.
        (CUDA_RESOURCE_DESC { size: 3, ..linear }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { size: 0, ..linear }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { size: 8192, ..linear }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { size: 1 << 31, ..linear }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { pitch_in_bytes: 32, ..pitched }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { height: 0, ..pitched }, CUresult::SUCCESS),
        (CUDA_RESOURCE_DESC { size: 0, ..pitched }, CUresult::SUCCESS),
    ];
    for (resource, wanted) in resources {
        assert_eq!(create(resource, state), wanted, "{resource:?}");
    }
    let states = [
        (CUDA_TEXTURE_DESC { address_mode: [0, 4, 0], ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { filter_mode: 2, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { mipmap_filter_mode: 2, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { flags: 0x80, ..state }, CUresult::INVALID_VALUE),
        // An NVIDIA H200 (sm_90) accepts two flags without names, and address modes of axes that do
        // not exist.
        (CUDA_TEXTURE_DESC { flags: 0x0c, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { address_mode: [0, 0, 77], ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { flags: CU_TRSF_SEAMLESS_CUBEMAP, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { max_anisotropy: 1000, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { mipmap_level_bias: f32::NAN, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { flags: READ_AS_INTEGER, filter_mode: 1, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { flags: CU_TRSF_SRGB, ..state }, CUresult::SUCCESS),
    ];
    for (state, wanted) in states {
        assert_eq!(create(fine, state), wanted, "{state:?}");
    }
    // Formats that are sRGB by definition need the flag.
    let blocks = of_array(array(&plain(8, 8, 0x9e, 4)));
    assert_eq!(create(blocks, state), CUresult::INVALID_VALUE);
    let flagged = CUDA_TEXTURE_DESC { flags: CU_TRSF_SRGB, ..state };
    assert_eq!(create(blocks, flagged), CUresult::SUCCESS);
    let (mut handle, none) = (0, null());
    fails!(INVALID_VALUE, cuTexObjectCreate(null_mut(), &raw const fine, &raw const state, null()));
    fails!(INVALID_VALUE, cuTexObjectCreate(&raw mut handle, none, &raw const state, null()));
    fails!(INVALID_VALUE, cuTexObjectCreate(&raw mut handle, &raw const fine, null(), null()));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn stale_handles_and_other_kinds_are_refused() {
    let first = context();
    let mut descriptor = plain(8, 8, 0x20, 1);
    descriptor.flags = CUDA_ARRAY3D_SURFACE_LDST;
    let given = array(&descriptor);
    let (resource, state) = (of_array(given), CUDA_TEXTURE_DESC::default());
    let (handle, mut surface) = (texture(&resource, &state, None), 0);
    ok!(cuSurfObjectCreate(&raw mut surface, &raw const resource));
    let mut back = CUDA_RESOURCE_DESC::default();
    ok!(cuSurfObjectGetResourceDesc(&raw mut back, surface));
    assert_eq!(back, resource);
    fails!(INVALID_VALUE, cuTexObjectDestroy(surface));
    fails!(INVALID_VALUE, cuSurfObjectDestroy(handle));
    fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(&raw mut back, surface));
    // The null object may be destroyed, which has no effect, as `free` accepts a null pointer.
    ok!(cuTexObjectDestroy(0));
    ok!(cuSurfObjectDestroy(0));
    for garbage in [1, u64::MAX, handle ^ 1 << 40, handle ^ 1 << 62, given as u64] {
        fails!(INVALID_VALUE, cuTexObjectDestroy(garbage));
        fails!(INVALID_VALUE, cuSurfObjectDestroy(garbage));
        fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(&raw mut back, garbage));
    }
    // An object of another context does not belong to this one.
    let second = context();
    fails!(INVALID_VALUE, cuTexObjectDestroy(handle));
    ok!(cuCtxDestroy_v2(second));
    ok!(crate::common::cuCtxSetCurrent(first));
    ok!(cuTexObjectDestroy(handle));
    ok!(cuTexObjectDestroy(handle));
    fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(&raw mut back, handle));
    ok!(cuSurfObjectDestroy(surface));
    fails!(INVALID_VALUE, cuSurfObjectDestroy(surface));
    // A destroyed array; memory cannot be a surface.
    ok!(cuArrayDestroy(given));
    fails!(INVALID_HANDLE, cuArrayDestroy(given));
    fails!(INVALID_HANDLE, cuSurfObjectCreate(&raw mut surface, &raw const resource));
    let memory = CUDA_RESOURCE_DESC { res_type: CU_RESOURCE_TYPE_LINEAR, ..resource };
    fails!(INVALID_VALUE, cuSurfObjectCreate(&raw mut surface, &raw const memory));
    ok!(cuCtxDestroy_v2(first));
}

/// Result of a GeForce RTX 3060 for arrays created without `CUDA_ARRAY3D_SURFACE_LDST`; that of
/// levels of mipmapped arrays is inferred.
#[test]
fn surfaces_need_no_flag_of_their_array() {
    let context = context();
    let mut made = 0;
    for (name, format, channels) in texunit_cuda_abi::format::FORMATS {
        let descriptor = plain(8, 8, format, channels);
        let (mut whole, mut level) = (null_mut(), null_mut());
        ok!(cuMipmappedArrayCreate(&raw mut whole, &raw const descriptor, 2));
        ok!(cuMipmappedArrayGetLevel(&raw mut level, whole, 1));
        for resource in [of_array(array(&descriptor)), of_array(level)] {
            let mut surface = 0;
            if name.starts_with("bc") {
                fails!(INVALID_VALUE, cuSurfObjectCreate(&raw mut surface, &raw const resource));
                continue;
            }
            ok!(cuSurfObjectCreate(&raw mut surface, &raw const resource));
            let mut back = CUDA_RESOURCE_DESC::default();
            ok!(cuSurfObjectGetResourceDesc(&raw mut back, surface));
            assert_eq!(back, resource);
            ok!(cuSurfObjectDestroy(surface));
            made += 1;
        }
    }
    assert_eq!(made, 2 * (51 - 14));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_texture_ends_with_its_array() {
    let context = context();
    let text = kernels();
    let runner = Runner::new(&text);
    let given = array(&plain(4, 4, 0x20, 1));
    let mut texels: Vec<u8> = (0..16).flat_map(|i| (i as f32).to_le_bytes()).collect();
    copy(given, texels.as_mut_ptr(), true, [16, 4, 1]);
    let state = CUDA_TEXTURE_DESC { address_mode: [1; 3], ..CUDA_TEXTURE_DESC::default() };
    let handle = texture(&of_array(given), &state, None);
    let at: Vec<u8> = (0..THREADS)
        .flat_map(|i| [(i % 4) as f32, (i / 4 % 4) as f32, 0.0, 0.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    let got = runner.run("fetch_2d", handle, &at);
    for (i, texel) in got.chunks_exact(16).enumerate() {
        assert_eq!(texel[..4], ((i % 16) as f32).to_le_bytes());
    }
    // After the array is destroyed, a fetch is a fault, returned by every later call.
    ok!(cuArrayDestroy(given));
    runner.launch("fetch_2d", handle, &at);
    fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_texture_that_was_destroyed_is_a_fault() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = array(&plain(4, 4, 0x20, 1));
    let handle = texture(&of_array(given), &CUDA_TEXTURE_DESC::default(), None);
    runner.run("fetch_2d", handle, &[0; THREADS * 16]);
    ok!(cuTexObjectDestroy(handle));
    runner.launch("fetch_2d", handle, &[0; THREADS * 16]);
    fails!(LAUNCH_FAILED, cuCtxSynchronize());
    ok!(cuCtxDestroy_v2(context));
}

/// Filtered as on an NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, 2026-11-28
/// (docs/numerics.md 2).
#[test]
fn integers_are_filtered() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = array(&plain(2, 1, 0x01, 1));
    copy(given, [10, 21].as_mut_ptr(), true, [2, 1, 1]);
    let state = CUDA_TEXTURE_DESC {
        address_mode: [1; 3],
        filter_mode: CU_TR_FILTER_MODE_LINEAR,
        flags: READ_AS_INTEGER,
        ..CUDA_TEXTURE_DESC::default()
    };
    let handle = texture(&of_array(given), &state, None);
    for (x, wanted) in [(0.5_f32, 10_u32), (0.75, 13), (1.0, 16), (1.5, 21)] {
        let at = [x, 0.5, 0.0, 0.0].map(f32::to_le_bytes).concat().repeat(THREADS);
        assert_eq!(runner.run("fetch_2d", handle, &at)[..4], wanted.to_le_bytes(), "{x}");
    }
    ok!(cuCtxDestroy_v2(context));
}
