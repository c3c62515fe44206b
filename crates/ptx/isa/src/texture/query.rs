//! Attributes that txq and suq can query, and their objects.

use crate::Opcode::{self, Suq, Txq};
use crate::types::Attribute::{self, *};
use crate::types::ScalarType::{self, Samplerref, Surfref, Texref};

/// The types of objects that a query accepts in unified mode, and with `texmode_independent`.
type Handles = [&'static [ScalarType]; 2];

/// A query of an attribute.
#[derive(Clone, Copy, Debug)]
pub struct QueryRow {
    /// The opcode: `txq` or `suq`.
    pub opcode: Opcode,
    /// Whether the query has `.level`, with a level as third operand.
    pub level: bool,
    /// The queried attribute.
    pub query: Attribute,
    handles: Handles,
    /// The required `.version`, times ten.
    pub version: u32,
    /// Number of the required `.target`; 0: any.
    pub target: u32,
    /// Meaning of the result.
    pub doc: &'static str,
}

const TEXTURE: Handles = [&[Texref], &[Texref]];
const SAMPLING: Handles = [&[Texref], &[Samplerref]];
const SAMPLER: Handles = [&[Samplerref], &[Samplerref]];
const ANY: Handles = [&[Texref], &[Texref, Samplerref, Surfref]];
const SURFACE: Handles = [&[Surfref], &[Surfref]];

/// All queries.
#[rustfmt::skip]
pub const QUERIES: &[QueryRow] = &[
    row(Txq, false, Width,                   TEXTURE,  15,  0, "Width in texels."),
    row(Txq, false, Height,                  TEXTURE,  15,  0, "Height in texels; 0 for 1d textures."),
    row(Txq, false, Depth,                   TEXTURE,  15,  0, "Depth in texels; 0 for textures that are not 3d."),
    row(Txq, false, ChannelDataType,         TEXTURE,  21,  0, "Type of a channel, as OpenCL numbers it."),
    row(Txq, false, ChannelOrder,            TEXTURE,  21,  0, "Order of the channels, as OpenCL numbers it."),
    row(Txq, false, NormalizedCoords,        TEXTURE,  15,  0, "1 if coordinates are normalized, 0 if they are texels."),
    row(Txq, false, ArraySize,               TEXTURE,  41,  0, "Number of layers of a texture array, 0 otherwise."),
    row(Txq, false, NumMipmapLevels,         TEXTURE,  41, 20, "Number of levels of a mipmapped texture."),
    row(Txq, false, NumSamples,              TEXTURE,  41, 30, "Samples in a texel of a multi-sample texture."),
    row(Txq, false, ForceUnnormalizedCoords, SAMPLER,  22,  0, "1 if the sampler overrides normalized coordinates of the texture."),
    row(Txq, false, FilterMode,              SAMPLING, 15,  0, "0 nearest, 1 linear."),
    row(Txq, false, AddrMode0,               SAMPLING, 15,  0, "Addressing of the first coordinate: 0 wrap, 1 mirror, 2 clamp_ogl, 3 clamp_to_edge, 4 clamp_to_border."),
    row(Txq, false, AddrMode1,               SAMPLING, 15,  0, "Addressing of the second coordinate, numbered as addr_mode_0."),
    row(Txq, false, AddrMode2,               SAMPLING, 15,  0, "Addressing of the third coordinate, numbered as addr_mode_0."),
    row(Txq, false, MemoryLayout,            ANY,      42,  0, "1 for linear memory, 0 otherwise. Not in the documentation of txq, taken by the assembler."),
    row(Txq, true,  Width,                   TEXTURE,  43, 30, "Width of a level in texels."),
    row(Txq, true,  Height,                  TEXTURE,  43, 30, "Height of a level in texels."),
    row(Txq, true,  Depth,                   TEXTURE,  43, 30, "Depth of a level in texels."),
    row(Suq, false, Width,                   SURFACE,  15,  0, "Width in texels."),
    row(Suq, false, Height,                  SURFACE,  15,  0, "Height in texels; 0 for 1d surfaces."),
    row(Suq, false, Depth,                   SURFACE,  15,  0, "Depth in texels; 0 for surfaces that are not 3d."),
    row(Suq, false, ChannelDataType,         SURFACE,  21,  0, "Type of a channel, as OpenCL numbers it."),
    row(Suq, false, ChannelOrder,            SURFACE,  21,  0, "Order of the channels, as OpenCL numbers it."),
    row(Suq, false, ArraySize,               SURFACE,  41,  0, "Number of layers of a surface array, 0 otherwise."),
    row(Suq, false, MemoryLayout,            SURFACE,  42,  0, "1 for linear memory, 0 otherwise."),
];

const fn row(
    opcode: Opcode,
    level: bool,
    query: Attribute,
    handles: Handles,
    version: u32,
    target: u32,
    doc: &'static str,
) -> QueryRow {
    QueryRow { opcode, level, query, handles, version, target, doc }
}

/// The row of a query, if it exists.
pub fn query_of(opcode: Opcode, level: bool, query: Attribute) -> Option<&'static QueryRow> {
    QUERIES.iter().find(|q| q.opcode == opcode && q.level == level && q.query == query)
}

impl QueryRow {
    /// The name, such as `txq.level.width.b32`.
    pub fn name(&self) -> String {
        let level = if self.level { ".level" } else { "" };
        format!("{}{level}.{}.b32", self.opcode, self.query)
    }

    /// The types of objects that are valid in a texturing mode; a 64-bit register is valid for any.
    pub const fn handles(&self, independent: bool) -> &'static [ScalarType] {
        self.handles[independent as usize]
    }
}
