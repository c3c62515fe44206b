//! The definition of one element of D, in integers that hold every sum exactly. It is not
//! optimised; [`crate::fast`] is compared with it.

use crate::number::{
    Format, Value, add_f32, f16_to_f32, f32_to_f16, float8_to_f16, fma_f64, fma_f64_by,
};
use crate::{BitOperation, ElementType, Product};

/// The number of bits between the largest exponent of a sum and the last bit that its terms keep.
pub(crate) const ALIGNED_BITS: i32 = 25;

/// A term of a sum: `size * 2^scale`, and the exponent by which it is aligned.
#[derive(Clone, Copy)]
struct Term {
    negative: bool,
    size: u64,
    scale: i32,
    exponent: i32,
}

/// The sum of all products and C, as a tensor core computes it. E is the largest exponent of a
/// term; the exponent of a product is the sum of its factors' exponents, even if its mantissa is 2
/// or more, and zeros have none. Every term is truncated toward zero to a multiple of 2^(E - 25).
/// The sum of the truncated terms is exact, and then truncated (f32) or rounded to nearest (f16).
pub(crate) fn sum(
    from: Format,
    to: Format,
    products: impl Iterator<Item = (u32, u32)>,
    c: (Format, u32),
) -> u32 {
    let mut terms = Vec::new();
    let (mut nan, mut infinite) = (false, [false; 2]);
    for (a, b) in products {
        match (from.value(a), from.value(b)) {
            (Value::Nan, _) | (_, Value::Nan) => nan = true,
            (
                Value::Finite { negative, exponent, mantissa },
                Value::Finite { negative: minus, exponent: more, mantissa: other },
            ) => terms.push(Term {
                negative: negative != minus,
                size: u64::from(mantissa) * u64::from(other),
                scale: exponent + more - 2 * from.mantissa as i32,
                exponent: exponent + more,
            }),
            (Value::Infinite { negative }, Value::Infinite { negative: minus }) => {
                infinite[usize::from(negative != minus)] = true;
            }
            (Value::Infinite { negative }, Value::Finite { negative: minus, mantissa, .. })
            | (Value::Finite { negative: minus, mantissa, .. }, Value::Infinite { negative }) => {
                match mantissa {
                    0 => nan = true,
                    _ => infinite[usize::from(negative != minus)] = true,
                }
            }
        }
    }
    match c.0.value(c.1) {
        Value::Nan => nan = true,
        Value::Infinite { negative } => infinite[usize::from(negative)] = true,
        Value::Finite { negative, exponent, mantissa } => {
            let scale = exponent - c.0.mantissa as i32;
            terms.push(Term { negative, size: mantissa.into(), scale, exponent });
        }
    }
    match (nan, infinite) {
        (true, _) | (_, [true, true]) => return to.nan(),
        (_, [true, false]) => return to.infinity(),
        (_, [false, true]) => return to.infinity() | 1 << (to.exponent + to.mantissa),
        _ => {}
    }
    terms.retain(|term| term.size != 0);
    let Some(largest) = terms.iter().map(|term| term.exponent).max() else { return 0 };
    let last = largest - ALIGNED_BITS;
    let total = terms.iter().map(|term| {
        let size = match term.scale - last {
            shift @ 0.. => term.size << shift,
            shift => term.size.checked_shr(shift.unsigned_abs()).unwrap_or(0),
        };
        if term.negative { -(size as i64) } else { size as i64 }
    });
    to.bits(total.sum(), last, to.mantissa == 10)
}

impl Product {
    /// One element of D, from the factors of its products in order of k (only stored ones, if A is
    /// sparse) and its element of C. For single bits, a factor is a unit of 32 bits.
    pub fn element(&self, a: &[u64], b: &[u64], c: u64) -> u64 {
        let narrow = || a.iter().zip(b).map(|(&a, &b)| (a as u32, b as u32));
        let count = |a: u32, b: u32| match self.operation {
            BitOperation::Xor => (a ^ b).count_ones(),
            BitOperation::And => (a & b).count_ones(),
        };
        let d = match self.a {
            ElementType::F64 => {
                return a.iter().zip(b).fold(c, |sum, (&a, &b)| fma_f64_by(fma_f64, a, b, sum));
            }
            ElementType::B1 => narrow().fold(c as u32, |sum, (a, b)| sum.wrapping_add(count(a, b))),
            ElementType::S8 | ElementType::U8 | ElementType::S4 | ElementType::U4 => {
                let product = |(a, b)| i64::from(self.a.integer(a)) * i64::from(self.b.integer(b));
                let sum = i64::from(c as i32) + narrow().map(product).sum::<i64>();
                match self.saturate {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
                    false => sum as u32,
                }
            }
            _ if self.is_volta() => self.volta(&narrow().collect::<Vec<_>>(), c as u32),
            _ => self.float(&narrow().collect::<Vec<_>>(), c as u32),
        };
        d.into()
    }

    /// Sums of floats. ptxas converts 8-bit floats to f16 (for sm_90), and adds C to their sum by a
    /// separate instruction; if one of C and D is f32 and the other f16, ptxas converts C or the
    /// result.
    fn float(&self, factors: &[(u32, u32)], c: u32) -> u32 {
        let (tiny, number) = (self.a.bits() == 8, self.sum_in());
        let from = if tiny { ElementType::F16 } else { self.a }.format();
        let c = convert(self.c, number, c);
        let mut total = if tiny { 0 } else { c };
        for part in self.parts() {
            let select = part.iter().filter_map(|&k| factors.get(usize::from(k)));
            let factors = select.map(|&(a, b)| match tiny {
                true => (float8_to_f16(self.a, a), float8_to_f16(self.b, b)),
                false => (a, b),
            });
            total = sum(from, number.format(), factors, (number.format(), total));
        }
        convert(number, self.d, if tiny { add(number, total, c) } else { total })
    }

    /// `m8n8k4` of f16: fused multiply-adds in f32. A sum whose result is f16 starts with C, and
    /// takes two products at a time.
    fn volta(&self, factors: &[(u32, u32)], c: u32) -> u32 {
        let mut products = factors.iter().map(|&(a, b)| (f16_to_f32(a), f16_to_f32(b)));
        let mut next = || products.next().unwrap_or_default();
        let fma = |(a, b): (f32, f32), c: f32| a.mul_add(b, c);
        let c = if self.c == ElementType::F16 { f16_to_f32(c) } else { f32::from_bits(c) };
        if self.d == ElementType::F16 {
            let mut pair = || {
                let (a, b) = next();
                fma(next(), a * b)
            };
            let first = pair();
            return f32_to_f16(c + first + pair());
        }
        let chain = (0..4).fold(0.0, |sum, _| fma(next(), sum));
        add_f32(c.to_bits(), chain.to_bits())
    }
}

/// Converts f16 or f32 to the nearest number of either type.
pub(crate) fn convert(from: ElementType, to: ElementType, bits: u32) -> u32 {
    match (from, to) {
        (ElementType::F16, ElementType::F32) => add_f32(f16_to_f32(bits).to_bits(), 1 << 31),
        (ElementType::F32, ElementType::F16) => f32_to_f16(f32::from_bits(bits)),
        _ => bits,
    }
}

/// The sum of two f16 or two f32, rounded to nearest.
pub(crate) fn add(number: ElementType, a: u32, b: u32) -> u32 {
    match number {
        // The sum of two f16 in f32 is accurate enough that rounding it again gives the correct
        // f16.
        ElementType::F16 => f32_to_f16(f16_to_f32(a) + f16_to_f32(b)),
        _ => add_f32(a, b),
    }
}
