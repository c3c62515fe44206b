//! DDS and KTX 2.0 files: what stands in them, and what is refused. DDS headers are written by the
//! `ddsfile` crate, KTX 2.0 ones by hand.

use ddsfile::{
    AlphaMode, Caps2, D3D10ResourceDimension, D3DFormat, Dds, DxgiFormat, FourCC, NewD3dParams,
    NewDxgiParams, PixelFormatFlags,
};
use texunit_files::{Container, Kind, TexelRequest, Texels, decode, decode_container};
use texunit_testkit::Random;
use texunit_texel::Format;

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

/// Bytes that tell where they stand.
fn pattern(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 31 + i / 256) as u8).collect()
}

fn written(mut dds: Dds) -> Vec<u8> {
    dds.data = pattern(dds.data.len());
    let mut out = Vec::new();
    dds.write(&mut out).unwrap();
    out
}

struct Shape {
    dims: D3D10ResourceDimension,
    extent: [u32; 3],
    layers: u32,
    cube: bool,
    levels: u32,
}

const FLAT: Shape = Shape {
    dims: D3D10ResourceDimension::Texture2D,
    extent: [6, 5, 1],
    layers: 1,
    cube: false,
    levels: 1,
};

fn dds(format: DxgiFormat, shape: &Shape) -> Vec<u8> {
    let [width, height, depth] = shape.extent;
    let is_3d = shape.dims == D3D10ResourceDimension::Texture3D;
    written(
        Dds::new_dxgi(NewDxgiParams {
            height,
            width,
            depth: is_3d.then_some(depth),
            format,
            mipmap_levels: Some(shape.levels),
            array_layers: Some(shape.layers * if shape.cube { 6 } else { 1 }),
            caps2: is_3d.then_some(Caps2::VOLUME),
            is_cubemap: shape.cube,
            resource_dimension: shape.dims,
            alpha_mode: AlphaMode::Straight,
        })
        .unwrap(),
    )
}

fn old_dds(format: D3DFormat, caps2: Option<Caps2>, levels: u32) -> Vec<u8> {
    let params = NewD3dParams {
        height: 8,
        width: 8,
        depth: None,
        format,
        mipmap_levels: Some(levels),
        caps2,
    };
    written(Dds::new_d3d(params).unwrap())
}

/// A KTX 2.0 file: Vulkan's format, width, height, depth, layers, faces, levels and their sizes,
/// smallest level first as the specification wants them.
fn ktx(vulkan: u32, header: [u32; 6], scheme: u32, sizes: &[usize]) -> Vec<u8> {
    let mut out = ktx2::MAGIC.to_vec();
    let words = |values: &[u32]| values.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
    out.extend(words(&[vulkan, 1]));
    out.extend(words(&header));
    out.extend(words(&[scheme]));
    let index = 80 + 24 * sizes.len();
    // A data format descriptor: a basic block with one sample of 8 bits.
    let descriptor = [44, 0, 40 << 16 | 2, 0x01_0101, 0, 4, 0, 7 << 16, 0, 0, 255];
    out.extend(words(&[index as u32, 44, 0, 0, 0, 0, 0, 0]));
    let mut at = index + 44;
    let mut offsets = vec![0; sizes.len()];
    for level in (0..sizes.len()).rev() {
        offsets[level] = at;
        at += sizes[level];
    }
    for (offset, &size) in offsets.iter().zip(sizes) {
        for value in [*offset, size, size] {
            out.extend((value as u64).to_le_bytes());
        }
    }
    out.extend(words(&descriptor));
    out.extend(pattern(at - index - 44));
    // One byte is appended, because the parser requires that the file continues after each section.
    out.push(0);
    out
}

fn container(kind: Kind, bytes: &[u8]) -> Container {
    decode_container(kind, bytes).unwrap()
}

fn message(kind: Kind, bytes: &[u8]) -> String {
    decode_container(kind, bytes).unwrap_err().to_string()
}

