//! How an f32 instruction takes subnormals and limits its result.

use super::float::flush32;
use texunit_jit::{Float, Op as J, Rounding};

/// `.ftz` and `.sat` of an f32 instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Subnormal sources and results are zeros of their sign.
    pub ftz: bool,
    /// The result is limited to [+0, 1]; a NaN becomes +0.
    pub sat: bool,
}

/// Neither.
pub const IEEE: Mode = Mode { ftz: false, sat: false };
/// `.ftz`
pub const FTZ: Mode = Mode { ftz: true, sat: false };
/// Both.
pub const FTZ_SAT: Mode = Mode { ftz: true, sat: true };
/// `.sat`
pub const SAT: Mode = Mode { ftz: false, sat: true };

impl Mode {
    /// A source.
    #[inline(always)]
    pub fn get(self, x: u32) -> f32 {
        f32::from_bits(if self.ftz { flush32(x) } else { x })
    }

    /// A result.
    #[inline(always)]
    pub fn put(self, x: f32) -> u32 {
        let x = if self.sat {
            let low = if x > 0.0 { x } else { 0.0 };
            if low < 1.0 { low } else { 1.0 }
        } else {
            x
        };
        let bits = if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
        if self.ftz { flush32(bits) } else { bits }
    }

    /// A source times 2^24, for [`Self::put_tiny`]. A source whose multiple is infinite has no tiny result.
    #[inline(always)]
    pub fn larger(self, x: u32) -> f32 {
        self.get(x) * (1u32 << 24) as f32
    }

    /// A product or quotient, or the sum of one with an addend: what can lie between the largest subnormal and the smallest
    /// normal number. `.ftz` makes it a zero where it is less than the latter after rounding to 24 bits with an unbounded
    /// exponent (docs/numerics.md, 13.3). That is the result of `larger`, the same operation of a dividend, or of a factor and
    /// the addend, that are [larger](Self::larger).
    #[inline(always)]
    pub fn put_tiny(self, x: f32, larger: impl FnOnce() -> f32) -> u32 {
        if !self.ftz {
            return self.put(x);
        }
        let bits = Self { ftz: false, ..self }.put(x);
        // 2^(24 - 126)
        let is_tiny = larger().abs() < f32::from_bits((127 + 24 - 126) << 23);
        if is_tiny { bits & 1 << 31 } else { bits }
    }

    /// The operation of compiled code.
    pub fn op(self, op: Float) -> J {
        J::Float { op, flush: self.ftz, saturate: self.sat }
    }

    /// The operation of compiled code in a rounding.
    pub fn directed(self, op: Float, rounding: Rounding) -> J {
        J::Directed { op, rounding, flush: self.ftz, saturate: self.sat }
    }
}
