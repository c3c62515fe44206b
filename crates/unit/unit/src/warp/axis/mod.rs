//! The axis stage: from coordinates to texels along an axis (docs/numerics.md, section 1), in
//! 32-bit integers. All plans use it. Parameters that differ between plans are resolved when the
//! plans are made.
//!
//! A coordinate u (in texels) becomes a distance in 1/256 of a texel, `floor(u * 256 + 1/2) - 128`,
//! which holds the index and the weight in one number, including the carry from the weight to the
//! index. For power-of-two sizes n up to [`EXACT_UP_TO`] the distance is half of `floor(x * 512
//! n)`, which takes one exact multiplication of the normalized coordinate x and one conversion. For
//! other sizes it takes a 64-bit integer product. On the faces of a cube the coordinate is a
//! product `c` from -1 to 1 and the position is `(c + 1) / 2`, so that the factor is halved, and
//! half the size is added.
//!
//! This is valid for coordinates below [`FAR`] texels and 1024 periods. Lanes with larger
//! coordinates, infinities or NaNs are rare, and use the reference.

mod along;
mod exact;
#[cfg(test)]
mod tests;

use along::{FloatAxis, IntegerAxis};
pub(super) use along::{OnAxis, Size, along};
use exact::Exact;

use super::build::{Build, Wide};
use super::simd::{Run, arguments, pick, pick_wide};
use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;

/// The limit for coordinates in texels, below which 512 times the coordinate still fits an i32.
const FAR: f32 = 4_194_303.0;

/// The largest power-of-two size for which the flooring of rule 1.2 of docs/numerics.md never
/// affects the result.
const EXACT_UP_TO: u32 = 4096;

/// How an axis scales coordinates to texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaling {
    pub(super) coords: Coords,
    /// Whether the coordinates are products on a cube face, from -1 to 1.
    pub(super) of_face: bool,
}

/// Rule 1.2 of docs/numerics.md: the number of fractional bits beyond 21 that a coordinate keeps
/// over `size` texels.
fn fine_bits(size: u32) -> u32 {
    size.ilog2().saturating_sub(13).min(2)
}

/// The texels that 32 lanes read along an axis. The structure is aligned so that no vector crosses
/// a cache line, as are all per-lane structures.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct AxisLanes {
    /// The lower (or only) texel as a byte offset, or as an index with -1 for outside ([`To`]).
    pub(crate) lower: Lanes,
    /// The upper texel for linear filters and gathers, in the form of `lower`.
    pub(crate) upper: Lanes,
    /// The weight of the upper texel in 1/256, for linear filters.
    pub(crate) weight: Lanes,
    /// The masks of the lanes whose lower and whose upper texel is outside.
    pub(super) outside: [u32; 2],
    /// The mask of the lanes whose upper texel does not follow the lower one in memory.
    pub(super) scattered: u32,
}

impl AxisLanes {
    /// An axis that the geometry lacks, with one texel that has the whole weight.
    pub(super) const ZERO: Self =
        Self { lower: [0; 32], upper: [0; 32], weight: [0; 32], outside: [0; 2], scattered: 0 };

    /// The lower texels (0) or the upper texels (1) of all lanes.
    #[inline(always)]
    pub(super) fn side(&self, upper: usize) -> &Lanes {
        if upper == 0 { &self.lower } else { &self.upper }
    }
}

/// How the texels along an axis are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// The texel at an integer coordinate (rule 1.9 of docs/numerics.md).
    Integer,
    /// The texel at an integer coordinate, clamped to the extent, for `tex.level`.
    Clamped,
    /// The texel that contains the point (rule 1.5 of docs/numerics.md).
    Point,
    /// The texel that contains the point, moved by the taps of an anisotropic fetch (rule 4.12 of
    /// docs/numerics.md).
    Taps,
    /// The two texels around the point (rule 1.6 of docs/numerics.md).
    Linear,
    /// Two texels around the point, without limiting the coordinate (rule 8.2 of docs/numerics.md).
    Gather,
    /// The two texels around the point, without limiting their indices, because a cube face
    /// continues into its neighbours (rule 7.7 of docs/numerics.md).
    Seamless,
}

/// The form in which the stage returns texels, and the sizes of the axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    /// Texels are byte offsets in one level. `size` is the size of the axis in texels, and `pitch`
    /// the distance between texels in bytes.
    Level { size: u32, pitch: u32 },
    /// Texels are byte offsets in levels that differ by lane. Sizes and pitches are operands;
    /// `largest` is the maximum size.
    Levels { largest: u32 },
    /// Texels are indices, or -1 outside. Sizes are operands; `largest` is the maximum size.
    Indices { largest: u32 },
}

