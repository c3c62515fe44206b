//! From coordinates to texels along an axis: docs/numerics.md, section 1, for 32 lanes whose
//! levels may be of different sizes.
//!
//! In f64, as in `axis`, and exact for the same reason. Offsets are added after the floor, where
//! everything is a whole number.

use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;
use crate::warp::axis::{BORDER, CLAMP, MIRROR, WRAP, address, limit, saturate, to_int};

/// What an axis contributes to 32 footprints.
#[derive(Clone, Debug)]
pub(super) struct AxisLanes {
    /// The lower or only texel; -1 is outside.
    pub(super) lower: [i32; 32],
    /// The upper texel; only when two are looked for.
    pub(super) upper: [i32; 32],
    /// Weight of the upper texel in 1/256, likewise.
    pub(super) weight: [i32; 32],
}

impl AxisLanes {
    /// An axis that the geometry lacks: one texel, of all the weight.
    pub(super) const NONE: Self = Self { lower: [0; 32], upper: [0; 32], weight: [0; 32] };
}

/// How the texels along an axis are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// The one that an integer coordinate names (rule 1.9).
    Integer,
    /// The one that holds the point (rule 1.5).
    Point,
    /// The two around the point (rule 1.6).
    Linear,
    /// The same without limiting the coordinate (section 8).
    Gather,
    /// The same without limits to indices: where a face of a cube ends its neighbours go on.
    Seamless,
}

/// What is the same for all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) find: Find,
    pub(super) coords: Coords,
    pub(super) mode: AddressMode,
}

/// What differs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands<'a> {
    pub(super) coords: &'a Lanes,
    /// Texels of the level.
    pub(super) size: &'a [f64; 32],
    /// In texels.
    pub(super) offset: &'a [i32; 32],
}

const CLAMP_OGL: u8 = 4;

const POINT: u8 = 0;
const LINEAR: u8 = 1;
const GATHER: u8 = 2;
/// An address mode: none.
const RAW: u8 = 5;

impl Axis {
    /// All lanes, whatever their coordinates.
    #[inline(always)]
    pub(super) fn run(self, of: Operands<'_>, out: &mut AxisLanes) {
        match self.find {
            Find::Integer => integer(of, out),
            Find::Point => self.float::<POINT>(of, out),
            Find::Linear => self.float::<LINEAR>(of, out),
            Find::Gather => self.float::<GATHER>(of, out),
            Find::Seamless => float::<GATHER, true, RAW>(of, out),
        }
    }

    /// The same for one coordinate, moved by a number of texels in steps of 2^-60 as well: the
    /// tap of an anisotropic fetch. Always a linear filter.
    pub(super) fn shifted(
        self,
        bits: u32,
        n: f64,
        offset: i32,
        shift: i128,
    ) -> (i32, i32, i32) {
        const ONE: i128 = 1 << 60;
        let u = match self.coords {
            Coords::Normalized => texels::<true>(bits, n),
            Coords::Unnormalized | Coords::Integer => texels::<false>(bits, n),
        };
        // A power of two: exact, as is everything after the floor.
        let u = (u * ONE as f64).floor() as i128 + shift + i128::from(offset) * ONE;
        let end = n as i128 * ONE;
        let u = match (self.find, self.mode) {
            (Find::Seamless, _) => u,
            (_, AddressMode::Clamp) => u.clamp(ONE / 2, end - ONE / 2),
            (_, AddressMode::ClampOgl) => u.clamp(0, end),
            _ => u,
        };
        let t = ((u * 256 + ONE / 2) >> 60) - 128;
        let i = (t >> 8).clamp(i32::MIN.into(), i32::MAX.into()) as f64;
        let (lower, upper) = match (self.find, self.mode) {
            (Find::Seamless, _) => (i, i + 1.0),
            (_, AddressMode::Clamp) => address::<CLAMP>(i, n),
            (_, AddressMode::Wrap) => address::<WRAP>(i, n),
            (_, AddressMode::Mirror) => address::<MIRROR>(i, n),
            (_, AddressMode::Border | AddressMode::ClampOgl) => address::<BORDER>(i, n),
        };
        (lower as i32, upper as i32, (t & 255) as i32)
    }

