//! Makes previews of textures.

use base64::Engine as _;
use serde::Serialize;
use texunit_device::BoundTexture;
use texunit_texel::{Reading, readings};
use texunit_unit::{Resource, TexelIndex};

/// Maximum edge length of a preview in texels; larger textures are subsampled.
const SIDE: u32 = 96;

/// A preview.
#[derive(Debug, Serialize)]
pub(super) struct Preview {
    /// The image as a `data:` URL.
    pub(super) data: String,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The values shown as black and white.
    pub(super) range: String,
}

/// The value of a texel code.
fn value(reading: Reading, code: u32) -> f32 {
    let bits = reading.point(code);
    match reading {
        Reading::Uint { .. } => bits as f32,
        Reading::Sint { .. } => bits as i32 as f32,
        _ => f32::from_bits(bits),
    }
}

fn readings_of(resource: &Resource) -> Option<[Reading; 4]> {
    let of = |normalized, srgb| readings(resource.format(), normalized, srgb);
    of(true, false).or_else(|| of(false, false)).or_else(|| of(true, true))
}

/// The preview of level 0 of the first layer; `None` if it cannot be shown.
pub(super) fn of(texture: &BoundTexture) -> Option<Preview> {
    let resource = &*texture.texture.resource;
    let readings = readings_of(resource)?;
    let extent = resource.extent();
    let (width, height) = (extent.width.min(SIDE), extent.height.min(SIDE));
    let channels = usize::from(resource.format().channels()).min(4);
    let mut values: Vec<[f32; 4]> = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let scaled =
                |i: u32, n: u32, of: u32| (u64::from(i) * u64::from(of) / u64::from(n)) as u32;
            let at = [scaled(x, width, extent.width), scaled(y, height, extent.height), 0];
            let codes = resource.texel(TexelIndex { at, ..TexelIndex::default() })?;
            values.push(std::array::from_fn(|c| value(readings[c], codes[c])));
        }
    }
    let colours = channels.min(3);
    let all =
        || values.iter().flat_map(|texel| &texel[..colours]).copied().filter(|v| v.is_finite());
    let (least, most) =
        all().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let (low, high) = match least >= 0.0 && most <= 1.0 {
        true => (0.0, 1.0),
        false if most > least => (least, most),
        false => (least.min(0.0), least.max(0.0) + 1.0),
    };
    let byte = |v: f32| ((v - low) / (high - low) * 255.0 + 0.5) as u8;
    let mut bytes = Vec::with_capacity(values.len() * 3);
    for texel in &values {
        let rgb = match channels {
            1 => [texel[0]; 3],
            2 => [texel[0], texel[1], low],
            _ => [texel[0], texel[1], texel[2]],
        };
        bytes.extend(rgb.map(byte));
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(&bytes).ok()?;
    let data = base64::engine::general_purpose::STANDARD.encode(&file);
    let range = if (low, high) == (0.0, 1.0) {
        String::new()
    } else {
        format!("black is {low}, white {high}")
    };
    Some(Preview { data: format!("data:image/png;base64,{data}"), width, height, range })
}
