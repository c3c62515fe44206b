//! Mip levels: docs/numerics.md, section 3. All levels are in units of 1/256.

use crate::effective::EffectiveSampler;
pub(crate) use crate::fixed_level::cut_to_256ths;
use crate::fixed_level::{FAR, bias_field};
use crate::sampler::Filter;

/// The level that the instruction requests, before bias and clamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestedLevel {
    /// Level 0, to which no bias is added: a `tex` without a level operand.
    Base,
    /// This level in 1/256.
    At(i64),
    /// For integer coordinates: this level, whatever the sampler says.
    Whole(u32),
    /// Minus infinity, for gradients of length 0. No bias raises it.
    Lowest,
    /// Plus infinity, for a quad with too large coordinates. No bias lowers it.
    Highest,
}

/// The levels that a fetch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// The level after bias and clamps, in 1/256.
    pub(crate) q: i64,
    /// One or two levels with their shares of 256; the second level is not read if its share is 0.
    pub(crate) reads: [(u32, u32); 2],
}

/// Rules 3.1 to 3.3, 3.6 and 4.8 of docs/numerics.md: applies bias or sharpening to the requested
/// level, then the clamps. The result is in 1/256.
pub(crate) fn clamped(wanted: RequestedLevel, bias: f32, effective: &EffectiveSampler) -> i64 {
    let q = match wanted {
        RequestedLevel::Base => 0,
        RequestedLevel::Whole(level) => return 256 * i64::from(level),
        RequestedLevel::Lowest => -FAR,
        RequestedLevel::Highest => FAR,
        RequestedLevel::At(q) => match sharpening(effective) {
            Some(s) => s.level(q, bias, effective.mip_filter),
            None => q + bias_field(bias, (0, 1)),
        },
    };
    let [min, max] = effective.level_clamp;
    q.clamp(min, max)
}

/// Rule 3.4 of docs/numerics.md: the one or two levels that are read for the level `q` in 1/256.
pub(crate) fn levels(q: i64, mip_filter: Option<Filter>) -> Levels {
    let reads = match mip_filter {
        None => [((q >> 8) as u32, 256), (0, 0)],
        Some(Filter::Point) => [(((q + 128) >> 8) as u32, 256), (0, 0)],
        Some(Filter::Linear) => {
            let (level, upper) = ((q >> 8) as u32, (q & 255) as u32);
            [(level, 256 - upper), (level + 1, upper)]
        }
    };
    Levels { q, reads }
}

/// Rule 3.6 of docs/numerics.md: the parameters by which anisotropy sharpens levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sharpening {
    /// The fractional level in 1/256 up to which the next level has weight 0, as numerator and
    /// denominator.
    pub(crate) low: (i64, i64),
    /// The slope of the next level's weight above the fraction `low`, as numerator and denominator.
    pub(crate) rate: (i64, i64),
}

/// The sharpening for a sampler's anisotropy; `None` if levels are not sharpened.
pub(crate) fn sharpening(effective: &EffectiveSampler) -> Option<Sharpening> {
    #[rustfmt::skip]
    let sharpening = match effective.max_anisotropy {
        0..2 => return None,
        2..4 => Sharpening { low: (128,     3), rate: (3, 2) },
        4..8 => Sharpening { low: (128 * 3, 7), rate: (7, 4) },
        _    => Sharpening { low: (64,      1), rate: (2, 1) },
    };
    Some(sharpening)
}

impl Sharpening {
    /// The sharpened level in 1/256. If the mip filter is linear, the weight of the next level is
    /// sharpened, too.
    pub(crate) fn level(self, q: i64, bias: f32, mip_filter: Option<Filter>) -> i64 {
        let low = self.low.0 / self.low.1;
        let t = q + bias_field(bias, self.low) + low;
        if mip_filter != Some(Filter::Linear) {
            return t;
        }
        let above = (t & 255) - low;
        let weight = if above <= 0 { 0 } else { (self.rate.0 * above / self.rate.1).min(256) };
        (t >> 8) * 256 + weight
    }
}
