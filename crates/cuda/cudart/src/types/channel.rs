//! Channel descriptors (`cudaChannelFormatDesc`), and their conversion from and to array formats.

use super::*;
use texunit_forms::{CHANNELS, Count};

/// Unsigned and signed BC6H.
const BC6H: std::ops::RangeInclusive<i32> = 27..=28;
/// Video formats introduced in CUDA 13.
const VIDEO: std::ops::RangeInclusive<i32> = 32..=45;
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

// The table `FORMATS` of `data/formats.txt`: kind, format, bits of a channel, and channels, or 0
// for any number of them.
include!(concat!(env!("OUT_DIR"), "/formats.rs"));

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
        let fits = |&(kind, format, bits, channels): &(i32, u32, i32, u32)| {
            let counts = if channels == 0 { [1, 2, 4] } else { [channels; 3] };
            let channels = counts.into_iter().find(|&n| self.bits == same(bits, n))?;
            (kind == self.kind).then_some(Format { format, channels })
        };
        if let Some(format) = FORMATS.iter().find_map(fits) {
            return Ok(format);
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
        let row = FORMATS.iter().find(|row| row.1 == self.format);
        let &(kind, _, bits, _) = row.ok_or_else(|| {
            let reason = format!("CUarray_format {:#x} has no cudaChannelFormatDesc", self.format);
            INVALID_CHANNEL_DESCRIPTOR.because(reason)
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
