//! Texture objects: every format, geometry and way of reading, compared with the same fetch by way of
//! the device; views; what comes back; what is refused.

// Calls C functions, as the programs do that the library is for.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;
mod fetching;

use common::{Ptr, Random, context, cuCtxDestroy_v2, fails, ok};
use fetching::*;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::*;
use texunit_device::{
    AddressMode, Array, ArrayDescriptor, Extent, Filter, Format, Geometry, MipmappedArray,
    ReadMode, Sampler, TextureDescriptor, TextureResource, View,
};

/// `CU_AD_FORMAT_*`, channels, name, and whether the flag that reads as integers makes a difference
/// (`Both`), the texels are always elements, or always normalized floats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reads {
    Both,
    Elements,
    Normalized,
}
use Reads::{Both, Elements, Normalized};

#[rustfmt::skip]
const FORMATS: [(u32, u32, &str, Reads); 35] = [
    (0x01, 1, "u8", Both),         (0x01, 4, "u8x4", Both),       (0x02, 2, "u16x2", Both),
    (0x08, 2, "s8x2", Both),       (0x09, 1, "s16", Both),        (0x09, 4, "s16x4", Both),
    (0x03, 1, "u32", Elements),    (0x0a, 4, "s32x4", Elements),  (0x10, 1, "f16", Elements),
    (0x10, 4, "f16x4", Elements),  (0x20, 1, "f32", Elements),    (0x20, 2, "f32x2", Elements),
    (0x20, 4, "f32x4", Elements),  (0x50, 4, "rgb10a2", Elements),
    (0xc0, 1, "unorm8", Normalized), (0xc2, 4, "unorm8x4", Normalized), (0xc4, 2, "unorm16x2", Normalized),
    (0xc7, 2, "snorm8x2", Normalized), (0xc9, 1, "snorm16", Normalized), (0xcb, 4, "snorm16x4", Normalized),
    (0x91, 4, "bc1", Normalized),  (0x92, 4, "bc1_srgb", Normalized), (0x93, 4, "bc2", Normalized),
    (0x95, 4, "bc3", Normalized),  (0x96, 4, "bc3_srgb", Normalized), (0x97, 1, "bc4", Normalized),
    (0x98, 1, "bc4_snorm", Normalized), (0x99, 2, "bc5", Normalized), (0x9a, 2, "bc5_snorm", Normalized),
    (0x9b, 3, "bc6h", Elements),   (0x9c, 3, "bc6h_snorm", Elements),
    (0x9d, 4, "bc7", Normalized),  (0x9e, 4, "bc7_srgb", Normalized),
    (0x94, 4, "bc2_srgb", Normalized), (0x01, 2, "u8x2", Both),
];

const READ_AS_INTEGER: u32 = CU_TRSF_READ_AS_INTEGER;
const NORMALIZED_COORDINATES: u32 = CU_TRSF_NORMALIZED_COORDINATES;

/// An array of each geometry: what the API is told, and the device.
fn shape(
    geometry: Geometry,
    format: (u32, u32, Format),
) -> (CUDA_ARRAY3D_DESCRIPTOR, ArrayDescriptor) {
    let (width, height, depth, layers, flags) = match geometry {
        Geometry::D1 => (24, 0, 0, 1, 0),
        Geometry::D2 => (12, 20, 0, 1, 0),
        Geometry::D3 => (12, 8, 4, 1, 0),
        Geometry::A1d => (24, 0, 3, 3, CUDA_ARRAY3D_LAYERED),
        Geometry::A2d => (12, 8, 3, 3, CUDA_ARRAY3D_LAYERED),
        Geometry::Cube => (8, 8, 6, 1, CUDA_ARRAY3D_CUBEMAP),
        _ => (8, 8, 12, 2, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
    };
    let (number, num_channels, format) = format;
    let given =
        CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: number, num_channels, flags };
    let solid = geometry == Geometry::D3;
    let extent = Extent {
        width: width as u32,
        height: (height as u32).max(1),
        depth: if solid { depth as u32 } else { 1 },
    };
    let ours =
        ArrayDescriptor { layers, ..ArrayDescriptor::new(format, geometry, extent, "array") };
    (given, ours)
}

