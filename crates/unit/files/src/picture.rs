//! PNG pictures, decoded to rasters and encoded from texels.

use crate::convert::{Meaning, Raster};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, MAX_BYTES, Texels};
use png::{BitDepth, ColorType};
use std::io::Cursor;
use texunit_texel::{Channel, Dtype, Format};

pub(crate) fn decode_png(bytes: &[u8]) -> Result<Raster, Problem> {
    let limits = png::Limits { bytes: MAX_BYTES as usize };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Colour management and text chunks are ignored.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Expands palettes to colours, samples of fewer than eight bits to eight bits, and a
    // transparent colour to alpha.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|e| damaged(Kind::Png, e))?;
    let (color, depth) = reader.output_color_type();
    let sample = match depth {
        BitDepth::Eight => Dtype::U8,
        BitDepth::Sixteen => Dtype::U16,
        other => {
            let message = format!("samples of {other:?} bits are not supported");
            return Err(Problem::Unsupported(message));
        }
    };
    let (width, height) = reader.info().size();
    let mut bytes = zeros(reader.output_buffer_size().map_or(u64::MAX, |size| size as u64))?;
    reader.next_frame(&mut bytes).map_err(|e| damaged(Kind::Png, e))?;
    if sample == Dtype::U16 {
        reverse_pairs(&mut bytes);
    }
    Ok(raster(sample, color.samples(), (width, height), bytes))
}

/// Allocates a zeroed buffer for a picture, within the size limit.
pub(crate) fn zeros(size: u64) -> Result<Vec<u8>, Problem> {
    if size > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the decoded picture", bytes: size });
    }
    let mut bytes = crate::io::room(size as usize)?;
    bytes.resize(size as usize, 0);
    Ok(bytes)
}

/// Makes the raster of a two-dimensional picture.
pub(crate) fn raster(
    sample: Dtype,
    channels: usize,
    (width, height): (u32, u32),
    bytes: Vec<u8>,
) -> Raster {
    Raster { sample, channels, meaning: Meaning::Picture, dims: 2, width, height, depth: 1, bytes }
}

/// Converts between the byte order of PNG files and that of texels.
fn reverse_pairs(bytes: &mut [u8]) {
    for pair in bytes.as_chunks_mut::<2>().0 {
        pair.reverse();
    }
}

fn color_type(format: Format) -> Option<(ColorType, BitDepth)> {
    let depth = match format.plain_channel()? {
        Channel::U8 => BitDepth::Eight,
        Channel::U16 => BitDepth::Sixteen,
        _ => return None,
    };
    let color = match format.channels() {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        4 => ColorType::Rgba,
        _ => return None,
    };
    Some((color, depth))
}

pub(crate) fn can_encode(format: Format, dims: u8) -> Result<(), Problem> {
    if color_type(format).is_none() {
        let other = match format.plain_channel() {
            Some(Channel::F16 | Channel::F32 | Channel::U32) => " or .exr",
            _ => "",
        };
        return Err(Problem::Unsupported(format!(
            "a PNG file holds u8 and u16 texels, not {format}; use .npy, .raw{other}"
        )));
    }
    if dims == 3 {
        let message = "a PNG file has two dimensions; use .npy or .raw for three";
        return Err(Problem::Unsupported(message.into()));
    }
    Ok(())
}

pub(crate) fn encode_png(texels: &Texels) -> Result<Vec<u8>, Problem> {
    can_encode(texels.format, if texels.depth > 1 { 3 } else { 2 })?;
    let (color, depth) = color_type(texels.format).expect("can_encode has asked");
    let mut pixels = std::borrow::Cow::Borrowed(&texels.bytes);
    if depth == BitDepth::Sixteen {
        reverse_pairs(pixels.to_mut());
    }
    write_png(texels, (color, depth), &pixels).map_err(|e| Problem::Unsupported(e.to_string()))
}

fn write_png(
    texels: &Texels,
    (color, depth): (ColorType, BitDepth),
    pixels: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, texels.width, texels.height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}
