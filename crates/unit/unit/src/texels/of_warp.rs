//! Texels that the fetches of a warp read, along each axis. Observers that count texels use them.

use super::{MOST_NORMALIZED, MOST_TEXELS};
use crate::effective::Coords;
use crate::reference::coordinate::{self, address, beyond, fraction_bits};
use crate::request::{FetchRequest, ZERO_LANES};
use crate::resource::Layout;
use crate::sampler::{AddressMode, Filter};
use crate::warp::FetchPlan;
use texunit_simd::Build;

/// For each lane, the indices of the lower (or only) texel and of the upper texel along an axis.
/// [`Self::OUTSIDE`] and [`Self::UNREAD`] stand for an index where there is no texel.
#[derive(Clone, Copy, Debug)]
pub struct AxisTexels(pub [[i32; 32]; 2]);

/// The texels that the fetches of a warp read in one plane. Each lane reads all combinations of its
/// texels along the three axes.
#[derive(Clone, Copy, Debug)]
pub struct WarpTexels {
    /// The layer, which is the same for all lanes.
    pub plane: u32,
    /// Texels along x, y and z.
    pub axes: [AxisTexels; 3],
}

impl AxisTexels {
    /// Instead of an index: the position is outside the texture, and reads the border colour or 0.
    pub const OUTSIDE: i32 = -1;
    /// Instead of the upper index: the lane has no upper texel, or the upper texel's weight is 0.
    pub const UNREAD: i32 = -2;

    const FIRST: Self = Self([[0; 32], [Self::UNREAD; 32]]);
}

impl FetchPlan {
    /// The texels of a warp's fetches. Returns `None` unless the fetches have one level, one plane
    /// and no offsets, and [`FetchPlan::few_texels`] supports each lane.
    pub fn texels_of_warp(&self, request: &FetchRequest<'_>) -> Option<WarpTexels> {
        let (form, resource) = (self.form(), &self.seen().resource);
        let (geometry, shape) = (form.geometry, resource.shape());
        let has_layers = shape.geometry.is_array();
        let has_offsets = form.offset && resource.layout() != Layout::Linear;
        if request.active == 0 || has_offsets || has_layers && self.is_integer() || !self.is_plain()
        {
            return None;
        }
        let mut plane = 0;
        if has_layers {
            let layers = request.coords.layer;
            plane = layers[request.active.trailing_zeros() as usize];
            if (0..32).any(|lane| request.active >> lane & 1 == 1 && layers[lane] != plane) {
                return None;
            }
            plane = coordinate::layer(plane, shape.layers);
        }
        let sizes = resource.extent().axes();
        let mut axes = [AxisTexels::FIRST; 3];
        for (a, axis) in axes.iter_mut().enumerate() {
            let is_row = a == 1 && geometry.axes() == 1 && !geometry.is_array();
            if a < geometry.axes() || is_row && !self.is_integer() {
                let bits = if is_row { &ZERO_LANES } else { request.coords.point[a] };
                let AxisTexels([low, high]) = axis;
                let (size, to) = (sizes[a], [low, high, &mut [0; 32]]);
                let all = Build::current().run(
                    #[inline(always)]
                    || self.lanes_along(a, (bits, 0), size, to),
                );
                if request.active & !all != 0 {
                    return None;
                }
            }
        }
        Some(WarpTexels { plane, axes })
    }

