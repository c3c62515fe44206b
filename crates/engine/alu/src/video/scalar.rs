//! Scalar video instructions: `vadd` to `vset`, and `vmad`.
//!
//! Current GPUs do not have these instructions. ptxas replaces them by code of several
//! instructions, which computes with 64 bits and does not saturate as the ISA's pseudo-code does.
//! The rules here are those of the code that ptxas 13.5 generates for sm_86 (docs/numerics.md,
//! 13.12); `tests/data/video_tables.py` runs that code.

use texunit_isa::{AtomOp, Selector};

use super::{Function, Video, clamp, extend};

/// The lowest bit and the width in bits of the byte, half or register that a selector names.
fn place(part: Selector) -> (u32, u32) {
    match (part.count, part.half) {
        (0, _) => (0, 32),
        (_, true) => (16 * u32::from(part.parts[0]), 16),
        (_, false) => (8 * u32::from(part.parts[0]), 8),
    }
}

/// The byte or half of a source that a selector names, extended by the source's type.
fn part(x: u32, selector: Selector, signed: bool) -> i64 {
    let (from, bits) = place(selector);
    extend(x >> from, bits, signed)
}

/// Applies `.sat` to sums, differences, minima and maxima. An unsigned 32-bit result is only
/// limited below; an unsigned byte or half becomes the largest number if the value is negative.
fn limited(value: i64, bits: u32, signed: bool) -> i64 {
    match (bits, signed) {
        (32, true) => clamp(value, 32, true),
        (32, false) => value.max(0),
        _ => {
            let most = (1 << (bits - u32::from(signed))) - 1;
            if value < 0 { most } else { value.min(most) }
        }
    }
}

impl Video {
    pub(super) fn scalar(&self, a: u32, b: u32, c: u32) -> u32 {
        let a = part(a, self.operands.a, self.signed[1]);
        let b = part(b, self.operands.b, self.signed[2]);
        let signed = self.signed[0];
        let mut value = self.combine(a, b);
        let (from, bits) = place(self.operands.d);
        let shifts = matches!(self.function, Function::ShiftLeft | Function::ShiftRight);
        if self.sat && shifts {
            // `.sat` limits the low 34 bits of a shifted value to 32 bits, even if only a part of
            // the result is kept.
            value = clamp(value << 30 >> 30, 32, signed);
        } else if self.sat {
            value = limited(value, bits, signed);
        }
        if self.secondary.is_some() {
            let wraps = matches!(self.function, Function::Add | Function::Sub);
            let value = if wraps || shifts && self.sat { i64::from(value as i32) } else { value };
            return self.second(value, c);
        }
        let mask = u32::MAX >> (32 - bits);
        (c & !(mask << from)) | (value as u32 & mask) << from
    }

    /// Combines a value with the source c by the secondary operation, in 64 bits.
    fn second(&self, value: i64, c: u32) -> u32 {
        let third = extend(c, 32, self.signed[0]);
        let takes_third = match self.secondary {
            Some(AtomOp::Min) if self.signed[0] => third < value,
            Some(AtomOp::Min) => (third as u64) < value as u64,
            Some(AtomOp::Max) if self.signed[0] => third > value,
            Some(AtomOp::Max) => third as u64 > value as u64,
            _ => return (value as u32).wrapping_add(c),
        };
        if takes_third { c } else { value as u32 }
    }

    /// Computes `vmad`, whose 32-bit operands are signed in the product and in the sum.
    pub(super) fn multiply_add(&self, a: u32, b: u32, c: u32) -> u32 {
        let word = |x: u32, selector, signed| i64::from(part(x, selector, signed) as i32);
        let [minus_a, minus_b, minus_c] = self.operands.negated;
        let minus_product = minus_a != minus_b;
        let signed = self.signed[1] || self.signed[2] || minus_product || minus_c;
        let product =
            word(a, self.operands.a, self.signed[1]) * word(b, self.operands.b, self.signed[2]);
        let third = i64::from(c as i32);
        let sum = match (minus_product, minus_c) {
            (true, _) => third - product,
            (_, true) => product - third,
            _ => product + third + i64::from(self.plus_one),
        };
        let scaled = if signed { sum >> self.scale } else { (sum as u64 >> self.scale) as i64 };
        (if self.sat { clamp(scaled, 32, signed) } else { scaled }) as u32
    }
}
