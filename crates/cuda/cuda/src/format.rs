//! Texel formats by their numbers in `CUarray_format` and `CUresourceViewFormat`.

use crate::prelude::*;
use crate::settings::printed_refusal;
use texunit_cuda_abi::format::{FORMATS, VIEW_FORMATS};
use texunit_device::Format;
use texunit_forms::CHANNELS;

/// Video formats (in planes, or with subsampled channels), which texunit does not provide, with the
/// numbers of channels in the comments of cuda.h; formats without a comment have those of similar
/// formats.
#[rustfmt::skip]
const VIDEO: [(std::ops::RangeInclusive<u32>, u32); 9] = [
    (0x51..=0x52, 4), (0x53..=0x5e, 3),
    (0x9f..=0x9f, 3), (0xa1..=0xa4, 3), (0xa5..=0xa7, 2), (0xa8..=0xa9, 4),
    (CU_AD_FORMAT_NV12..=CU_AD_FORMAT_NV12, 3), (0xb1..=0xb1, 4), (0xb2..=0xb5, 3),
];

/// The format of a number and a number of channels.
///
/// `CUDA_ERROR_INVALID_VALUE` for other numbers, for channel counts that the format does not allow,
/// and for video formats (as an NVIDIA H200 returns even for 8 x 8 elements).
pub(crate) fn format(number: u32, channels: u32) -> Answer<Format> {
    format_of(["format", "NumChannels"], number, channels)
}

/// As [`format()`], for parameters with these names.
pub(crate) fn format_of(names: [&str; 2], number: u32, channels: u32) -> Answer<Format> {
    let row = FORMATS.iter().find(|row| (row.1, row.2) == (number, channels));
    match row.and_then(|row| Format::from_name(row.0)) {
        Some(format) => Ok(format),
        None if VIDEO.iter().any(|(video, n)| video.contains(&number) && *n == channels) => {
            let reason =
                format!("arrays of video formats (CUarray_format {number:#x}) are not supported");
            Err(printed_refusal(CUresult::INVALID_VALUE, reason))
        }
        None => Err(CUresult::INVALID_VALUE.because(no_format(names, number, channels))),
    }
}

/// The reason for refusing numbers without a format.
fn no_format([fmt, count]: [&str; 2], number: u32, channels: u32) -> String {
    let has: Vec<String> =
        FORMATS.iter().filter(|row| row.1 == number).map(|row| row.2.to_string()).collect();
    match &*has.join(", ") {
        "" => format!("{fmt} {number:#x} is not a CUarray_format"),
        "1, 2, 4" => format!("{count} {channels}: texels have {CHANNELS}"),
        has => format!(
            "{count} {channels} is not a number of channels that CUarray_format {number:#x} has: {has}"
        ),
    }
}

/// The numbers of a format in the driver API; `None` for depth formats.
pub(crate) fn numbers(format: Format) -> Option<(u32, u32)> {
    let row = FORMATS.iter().find(|row| row.0 == format.name());
    row.map(|row| (row.1, row.2))
}

/// The format of a view; `CUDA_ERROR_INVALID_VALUE` for `CU_RES_VIEW_FORMAT_NONE` and unknown
/// numbers.
pub(crate) fn view_format(number: u32) -> Answer<Format> {
    let name = (number as usize).checked_sub(1).and_then(|i| VIEW_FORMATS.get(i));
    name.and_then(|name| Format::from_name(name)).ok_or_else(|| {
        invalid!(
            "format {number:#x} of pResViewDesc is not a CUresourceViewFormat of a view: those are 1 to {:#x}",
            VIEW_FORMATS.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_the_unit_but_depth_has_numbers() {
        for found in Format::all() {
            match numbers(found) {
                Some((number, channels)) => {
                    assert_eq!(format(number, channels).ok(), Some(found));
                    assert_eq!(u32::from(found.channels()), channels, "{found}");
                }
                None => assert!(found.is_depth(), "{found}"),
            }
        }
        for number in 0..=0x23 {
            let view = view_format(number).map_err(|refusal| refusal.code);
            let is_one = (1..=VIEW_FORMATS.len() as u32).contains(&number);
            assert_eq!(view.err(), (!is_one).then_some(CUresult::INVALID_VALUE), "{number}");
        }
    }
}
