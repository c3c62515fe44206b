//! The special function unit (`MUFU`) of NVIDIA GPUs, bit for bit: docs/numerics.md, section 13.
//!
//! A cube fetch uses `MUFU.RCP` for its division, so both the texture unit and the engine need this
//! crate. Coefficient tables and rules were derived from the results of an NVIDIA H200 (sm_90,
//! driver 580.159.04) for all 2^32 operands of each function.
//!
//! * [`mufu`]: the hardware instructions, one operand at a time. This module is the reference.
//! * [`ptx`]: the PTX instructions, including the code that ptxas adds around the hardware
//!   instruction.
//! * [`lanes`]: the coefficient tables in the layout in which vector code looks them up.
//!
//! Operands and results are bit patterns: `u32` of an f32, or the upper word of an f64.

mod curve;
pub mod lanes;
pub mod mufu;
pub mod ptx;
mod tables;

pub use mufu::rcp;
pub use tables::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH};

/// The NaN that every `MUFU` instruction returns.
pub const NAN: u32 = 0x7fff_ffff;
/// For each instruction, hashes of the results that an NVIDIA H200 returned for all operands. The
/// first lines of `h200-hashes.txt` describe its format.
pub const H200_HASHES: &str = include_str!("../tests/data/h200-hashes.txt");
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 0x8000_0000;

/// The coefficients of a function, which is a polynomial of degree 2 in each segment of its domain.
/// The upper bits of an operand select the segment. Each segment has three integers, C0, C1 and C2.
#[derive(Clone, Copy, Debug)]
pub struct Table<const SEGMENTS: usize> {
    /// The numbers of bits by which C0, C1 and C2 are shifted to the left.
    pub shifts: [u32; 3],
    /// The constant that is added to the polynomial's sum.
    pub bias: i64,
    /// C0, C1 and C2 of each segment.
    pub coefficients: [[i32; 3]; SEGMENTS],
}

impl<const SEGMENTS: usize> Table<SEGMENTS> {
    /// Evaluates the polynomial of a segment, exactly, in units of 2^-41. `x` is the 17 bits of the
    /// operand below those that select the segment.
    pub fn value(&self, segment: usize, x: u32) -> i64 {
        let [c0, c1, c2] = self.coefficients[segment].map(i64::from);
        let [shift0, shift1, shift2] = self.shifts;
        let (x, square) = (i64::from(x), i64::from(square(x)));
        (c0 << shift0) + self.bias + ((c1 * x) << shift1) + ((c2 * square) << shift2)
    }
}

/// The square of a number of 17 bits, divided by 2^19. The special function unit's squarer omits
/// the partial products below 2^19, so that the square is slightly too small.
#[inline(always)]
pub const fn square(x: u32) -> u32 {
    let high = x >> 9;
    // `high * high` covers the products of bits 9 to 16 of x with each other; halving it drops the
    // square of bit 9, which is below 2^19. `pairs` adds the products of each bit b from 3 to 8
    // with the higher bits of x: x >> (18 - b), if bit b is set. One multiplication handles two
    // adjacent bits, because x >> (18 - b) for the lower bit is half of that for the higher bit,
    // truncated.
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
