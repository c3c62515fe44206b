//! Texture views: every view format, compared with the same fetch through the device crate, and
//! refused calls.

use crate::fetching::cases::*;
use crate::fetching::*;
use texunit_cuda_abi::*;
use texunit_device::{Format, Geometry, ReadMode, TextureDescriptor, TextureResource, View};
use texunit_testkit::Random;

/// Formats of the arrays under the views.
#[rustfmt::skip]
const FORMATS_OF_ARRAYS: [(u32, u32, &str); 20] = [
    (0x08, 1, "s8"), (0x02, 1, "u16"), (0xc2, 4, "unorm8x4"), (0x01, 1, "u8"), (0x10, 1, "f16"),
    (0x20, 1, "f32"), (0x09, 1, "s16"), (0x10, 4, "f16x4"), (0xc3, 1, "unorm16"), (0x03, 1, "u32"),
    (0x20, 2, "f32x2"), (0x20, 4, "f32x4"), (0x01, 4, "u8x4"), (0xc5, 4, "unorm16x4"), (0x03, 4, "u32x4"),
    (0x03, 2, "u32x2"), (0x50, 4, "rgb10a2"), (0x02, 4, "u16x4"), (0x0a, 4, "s32x4"), (0x0a, 1, "s32"),
];

/// A view of all levels and layers in another format.
fn view_of(
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    format: u32,
    times: usize,
) -> CUDA_RESOURCE_VIEW_DESC {
    CUDA_RESOURCE_VIEW_DESC {
        format,
        width: descriptor.width * times,
        height: descriptor.height * times,
        depth: descriptor.depth,
        ..CUDA_RESOURCE_VIEW_DESC::default()
    }
}

