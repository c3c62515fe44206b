//! Format constants with CUDA's values, and their conversion to formats of the unit.

use crate::status::Failure;
use texunit_cuda_abi::format::FORMATS;
use texunit_cuda_abi::{
    CU_AD_FORMAT_FLOAT, CU_AD_FORMAT_HALF, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_UNORM_INT_101010_2, CU_AD_FORMAT_UNSIGNED_INT8,
    CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
};
use texunit_forms::CHANNELS;
use texunit_texel::Format;

/// 8-bit unsigned integers. Formats up to TEXUNIT_AD_FORMAT_FLOAT give only the type of a channel;
/// a texel consists of 1, 2 or 4 channels.
pub const TEXUNIT_AD_FORMAT_UNSIGNED_INT8: u32 = CU_AD_FORMAT_UNSIGNED_INT8;
/// 16-bit unsigned integers.
pub const TEXUNIT_AD_FORMAT_UNSIGNED_INT16: u32 = CU_AD_FORMAT_UNSIGNED_INT16;
/// 32-bit unsigned integers.
pub const TEXUNIT_AD_FORMAT_UNSIGNED_INT32: u32 = CU_AD_FORMAT_UNSIGNED_INT32;
/// 8-bit signed integers.
pub const TEXUNIT_AD_FORMAT_SIGNED_INT8: u32 = CU_AD_FORMAT_SIGNED_INT8;
/// 16-bit signed integers.
pub const TEXUNIT_AD_FORMAT_SIGNED_INT16: u32 = CU_AD_FORMAT_SIGNED_INT16;
/// 32-bit signed integers.
pub const TEXUNIT_AD_FORMAT_SIGNED_INT32: u32 = CU_AD_FORMAT_SIGNED_INT32;
/// Half precision.
pub const TEXUNIT_AD_FORMAT_HALF: u32 = CU_AD_FORMAT_HALF;
/// Single precision.
pub const TEXUNIT_AD_FORMAT_FLOAT: u32 = CU_AD_FORMAT_FLOAT;
/// Three channels of 10 bits and one of 2.
pub const TEXUNIT_AD_FORMAT_UNORM_INT_101010_2: u32 = CU_AD_FORMAT_UNORM_INT_101010_2;
/// BC1, 4 channels. Blocks are 4 x 4 texels; sizes are in texels.
pub const TEXUNIT_AD_FORMAT_BC1_UNORM: u32 = 0x91;
/// BC1 with sRGB colours.
pub const TEXUNIT_AD_FORMAT_BC1_UNORM_SRGB: u32 = 0x92;
/// BC2, 4 channels.
pub const TEXUNIT_AD_FORMAT_BC2_UNORM: u32 = 0x93;
/// BC2 with sRGB colours.
pub const TEXUNIT_AD_FORMAT_BC2_UNORM_SRGB: u32 = 0x94;
/// BC3, 4 channels.
pub const TEXUNIT_AD_FORMAT_BC3_UNORM: u32 = 0x95;
/// BC3 with sRGB colours.
pub const TEXUNIT_AD_FORMAT_BC3_UNORM_SRGB: u32 = 0x96;
/// BC4, 1 channel.
pub const TEXUNIT_AD_FORMAT_BC4_UNORM: u32 = 0x97;
/// BC4 with values in [-1, 1].
pub const TEXUNIT_AD_FORMAT_BC4_SNORM: u32 = 0x98;
/// BC5, 2 channels.
pub const TEXUNIT_AD_FORMAT_BC5_UNORM: u32 = 0x99;
/// BC5 with values in [-1, 1].
pub const TEXUNIT_AD_FORMAT_BC5_SNORM: u32 = 0x9a;
/// BC6H, 3 channels.
pub const TEXUNIT_AD_FORMAT_BC6H_UF16: u32 = 0x9b;
/// BC6H with signed values.
pub const TEXUNIT_AD_FORMAT_BC6H_SF16: u32 = 0x9c;
/// BC7, 4 channels.
pub const TEXUNIT_AD_FORMAT_BC7_UNORM: u32 = 0x9d;
/// BC7 with sRGB colours.
pub const TEXUNIT_AD_FORMAT_BC7_UNORM_SRGB: u32 = 0x9e;
/// 8-bit unorm, 1 channel. This and the following formats imply how they are read.
pub const TEXUNIT_AD_FORMAT_UNORM_INT8X1: u32 = 0xc0;
/// 8-bit unorm, 2 channels.
pub const TEXUNIT_AD_FORMAT_UNORM_INT8X2: u32 = 0xc1;
/// 8-bit unorm, 4 channels.
pub const TEXUNIT_AD_FORMAT_UNORM_INT8X4: u32 = 0xc2;
/// 16-bit unorm, 1 channel.
pub const TEXUNIT_AD_FORMAT_UNORM_INT16X1: u32 = 0xc3;
/// 16-bit unorm, 2 channels.
pub const TEXUNIT_AD_FORMAT_UNORM_INT16X2: u32 = 0xc4;
/// 16-bit unorm, 4 channels.
pub const TEXUNIT_AD_FORMAT_UNORM_INT16X4: u32 = 0xc5;
/// 8-bit snorm, 1 channel.
pub const TEXUNIT_AD_FORMAT_SNORM_INT8X1: u32 = 0xc6;
/// 8-bit snorm, 2 channels.
pub const TEXUNIT_AD_FORMAT_SNORM_INT8X2: u32 = 0xc7;
/// 8-bit snorm, 4 channels.
pub const TEXUNIT_AD_FORMAT_SNORM_INT8X4: u32 = 0xc8;
/// 16-bit snorm, 1 channel.
pub const TEXUNIT_AD_FORMAT_SNORM_INT16X1: u32 = 0xc9;
/// 16-bit snorm, 2 channels.
pub const TEXUNIT_AD_FORMAT_SNORM_INT16X2: u32 = 0xca;
/// 16-bit snorm, 4 channels.
pub const TEXUNIT_AD_FORMAT_SNORM_INT16X4: u32 = 0xcb;
/// 16-bit depth, 1 channel. CUDA has no arrays with depth formats.
pub const TEXUNIT_AD_FORMAT_DEPTH16: u32 = 0x10000;
/// 24-bit depth in 4 bytes, 1 channel.
pub const TEXUNIT_AD_FORMAT_DEPTH24: u32 = 0x10001;
/// 32-bit float depth, 1 channel.
pub const TEXUNIT_AD_FORMAT_DEPTH32F: u32 = 0x10002;

