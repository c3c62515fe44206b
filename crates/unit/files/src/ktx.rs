//! KTX 2.0 files. The `ktx2` crate parses the header and the level index; this module checks the
//! levels against them.

use crate::container::{Container, Shape};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, MAX_BYTES};
use ktx2::{Format as Vk, Header, Index, LevelIndex, ParseError, SupercompressionScheme};
use texunit_forms::Count;
use texunit_texel::Format;

/// Texel format, whether the file declares sRGB, and the Vulkan format. (sRGB block formats are
/// separate formats. BC1 without alpha has the blocks of BC1 with alpha.)
#[rustfmt::skip]
const FORMATS: &[(&str, bool, Vk)] = &[
    ("unorm8",     false, Vk::R8_UNORM),
    ("unorm8",     true,  Vk::R8_SRGB),
    ("unorm8x2",   false, Vk::R8G8_UNORM),
    ("unorm8x4",   false, Vk::R8G8B8A8_UNORM),
    ("unorm8x4",   true,  Vk::R8G8B8A8_SRGB),
    ("snorm8",     false, Vk::R8_SNORM),
    ("snorm8x2",   false, Vk::R8G8_SNORM),
    ("snorm8x4",   false, Vk::R8G8B8A8_SNORM),
    ("unorm16",    false, Vk::R16_UNORM),
    ("unorm16x2",  false, Vk::R16G16_UNORM),
    ("unorm16x4",  false, Vk::R16G16B16A16_UNORM),
    ("snorm16",    false, Vk::R16_SNORM),
    ("snorm16x2",  false, Vk::R16G16_SNORM),
    ("snorm16x4",  false, Vk::R16G16B16A16_SNORM),
    ("u8",         false, Vk::R8_UINT),
    ("u8x2",       false, Vk::R8G8_UINT),
    ("u8x4",       false, Vk::R8G8B8A8_UINT),
    ("s8",         false, Vk::R8_SINT),
    ("s8x2",       false, Vk::R8G8_SINT),
    ("s8x4",       false, Vk::R8G8B8A8_SINT),
    ("u16",        false, Vk::R16_UINT),
    ("u16x2",      false, Vk::R16G16_UINT),
    ("u16x4",      false, Vk::R16G16B16A16_UINT),
    ("s16",        false, Vk::R16_SINT),
    ("s16x2",      false, Vk::R16G16_SINT),
    ("s16x4",      false, Vk::R16G16B16A16_SINT),
    ("u32",        false, Vk::R32_UINT),
    ("u32x2",      false, Vk::R32G32_UINT),
    ("u32x4",      false, Vk::R32G32B32A32_UINT),
    ("s32",        false, Vk::R32_SINT),
    ("s32x2",      false, Vk::R32G32_SINT),
    ("s32x4",      false, Vk::R32G32B32A32_SINT),
    ("f16",        false, Vk::R16_SFLOAT),
    ("f16x2",      false, Vk::R16G16_SFLOAT),
    ("f16x4",      false, Vk::R16G16B16A16_SFLOAT),
    ("f32",        false, Vk::R32_SFLOAT),
    ("f32x2",      false, Vk::R32G32_SFLOAT),
    ("f32x4",      false, Vk::R32G32B32A32_SFLOAT),
    ("rgb10a2",    false, Vk::A2B10G10R10_UNORM_PACK32),
    ("depth16",    false, Vk::D16_UNORM),
    ("depth24",    false, Vk::X8_D24_UNORM_PACK32),
    ("depth32f",   false, Vk::D32_SFLOAT),
    ("bc1",        false, Vk::BC1_RGBA_UNORM_BLOCK),
    ("bc1",        false, Vk::BC1_RGB_UNORM_BLOCK),
    ("bc1_srgb",   false, Vk::BC1_RGBA_SRGB_BLOCK),
    ("bc1_srgb",   false, Vk::BC1_RGB_SRGB_BLOCK),
    ("bc2",        false, Vk::BC2_UNORM_BLOCK),
    ("bc2_srgb",   false, Vk::BC2_SRGB_BLOCK),
    ("bc3",        false, Vk::BC3_UNORM_BLOCK),
    ("bc3_srgb",   false, Vk::BC3_SRGB_BLOCK),
    ("bc4",        false, Vk::BC4_UNORM_BLOCK),
    ("bc4_snorm",  false, Vk::BC4_SNORM_BLOCK),
    ("bc5",        false, Vk::BC5_UNORM_BLOCK),
    ("bc5_snorm",  false, Vk::BC5_SNORM_BLOCK),
    ("bc6h",       false, Vk::BC6H_UFLOAT_BLOCK),
    ("bc6h_snorm", false, Vk::BC6H_SFLOAT_BLOCK),
    ("bc7",        false, Vk::BC7_UNORM_BLOCK),
    ("bc7_srgb",   false, Vk::BC7_SRGB_BLOCK),
];

