//! From coordinates to texels along an axis: docs/numerics.md, section 1, in 32-bit integers. One stage for
//! every plan; what differs between plans is decided when they are made.
//!
//! A coordinate becomes a distance in 1/256 of a texel, `floor(u * 256 + 1/2) - 128`: index and weight
//! in one number, the carry included. For sizes that are powers of two up to [`EXACT_UP_TO`] it is
//! half of `floor(x * 512 n)`, which one exact multiplication and one conversion give; for others a
//! 64-bit product of integers. On the faces of a cube the coordinate is a product `c` from -1 to 1
//! and the place `(c + 1) / 2`: half the factor, and half the size more.
//! That holds for coordinates below [`FAR`] texels and 1024 textures. Lanes beyond, infinite ones and
//! NaNs among them, are rare: the reference answers those.

mod along;
mod far;
#[cfg(test)]
mod tests;

use along::{Along, Named};
pub(super) use along::{OnAxis, Size, along};
use far::Exact;

use super::build::{Build, Wide};
use super::simd::{Arguments, Run, pick, pick_wide};
use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;

/// Texels from the origin up to which 512 of them still fit an i32, also less one.
const FAR: f32 = 4_194_303.0;

/// The largest power of two as a size of which the floor of rule 1.2 cannot be seen.
const EXACT_UP_TO: u32 = 4096;

/// How coordinates are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaling {
    pub(super) coords: Coords,
    /// Whether they are products on a face of a cube.
    pub(super) of_face: bool,
}

/// Rule 1.2: bits of a coordinate beyond 21 for a size.
fn fine_bits(size: u32) -> u32 {
    size.ilog2().saturating_sub(13).min(2)
}

/// What an axis contributes to 32 footprints. No vector of it crosses two cache lines; so in the other
/// structures of lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct AxisLanes {
    /// The lower or only texel: its byte offset, or its index with -1 for outside, as the axis
    /// [has it](To).
    pub(super) lower: Lanes,
    /// The upper texel, if two are looked for.
    pub(super) upper: Lanes,
    /// Weight of the upper texel in 1/256, likewise.
    pub(super) weight: Lanes,
    /// Lanes whose lower or upper texel is outside.
    pub(super) outside: [u32; 2],
    /// Lanes whose upper texel is not the one behind the lower.
    pub(super) apart: u32,
}

impl AxisLanes {
    /// An axis that the geometry lacks: one texel, of all the weight.
    pub(super) const ZERO: Self =
        Self { lower: [0; 32], upper: [0; 32], weight: [0; 32], outside: [0; 2], apart: 0 };

    /// The lower or the upper texels.
    #[inline(always)]
    pub(super) fn side(&self, upper: usize) -> &Lanes {
        if upper == 0 { &self.lower } else { &self.upper }
    }
}

/// How the texels along an axis are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// The one that an integer coordinate names (rule 1.9).
    Integer,
    /// The one next to that, of a `tex.level`.
    Clamped,
    /// The one that holds the point (rule 1.5).
    Point,
    /// The same, moved by the taps of an anisotropic fetch (rule 4.12).
    Taps,
    /// The two around the point (rule 1.6).
    Linear,
    /// The same without limiting the coordinate (rule 8.2).
    Gather,
    /// The same without limits to indices: where a face of a cube ends its neighbours go on (rule 7.7).
    Seamless,
}

/// What an axis makes of texels, and which sizes it has.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    /// Byte offsets in a level of so many texels that are so many bytes apart.
    Level { size: u32, pitch: u32 },
    /// Byte offsets; lanes bring sizes, of which this is the largest, and pitches.
    Levels { largest: u32 },
    /// Indices, -1 outside; lanes bring sizes, of which this is the largest.
    Indices { largest: u32 },
}

/// An axis, specialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels, and bytes from one to the next, where all lanes read the same level.
    pub(super) size: u32,
    pub(super) pitch: u32,
    /// Of a pitch that is a power of two, which.
    pub(super) shift: u32,
    /// What coordinates are multiplied by, if that is a power of two: texels if they are
    /// normalized, half of them on a face, times 512 if two texels are looked for, or times 2.
    pub(super) factor: f32,
    /// Added to that product: half of a face.
    pub(super) middle: i32,
    /// Whether the product of one texel counts halves of it.
    pub(super) halves: bool,
    /// Bits of a coordinate beyond 21 for the largest size.
    pub(super) fine: u32,
    /// Coordinates of this size and beyond are far.
    pub(super) limit: f32,
    /// How coordinates are scaled and addressed, of points and pairs of texels.
    pub(super) kind: (u8, u8),
    /// What answers far lanes.
    exact: Exact,
    run: Run<OfAxis>,
}