/// The array's own format; an addition to CUDA.
pub const TEXUNIT_RES_VIEW_FORMAT_NONE: u32 = 0;
/// One channel of 8-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_1X8: u32 = 0x01;
/// Two channels of 8-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_2X8: u32 = 0x02;
/// Four channels of 8-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_4X8: u32 = 0x03;
/// One channel of 8-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_1X8: u32 = 0x04;
/// Two channels of 8-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_2X8: u32 = 0x05;
/// Four channels of 8-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_4X8: u32 = 0x06;
/// One channel of 16-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_1X16: u32 = 0x07;
/// Two channels of 16-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_2X16: u32 = 0x08;
/// Four channels of 16-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_4X16: u32 = 0x09;
/// One channel of 16-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_1X16: u32 = 0x0a;
/// Two channels of 16-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_2X16: u32 = 0x0b;
/// Four channels of 16-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_4X16: u32 = 0x0c;
/// One channel of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_1X32: u32 = 0x0d;
/// Two channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_2X32: u32 = 0x0e;
/// Four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UINT_4X32: u32 = 0x0f;
/// One channel of 32-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_1X32: u32 = 0x10;
/// Two channels of 32-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_2X32: u32 = 0x11;
/// Four channels of 32-bit signed integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SINT_4X32: u32 = 0x12;
/// One channel of 16-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_1X16: u32 = 0x13;
/// Two channels of 16-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_2X16: u32 = 0x14;
/// Four channels of 16-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_4X16: u32 = 0x15;
/// One channel of 32-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_1X32: u32 = 0x16;
/// Two channels of 32-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_2X32: u32 = 0x17;
/// Four channels of 32-bit floats.
pub const TEXUNIT_RES_VIEW_FORMAT_FLOAT_4X32: u32 = 0x18;
/// BC1, for an array with two channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC1: u32 = 0x19;
/// BC2, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC2: u32 = 0x1a;
/// BC3, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC3: u32 = 0x1b;
/// BC4, for an array with two channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC4: u32 = 0x1c;
/// BC4 with values in [-1, 1], for an array with two channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC4: u32 = 0x1d;
/// BC5, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC5: u32 = 0x1e;
/// BC5 with values in [-1, 1], for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC5: u32 = 0x1f;
/// BC6H, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC6H: u32 = 0x20;
/// BC6H with signed values, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC6H: u32 = 0x21;
/// BC7, for an array with four channels of 32-bit unsigned integers.
pub const TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC7: u32 = 0x22;

/// Depth formats, for which CUDA has no constants.
const DEPTH: [(&str, u32, u32); 3] = [
    ("depth16", TEXUNIT_AD_FORMAT_DEPTH16, 1),
    ("depth24", TEXUNIT_AD_FORMAT_DEPTH24, 1),
    ("depth32f", TEXUNIT_AD_FORMAT_DEPTH32F, 1),
];

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
        let view = |number: u32| VIEW_FORMATS[number as usize - 1];
        assert_eq!(view(TEXUNIT_RES_VIEW_FORMAT_UINT_4X8), "u8x4");
        assert_eq!(view(TEXUNIT_RES_VIEW_FORMAT_SINT_2X32), "s32x2");
        assert_eq!(view(TEXUNIT_RES_VIEW_FORMAT_FLOAT_1X16), "f16");
        assert_eq!(view(TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC5), "bc5_snorm");
        assert_eq!(
            TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC7,
            texunit_cuda_abi::CU_RES_VIEW_FORMAT_UNSIGNED_BC7
        );
    }
}
