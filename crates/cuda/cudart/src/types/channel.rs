//! Channel descriptors (`cudaChannelFormatDesc`), and their conversion from and to array formats.

use super::*;
use texunit_forms::{CHANNELS, Count};

/// Signed integers.
pub(crate) const SIGNED: i32 = 0;
/// Unsigned integers.
pub(crate) const UNSIGNED: i32 = 1;
/// Floating point.
pub(crate) const FLOAT: i32 = 2;
/// 8-bit video in planes, which textures do not support.
pub(crate) const NV12: i32 = 4;
/// Unsigned and signed BC6H.
const BC6H: std::ops::RangeInclusive<i32> = 27..=28;
/// Video formats introduced in CUDA 13.
const VIDEO: std::ops::RangeInclusive<i32> = 32..=45;
/// Three channels of 10 bits and one of 2.
const PACKED_1010102: i32 = 31;

/// Read modes that textures of a format support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Channels of 8 and 16 bits are read as integers or as normalised fractions.
    Integer,
    /// Channels of 32 bits are read as integers only.
    LongInteger,
    /// Channels are read as floats.
    Element,
    /// As normalised fractions only.
    Normalized,
    /// No texture of the format exists.
    None,
}

/// An array format (`CU_AD_FORMAT_*`) and a number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) format: u32,
    pub(crate) channels: u32,
}

// The table `KINDS`: the formats with a channel kind of their own.
include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// Formats with any number of channels: kind, bits, format.
#[rustfmt::skip]
const PLAIN: &[(i32, i32, u32)] = &[
    (SIGNED, 8, CU_AD_FORMAT_SIGNED_INT8),
    (SIGNED, 16, CU_AD_FORMAT_SIGNED_INT16),
    (SIGNED, 32, CU_AD_FORMAT_SIGNED_INT32),
    (UNSIGNED, 8, CU_AD_FORMAT_UNSIGNED_INT8),
    (UNSIGNED, 16, CU_AD_FORMAT_UNSIGNED_INT16),
    (UNSIGNED, 32, CU_AD_FORMAT_UNSIGNED_INT32),
    (FLOAT, 16, CU_AD_FORMAT_HALF),
    (FLOAT, 32, CU_AD_FORMAT_FLOAT),
];

/// `CU_AD_FORMAT_UNORM_INT_101010_2`
const FORMAT_1010102: u32 = 0x50;
const BITS_1010102: [i32; 4] = [10, 10, 10, 2];

/// Equal bits for a number of channels.
fn same(bits: i32, channels: u32) -> [i32; 4] {
    std::array::from_fn(|i| if (i as u32) < channels { bits } else { 0 })
}

impl cudaChannelFormatDesc {
    /// The array format of a descriptor: 1, 2 or 4 channels of equal size without gaps, unless the
    /// kind prescribes another number. Others are refused with `cudaErrorInvalidChannelDescriptor`.
    pub(crate) fn format(self) -> Answer<Format> {
        if (self.kind, self.bits) == (PACKED_1010102, BITS_1010102) {
            return Ok(Format { format: FORMAT_1010102, channels: 4 });
        }
        for &(kind, format, bits, channels) in KINDS {
            if kind == self.kind && self.bits == same(bits, channels) {
                return Ok(Format { format, channels });
            }
        }
        for &(kind, bits, format) in PLAIN {
            let channels = [1, 2, 4].into_iter().find(|&n| self.bits == same(bits, n));
            if let (Some(channels), true) = (channels, kind == self.kind) {
                return Ok(Format { format, channels });
            }
        }
        if self.bits == same(self.bits[0], 3) && [8, 16, 32].contains(&self.bits[0]) {
            bail!(INVALID_CHANNEL_DESCRIPTOR, "desc has 3 channels: texels have {CHANNELS}");
        }
        Err(INVALID_CHANNEL_DESCRIPTOR.because(format!(
            "desc is not a format: bits {:?} and kind f {} (cudaChannelFormatKind) do not go together",
            self.bits, self.kind
        )))
    }

    /// As [`Self::format`], for an array to be allocated. The runtime on a GeForce RTX 3060 (driver
    /// 13.2) refuses the first video format introduced in CUDA 13; that it refuses the others is
    /// inferred (docs/cuda-api.md, "What a driver returns").
    pub(crate) fn format_of_array(self) -> Answer<Format> {
        ensure!(
            !VIDEO.contains(&self.kind),
            INVALID_CHANNEL_DESCRIPTOR,
            "f of desc is {}, a kind of video formats, which arrays do not have",
            self.kind
        );
        self.format()
    }
}

impl Format {
    /// The channel descriptor of an array of this format, with 1 to 4 channels.
    pub(crate) fn channel(self) -> Answer<cudaChannelFormatDesc> {
        ensure!(
            (1..=4).contains(&self.channels),
            INVALID_CHANNEL_DESCRIPTOR,
            "the array has {}, and a cudaChannelFormatDesc has 1 to 4",
            Count(self.channels, "channel")
        );
        if self.format == FORMAT_1010102 {
            return Ok(cudaChannelFormatDesc { bits: BITS_1010102, kind: PACKED_1010102 });
        }
        let own = KINDS.iter().map(|&(kind, format, bits, _)| (kind, bits, format));
        let (kind, bits, _) =
            own.chain(PLAIN.iter().copied()).find(|row| row.2 == self.format).ok_or_else(|| {
                INVALID_CHANNEL_DESCRIPTOR.because(format!(
                    "CUarray_format {:#x} has no cudaChannelFormatDesc",
                    self.format
                ))
            })?;
        Ok(cudaChannelFormatDesc { bits: same(bits, self.channels), kind })
    }

    /// Whether the format is block-compressed, with elements of 4 by 4 texels.
    pub(crate) fn is_blocks(self) -> bool {
        (0x91..=0x9e).contains(&self.format)
    }

    /// Size in bytes of an element for copies; for block-compressed formats, of a block.
    pub(crate) fn bytes(self) -> Answer<usize> {
        Ok(match self.format {
            // BC1 and BC4; the other block-compressed formats.
            0x91 | 0x92 | 0x97 | 0x98 => 8,
            0x93..=0x96 | 0x99..=0x9e => 16,
            FORMAT_1010102 => 4,
            _ => self.channel()?.bits.map(|bits| bits as usize / 8).iter().sum(),
        })
    }

    /// The read modes that textures of the format support.
    pub(crate) fn class(self) -> Answer<Class> {
        Ok(match self.channel()? {
            cudaChannelFormatDesc { kind: SIGNED | UNSIGNED, bits: [32, ..] } => Class::LongInteger,
            cudaChannelFormatDesc { kind: SIGNED | UNSIGNED, .. } => Class::Integer,
            cudaChannelFormatDesc { kind: NV12, .. } => Class::None,
            cudaChannelFormatDesc { kind, .. }
                if kind == FLOAT || BC6H.contains(&kind) || kind >= PACKED_1010102 =>
            {
                Class::Element
            }
            _ => Class::Normalized,
        })
    }
}
