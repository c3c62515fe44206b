//! DDS files of Direct3D 9 and 10. The `ddsfile` crate parses the header; this module extracts the
//! texels.

use crate::Kind;
use crate::container::Container;
use crate::error::Problem;
use crate::io::damaged;
use crate::shape::{Shape, format_named};
use ddsfile::{Caps2, D3D10ResourceDimension, Dds, FourCC, MiscFlag, PixelFormatFlags};
use texunit_forms::Count;
use texunit_texel::Format;

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

/// The texel format, and whether the file declares sRGB. A Direct3D 9 format without a code is
/// known by its masks, because the parser does not recognise its own luminance formats.
fn format(dds: &Dds) -> Result<(Format, bool), Problem> {
    let pixel = &dds.header.spf;
    let (known, name) = match (&dds.header10, &pixel.fourcc) {
        (Some(ten), _) => {
            let name = format!("{:?}", ten.dxgi_format);
            (format_named(&name), name)
        }
        (None, Some(FourCC(code))) => match std::str::from_utf8(&code.to_le_bytes()) {
            Ok(text) if text.bytes().all(|b| b.is_ascii_graphic()) => {
                (format_named(text), text.to_owned())
            }
            _ => (format_named(&code.to_string()), format!("code {code}")),
        },
        (None, None) => {
            let masks = [pixel.r_bit_mask, pixel.g_bit_mask, pixel.b_bit_mask, pixel.a_bit_mask];
            let [r, g, b, a] = masks.map(|mask| mask.unwrap_or(0));
            let bits = pixel.rgb_bit_count.unwrap_or(0);
            let found = MASKS.iter().find(|(_, flag, of, masks)| {
                pixel.flags.contains(*flag) && *of == bits && *masks == [r, g, b, a]
            });
            let known = found.and_then(|row| Some((Format::from_name(row.0)?, false)));
            (known, format!("{bits} bits with masks {r:x}, {g:x}, {b:x} and {a:x}"))
        }
    };
    known.ok_or_else(|| Problem::Unsupported(format!("no CUDA array has its format, {name}")))
}

/// Offsets of the depth of a volume and of the number of levels. The parser reads these fields only
/// if flags are set, on which Microsoft tells readers not to rely, because some writers omit the
/// flags.
const DEPTH: usize = 24;
const LEVELS: usize = 28;

/// The 32-bit word at an offset of a DDS header.
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