#[test]
fn dds_of_direct3d_10() {
    let c = container(Kind::Dds, &dds(DxgiFormat::R8G8B8A8_UNorm_sRGB, &FLAT));
    assert_eq!((c.format, c.srgb, c.dims, c.extent), (format("unorm8x4"), true, 2, [6, 5, 1]));
    assert_eq!((c.layers, c.is_cube), (None, false));
    assert_eq!(c.levels, [pattern(6 * 5 * 4)]);

    let shape = Shape { layers: 3, levels: 3, ..FLAT };
    let c = container(Kind::Dds, &dds(DxgiFormat::BC7_UNorm_sRGB, &shape));
    assert_eq!((c.format, c.srgb, c.layers), (format("bc7_srgb"), false, Some(3)));
    // Levels of 6 x 5, 3 x 2 and 1 x 1 texels: 4, 1 and 1 blocks.
    let sizes: Vec<usize> = c.levels.iter().map(Vec::len).collect();
    assert_eq!(sizes, [3 * 64, 3 * 16, 3 * 16]);
    let all = pattern(3 * 96);
    assert_eq!(c.image(0, 1, 0), Some(&all[96..160]), "a layer has all its levels in a row");
    assert_eq!(c.image(2, 2, 0), Some(&all[272..288]));
    assert_eq!((c.image(3, 0, 0), c.image(0, 3, 0), c.image(0, 0, 1)), (None, None, None));
    assert_eq!(c.level_extent(1), [3, 2, 1]);
    let huge = Container { layers: Some(u32::MAX), is_cube: true, ..c };
    assert_eq!(huge.image(0, u32::MAX - 1, 5), None, "said, but not there");

    let shape = Shape { extent: [4, 4, 1], layers: 2, cube: true, levels: 2, ..FLAT };
    let c = container(Kind::Dds, &dds(DxgiFormat::R16_Float, &shape));
    assert_eq!((c.format, c.layers, c.faces()), (format("f16"), Some(2), 6));
    let all = pattern(12 * 40);
    assert_eq!(c.image(1, 1, 5), Some(&all[11 * 40 + 32..]));

    let dims = D3D10ResourceDimension::Texture3D;
    let shape = Shape { dims, extent: [4, 2, 3], levels: 2, ..FLAT };
    let c = container(Kind::Dds, &dds(DxgiFormat::R32_UInt, &shape));
    assert_eq!((c.format, c.dims, c.extent), (format("u32"), 3, [4, 2, 3]));
    assert_eq!(c.levels, [pattern(104)[..96].to_vec(), pattern(104)[96..].to_vec()]);
}

#[test]
fn dds_of_direct3d_9() {
    let mut luminance = Dds::read(&old_dds(D3DFormat::L16, None, 1)[..]).unwrap();
    luminance.header.spf.flags = PixelFormatFlags::LUMINANCE;
    assert_eq!(container(Kind::Dds, &written(luminance)).format, format("unorm16"));
    for (d3d, name) in [
        (D3DFormat::DXT1, "bc1"),
        (D3DFormat::DXT5, "bc3"),
        (D3DFormat::A8B8G8R8, "unorm8x4"),
        (D3DFormat::L8, "unorm8"),
    ] {
        let c = container(Kind::Dds, &old_dds(d3d, None, 4));
        assert_eq!((c.format, c.levels.len(), c.dims), (format(name), 4, 2), "{d3d:?}");
    }
    let codes = [(u32::from_le_bytes(*b"BC5S"), "bc5_snorm"), (FourCC::G16R16F, "f16x2")];
    for (code, name) in codes {
        let mut dds = Dds::read(&old_dds(D3DFormat::DXT5, None, 1)[..]).unwrap();
        dds.header.spf.fourcc = Some(FourCC(code));
        dds.data = pattern(256);
        assert_eq!(container(Kind::Dds, &written(dds)).format, format(name));
    }

    let all = Caps2::CUBEMAP | Caps2::CUBEMAP_ALLFACES;
    let mut dds = Dds::read(&old_dds(D3DFormat::L8, Some(all), 1)[..]).unwrap();
    dds.data = pattern(6 * 64);
    let c = container(Kind::Dds, &written(dds));
    assert_eq!((c.is_cube, c.layers), (true, None));
    assert_eq!(c.image(0, 0, 5), Some(&pattern(6 * 64)[5 * 64..]));
}

