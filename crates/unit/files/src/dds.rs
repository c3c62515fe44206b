//! DDS files of Direct3D 9 and 10. The `ddsfile` crate parses the header; this module extracts the
//! texels.

use crate::Kind;
use crate::container::Container;
use crate::error::Problem;
use crate::io::damaged;
use crate::shape::{FORMATS, Shape};
use ddsfile::{
    Caps2, D3D10ResourceDimension, Dds, FourCC, MiscFlag, PixelFormat, PixelFormatFlags,
};
use texunit_forms::Count;
use texunit_texel::Format;

/// Texel format, and the Direct3D 9 format code (or a later extension of it). These files do not
/// declare sRGB.
#[rustfmt::skip]
const CODES: &[(&str, u32)] = &[
    ("bc1",       u32::from_le_bytes(*b"DXT1")),
    ("bc2",       u32::from_le_bytes(*b"DXT2")),
    ("bc2",       u32::from_le_bytes(*b"DXT3")),
    ("bc3",       u32::from_le_bytes(*b"DXT4")),
    ("bc3",       u32::from_le_bytes(*b"DXT5")),
    ("bc4",       u32::from_le_bytes(*b"ATI1")),
    ("bc4",       u32::from_le_bytes(*b"BC4U")),
    ("bc4_snorm", u32::from_le_bytes(*b"BC4S")),
    ("bc5",       u32::from_le_bytes(*b"ATI2")),
    ("bc5",       u32::from_le_bytes(*b"BC5U")),
    ("bc5_snorm", u32::from_le_bytes(*b"BC5S")),
    ("unorm16x4", FourCC::A16B16G16R16),
    ("snorm16x4", FourCC::Q16W16V16U16),
    ("f16",       FourCC::R16F),
    ("f16x2",     FourCC::G16R16F),
    ("f16x4",     FourCC::A16B16G16R16F),
    ("f32",       FourCC::R32F),
    ("f32x2",     FourCC::G32R32F),
    ("f32x4",     FourCC::A32B32G32R32F),
];

/// Texel format, bits per texel, and the masks of red, green, blue and alpha. (Luminance is a red
/// channel; the parser omits its mask.)
#[rustfmt::skip]
const MASKS: &[(&str, PixelFormatFlags, u32, [u32; 4])] = &[
    ("unorm8",    PixelFormatFlags::LUMINANCE, 8,  [0;  4]),
    ("unorm16",   PixelFormatFlags::LUMINANCE, 16, [0;  4]),
    ("unorm8",    PixelFormatFlags::RGB,       8,  [0xff,   0,           0,         0]),
    ("unorm16",   PixelFormatFlags::RGB,       16, [0xffff, 0,           0,         0]),
    ("unorm16x2", PixelFormatFlags::RGB,       32, [0xffff, 0xffff_0000, 0,         0]),
    ("unorm8x4",  PixelFormatFlags::RGB,       32, [0xff,   0xff00,      0xff_0000, 0xff00_0000]),
];

pub(crate) fn decode(bytes: &[u8]) -> Result<Container, Problem> {
    let dds = Dds::read(bytes).map_err(|e| damaged(Kind::Dds, e))?;
    let (format, srgb) = format(&dds)?;
    let shape = shape(&dds, bytes, format)?;
    let sizes: Vec<usize> = (0..shape.levels)
        .map(|level| (shape.level_size(format, level) / u128::from(shape.images())) as usize)
        .collect();
    let needed = shape.images() * sizes.iter().map(|&n| n as u64).sum::<u64>();
    if (dds.data.len() as u64) < needed {
        let found = Count(dds.data.len(), "byte");
        return Err(damaged(Kind::Dds, format!("it has {found} of texels instead of {needed}")));
    }
    // In a DDS file, all levels of a layer or face are stored together.
    let room = |size: &usize| crate::io::room(size * shape.images() as usize);
    let mut levels: Vec<Vec<u8>> = sizes.iter().map(room).collect::<Result<_, _>>()?;
    let mut rest = &dds.data[..];
    for _ in 0..shape.images() {
        for (level, &size) in levels.iter_mut().zip(&sizes) {
            let (image, tail) = rest.split_at(size);
            level.extend_from_slice(image);
            rest = tail;
        }
    }
    Ok(shape.container(format, srgb, levels))
}

