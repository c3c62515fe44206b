//! The coefficient tables ([`Table`]) of 1 / x, 1 / √x, √x and 2^x, rearranged for vector code: a
//! [`Curve`] per function.
//!
//! The bits of the result are almost a linear function of the bits x of the operand: 1 / x is
//! nearly `K - x`, 1 / √x nearly `K - x / 2`, √x nearly `K + x / 2`, and 2^x in fixed point nearly
//! `K + x`. This linear function is called the *line* here. A [`Curve`] describes the line, and has
//! for each of 128 segments a polynomial of the difference between the result and the line. The
//! coefficients of the polynomial fit into 16 bits, so that one multiplication of pairs
//! (`vpmaddwd`) gives both products; exponents need no step of their own:
//!
//! ```text
//! n      = c1 * (Y - 2^15) + c2 * Q + bias          Y: the low 16 bits of x, Q: the square of 17
//! result = floor((line + floor((c0 - floor(n / 2^shift)) / 2)) / 2)
//! ```
//!
//! An [`Entry`] has the coefficients of half a segment, so that Y has no bit that depends on the
//! half. Vector code that looks coefficients up by permutations of 16-bit elements uses the
//! coefficients of whole segments ([`Curve::words`]), with X / 2 - 2^15 in place of Y - 2^15, where
//! X are the low 17 bits of x.

use crate::Table;
use crate::tables::{EX2, RCP, RSQ, SQRT};

/// The coefficients c0, c1 and c2 of half a segment of a [`Curve`], as the lane code loads them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// c1 in the upper half, c2 in the lower half.
    pub factors: u32,
    /// c0.
    pub constant: u32,
}

/// The linear approximation (line) and the polynomials of a function. Bits 17 to 23 of the operand
/// select one of 128 segments, each with a polynomial.
#[repr(C, align(64))]
pub struct Curve {
    /// Four tables indexed by the segment: of the coefficients c2 and c1, and of the low and the
    /// high half of c0. The coefficients belong to a polynomial in X / 2 - 2^15, where X are the
    /// low 17 bits of the operand.
    pub words: [[u16; 128]; 4],
    /// Indexed by the half segment (bits 16 to 23 of the operand): the coefficients of a polynomial
    /// in Y - 2^15, where Y are the low 16 bits of the operand.
    pub entries: [Entry; 256],
    /// The name of the function.
    pub name: &'static str,
    /// The constant K of the linear approximation K ± x, or 2 K of K ± x / 2.
    pub origin: u32,
    /// Whether the linear approximation subtracts x from its constant.
    pub falls: bool,
    /// Whether the slope of the linear approximation is 1 and not 1/2.
    pub is_steep: bool,
    /// Whether operands can be odd, so that half of an operand (X / 2) lacks a bit. If not, they
    /// have to be even.
    pub has_odd: bool,
    /// Whether operands that are powers of four need a 1 added to the bits of their result, which
    /// the coefficients cannot express.
    pub has_powers: bool,
    /// The numbers of bits by which the polynomial's sum n is shifted to the right to reach the
    /// unit of c0: for a sum whose c1 is multiplied by Y - 2^15 (`entries`), and for one whose c1
    /// is multiplied by X / 2 - 2^15 (`words`).
    pub shifts: [u32; 2],
    /// The constants that are added to the polynomial's sum n: for a sum with the coefficients of
    /// `entries`, and for one with those of `words`.
    pub biases: [u32; 2],
}

