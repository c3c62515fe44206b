//! The trace of a fetch, stage by stage, for `explain`, pictures and debuggers. The reference
//! always makes a trace; [`fetch`](super::fetch) keeps only its result.

use crate::effective::EffectiveSampler;
use crate::request::{FetchForm, FetchKind, FetchOperands};
use crate::resource::{Extent, TexelIndex};
use crate::sampler::AddressMode;
use texunit_texel::Reading;

/// A step of the computation, with the rule of docs/numerics.md that it follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the rule, or of the section if the step has no rule of its own: `1.6`, `2`, `4.2`.
    pub rule: &'static str,
    /// The computation in one line: `trunc(lod * 256) = trunc(1.7 * 256) = 435`.
    pub text: String,
}

/// The result of one lane's fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchValue {
    /// x, y, z, w as register bits; for `.f16x2` the two registers.
    pub values: [u32; 4],
    /// The destination predicate: whether all texels are resident.
    pub resident: bool,
}

/// The trace of one lane's fetch.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The form of the instruction.
    pub form: FetchForm,
    /// The operands of the fetch.
    pub operands: FetchOperands,
    /// The effective state of texture and sampler.
    pub effective: EffectiveSampler,
    /// How the texture converts the codes of each channel.
    pub readings: [Reading; 4],
    /// How the direction was converted to a face and its coordinates; `None` unless the geometry is
    /// a cube.
    pub cube: Option<CubeStep>,
    /// How the level was computed.
    pub level: LevelTrace,
    /// The texels that were read: a footprint for each level and anisotropic tap. Point fetches,
    /// integer coordinates and each mip level of a point filter have a footprint of a single texel.
    pub footprints: Vec<Footprint>,
    /// The sums and roundings of each channel: x, y, z, w. For a gather, the conversions of the
    /// four texels.
    pub channels: Vec<ChannelTrace>,
    /// The result of the fetch.
    pub answer: FetchValue,
}

impl Trace {
    /// The channel of the texels from which a component of the result is computed.
    pub fn channel_of(&self, component: u32) -> u32 {
        match self.form.kind {
            // A depth compare always uses channel 0, whichever component is requested.
            _ if self.effective.compare.is_some() => 0,
            FetchKind::Gather(channel) => channel.into(),
            FetchKind::Sample(_) => component,
        }
    }

    /// The texels in memory from which a component of the result is computed: one texel for a
    /// gather, otherwise all texels that are read. Texels whose tiles are not resident are left
    /// out.
    pub fn texels_of(&self, component: u32) -> impl Iterator<Item = TexelIndex> + '_ {
        let is_gather = matches!(self.form.kind, FetchKind::Gather(_));
        let reads = move |number: usize| !is_gather || number == component as usize;
        let texels = self.footprints.iter().flat_map(move |footprint| {
            let texels = footprint.texels.iter().enumerate();
            texels.filter(move |(number, t)| t.resident && reads(*number)).map(|(_, texel)| texel)
        });
        texels.flat_map(|texel| texel.at.into_iter().chain(texel.made_of.into_iter().flatten()))
    }
}

/// The conversion of a direction to a face (docs/numerics.md 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeStep {
    /// The direction x, y, z that the instruction gives.
    pub direction: [f32; 3],
    /// The face that the direction points at, 0 to 5: +x, -x, +y, -y, +z, -z.
    pub face: u32,
    /// Component of the direction along the face's s axis, divided by the largest magnitude of a
    /// component.
    pub sc: f32,
    /// Component of the direction along the face's t axis, divided by the largest magnitude of a
    /// component.
    pub tc: f32,
    /// The largest component of the direction, times the reciprocal of its magnitude.
    pub ma: f32,
    /// The first face coordinate, 0 to 1, which is `(sc + 1) / 2`, rounded for display.
    pub s: f32,
    /// The second face coordinate, 0 to 1, rounded for display.
    pub t: f32,
}

/// The computation of a fetch's level (docs/numerics.md 3, 4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelTrace {
    /// The steps of the computation in order.
    pub steps: Vec<Step>,
    /// The level in 1/256, after bias and clamps.
    pub q: i64,
    /// The levels that are read and their shares of 256.
    pub levels: Vec<(u32, u32)>,
}

/// The texels that a fetch reads in one level or tap: 2x2 or 2x2x2 neighbours, or a single texel.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Mip level.
    pub level: u32,
    /// Size of that level.
    pub extent: Extent,
    /// Index of the layer; for cubes, `6 * cube + face`.
    pub plane: u32,
    /// Sample index of a multi-sample fetch.
    pub sample: u32,
    /// Index of the anisotropic tap in its level, and the number of taps.
    pub tap: (u32, u32),
    /// This footprint's share of the weight among levels and taps, in units of `2^-(8 + scale)`.
    pub share: u32,
    /// Exponent of the weights' unit, which is `2^-(8 + scale)`; 0 except for anisotropic fetches.
    pub scale: u32,
    /// The axes x, y, z that the geometry has; the implicit row of a 1D texture is not shown.
    pub axes: Vec<AxisTrace>,
    /// The texels that are read, in the order in which they are summed.
    pub texels: Vec<TexelTrace>,
}

/// The coordinate of a footprint along one axis, and the texels that it selects.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisTrace {
    /// Bits of the coordinate, which is an operand of the instruction, or s or t of a cube face.
    pub coordinate: u32,
    /// The coordinate in texels, including the offset, and limited if the address mode limits it.
    pub texels: f64,
    /// Index of the lower (or only) texel, before the address mode.
    pub index: i64,
    /// Weight of the upper texel in 1/256; 0 for a point fetch.
    pub upper: u32,
    /// The weight of the upper texel before rounding, 0 to 1; slightly below 0 if rounding carried
    /// into the index.
    pub exact: f64,
    /// The effective address mode; `None` for integer coordinates.
    pub mode: Option<AddressMode>,
}

/// A texel of a footprint that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelTrace {
    /// Position in the footprint: 0 or 1 along x, y, z.
    pub corner: [u8; 3],
    /// Index of the texel along x, y, z, before the address mode.
    pub index: [i64; 3],
    /// The texel's location, which for a seamless cube fetch may be on another face. It is `None`
    /// for the border colour, for zeros outside with integer coordinates, and for the texel of a
    /// gather that is missing at a corner of a cube.
    pub at: Option<TexelIndex>,
    /// For a texel of a gather that is missing at a corner of a cube, the three texels from which
    /// its value is computed.
    pub made_of: Option<[TexelIndex; 3]>,
    /// The codes of the texel as stored, or those of the border colour; 0 if the tile is not
    /// mapped.
    pub codes: [u32; 4],
    /// The values that a point fetch of this texel would return, as f32 or integer bits.
    pub values: [u32; 4],
    /// The weight of the texel in the footprint's units; 0 for gathers, which do not sum.
    pub weight: u32,
    /// The weight before it is rounded, as a fraction of 1.
    pub exact: f64,
    /// Whether the texel's tile is mapped.
    pub resident: bool,
    /// The outcome of the texel's depth compare; `None` if the fetch has no compare.
    pub compared: Option<bool>,
}

/// The computation of one component of the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelTrace {
    /// The sums of groups and the roundings; empty for a component that the format lacks.
    pub steps: Vec<Step>,
    /// The component as register bits.
    pub result: u32,
}
