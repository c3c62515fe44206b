//! Tests of limits, checks, copies and descriptions of resources.

#![allow(clippy::unwrap_used)]
use super::*;

fn block(size: usize) -> Arc<Block> {
    Arc::new(Block::new(size, "b").unwrap())
}

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn extent(width: u32, height: u32, depth: u32) -> Extent {
    Extent { width, height, depth }
}

fn shape(format: Format, extent: Extent, dims: usize) -> ArrayShape {
    ArrayShape::new(format, Geometry::ALL[dims - 1], extent)
}

fn array_size(format: Format, extent: Extent, dims: usize) -> Result<u64, CreateError> {
    shape(format, extent, dims).size()
}

fn array(
    format: Format,
    extent: Extent,
    dims: usize,
    block: Arc<Block>,
    name: &str,
) -> Result<Resource, CreateError> {
    Resource::array(&shape(format, extent, dims), block, name)
}

#[test]
fn limits_of_arrays() {
    let f = format("u8");
    assert_eq!(array_size(f, extent(131_072, 1, 1), 1), Ok(131_072));
    assert_eq!(
        array_size(f, extent(131_073, 1, 1), 1),
        Err(CreateError::Extent { what: "width", value: 131_073, max: 131_072 })
    );
    assert_eq!(
        array_size(f, extent(4, 2, 1), 1),
        Err(CreateError::Extent { what: "height", value: 2, max: 1 })
    );
    assert_eq!(
        array_size(f, extent(4, 0, 1), 2),
        Err(CreateError::Extent { what: "height", value: 0, max: 65_536 })
    );
    assert!(array_size(f, extent(4, 65_537, 1), 2).is_err());
    assert_eq!(array_size(f, extent(2, 2, 32_768), 3), Ok(8 * 2 * 32_768), "narrow and deep");
    assert!(array_size(f, extent(4, 4, 32_769), 3).is_err());
    assert!(array_size(f, extent(8_193, 4, 16_385), 3).is_err());
    assert_eq!(array_size(format("f32x4"), extent(16_384, 16_384, 16_384), 3), Ok(1 << 46));
    assert_eq!(
        array(f, extent(4, 4, 1), 2, block(27), "a").unwrap_err(),
        CreateError::Memory { needed: 28, available: 27 },
        "rows begin at multiples of 8 bytes, and the last one ends with its texels"
    );
}

/// Linear and pitched memory for which an NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0,
/// 2026-11-28) creates textures.
#[test]
fn memory_as_the_driver_takes_it() {
    let (f, limits) = (format("u8x4"), ArchLimits::NEWEST);
    let at = |offset| Base { block: block(48), offset, address: 512 };
    let line = |width, offset| Resource::linear_as_driver(&limits, f, width, at(offset), "l");
    let texel = |resource: &Resource, x| {
        resource.texel(TexelIndex { at: [x, 0, 0], ..TexelIndex::default() })
    };
    for (width, offset, there) in [(4, 16, 4), (1 << 29, 16, 8), (9, 16, 8), (0, 0, 1), (5, 48, 1)]
    {
        let made = line(width, offset).unwrap();
        assert_eq!(made.extent().width, width);
        assert_eq!(made.levels()[0].extent.width, there, "{width} from {offset} on");
        assert_eq!(texel(&made, there - 1), Some([0; 4]));
        assert_eq!(texel(&made, there), None);
    }
    assert!(line(4, 8).is_err(), "the base address");

    let rows =
        |size, pitch, offset| Resource::pitched_as_driver(&limits, f, size, pitch, at(offset), "p");
    assert!(rows([8, 1], 32, 0).is_ok() && rows([12, 1], 32, 0).is_ok());
    assert!(rows([5, 2], 32, 0).is_err(), "the second row passes the end");
    let wide = rows([4, 2], 32, 0).unwrap();
    assert_eq!(wide.row_pitch(), 32);
    for size in [[0, 4], [4, 0], [0, 0]] {
        let made = rows(size, 512, 16).unwrap();
        assert_eq!(texel(&made, 0), Some([0; 4]), "{size:?}");
    }
    assert!(rows([0, 4], 512, 8).is_err() && rows([4, 1], 0, 0).is_err());
    assert!(rows([4, 1], 48, 0).is_err() && rows([4, 0], 48, 0).is_err());
}