impl std::fmt::Debug for Curve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Two [`Curve`]s are equal if they have the same address, because each is a static.
impl PartialEq for Curve {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Curve {}

/// The parameters of a [`Curve`] that do not follow from the coefficient table of its function
/// ([`Table`]).
struct Form {
    name: &'static str,
    /// A segment's index in the [`Table`] is its index in the [`Curve`], combined by exclusive or
    /// with this number.
    turn: usize,
    origin: u32,
    falls: bool,
    is_steep: bool,
    has_odd: bool,
    has_powers: bool,
    /// The slope of the linear approximation as a coefficient C1. It is subtracted from the C1 of
    /// each segment of the [`Table`].
    slope: i32,
    /// The number by which the linear approximation decreases from one segment to the next, in
    /// units of c0.
    step: i32,
    /// The numbers by which the linear approximation, compared with its constant K, has decreased
    /// at segment 0 and at segment 64, in units of c0.
    halves: [i32; 2],
}

/// The constant that is added to the polynomial's sum n of a [`Curve`], computed from the bias b of
/// its [`Table`]. A `Curve` subtracts n, whereas a `Table` adds it: floor((b - n) / 2^shift) is
/// -floor((n + 2^shift - 1 - b) / 2^shift).
const fn bias<const N: usize>(table: &Table<N>, unit: u32) -> u32 {
    (1 << (table.shifts[0] - unit)) - 1 - (table.bias >> unit) as u32
}

/// Converts the coefficient table of a function to a [`Curve`].
const fn curve<const N: usize>(table: &Table<N>, form: Form) -> Curve {
    let [shift0, shift1, shift2] = table.shifts;
    // The units of the polynomial's sum n as powers of two: that of the coefficient C1 if c1 is
    // multiplied by Y; that of C2, or half of it, if c1 is multiplied by X / 2.
    let units = [shift1, if shift1 == 1 { 2 } else { shift1 }];
    let shifts = [shift0 - units[0], shift0 - units[1]];
    let mut curve = Curve {
        words: [[0; 128]; 4],
        entries: [Entry { factors: 0, constant: 0 }; 256],
        name: form.name,
        origin: form.origin,
        falls: form.falls,
        is_steep: form.is_steep,
        has_odd: form.has_odd,
        has_powers: form.has_powers,
        shifts,
        biases: [bias(table, units[0]), bias(table, units[1])],
    };
    let mut i = 0;
    while i < 128 {
        let [c0, c1, c2] = table.coefficients[(i ^ form.turn) % N];
        let c0 = c0 + (i as i32 & 63) * form.step + form.halves[i >> 6];
        let slope = form.slope - c1;
        let (c1, square) = (slope << (shift1 + 1 - units[1]), -(c2 << (shift2 - units[1])));
        assert!(c1 as i16 as i32 == c1 && square as i16 as i32 == square);
        let constant = c0 - (c1 << (15 - shifts[1]));
        curve.words[0][i] = square as u16;
        curve.words[1][i] = c1 as u16;
        curve.words[2][i] = constant as u16;
        curve.words[3][i] = (constant >> 16) as u16;
        let (c1, square) = (slope, -(c2 << (shift2 - units[0])));
        assert!(c1 as i16 as i32 == c1 && square as i16 as i32 == square);
        let mut half = 0;
        while half < 2 {
            let constant = c0 - ((c1 * (2 * half as i32 + 1)) << (15 - shifts[0]));
            let factors = (c1 as u32) << 16 | square as u16 as u32;
            curve.entries[2 * i + half] = Entry { factors, constant: constant as u32 };
            half += 1;
        }
        i += 1;
    }
    curve
}

/// The [`Curve`] of 1 / x. The operand is the bits of |x|, doubled. The result is right for |x|
/// from 2^-126 to 2^126.
pub static RCP_CURVE: Curve = curve(
    &RCP,
    Form {
        name: "rcp",
        turn: 0,
        origin: 252 << 24,
        falls: true,
        is_steep: false,
        has_odd: false,
        has_powers: false,
        slope: -(1 << 15),
        step: 1 << 18,
        halves: [0, 1 << 24],
    },
);

/// The [`Curve`] of 1 / √x. The operand is the bits of a positive normal number. The lowest bit of
/// its biased exponent is the inverse of the exponent's parity. The low bits of the constant K of
/// the linear approximation (`K - x / 2`) are chosen so that the low bits of `K - x / 2` are zeros
/// for powers of four.
pub static RSQ_CURVE: Curve = curve(
    &RSQ,
    Form {
        name: "rsq",
        turn: 64,
        origin: 377 << 23,
        falls: true,
        is_steep: false,
        has_odd: true,
        has_powers: true,
        slope: -(1 << 15),
        step: 1 << 18,
        halves: [1 << 24, 0],
    },
);

/// The [`Curve`] of √x. The operand is the bits of a positive normal number.
pub static SQRT_CURVE: Curve = curve(
    &SQRT,
    Form {
        name: "sqrt",
        turn: 64,
        origin: 124 << 23,
        falls: false,
        is_steep: false,
        has_odd: true,
        has_powers: false,
        slope: 1 << 16,
        step: -(1 << 18),
        halves: [0, 1 << 24],
    },
);

/// The [`Curve`] of 2^x. The operand is x in fixed point with 23 fractional bits. The result is
/// right if it is a normal number.
pub static EX2_CURVE: Curve = curve(
    &EX2,
    Form {
        name: "ex2",
        turn: 0,
        origin: 126 << 23,
        falls: false,
        is_steep: true,
        has_odd: true,
        has_powers: false,
        slope: 1 << 15,
        step: -(1 << 19),
        halves: [0; 2],
    },
);

impl Curve {
    /// The sum of the polynomial's terms, without its bias, for an operand that is a power of four,
    /// if the function has `has_powers`. No other operand has this sum.
    pub const fn sum_of_powers(&self) -> u32 {
        ((self.entries[0x80].factors as i32 >> 16) * -0x8000) as u32
    }

    /// Evaluates the function for an operand with wrapping 32-bit arithmetic, which is defined for
    /// any bits.
    #[inline(always)]
    pub fn at(&self, x: u32) -> u32 {
        let Entry { factors, constant } = self.entries[(x >> 16 & 255) as usize];
        let (c1, c2) = (factors as i32 >> 16, i32::from(factors as i16));
        let product = c1 * ((x & 0xffff) as i32 - 0x8000);
        let n = product + c2 * crate::square(x & 0x1_ffff) as i32 + self.biases[0] as i32;
        let rest = (constant as i32).wrapping_sub(n >> self.shifts[0]);
        let line = self.origin.wrapping_add(if self.falls { x.wrapping_neg() } else { x });
        let result = if self.is_steep {
            line.wrapping_add((rest >> 2) as u32)
        } else {
            line.wrapping_add((rest >> 1) as u32) >> 1
        };
        result + u32::from(self.has_powers && x & 0x00ff_ffff == 0x0080_0000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_four_have_the_sum_of_powers() {
        let sum = RSQ_CURVE.sum_of_powers() as i32;
        for (i, entry) in (0..).zip(&RSQ_CURVE.entries) {
            let (c1, c2) = (entry.factors as i32 >> 16, i32::from(entry.factors as i16));
            for y in 0..0x1_0000_u32 {
                let square = crate::square((i & 1) << 16 | y) as i32;
                let n = c1 * (y as i32 - 0x8000) + c2 * square;
                assert_eq!(n == sum, (i, y) == (0x80, 0), "{i:#x} {y:#x}");
            }
        }
    }
}
