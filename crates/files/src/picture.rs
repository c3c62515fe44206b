//! PNG and JPEG.

use crate::error::Problem;
use crate::io::damaged;
use crate::raster::{Meaning, Raster, Sample};
use crate::{Kind, MAX_BYTES, Texels};
use image::codecs::{jpeg::JpegDecoder, png::PngDecoder, png::PngEncoder};
use image::{ColorType, ExtendedColorType, ImageDecoder, ImageEncoder, Limits};
use std::io::Cursor;
use texunit_texel::{Channel, Format};

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_BYTES);
    limits
}

pub(crate) fn decode_png(bytes: &[u8]) -> Result<Raster, Problem> {
    let decoder =
        PngDecoder::with_limits(Cursor::new(bytes), limits()).map_err(|e| damaged(Kind::Png, e))?;
    read(Kind::Png, decoder)
}

pub(crate) fn decode_jpeg(bytes: &[u8]) -> Result<Raster, Problem> {
    // The decoder fills what is cut off with grey. Entropy-coded data cannot hold a marker, so
    // the end-of-image marker after the last start of scan tells whether the picture is whole.
    let scan = bytes.windows(2).rposition(|w| w == b"\xff\xda").unwrap_or(0);
    if !bytes[scan..].windows(2).any(|w| w == b"\xff\xd9") {
        return Err(damaged(Kind::Jpeg, "the end is missing"));
    }
    let mut decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(|e| damaged(Kind::Jpeg, e))?;
    decoder.set_limits(limits()).map_err(|e| damaged(Kind::Jpeg, e))?;
    read(Kind::Jpeg, decoder)
}

fn read(kind: Kind, decoder: impl ImageDecoder) -> Result<Raster, Problem> {
    let (width, height) = decoder.dimensions();
    let size = decoder.total_bytes();
    if size > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the decoded picture", bytes: size });
    }
    let color = decoder.color_type();
    let sample = match color {
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => Sample::U8,
        ColorType::L16 | ColorType::La16 | ColorType::Rgb16 | ColorType::Rgba16 => Sample::U16,
        other => return Err(Problem::Unsupported(format!("pixels of {other:?} are not read"))),
    };
    let mut bytes = vec![0; size as usize];
    decoder.read_image(&mut bytes).map_err(|e| damaged(kind, e))?;
    if sample == Sample::U16 {
        for pair in bytes.as_chunks_mut::<2>().0 {
            *pair = u16::from_ne_bytes(*pair).to_le_bytes();
        }
    }
    let channels = usize::from(color.channel_count());
    Ok(Raster {
        sample,
        channels,
        meaning: Meaning::Picture,
        dims: 2,
        width,
        height,
        depth: 1,
        bytes,
    })
}

fn color_type(format: Format) -> Option<ExtendedColorType> {
    Some(match (format.plain_channel()?, format.channels()) {
        (Channel::U8, 1) => ExtendedColorType::L8,
        (Channel::U8, 2) => ExtendedColorType::La8,
        (Channel::U8, 4) => ExtendedColorType::Rgba8,
        (Channel::U16, 1) => ExtendedColorType::L16,
        (Channel::U16, 2) => ExtendedColorType::La16,
        (Channel::U16, 4) => ExtendedColorType::Rgba16,
        _ => return None,
    })
}

pub(crate) fn can_encode(format: Format, dims: u8) -> Result<(), Problem> {
    if color_type(format).is_none() {
        return Err(Problem::Unsupported(format!(
            "a PNG file holds u8 and u16 texels, not {format}; use .npy, .raw{}",
            match format.plain_channel() {
                Some(Channel::F16 | Channel::F32 | Channel::U32) => " or .exr",
                _ => "",
            }
        )));
    }
    if dims == 3 {
        return Err(Problem::Unsupported(
            "a PNG file has two dimensions; use .npy or .raw for three".into(),
        ));
    }
    Ok(())
}

pub(crate) fn encode_png(texels: &Texels) -> Result<Vec<u8>, Problem> {
    can_encode(texels.format, if texels.depth > 1 { 3 } else { 2 })?;
    let color = color_type(texels.format).expect("can_encode has asked");
    let mut pixels = std::borrow::Cow::Borrowed(&texels.bytes);
    if texels.format.plain_channel() == Some(Channel::U16) && cfg!(target_endian = "big") {
        for pair in pixels.to_mut().as_chunks_mut::<2>().0 {
            pair.reverse();
        }
    }
    let mut out = Vec::new();
    PngEncoder::new(&mut out)
        .write_image(&pixels, texels.width, texels.height, color)
        .map_err(|e| Problem::Unsupported(e.to_string()))?;
    Ok(out)
}