#[test]
fn dds_that_is_refused() {
    let bgra = dds(DxgiFormat::B8G8R8A8_UNorm, &FLAT);
    assert_eq!(message(Kind::Dds, &bgra), "no CUDA array has its format, B8G8R8A8_UNorm");
    let bgra = message(Kind::Dds, &old_dds(D3DFormat::A8R8G8B8, None, 1));
    let masks = "32 bits with masks ff0000, ff00, ff and ff000000";
    assert_eq!(bgra, format!("no CUDA array has its format, {masks}"));
    let mut video = Dds::read(&old_dds(D3DFormat::DXT1, None, 1)[..]).unwrap();
    video.header.spf.fourcc = Some(FourCC(FourCC::YUY2));
    assert_eq!(message(Kind::Dds, &written(video)), "no CUDA array has its format, YUY2");
    let two = Some(Caps2::CUBEMAP | Caps2::CUBEMAP_POSITIVEX);
    let faces = message(Kind::Dds, &old_dds(D3DFormat::L8, two, 1));
    assert_eq!(faces, "it is a cube map without all its faces");
    let mut short = dds(DxgiFormat::R8_UNorm, &FLAT);
    short.pop();
    let short = message(Kind::Dds, &short);
    assert_eq!(short, "damaged DDS file: it has 29 bytes of texels instead of 30");
    let mut dds = Dds::read(&old_dds(D3DFormat::L8, None, 2)[..]).unwrap();
    dds.header.mip_map_count = Some(9);
    let levels = message(Kind::Dds, &written(dds.clone()));
    assert_eq!(levels, "damaged DDS file: 9 levels are more than 8 texels have");
    (dds.header.width, dds.header.height, dds.header.mip_map_count) = (u32::MAX, u32::MAX, Some(1));
    let size = message(Kind::Dds, &written(dds));
    assert_eq!(size, "the texture has 18446744065119617025 bytes, but the limit is 2147483648");
}

#[test]
fn ktx2_levels_layers_and_faces() {
    // R8G8B8A8_SRGB, 5 x 3, three levels.
    let c = container(Kind::Ktx2, &ktx(43, [5, 3, 0, 0, 1, 3], 0, &[60, 8, 4]));
    assert_eq!((c.format, c.srgb, c.dims, c.extent), (format("unorm8x4"), true, 2, [5, 3, 1]));
    let all = pattern(72);
    assert_eq!(c.levels, [all[12..].to_vec(), all[4..12].to_vec(), all[..4].to_vec()]);

    // BC6H_SFLOAT, 8 x 8, two layers of a cube.
    let c = container(Kind::Ktx2, &ktx(144, [8, 8, 0, 2, 6, 1], 0, &[12 * 64]));
    assert_eq!((c.format, c.layers, c.faces()), (format("bc6h_snorm"), Some(2), 6));
    assert_eq!(c.image(0, 1, 0), Some(&pattern(12 * 64)[6 * 64..7 * 64]));

    // R32_SFLOAT, 1D; R16_UINT, 3D; level count 0 is one level; one layer is a layer.
    let c = container(Kind::Ktx2, &ktx(100, [7, 0, 0, 1, 1, 0], 0, &[28]));
    assert_eq!((c.format, c.dims, c.layers), (format("f32"), 1, Some(1)));
    let c = container(Kind::Ktx2, &ktx(74, [2, 3, 4, 0, 1, 1], 0, &[48]));
    assert_eq!((c.format, c.dims, c.extent), (format("u16"), 3, [2, 3, 4]));
}

