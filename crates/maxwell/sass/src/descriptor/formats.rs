//! Converts component layouts and data types of texture headers to texel formats and back.

use super::error::{DescriptorError, Result};
use super::header::{A_TYPE, B_TYPE, DATA_TYPES, G_TYPE, LAYOUT, LAYOUTS, R_TYPE};
use super::{Bits, Descriptor};
use texunit_texel::Format;
use texunit_unit::ReadMode;

const SNORM: u32 = 1;
const UNORM: u32 = 2;
const SINT: u32 = 3;
const UINT: u32 = 4;
const FLOAT: u32 = 7;

const ELEMENT: ReadMode = ReadMode::Element;
const NORMALIZED: ReadMode = ReadMode::NormalizedFloat;

/// Each row has the header's component layout, the number of components, their common data type,
/// and the texel format and read mode that these give.
#[rustfmt::skip]
const FORMATS: &[(u32, usize, u32, &str, ReadMode)] = &[
    (0x01, 4, FLOAT, "f32x4",   ELEMENT), (0x01, 4, UINT, "u32x4", ELEMENT), (0x01, 4, SINT, "s32x4", ELEMENT),
    (0x03, 4, FLOAT, "f16x4",   ELEMENT), (0x03, 4, UINT, "u16x4", ELEMENT), (0x03, 4, SINT, "s16x4", ELEMENT),
    (0x03, 4, UNORM, "u16x4",   NORMALIZED), (0x03, 4, SNORM, "s16x4", NORMALIZED),
    (0x04, 2, FLOAT, "f32x2",   ELEMENT), (0x04, 2, UINT, "u32x2", ELEMENT), (0x04, 2, SINT, "s32x2", ELEMENT),
    (0x08, 4, UINT,  "u8x4",    ELEMENT), (0x08, 4, SINT, "s8x4", ELEMENT),
    (0x08, 4, UNORM, "u8x4",    NORMALIZED), (0x08, 4, SNORM, "s8x4", NORMALIZED),
    (0x09, 4, UNORM, "rgb10a2", ELEMENT),
    (0x0c, 2, FLOAT, "f16x2",   ELEMENT), (0x0c, 2, UINT, "u16x2", ELEMENT), (0x0c, 2, SINT, "s16x2", ELEMENT),
    (0x0c, 2, UNORM, "u16x2",   NORMALIZED), (0x0c, 2, SNORM, "s16x2", NORMALIZED),
    (0x0f, 1, FLOAT, "f32",     ELEMENT), (0x0f, 1, UINT, "u32", ELEMENT), (0x0f, 1, SINT, "s32", ELEMENT),
    (0x18, 2, UINT,  "u8x2",    ELEMENT), (0x18, 2, SINT, "s8x2", ELEMENT),
    (0x18, 2, UNORM, "u8x2",    NORMALIZED), (0x18, 2, SNORM, "s8x2", NORMALIZED),
    (0x1b, 1, FLOAT, "f16",     ELEMENT), (0x1b, 1, UINT, "u16", ELEMENT), (0x1b, 1, SINT, "s16", ELEMENT),
    (0x1b, 1, UNORM, "u16",     NORMALIZED), (0x1b, 1, SNORM, "s16", NORMALIZED),
    (0x1d, 1, UINT,  "u8",      ELEMENT), (0x1d, 1, SINT, "s8", ELEMENT),
    (0x1d, 1, UNORM, "u8",      NORMALIZED), (0x1d, 1, SNORM, "s8", NORMALIZED),
    (0x10, 3, FLOAT, "bc6h_snorm", ELEMENT), (0x11, 3, FLOAT, "bc6h", ELEMENT),
    (0x17, 4, UNORM, "bc7",     NORMALIZED),
    (0x24, 4, UNORM, "bc1",     NORMALIZED), (0x25, 4, UNORM, "bc2", NORMALIZED), (0x26, 4, UNORM, "bc3", NORMALIZED),
    (0x27, 1, UNORM, "bc4",     NORMALIZED), (0x27, 1, SNORM, "bc4_snorm", NORMALIZED),
    (0x28, 2, UNORM, "bc5",     NORMALIZED), (0x28, 2, SNORM, "bc5_snorm", NORMALIZED),
    (0x2f, 1, FLOAT, "depth32f", ELEMENT), (0x3a, 1, UNORM, "depth16", ELEMENT),
];

const TYPES: [&Bits; 4] = [&R_TYPE, &G_TYPE, &B_TYPE, &A_TYPE];

/// The texel format and read mode of a texture header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texels {
    /// The texel format; for sRGB block formats the variant without sRGB.
    pub format: Format,
    /// Whether texels are read as elements or normalized floats.
    pub read_mode: ReadMode,
}

fn format(name: &str) -> Format {
    Format::from_name(name).expect("the table has names of formats")
}

