//! The coefficient tables of the `MUFU` functions in the layout in which vector code looks them up.
//! Functions whose result is the truncated polynomial have a [`Curve`]; logarithms, sines and
//! tangents, which keep their low bits when the leading ones cancel, have one table of 32-bit words
//! ([`Words`]) per coefficient C0, C1 or C2.

use crate::Table;
pub use crate::curve::{Curve, EX2_CURVE, Entry, RCP_CURVE, RSQ_CURVE, SQRT_CURVE};
use crate::mufu;
use crate::tables::{LG2, SIN, TANH};

/// A table of 32-bit words, whose length is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Words(&'static [u32]);

/// Two tables ([`Words`]) are equal if they have the same address.
impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Words {}

impl Words {
    const fn new(words: &'static [u32]) -> Self {
        assert!(words.len().is_power_of_two());
        Self(words)
    }

    /// The 32-bit word at an index. The index is taken modulo the length of the table.
    #[inline(always)]
    pub fn at(self, index: u32) -> u32 {
        self.0[index as usize & (self.0.len() - 1)]
    }

    /// All 32-bit words of the coefficient table.
    pub fn all(self) -> &'static [u32] {
        self.0
    }
}

/// The coefficients C0 of all segments.
const fn constants<const N: usize>(table: &Table<N>) -> [u32; N] {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        words[i] = table.coefficients[i][0] as u32;
        i += 1;
    }
    words
}

/// For each segment, a 32-bit word with |C1| in the low half and |C2| in the upper half.
const fn packed_coefficients<const N: usize>(table: &Table<N>) -> [u32; N] {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        let [_, c1, c2] = table.coefficients[i];
        assert!(c1.unsigned_abs() < 1 << 16 && c2.unsigned_abs() < 1 << 16);
        words[i] = c1.unsigned_abs() | c2.unsigned_abs() << 16;
        i += 1;
    }
    words
}

/// A table of one coefficient of `MUFU.TANH`. The index is the lowest four bits of the operand's
/// exponent, followed by the upper four bits of its mantissa. A word of the table of C0 also holds,
/// in its top four bits, how many mantissa bits selected the segment.
const fn of_tanh(coefficient: usize) -> [u32; 256] {
    let (mut words, mut i) = ([0; 256], 119 << 4);
    while i < 130 << 4 {
        let (segment, _, bits) = mufu::of_tanh((i >> 4) as u32, ((i & 15) as u32) << 19);
        let value = TANH.coefficients[segment][coefficient].unsigned_abs();
        words[i & 255] = if coefficient == 0 { value | bits << 28 } else { value };
        i += 1;
    }
    words
}

/// Defines a table of 32-bit words as a constant.
macro_rules! words {
    ($name:ident = $words:expr) => {
        #[doc = concat!("Words of the table of `", stringify!($name), "`.")]
        pub const $name: Words = {
            static WORDS: [u32; { $words }.len()] = $words;
            Words::new(&WORDS)
        };
    };
}
words!(LG2_0 = constants(&LG2));
words!(LG2_12 = packed_coefficients(&LG2));
words!(SIN_0 = constants(&SIN));
words!(SIN_12 = packed_coefficients(&SIN));
words!(TANH_0 = of_tanh(0));
words!(TANH_1 = of_tanh(1));
words!(TANH_2 = of_tanh(2));
