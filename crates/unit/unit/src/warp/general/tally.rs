//! Sums over the taps of anisotropic footprints, for one channel of 32 lanes: docs/numerics.md,
//! sections 2, 4.12 and 5.

use super::indices::Buffers;
use crate::reference::weights::Scale;
use crate::request::Lanes;
use texunit_texel::{Reading, f16_to_f32, sign_extend, srgb_table, widen_unorm};

/// The running sum of one channel over the taps of 32 lanes.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// The sum of weight times number; for floats, the accumulator of the adder.
    sum: [i64; 32],
    /// The exponent field of the accumulator's unit, without the scale of the weights. It is a
    /// multiple of 4.
    unit: [i32; 32],
    /// The footprints of the adder's current step, which are added together.
    pending: [Pending; AT_ONCE],
    count: usize,
    /// `plain` is the sum of the infinities and NaNs that each lane has read, and `special` the
    /// mask of the lanes that have read any.
    plain: [f32; 32],
    special: u32,
    /// The mask of the lanes that have read a value other than -0.
    others: u32,
}

/// The weighted sum of a footprint, and the exponent field of its largest texel, for 32 lanes.
#[derive(Clone, Copy, Debug)]
struct Pending {
    sum: [i64; 32],
    field: [i32; 32],
}

/// The number of taps of a level that the adder adds in one step.
pub(super) const AT_ONCE: usize = 4;

/// A code as the hardware's adder reads it: a significand, the exponent field of the significand's
/// last bit, and the exponent field of the number (0 for zeros).
#[derive(Clone, Copy)]
struct Number {
    significand: i64,
    last: i32,
    field: i32,
}

/// The type of the texels that are summed as floats.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Single,
    Half,
    Srgb,
}

impl Kind {
    fn of(reading: Reading) -> Option<Self> {
        match reading {
            Reading::F32 => Some(Kind::Single),
            Reading::F16 => Some(Kind::Half),
            Reading::Srgb => Some(Kind::Srgb),
            _ => None,
        }
    }

    /// The number of bits, below the exponent of a footprint's largest texel, that a texel keeps.
    fn texel_bits(self) -> i32 {
        match self {
            Kind::Single => 27,
            Kind::Half => 14,
            Kind::Srgb => 7,
        }
    }

    /// Converts a code to the bits of an f32.
    fn widen(self, code: u32) -> u32 {
        match self {
            // Rule 2.1 of docs/numerics.md: a subnormal f32 counts as zero.
            Kind::Single if code & 0x7f80_0000 == 0 => code & 0x8000_0000,
            Kind::Single => code,
            Kind::Half => f16_to_f32(code as u16),
            Kind::Srgb => 0,
        }
    }

    fn number(self, code: u32) -> Number {
        if self == Kind::Srgb {
            let table = srgb_table();
            let significand = table[code as usize & 0xff].into();
            let field = table[code as usize & 0xff | 7].ilog2() as i32 + 127 - 16;
            return Number { significand, last: 127 - 16, field };
        }
        let bits = self.widen(code);
        let field = (bits >> 23 & 0xff) as i32;
        let magnitude = i64::from(bits & 0x007f_ffff | 0x0080_0000);
        let magnitude = if field == 0 { 0 } else { magnitude };
        let significand = if bits >> 31 == 1 { -magnitude } else { magnitude };
        Number { significand, last: field - 23, field }
    }

    fn nan(self) -> u32 {
        if self == Kind::Half { 0x7fff_e000 } else { 0x7fff_ffff }
    }

