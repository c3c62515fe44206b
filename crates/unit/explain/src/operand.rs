//! Parsing of operands that people write, on a command line or in the address of a page.
//!
//! A float is a decimal number, `nan`, `inf` or `-inf`; an integer is decimal. Either may be given
//! as bits, with at most eight hexadecimal digits: `bits:3f800000`.

use texunit_forms::Count;
use texunit_unit::{
    CoordType, Coordinates, Element, FetchForm, FetchKind, FetchOperands, Geometry, Lod,
    SurfaceForm,
};

/// The unparsed operands of an access, by the names of their options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written<'a> {
    /// Coordinates in the order of the instruction.
    pub at: &'a str,
    /// Level of detail, for `tex.level`.
    pub lod: Option<&'a str>,
    /// Gradients along the screen axes x and y, for `tex.grad`.
    pub grad: Option<[&'a str; 2]>,
    /// Texel offsets.
    pub offset: Option<&'a str>,
    /// Reference value of a depth compare.
    pub compare: Option<&'a str>,
    /// Elements of a surface store or reduction.
    pub value: Option<&'a str>,
}

/// Parses the operands of a fetch. The form says whether there are an offset and a compare operand.
pub fn fetch(args: &Written<'_>, form: FetchForm) -> Result<FetchOperands, String> {
    let g = form.geometry;
    let (gradients, axes) = (g.gradients(), g.axes());
    let coords = coordinates(args, g, form.coord)?;
    let mut operands = FetchOperands { coords, ..Default::default() };
    let level = form.kind == FetchKind::Sample(Lod::Level);
    match (args.lod, level) {
        (Some(text), true) => {
            operands.level = coordinate(form.coord, text).map_err(|e| format!("--lod: {e}"))?;
        }
        (None, true) => return Err(format!("{form} needs a level: --lod L")),
        (Some(_), false) => return Err(format!("{form} has no level: leave --lod out")),
        (None, false) => {}
    }
    let gradient = form.kind == FetchKind::Sample(Lod::Gradient);
    match (args.grad, gradient) {
        (Some([x, y]), true) => {
            operands.dpdx = three(x, gradients).map_err(|e| format!("--grad, DPDX: {e}"))?;
            operands.dpdy = three(y, gradients).map_err(|e| format!("--grad, DPDY: {e}"))?;
        }
        (_, true) => {
            let of = ["DX", "DY", "DZ"][..gradients].join(",");
            return Err(format!("{form} needs two gradients: --grad {of} {of}"));
        }
        (Some(_), false) => return Err(format!("{form} has no gradients: leave --grad out")),
        (None, false) => {}
    }
    if let Some(text) = args.offset {
        let parts = split(text, axes).map_err(|e| format!("--offset: {e}"))?;
        for (to, part) in operands.offset.iter_mut().zip(parts) {
            *to = integer(part).map_err(|e| format!("--offset: {e}"))? as i32;
        }
    }
    if let Some(text) = args.compare {
        operands.compare = float(text).map_err(|e| format!("--compare: {e}"))?;
    }
    if args.value.is_some() {
        return Err("--value is for surface stores and reductions".to_owned());
    }
    Ok(operands)
}

/// The name of an element of a coordinate vector in messages, such as `layer` or `x`.
fn coordinate_name(g: Geometry, element: Element) -> &'static str {
    match element {
        Element::Sample => "SAMPLE",
        Element::Layer if g.is_cube() => "CUBE",
        Element::Layer => "LAYER",
        Element::X => "X",
        Element::Y => "Y",
        Element::Z => "Z",
    }
}

/// Parses coordinates in the order of the instruction; layer and sample are unsigned.
fn coordinates(args: &Written<'_>, g: Geometry, ty: CoordType) -> Result<Coordinates<u32>, String> {
    let names: Vec<_> = g.elements().iter().map(|&e| coordinate_name(g, e)).collect();
    let parts: Vec<&str> = args.at.split(',').map(str::trim).collect();
    if parts.len() != names.len() {
        let (all, found) = (Count(names.len(), "coordinate"), parts.len());
        return Err(format!(".{g} takes {all}: --at {} (found {found})", names.join(",")));
    }
    let mut coords = Coordinates::default();
    for ((&element, part), name) in g.elements().iter().zip(parts).zip(&names) {
        let value = if element.is_index() { unsigned(part) } else { coordinate(ty, part) };
        *coords.get_mut(element) = value.map_err(|e| format!("--at, {name}: {e}"))?;
    }
    Ok(coords)
}

/// Parses the coordinates of a surface access.
pub fn surface(args: &Written<'_>, form: SurfaceForm) -> Result<Coordinates<u32>, String> {
    coordinates(args, form.geometry, CoordType::S32)
}

