//! OpenEXR files: the first layer, with f16, f32 or u32 channels in scanlines or tiles.

use crate::convert::{Meaning, Raster};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, MAX_BYTES, Texels};
use exr::prelude::{
    AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, MetaData,
    ReadChannels, ReadLayers, WritableImage, f16,
};
use std::io::Cursor;
use texunit_texel::{Channel, Dtype, Format};

pub(crate) fn decode(bytes: &[u8], wanted: Format) -> Result<Raster, Problem> {
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).map_err(problem)?;
    for header in &meta.headers {
        if header.deep {
            return Err(Problem::Unsupported("deep data in EXR files is not supported".into()));
        }
        let size = pixel_bytes(header)
            .ok_or_else(|| damaged(Kind::Exr, "the header gives an impossible size"))?;
        if size > MAX_BYTES {
            return Err(Problem::TooLarge { what: "the decoded picture", bytes: size });
        }
    }
    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(bytes))
        .map_err(problem)?;
    interleave(&image.layer_data, wanted)
}

/// Converts a decoder's error to the error for a damaged file or for an unsupported feature.
fn problem(error: exr::error::Error) -> Problem {
    match error {
        exr::error::Error::NotSupported(message) => {
            Problem::Unsupported(format!("cannot read this EXR file: {message}"))
        }
        other => damaged(Kind::Exr, other),
    }
}

/// Size in bytes of a layer's samples, computed with overflow checks.
fn pixel_bytes(header: &exr::meta::header::Header) -> Option<u64> {
    let pixels = (header.layer_size.0 as u64).checked_mul(header.layer_size.1 as u64)?;
    let mut total = 0_u64;
    for channel in &header.channels.list {
        let size = channel.sample_type.bytes_per_sample() as u64;
        total = total.checked_add(pixels.checked_mul(size)?)?;
    }
    Some(total)
}

/// Interleaves the channels that the wanted format needs, in order.
fn interleave(layer: &Layer<AnyChannels<FlatSamples>>, wanted: Format) -> Result<Raster, Problem> {
    let list = &layer.channel_data.list;
    let names: Vec<String> = list.iter().map(|c| c.name.to_string()).collect();
    let find = |name: &str| names.iter().position(|n| n == name);
    let all = |wanted: &[&str]| wanted.iter().map(|n| find(n)).collect::<Option<Vec<_>>>();
    let chosen = match wanted.channels() {
        1 if list.len() == 1 => Some(vec![0]),
        1 => all(&["Y"]),
        2 => all(&["R", "G"]).or_else(|| all(&["Y", "A"])),
        _ => all(&["R", "G", "B", "A"])
            .or_else(|| all(&["R", "G", "B"]))
            .or_else(|| all(&["Y", "A"]))
            .or_else(|| all(&["Y"])),
    };
    let found = || format!("the channels {}", names.join(", "));
    let refuse = |help: &str| Problem::Format { found: found(), wanted, help: help.to_owned() };
    let chosen = chosen.ok_or_else(|| {
        refuse("expected R, G, B (and A) or Y for 4 channels, R, G or Y, A for 2, Y or a single one for 1")
    })?;
    let kinds: Vec<Dtype> = chosen.iter().map(|&i| sample_type(&list[i].sample_data)).collect();
    if kinds.iter().any(|&k| k != kinds[0]) {
        return Err(refuse("the channels are of different types"));
    }
    if kinds[0] == Dtype::U32 && wanted.channels() as usize != chosen.len() {
        return Err(refuse("integer channels have no opaque alpha to be filled in"));
    }
    let (width, height) = (layer.size.0, layer.size.1);
    let mut bytes = crate::io::room(width * height * kinds[0].size() * chosen.len())?;
    for i in 0..width * height {
        for &c in &chosen {
            push(&mut bytes, &list[c].sample_data, i)
                .ok_or_else(|| damaged(Kind::Exr, "a channel has fewer samples than pixels"))?;
        }
    }
    let small = |n: usize| u32::try_from(n).map_err(|e| damaged(Kind::Exr, e));
    Ok(Raster {
        sample: kinds[0],
        channels: chosen.len(),
        meaning: Meaning::Radiance,
        dims: 2,
        width: small(width)?,
        height: small(height)?,
        depth: 1,
        bytes,
    })
}

fn sample_type(samples: &FlatSamples) -> Dtype {
    match samples {
        FlatSamples::F16(_) => Dtype::F16,
        FlatSamples::F32(_) => Dtype::F32,
        FlatSamples::U32(_) => Dtype::U32,
    }
}

fn push(out: &mut Vec<u8>, samples: &FlatSamples, index: usize) -> Option<()> {
    match samples {
        FlatSamples::F16(v) => out.extend(v.get(index)?.to_bits().to_le_bytes()),
        FlatSamples::F32(v) => out.extend(v.get(index)?.to_bits().to_le_bytes()),
        FlatSamples::U32(v) => out.extend(v.get(index)?.to_le_bytes()),
    }
    Some(())
}

/// Checks that an EXR file can hold texels of a format, and returns the names of the channels.
pub(crate) fn can_encode(format: Format, dims: u8) -> Result<&'static [&'static str], Problem> {
    if !matches!(format.plain_channel(), Some(Channel::F16 | Channel::F32 | Channel::U32)) {
        let other = match format.plain_channel() {
            Some(Channel::U8 | Channel::U16) => " or .png",
            _ => "",
        };
        return Err(Problem::Unsupported(format!(
            "an EXR file holds f16, f32 and u32 texels, not {format}; use .npy, .raw{other}"
        )));
    }
    if dims == 3 {
        let message = "an EXR file has two dimensions; use .npy or .raw for three";
        return Err(Problem::Unsupported(message.into()));
    }
    Ok(match format.channels() {
        1 => &["Y"],
        2 => &["R", "G"],
        _ => &["R", "G", "B", "A"],
    })
}

pub(crate) fn encode(texels: &Texels) -> Result<Vec<u8>, Problem> {
    let names = can_encode(texels.format, if texels.depth > 1 { 3 } else { 2 })?;
    let channel = |(c, &name)| AnyChannel::new(name, plane(texels, c, names.len()));
    let channels = AnyChannels::sort(names.iter().enumerate().map(channel).collect());
    let size = (texels.width as usize, texels.height as usize);
    let layer = Layer::new(size, LayerAttributes::default(), Encoding::SMALL_LOSSLESS, channels);
    let mut out = Cursor::new(Vec::new());
    Image::from_layer(layer)
        .write()
        .non_parallel()
        .to_buffered(&mut out)
        .map_err(|e| Problem::Unsupported(e.to_string()))?;
    Ok(out.into_inner())
}

/// The samples of one channel.
fn plane(texels: &Texels, channel: usize, channels: usize) -> FlatSamples {
    fn every<const N: usize>(texels: &Texels, c: usize, n: usize) -> impl Iterator<Item = [u8; N]> {
        texels.bytes.as_chunks::<N>().0.iter().skip(c).step_by(n).copied()
    }
    match texels.format.plain_channel() {
        Some(Channel::F16) => {
            FlatSamples::F16(every(texels, channel, channels).map(f16::from_le_bytes).collect())
        }
        Some(Channel::F32) => {
            FlatSamples::F32(every(texels, channel, channels).map(f32::from_le_bytes).collect())
        }
        _ => FlatSamples::U32(every(texels, channel, channels).map(u32::from_le_bytes).collect()),
    }
}
