//! Samples an area of a texture with the hardware's rules and with exact weights, row by row.

use crate::access::access;
use crate::keys::{Form, Keys};
use crate::refusal::{BytesResult, Refusal};
use crate::session::Session;
use serde::Deserialize;
use serde_json::json;
use texunit_texel::{Reading, f16_to_f32};
use texunit_unit::reference::{self, trace::Trace};
use texunit_unit::{CoordType, Element, FetchKind, ResultType};

/// Maximum number of pixels of a row, and maximum number of pixels of all rows of a call.
const MAX_WIDTH: u32 = 1024;
const MAX_PIXELS: u32 = 1 << 18;

/// Parameters of the method `area`: two opposite corners in the units of the coordinates, the size
/// of the picture in pixels, and the rows to compute.
#[derive(Debug, Deserialize)]
pub(crate) struct AreaParameters {
    keys: Keys,
    rect: [f32; 4],
    size: [u32; 2],
    rows: [u32; 2],
}

/// The method `area`: samples each pixel; returns four floats by the hardware's rules and four
/// floats with exact weights for each, little endian.
pub(crate) fn area(session: &mut Session, asked: &AreaParameters) -> BytesResult {
    let access = access(session, &asked.keys)?;
    let Form::Fetch(form) = access.form else {
        return Err(Refusal::of("op", "a surface access has no weights: choose tex or tld4"));
    };
    if form.coord == CoordType::S32 {
        return Err(Refusal::of(
            "op",
            "integer coordinates name texels and have no weights: choose .f32 coordinates",
        ));
    }
    let [width, height] = asked.size;
    let [first, last] = [asked.rows[0], asked.rows[1].min(height)];
    if width == 0
        || width > MAX_WIDTH
        || first >= last
        || (last - first).saturating_mul(width) > MAX_PIXELS
    {
        return Err(Refusal::new("the rows are outside the picture, or too many"));
    }
    let mut operands = access.operands(form)?;
    let [x0, y0, x1, y1] = asked.rect;
    let along =
        |low: f32, high: f32, n: u32, of: u32| low + (high - low) * ((n as f32 + 0.5) / of as f32);
    let has_y = form.geometry.elements().contains(&Element::Y);
    let mut bytes = Vec::with_capacity(((last - first) * width) as usize * 32);
    for row in first..last {
        for column in 0..width {
            operands.coords.point[0] = along(x0, x1, column, width).to_bits();
            if has_y {
                operands.coords.point[1] = along(y0, y1, row, height).to_bits();
            }
            let trace = reference::trace(form, &access.texture, &access.sampler, &operands)
                .map_err(Refusal::new)?;
            let hardware = floats(&trace);
            for value in hardware.into_iter().chain(exact(&trace, hardware)) {
                bytes.extend(value.to_le_bytes());
            }
        }
    }
    Ok((json!({ "rows": [first, last], "width": width }), bytes))
}

/// The components of a fetch's result as floats.
pub fn floats(trace: &Trace) -> [f32; 4] {
    let values = trace.answer.values;
    match trace.form.result {
        ResultType::F32 => values.map(f32::from_bits),
        ResultType::S32 => values.map(|v| v as i32 as f32),
        ResultType::U32 => values.map(|v| v as f32),
        ResultType::F16 => values.map(|v| f32::from_bits(f16_to_f32(v as u16))),
        ResultType::F16x2 => {
            let [xy, zw, ..] = values;
            [xy, xy >> 16, zw, zw >> 16].map(|v| f32::from_bits(f16_to_f32(v as u16)))
        }
    }
}

/// The result with weights that are not rounded, from the same texels, levels and taps: texels are
/// weighted in f64, and the shares of levels and taps are the hardware's. Channels that are not
/// weighted sums have the hardware's value.
pub fn exact(trace: &Trace, hardware: [f32; 4]) -> [f32; 4] {
    if matches!(trace.form.kind, FetchKind::Gather(_)) || !trace.answer.resident {
        return hardware;
    }
    std::array::from_fn(|c| {
        let reading =
            if trace.effective.compare.is_some() { None } else { Some(trace.readings[c]) };
        if let Some(Reading::Missing | Reading::One | Reading::Uint { .. } | Reading::Sint { .. }) =
            reading
        {
            return hardware[c];
        }
        let (mut sum, mut all) = (0.0, 0.0);
        for footprint in &trace.footprints {
            let share = f64::from(footprint.share) / f64::from(256_u32 << footprint.scale);
            for texel in &footprint.texels {
                let value = match texel.compared {
                    Some(passed) => f64::from(u8::from(passed)),
                    None => f64::from(f32::from_bits(texel.values[c])),
                };
                let weight = if footprint.texels.len() == 1 { share } else { texel.exact };
                sum += weight * value;
                all += weight;
            }
        }
        // The hardware's value is used if the channel is not a weighted sum, or if texels are
        // missing.
        if (all - 1.0).abs() > 1e-6 { hardware[c] } else { sum as f32 }
    })
}