/// The stage of an axis, specialised for a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// `size` in texels, and `pitch`, the distance between texels in bytes, if all lanes read the
    /// same level.
    pub(super) size: u32,
    pub(super) pitch: u32,
    /// Binary logarithm of the pitch, if it is a power of two.
    pub(super) shift: u32,
    /// The multiplier for coordinates, if it is a power of two. It is the size for normalized
    /// coordinates (half of it on a cube face), times 512 for filters of two texels, or times 2.
    pub(super) factor: f32,
    /// The number that is added to the product of a coordinate on a cube face: half of the face.
    pub(super) middle: i32,
    /// Whether the product is in halves of a texel, which some point filters use.
    pub(super) halves: bool,
    /// The number of fractional bits beyond 21 that coordinates keep, for the largest size (rule
    /// 1.2 of docs/numerics.md). `steps` multiplies coordinates to numbers of such fractions, to
    /// which `centre` is added: half of a cube face, otherwise 0.
    pub(super) fine: u32,
    pub(super) steps: f32,
    pub(super) centre: i32,
    /// 1 / `size`.
    pub(super) inverse: f32,
    /// The magnitude from which on coordinates take the exact path.
    pub(super) limit: f32,
    /// The scaling and the address mode as constants of the stage.
    pub(super) kind: (u8, u8),
    /// The exact path for lanes with large coordinates.
    exact: Exact,
    run: Run<AxisArgs>,
}

/// The operands of the axis stage.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    /// Bits of the coordinates.
    pub(super) coords: &'a Lanes,
    /// Texel offsets of the instruction, as signed numbers.
    pub(super) offset: Option<&'a Lanes>,
    /// Offsets of an anisotropic tap in 1/256 of a texel (signed); only for linear filters.
    pub(super) shift: Option<&'a Lanes>,
    /// `size` in texels, and `pitch`, the distance between texels in bytes, if they differ by lane.
    pub(super) size: Option<&'a Lanes>,
    pub(super) pitch: Option<&'a Lanes>,
}

/// The arguments of the axis stage.
pub(super) struct Call<'a> {
    axis: &'a Axis,
    of: Operands<'a>,
    out: &'a mut AxisLanes,
}

arguments!(pub(super) AxisArgs = Call);

pub(super) const POINT: u8 = 0;
pub(super) const LINEAR: u8 = 1;

/// The scaling for small power-of-two sizes and for unnormalized coordinates, whose product `x * n`
/// is exact (rules 1.2, 1.3 of docs/numerics.md).
pub(super) const EXACT: u8 = 0;
/// The scaling for all sizes. It first floors `x` to 2^-21 or finer (rule 1.2 of docs/numerics.md).
pub(super) const CUT: u8 = 1;

pub(super) const CLAMP: u8 = 0;
pub(super) const WRAP: u8 = 1;
pub(super) const MIRROR: u8 = 2;
pub(super) const BORDER: u8 = 3;
/// The address mode wrap for power-of-two sizes.
pub(super) const WRAP_2: u8 = 4;
pub(super) const MIRROR_2: u8 = 5;
/// The address mode `clamp_ogl`: the coordinate is limited to the edges, and texels beyond are the
/// border colour.
const CLAMP_OGL: u8 = 6;
/// The address mode clamp for gathers, which limits indices, but not the coordinate.
const CLAMP_INDEX: u8 = 7;
/// No address mode is applied, so that indices may be outside the level.
const RAW: u8 = 8;

impl Axis {
    /// The axis stage for a plan of the fast schedule. It computes byte offsets.
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