#[test]
fn linear_and_pitched_memory() {
    let f = format("u8x4");
    let linear = |offset, base| Resource::linear(f, 4, block(48), offset, base, "l");
    assert!(linear(32, 512).is_ok());
    assert_eq!(
        linear(8, 512).unwrap_err().to_string(),
        "the base address 0x208 is not a multiple of 16 bytes"
    );
    assert!(linear(48, 512).is_err() && linear(u64::MAX - 15, 512).is_err());
    assert!(Resource::linear(f, (1 << 28) + 1, block(48), 0, 0, "l").is_err());

    let pitched = |w, h, pitch, size| Resource::pitched(f, w, h, pitch, block(size), 0, 0, "p");
    assert!(pitched(5, 3, 32, 84).is_ok(), "the last row needs no padding");
    assert_eq!(
        pitched(5, 3, 32, 83).unwrap_err(),
        CreateError::Memory { needed: 84, available: 83 }
    );
    assert_eq!(
        pitched(5, 3, 40, 200).unwrap_err(),
        CreateError::Alignment { what: "pitch", value: 40, align: 32 }
    );
    assert!(pitched(9, 3, 32, 200).unwrap_err().to_string().contains("takes 36"));
    assert!(pitched(9, 65_001, 32, 200).is_err());
    let most = ArchLimits::NEWEST.pitch();
    assert_eq!(
        pitched(9, 1, most + 32, 200).unwrap_err(),
        CreateError::Extent { what: "pitch", value: most + 32, max: most }
    );
}

#[test]
fn memory_has_the_limits_of_its_architecture() {
    let f = format("u8");
    let base = |size| Base { block: block(size), offset: 0, address: 512 };
    let rows = |height, major| {
        let limits = ArchLimits::of(major, 0);
        Resource::pitched_for(&limits, f, [1, height], 32, base(65_536 * 32), "p").map(|_| ())
    };
    let too_high = |most| Err(CreateError::Extent { what: "height", value: 65_536, max: most });
    assert_eq!(rows(65_536, 5), Ok(()));
    assert_eq!(rows(65_536, 6), too_high(65_000));
    let linear = |width, (major, minor)| {
        let limits = ArchLimits::of(major, minor);
        Resource::linear_for(&limits, f, width, base(16), "l").map(|_| ()).unwrap_err()
    };
    let wide = |value, max| CreateError::Extent { what: "width", value, max };
    assert_eq!(linear((1 << 27) + 1, (7, 5)), wide((1 << 27) + 1, 1 << 27));
    assert!(matches!(linear((1 << 27) + 1, (8, 0)), CreateError::Memory { .. }));
}

#[test]
fn views_keep_to_the_limits_of_their_array() {
    let shape = shape(format("u32x4"), extent(16_384, 4, 1), 2);
    let block = block(shape.size().unwrap() as usize);
    let bc7 = View { format: Some(format("bc7")), ..View::default() };
    let view = |major| {
        let limits = ArchLimits::of(major, 0);
        Resource::array_for(&limits, &shape, Arc::clone(&block), "a").unwrap().view(&bc7)
    };
    assert!(view(5).is_ok());
    assert_eq!(view(5).unwrap().limits(), &ArchLimits::of(5, 0));
    let layered = ArrayShape { geometry: Geometry::A2d, ..shape };
    let old = Resource::array_for(&ArchLimits::of(5, 0), &layered, Arc::clone(&block), "a");
    assert!(old.unwrap().view(&bc7).is_err(), "65536 texels wide");
}

#[test]
fn texels_and_copies() {
    let r = Resource::pitched(format("u16"), 3, 2, 32, block(64), 0, 512, "p").unwrap();
    r.fill_packed(&[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1]).unwrap();
    assert_eq!(
        r.texel(TexelIndex { at: [2, 1, 0], ..TexelIndex::default() }),
        Some([0x106, 0, 0, 0])
    );
    assert_eq!(r.texel(TexelIndex { at: [3, 1, 0], ..TexelIndex::default() }), None);
    assert_eq!(r.block().load_u16(32).unwrap(), 4);
    assert_eq!(r.to_packed(), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1]);
    assert!(r.fill_packed(&[0; 11]).is_err());

    let a = array(format("u8"), extent(2, 2, 2), 3, block(32), "a").unwrap();
    a.fill_packed(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!(a.texel(TexelIndex { at: [1, 0, 1], ..TexelIndex::default() }), Some([5, 0, 0, 0]));
    assert_eq!(a.to_packed(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((a.size_in_bytes(), r.size_in_bytes()), (8, 12));
}

#[test]
fn descriptions() {
    let a = array(format("u8x4"), extent(64, 32, 1), 2, block(8192), "a").unwrap();
    assert_eq!(a.describe(), "2D array `a`, 64 x 32 texels of u8x4");
    assert_eq!(a.sentence("texture"), "texture `a` is a 2D array of 64 x 32 texels of u8x4");
    let l = Resource::linear(format("f32"), 9, block(64), 0, 0, "l").unwrap();
    assert_eq!(l.describe(), "linear memory `l`, 9 texels of f32");
    assert_eq!(l.sentence("texture"), "texture `l` is linear memory of 9 texels of f32");
}
