//! Rasters, the output of decoders, and conversion from their samples to texels: exact, or with a
//! single rounding to nearest even.
//!
//! | file | to the same type | to a wider type | to f16, f32 | else |
//! |---|---|---|---|---|
//! | picture, 8 or 16 bits | bits | u8 to u16: times 257; u32, s32: the number | value / 255 or / 65535, rounded | refused |
//! | NPY integers | bits | the number | the number, if it is exact | the number, if it fits |
//! | NPY, EXR floats of 16 and 32 bits | bits | exact | rounded | refused |
//! | NPY floats of 64 bits | | | refused | refused |
//! | EXR integers | bits | the number | refused | refused |

use crate::error::Problem;
use crate::{MAX_BYTES, Texels};
use texunit_forms::{CHANNELS, Count};
use texunit_texel::{Channel, Dtype, Format, f16_to_f32, f32_to_f16, f64_to_f16};

/// What the samples of a file stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// PNG, JPEG: channels are colours, and samples are fractions of the largest value.
    Picture,
    /// NPY: samples are numbers.
    Numbers,
    /// EXR: samples are numbers, in channels selected by name.
    #[cfg_attr(not(feature = "all"), expect(dead_code, reason = "only EXR files have radiance"))]
    Radiance,
}

/// Samples of a file: channels interleaved, x fastest, little endian.
#[derive(Clone, Debug)]
pub(crate) struct Raster {
    pub(crate) sample: Dtype,
    pub(crate) channels: usize,
    pub(crate) meaning: Meaning,
    pub(crate) dims: u8,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) bytes: Vec<u8>,
}

/// The value of one sample.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Int(i128),
    F16(u16),
    F32(u32),
    F64(f64),
}

/// Converts a raster to texels of a format.
pub(crate) fn to_texels(raster: &Raster, format: Format) -> Result<Texels, Problem> {
    let refuse = |help| Problem::Format { found: describe(raster), wanted: format, help };
    let spread = spread(raster, format.channels()).map_err(refuse)?;
    let none = "use a raw, .dds or .ktx2 file of such texels, or a format of plain channels";
    let channel = format.plain_channel().ok_or_else(|| refuse(none.to_owned()))?;
    check_types(raster, channel).map_err(|help| refuse(help.to_owned()))?;
    let pixels = raster.bytes.len() / (raster.sample.size() * raster.channels);
    let size = pixels as u64 * u64::from(format.texel_size());
    if size > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the decoded picture", bytes: size });
    }
    let same = raster.sample.channel() == Some(channel);
    let bytes = if same && spread.iter().copied().eq((0..raster.channels).map(Some)) {
        raster.bytes.clone()
    } else {
        convert_pixels(raster, (format, channel), &spread, size as usize)?
    };
    let Raster { dims, width, height, depth, .. } = *raster;
    Ok(Texels { format, dims, width, height, depth, bytes })
}

/// The channel of the file from which each channel of a texel is taken; `None` stands for opaque
/// alpha.
fn spread(raster: &Raster, wanted: u8) -> Result<Vec<Option<usize>>, String> {
    let own = raster.channels;
    let picture = raster.meaning != Meaning::Numbers;
    match (own, wanted) {
        (1, 1) | (2, 2) | (4, 4) => Ok((0..own).map(Some).collect()),
        (3, 4) if picture => Ok(vec![Some(0), Some(1), Some(2), None]),
        (1, 2) if picture => Ok(vec![Some(0), None]),
        (1, 4) if picture => Ok(vec![Some(0), Some(0), Some(0), None]),
        (2, 4) if picture => Ok(vec![Some(0), Some(0), Some(0), Some(1)]),
        (3, _) => Err(format!("use a format of 4 channels: texels have {CHANNELS}")),
        _ => Err(format!("use a format of {}", Count(own, "channel"))),
    }
}

fn check_types(raster: &Raster, channel: Channel) -> Result<(), &'static str> {
    let sample = raster.sample;
    if sample.channel() == Some(channel) {
        return Ok(());
    }
    if sample.is_float() && channel.is_integer() {
        return Err("floats are not rounded to integers: use an f16 or f32 format");
    }
    match raster.meaning {
        Meaning::Numbers if sample == Dtype::F64 => Err(
            "float64 is not narrowed silently: save the array as float32, `a.astype(numpy.float32)`",
        ),
        Meaning::Numbers => Ok(()),
        Meaning::Radiance if sample.is_float() || channel.is_integer() => Ok(()),
        Meaning::Radiance => Err("use a u32 format"),
        Meaning::Picture => match (sample, channel) {
            (_, Channel::S8 | Channel::S16) => {
                Err("the samples of a picture are unsigned: use a u8 or u16 format")
            }
            (Dtype::U16, Channel::U8) => Err("16 bits are not cut to 8: use a u16 format"),
            _ => Ok(()),
        },
    }
}

