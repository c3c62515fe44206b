//! Texture objects: every format, geometry and read mode, compared with the same fetch through the
//! device crate.

use crate::fetching::cases::*;
use crate::fetching::*;
use std::ptr::null_mut;
use texunit_cuda_abi::*;
use texunit_device::{
    Format, MemoryTexels, MipmappedArray, ReadMode, TextureDescriptor, TextureResource,
};

/// `CU_AD_FORMAT_*`, channels, name, and whether the flag to read integers has an effect (`Both`),
/// texels are always integers or floats as stored, or are always normalized floats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reads {
    Both,
    Elements,
    Normalized,
}
use Reads::{Both, Elements, Normalized};
use texunit_testkit::Random;

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

/// The same resource in the driver and in the device crate, with its name in kernels.
struct Pair<'a> {
    name: String,
    kernel: String,
    given: CUDA_RESOURCE_DESC,
    ours: TextureResource<'a>,
    reads: Reads,
    cube: bool,
    srgb_block: bool,
}

/// Fetches with every combination of flags and filter that causes no fault, and counts them.
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
        let ours = TextureDescriptor::default()
            .with_read_mode(read_mode)
            .with_normalized_coords(normalized)
            .with_sampler(sampler);
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

#[test]
fn arrays_are_fetched_as_by_the_device() {
    let context = context();
    let text = kernels();
    let (runner, reference) = (Runner::new(&text), Reference::new(&text));
    let mut random = Random::for_test(0x2545_f491_4f6c_dd1d);
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
                kernel: format!("fetch_{}", geometry.name()),
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
    let mut random = Random::for_test(0x9e37_79b9_7f4a_7c15);
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
                kernel: format!("level_{}", geometry.name()),
                given: resource,
                ours: TextureResource::Array(&ours),
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
    let mut random = Random::for_test(0xdead_beef_cafe_f00d);
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
            // An incomplete last texel does not count.
            size: 25 * size as usize - 1,
            ..CUDA_RESOURCE_DESC::default()
        };
        let ours =
            TextureResource::Memory(MemoryTexels::line(&buffer, format, 24).with_offset(512));
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
        let ours = TextureResource::Memory(
            MemoryTexels::rows(&buffer, format, [13, 9], 288).with_offset(1024),
        );
        compare(&pair("pitched", pitched, ours), &runner, &reference, &mut random);
    }
    // The memory of a texture must not be freed before its last fetch.
    ok!(cuMemFree_v2(memory));
    ok!(cuCtxDestroy_v2(context));
}
