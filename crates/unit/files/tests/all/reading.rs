//! Sound files of every kind give the texels that stand in them, in every format that they can
//! be read as. The pictures of `data` come from `data/make.py`.

use std::path::Path;
use texunit_files::{Kind, Problem, TexelRequest, Texels, decode, encode, read_texels};
use texunit_texel::Format;

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn wanted(name: &str) -> TexelRequest {
    TexelRequest { format: format(name), dims: None, extent: None }
}

fn read(name: &str, format: &str) -> Result<Texels, Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    read_texels(&path, &wanted(format)).map_err(|e| e.problem)
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn f16s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect()
}

fn u16s(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn pictures() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, [u32; 2], Vec<u8>)] = &[
        ("rgb8.png",       "u8x4",  [2, 2], vec![1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 250, 251, 252, 255]),
        ("rgba8.png",      "u8x4",  [1, 2], vec![1, 2, 3, 4, 5, 6, 7, 8]),
        ("rgba8.png",      "u16x4", [1, 2], u16s(&[257, 514, 771, 1028, 1285, 1542, 1799, 2056])),
        ("rgba8.png",      "f32x4", [1, 2], f32s(&[1.0 / 255.0, 2.0 / 255.0, 3.0 / 255.0, 4.0 / 255.0,
                                                   5.0 / 255.0, 6.0 / 255.0, 7.0 / 255.0, 8.0 / 255.0])),
        ("gray8.png",      "u8",    [3, 1], vec![0, 128, 255]),
        ("gray8.png",      "u8x2",  [3, 1], vec![0, 255, 128, 255, 255, 255]),
        ("gray8.png",      "u8x4",  [3, 1], vec![0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255]),
        ("gray8.png",      "f16",   [3, 1], f16s(&[0.0, 0.501_960_8, 1.0])),
        ("gray8.png",      "u32",   [3, 1], vec![0, 0, 0, 0, 128, 0, 0, 0, 255, 0, 0, 0]),
        ("grayalpha8.png", "u8x2",  [2, 1], vec![10, 20, 30, 40]),
        ("grayalpha8.png", "u8x4",  [2, 1], vec![10, 10, 10, 20, 30, 30, 30, 40]),
        ("gray16.png",     "u16",   [2, 1], u16s(&[0x1234, 0xffff])),
        ("gray16.png",     "f32",   [2, 1], f32s(&[4660.0 / 65535.0, 1.0])),
        ("rgb16.png",      "u16x4", [1, 1], u16s(&[0x0102, 0x0304, 0x0506, 0xffff])),
        ("gray1.png",      "u8",    [9, 1], vec![255, 0, 255, 0, 0, 0, 0, 0, 255]),
        ("palette.png",    "u8x4",  [4, 1], vec![1, 2, 3, 9, 4, 5, 6, 99, 7, 8, 9, 255, 10, 11, 12, 255]),
        ("rgb-f16.exr",    "f16x4", [2, 2], f16s(&[100.0, 200.0, 300.0, 1.0, 101.0, 201.0, 301.0, 1.0,
                                                   110.0, 210.0, 310.0, 1.0, 111.0, 211.0, 311.0, 1.0])),
        ("rgb-f16.exr",    "f32x2", [2, 2], f32s(&[100.0, 200.0, 101.0, 201.0, 110.0, 210.0, 111.0, 211.0])),
        ("y-f32-tiled.exr", "f32",  [3, 3], f32s(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])),
        ("y-f32-tiled.exr", "f16",  [3, 3], f16s(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])),
        ("nan-f32.exr",    "f32",   [2, 1], vec![1, 0, 0x80, 0x7f, 1, 0, 0, 0x80]),
        ("rg-u32.exr",     "u32x2", [1, 1], vec![7, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]),
    ];
    for (name, format, extent, bytes) in rows {
        let texels = read(name, format).unwrap_or_else(|e| panic!("{name} as {format}: {e}"));
        assert_eq!(
            [texels.width, texels.height, texels.depth],
            [extent[0], extent[1], 1],
            "{name}"
        );
        assert_eq!(texels.dims, 2);
        assert_eq!(&texels.bytes, bytes, "{name} as {format}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    #[rustfmt::skip]
    let rows = [
        ("rgb8.png", "u8",   "holds 3 channels of 8-bit unsigned integers, which cannot be read as u8; use a format of 4 channels: texels have 1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: pad to 4"),
        ("rgba8.png", "u8x2", "holds 4 channels of 8-bit unsigned integers, which cannot be read as u8x2; use a format of 4 channels"),
        ("gray16.png", "u8", "holds 1 channel of 16-bit unsigned integers, which cannot be read as u8; 16 bits are not cut to 8: use a u16 format"),
        ("gray8.png", "s8",  "holds 1 channel of 8-bit unsigned integers, which cannot be read as s8; the samples of a picture are unsigned: use a u8 or u16 format"),
        ("y-f32-tiled.exr", "u8", "holds 1 channel of 32-bit floats, which cannot be read as u8; floats are not rounded to integers: use an f16 or f32 format"),
        ("rgb-f16.exr", "f16", "holds the channels B, G, R, which cannot be read as f16; expected R, G, B (and A) or Y for 4 channels, R, G or Y, A for 2, Y or a single one for 1"),
        ("mixed.exr", "f16x2", "holds the channels G, R, which cannot be read as f16x2; the channels are of different types"),
        ("rg-u32.exr", "f32x2", "holds 2 channels of 32-bit unsigned integers, which cannot be read as f32x2; use a u32 format"),
        ("no-such.png", "u8", "no such file"),
        ("../data", "u8",    "expected a file, but it is a folder"),
    ];
    for (name, format, message) in rows {
        assert_eq!(read(name, format).unwrap_err().to_string(), message, "{name} as {format}");
    }
}

/// Every code of a picture becomes the float nearest to its fraction.
#[test]
fn fractions_are_rounded_once() {
    let texels = |format: &str, bytes: Vec<u8>, width| Texels {
        format: Format::from_name(format).unwrap(),
        dims: 2,
        width,
        height: 1,
        depth: 1,
        bytes,
    };
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let png = encode(Kind::Png, &texels("u16", all, 65536)).unwrap();
    let wide = decode(Kind::Png, &png, &wanted("f32")).unwrap();
    let narrow = decode(Kind::Png, &png, &wanted("f16")).unwrap();
    for n in 0..=65535_u32 {
        let at = n as usize;
        let float = f32::from_le_bytes(wide.bytes[4 * at..][..4].try_into().unwrap());
        let half = half::f16::from_le_bytes(narrow.bytes[2 * at..][..2].try_into().unwrap());
        // The distance in units of 2^-60 / 65535, exactly; the neighbours are not nearer.
        let error = |v: f64| ((v * 2_f64.powi(60)) as i128 * 65535 - (i128::from(n) << 60)).abs();
        for near in [float.next_up(), float.next_down()] {
            assert!(error(float.into()) <= error(near.into()), "{n}");
        }
        for near in [half.to_bits() + 1, half.to_bits().saturating_sub(1)] {
            let near = half::f16::from_bits(near).to_f64();
            assert!(error(half.to_f64()) <= error(near), "{n}");
        }
    }
}

#[test]
fn jpeg_of_one_colour() {
    let mut file = Vec::new();
    let pixels = [128_u8; 16 * 16];
    let encoder = jpeg_encoder::Encoder::new(&mut file, 100);
    encoder.encode(&pixels, 16, 16, jpeg_encoder::ColorType::Luma).unwrap();
    let texels = decode(Kind::Jpeg, &file, &wanted("u8")).unwrap();
    assert_eq!((texels.width, texels.height), (16, 16));
    assert_eq!(texels.bytes, pixels);
    let colour = decode(Kind::Jpeg, &file, &wanted("u8x4")).unwrap();
    assert_eq!(colour.bytes[..4], [128, 128, 128, 255]);
    let cut = decode(Kind::Jpeg, &file[..file.len() - 20], &wanted("u8")).unwrap_err();
    assert_eq!(cut.to_string(), "damaged JPEG file: the end is missing");
}

#[test]
fn raw_files() {
    let bytes: Vec<u8> = (0..24).collect();
    let mut request = wanted("u16");
    let error = decode(Kind::Raw, &bytes, &request).unwrap_err();
    assert!(error.to_string().contains("need `width`, `height` and `depth`"), "{error}");
    request.extent = Some([3, 2, 2]);
    let texels = decode(Kind::Raw, &bytes, &request).unwrap();
    assert_eq!((texels.dims, &texels.bytes), (3, &bytes));
    request.extent = Some([3, 2, 1]);
    let error = decode(Kind::Raw, &bytes, &request).unwrap_err();
    assert_eq!(error.to_string(), "has 24 bytes, but 3 x 2 x 1 texels of u16 take 12");
    request.extent = Some([u32::MAX; 3]);
    assert!(decode(Kind::Raw, &bytes, &request).is_err());
}

/// Formats whose texels are not plain channels: raw files hold them, pictures and arrays do not.
#[test]
fn raw_files_of_blocks_and_packed_texels() {
    let bytes: Vec<u8> = (0..32).collect();
    let raw = |name, extent| {
        let wanted = TexelRequest { extent: Some(extent), ..wanted(name) };
        decode(Kind::Raw, &bytes, &wanted).map(|t| t.bytes).map_err(|e| e.to_string())
    };
    assert_eq!(raw("bc7", [5, 3, 1]), Ok(bytes.clone()));
    assert_eq!(raw("bc1_srgb", [4, 13, 1]), Ok(bytes.clone()));
    assert_eq!(raw("rgb10a2", [4, 2, 1]), Ok(bytes.clone()));
    assert_eq!(raw("depth24", [4, 2, 1]), Ok(bytes.clone()));
    let error = raw("bc5", [4, 4, 3]).unwrap_err();
    assert_eq!(error, "has 32 bytes, but 4 x 4 x 3 texels of bc5 take 48");
    assert_eq!(
        read("rgba8.png", "bc1").unwrap_err().to_string(),
        "holds 4 channels of 8-bit unsigned integers, which cannot be read as bc1; use a raw, .dds \
         or .ktx2 file of such texels, or a format of plain channels"
    );
    let one = format("bc4");
    for kind in [Kind::Png, Kind::Exr, Kind::Npy] {
        assert!(texunit_files::can_encode(kind, one, 2).is_err(), "{kind:?}");
    }
}

#[test]
fn normalized_formats_take_what_their_channels_take() {
    assert_eq!(read("rgba8.png", "unorm8x4").unwrap().bytes, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(read("gray16.png", "unorm16").unwrap().bytes, u16s(&[0x1234, 0xffff]));
    assert!(read("gray8.png", "snorm8").is_err(), "the samples of a picture are unsigned");
    assert!(read("nan-f32.exr", "unorm16").is_err(), "floats are not rounded");
}

#[test]
fn size_and_dimensions_are_checked() {
    let with = |dims, extent| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rgb8.png");
        let wanted = TexelRequest { dims, extent, ..wanted("u8x4") };
        read_texels(&path, &wanted).map(|t| t.dims).map_err(|e| e.problem.to_string())
    };
    assert_eq!(with(Some(2), Some([2, 2, 1])), Ok(2));
    assert_eq!(with(Some(3), None), Ok(3));
    assert_eq!(
        with(Some(1), None),
        Err("is 2 x 2 texels, which is not a texture of 1 dimension".into())
    );
    assert_eq!(with(None, Some([4, 2, 1])), Err("is 2 x 2 texels, but 4 x 2 were expected".into()));
}

#[test]
fn a_picture_that_passes_for_raw_is_named() {
    let wanted = wanted("u8");
    for (bytes, name) in [(&b"GIF89a"[..], "GIF"), (b"II*\0....", "TIFF"), (b"\x93NUMPY", "NPY")] {
        let error = decode(Kind::Raw, bytes, &wanted).unwrap_err().to_string();
        assert!(error.starts_with(&format!("holds a {name} file")), "{error}");
    }
    let error = decode(Kind::Raw, b"texels", &wanted).unwrap_err().to_string();
    assert!(error.starts_with("is a raw file, by its name"), "{error}");
}
