//! Encodes textures and samplers as descriptors, and decodes them.

use proptest::prelude::*;
use texunit_cases::{Access, ResourceSpec, Texels, random_unit_case};
use texunit_sass::descriptor::{
    Descriptor, DescriptorError, Encoded, Place, Placement, SamplerHeader, Source, TextureHeader,
    TextureType, encode_sampler, encode_texture, header, sampler,
};
use texunit_sass::memory::Memory;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, BlockLinear, CompareFunction, Extent, Filter, Geometry, Layout,
    ReadMode, Sampler, TexelIndex, Texture,
};

const PLACE: Place = Place { address: 0x12_3456_7000, log2_height: 2, log2_depth: 1 };

fn mapped(encoded: &Encoded) -> Memory {
    let mut memory = Memory::new();
    for (address, bytes) in &encoded.regions {
        memory.map(*address, bytes.clone()).unwrap();
    }
    memory
}

fn texture(spec: &ResourceSpec, read_mode: ReadMode, normalized_coords: bool) -> Option<Texture> {
    Some(Texture { resource: spec.build().ok()?, read_mode, normalized_coords })
}

fn spec(format: &str, geometry: Geometry, [width, height, depth]: [u32; 3]) -> ResourceSpec {
    let format = Format::from_name(format).unwrap();
    ResourceSpec {
        name: "r".into(),
        shape: ArrayShape::new(format, geometry, Extent { width, height, depth }),
        layout: Layout::Array,
        pitch: None,
        texels: Texels::Random(5),
        missing_tiles: None,
        view: None,
        level: None,
    }
}

/// Encodes a texture as header and memory, and decodes it again. Encoding the result must reproduce
/// header and memory.
fn there_and_back(own: &Texture, srgb: bool, place: Place) {
    let encoded = encode_texture(own, srgb, place).unwrap();
    let header = TextureHeader::decode(&encoded.header).unwrap();
    assert_eq!(header.encode().unwrap(), encoded.header);
    let back = header.texture(&mapped(&encoded), srgb).unwrap();
    assert_eq!(back.normalized_coords, own.normalized_coords);
    let (a, b) = (&own.resource, &back.resource);
    assert_eq!((a.geometry(), a.extent(), a.layout()), (b.geometry(), b.extent(), b.layout()));
    assert_eq!((a.shape().layers, a.levels().len()), (b.shape().layers, b.levels().len()));
    let read = |t: &Texture| {
        let normalized = t.read_mode == ReadMode::NormalizedFloat;
        texunit_texel::readings(t.resource.format(), normalized, srgb)
    };
    assert_eq!(read(own), read(&back), "{} and {}", a.format(), b.format());
    if a.residency().is_none() {
        assert!(a.to_packed() == b.to_packed(), "texels differ");
    }
}

/// Arrays, linear and pitched memory of all geometries and formats survive encoding and decoding.
#[test]
fn random_textures_come_back() {
    let (mut right, mut refused) = (0, 0);
    for seed in 0..600 {
        let case = random_unit_case(7, seed);
        let Access::Fetch(fetch) = &case.access else { continue };
        let Ok(built) = fetch.build() else { continue };
        let place =
            Place { log2_height: seed as u32 % 6, log2_depth: seed as u32 / 7 % 6, ..PLACE };
        match encode_texture(&built.texture, built.sampler.srgb, place) {
            Ok(_) => {
                there_and_back(&built.texture, built.sampler.srgb, place);
                right += 1;
            }
            Err(DescriptorError::Inexpressible { field, reason }) => {
                assert!(!reason.is_empty(), "{field}");
                refused += 1;
            }
            Err(error) => panic!("{}: {error}", case.name),
        }
    }
    assert!(right > 200, "{right} textures came back, {refused} have no header");
}