#[test]
fn views_are_fetched_as_by_the_device() {
    let context = context();
    let text = kernels();
    let (runner, reference) = (Runner::new(&text), Reference::new(&text));
    let mut random = Random::for_test(77);
    // Every view format of the same size as the array's format, including that format.
    #[rustfmt::skip]
    let own = [
        (0x08, 1), (0x02, 1), (0xc2, 4), (0x01, 1), (0x10, 1), (0x20, 1),
        (0x09, 1), (0x20, 1), (0x10, 4), (0xc3, 1), (0x03, 1), (0x20, 2),
        (0x20, 1), (0x10, 4), (0x20, 4), (0x01, 4), (0xc5, 4), (0x03, 4),
        (0x02, 1), (0x01, 4), (0x03, 2), (0x50, 4), (0x02, 4), (0x0a, 4),
        (0x03, 2), (0x03, 4), (0x03, 4), (0x03, 2), (0x03, 2), (0x03, 4), (0x03, 4), (0x03, 4), (0x03, 4), (0x03, 4),
    ];
    #[rustfmt::skip]
    let seen = [
        "u8", "u8x2", "u8x4", "s8", "s8x2", "s8x4", "u16", "u16x2", "u16x4", "s16", "s16x2", "s16x4",
        "u32", "u32x2", "u32x4", "s32", "s32x2", "s32x4", "f16", "f16x2", "f16x4", "f32", "f32x2", "f32x4",
        "bc1", "bc2", "bc3", "bc4", "bc4_snorm", "bc5", "bc5_snorm", "bc6h", "bc6h_snorm", "bc7",
    ];
    for (i, ((number, channels), seen)) in own.into_iter().zip(seen).enumerate() {
        let seen = Format::from_name(seen).unwrap();
        let own = Format::all()
            .find(|format| {
                FORMATS_OF_ARRAYS
                    .iter()
                    .any(|row| (row.0, row.1, row.2) == (number, channels, format.name()))
            })
            .unwrap();
        let (descriptor, ours) = shape(Geometry::A2d, (number, channels, own));
        let given = array(&descriptor);
        let ours = reference.device.create_array(&ours).unwrap();
        fill(given, &ours, &mut random);
        let times = if seen.is_block() { 4 } else { 1 };
        let mut view = view_of(&descriptor, i as u32 + 1, times);
        (view.first_layer, view.last_layer) = (1, 2);
        let (state, sampler) = state(&mut random, false, NORMALIZED_COORDINATES | READ_AS_INTEGER);
        let handle = texture(&of_array(given), &state, Some(&view));
        let ours =
            ours.view(&View { format: Some(seen), planes: Some(1..3), ..View::default() }).unwrap();
        let read_mode =
            if seen.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
        let descriptor = TextureDescriptor::default()
            .with_read_mode(read_mode)
            .with_normalized_coords(true)
            .with_sampler(sampler);
        let at = coordinates(&mut random, true);
        let wanted = reference.run("fetch_a2d", &TextureResource::Array(&ours), &descriptor, &at);
        assert_eq!(runner.run("fetch_a2d", handle, &at), wanted, "{own} as {seen}");
        ok!(cuTexObjectDestroy(handle));
        ok!(cuArrayDestroy(given));
    }
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn views_that_are_refused() {
    let context = context();
    let (descriptor, mut handle) = (plain(8, 8, 0x03, 2), 0);
    let given = array(&descriptor);
    let (resource, state) = (of_array(given), CUDA_TEXTURE_DESC::default());
    let fine = view_of(&descriptor, 0x0e, 1);
    ok!(cuTexObjectCreate(&raw mut handle, &raw const resource, &raw const state, &raw const fine));
    let mut back = CUDA_RESOURCE_VIEW_DESC::default();
    ok!(cuTexObjectGetResourceViewDesc(&raw mut back, handle));
    assert_eq!(back, fine);
    type Change = fn(&mut CUDA_RESOURCE_VIEW_DESC);
    let changes: [Change; 9] = [
        |view| view.format = 0,
        |view| view.format = 0x23,
        |view| view.format = 0x0f,
        |view| view.width = 9,
        |view| view.height = 7,
        |view| view.depth = 1,
        |view| view.last_mipmap_level = 1,
        |view| view.last_layer = 1,
        |view| (view.first_layer, view.last_layer) = (1, 0),
    ];
    for change in changes {
        let mut view = fine;
        change(&mut view);
        fails!(
            INVALID_VALUE,
            cuTexObjectCreate(
                &raw mut handle,
                &raw const resource,
                &raw const state,
                &raw const view
            )
        );
    }
    // BC1 is viewed as two 32-bit integers, BC7 as four; other formats cannot be viewed as blocks.
    let blocks = view_of(&descriptor, 0x19, 4);
    ok!(cuTexObjectCreate(
        &raw mut handle,
        &raw const resource,
        &raw const state,
        &raw const blocks
    ));
    let seven = view_of(&descriptor, 0x22, 4);
    fails!(
        INVALID_VALUE,
        cuTexObjectCreate(&raw mut handle, &raw const resource, &raw const state, &raw const seven)
    );
    let compressed = plain(8, 8, 0x91, 4);
    let resource = of_array(array(&compressed));
    let view = view_of(&compressed, 0x0e, 1);
    fails!(
        INVALID_VALUE,
        cuTexObjectCreate(&raw mut handle, &raw const resource, &raw const state, &raw const view)
    );
    ok!(cuCtxDestroy_v2(context));
}

/// An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, created these on 2026-11-28.
#[test]
fn views_that_are_not_looked_at_and_of_parts_of_cubes() {
    let context = context();
    let create = |resource: CUDA_RESOURCE_DESC, view: CUDA_RESOURCE_VIEW_DESC| {
        let (mut handle, state) = (0, CUDA_TEXTURE_DESC::default());
        // SAFETY: the pointers are to local structures.
        unsafe {
            cuTexObjectCreate(
                &raw mut handle,
                &raw const resource,
                &raw const state,
                &raw const view,
            )
        }
    };
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 4096));
    let (linear, pitched) = (linear(memory, 64), pitched(memory));
    let odd = CUDA_RESOURCE_VIEW_DESC {
        format: 0x77,
        width: 5,
        last_layer: 9,
        ..view_of(&plain(1, 1, 0, 0), 0, 1)
    };
    assert_eq!([create(linear, odd), create(pitched, odd)], [CUresult::SUCCESS; 2]);

    let flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP;
    let cubes = CUDA_ARRAY3D_DESCRIPTOR { depth: 12, flags, ..plain(8, 8, 0x20, 1) };
    let given = of_array(array(&cubes));
    for (first_layer, last_layer, wanted) in [
        (0, 0, CUresult::SUCCESS),
        (0, 11, CUresult::SUCCESS),
        (7, 7, CUresult::SUCCESS),
        (0, 12, CUresult::INVALID_VALUE),
    ] {
        let view = CUDA_RESOURCE_VIEW_DESC { first_layer, last_layer, ..view_of(&cubes, 0x16, 1) };
        assert_eq!(create(given, view), wanted, "faces {first_layer} to {last_layer}");
    }
    let plane = plain(8, 8, 0x20, 1);
    let whole = CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        ..of_array(mipmapped(&plane, 3))
    };
    for (last_mipmap_level, wanted) in
        [(2, CUresult::SUCCESS), (3, CUresult::SUCCESS), (4, CUresult::INVALID_VALUE)]
    {
        let view = CUDA_RESOURCE_VIEW_DESC { last_mipmap_level, ..view_of(&plane, 0x16, 1) };
        assert_eq!(create(whole, view), wanted, "up to level {last_mipmap_level}");
    }
    ok!(cuCtxDestroy_v2(context));
}
