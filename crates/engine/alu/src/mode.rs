//! The mode of an f32 instruction (how it treats subnormals, and whether it limits its result), and
//! variants: the modifiers (rounding, `.ftz`, `.sat` and so on) in which the operations of one
//! family differ.

use super::float::flush32;
use texunit_jit::{Float, Op as J, Rounding};

/// The modifiers `.ftz` and `.sat` of an f32 instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Whether subnormal sources and results become zeros of their sign.
    pub ftz: bool,
    /// Whether the result is limited to [+0, 1], and a NaN becomes +0.
    pub sat: bool,
}

/// The mode of an instruction with neither `.ftz` nor `.sat`.
pub const IEEE: Mode = Mode { ftz: false, sat: false };
/// `.ftz`
pub const FTZ: Mode = Mode { ftz: true, sat: false };
/// `.ftz` and `.sat`
pub const FTZ_SAT: Mode = Mode { ftz: true, sat: true };
/// `.sat`
pub const SAT: Mode = Mode { ftz: false, sat: true };

impl Mode {
    /// Converts the bits of a source to f32, with `.ftz` if the mode has it.
    #[inline(always)]
    pub fn get(self, x: u32) -> f32 {
        f32::from_bits(if self.ftz { flush32(x) } else { x })
    }

    /// Converts a result to bits, with `.sat` and `.ftz` if the mode has them.
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

    /// A source, times 2^24, for [`Self::put_tiny`]. If the product overflows, the result of the
    /// operation is not tiny.
    #[inline(always)]
    pub fn larger(self, x: u32) -> f32 {
        self.get(x) * (1u32 << 24) as f32
    }

    /// Converts a result that may be tiny to bits. A result is tiny if it is less than the smallest
    /// normal number after rounding to 24 bits with an unbounded exponent, although the rounded f32
    /// may be the smallest normal number. `.ftz` replaces tiny results by zero (docs/numerics.md,
    /// 13.3). `larger` repeats the operation, which is a product, a quotient or a fused
    /// multiply-add, with the dividend, or with one factor and the addend, scaled by
    /// [`Self::larger`]; this result shows whether the original one is tiny.
    #[inline(always)]
    pub fn put_tiny(self, x: f32, larger: impl FnOnce() -> f32) -> u32 {
        if !self.ftz {
            return self.put(x);
        }
        let bits = Self { ftz: false, ..self }.put(x);
        // The limit is 2^(24 - 126), the smallest normal number times 2^24.
        let is_tiny = larger().abs() < f32::from_bits((127 + 24 - 126) << 23);
        if is_tiny { bits & 1 << 31 } else { bits }
    }

    /// The JIT compiler's operation for a float operation in this mode.
    pub fn op(self, op: Float) -> J {
        self.directed(op, Rounding::Near)
    }

    /// As [`Self::op`], with a directed rounding.
    pub fn directed(self, op: Float, rounding: Rounding) -> J {
        J::Float { op, rounding, flush: self.ftz, saturate: self.sat }
    }
}

/// The modifiers that distinguish an operation from other operations of its family. Modifiers that
/// a family does not have are as in [`Variant::PLAIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The rounding of the result: `.rn` to `.rp`, or `.rni` to `.rpi`.
    pub(crate) rounding: Rounding,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    pub(crate) relu: bool,
    pub(crate) nan: bool,
    /// Whether the type is a packed pair, such as f16x2.
    pub(crate) pair: bool,
}

impl Variant {
    /// The variant without modifiers, which rounds to nearest.
    pub(crate) const PLAIN: Self = Self {
        rounding: Rounding::Near,
        ftz: false,
        sat: false,
        relu: false,
        nan: false,
        pair: false,
    };

    /// The mode of an f32 instruction with these modifiers.
    pub(crate) fn mode(self) -> Mode {
        Mode { ftz: self.ftz, sat: self.sat }
    }
}

/// Lists the variants that have one of the given roundings and any combination of the given flags.
pub(crate) fn variants(roundings: &[Rounding], flags: &[fn(&mut Variant)]) -> Vec<Variant> {
    let rounded = |&rounding: &Rounding| Variant { rounding, ..Variant::PLAIN };
    let mut all: Vec<Variant> = roundings.iter().map(rounded).collect();
    for set in flags {
        let with = all.clone().into_iter().map(|mut variant| {
            set(&mut variant);
            variant
        });
        all.extend(with.collect::<Vec<_>>());
    }
    all
}

pub(crate) fn ftz(variant: &mut Variant) {
    variant.ftz = true;
}

pub(crate) fn sat(variant: &mut Variant) {
    variant.sat = true;
}

pub(crate) fn nan(variant: &mut Variant) {
    variant.nan = true;
}

/// Makes the type a packed pair.
pub(crate) fn pair(variant: &mut Variant) {
    variant.pair = true;
}
