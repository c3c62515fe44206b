//! From coordinates to texels along an axis: docs/numerics.md, section 1, in 32-bit integers.
//!
//! A coordinate becomes a distance in 1/256 of a texel, `floor(u * 256 + 1/2) - 128`: index and weight
//! in one number, the carry included. For sizes that are powers of two it is half of `floor(x * 512 n)`,
//! which one exact multiplication and one conversion give; for others a 64-bit product of integers.
//! That holds for coordinates below [`FAR`] texels and 1024 textures. Lanes beyond, infinite ones and
//! NaNs among them, are rare: the general way answers those.

use super::along::{Along, Named};
use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;
use crate::warp::build::Wide;
use crate::warp::general::axes;
use crate::warp::simd::{Arguments, Run, pick_wide};

/// Texels from the origin up to which 512 of them still fit an i32.
const FAR: f32 = 4_194_304.0;

/// What an axis contributes to 32 footprints. No vector of it crosses two cache lines; so in the other
/// structures of lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct AxisLanes {
    /// Byte offset of the lower or only texel.
    pub(super) lower: Lanes,
    /// Byte offset of the upper texel, if two are looked for.
    pub(super) upper: Lanes,
    /// Weight of the upper texel in 1/256, likewise.
    pub(super) weight: Lanes,
    /// Lanes whose lower or upper texel is outside.
    pub(super) outside: [u32; 2],
    /// Lanes whose upper texel is not the one behind the lower.
    pub(super) apart: u32,
}

impl AxisLanes {
    pub(super) const ZERO: Self =
        Self { lower: [0; 32], upper: [0; 32], weight: [0; 32], outside: [0; 2], apart: 0 };
}

/// Sizes and pitches of the levels that lanes read.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Texels.
    pub(super) size: Lanes,
    /// Bytes from a texel to the next.
    pub(super) pitch: Lanes,
}

/// How texels are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// By integer coordinates (rule 1.9).
    Integer,
    /// The one that holds the point (rule 1.5).
    Point,
    /// The two around the point (rule 1.6).
    Linear,
}

/// An axis, specialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels, and bytes from one to the next, where all lanes read the same level.
    pub(super) size: u32,
    pub(super) pitch: u32,
    /// Of a pitch that is a power of two, which.
    pub(super) shift: u32,
    /// What coordinates are multiplied by, if that is a power of two: texels if they are normalized, 512 if two
    /// texels are looked for.
    pub(super) factor: f32,
    /// Coordinates of this size and beyond are far.
    pub(super) limit: f32,
    coords: Coords,
    /// How coordinates are scaled and addressed, of points and pairs of texels.
    pub(super) kind: (u8, u8),
    /// What answers far lanes.
    pub(super) exact: axes::Axis,
    run: Run<OfAxis>,
}

/// A call of the stage.
pub(super) struct Call<'a> {
    pub(super) axis: &'a Axis,
    pub(super) coords: &'a Lanes,
    pub(super) offset: Option<&'a Lanes>,
    pub(super) sizes: Option<&'a Sizes>,
    pub(super) out: &'a mut AxisLanes,
}

#[derive(Debug)]
pub(super) struct OfAxis;

impl Arguments for OfAxis {
    type Of<'a> = Call<'a>;
}

pub(super) const POINT: u8 = 0;
pub(super) const LINEAR: u8 = 1;

/// Sizes that are powers of two, and unnormalized coordinates: `x * n` is exact (rules 1.2, 1.3).
pub(super) const EXACT: u8 = 0;
/// `x` is cut to 2^-21 first.
pub(super) const CUT: u8 = 1;
/// Levels of both kinds.
pub(super) const MIXED: u8 = 2;

pub(super) const CLAMP: u8 = 0;
pub(super) const WRAP: u8 = 1;
pub(super) const MIRROR: u8 = 2;
pub(super) const BORDER: u8 = 3;
/// For sizes that are powers of two.
pub(super) const WRAP_2: u8 = 4;
pub(super) const MIRROR_2: u8 = 5;

