//! Register values and coordinates as people write them.

use texunit_unit::{AddressMode, CoordType, FetchForm, ResultType};

/// The shortest decimal number that gives these bits back, or `nan(0x7fc00000)`.
pub(crate) fn float(bits: u32) -> String {
    let x = f32::from_bits(bits);
    if x.is_nan() {
        return format!("nan({bits:#010x})");
    }
    // Rust prints large and small numbers without an exponent, which nobody can read.
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) { format!("{x:e}") } else { format!("{x}") }
}

/// A coordinate, by its type.
pub(crate) fn coordinate(coord: CoordType, bits: u32) -> String {
    match coord {
        CoordType::F32 => float(bits),
        CoordType::S32 => (bits as i32).to_string(),
    }
}

/// A result register, by the type of the results. Whether an integer or a float came out is the
/// texture's affair, so that both are shown where they could be meant.
pub(crate) fn register(result: ResultType, bits: u32) -> String {
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

/// `(0.25, 0.5)`, with names where the first is no coordinate: `(layer 3, 0.25, 0.5)`.
pub(crate) fn coordinates(form: &FetchForm, coords: [u32; 4]) -> String {
    let g = form.geometry;
    let mut parts = Vec::new();
    let mut rest = coords.into_iter().take(g.coordinates());
    let mut name = |word: &str, parts: &mut Vec<String>| {
        if let Some(n) = rest.next() {
            parts.push(format!("{word} {n}"));
        }
    };
    if g.is_multisample() {
        name("sample", &mut parts);
    }
    if g.is_array() {
        name(if g.is_cube() { "cube" } else { "layer" }, &mut parts);
    }
    parts.extend(rest.map(|bits| coordinate(form.coord, bits)));
    format!("({})", parts.join(", "))
}

/// PTX's names of address modes.
pub(crate) fn mode(mode: AddressMode) -> &'static str {
    match mode {
        AddressMode::Wrap => "wrap",
        AddressMode::Mirror => "mirror",
        AddressMode::ClampOgl => "clamp_ogl",
        AddressMode::Clamp => "clamp_to_edge",
        AddressMode::Border => "clamp_to_border",
    }
}

/// Names of the faces in the order of their numbers.
pub(crate) const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_unit::Geometry;

    #[test]
    fn numbers_can_be_read() {
        assert_eq!(float(0x3e80_0000), "0.25");
        assert_eq!(float(0x7f80_0000), "inf");
        assert_eq!(float(0x8000_0000), "-0");
        assert_eq!(float(0x7fff_ffff), "nan(0x7fffffff)");
        assert_eq!(float(1), "1e-45");
        assert_eq!(register(ResultType::S32, u32::MAX), "-1");
        assert_eq!(register(ResultType::F16x2, 0x3c00_4000), "2, 1");
    }

    #[test]
    fn array_indices_have_names() {
        let form = |geometry| FetchForm::sample(geometry, CoordType::S32, ResultType::F32);
        assert_eq!(coordinates(&form(Geometry::D2), [1, u32::MAX, 7, 7]), "(1, -1)");
        assert_eq!(coordinates(&form(Geometry::A2d), [1, 2, 3, 7]), "(layer 1, 2, 3)");
        assert_eq!(
            coordinates(&form(Geometry::A2dms), [1, 2, 3, 4]),
            "(sample 1, layer 2, 3, 4)"
        );
    }
}