/// Coordinates around an array, `scale` texels wide, or around 0 to 1; the last is a layer or level.
fn coordinates(random: &mut Random, normalized: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..THREADS {
        let mut one = || random.below(4096) as f32 / 4096.0;
        let scale = if normalized { 1.5 } else { 30.0 };
        let offset = if normalized { -0.25 } else { -3.0 };
        let [x, y, z] = [one(), one(), one()].map(|x| x * scale + offset);
        let w = (one() * 3.0 * 256.0).floor() / 256.0;
        out.extend([x, y, z, w].iter().flat_map(|x| x.to_le_bytes()));
    }
    out
}

/// Sampler state, in the words of both.
fn state(random: &mut Random, linear: bool, flags: u32) -> (CUDA_TEXTURE_DESC, Sampler) {
    const MODES: [AddressMode; 4] =
        [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    let modes = [random.below(4), random.below(4), random.below(4)].map(|n| n as u32);
    let border_color = [0.25, 0.5, -0.75, 1.0];
    let (mip_linear, bias) = (linear && random.below(2) == 1, random.below(256) as f32 / 256.0);
    let given = CUDA_TEXTURE_DESC {
        address_mode: modes,
        filter_mode: linear.into(),
        flags,
        max_anisotropy: 1,
        mipmap_filter_mode: mip_linear.into(),
        mipmap_level_bias: bias,
        min_mipmap_level_clamp: 0.25,
        max_mipmap_level_clamp: 2.5,
        border_color,
        reserved: [0; 12],
    };
    let filter = |linear| if linear { Filter::Linear } else { Filter::Point };
    let ours = Sampler {
        filter: filter(linear),
        mip_filter: filter(mip_linear),
        address_mode: modes.map(|n| MODES[n as usize]),
        border: border_color.map(f32::to_bits),
        level_bias: bias,
        min_level_clamp: 0.25,
        max_level_clamp: 2.5,
        max_anisotropy: 1,
        srgb: flags & CU_TRSF_SRGB != 0,
        seamless_cube: flags & CU_TRSF_SEAMLESS_CUBEMAP != 0,
        ..Sampler::default()
    };
    (given, ours)
}

/// A resource on both sides, with one name for kernels.
struct Pair<'a> {
    name: String,
    kernel: String,
    given: CUDA_RESOURCE_DESC,
    ours: TextureResource<'a>,
    reads: Reads,
    cube: bool,
    srgb_block: bool,
}

/// Fetches with every combination of flags and filter that is not a fault, and counts them.
fn compare(pair: &Pair<'_>, runner: &Runner, reference: &Reference, random: &mut Random) -> usize {
    let mut count = 0;
    for choice in 0..16_u32 {
        let [integer, normalized, linear, srgb] = [0, 1, 2, 3].map(|bit| choice >> bit & 1 == 1);
        let element = pair.reads == Elements || pair.reads == Both && integer;
        let is_float = !["u8", "u16", "u32", "s8", "s16", "s32"]
            .iter()
            .any(|name| pair.name.split('x').next() == Some(name));
        if linear && element && !is_float || pair.srgb_block && !srgb {
            continue;
        }
        let mut flags = 0;
        for (wanted, flag) in [
            (integer, READ_AS_INTEGER),
            (normalized, NORMALIZED_COORDINATES),
            (srgb, CU_TRSF_SRGB),
            (pair.cube && integer, CU_TRSF_SEAMLESS_CUBEMAP),
            (linear, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION),
        ] {
            flags |= if wanted { flag } else { 0 };
        }
        let (given, sampler) = state(random, linear, flags);
        let read_mode = if element { ReadMode::Element } else { ReadMode::NormalizedFloat };
        let ours = TextureDescriptor { read_mode, normalized_coords: normalized, sampler };
        let handle = texture(&pair.given, &given, None);
        let at = coordinates(random, normalized);
        let got = runner.run(&pair.kernel, handle, &at);
        let wanted = reference.run(&pair.kernel, &pair.ours, &ours, &at);
        assert_eq!(got, wanted, "{} {} {given:?}", pair.name, pair.kernel);
        ok!(cuTexObjectDestroy(handle));
        count += 1;
    }
    count
}

