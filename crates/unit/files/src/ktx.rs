//! KTX 2.0 files. The `ktx2` crate parses the header and the level index; this module checks the
//! levels against them.

use crate::Kind;
use crate::container::Container;
use crate::error::Problem;
use crate::io::damaged;
use crate::shape::{Shape, format_named};
use ktx2::{Header, Index, LevelIndex, ParseError, SupercompressionScheme};
use texunit_forms::Count;
use texunit_texel::Format;

pub(crate) fn decode(bytes: &[u8]) -> Result<Container, Problem> {
    let short = || damaged(Kind::Ktx2, ParseError::UnexpectedEnd);
    let header = Header::from_bytes(bytes.first_chunk().ok_or_else(short)?);
    let header = header.map_err(|e| damaged(Kind::Ktx2, e))?;
    if let Some(scheme) = header.supercompression_scheme {
        let scheme = scheme_name(scheme);
        return Err(Problem::Unsupported(format!(
            "its levels are compressed with {scheme}, which is not supported; write it without \
             supercompression"
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
            let found = Count(data.len(), "byte");
            let message = format!("level {level} has {found} instead of {wanted}");
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
    let name = format!("{vulkan:?}");
    format_named(&name).ok_or_else(|| {
        Problem::Unsupported(format!("no CUDA array has its format, VK_FORMAT_{name}"))
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
    shape.check(Kind::Ktx2, format)?;
    Ok(shape)
}