    /// The axis stage for any plan, for levels of up to `largest` texels. It computes indices.
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
        run: Run<AxisArgs>,
    ) -> Self {
        let (size, pitch) = match to {
            To::Level { size, pitch } => (size, pitch),
            To::Levels { largest } | To::Indices { largest } => (largest, 1),
        };
        let Scaling { coords, of_face } = scaling;
        let is_point = matches!(find, Find::Point | Find::Taps);
        let texels = if coords == Coords::Normalized { size } else { 1 };
        // With a factor of 1, the products of small coordinates would be subnormal numbers, which
        // CPUs process slowly.
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
        let bits = fine + if of_face { 20 } else { 21 };
        let centre = if of_face { 1 << (20 + fine) } else { 0 };
        let limit = match coords {
            // The lowest of the additional fractional bits must fit into 32 bits.
            Coords::Normalized => (FAR / (size << (fine / 2)) as f32).min(1024.0),
            Coords::Unnormalized | Coords::Integer => FAR,
        };
        // For the taps of a point filter, every lane takes the exact path.
        let limit = if find == Find::Taps { 0.0 } else { limit };
        let exact = Exact { find, scaling, mode };
        let shift = pitch.trailing_zeros();
        let (steps, inverse) = ((1_u32 << bits) as f32, 1.0 / size as f32);
        Self {
            size,
            pitch,
            shift,
            factor,
            middle,
            halves,
            fine,
            steps,
            centre,
            inverse,
            limit,
            kind,
            exact,
            run,
        }
    }

    /// Computes the texels of all 32 lanes, whatever the coordinates are.
    #[inline(always)]
    pub(super) fn run(&self, of: Operands<'_>, out: &mut AxisLanes) {
        self.run.call(Call { axis: self, of, out });
    }

    pub(super) fn is_normalized(&self) -> bool {
        self.exact.scaling.coords == Coords::Normalized
    }

    /// Whether the coordinates are products on a cube face.
    fn is_of_face(&self) -> bool {
        self.exact.scaling.of_face
    }

    /// Whether integer coordinates are clamped to the extent.
    fn clamps(&self) -> bool {
        self.exact.find == Find::Clamped
    }
}

/// The constants that select the scaling and the address mode of the stage.
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
    // If the base size is a power of two, so are the sizes of all levels.
    let by_bits = pow2 && !indices;
    let mode = match (find, mode) {
        (Find::Seamless, _) => RAW,
        (Find::Gather, AddressMode::Clamp) => CLAMP_INDEX,
        // A point filter never reaches the border of `clamp_ogl`.
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

/// The stages that compute byte offsets, for the address modes of the fast schedule. Each call
/// decides the scaling at run time, which costs almost nothing and halves the code size.
fn offsets(find: Find, mode: u8, build: Wide) -> Run<AxisArgs> {
    fn by_mode<const FIND: u8>(mode: u8, build: Wide) -> Run<AxisArgs> {
        match mode {
            CLAMP => pick_wide::<_, FloatAxis<FIND, CLAMP>>(build),
            WRAP_2 => pick_wide::<_, FloatAxis<FIND, WRAP_2>>(build),
            MIRROR_2 => pick_wide::<_, FloatAxis<FIND, MIRROR_2>>(build),
            WRAP => pick_wide::<_, FloatAxis<FIND, WRAP>>(build),
            MIRROR => pick_wide::<_, FloatAxis<FIND, MIRROR>>(build),
            _ => pick_wide::<_, FloatAxis<FIND, BORDER>>(build),
        }
    }
    match find {
        Find::Integer | Find::Clamped => pick_wide::<_, IntegerAxis>(build),
        Find::Point => by_mode::<POINT>(mode, build),
        _ => by_mode::<LINEAR>(mode, build),
    }
}

/// The stages that compute indices, for the general schedule.
fn indices(find: Find, mode: u8, build: Build) -> Run<AxisArgs> {
    match (find, mode) {
        (Find::Integer | Find::Clamped, _) => pick::<_, IntegerAxis>(build),
        (Find::Taps, _) | (Find::Point, CLAMP) => pick::<_, FloatAxis<POINT, CLAMP>>(build),
        (Find::Point, WRAP) => pick::<_, FloatAxis<POINT, WRAP>>(build),
        (Find::Point, MIRROR) => pick::<_, FloatAxis<POINT, MIRROR>>(build),
        (Find::Point, _) => pick::<_, FloatAxis<POINT, BORDER>>(build),
        (_, CLAMP) => pick::<_, FloatAxis<LINEAR, CLAMP>>(build),
        (_, WRAP) => pick::<_, FloatAxis<LINEAR, WRAP>>(build),
        (_, MIRROR) => pick::<_, FloatAxis<LINEAR, MIRROR>>(build),
        (_, BORDER) => pick::<_, FloatAxis<LINEAR, BORDER>>(build),
        (_, CLAMP_OGL) => pick::<_, FloatAxis<LINEAR, CLAMP_OGL>>(build),
        (_, CLAMP_INDEX) => pick::<_, FloatAxis<LINEAR, CLAMP_INDEX>>(build),
        _ => pick::<_, FloatAxis<LINEAR, RAW>>(build),
    }
}