fn named(row: (u32, u32, &'static str, Reads)) -> (u32, u32, Format) {
    (row.0, row.1, Format::from_name(row.2).unwrap())
}

/// Fills an array on both sides with the same bytes.
fn fill(given: Ptr, ours: &Array, random: &mut Random) {
    let mut bytes = random.bytes(ours.size() as usize);
    ours.write(&bytes).unwrap();
    copy(given, bytes.as_mut_ptr(), true, ours.copy_extent());
}

#[test]
fn arrays_are_fetched_as_by_the_device() {
    let context = context();
    let text = kernels();
    let (runner, reference) = (Runner::new(&text), Reference::new(&text));
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut count = 0;
    for row in FORMATS {
        for (geometry, _) in GEOMETRIES {
            let format = named(row);
            if format.2.is_block() && geometry.axes() == 1 {
                continue;
            }
            let (descriptor, ours) = shape(geometry, format);
            let given = array(&descriptor);
            let ours = reference.device.create_array(&ours).unwrap();
            fill(given, &ours, &mut random);
            let pair = Pair {
                name: row.2.to_owned(),
                kernel: format!("fetch_{}", geometry.name().trim_start_matches('.')),
                given: of_array(given),
                ours: TextureResource::Array(&ours),
                reads: row.3,
                cube: geometry.is_cube(),
                srgb_block: format.2.is_srgb_block(),
            };
            count += compare(&pair, &runner, &reference, &mut random);
            ok!(cuArrayDestroy(given));
        }
    }
    assert!(count > 1500, "{count}");
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn mip_levels_are_fetched_as_by_the_device() {
    let context = context();
    let text = kernels();
    let (runner, reference) = (Runner::new(&text), Reference::new(&text));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut count = 0;
    for row in FORMATS.into_iter().step_by(3) {
        for (geometry, _) in GEOMETRIES {
            let format = named(row);
            if format.2.is_block() && geometry.axes() == 1 {
                continue;
            }
            let (descriptor, ours) = shape(geometry, format);
            let given = mipmapped(&descriptor, 3);
            let ours: MipmappedArray = reference.device.create_mipmapped_array(&ours, 3).unwrap();
            for number in 0..3 {
                let mut level = null_mut();
                ok!(cuMipmappedArrayGetLevel(&raw mut level, given, number));
                fill(level, &ours.level(number).unwrap(), &mut random);
            }
            let mut resource = of_array(given);
            resource.res_type = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            let pair = Pair {
                name: row.2.to_owned(),
                kernel: format!("level_{}", geometry.name().trim_start_matches('.')),
                given: resource,
                ours: TextureResource::Mipmapped(&ours),
                reads: row.3,
                cube: geometry.is_cube(),
                srgb_block: format.2.is_srgb_block(),
            };
            count += compare(&pair, &runner, &reference, &mut random);
            ok!(cuMipmappedArrayDestroy(given));
        }
    }
    assert!(count > 400, "{count}");
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn memory_is_fetched_as_by_the_device() {
    let context = context();
    let text = kernels();
    let (runner, reference) = (Runner::new(&text), Reference::new(&text));
    let mut random = Random(0xdead_beef_cafe_f00d);
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 8192));
    let buffer = reference.device.alloc(8192, "memory").unwrap();
    let bytes = random.bytes(8192);
    ok!(cuMemcpyHtoD_v2(memory, bytes.as_ptr(), bytes.len()));
    buffer.write(0, &bytes).unwrap();
    for row in FORMATS.into_iter().filter(|row| row.3 != Normalized && !row.2.starts_with("bc")) {
        let (number, num_channels, format) = named(row);
        let size = format.texel_size();
        let linear = CUDA_RESOURCE_DESC {
            res_type: CU_RESOURCE_TYPE_LINEAR,
            what: memory + 512,
            format: number,
            num_channels,
            // A texel that is cut off does not count.
            size: 25 * size as usize - 1,
            ..CUDA_RESOURCE_DESC::default()
        };
        let ours = TextureResource::Linear { buffer: &buffer, offset: 512, format, width: 24 };
        let pair = |kernel: &str, given, ours| Pair {
            name: row.2.to_owned(),
            kernel: kernel.to_owned(),
            given,
            ours,
            reads: row.3,
            cube: false,
            srgb_block: false,
        };
        compare(&pair("linear", linear, ours), &runner, &reference, &mut random);
        let pitched = CUDA_RESOURCE_DESC {
            res_type: CU_RESOURCE_TYPE_PITCH2D,
            what: memory + 1024,
            format: number,
            num_channels,
            size: 13,
            height: 9,
            pitch_in_bytes: 288,
            ..CUDA_RESOURCE_DESC::default()
        };
        let ours = TextureResource::Pitched {
            buffer: &buffer,
            offset: 1024,
            format,
            width: 13,
            height: 9,
            pitch: 288,
        };
        compare(&pair("pitched", pitched, ours), &runner, &reference, &mut random);
    }
    // What a texture reads stays while the texture does.
    ok!(cuMemFree_v2(memory));
    ok!(cuCtxDestroy_v2(context));
}

/// A view of everything, as another format.
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
    let mut random = Random(77);
    // Every format of a view, with the array's, all of the same size.
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
        let descriptor = TextureDescriptor { read_mode, normalized_coords: true, sampler };
        let at = coordinates(&mut random, true);
        let wanted = reference.run("fetch_a2d", &TextureResource::Array(&ours), &descriptor, &at);
        assert_eq!(runner.run("fetch_a2d", handle, &at), wanted, "{own} as {seen}");
        ok!(cuTexObjectDestroy(handle));
        ok!(cuArrayDestroy(given));
    }
    ok!(cuCtxDestroy_v2(context));
}