/// Parses elements of a surface store: decimal numbers of up to 64 bits, floats with a point, or
/// bits.
pub fn elements(text: &str) -> Result<[u64; 4], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 4 {
        return Err(format!("--value: expected at most 4 elements, found {}", parts.len()));
    }
    let mut elements = [0; 4];
    for (to, part) in elements.iter_mut().zip(parts) {
        *to = element(part).ok_or_else(|| {
            format!(
                "--value: expected a whole number, a float such as 1.0, or bits such as \
                 bits:3f800000; found `{}`",
                shortened(part)
            )
        })?;
    }
    Ok(elements)
}

fn element(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("bits:") {
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        // `from_str_radix` also accepts a sign, so the text is checked to consist of digits.
        let sound = digits.bytes().all(|b| b.is_ascii_hexdigit());
        return u64::from_str_radix(digits, 16).ok().filter(|_| sound);
    }
    let whole = text.parse::<i64>().map(|v| v as u64).or_else(|_| text.parse::<u64>());
    whole.ok().or_else(|| float(text).ok().map(u64::from))
}

/// Parses a given number of floats.
pub fn floats(text: &str, wanted: usize) -> Result<Vec<u32>, String> {
    split(text, wanted)?.into_iter().map(float).collect()
}

/// Parses a border colour: four floats.
pub fn color(text: &str) -> Result<[u32; 4], String> {
    floats(text, 4)?.try_into().map_err(|_| "expected R,G,B,A".to_owned())
}

fn three(text: &str, wanted: usize) -> Result<[u32; 3], String> {
    let given = floats(text, wanted)?;
    Ok(std::array::from_fn(|i| given.get(i).copied().unwrap_or(0)))
}

fn split(text: &str, wanted: usize) -> Result<Vec<&str>, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() == wanted {
        return Ok(parts);
    }
    Err(format!("expected {}, found {}", Count(wanted, "number"), parts.len()))
}

fn coordinate(ty: CoordType, text: &str) -> Result<u32, String> {
    match ty {
        CoordType::F32 => float(text),
        CoordType::S32 => integer(text),
    }
}

/// Shortens user input for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses `bits:3f800000`; `None` without the prefix.
fn bits(text: &str) -> Option<Result<u32, String>> {
    let digits = text.strip_prefix("bits:")?;
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let sound = digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| sound);
    let message = || {
        format!("expected up to 8 hexadecimal digits after `bits:`, found `{}`", shortened(digits))
    };
    Some(value.ok_or_else(message))
}

fn float(text: &str) -> Result<u32, String> {
    if let Some(bits) = bits(text) {
        return bits;
    }
    let word = text.trim_start_matches(['+', '-']);
    let known =
        matches!(word, "nan" | "inf") || word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let value = text.parse::<f32>().ok().filter(|v| known && (word == "inf" || !v.is_infinite()));
    value.map(f32::to_bits).ok_or_else(|| {
        format!(
            "expected a number that an f32 can hold, nan, inf or bits such as bits:3f800000; \
             found `{}`",
            shortened(text)
        )
    })
}

fn integer(text: &str) -> Result<u32, String> {
    bits(text).unwrap_or_else(|| {
        text.parse::<i32>().map(|v| v as u32).map_err(|_| {
            format!(
                "expected a whole number from -2147483648 to 2147483647, found `{}`",
                shortened(text)
            )
        })
    })
}

fn unsigned(text: &str) -> Result<u32, String> {
    bits(text).unwrap_or_else(|| {
        text.parse::<u32>().map_err(|_| {
            format!("expected a whole number from 0 to 4294967295, found `{}`", shortened(text))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(float("1"), Ok(0x3f80_0000));
        assert_eq!(float("-0"), Ok(0x8000_0000));
        assert_eq!(float("-inf"), Ok(0xff80_0000));
        assert_eq!(float("bits:3f800000"), Ok(0x3f80_0000));
        assert_eq!(float("bits:0x7fc00001"), Ok(0x7fc0_0001));
        for wrong in ["", "1e39", "infinity", "0x3f800000", "bits:", "bits:123456789", "bits:+1"] {
            assert!(float(wrong).is_err(), "{wrong}");
        }
        assert_eq!(integer("-1"), Ok(u32::MAX));
        assert_eq!(unsigned("4294967295"), Ok(u32::MAX));
        assert!(integer("1.5").is_err() && unsigned("-1").is_err());
        assert_eq!(elements("1.0,-1,bits:ff"), Ok([0x3f80_0000, u64::MAX, 0xff, 0]));
        for wrong in ["x", "1,2,3,4,5", "bits:+1", "bits:", ""] {
            assert!(elements(wrong).is_err(), "{wrong}");
        }
    }
}
