//! Formatting of numbers, registers and coordinates.

use texunit_texel::Reading;
use texunit_unit::reference::number;
use texunit_unit::{CoordType, Coordinates, Element, FetchForm, ResultType};

/// Formats the float with these bits.
pub(crate) fn float(bits: u32) -> String {
    number::float(f32::from_bits(bits))
}

/// Formats an exact weight as a multiple of 1/`whole`, without rounding it to the hardware's 8
/// bits.
pub(crate) fn unrounded(weight: f64, whole: u32) -> String {
    let text = format!("{:.3}", weight * f64::from(whole));
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// Formats a coordinate by its type.
pub(crate) fn coordinate(coord: CoordType, bits: u32) -> String {
    match coord {
        CoordType::F32 => float(bits),
        CoordType::S32 => (bits as i32).to_string(),
    }
}

/// Number of result registers of a fetch.
pub(crate) fn registers(result: ResultType) -> usize {
    result.registers().into()
}

/// The results of a fetch: name, bits and value of each register. Two f16 values share a register.
pub(crate) fn results(result: ResultType, values: [u32; 4]) -> Vec<(&'static str, u32, String)> {
    let names: &[&str] = if result == ResultType::F16x2 { &["xy", "zw"] } else { &COMPONENTS };
    names.iter().zip(values).map(|(&name, bits)| (name, bits, register(result, bits))).collect()
}

/// Formats a result register by the type of the results.
fn register(result: ResultType, bits: u32) -> String {
    match result {
        ResultType::F32 => float(bits),
        ResultType::S32 => (bits as i32).to_string(),
        ResultType::U32 => bits.to_string(),
        ResultType::F16 => half(bits),
        ResultType::F16x2 => format!("{}, {}", half(bits & 0xffff), half(bits >> 16)),
    }
}

fn half(code: u32) -> String {
    float(texunit_texel::f16_to_f32(code as u16))
}

/// Formats the value of a channel; `None` for a channel that the format lacks.
pub(crate) fn channel(reading: Reading, bits: u32) -> Option<String> {
    match reading {
        Reading::Missing => None,
        Reading::Uint { .. } => Some(bits.to_string()),
        Reading::Sint { .. } => Some((bits as i32).to_string()),
        _ => Some(float(bits)),
    }
}

/// Formats coordinates: `(0.25, 0.5)`, with a name if the first is an index: `(layer 3, 0.25,
/// 0.5)`.
pub(crate) fn coordinates(form: &FetchForm, coords: &Coordinates<u32>) -> String {
    let g = form.geometry;
    let part = |&element: &Element| {
        let value = *coords.get(element);
        match element {
            Element::Sample => format!("sample {value}"),
            Element::Layer if g.is_cube() => format!("cube {value}"),
            Element::Layer => format!("layer {value}"),
            Element::X | Element::Y | Element::Z => coordinate(form.coord, value),
        }
    };
    let parts: Vec<String> = g.elements().iter().map(part).collect();
    format!("({})", parts.join(", "))
}

/// Formats a list such as `2, 3, 4`.
pub(crate) fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
}

/// Names of the cube faces in the order of their numbers.
pub(crate) const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// The name of the face that a plane of a cube map or of an array of cube maps contains.
pub(crate) fn face(plane: u32) -> &'static str {
    FACES[plane as usize % 6]
}

/// Names of the components of a result.
pub(crate) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_unit::Geometry;

    #[test]
    fn numbers_can_be_read_and_array_indices_have_names() {
        assert_eq!(float(0x7fc0_0000), "nan(0x7fc00000)");
        assert_eq!([0.3, -1e-9].map(|x| unrounded(x, 256)), ["76.800", "0.000"]);
        assert_eq!(register(ResultType::S32, u32::MAX), "-1");
        assert_eq!(register(ResultType::F16x2, 0x3c00_4000), "2, 1");
        for (geometry, vector, text) in [
            (Geometry::D2, [1, u32::MAX, 7, 7], "(1, -1)"),
            (Geometry::A2d, [1, 2, 3, 7], "(layer 1, 2, 3)"),
            (Geometry::A2dms, [1, 2, 3, 4], "(sample 1, layer 2, 3, 4)"),
        ] {
            let form = FetchForm::sample(geometry, CoordType::S32, ResultType::F32);
            assert_eq!(coordinates(&form, &Coordinates::of(geometry, vector, 0)), text);
        }
    }
}