/// Formats of the arrays that views are of.
#[rustfmt::skip]
const FORMATS_OF_ARRAYS: [(u32, u32, &str); 20] = [
    (0x08, 1, "s8"), (0x02, 1, "u16"), (0xc2, 4, "unorm8x4"), (0x01, 1, "u8"), (0x10, 1, "f16"),
    (0x20, 1, "f32"), (0x09, 1, "s16"), (0x10, 4, "f16x4"), (0xc3, 1, "unorm16"), (0x03, 1, "u32"),
    (0x20, 2, "f32x2"), (0x20, 4, "f32x4"), (0x01, 4, "u8x4"), (0xc5, 4, "unorm16x4"), (0x03, 4, "u32x4"),
    (0x03, 2, "u32x2"), (0x50, 4, "rgb10a2"), (0x02, 4, "u16x4"), (0x0a, 4, "s32x4"), (0x0a, 1, "s32"),
];

fn plain(width: usize, height: usize, format: u32, num_channels: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR { width, height, format, num_channels, ..Default::default() }
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
    // BC1 is seen in two 32-bit integers, BC7 in four; other formats have no blocks.
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

#[test]
fn what_was_given_comes_back() {
    let context = context();
    let given = array(&plain(8, 8, 0x20, 4));
    let mut random = Random(5);
    let (state, _) = state(&mut random, true, NORMALIZED_COORDINATES | 0x20);
    let mut resource = of_array(given);
    resource.reserved[3] = 7;
    let handle = texture(&resource, &state, None);
    let (mut resource_back, mut state_back) = Default::default();
    ok!(cuTexObjectGetResourceDesc(&raw mut resource_back, handle));
    ok!(cuTexObjectGetTextureDesc(&raw mut state_back, handle));
    assert_eq!((resource_back, state_back), (resource, state));
    let mut view = CUDA_RESOURCE_VIEW_DESC::default();
    fails!(INVALID_VALUE, cuTexObjectGetResourceViewDesc(&raw mut view, handle));
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
    let linear = CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_LINEAR,
        what: memory,
        format: 0x20,
        num_channels: 1,
        size: 4096,
        ..CUDA_RESOURCE_DESC::default()
    };
    let pitched = CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_PITCH2D,
        size: 16,
        height: 4,
        pitch_in_bytes: 64,
        ..linear
    };
    let create = |resource: CUDA_RESOURCE_DESC, state: CUDA_TEXTURE_DESC| {
        let mut handle = 0;
        // SAFETY: the structures are there.
        unsafe { cuTexObjectCreate(&raw mut handle, &raw const resource, &raw const state, null()) }
    };
    let resources: [(CUDA_RESOURCE_DESC, CUresult); 19] = [
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
        (CUDA_RESOURCE_DESC { size: 3, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { size: 8192, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { size: usize::MAX, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { num_channels: 3, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { format: 0xc0, ..linear }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { pitch_in_bytes: 48, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { pitch_in_bytes: 32, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { height: 0, ..pitched }, CUresult::INVALID_VALUE),
        (CUDA_RESOURCE_DESC { height: 1 << 40, ..pitched }, CUresult::INVALID_VALUE),
    ];
    for (resource, wanted) in resources {
        assert_eq!(create(resource, state), wanted, "{resource:?}");
    }
    let states: [(CUDA_TEXTURE_DESC, CUresult); 10] = [
        (CUDA_TEXTURE_DESC { address_mode: [0, 4, 0], ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { filter_mode: 2, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { mipmap_filter_mode: 2, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { flags: 0x80, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { flags: 0x04, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { flags: CU_TRSF_SEAMLESS_CUBEMAP, ..state }, CUresult::INVALID_VALUE),
        (CUDA_TEXTURE_DESC { max_anisotropy: 1000, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { mipmap_level_bias: f32::NAN, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { flags: READ_AS_INTEGER, filter_mode: 1, ..state }, CUresult::SUCCESS),
        (CUDA_TEXTURE_DESC { flags: CU_TRSF_SRGB, ..state }, CUresult::SUCCESS),
    ];
    for (state, wanted) in states {
        assert_eq!(create(fine, state), wanted, "{state:?}");
    }
    // Colours that are sRGB by format need the flag.
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
    // As a null pointer is freed.
    ok!(cuTexObjectDestroy(0));
    ok!(cuSurfObjectDestroy(0));
    for garbage in [1, u64::MAX, handle ^ 1 << 40, handle ^ 1 << 62, given as u64] {
        fails!(INVALID_VALUE, cuTexObjectDestroy(garbage));
        fails!(INVALID_VALUE, cuSurfObjectDestroy(garbage));
        fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(&raw mut back, garbage));
    }
    // An object of another context is none of this one.
    let second = context();
    fails!(INVALID_VALUE, cuTexObjectDestroy(handle));
    ok!(cuCtxDestroy_v2(second));
    ok!(common::cuCtxSetCurrent(first));
    ok!(cuTexObjectDestroy(handle));
    fails!(INVALID_VALUE, cuTexObjectDestroy(handle));
    ok!(cuSurfObjectDestroy(surface));
    fails!(INVALID_VALUE, cuSurfObjectDestroy(surface));
    // An array that was destroyed; one that is no surface; memory, levels and blocks are none.
    ok!(cuArrayDestroy(given));
    fails!(INVALID_HANDLE, cuArrayDestroy(given));
    fails!(INVALID_HANDLE, cuSurfObjectCreate(&raw mut surface, &raw const resource));
    let no_surface = of_array(array(&plain(8, 8, 0x20, 1)));
    fails!(INVALID_VALUE, cuSurfObjectCreate(&raw mut surface, &raw const no_surface));
    let memory = CUDA_RESOURCE_DESC { res_type: CU_RESOURCE_TYPE_LINEAR, ..resource };
    fails!(INVALID_VALUE, cuSurfObjectCreate(&raw mut surface, &raw const memory));
    ok!(cuCtxDestroy_v2(first));
}

#[test]
fn an_array_lives_as_long_as_its_textures() {
    let context = context();
    let text = kernels();
    let runner = Runner::new(&text);
    let given = array(&plain(4, 4, 0x20, 1));
    let mut texels: Vec<u8> = (0..16).flat_map(|i| (i as f32).to_le_bytes()).collect();
    copy(given, texels.as_mut_ptr(), true, [16, 4, 1]);
    let state = CUDA_TEXTURE_DESC { address_mode: [1; 3], ..CUDA_TEXTURE_DESC::default() };
    let handle = texture(&of_array(given), &state, None);
    ok!(cuArrayDestroy(given));
    let at: Vec<u8> = (0..THREADS)
        .flat_map(|i| [(i % 4) as f32, (i / 4 % 4) as f32, 0.0, 0.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    let got = runner.run("fetch_2d", handle, &at);
    for (i, texel) in got.chunks_exact(16).enumerate() {
        assert_eq!(texel[..4], ((i % 16) as f32).to_le_bytes());
    }
    // A texture that was destroyed is a fault of the kernel, which every later call answers.
    ok!(cuTexObjectDestroy(handle));
    runner.launch("fetch_2d", handle, &at);
    // SAFETY: it has no arguments.
    assert_ne!(unsafe { cuCtxSynchronize() }, CUresult::SUCCESS);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_linear_filter_of_integers_is_a_fault_of_the_fetch() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = array(&plain(8, 8, 0x01, 4));
    let state = CUDA_TEXTURE_DESC {
        filter_mode: CU_TR_FILTER_MODE_LINEAR,
        flags: READ_AS_INTEGER,
        ..CUDA_TEXTURE_DESC::default()
    };
    let handle = texture(&of_array(given), &state, None);
    runner.launch("fetch_2d", handle, &[0; THREADS * 16]);
    // SAFETY: it has no arguments.
    assert_ne!(unsafe { cuCtxSynchronize() }, CUresult::SUCCESS);
    ok!(cuCtxDestroy_v2(context));
}