fn format(dds: &Dds) -> Result<(Format, bool), Problem> {
    let row = match &dds.header10 {
        Some(ten) => FORMATS.iter().find(|row| row.2 == ten.dxgi_format).map(|row| (row.0, row.1)),
        None => legacy(&dds.header.spf).map(|name| (name, false)),
    };
    let format = row.and_then(|(name, srgb)| Some((Format::from_name(name)?, srgb)));
    format.ok_or_else(|| {
        let name = match &dds.header10 {
            Some(ten) => format!("{:?}", ten.dxgi_format),
            None => legacy_name(&dds.header.spf),
        };
        Problem::Unsupported(format!("no CUDA array has its format, {name}"))
    })
}

/// Identifies the format from the pixel format structure, because the parser does not recognise its
/// own luminance formats.
fn legacy(pixel: &PixelFormat) -> Option<&'static str> {
    if let Some(FourCC(code)) = pixel.fourcc {
        return CODES.iter().find(|row| row.1 == code).map(|row| row.0);
    }
    let found = |row: &&(_, PixelFormatFlags, u32, [u32; 4])| {
        pixel.flags.contains(row.1) && pixel.rgb_bit_count == Some(row.2) && masks(pixel) == row.3
    };
    MASKS.iter().find(found).map(|row| row.0)
}

fn masks(pixel: &PixelFormat) -> [u32; 4] {
    [pixel.r_bit_mask, pixel.g_bit_mask, pixel.b_bit_mask, pixel.a_bit_mask]
        .map(|mask| mask.unwrap_or(0))
}

fn legacy_name(pixel: &PixelFormat) -> String {
    match &pixel.fourcc {
        Some(FourCC(code)) => match std::str::from_utf8(&code.to_le_bytes()) {
            Ok(text) if text.bytes().all(|b| b.is_ascii_graphic()) => text.to_owned(),
            _ => format!("code {code}"),
        },
        None => {
            let [r, g, b, a] = masks(pixel);
            let bits = pixel.rgb_bit_count.unwrap_or(0);
            format!("{bits} bits with masks {r:x}, {g:x}, {b:x} and {a:x}")
        }
    }
}

/// Offsets of the depth of a volume and of the number of levels. The parser reads these fields only
/// if flags are set, on which Microsoft tells readers not to rely, because some writers omit the
/// flags.
const DEPTH: usize = 24;
const LEVELS: usize = 28;

/// The word at an offset of a parsed header.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |&four| u32::from_le_bytes(four))
}

fn shape(dds: &Dds, bytes: &[u8], format: Format) -> Result<Shape, Problem> {
    let header = &dds.header;
    let (dims, is_cube, layers) = match &dds.header10 {
        Some(ten) => {
            let dims = match ten.resource_dimension {
                D3D10ResourceDimension::Texture1D => 1,
                D3D10ResourceDimension::Texture2D => 2,
                D3D10ResourceDimension::Texture3D => 3,
                other => {
                    return Err(Problem::Unsupported(format!("{other:?} is not a texture")));
                }
            };
            (dims, ten.misc_flag.contains(MiscFlag::TEXTURECUBE), ten.array_size.max(1))
        }
        None if header.caps2.contains(Caps2::VOLUME) => (3, false, 1),
        None => (2, header.caps2.contains(Caps2::CUBEMAP), 1),
    };
    if dds.header10.is_none() && is_cube && !header.caps2.contains(Caps2::CUBEMAP_ALLFACES) {
        return Err(Problem::Unsupported("it is a cube map without all its faces".into()));
    }
    if dims == 1 && header.height > 1 {
        let message = format!("a texture of one dimension has {}", Count(header.height, "row"));
        return Err(damaged(Kind::Dds, message));
    }
    let shape = Shape {
        dims,
        extent: [
            header.width,
            if dims >= 2 { header.height } else { 1 },
            if dims == 3 { word(bytes, DEPTH).max(1) } else { 1 },
        ],
        // The file does not distinguish a single layer from no layers.
        layers: (layers > 1).then_some(layers),
        is_cube,
        levels: word(bytes, LEVELS).max(1),
    };
    shape.check(Kind::Dds, format)?;
    Ok(shape)
}
