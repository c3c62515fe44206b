//! Texel format names of other systems, for suggestions in messages.

use texunit_texel::Format;

/// The texel format that corresponds to a name of another system: `rgba8` (graphics APIs), `uchar4`
/// (CUDA), `float32` (NumPy). Three channels become four, because there are no formats with three.
pub fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace(['_', '-', ' '], "");
    let (channel, count) = cuda_or_numpy(&name).or_else(|| graphics(&name))?;
    let wanted = match count {
        1 => channel.to_owned(),
        2 => format!("{channel}x2"),
        _ => format!("{channel}x4"),
    };
    Format::names().find(|known| *known == wanted)
}

/// Matches names such as `float4`, `uchar`, `int16`.
fn cuda_or_numpy(name: &str) -> Option<(&'static str, u32)> {
    #[rustfmt::skip]
    const TYPES: [(&str, &str); 18] = [
        ("uint8", "u8"), ("int8", "s8"), ("uint16", "u16"), ("int16", "s16"), ("uint32", "u32"),
        ("int32", "s32"), ("float16", "f16"), ("float32", "f32"),
        ("uchar", "u8"), ("char", "s8"), ("ushort", "u16"), ("short", "s16"), ("uint", "u32"),
        ("int", "s32"), ("half", "f16"), ("float", "f32"),
        ("unorm8", "u8"), ("byte", "u8"),
    ];
    TYPES.iter().find_map(|(prefix, channel)| {
        let count = match name.strip_prefix(prefix)?.trim_start_matches('x') {
            "" | "1" => 1,
            "2" => 2,
            "3" | "4" => 4,
            _ => return None,
        };
        Some((*channel, count))
    })
}

/// Matches names such as `rgba8`, `r32f`, `rg16ui`, `r8g8b8a8unorm`.
fn graphics(name: &str) -> Option<(&'static str, u32)> {
    let is_letter = |c: char| "rgbax".contains(c);
    let kind = name.trim_start_matches(|c: char| is_letter(c) || c.is_ascii_digit());
    // `rgba8`, or `r8g8b8a8`, in which a number follows each letter.
    let channels = &name[..name.len() - kind.len()];
    let count = channels.chars().filter(|c| is_letter(*c)).count();
    if !(1..=4).contains(&count) {
        return None;
    }
    let channel = match (channels.rsplit(is_letter).next()?, kind) {
        ("8", "" | "unorm" | "ui" | "uint" | "u" | "srgb") => "u8",
        ("8", "snorm" | "i" | "sint" | "int" | "s") => "s8",
        ("16", "" | "unorm" | "ui" | "uint" | "u") => "u16",
        ("16", "snorm" | "i" | "sint" | "int" | "s") => "s16",
        ("16", "f" | "float" | "sfloat") => "f16",
        ("32", "ui" | "uint" | "u") => "u32",
        ("32", "i" | "sint" | "int" | "s") => "s32",
        ("32", "" | "f" | "float" | "sfloat") => "f32",
        _ => return None,
    };
    Some((channel, count as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_systems() {
        #[rustfmt::skip]
        let rows = [
            ("rgba8", "u8x4"), ("RGBA8", "u8x4"), ("rgb8", "u8x4"), ("r8", "u8"), ("rg8", "u8x2"),
            ("rgba32f", "f32x4"), ("r32f", "f32"), ("rg16f", "f16x2"), ("r16ui", "u16"),
            ("rgba8_snorm", "s8x4"), ("R8G8B8A8_UNORM", "u8x4"), ("R16G16_SFLOAT", "f16x2"),
            ("bgra8", "u8x4"), ("float", "f32"), ("float4", "f32x4"), ("uchar4", "u8x4"),
            ("float3", "f32x4"), ("float32", "f32"), ("uint8", "u8"), ("half2", "f16x2"),
        ];
        for (name, format) in rows {
            assert_eq!(meant(name), Some(format), "{name}");
        }
        for name in
            ["", "r", "rgba", "float64", "rgba64", "u9", "é", "r8g8", "x".repeat(99).as_str()]
        {
            assert!(meant(name).is_none_or(|f| name == "r8g8" && f == "u8x2"), "{name}");
        }
    }
}