    /// Computes the texels of up to 32 lanes along an axis, as in [`AxisTexels`], and the weights
    /// of the upper texels in 1/256. Returns the mask of the lanes whose coordinates are in the
    /// supported range.
    #[inline(always)]
    pub(super) fn lanes_along<const N: usize>(
        &self,
        axis: usize,
        (bits, offset): (&[u32; N], i64),
        size: u32,
        [low, high, weights]: [&mut [i32; N]; 3],
    ) -> u32 {
        let effective = self.effective();
        let n = size as i32;
        let Some(mode) = effective.address_mode.map(|modes| modes[axis]) else {
            for (low, &bits) in low.iter_mut().zip(bits) {
                let index = coordinate::inside(coordinate::integer(bits, offset), size);
                *low = index.map_or(AxisTexels::OUTSIDE, |index| index as i32);
            }
            return u32::MAX;
        };
        let is_normalized = effective.coords == Coords::Normalized;
        let is_linear = effective.filter == Filter::Linear;
        let most = if is_normalized { MOST_NORMALIZED } else { MOST_TEXELS };
        let (mut places, mut usual) = ([0.0_f64; N], 0);
        for (lane, (place, &bits)) in places.iter_mut().zip(bits).enumerate() {
            let x = f32::from_bits(bits);
            let is_zero = x.is_nan() || x.abs() < f32::MIN_POSITIVE;
            let is_usual = is_zero || x.abs() <= most;
            usual |= u32::from(is_usual) << lane;
            let x = if is_zero || !is_usual { 0.0 } else { x };
            *place = f64::from(x);
        }
        if is_normalized {
            // `step` and the periods are powers of two, so that products with their reciprocals are
            // exact.
            let steps = f64::from(1_u32 << fraction_bits(size));
            let (step, (period, times)) = (
                1.0 / steps,
                match mode {
                    AddressMode::Wrap => (1.0, 1.0),
                    AddressMode::Mirror => (2.0, 1.0),
                    AddressMode::Clamp | AddressMode::ClampOgl | AddressMode::Border => (1.0, 0.0),
                },
            );
            let per_period = 1.0 / period;
            for place in &mut places {
                let u = floor(*place * steps) * step;
                *place = (u - floor(u * per_period) * period * times) * f64::from(size);
            }
        }
        if is_linear {
            let (least, most) = match mode {
                AddressMode::Clamp => (0.5, f64::from(size) - 0.5),
                AddressMode::ClampOgl => (0.0, f64::from(size)),
                AddressMode::Wrap | AddressMode::Mirror | AddressMode::Border => {
                    (f64::NEG_INFINITY, f64::INFINITY)
                }
            };
            for (lane, place) in places.iter().enumerate() {
                let u = (place + offset as f64).max(least).min(most) - 0.5;
                let below = floor(u);
                let weight = whole(floor((u - below) * 256.0 + 0.5));
                low[lane] = whole(below) + (weight >> 8);
                weights[lane] = weight & 255;
            }
            for (high, low) in high.iter_mut().zip(&*low) {
                *high = *low + 1;
            }
        } else {
            for (low, place) in low.iter_mut().zip(&places) {
                *low = whole(floor(*place)) + offset as i32;
            }
        }
        let mode = beyond(mode, is_linear);
        for row in [&mut *low, &mut *high].into_iter().take(1 + usize::from(is_linear)) {
            match mode {
                AddressMode::Clamp | AddressMode::ClampOgl => {
                    for k in row {
                        *k = (*k).clamp(0, n - 1);
                    }
                }
                AddressMode::Border => {
                    for k in row {
                        *k = if (*k as u32) < size { *k } else { AxisTexels::OUTSIDE };
                    }
                }
                AddressMode::Wrap | AddressMode::Mirror => {
                    for k in row.iter_mut().filter(|k| **k as u32 >= size) {
                        let inside = address(i64::from(*k), size, mode);
                        *k = inside.map_or(AxisTexels::OUTSIDE, |k| k as i32);
                    }
                }
            }
        }
        for (high, weight) in high.iter_mut().zip(weights) {
            *high = if *weight != 0 { *high } else { AxisTexels::UNREAD };
        }
        usual
    }
}

/// The number 1.5 * 2^52. A sum with it has no bits left for fractions, and the low bits of its
/// significand are those of the integer nearest to the other summand.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Converts an integer below 2^31 in magnitude to i32 by an addition, because a conversion would
/// not be vectorised.
#[inline(always)]
fn whole(x: f64) -> i32 {
    (x + WHOLE).to_bits() as i32
}

/// Rounds a number below 2^51 in magnitude down to an integer, without a call of the C library.
#[inline(always)]
fn floor(x: f64) -> f64 {
    let nearest = (x + WHOLE) - WHOLE;
    if nearest > x { nearest - 1.0 } else { nearest }
}
