//! Format constants with CUDA's values, and their conversion to formats of the unit.

use crate::status::Failure;
use texunit_cuda_abi::format::FORMATS;
use texunit_forms::CHANNELS;
use texunit_texel::Format;

/// Depth formats, for which CUDA has no constants: names, numbers TEXUNIT_AD_FORMAT_*, channels.
const DEPTH: [(&str, u32, u32); 3] =
    [("depth16", 0x10000, 1), ("depth24", 0x10001, 1), ("depth32f", 0x10002, 1)];

/// The format with this number and number of channels.
pub(crate) fn format(number: u32, channels: u32) -> Result<Format, Failure> {
    let mut rows = FORMATS.iter().chain(&DEPTH).filter(|row| row.1 == number);
    let found = rows.clone().find(|row| row.2 == channels);
    if let Some(format) = found.and_then(|row| Format::from_name(row.0)) {
        return Ok(format);
    }
    let has: Vec<String> = rows.by_ref().map(|row| row.2.to_string()).collect();
    Err(Failure::value(match &*has.join(", ") {
        "" => format!("Format {number:#x} is not a TEXUNIT_AD_FORMAT"),
        "1, 2, 4" => format!("NumChannels {channels}: texels have {CHANNELS}"),
        has => format!(
            "NumChannels {channels} is not a number of channels that Format {number:#x} has: {has}"
        ),
    }))
}

/// The number of a format, and its number of channels.
pub(crate) fn numbers(format: Format) -> (u32, u32) {
    let row = FORMATS.iter().chain(&DEPTH).find(|row| row.0 == format.name());
    row.map(|row| (row.1, row.2)).expect("the tables have every format; a test looks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_cuda_abi::format::VIEW_FORMATS;

    #[test]
    fn every_format_has_numbers() {
        for found in Format::all() {
            let (number, channels) = numbers(found);
            assert_eq!(format(number, channels), Ok(found));
        }
        assert!(format(0x01, 3).is_err_and(|e| e.text.contains("3 is not possible")));
        assert!(format(0x7777, 1).is_err_and(|e| e.text.contains("is not a TEXUNIT_AD_FORMAT")));
    }

    /// The header's constants have the values of the table that format names are looked up in.
    #[test]
    fn the_constants_are_cudas() {
        let header = include_str!("../include/texunit.h");
        for (name, number, _) in FORMATS.iter().chain(&DEPTH) {
            let found = header.lines().any(|line| {
                line.starts_with("#define TEXUNIT_AD_FORMAT_")
                    && line.ends_with(&format!(" {number}"))
            });
            assert!(found, "{name} {number:#x}");
        }
        let view = |name: &str| {
            let define = format!("#define TEXUNIT_RES_VIEW_FORMAT_{name} ");
            let number = header.lines().find_map(|line| line.strip_prefix(&define));
            number.and_then(|number| VIEW_FORMATS.get(number.parse::<usize>().ok()? - 1)).copied()
        };
        assert_eq!(view("UINT_4X8"), Some("u8x4"));
        assert_eq!(view("SINT_2X32"), Some("s32x2"));
        assert_eq!(view("FLOAT_1X16"), Some("f16"));
        assert_eq!(view("SIGNED_BC5"), Some("bc5_snorm"));
        assert_eq!(view("UNSIGNED_BC7"), VIEW_FORMATS.last().copied());
    }
}