/// What a call of the stage reads.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    /// Bits of the coordinates.
    pub(super) coords: &'a Lanes,
    /// In texels, as signed numbers.
    pub(super) offset: Option<&'a Lanes>,
    /// The way of an anisotropic tap in 1/256 of a texel, as signed numbers; only of filters.
    pub(super) shift: Option<&'a Lanes>,
    /// Texels, and bytes from one to the next, where lanes bring those.
    pub(super) size: Option<&'a Lanes>,
    pub(super) pitch: Option<&'a Lanes>,
}

/// A call of the stage.
pub(super) struct Call<'a> {
    axis: &'a Axis,
    of: Operands<'a>,
    out: &'a mut AxisLanes,
}

#[derive(Debug)]
pub(super) struct OfAxis;

impl Arguments for OfAxis {
    type Of<'a> = Call<'a>;
}

pub(super) const POINT: u8 = 0;
pub(super) const LINEAR: u8 = 1;

/// Sizes that are small powers of two, and unnormalized coordinates: `x * n` is exact (rules 1.2,
/// 1.3).
pub(super) const EXACT: u8 = 0;
/// `x` is floored to 2^-21, or finer, first: right for all sizes.
pub(super) const CUT: u8 = 1;

pub(super) const CLAMP: u8 = 0;
pub(super) const WRAP: u8 = 1;
pub(super) const MIRROR: u8 = 2;
pub(super) const BORDER: u8 = 3;
/// For sizes that are powers of two.
pub(super) const WRAP_2: u8 = 4;
pub(super) const MIRROR_2: u8 = 5;
/// The coordinate is limited to the edges, beyond which is the border.
const CLAMP_OGL: u8 = 6;
/// Of a gather: indices are clamped, the coordinate is not.
const CLAMP_INDEX: u8 = 7;
/// None: indices may be outside.
const RAW: u8 = 8;

/// What is found ([`To`]).
const OFFSETS: u8 = 0;
const INDICES: u8 = 1;

impl Axis {
    /// An axis of a plan of the fast schedule, which finds byte offsets.
    pub(super) fn fast(
        to: To,
        find: Find,
        scaling: Scaling,
        mode: AddressMode,
        build: Wide,
    ) -> Self {
        let kind = kind(to, find, scaling.coords, mode);
        Self::new(to, (find, scaling, mode), kind, offsets(find, kind.1, build))
    }

    /// An axis of any plan, for levels up to this size; it finds indices.
    pub(super) fn general(
        largest: u32,
        find: Find,
        scaling: Scaling,
        mode: AddressMode,
        build: Build,
    ) -> Self {
        let to = To::Indices { largest };
        let kind = kind(to, find, scaling.coords, mode);
        Self::new(to, (find, scaling, mode), kind, indices(find, kind.1, build))
    }

    fn new(
        to: To,
        (find, scaling, mode): (Find, Scaling, AddressMode),
        kind: (u8, u8),
        run: Run<OfAxis>,
    ) -> Self {
        let (size, pitch) = match to {
            To::Level { size, pitch } => (size, pitch),
            To::Levels { largest } | To::Indices { largest } => (largest, 1),
        };
        let Scaling { coords, of_face } = scaling;
        let is_point = matches!(find, Find::Point | Find::Taps);
        let texels = if coords == Coords::Normalized { size } else { 1 };
        // A factor of 1 would have subnormal numbers beside it, which are slow.
        let halves = is_point && (of_face || texels == 1 || !matches!(to, To::Level { .. }));
        let steps = match (is_point, halves) {
            (false, _) => 512,
            (true, true) => 2,
            (true, false) => 1,
        };
        let (factor, middle) = match of_face {
            true => (steps as f32 * 0.5 * texels as f32, (steps / 2 * texels) as i32),
            false => ((steps * texels) as f32, 0),
        };
        let fine = if coords == Coords::Normalized { fine_bits(size) } else { 0 };
        let limit = match coords {
            // The last of the finer bits needs room for itself.
            Coords::Normalized => (FAR / (size << (fine / 2)) as f32).min(1024.0),
            Coords::Unnormalized | Coords::Integer => FAR,
        };
        // Every lane of a point filter's taps is the reference's.
        let limit = if find == Find::Taps { 0.0 } else { limit };
        let exact = Exact { find, scaling, mode };
        let shift = pitch.trailing_zeros();
        Self { size, pitch, shift, factor, middle, halves, fine, limit, kind, exact, run }
    }

    /// Fills `out` for all 32 lanes, whatever the coordinates.
    #[inline(always)]
    pub(super) fn run(&self, of: Operands<'_>, out: &mut AxisLanes) {
        self.run.call(Call { axis: self, of, out });
    }

