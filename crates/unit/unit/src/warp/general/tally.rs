//! Sums over the taps of anisotropic footprints, for one channel of 32 lanes: docs/numerics.md,
//! sections 2, 4.12 and 5.

use super::indices::Buffers;
use crate::reference::float::{FloatRules, HALF, SINGLE, SRGB, round_to_float};
use crate::reference::sum;
use crate::reference::weights::Scale;
use crate::request::Lanes;
use texunit_texel::{Reading, f16_to_f32, srgb_table};

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

    fn rules(self) -> &'static FloatRules {
        match self {
            Kind::Single => &SINGLE,
            Kind::Half => &HALF,
            Kind::Srgb => &SRGB,
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
                    let number = sum::number(reading, codes[lane]);
                    self.sum[lane] += i64::from(weights[lane]) * number;
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
            let lowest = field - kind.rules().texel_bits;
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
                None => sum::result(reading, self.sum[lane], scale[lane]),
            };
        }
    }

    fn finish_float(&self, kind: Kind, lane: usize) -> u32 {
        if self.special >> lane & 1 == 1 {
            let plain = self.plain[lane];
            return if plain.is_nan() { kind.rules().nan } else { plain.to_bits() };
        }
        if kind != Kind::Srgb && self.others >> lane & 1 == 0 {
            return 0x8000_0000;
        }
        // The scale of the weights is part of the accumulator's unit.
        let power = self.unit[lane] - 127 - kind.rules().texel_bits - 8;
        round_to_float(self.sum[lane].into(), power, kind.rules())
    }
}