impl Axis {
    /// The axis of a level of `size` texels that are `pitch` bytes apart; of several levels, `size` is
    /// that of the largest. `each` says that lanes bring their own sizes.
    pub(super) fn new(
        (size, pitch): (u32, u32),
        find: Find,
        coords: Coords,
        mode: AddressMode,
        each: bool,
        build: Wide,
    ) -> Self {
        let scale = match coords {
            Coords::Normalized if size.is_power_of_two() => EXACT,
            Coords::Normalized if each => MIXED,
            Coords::Normalized => CUT,
            Coords::Unnormalized | Coords::Integer => EXACT,
        };
        let kind = (scale, addressing(mode, scale == EXACT && size.is_power_of_two()));
        let run = match (find, each) {
            (Find::Integer, false) => pick_wide::<_, Named<false>>(build),
            (Find::Integer, true) => pick_wide::<_, Named<true>>(build),
            (Find::Point, false) => by_scale::<POINT, false>(kind, build),
            (Find::Point, true) => by_scale::<POINT, true>(kind, build),
            (Find::Linear, false) => by_scale::<LINEAR, false>(kind, build),
            (Find::Linear, true) => by_scale::<LINEAR, true>(kind, build),
        };
        let texels = if coords == Coords::Normalized { size as f32 } else { 1.0 };
        let factor = if find == Find::Linear { 512.0 * texels } else { texels };
        let limit = match coords {
            Coords::Normalized => (FAR / size as f32).min(1024.0),
            Coords::Unnormalized | Coords::Integer => FAR,
        };
        let found = match find {
            Find::Integer => axes::Find::Integer,
            Find::Point => axes::Find::Point,
            Find::Linear => axes::Find::Linear,
        };
        let exact = axes::Axis { find: found, coords, mode };
        Self { size, pitch, shift: pitch.trailing_zeros(), factor, limit, coords, kind, exact, run }
    }

    /// Fills `out` for all 32 lanes, whatever the coordinates. Offsets are texels.
    #[inline(always)]
    pub(super) fn run(
        &self,
        coords: &Lanes,
        offset: Option<&Lanes>,
        sizes: Option<&Sizes>,
        out: &mut AxisLanes,
    ) {
        self.run.call(Call { axis: self, coords, offset, sizes, out });
    }

    pub(super) fn is_normalized(&self) -> bool {
        self.coords == Coords::Normalized
    }
}

fn by_scale<const FIND: u8, const EACH: bool>((scale, mode): (u8, u8), build: Wide) -> Run<OfAxis> {
    match scale {
        EXACT => by_mode::<FIND, EXACT, EACH>(mode, build),
        CUT => by_mode::<FIND, CUT, EACH>(mode, build),
        _ => by_mode::<FIND, MIXED, EACH>(mode, build),
    }
}

/// What the stages call a mode.
fn addressing(mode: AddressMode, pow2: bool) -> u8 {
    match mode {
        AddressMode::Clamp | AddressMode::ClampOgl => CLAMP,
        AddressMode::Wrap if pow2 => WRAP_2,
        AddressMode::Mirror if pow2 => MIRROR_2,
        AddressMode::Wrap => WRAP,
        AddressMode::Mirror => MIRROR,
        AddressMode::Border => BORDER,
    }
}

fn by_mode<const FIND: u8, const SCALE: u8, const EACH: bool>(
    mode: u8,
    build: Wide,
) -> Run<OfAxis> {
    match mode {
        CLAMP => pick_wide::<_, Along<FIND, SCALE, CLAMP, EACH>>(build),
        WRAP_2 => pick_wide::<_, Along<FIND, SCALE, WRAP_2, EACH>>(build),
        MIRROR_2 => pick_wide::<_, Along<FIND, SCALE, MIRROR_2, EACH>>(build),
        WRAP => pick_wide::<_, Along<FIND, SCALE, WRAP, EACH>>(build),
        MIRROR => pick_wide::<_, Along<FIND, SCALE, MIRROR, EACH>>(build),
        _ => pick_wide::<_, Along<FIND, SCALE, BORDER, EACH>>(build),
    }
}
