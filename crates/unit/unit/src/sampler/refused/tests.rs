//! Tests of the table of docs/numerics.md 8.1, row by row.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::request::Geometry;
use crate::resource::{ArchLimits, ArrayShape, Extent, View};
use crate::sampler::{AddressMode, CompareFunction};
use Geometry as G;
use texunit_memory::Block;
use texunit_texel::Format;

fn resource(format: &str, geometry: Geometry, width: u32, levels: Option<u32>) -> Arc<Resource> {
    let format = Format::from_name(format).unwrap();
    let height = if geometry.axes() == 1 { 1 } else { 4 };
    let extent = Extent { width, height, depth: 1 };
    let shape = ArrayShape { levels, ..ArrayShape::new(format, geometry, extent) };
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    Arc::new(Resource::array(&shape, block, "t").unwrap())
}

/// CUDA's error number for a texture; 0 if the texture is created.
fn code(made: Result<Texture, CreateError>) -> u32 {
    made.map_or_else(|e| e.cuda().number(), |_| 0)
}

#[test]
fn read_modes_and_filters() {
    // The columns are: element point, element linear, normalized point, normalized linear.
    #[rustfmt::skip]
    let rows = [
        ("u8 s8x2 u16 s16x4",                                 [0,  26, 0,  0]),
        ("u32 s32x2 u32x4",                                   [0,  26, 27, 26]),
        ("f16 f32x2 f16x4 bc6h bc6h_snorm rgb10a2",           [0,  0,  27, 27]),
        ("unorm8 unorm16x2 snorm8x4 snorm16",                 [27, 27, 0,  0]),
        ("bc1 bc2 bc3 bc4 bc4_snorm bc5 bc5_snorm bc7",       [27, 27, 0,  0]),
        ("depth16 depth24 depth32f",                          [0,  0,  0,  0]),
    ];
    for (formats, wanted) in rows {
        for format in formats.split(' ') {
            for srgb in [false, true] {
                let made = [
                    (ReadMode::Element, Filter::Point),
                    (ReadMode::Element, Filter::Linear),
                    (ReadMode::NormalizedFloat, Filter::Point),
                    (ReadMode::NormalizedFloat, Filter::Linear),
                ]
                .map(|(read_mode, filter)| {
                    let sampler = Sampler { filter, srgb, ..Sampler::default() };
                    code(Texture::new(resource(format, G::D2, 4, None), read_mode, false, &sampler))
                });
                assert_eq!(made, wanted, "{format} {srgb}");
            }
        }
    }
}

#[test]
fn srgb_blocks_want_the_flag() {
    for format in ["bc1_srgb", "bc2_srgb", "bc3_srgb", "bc7_srgb"] {
        let of = |read_mode, srgb| {
            let sampler = Sampler { srgb, ..Sampler::default() };
            code(Texture::new(resource(format, G::D2, 4, None), read_mode, true, &sampler))
        };
        assert_eq!(of(ReadMode::NormalizedFloat, true), 0);
        assert_eq!(of(ReadMode::NormalizedFloat, false), 1);
        assert_eq!([true, false].map(|srgb| of(ReadMode::Element, srgb)), [27, 27]);
        let later = |mode| Texture::without_sampler(resource(format, G::D2, 4, None), mode, true);
        assert!(later(ReadMode::NormalizedFloat).is_ok(), "the sampler will have it");
        assert_eq!(code(later(ReadMode::Element)), 27);
    }
}

#[test]
fn messages_name_cuda_s_error() {
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let made = Texture::new(resource("u8x4", G::D2, 4, None), ReadMode::Element, true, &linear);
    assert_eq!(
        made.unwrap_err().to_string(),
        "texture `t`: integers (u8x4) read as elements have no linear filter; use point, or read \
         them as normalized floats, `read` = `normalized` (cudaErrorInvalidFilterSetting, 26)"
    );
    let plain = Sampler::default();
    let made = Texture::new(resource("bc4", G::D2, 4, None), ReadMode::Element, true, &plain);
    assert_eq!(
        made.unwrap_err().to_string(),
        "texture `t`: bc4 is read as normalized floats only (cudaErrorInvalidNormSetting, 27)"
    );
}

#[test]
fn seamless_is_for_cubes() {
    for &geometry in G::ALL {
        let sampler = Sampler { seamless_cube: true, ..Sampler::default() };
        let of = resource("f32", geometry, 4, None);
        let wanted = u32::from(!geometry.is_cube());
        assert_eq!(code(Texture::new(of, ReadMode::Element, true, &sampler)), wanted);
    }
}

