//! The special function unit (`MUFU`) of NVIDIA GPUs, bit for bit: docs/numerics.md, section 13.
//!
//! A cube fetch divides by `MUFU.RCP`, so the texture unit and the engine both need it. Tables and rule were found from
//! what an NVIDIA H200 (sm_90, driver 580.159.04) answered to all 2^32 operands of each function.
//!
//! * [`mufu`]: the machine instructions, an operand at a time: the reference.
//! * [`ptx`]: the instructions of PTX, with what ptxas puts around the machine's.
//! * [`lanes`]: the machine instructions without branches, for vectors of any kind and for the recorder of compiled code.
//!
//! Operands and results are bit patterns: `u32` of an f32, or the upper word of an f64.

pub mod lanes;
pub mod mufu;
pub mod ptx;
mod tables;

pub use mufu::rcp;
pub use tables::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH};

/// The NaN that the unit gives.
pub const NAN: u32 = 0x7fff_ffff;
/// What an NVIDIA H200 gave for all operands of each instruction, as hashes; the text says of what.
pub const H200_HASHES: &str = include_str!("../tests/data/h200-hashes.txt");
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 0x8000_0000;

/// The coefficients of a function: of each segment C0, C1 and C2, integers.
#[derive(Clone, Copy, Debug)]
pub struct Table<const SEGMENTS: usize> {
    /// What C0, C1 and C2 are shifted up by.
    pub shifts: [u32; 3],
    /// Added to the polynomial.
    pub bias: i64,
    /// C0, C1 and C2 by segment.
    pub coefficients: [[i32; 3]; SEGMENTS],
}

impl<const SEGMENTS: usize> Table<SEGMENTS> {
    /// The polynomial of a segment for the 17 bits below it, exactly; in units of 2^-41.
    pub fn value(&self, segment: usize, x: u32) -> i64 {
        let [c0, c1, c2] = self.coefficients[segment].map(i64::from);
        let [shift0, shift1, shift2] = self.shifts;
        let (x, square) = (i64::from(x), i64::from(square(x)));
        (c0 << shift0) + self.bias + ((c1 * x) << shift1) + ((c2 * square) << shift2)
    }
}

/// The square of 17 bits over 2^19, as the unit's folded squarer has it: partial products of
/// columns below 2^19 do not exist.
#[inline(always)]
pub const fn square(x: u32) -> u32 {
    let high = x >> 9;
    // Products of the bits 9 and above; the lowest one's square is below the last column. Each bit b below adds
    // x >> (18 - b): two of them at once, since half an odd number cut is what the lower one adds.
    let pairs = (((x & 0x180) * (x >> 10)) >> 8)
        + (((x & 0x60) * (x >> 12)) >> 6)
        + (((x & 0x18) * (x >> 14)) >> 4);
    ((high * high) >> 1) + pairs + (((x & 4) * (x >> 16)) >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squarer_has_no_columns_below_the_last() {
        for x in (0..1 << 17).step_by(7) {
            let bit = |i: u32| u64::from(x >> i & 1);
            let mut sum = 0;
            for i in 0..17 {
                sum += if 2 * i >= 19 { bit(i) << (2 * i) } else { 0 };
                for j in i + 1..17 {
                    sum += if i + j + 1 >= 19 { (bit(i) & bit(j)) << (i + j + 1) } else { 0 };
                }
            }
            assert_eq!(u64::from(square(x)), sum >> 19, "{x:#x}");
        }
    }
}