pub(crate) fn decode(bytes: &[u8]) -> Result<Container, Problem> {
    let short = || damaged(Kind::Ktx2, ParseError::UnexpectedEnd);
    let header = Header::from_bytes(bytes.first_chunk().ok_or_else(short)?);
    let header = header.map_err(|e| damaged(Kind::Ktx2, e))?;
    if let Some(scheme) = header.supercompression_scheme {
        return Err(Problem::Unsupported(format!(
            "its levels are compressed with {}, which is not supported; write it without \
             supercompression",
            scheme_name(scheme)
        )));
    }
    let (format, srgb) = format(&header)?;
    let shape = shape(&header, format)?;
    sections(&header.index, bytes).ok_or_else(short)?;
    let mut index = bytes[Header::LENGTH..].chunks_exact(LevelIndex::LENGTH);
    let mut out = Vec::with_capacity(shape.levels as usize);
    for level in 0..shape.levels {
        let entry = index.next().and_then(|entry| entry.first_chunk()).ok_or_else(short)?;
        let LevelIndex { byte_offset, byte_length, .. } = LevelIndex::from_bytes(entry);
        let data = section(bytes, byte_offset, byte_length).ok_or_else(short)?;
        let wanted = shape.level_size(format, level);
        if data.len() as u128 != wanted {
            let message =
                format!("level {level} has {} instead of {wanted}", Count(data.len(), "byte"));
            return Err(damaged(Kind::Ktx2, message));
        }
        out.push(crate::io::copy(data)?);
    }
    Ok(shape.container(format, srgb, out))
}

/// Checks that the sections between the level index and the levels are inside the file. Their
/// contents do not affect texels. (The parser's own reader would decode the data format descriptor,
/// into up to ten times its size, and panics on some.)
fn sections(index: &Index, bytes: &[u8]) -> Option<()> {
    section(bytes, index.dfd_byte_offset.into(), index.dfd_byte_length.into())?;
    section(bytes, index.kvd_byte_offset.into(), index.kvd_byte_length.into())?;
    section(bytes, index.sgd_byte_offset, index.sgd_byte_length)?;
    Some(())
}

fn section(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

fn scheme_name(scheme: SupercompressionScheme) -> String {
    match scheme {
        SupercompressionScheme::BasisLZ => "BasisLZ".to_owned(),
        SupercompressionScheme::Zstandard => "Zstandard".to_owned(),
        SupercompressionScheme::ZLIB => "ZLIB".to_owned(),
        other => format!("scheme {}", other.value()),
    }
}

fn format(header: &Header) -> Result<(Format, bool), Problem> {
    let Some(vulkan) = header.format else {
        let message =
            "its texels are Basis Universal or of no Vulkan format, which is not supported";
        return Err(Problem::Unsupported(message.into()));
    };
    let row = FORMATS.iter().find(|row| row.2 == vulkan);
    row.and_then(|row| Some((Format::from_name(row.0)?, row.1))).ok_or_else(|| {
        Problem::Unsupported(format!("no CUDA array has its format, VK_FORMAT_{vulkan:?}"))
    })
}

/// In the header, 0 stands for a property that the texture does not have.
fn shape(header: &Header, format: Format) -> Result<Shape, Problem> {
    let dims = match (header.pixel_height, header.pixel_depth) {
        (0, 0) => 1,
        (_, 0) => 2,
        (0, _) => return Err(damaged(Kind::Ktx2, "its texels have depth and no height")),
        _ => 3,
    };
    let is_cube = match header.face_count {
        1 => false,
        6 => true,
        n => return Err(damaged(Kind::Ktx2, format!("a cube map has 6 faces, not {n}"))),
    };
    let shape = Shape {
        dims,
        extent: [header.pixel_width, header.pixel_height.max(1), header.pixel_depth.max(1)],
        layers: (header.layer_count > 0).then_some(header.layer_count),
        is_cube,
        levels: header.level_count.max(1),
    };
    shape.check(Kind::Ktx2, format, MAX_BYTES)?;
    Ok(shape)
}