    /// Rounds a sum to the precision of the type, ties away from zero.
    fn round(self, x: f64) -> f32 {
        let precision = if self == Kind::Single { 24 } else { 11 };
        let rounded = round_bits(x, 53 - precision);
        if self == Kind::Single {
            /// 2^-126 minus half a subnormal step. A number from here on rounds to a float that is
            /// not subnormal.
            const FLUSH_BELOW: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / 16_777_216.0);
            // Rule 2.2 of docs/numerics.md: a result that is subnormal after rounding is a zero.
            let magnitude = rounded.abs().max(f64::from(f32::MIN_POSITIVE));
            let magnitude = if x.abs() < FLUSH_BELOW { 0.0 } else { magnitude };
            return magnitude.copysign(x) as f32;
        }
        // Below 2^-14, f16 numbers are multiples of 2^-24.
        let subnormal = (x.abs() * 16_777_216.0 + 0.5).floor() / 16_777_216.0;
        let magnitude = if x.abs() < 1.0 / 16_384.0 { subnormal } else { rounded.abs() };
        magnitude.copysign(x) as f32
    }
}

/// Rounds off the lowest `drop` bits of a significand to nearest, ties away from zero. A carry
/// propagates into the exponent.
fn round_bits(x: f64, drop: u32) -> f64 {
    let half = 1_u64 << (drop - 1);
    f64::from_bits((x.to_bits() + half) & !(2 * half - 1))
}

/// Computes x times two to a power, floored.
fn scaled(x: i64, power: i32) -> i64 {
    if power >= 0 { x << power.min(63) } else { x >> (-power).min(63) }
}

impl Tally {
    pub(super) const ZERO: Self = Self {
        sum: [0; 32],
        unit: [0; 32],
        pending: [Pending { sum: [0; 32], field: [0; 32] }; AT_ONCE],
        count: 0,
        plain: [0.0; 32],
        special: 0,
        others: 0,
    };

    /// Adds the footprint of a tap, whose texels are a group of the buffers.
    pub(super) fn add(&mut self, reading: Reading, (buffers, group, c): (&Buffers, usize, usize)) {
        let places = 4 * group..4 * group + 4;
        let Some(kind) = Kind::of(reading) else {
            for k in places {
                let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
                for lane in 0..32 {
                    self.sum[lane] += i64::from(weights[lane]) * number(reading, codes[lane]);
                }
            }
            return;
        };
        let footprint = &mut self.pending[self.count];
        for lane in 0..32 {
            let mut field = 0;
            for k in places.clone() {
                if buffers.weights[k][lane] > 0 {
                    field = field.max(kind.number(buffers.texels[k][c][lane]).field);
                }
            }
            let lowest = field - kind.texel_bits();
            let mut sum = 0;
            for k in places.clone() {
                let weight = i64::from(buffers.weights[k][lane]);
                if weight == 0 {
                    // Texels with weight 0 are skipped, because they may be larger than the largest
                    // texel with a weight.
                    continue;
                }
                let Number { significand, last, .. } = kind.number(buffers.texels[k][c][lane]);
                // The texel is truncated toward zero.
                let cut = significand.signum() * scaled(significand.abs(), last - lowest);
                sum += weight * cut;
            }
            (footprint.sum[lane], footprint.field[lane]) = (sum, field);
        }
        self.count += 1;
        if kind != Kind::Srgb {
            for k in places {
                self.look_at(kind, &buffers.texels[k][c], buffers.read[k]);
            }
        }
    }

    /// Rules 2.3 and 2.4 of docs/numerics.md: records infinities, NaNs and values other than -0
    /// among the texels that are read.
    fn look_at(&mut self, kind: Kind, codes: &Lanes, read: u32) {
        for lane in 0..32 {
            let value = f32::from_bits(kind.widen(codes[lane]));
            let bit = read & 1 << lane;
            self.others |= if value.to_bits() == 0x8000_0000 { 0 } else { bit };
            if bit != 0 && !value.is_finite() {
                self.special |= bit;
                self.plain[lane] += value;
            }
        }
    }

    /// Adds the footprints of the adder's current step to its accumulator.
    pub(super) fn flush(&mut self, reading: Reading, scale: &[Scale; 32]) {
        if Kind::of(reading).is_none() {
            return;
        }
        let footprints = &self.pending[..self.count];
        for lane in 0..32 {
            let fields = footprints.iter().map(|of| of.field[lane] & !3);
            let unit = fields.fold(self.unit[lane], i32::max);
            let mut sum = scaled(self.sum[lane], self.unit[lane] - unit);
            for of in footprints {
                let (part, field) = (of.sum[lane], of.field[lane]);
                let power = field - unit - scale[lane] as i32;
                sum += if field > 0 { scaled(part, power) } else { 0 };
            }
            (self.sum[lane], self.unit[lane]) = (sum, unit);
        }
        self.count = 0;
    }