fn describe(raster: &Raster) -> String {
    let (n, bits) = (raster.channels, 8 * raster.sample.size());
    let what = match raster.sample.kind() {
        'u' => "unsigned integers",
        'i' => "signed integers",
        _ => "floats",
    };
    format!("{} of {bits}-bit {what}", Count(n, "channel"))
}

fn convert_pixels(
    raster: &Raster,
    (format, channel): (Format, Channel),
    spread: &[Option<usize>],
    size: usize,
) -> Result<Vec<u8>, Problem> {
    let step = raster.sample.size();
    let opaque = match raster.sample {
        Dtype::U8 => Value::Int(0xff),
        Dtype::U16 => Value::Int(0xffff),
        _ => Value::F32(1.0_f32.to_bits()),
    };
    let mut out = crate::io::room(size)?;
    for (pixel, samples) in raster.bytes.chunks_exact(step * raster.channels).enumerate() {
        for &from in spread {
            let value = match from {
                Some(c) => read(raster.sample, &samples[c * step..][..step]),
                None => opaque,
            };
            let code = match (raster.meaning, value) {
                (Meaning::Picture, Value::Int(v)) => picture_code(raster.sample, channel, v),
                _ => number_code(channel, value),
            };
            let code = code.ok_or_else(|| {
                let index = pixel * raster.channels + from.unwrap_or(0);
                Problem::Value { index, value: text(value), wanted: format }
            })?;
            out.extend_from_slice(&code.to_le_bytes()[..channel.size() as usize]);
        }
    }
    Ok(out)
}

/// The value of the sample that consists of these bytes.
pub(crate) fn read(sample: Dtype, bytes: &[u8]) -> Value {
    let mut le = [0; 8];
    le[..bytes.len()].copy_from_slice(bytes);
    let v = u64::from_le_bytes(le);
    match sample {
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => Value::Int(v.into()),
        Dtype::S8 => Value::Int((v as i8).into()),
        Dtype::S16 => Value::Int((v as i16).into()),
        Dtype::S32 => Value::Int((v as i32).into()),
        Dtype::S64 => Value::Int((v as i64).into()),
        Dtype::F16 => Value::F16(v as u16),
        Dtype::F32 => Value::F32(v as u32),
        Dtype::F64 => Value::F64(f64::from_bits(v)),
    }
}

fn text(value: Value) -> String {
    match value {
        Value::Int(v) => v.to_string(),
        Value::F16(b) => f32::from_bits(f16_to_f32(b)).to_string(),
        Value::F32(b) => f32::from_bits(b).to_string(),
        Value::F64(v) => v.to_string(),
    }
}

/// Converts a picture sample: to a fraction for float formats, else to the same number.
fn picture_code(sample: Dtype, channel: Channel, value: i128) -> Option<u32> {
    let max = if sample == Dtype::U8 { 255.0 } else { 65535.0 };
    // The quotient in f64 is never so close to a tie of f32 or f16 that the second rounding changes
    // the result: a tie is a fraction with a power of two as denominator, at least 2^-41 away from
    // n/65535.
    let fraction = value as f64 / max;
    Some(match (sample, channel) {
        (_, Channel::F32) => (fraction as f32).to_bits(),
        (_, Channel::F16) => f64_to_f16(fraction).into(),
        (Dtype::U8, Channel::U16) => value as u32 * 257,
        _ => value as u32,
    })
}

fn number_code(channel: Channel, value: Value) -> Option<u32> {
    match (value, channel) {
        (Value::Int(v), Channel::U8) => u8::try_from(v).ok().map(u32::from),
        (Value::Int(v), Channel::U16) => u16::try_from(v).ok().map(u32::from),
        (Value::Int(v), Channel::U32) => u32::try_from(v).ok(),
        (Value::Int(v), Channel::S8) => i8::try_from(v).ok().map(|v| v as u8 as u32),
        (Value::Int(v), Channel::S16) => i16::try_from(v).ok().map(|v| v as u16 as u32),
        (Value::Int(v), Channel::S32) => i32::try_from(v).ok().map(|v| v as u32),
        (Value::Int(v), Channel::F32) => {
            let float = v as f32;
            (float as i128 == v).then(|| float.to_bits())
        }
        (Value::Int(v), Channel::F16) => {
            // Every number that f64 cannot hold exactly is infinite as an f16.
            let code = f64_to_f16(v as f64);
            let float = f32::from_bits(f16_to_f32(code));
            (float.is_finite() && float as i128 == v).then(|| code.into())
        }
        (Value::F16(b), Channel::F16) => Some(b.into()),
        (Value::F16(b), Channel::F32) => Some(f16_to_f32(b)),
        (Value::F32(b), Channel::F32) => Some(b),
        (Value::F32(b), Channel::F16) => Some(f32_to_f16(b).into()),
        // `check_types` has refused floats for integer channels, and f64.
        (Value::F16(_) | Value::F32(_) | Value::F64(_), _) => None,
    }
}
