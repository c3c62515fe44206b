//! JPEG pictures, decoded to rasters.

use crate::Kind;
use crate::convert::Raster;
use crate::error::Problem;
use crate::io::damaged;
use crate::picture::{raster, zeros};
use texunit_texel::Dtype;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

pub(crate) fn decode(bytes: &[u8]) -> Result<Raster, Problem> {
    // The decoder fills missing parts with grey. Entropy-coded data cannot contain a marker, so an
    // end-of-image marker after the last start of scan shows that the picture is complete.
    let scan = bytes.windows(2).rposition(|w| w == b"\xff\xda").unwrap_or(0);
    if !bytes[scan..].windows(2).any(|w| w == b"\xff\xd9") {
        return Err(damaged(Kind::Jpeg, "the end is missing"));
    }
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| damaged(Kind::Jpeg, e))?;
    let color = match decoder.input_colorspace() {
        Some(grey @ (ColorSpace::Luma | ColorSpace::LumaA)) => grey,
        Some(ColorSpace::RGBA) => ColorSpace::RGBA,
        _ => ColorSpace::RGB,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(color));
    let info = decoder.info().ok_or_else(|| damaged(Kind::Jpeg, "the header is missing"))?;
    let mut pixels = zeros(decoder.output_buffer_size().map_or(u64::MAX, |size| size as u64))?;
    decoder.decode_into(&mut pixels).map_err(|e| damaged(Kind::Jpeg, e))?;
    Ok(raster(Dtype::U8, color.num_components(), (info.width.into(), info.height.into()), pixels))
}