    pub(super) fn is_normalized(&self) -> bool {
        self.exact.scaling.coords == Coords::Normalized
    }

    /// Whether coordinates are products on a face of a cube.
    fn is_of_face(&self) -> bool {
        self.exact.scaling.of_face
    }

    /// Whether integer coordinates are clamped.
    fn clamps(&self) -> bool {
        self.exact.find == Find::Clamped
    }
}

/// What the stages call scaling and mode.
fn kind(to: To, find: Find, coords: Coords, mode: AddressMode) -> (u8, u8) {
    let (size, indices) = match to {
        To::Level { size, .. } | To::Levels { largest: size } => (size, false),
        To::Indices { largest } => (largest, true),
    };
    let pow2 = size.is_power_of_two();
    let scale = match coords {
        Coords::Unnormalized | Coords::Integer => EXACT,
        Coords::Normalized if !indices && pow2 && size <= EXACT_UP_TO => EXACT,
        Coords::Normalized => CUT,
    };
    // Levels of a size that is a power of two are of such sizes, too.
    let by_bits = pow2 && !indices;
    let mode = match (find, mode) {
        (Find::Seamless, _) => RAW,
        (Find::Gather, AddressMode::Clamp) => CLAMP_INDEX,
        // A point filter never reaches the border.
        (Find::Point | Find::Taps, AddressMode::ClampOgl) => CLAMP,
        (_, AddressMode::Clamp) => CLAMP,
        (_, AddressMode::ClampOgl) => CLAMP_OGL,
        (_, AddressMode::Wrap) if by_bits => WRAP_2,
        (_, AddressMode::Mirror) if by_bits => MIRROR_2,
        (_, AddressMode::Wrap) => WRAP,
        (_, AddressMode::Mirror) => MIRROR,
        (_, AddressMode::Border) => BORDER,
    };
    (scale, mode)
}

/// Stages of the fast schedule, for the modes that it has. How coordinates are scaled is decided in each call, which takes
/// no time to speak of, and the code is half as much.
fn offsets(find: Find, mode: u8, build: Wide) -> Run<OfAxis> {
    fn by_mode<const FIND: u8>(mode: u8, build: Wide) -> Run<OfAxis> {
        match mode {
            CLAMP => pick_wide::<_, Along<FIND, CLAMP, OFFSETS>>(build),
            WRAP_2 => pick_wide::<_, Along<FIND, WRAP_2, OFFSETS>>(build),
            MIRROR_2 => pick_wide::<_, Along<FIND, MIRROR_2, OFFSETS>>(build),
            WRAP => pick_wide::<_, Along<FIND, WRAP, OFFSETS>>(build),
            MIRROR => pick_wide::<_, Along<FIND, MIRROR, OFFSETS>>(build),
            _ => pick_wide::<_, Along<FIND, BORDER, OFFSETS>>(build),
        }
    }
    match find {
        Find::Integer | Find::Clamped => pick_wide::<_, Named<OFFSETS>>(build),
        Find::Point => by_mode::<POINT>(mode, build),
        _ => by_mode::<LINEAR>(mode, build),
    }
}

/// Stages of all other plans.
fn indices(find: Find, mode: u8, build: Build) -> Run<OfAxis> {
    match (find, mode) {
        (Find::Integer | Find::Clamped, _) => pick::<_, Named<INDICES>>(build),
        (Find::Taps, _) => pick::<_, Along<POINT, CLAMP, INDICES>>(build),
        (Find::Point, CLAMP) => pick::<_, Along<POINT, CLAMP, INDICES>>(build),
        (Find::Point, WRAP) => pick::<_, Along<POINT, WRAP, INDICES>>(build),
        (Find::Point, MIRROR) => pick::<_, Along<POINT, MIRROR, INDICES>>(build),
        (Find::Point, _) => pick::<_, Along<POINT, BORDER, INDICES>>(build),
        (_, CLAMP) => pick::<_, Along<LINEAR, CLAMP, INDICES>>(build),
        (_, WRAP) => pick::<_, Along<LINEAR, WRAP, INDICES>>(build),
        (_, MIRROR) => pick::<_, Along<LINEAR, MIRROR, INDICES>>(build),
        (_, BORDER) => pick::<_, Along<LINEAR, BORDER, INDICES>>(build),
        (_, CLAMP_OGL) => pick::<_, Along<LINEAR, CLAMP_OGL, INDICES>>(build),
        (_, CLAMP_INDEX) => pick::<_, Along<LINEAR, CLAMP_INDEX, INDICES>>(build),
        _ => pick::<_, Along<LINEAR, RAW, INDICES>>(build),
    }
}