#[test]
fn compare_wants_numbers_between_0_and_1() {
    let sampler = Sampler { compare: Some(CompareFunction::Less), ..Sampler::default() };
    for (format, read_mode, wanted) in [
        ("depth24", ReadMode::Element, 0),
        ("f32", ReadMode::Element, 0),
        ("u16", ReadMode::NormalizedFloat, 0),
        ("u16", ReadMode::Element, 1),
        ("s32", ReadMode::Element, 1),
    ] {
        let of = resource(format, G::D2, 4, None);
        assert_eq!(code(Texture::new(of, read_mode, true, &sampler)), wanted, "{format}");
    }
}

#[test]
fn filters_that_integer_coordinates_ignore() {
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let block = Arc::new(Block::new(64, "b").unwrap());
    let format = Format::from_name("u32").unwrap();
    let linear = Arc::new(Resource::linear(format, 4, block, 0, 0, "l").unwrap());
    let new = |of: &Arc<Resource>, mode| code(Texture::new(Arc::clone(of), mode, false, &sampler));
    assert_eq!(new(&linear, ReadMode::Element), 0);
    assert_eq!(new(&linear, ReadMode::NormalizedFloat), 27);
    let samples = resource("u32", G::A2dms, 4, None);
    assert_eq!(new(&samples, ReadMode::Element), 0);
    assert_eq!(new(&samples, ReadMode::NormalizedFloat), 27);
    assert_eq!(new(&resource("u32", G::D1, 4, None), ReadMode::Element), 26);
}

/// Rules 3.2, 3.3 and 4.12 of docs/numerics.md: the driver accepts any level clamps, biases and
/// anisotropy, because the rules define the effect of any values.
#[test]
fn any_level_bias_and_anisotropy() {
    let (nan, plain) = (f32::NAN, Sampler::default());
    for sampler in [
        Sampler { min_level_clamp: nan, ..plain },
        Sampler { max_level_clamp: nan, level_bias: nan, ..plain },
        Sampler { min_level_clamp: 9.0, max_level_clamp: f32::NEG_INFINITY, ..plain },
        Sampler { border: [u32::MAX; 4], max_anisotropy: u32::MAX, ..plain },
        Sampler { address_mode: [AddressMode::ClampOgl; 3], ..plain },
    ] {
        let of = resource("f32", G::D2, 4, Some(2));
        assert_eq!(code(Texture::new(of, ReadMode::Element, true, &sampler)), 0);
    }
}

#[test]
fn which_surfaces_there_are() {
    let new = |format, geometry, width, levels| {
        Surface::new(resource(format, geometry, width, levels)).map_err(|e| e.to_string())
    };
    for &geometry in G::ALL {
        let made = new("u8", geometry, 4, None);
        assert_eq!(made.is_ok(), !geometry.is_multisample(), "{geometry:?}");
    }
    for (format, exists) in
        [("unorm8x4", true), ("rgb10a2", true), ("f16x2", true), ("bc1", false), ("depth16", false)]
    {
        assert_eq!(new(format, G::D2, 4, None).is_ok(), exists, "{format}");
    }
    assert_eq!(
        new("bc7", G::D2, 4, None).unwrap_err(),
        "surface `t`: bc7 texels cannot be accessed as a surface (cudaErrorInvalidValue, 1)"
    );
    assert!(new("u8", G::D1, 32_768, None).is_ok());
    assert_eq!(
        new("u8", G::D1, 32_769, None).unwrap_err(),
        "width is 32769, but must be 1 to 32768"
    );
    let of_an_old_one = |width, major| {
        let resource = resource("u8", G::D1, width, None);
        let limits = ArchLimits::of(major, 0);
        let block = Arc::clone(resource.block());
        let resource = Resource::array_for(&limits, resource.shape(), block, "t").unwrap();
        Surface::new(Arc::new(resource)).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(of_an_old_one(16_384, 5), Ok(()));
    assert!(of_an_old_one(16_385, 5).is_err());
    assert_eq!(of_an_old_one(4, 1).unwrap_err(), "the architecture has no 1D surfaces");
    let levels = resource("u8", G::D2, 4, Some(3));
    assert!(Surface::new(Arc::clone(&levels)).is_err(), "three levels");
    assert!(Surface::new(Arc::new(levels.single_level(2).unwrap())).is_ok());
    let view = View { levels: Some(1..2), ..View::default() };
    assert!(Surface::new(Arc::new(levels.view(&view).unwrap())).is_ok());
}

#[test]
fn surfaces_of_memory() {
    let block = || Arc::new(Block::new(256, "b").unwrap());
    let format = Format::from_name("u8").unwrap();
    let linear = Resource::linear(format, 100, block(), 16, 512, "l").unwrap();
    assert!(Surface::new(Arc::new(linear)).is_ok());
    let pitched = Resource::pitched(format, 20, 3, 32, block(), 0, 512, "p").unwrap();
    assert!(Surface::new(Arc::new(pitched)).is_ok());
    let e = Resource::linear(format, 100, block(), 8, 512, "l").unwrap_err();
    assert_eq!(e.to_string(), "the base address 0x208 is not a multiple of 16 bytes");
}
