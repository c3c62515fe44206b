//! Converts texels of a level to colours for the screen.

use crate::access::access;
use crate::keys::Keys;
use crate::refusal::{BytesResult, Refusal};
use crate::session::Session;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use texunit_texel::{Format, Reading, readings, unpack};
use texunit_unit::{ReadMode, Resource, TexelIndex, Texture};

/// Maximum edge length of a picture in texels; larger levels are shown at half the resolution, or
/// less.
pub const MAX_EDGE: u32 = 1024;

/// Parameters of the method `picture`: a texture given by keys or by the number of an explained
/// fetch, and which of its texels to show.
#[derive(Debug, Deserialize)]
pub(crate) struct PictureParameters {
    keys: Option<Keys>,
    subject: Option<usize>,
    level: u32,
    plane: u32,
    z: u32,
    sample: u32,
}

/// The method `picture`: returns the texels as RGBA bytes, row by row.
pub(crate) fn picture(session: &mut Session, asked: &PictureParameters) -> BytesResult {
    let texture = match (asked.subject, &asked.keys) {
        (Some(number), _) => {
            let texture = session.subjects.get(number);
            Arc::clone(texture.ok_or_else(|| Refusal::new("this fetch is no longer explained"))?)
        }
        (None, Some(keys)) => access(session, keys)?.texture,
        (None, None) => return Err(Refusal::new("expected keys or the number of a fetch")),
    };
    let resource = &texture.resource;
    let Some(level) = resource.levels().get(asked.level as usize) else {
        return Err(Refusal::new(format!("there is no level {}", asked.level)));
    };
    let [width, height, depth] = level.extent.axes();
    let step = width.max(height).div_ceil(MAX_EDGE).max(1);
    let place = Place {
        level: asked.level,
        plane: asked.plane.min(resource.shape().planes().saturating_sub(1)),
        z: asked.z.min(depth - 1),
        sample: asked.sample.min(resource.shape().samples - 1),
    };
    let scale = Scale::of(&texture);
    let mut bytes = Vec::with_capacity((width.div_ceil(step) * height.div_ceil(step) * 4) as usize);
    for y in (0..height).step_by(step as usize) {
        for x in (0..width).step_by(step as usize) {
            bytes.extend(scale.colour(resource, place.at(x, y)));
        }
    }
    let answer = json!({
        "width": width.div_ceil(step),
        "height": height.div_ceil(step),
        "texels": [width, height, depth],
        "step": step,
        "scale": scale.range,
    });
    Ok((answer, bytes))
}

#[derive(Clone, Copy)]
struct Place {
    level: u32,
    plane: u32,
    z: u32,
    sample: u32,
}

impl Place {
    fn at(self, x: u32, y: u32) -> TexelIndex {
        TexelIndex { level: self.level, plane: self.plane, sample: self.sample, at: [x, y, self.z] }
    }
}

/// A picture as RGBA bytes, and its description as JSON.
pub(crate) struct Picture {
    pub(crate) json: serde_json::Value,
    pub(crate) bytes: Vec<u8>,
}

/// The picture of a slice of packed texels in any format.
pub(crate) fn of_bytes(
    format: Format,
    extent: [u32; 3],
    packed: &[u8],
    z: u32,
) -> Result<Picture, Refusal> {
    let [width, height, depth] = extent;
    let bytes = texel_values(format, packed, extent, z.min(depth.saturating_sub(1)));
    let range = range_of(bytes.iter().copied(), format.channels());
    let scale = Scale { readings: None, range, channels: format.channels() };
    let colours = bytes.iter().flat_map(|&values| scale.shown(values)).collect();
    let values: Vec<Vec<f32>> = if width.saturating_mul(height) <= MAX_VALUES {
        bytes.iter().map(|v| v[..usize::from(format.channels())].to_vec()).collect()
    } else {
        Vec::new()
    };
    let json = json!({ "width": width, "height": height, "depth": depth, "scale": range, "format": format.name(), "values": values });
    Ok(Picture { json, bytes: colours })
}