#[test]
fn every_format_and_geometry() {
    let mut count = 0;
    for format in Format::all() {
        for &geometry in Geometry::ALL {
            for levels in [None, Some(2), Some(4)] {
                for read_mode in [ReadMode::Element, ReadMode::NormalizedFloat] {
                    let size = if geometry.is_cube() { [20, 20, 1] } else { [21, 13, 9] };
                    let axes = geometry.axes();
                    let size = std::array::from_fn(|a| if a < axes { size[a] } else { 1 });
                    let mut spec = spec(format.name(), geometry, size);
                    spec.shape.levels = levels;
                    spec.shape.layers = if geometry.is_array() { 3 } else { 1 };
                    let Some(own) = texture(&spec, read_mode, true) else { continue };
                    let srgb = format.is_srgb_block();
                    match encode_texture(&own, srgb, PLACE) {
                        Ok(_) => there_and_back(&own, srgb, PLACE),
                        Err(DescriptorError::Inexpressible { .. }) => continue,
                        Err(error) => panic!("{error}"),
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 900, "{count}");
}

#[test]
fn block_linear_memory_is_where_the_address_function_says() {
    let own = texture(&spec("u8x4", Geometry::D2, [100, 70, 1]), ReadMode::Element, true).unwrap();
    let encoded = encode_texture(&own, false, PLACE).unwrap();
    let level = BlockLinear { width: 400, height: 70, depth: 1, log2_height: 2, log2_depth: 1 };
    let (address, bytes) = &encoded.regions[0];
    assert_eq!((*address, bytes.len() as u64), (PLACE.address, level.bytes().unwrap()));
    for (x, y) in [(0, 0), (99, 69), (37, 41)] {
        let at = TexelIndex { at: [x, y, 0], ..TexelIndex::default() };
        let texel = own.resource.texel(at).unwrap();
        let offset = level.offset(4 * u64::from(x), y.into(), 0) as usize;
        assert_eq!(bytes[offset..offset + 4], texel.map(|code| code as u8));
    }
}

#[test]
fn tiles_that_are_absent() {
    let mut spec = spec("u8x4", Geometry::A2d, [300, 260, 1]);
    (spec.shape.layers, spec.shape.levels) = (2, Some(3));
    spec.missing_tiles = Some(vec![[0, 1, 2, 1, 0], [0, 0, 0, 0, 0], [2, 1, 0, 0, 0]]);
    let own = texture(&spec, ReadMode::Element, true).unwrap();
    let encoded = encode_texture(&own, false, Place { log2_height: 4, ..PLACE }).unwrap();
    assert!(encoded.regions.len() > 1);
    let header = TextureHeader::decode(&encoded.header).unwrap();
    assert!(matches!(header.placement, Placement::BlockLinear { sparse: true, .. }));
    let back = header.texture(&mapped(&encoded), false).unwrap();
    for level in 0..3 {
        let [width, height, _] = own.resource.levels()[level as usize].extent.axes();
        for plane in 0..2 {
            for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
                let at = TexelIndex { level, plane, sample: 0, at: [x, y, 0] };
                let resident = own.resource.is_resident(at);
                assert_eq!(resident, back.resource.is_resident(at), "{at:?}");
                if resident {
                    assert_eq!(own.resource.texel(at), back.resource.texel(at));
                }
            }
        }
    }
    // Without the header's sparse flag, absent memory is an error.
    let mut words = encoded.header;
    header::SPARSE.set(&mut words, 0);
    let header = TextureHeader::decode(&words).unwrap();
    let error = header.texture(&mapped(&encoded), false).unwrap_err();
    assert!(matches!(error, DescriptorError::Memory { .. }), "{error}");
}

#[test]
fn views_show_some_levels() {
    let mut spec = spec("f32", Geometry::D2, [32, 16, 1]);
    spec.shape.levels = Some(5);
    let own = texture(&spec, ReadMode::Element, true).unwrap();
    let mut encoded = encode_texture(&own, false, PLACE).unwrap();
    header::VIEW_MIN_LEVEL.set(&mut encoded.header, 1);
    header::VIEW_MAX_LEVEL.set(&mut encoded.header, 3);
    let header = TextureHeader::decode(&encoded.header).unwrap();
    let back = header.texture(&mapped(&encoded), false).unwrap();
    assert_eq!(back.resource.extent().axes(), [16, 8, 1]);
    assert_eq!(back.resource.levels().len(), 3);
    for (level, at) in [(0, [3, 5, 0]), (2, [3, 1, 0])] {
        let seen = TexelIndex { level, at, ..TexelIndex::default() };
        let whole = TexelIndex { level: level + 1, ..seen };
        assert_eq!(back.resource.texel(seen), own.resource.texel(whole));
    }
    header::VIEW_MIN_LEVEL.set(&mut encoded.header, 4);
    let error = TextureHeader::decode(&encoded.header).unwrap_err().to_string();
    assert_eq!(error, "res_view_min_mip_level is 4: the view has no levels");
}

#[test]
fn sources() {
    let own = texture(&spec("bc5", Geometry::D2, [8, 8, 1]), ReadMode::NormalizedFloat, true);
    let header = encode_texture(&own.unwrap(), false, PLACE).unwrap().header;
    let sources = TextureHeader::decode(&header).unwrap().sources;
    use Source::{Component, OneFloat, OneInt, Zero};
    assert_eq!(sources, [Component(0), Component(1), Zero, OneFloat]);
    let of = |source: Source| source.of([10, 20, 30, 40]);
    assert_eq!([Zero, Component(3), OneInt, OneFloat].map(of), [0, 40, 1, 0x3f80_0000]);
}

fn refused(field: &header::Version, bits: &[(texunit_sass::descriptor::Bits, u32)]) -> String {
    let mut words = Descriptor::default();
    let start = [
        (header::LAYOUT, 0x0f),
        (header::R_TYPE, 7),
        (header::VERSION, *field as u32),
        (header::TYPE, 1),
    ];
    start.iter().chain(bits).for_each(|(bits, value)| bits.set(&mut words, *value));
    TextureHeader::decode(&words).unwrap_err().to_string()
}

#[test]
fn headers_that_the_unit_cannot_do() {
    use header::Version::{BlockLinear, BlockLinearColorKey, OneDBuffer, Pitch};
    #[rustfmt::skip]
    let cases: &[(header::Version, &[_], &str)] = &[
        (BlockLinear, &[(header::LAYOUT, 0x02)], "component_layout is R32_G32_B32 (0x2)"),
        (BlockLinear, &[(header::LAYOUT, 0x15)], "component_layout is B5G6R5 (0x15)"),
        (BlockLinear, &[(header::LAYOUT, 0x40)], "component_layout is ASTC_2D_4X4 (0x40)"),
        (BlockLinear, &[(header::BLOCK_WIDTH, 1)], "gobs_per_block_width is 2 (stored as 1)"),
        (BlockLinear, &[(header::TILE_WIDTH, 2)], "tile_width_in_gobs is 4 (stored as 2)"),
        (BlockLinear, &[(header::GOB_3D, 1)], "gob_3d is yes"),
        (BlockLinear, &[(header::LOD_BIAS, 0x1f00)], "mip_lod_bias is -1 (stored as 0x1f00)"),
        (BlockLinear, &[(header::LAYOUT, 0x7f)], "component_layout: the number 0x7f has no meaning"),
        (BlockLinear, &[(header::R_TYPE, 5)], "r_data_type is snorm_force_fp16 (0x5)"),
        (BlockLinear, &[(header::R_TYPE, 0)], "r_data_type: the number 0x0 has no meaning"),
        (BlockLinear, &[(header::LAYOUT, 0x0c)], "g_data_type: the number 0x0 has no meaning"),
        (BlockLinear, &[(header::X_SOURCE, 1)], "x_source: the number 0x1 has no meaning"),
        (BlockLinear, &[(header::SAMPLE_COUNT, 2)], "multi_sample_count is 2x2 (0x2)"),
        (BlockLinear, &[(header::TYPE, 9)], "texture_type: the number 0x9 has no meaning"),
        (BlockLinear, &[(header::TYPE, 6)], "texture_type is 1D_buffer (0x6)"),
        (BlockLinear, &[(header::BLOCK_HEIGHT, 6)], "gobs_per_block_height: the number 0x6"),
        (BlockLinearColorKey, &[], "header_version is block_linear_color_key (0x4)"),
        (Pitch, &[(header::TYPE, 2)], "texture_type is 3D (0x2)"),
        (Pitch, &[(header::MAX_MIP_LEVEL, 2)], "max_mip_level is 2: rows with a pitch"),
        (OneDBuffer, &[], "texture_type is 2D (0x1)"),
    ];
    for (version, bits, message) in cases {
        let error = refused(version, bits);
        assert!(error.starts_with(message), "{error}\n{message}");
    }
    let error = TextureHeader::decode(&Descriptor([u32::MAX; 8])).unwrap_err();
    assert!(error.is_undefined());
}

#[test]
fn samplers_that_the_unit_cannot_do() {
    let start = encode_sampler(&Sampler::default()).unwrap();
    #[rustfmt::skip]
    let cases: &[(_, u32, &str)] = &[
        (sampler::ADDRESS_V, 5, "address_v is mirror_once_clamp_to_edge (0x5): the unit does not mirror once"),
        (sampler::MAG_FILTER, 0, "mag_filter: the number 0x0 has no meaning"),
        (sampler::MAG_FILTER, 3, "mag_filter: the number 0x3 has no meaning"),
        (sampler::MAG_FILTER, 5, "mag_filter: the number 0x5 has no meaning"),
        (sampler::REDUCTION, 1, "reduction_filter is minimum (0x1): the unit's filters average"),
        (sampler::MIN_FILTER, 2, "min_filter is linear (0x2): the unit has one filter"),
        (sampler::MIP_FILTER, 0, "mip_filter: the number 0x0 has no meaning"),
        (sampler::CUBE_INTERFACE, 3, "cubemap_interface is auto_cross_seam (0x3)"),
        (sampler::TRILINEAR_SLOPE, 9, "trilinear_slope is 1.125 (stored as 0x9)"),
    ];
    for &(bits, value, message) in cases {
        let mut words = start;
        bits.set(&mut words, value);
        let error = SamplerHeader::decode(&words).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}\n{message}");
    }
    let wrong = |change: fn(&mut Sampler), message: &str| {
        let mut sampler = Sampler::default();
        change(&mut sampler);
        let error = encode_sampler(&sampler).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}\n{message}");
    };
    wrong(|s| s.max_anisotropy = 3, "max_anisotropy: 3 is not one of 1, 2, 4");
    wrong(|s| s.level_bias = 16.0, "mip_lod_bias: 16 is not a multiple");
    wrong(|s| (s.level_bias, s.max_anisotropy) = (0.001, 4), "mip_lod_bias: 0.001 is not");
    wrong(|s| s.level_bias = f32::NAN, "mip_lod_bias: NaN is not a multiple");
}

#[test]
fn header_and_sampler_together() {
    let own = texture(&spec("u8x4", Geometry::D2, [8, 8, 1]), ReadMode::NormalizedFloat, true);
    let mut words = encode_texture(&own.unwrap(), true, PLACE).unwrap().header;
    let own = Sampler::default()
        .with_min_level_clamp(1.0)
        .with_srgb(true)
        .with_seamless_cube(true)
        .with_address_mode(AddressMode::Border)
        .with_border_bits([0x3f00_0000; 4]);
    let mut sampler_words = encode_sampler(&own).unwrap();
    let together = |header: &Descriptor, sampler: &Descriptor, clamp| {
        let header = TextureHeader::decode(header).unwrap();
        SamplerHeader::decode(sampler).unwrap().for_texture(&header, clamp)
    };
    let both = together(&words, &sampler_words, 0).unwrap();
    assert!(both.srgb && !both.seamless_cube && both.min_level_clamp == 1.0);
    assert_eq!(together(&words, &sampler_words, 0x180).unwrap().min_level_clamp, 1.5);
    header::MIN_LOD.set(&mut words, 0x200);
    assert_eq!(together(&words, &sampler_words, 0x180).unwrap().min_level_clamp, 2.0);
    sampler::SRGB_BORDER_G.set(&mut sampler_words, 1);
    let error = together(&words, &sampler_words, 0).unwrap_err().to_string();
    assert!(error.starts_with("srgb_border_color_g is 0x1"), "{error}");
    header::SRGB.set(&mut words, 0);
    assert!(!together(&words, &sampler_words, 0).unwrap().srgb);
    sampler::MIP_FILTER.set(&mut sampler_words, 1);
    let base = together(&words, &sampler_words, 0xfff).unwrap();
    assert_eq!((base.min_level_clamp, base.max_level_clamp), (0.0, 0.0));
}

fn samplers() -> impl Strategy<Value = Sampler> {
    let mode = || {
        use AddressMode::{Border, Clamp, ClampOgl, Mirror, Wrap};
        proptest::sample::select(vec![Wrap, Mirror, Clamp, Border, ClampOgl])
    };
    let filter = || proptest::sample::select(vec![Filter::Point, Filter::Linear]);
    use CompareFunction::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let functions = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
    let compare = proptest::option::of(proptest::sample::select(functions.to_vec()));
    let levels = (0u32..4096, 0u32..4096, -4096i32..4096);
    let numbers =
        (any::<[u32; 4]>(), levels, proptest::sample::select(vec![1, 2, 4, 6, 8, 10, 12, 16]));
    let flags = any::<[bool; 3]>();
    (filter(), filter(), [mode(), mode(), mode()], compare, numbers, flags).prop_map(
        |(filter, mip_filter, address_mode, compare, (border, (min, max, bias), ratio), flags)| {
            Sampler::default()
                .with_filter(filter)
                .with_mip_filter(mip_filter)
                .with_address_modes(address_mode)
                .with_border_bits(border)
                .with_min_level_clamp(min as f32 / 256.0)
                .with_max_level_clamp(max as f32 / 256.0)
                .with_level_bias(bias as f32 / 256.0)
                .with_max_anisotropy(ratio)
                .with_force_unnormalized_coords(flags[0])
                .with_srgb(flags[1])
                .with_seamless_cube(flags[2])
                .with_compare(compare)
        },
    )
}

proptest! {
    #[test]
    fn samplers_come_back(own in samplers()) {
        let words = encode_sampler(&own).unwrap();
        let back = SamplerHeader::decode(&words).unwrap();
        prop_assert_eq!(back.sampler, own);
        prop_assert!(!back.base_level_only);
    }

    /// Any words decode to a texture or an error within a short time; decoded textures encode to
    /// words that decode to the same texture.
    #[test]
    fn any_words(words: [u32; 8], known: bool, sampler_words: [u32; 8], bytes in 0usize..5000) {
        let words = if known { with_meaning(Descriptor(words)) } else { Descriptor(words) };
        let mut memory = Memory::new();
        memory.map(header::address(&words).unwrap_or(0), vec![1; bytes]).unwrap();
        if let Ok(header) = TextureHeader::decode(&words) {
            let _ = header.texture(&memory, true);
            let back = TextureHeader::decode(&header.encode().unwrap());
            prop_assert_eq!(back, Ok(header));
            if let Ok(sampler) = SamplerHeader::decode(&Descriptor(sampler_words)) {
                let _ = sampler.for_texture(&header, 5);
            }
        }
    }

    #[test]
    fn any_sampler_words(words: [u32; 8]) {
        use sampler::{CUBE_INTERFACE, MAG_FILTER, MIN_FILTER, MIP_FILTER, REDUCTION, TRILINEAR_SLOPE};
        let _ = SamplerHeader::decode(&Descriptor(words));
        let mut words = Descriptor(words);
        let bit = words.0[1] & 1;
        for (bits, value) in [
            (MAG_FILTER, 1 + bit), (MIN_FILTER, 1 + bit), (MIP_FILTER, 2 + bit), (REDUCTION, 0),
            (CUBE_INTERFACE, 2 * bit), (TRILINEAR_SLOPE, 8 * bit),
        ] {
            bits.set(&mut words, value);
        }
        for bits in [sampler::ADDRESS_U, sampler::ADDRESS_V, sampler::ADDRESS_P] {
            let mode = bits.get(&words) % 5;
            bits.set(&mut words, mode);
        }
        let header = SamplerHeader::decode(&words).unwrap();
        let back = encode_sampler(&header.sampler).unwrap();
        prop_assert_eq!(SamplerHeader::decode(&back).unwrap().sampler, header.sampler);
    }
}

/// Changes random header words, most of which are invalid, so that more of them are valid.
fn with_meaning(mut words: Descriptor) -> Descriptor {
    let [a, b, c, ..] = words.0.map(|word| word as usize);
    header::LAYOUT.set(&mut words, [1, 3, 8, 0xf, 0x24, 0x1d][a % 6]);
    for bits in [header::R_TYPE, header::G_TYPE, header::B_TYPE, header::A_TYPE] {
        bits.set(&mut words, [2, 4, 7][b % 3]);
    }
    for bits in [header::X_SOURCE, header::Y_SOURCE, header::Z_SOURCE, header::W_SOURCE] {
        let source = bits.get(&words);
        bits.set(&mut words, if source == 1 { 2 } else { source });
    }
    for bits in [header::SAMPLE_COUNT, header::LOD_BIAS] {
        bits.set(&mut words, 0);
    }
    header::VERSION.set(&mut words, [0, 2, 3, 3][c % 4]);
    // These block size fields share bits with the pitch.
    if c % 4 > 1 {
        for bits in [header::BLOCK_WIDTH, header::TILE_WIDTH, header::GOB_3D] {
            bits.set(&mut words, 0);
        }
    }
    words
}

#[test]
fn kinds_have_their_numbers() {
    for (number, (kind, _)) in TextureType::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, number);
    }
}