    /// Computes the results of the channel.
    pub(super) fn finish(&self, reading: Reading, scale: &[Scale; 32], out: &mut Lanes) {
        let kind = Kind::of(reading);
        for lane in 0..32 {
            out[lane] = match kind {
                Some(kind) => self.finish_float(kind, lane),
                None => finish(reading, self.sum[lane], scale[lane]),
            };
        }
    }

    fn finish_float(&self, kind: Kind, lane: usize) -> u32 {
        if self.special >> lane & 1 == 1 {
            let plain = self.plain[lane];
            return if plain.is_nan() { kind.nan() } else { plain.to_bits() };
        }
        if kind != Kind::Srgb && self.others >> lane & 1 == 0 {
            return 0x8000_0000;
        }
        // The scale of the weights is part of the accumulator's unit.
        let power = self.unit[lane] - 127 - kind.texel_bits() - 8;
        kind.round(self.sum[lane] as f64 * 2.0_f64.powi(power)).to_bits()
    }
}

/// The number that stands for an integer code in sums.
fn number(reading: Reading, code: u32) -> i64 {
    match reading {
        Reading::Unorm { bits } => widen_unorm(bits, code).into(),
        Reading::Snorm { bits } | Reading::Sint { bits } => sign_extend(bits, code).into(),
        Reading::Uint { .. } => code.into(),
        _ => 0,
    }
}

/// The result for the weighted sum of a channel of integer codes.
fn finish(reading: Reading, total: i64, scale: Scale) -> u32 {
    let rounded = (total + (128 << scale)) >> (8 + scale);
    match reading {
        Reading::Unorm { bits: 24 } => depth24(total, scale),
        Reading::Unorm { .. } => (rounded as f32 / 65_535.0).to_bits(),
        Reading::Snorm { bits: 8 } => {
            let k = (((2048 * total) >> scale) + 257 * (total >> (4 + scale)) + 1024) >> 11;
            (k.max(-32_767) as f32 / 32_767.0).to_bits()
        }
        Reading::Snorm { .. } => (rounded.max(-32_767) as f32 / 32_767.0).to_bits(),
        Reading::Uint { bits: 32 } | Reading::Sint { bits: 32 } => (total >> (8 + scale)) as u32,
        Reading::Uint { .. } | Reading::Sint { .. } => rounded as u32,
        _ => reading.point(0),
    }
}

/// The result for depth of 24 bits: the highest 24 significant bits of the sum, plus one unit in
/// the last place.
pub(super) fn depth24(total: i64, scale: Scale) -> u32 {
    let Some(top) = total.checked_ilog2() else { return 0 };
    let significand = scaled(total, 23 - top as i32) + 1;
    let power = top as i32 - 23 - 32 - scale as i32;
    (significand as f32 * f32::from_bits(((127 + power) as u32) << 23)).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_floats() {
        let min = f64::from(f32::MIN_POSITIVE);
        let step = min / 8_388_608.0;
        let single = |x| Kind::Single.round(x);
        assert_eq!(single(min - step / 2.0), f32::MIN_POSITIVE, "a tie, away from zero");
        assert_eq!(single(-min + step).to_bits(), 0x8000_0000);
        assert_eq!(single(1.0 + 2.0_f64.powi(-24)), 1.0 + f32::EPSILON);
        let half = |x| Kind::Half.round(x);
        assert_eq!(half(2.0_f64.powi(-25)), 2.0_f32.powi(-24));
        assert_eq!(half(2.0_f64.powi(-25) * 0.999), 0.0);
        assert_eq!(half(1.0 + 2.0_f64.powi(-11)), 1.0 + 2.0_f32.powi(-10));
    }
}