/// Decodes the texel format of a header. The data types of missing components are ignored.
pub(super) fn decode(header: &Descriptor) -> Result<Texels> {
    let layout = LAYOUT.get(header);
    if !LAYOUTS.iter().any(|(number, _)| *number == layout) {
        return Err(DescriptorError::undefined(&LAYOUT, header));
    }
    let mut rows = FORMATS.iter().filter(|row| row.0 == layout).peekable();
    let Some(&&(_, components, ..)) = rows.peek() else {
        let reason = "the unit has no format with these components";
        return Err(DescriptorError::unsupported(&LAYOUT, header, reason));
    };
    let first = R_TYPE.get(header);
    for bits in &TYPES[..components] {
        let data_type = bits.get(header);
        if !DATA_TYPES.iter().any(|(number, _)| *number == data_type) {
            return Err(DescriptorError::undefined(bits, header));
        }
        if data_type != first {
            let reason = "the unit has no formats whose components differ in type";
            return Err(DescriptorError::unsupported(bits, header, reason));
        }
    }
    let Some(&(.., name, read_mode)) = rows.find(|row| row.2 == first) else {
        let reason = "the unit does not read this component layout so";
        return Err(DescriptorError::unsupported(&R_TYPE, header, reason));
    };
    Ok(Texels { format: format(name), read_mode })
}

/// Encodes a texel format as component layout and data types; all four components get the same data
/// type.
pub(super) fn encode(texels: Texels, header: &mut Descriptor) -> Result<()> {
    let Texels { format, read_mode } = canonical(texels);
    let found =
        FORMATS.iter().find(|&&(.., name, mode)| name == format.name() && mode == read_mode);
    let Some(&(layout, _, data_type, ..)) = found else {
        let mode = if read_mode == ELEMENT { "elements" } else { "normalized floats" };
        let reason = format!("no header says `{format} read as {mode}`");
        return Err(DescriptorError::inexpressible(&LAYOUT, reason));
    };
    LAYOUT.set(header, layout);
    TYPES.iter().for_each(|bits| bits.set(header, data_type));
    Ok(())
}

/// The format and read mode that stand for all equivalent ones: `unorm8x4` becomes `u8x4` read as
/// normalized floats, and `bc1_srgb` becomes `bc1`. Depth formats read the same in both read modes.
pub(super) fn canonical(texels: Texels) -> Texels {
    let Texels { format: own, read_mode } = texels;
    match own.plain_channel().and_then(|channel| Format::new(channel, own.channels())) {
        Some(plain) if own.is_normalized_kind() && read_mode == NORMALIZED => {
            Texels { format: plain, ..texels }
        }
        _ if own.is_srgb_block() => {
            Texels { format: format(own.name().trim_end_matches("_srgb")), read_mode }
        }
        _ if own.is_depth() => Texels { format: own, read_mode: ELEMENT },
        _ => texels,
    }
}

/// The sRGB variant of a block-compressed format; for other formats the sampler decides about sRGB.
pub(super) fn with_srgb(own: Format, srgb: bool) -> Format {
    let block = own.is_block() && srgb;
    let name = if block { format!("{own}_srgb") } else { String::new() };
    Format::from_name(&name).unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for &(layout, components, _, name, read_mode) in FORMATS {
            let texels = Texels { format: format(name), read_mode };
            assert_eq!(usize::from(texels.format.channels()), components, "{name}");
            let mut header = Descriptor::default();
            encode(texels, &mut header).unwrap();
            assert_eq!(LAYOUT.get(&header), layout);
            assert_eq!(decode(&header), Ok(texels));
        }
        let own = Texels { format: format("unorm8x4"), read_mode: NORMALIZED };
        let mut header = Descriptor::default();
        encode(own, &mut header).unwrap();
        assert_eq!(decode(&header).unwrap().format, format("u8x4"));
    }

    /// Every component layout with every combination of data types decodes to a texel format, or to
    /// an error that names the field.
    #[test]
    fn all_layouts_and_types() {
        let (mut formats, mut unsupported) = (0, 0);
        for layout in 0..128 {
            for types in 0..8u32.pow(4) {
                let mut header = Descriptor::default();
                LAYOUT.set(&mut header, layout);
                TYPES.iter().enumerate().for_each(|(n, b)| b.set(&mut header, types >> (3 * n)));
                match decode(&header) {
                    Ok(_) => formats += 1,
                    Err(DescriptorError::Unsupported { .. }) => unsupported += 1,
                    Err(error) => assert!(error.is_undefined(), "{error}"),
                }
            }
        }
        assert!(formats > FORMATS.len() && unsupported > 0);
        let mut header = Descriptor::default();
        TYPES.iter().for_each(|b| b.set(&mut header, UNORM));
        B_TYPE.set(&mut header, SINT);
        let mistakes =
            [(0x08, "b_data_type is sint (0x3)"), (0x20, "component_layout is E5B9G9R9")];
        for (layout, start) in mistakes {
            LAYOUT.set(&mut header, layout);
            let error = decode(&header).unwrap_err().to_string();
            assert!(error.starts_with(start), "{error}");
        }
    }

    #[test]
    fn what_no_header_says() {
        for (name, read_mode) in [("depth24", ELEMENT), ("f32", NORMALIZED), ("bc1", ELEMENT)] {
            let texels = Texels { format: format(name), read_mode };
            let error = encode(texels, &mut Descriptor::default()).unwrap_err().to_string();
            assert!(error.starts_with("component_layout: no header says"), "{error}");
        }
        let srgb = ["bc3", "bc4", "u8x4"].map(|name| with_srgb(format(name), true).name());
        assert_eq!(srgb, ["bc3_srgb", "bc4", "u8x4"]);
    }
}
