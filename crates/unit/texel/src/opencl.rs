//! OpenCL enumeration values for formats, which texture queries return (docs/numerics.md 12).

use crate::format::{Block, Channel, Encoding, Format};

#[rustfmt::skip]
mod numbers {
    pub(super) const SNORM_INT8: u32          = 0x10d0;
    pub(super) const SNORM_INT16: u32         = 0x10d1;
    pub(super) const UNORM_INT8: u32          = 0x10d2;
    pub(super) const UNORM_INT16: u32         = 0x10d3;
    pub(super) const SIGNED_INT8: u32         = 0x10d7;
    pub(super) const SIGNED_INT16: u32        = 0x10d8;
    pub(super) const SIGNED_INT32: u32        = 0x10d9;
    pub(super) const UNSIGNED_INT8: u32       = 0x10da;
    pub(super) const UNSIGNED_INT16: u32      = 0x10db;
    pub(super) const UNSIGNED_INT32: u32      = 0x10dc;
    pub(super) const HALF_FLOAT: u32          = 0x10dd;
    pub(super) const FLOAT: u32               = 0x10de;
    pub(super) const UNORM_INT24: u32         = 0x10df;
    pub(super) const UNORM_INT_101010_2: u32  = 0x10e0;
    pub(super) const R: u32                   = 0x10b0;
    pub(super) const RG: u32                  = 0x10b2;
    pub(super) const RGB: u32                 = 0x10b4;
    pub(super) const RGBA: u32                = 0x10b5;
    pub(super) const DEPTH: u32               = 0x10bd;
    pub(super) const SRGBA: u32               = 0x10c1;
}
use numbers::*;

impl Format {
    /// The format's `cl_channel_type` in OpenCL, which depends on whether the texture reads
    /// normalized floats. Block-compressed formats, which OpenCL lacks, have the type of their
    /// decoded texels (assumed).
    pub fn channel_data_type(self, normalized: bool) -> u32 {
        match self.kind() {
            Encoding::Plain(channel) => plain(channel, normalized),
            Encoding::Normalized(channel) => plain(channel, true),
            Encoding::Rgb10a2 => UNORM_INT_101010_2,
            Encoding::Depth(16) => UNORM_INT16,
            Encoding::Depth(_) => UNORM_INT24,
            Encoding::DepthFloat => FLOAT,
            Encoding::Block(Block::Bc1 | Block::Bc2 | Block::Bc3 | Block::Bc7) => UNORM_INT8,
            Encoding::Block(Block::Bc4 | Block::Bc5) => UNORM_INT16,
            Encoding::Block(Block::Bc4Snorm | Block::Bc5Snorm) => SNORM_INT16,
            Encoding::Block(Block::Bc6h | Block::Bc6hSnorm) => HALF_FLOAT,
        }
    }

    /// The format's `cl_channel_order` in OpenCL. Block-compressed formats have the order of their
    /// decoded texels (assumed).
    pub fn channel_order(self) -> u32 {
        match self.channels() {
            _ if self.is_depth() => DEPTH,
            _ if self.is_srgb_block() => SRGBA,
            1 => R,
            2 => RG,
            3 => RGB,
            _ => RGBA,
        }
    }
}

fn plain(channel: Channel, normalized: bool) -> u32 {
    match (channel, normalized) {
        (Channel::S8, true) => SNORM_INT8,
        (Channel::S16, true) => SNORM_INT16,
        (Channel::U8, true) => UNORM_INT8,
        (Channel::U16, true) => UNORM_INT16,
        (Channel::S8, false) => SIGNED_INT8,
        (Channel::S16, false) => SIGNED_INT16,
        (Channel::S32, _) => SIGNED_INT32,
        (Channel::U8, false) => UNSIGNED_INT8,
        (Channel::U16, false) => UNSIGNED_INT16,
        (Channel::U32, _) => UNSIGNED_INT32,
        (Channel::F16, _) => HALF_FLOAT,
        (Channel::F32, _) => FLOAT,
    }
}