/// The smallest and the largest finite value of texels, if they are not from 0 to 1. The alpha
/// component does not contribute to the range.
fn range_of(texels: impl Iterator<Item = [f32; 4]>, channels: u8) -> Option<[f32; 2]> {
    let seen = texels.flat_map(|values| values.into_iter().take(usize::from(channels.min(3))));
    let (low, high) = seen
        .filter(|value| value.is_finite())
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (low < 0.0 || high > 1.0).then_some([low, if high > low { high } else { low + 1.0 }])
}

/// Maximum number of texels whose values are returned beside the colours of the picture.
const MAX_VALUES: u32 = 1024;

/// The values of a slice of packed texels. Values of 8-bit and 16-bit formats are from 0 to 1, as
/// in images.
fn texel_values(
    format: Format,
    packed: &[u8],
    [width, height, _]: [u32; 3],
    z: u32,
) -> Vec<[f32; 4]> {
    let size = format.texel_size() as usize;
    let slice = (u64::from(width) * u64::from(height)) as usize;
    let start = slice.saturating_mul(size).saturating_mul(z as usize);
    let readings = readings(format, true, false).or_else(|| readings(format, false, false));
    let texels = packed.get(start..).unwrap_or_default().chunks_exact(size).take(slice);
    texels.map(|texel| values_of(readings, unpack(format, texel).unwrap_or_default())).collect()
}

/// Converts the stored components of a texel to floats.
fn values_of(readings: Option<[Reading; 4]>, codes: [u32; 4]) -> [f32; 4] {
    let Some(readings) = readings else { return codes.map(|code| code as f32) };
    std::array::from_fn(|c| {
        let bits = readings[c].point(codes[c]);
        match readings[c] {
            Reading::Uint { .. } => bits as f32,
            Reading::Sint { .. } => bits as i32 as f32,
            _ => f32::from_bits(bits),
        }
    })
}

/// The conversion of texel values to colours, with the values that are shown as black and white.
pub(crate) struct Scale {
    readings: Option<[Reading; 4]>,
    /// The texel values that are shown as black and as white, if they are not 0 and 1.
    range: Option<[f32; 2]>,
    channels: u8,
}

/// Maximum number of texels along an edge that are examined to find the range of values.
const LOOKED_AT: u32 = 128;

impl Scale {
    pub(crate) fn of(texture: &Texture) -> Self {
        let resource = &texture.resource;
        let format = resource.format();
        let normalized = texture.read_mode == ReadMode::NormalizedFloat;
        // sRGB colours are shown as stored, because screens expect them so.
        let readings = readings(format, normalized, false);
        let scale = Self { readings, range: None, channels: format.channels() };
        let along = |size: u32, most: u32| (0..size).step_by(size.div_ceil(most) as usize);
        let [width, height, depth] = resource.extent().axes();
        let texels = along(depth, 8).flat_map(|z| {
            let row = move |y| along(width, LOOKED_AT).map(move |x| [x, y, z]);
            along(height, LOOKED_AT).flat_map(row)
        });
        let place = |at| TexelIndex { level: 0, plane: 0, sample: 0, at };
        let range = range_of(texels.map(|at| scale.values(resource, place(at))), scale.channels);
        Self { range, ..scale }
    }

    /// The values of a texel as floats.
    fn values(&self, resource: &Resource, index: TexelIndex) -> [f32; 4] {
        values_of(self.readings, resource.texel(index).unwrap_or_default())
    }

    /// The colour of a texel as red, green, blue, alpha. A single channel is shown as grey, and
    /// texels are opaque.
    fn colour(&self, resource: &Resource, index: TexelIndex) -> [u8; 4] {
        self.shown(self.values(resource, index))
    }

    fn shown(&self, values: [f32; 4]) -> [u8; 4] {
        let [low, high] = self.range.unwrap_or([0.0, 1.0]);
        // The conversion makes NaN black.
        let byte = |v: f32| ((v - low) / (high - low) * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
        let [r, g, b, _] = values.map(byte);
        match self.channels {
            1 => [r, r, r, 255],
            2 => [r, g, 0, 255],
            _ => [r, g, b, 255],
        }
    }
}
