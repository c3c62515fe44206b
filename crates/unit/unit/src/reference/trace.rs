//! What a fetch did, stage by stage: for `explain`, pictures and debuggers. The reference always
//! makes one; [`fetch`](super::fetch) only keeps its answer.

use crate::effective::EffectiveSampler;
use crate::request::{FetchForm, FetchKind, FetchOperands};
use crate::resource::{Extent, TexelIndex};
use crate::sampler::AddressMode;
use texunit_texel::Reading;

/// A computation with the rule of docs/numerics.md that it follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the rule, or of the section where it has none of its own: `1.6`, `2`, `4.2`.
    pub rule: &'static str,
    /// What was computed, in one line: `trunc(lod * 256) = trunc(1.7 * 256) = 435`.
    pub text: String,
}

/// What a fetch returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchValue {
    /// x, y, z, w as the bits of the registers; of `.f16x2` the two registers.
    pub values: [u32; 4],
    /// The destination predicate: whether all texels are resident.
    pub resident: bool,
}

/// One fetch of one thread.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The instruction.
    pub form: FetchForm,
    /// Its operands.
    pub operands: FetchOperands,
    /// What texture and sampler come to.
    pub effective: EffectiveSampler,
    /// What the texture makes of the codes of its texels.
    pub readings: [Reading; 4],
    /// How a direction became a face and its coordinates.
    pub cube: Option<CubeStep>,
    /// How the level came about.
    pub level: LevelTrace,
    /// What was read: a footprint for each level and anisotropic tap; one of a single texel for
    /// point fetches, integer coordinates and each mip level of a point filter.
    pub footprints: Vec<Footprint>,
    /// Sums and roundings, a channel each: x, y, z, w. Of a gather the four texels.
    pub channels: Vec<ChannelTrace>,
    /// The result.
    pub answer: FetchValue,
}

impl Trace {
    /// The channel of the texels that a component of the result comes from.
    pub fn channel_of(&self, component: u32) -> u32 {
        match self.form.kind {
            // Whatever the component, a compare is with the depth.
            _ if self.effective.compare.is_some() => 0,
            FetchKind::Gather(channel) => channel.into(),
            FetchKind::Sample(_) => component,
        }
    }

    /// The texels in memory that a component of the result comes from: of a gather one, else all
    /// that are read. A tile that is not resident has none.
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

/// From a direction to a face (docs/numerics.md 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeStep {
    /// x, y, z as given.
    pub direction: [f32; 3],
    /// 0 to 5: +x, -x, +y, -y, +z, -z.
    pub face: u32,
    /// Product of the direction and its reciprocal length along the face's s.
    pub sc: f32,
    /// Product of the direction and its reciprocal length along the face's t.
    pub tc: f32,
    /// The product of the largest magnitude.
    pub ma: f32,
    /// First face coordinate, 0 to 1, exactly `(sc + 1) / 2`: rounded here.
    pub s: f32,
    /// Second face coordinate, likewise.
    pub t: f32,
}

/// How the level of a fetch came about (docs/numerics.md 3, 4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelTrace {
    /// In order.
    pub steps: Vec<Step>,
    /// The level in 1/256, after bias and clamps.
    pub q: i64,
    /// The levels that are read and their shares of 256.
    pub levels: Vec<(u32, u32)>,
}

/// A 2x2 or 2x2x2 neighbourhood of texels, or a single one.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Mip level.
    pub level: u32,
    /// Texels of that level.
    pub extent: Extent,
    /// Layer; of cubes, `6 * cube + face`.
    pub plane: u32,
    /// Sample of a multi-sample fetch.
    pub sample: u32,
    /// Number of the anisotropic tap on its level, from 0, and how many there are.
    pub tap: (u32, u32),
    /// What it counts among levels and taps, in units of `2^-(8 + scale)`.
    pub share: u32,
    /// 0, but for anisotropic fetches.
    pub scale: u32,
    /// x, y, z as far as the geometry has them; the row of a 1D texture is not shown.
    pub axes: Vec<AxisTrace>,
    /// The texels that are read, in the order of the sum.
    pub texels: Vec<TexelTrace>,
}

/// A coordinate along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisTrace {
    /// The coordinate's bits: of the operand, or of a face's s and t.
    pub coordinate: u32,
    /// In texels, offset included, limited if the address mode says so.
    pub texels: f64,
    /// Index of the lower (or only) texel, before the address mode.
    pub index: i64,
    /// Weight of the upper texel in 1/256; 0 for a point fetch.
    pub upper: u32,
    /// The weight before it was rounded, 0 to 1; a little below 0 where rounding carried into the
    /// index.
    pub exact: f64,
    /// The mode in effect; `None` for integer coordinates.
    pub mode: Option<AddressMode>,
}

/// A texel that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelTrace {
    /// 0 or 1 along x, y, z: which corner of the footprint.
    pub corner: [u8; 3],
    /// Index before the address mode.
    pub index: [i64; 3],
    /// Where it is; `None` is the border colour, zeros outside for integer coordinates, or, of a
    /// gather, the texel that a corner of a cube lacks. A seamless cube fetch may be on another
    /// face.
    pub at: Option<TexelIndex>,
    /// The three texels of which a gather makes the one that a corner of a cube lacks.
    pub made_of: Option<[TexelIndex; 3]>,
    /// Codes as stored, or the border colour's; 0 where no tile is there.
    pub codes: [u32; 4],
    /// What a point fetch would return for it, f32 or integer bits.
    pub values: [u32; 4],
    /// Weight in the footprint's units (gathers: 0 everywhere, they do not sum).
    pub weight: u32,
    /// The weight without any rounding, of 1.
    pub exact: f64,
    /// Whether its tile is there.
    pub resident: bool,
    /// Outcome of the depth compare.
    pub compared: Option<bool>,
}

/// How a component came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelTrace {
    /// Group sums, roundings; empty for a component that the format lacks.
    pub steps: Vec<Step>,
    /// Register bits.
    pub result: u32,
}