#[test]
fn ktx2_that_is_refused() {
    let flat = [4, 4, 0, 0, 1, 1];
    #[rustfmt::skip]
    let rows = [
        (ktx(44, flat, 0, &[64]), "no CUDA array has its format, VK_FORMAT_B8G8R8A8_UNORM"),
        (ktx(0,  flat, 1, &[64]), "its levels are compressed with BasisLZ, which is not supported; write it without supercompression"),
        (ktx(37, flat, 2, &[64]), "its levels are compressed with Zstandard, which is not supported; write it without supercompression"),
        (ktx(0,  flat, 0, &[64]), "its texels are Basis Universal or of no Vulkan format, which is not supported"),
        (ktx(37, flat, 0, &[63]), "damaged KTX 2.0 file: level 0 has 63 bytes instead of 64"),
        (ktx(37, [4, 4, 0, 0, 5, 1], 0, &[64]), "damaged KTX 2.0 file: a cube map has 6 faces, not 5"),
        (ktx(37, [4, 2, 0, 0, 6, 1], 0, &[64]), "damaged KTX 2.0 file: a face of a cube map is a square"),
        (ktx(37, [4, 4, 2, 3, 1, 1], 0, &[64]), "no CUDA array has layers of three dimensions"),
        (ktx(37, [u32::MAX, u32::MAX, u32::MAX, 0, 1, 1], 0, &[64]), "the texture has 18446744073709551615 bytes, but the limit is 2147483648"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(message(Kind::Ktx2, &bytes), expected);
    }
}

#[test]
fn level_0_as_texels() {
    let texels = |kind, bytes: &[u8], name: &str| {
        decode(kind, bytes, &TexelRequest { format: format(name), dims: None, extent: None })
    };
    let file = dds(DxgiFormat::R8G8B8A8_UNorm, &Shape { levels: 3, ..FLAT });
    let expected = Texels {
        format: format("u8x4"),
        dims: 2,
        width: 6,
        height: 5,
        depth: 1,
        bytes: pattern(148)[..120].to_vec(),
    };
    assert_eq!(texels(Kind::Dds, &file, "u8x4").unwrap(), expected);
    assert_eq!(texels(Kind::Dds, &file, "unorm8x4").unwrap().format, format("unorm8x4"));
    assert_eq!(
        texels(Kind::Dds, &file, "s8x4").unwrap_err().to_string(),
        "holds texels of unorm8x4, which cannot be read as s8x4; use unorm8x4"
    );
    let file = dds(DxgiFormat::BC1_UNorm, &FLAT);
    assert_eq!(texels(Kind::Dds, &file, "bc1_srgb").unwrap().bytes, pattern(32));
    assert!(texels(Kind::Dds, &file, "bc4").is_err());
    let layered = dds(DxgiFormat::R8_UNorm, &Shape { layers: 2, ..FLAT });
    let error = texels(Kind::Dds, &layered, "u8").unwrap_err().to_string();
    assert_eq!(error, "holds layers, not a plain picture");
    let cube = ktx(9, [4, 4, 0, 0, 6, 1], 0, &[96]);
    let error = texels(Kind::Ktx2, &cube, "u8").unwrap_err().to_string();
    assert_eq!(error, "holds a cube map, not a plain picture");
}

#[test]
fn other_kinds_have_no_levels() {
    let png = b"\x89PNG\r\n\x1a\n";
    assert_eq!(
        message(Kind::Png, png),
        "a PNG file has no levels, layers or faces; use .dds or .ktx2"
    );
    assert_eq!(message(Kind::Dds, png), "is called DDS, but its contents are PNG");
    assert_eq!(message(Kind::Ktx2, b""), "the file is empty");
}

/// Cut and changed files: an error or a sound container, never a panic.
#[test]
fn hostile_containers() {
    let shape = Shape { layers: 2, levels: 2, ..FLAT };
    let files = [
        (Kind::Dds, dds(DxgiFormat::BC3_UNorm, &shape)),
        (Kind::Dds, old_dds(D3DFormat::DXT1, None, 3)),
        (Kind::Ktx2, ktx(37, [4, 4, 0, 2, 1, 2], 0, &[128, 32])),
    ];
    let mut random = Random::for_test(1);
    crate::common::report_unguarded_panics();
    for (kind, file) in files {
        let whole = container(kind, &file);
        for cut in 0..file.len() {
            if let Ok(c) = decode_container(kind, &file[..cut]) {
                assert_eq!(c, whole, "only what nobody needs may be missing");
            }
        }
        for _ in 0..20_000 {
            let mut changed = file.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(changed.len().min(256));
                changed[at] = if random.one_in(3) { 255 } else { random.u32() as u8 };
            }
            let Ok(c) = decode_container(kind, &changed) else { continue };
            for (level, bytes) in (0..).zip(&c.levels) {
                let images = c.layers.unwrap_or(1) * c.faces();
                let size = c.format.byte_size(c.level_extent(level)) * u128::from(images);
                assert_eq!(bytes.len() as u128, size);
            }
        }
    }
}