    #[inline(always)]
    fn float<const FIND: u8>(self, of: Operands<'_>, out: &mut AxisLanes) {
        if self.coords == Coords::Normalized {
            self.scaled::<FIND, true>(of, out);
        } else {
            self.scaled::<FIND, false>(of, out);
        }
    }

    #[inline(always)]
    fn scaled<const FIND: u8, const NORMALIZED: bool>(
        self,
        of: Operands<'_>,
        out: &mut AxisLanes,
    ) {
        match self.mode {
            AddressMode::Clamp => float::<FIND, NORMALIZED, CLAMP>(of, out),
            AddressMode::Wrap => float::<FIND, NORMALIZED, WRAP>(of, out),
            AddressMode::Mirror => float::<FIND, NORMALIZED, MIRROR>(of, out),
            AddressMode::Border => float::<FIND, NORMALIZED, BORDER>(of, out),
            // A point filter never reaches the border.
            AddressMode::ClampOgl if FIND == POINT => float::<FIND, NORMALIZED, CLAMP>(of, out),
            AddressMode::ClampOgl => float::<FIND, NORMALIZED, CLAMP_OGL>(of, out),
        }
    }
}

/// Rule 1.9.
#[inline(always)]
fn integer(of: Operands<'_>, out: &mut AxisLanes) {
    for lane in 0..32 {
        let index = i64::from(of.coords[lane] as i32) + i64::from(of.offset[lane]);
        let inside = index >= 0 && index < of.size[lane] as i64;
        out.lower[lane] = if inside { index as i32 } else { -1 };
    }
}

/// Rules 1.1 to 1.7 but for integers.
#[inline(always)]
fn float<const FIND: u8, const NORMALIZED: bool, const MODE: u8>(
    of: Operands<'_>,
    out: &mut AxisLanes,
) {
    for lane in 0..32 {
        let n = of.size[lane];
        let offset = f64::from(of.offset[lane]);
        let u = texels::<NORMALIZED>(of.coords[lane], n);
        if FIND == POINT {
            let (index, _) = address::<MODE>(saturate(u.floor()) + offset, n);
            out.lower[lane] = to_int(index);
            continue;
        }
        // The limits are for the coordinate with its offset.
        let u = match MODE {
            CLAMP if FIND == LINEAR => limit(u, 0.5 - offset, n - 0.5 - offset),
            CLAMP_OGL => limit(u, -offset, n - offset),
            _ => u,
        };
        // floor((u - 1/2) * 256 + 1/2): index and weight in one number, the carry included.
        let t = (u * 256.0 + 0.5).floor() + (offset * 256.0 - 128.0);
        let i = (t * (1.0 / 256.0)).floor();
        out.weight[lane] = to_int(t - i * 256.0);
        let (lower, upper) = match MODE {
            CLAMP_OGL => address::<BORDER>(saturate(i), n),
            RAW => (i, i + 1.0),
            _ => address::<MODE>(saturate(i), n),
        };
        out.lower[lane] = to_int(lower);
        out.upper[lane] = to_int(upper);
    }
}

/// Rules 1.1 to 1.3, limited to 2^31 texels either way.
#[inline(always)]
fn texels<const NORMALIZED: bool>(bits: u32, n: f64) -> f64 {
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x };
    let u = if NORMALIZED {
        let size = to_int(n);
        let exact = f64::from(x * n as f32);
        let cut = (f64::from(x) * 2_097_152.0).floor() * n * (1.0 / 2_097_152.0);
        if size & (size - 1) == 0 { exact } else { cut }
    } else {
        f64::from(x)
    };
    limit(u, -2_147_483_648.0, 2_147_483_648.0)
}
