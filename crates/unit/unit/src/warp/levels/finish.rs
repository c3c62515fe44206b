//! The last steps of the level computation: from levels with their bias to the levels that are read
//! (docs/numerics.md, rules 3.3, 3.4 and 3.6).

use super::LevelLanes;
use crate::effective::EffectiveSampler;
use crate::reference::level::{self, Sharpening};

/// The parameters of the last steps. The steps themselves are the same for all samplers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish {
    /// Sharpening (rule 3.6 of docs/numerics.md): below this fraction of the level, in 1/256, the
    /// next level has weight 0.
    low: i32,
    /// Sharpening: how fast the next level's weight grows above the fraction `low`, times
    /// 2^`shift`.
    rate: i32,
    /// Sharpening: the binary logarithm of the divisor of `rate`.
    shift: i32,
    min: i32,
    max: i32,
    /// Half a level in 1/256, which a point mip filter adds to round to the nearest level;
    /// otherwise 0.
    half: i32,
    /// The mask that removes the fraction of the level, for a point mip filter.
    mask: i32,
    /// The index of the largest level that is read.
    last: u32,
}

impl Finish {
    pub(super) fn new(effective: &EffectiveSampler) -> Self {
        let same = Sharpening { low: (0, 1), rate: (1, 1) };
        let linear = level::levels(1, effective.mip_filter).reads[1].1 > 0;
        // A point mip filter sharpens only the bias.
        let sharpening = level::sharpening(effective).filter(|_| linear);
        let Sharpening { low, rate } = sharpening.unwrap_or(same);
        let [min, max] = effective.level_clamp.map(|q| q as i32);
        Self {
            low: (low.0 / low.1) as i32,
            rate: rate.0 as i32,
            shift: rate.1.ilog2() as i32,
            min,
            max,
            half: if linear { 0 } else { 128 },
            mask: if linear { !0 } else { !255 },
            last: (max as u32).div_ceil(256),
        }
    }

    /// Computes the levels and shares of all lanes. Returns whether an active lane has a second
    /// level; inactive lanes have none.
    #[inline(always)]
    pub(super) fn run(&self, wanted: &[i32; 32], active: u32, out: &mut LevelLanes) -> bool {
        let Self { low, rate, shift, min, max, half, mask, last } = *self;
        let [level, next] = &mut out.level;
        let [share, rest] = &mut out.share;
        for lane in 0..32 {
            let t = wanted[lane];
            let above = (t & 255) - low;
            let above = if above < 0 { 0 } else { above };
            let weight = (rate * above) >> shift;
            let weight = if weight > 256 { 256 } else { weight };
            let q = (t & !255) + weight;
            let q = if q < min { min } else { q };
            let q = if q > max { max } else { q };
            let q = (q + half) & mask;
            let number = (q >> 8) as u32;
            level[lane] = number;
            next[lane] = if number < last { number + 1 } else { last };
            share[lane] = 256 - (q & 255) as u32;
            rest[lane] = (q & 255) as u32;
        }
        if active != u32::MAX {
            for lane in 0..32 {
                rest[lane] = if active >> lane & 1 == 1 { rest[lane] } else { 0 };
            }
        }
        rest.iter().fold(0, |any, share| any | share) != 0
    }
}
