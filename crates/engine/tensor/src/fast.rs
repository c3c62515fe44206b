//! Products of whole matrices, as loops over rows that the compiler vectorises. It gives the same
//! bits as [`crate::reference`], which computes the elements that have an infinity or a NaN among
//! their factors.

use crate::ElementType;
use crate::number::Format;
use crate::reference::ALIGNED_BITS;

/// The number of rows that are computed together.
pub(crate) const LANES: usize = 16;
/// The exponent that stands for zero: below that of every number, but so that the sum of two does
/// not overflow.
const ZERO: i32 = -100_000;

/// The elements of A (x is the row) or of B (x is the column), split into sign (all ones if
/// negative), exponent and mantissa.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitMatrix {
    sign: Vec<[i32; 32]>,
    exponent: Vec<[i32; 32]>,
    mantissa: Vec<[i32; 32]>,
    /// A mask of the rows of A or columns of B that contain an infinity or a NaN.
    pub(crate) special: u32,
}

#[inline(always)]
fn split(bits: u32, from: Format) -> (i32, i32, i32, bool) {
    let bits = bits >> from.skipped;
    let ones = (1 << from.exponent) - 1;
    let field = (bits >> from.mantissa & ones) as i32;
    let hidden = i32::from(field != 0) << from.mantissa;
    let mantissa = (bits & ((1 << from.mantissa) - 1)) as i32 | hidden;
    let exponent = if mantissa == 0 { ZERO } else { field.max(1) - from.bias() };
    let sign = -((bits >> (from.exponent + from.mantissa) & 1) as i32);
    (sign, exponent, mantissa, field == ones as i32)
}

impl SplitMatrix {
    /// Splits the elements of `width` rows or columns; mantissas are shifted left by `shift`.
    #[inline(always)]
    pub(crate) fn read(&mut self, bits: &[[u32; 32]], width: u16, from: Format, shift: i32) {
        for part in [&mut self.sign, &mut self.exponent, &mut self.mantissa] {
            part.resize(bits.len(), [0; 32]);
        }
        self.special = 0;
        for block in 0..usize::from(width).div_ceil(LANES) {
            let mut special = [0; LANES];
            for (y, line) in bits.iter().enumerate() {
                let line: &[u32; LANES] = &line.as_chunks().0[block];
                let [sign, exponent, mantissa] =
                    [&mut self.sign, &mut self.exponent, &mut self.mantissa]
                        .map(|part| &mut part[y].as_chunks_mut::<LANES>().0[block]);
                for x in 0..LANES {
                    let (s, e, m, is_special) = split(line[x], from);
                    (sign[x], exponent[x], mantissa[x]) = (s, e, m << shift);
                    special[x] |= u32::from(is_special);
                }
            }
            let all = (0..LANES).fold(0, |all, x| all | special[x] << x);
            self.special |= all << (LANES * block);
        }
    }

    /// An element of a column of B, repeated for all rows.
    #[inline(always)]
    pub(crate) fn spread(&self, y: usize, x: usize) -> [[i32; LANES]; 3] {
        [&self.sign, &self.exponent, &self.mantissa].map(|part| [part[y][x]; LANES])
    }

    /// Elements of a column of B, one for each row, as the metadata of a sparse A selects them.
    #[inline(always)]
    pub(crate) fn select(&self, y: &[u8], x: usize) -> [[i32; LANES]; 3] {
        [&self.sign, &self.exponent, &self.mantissa]
            .map(|part| std::array::from_fn(|lane| part[usize::from(y[lane])][x]))
    }
}

/// By how many bits the mantissas of B are shifted, so that a product of exponent e is in units of
/// 2^(e - 25).
pub(crate) const fn mantissa_shift(from: Format) -> i32 {
    ALIGNED_BITS - 2 * from.mantissa as i32
}

/// The sums of 16 rows: the products of A's rows from `row` on with `b`, for each k in `ks`, plus
/// C. Also returns a mask of rows whose C is an infinity or a NaN. C and the sums have `MANTISSA`
/// bits of mantissa: they are f16 or f32.
#[inline(always)]
pub(crate) fn sums<const MANTISSA: u32>(
    a: &SplitMatrix,
    row: usize,
    ks: &[u8],
    b: impl Fn(usize) -> [[i32; LANES]; 3],
    c: &[u32; LANES],
) -> ([u32; LANES], u32) {
    let to = if MANTISSA == 10 { ElementType::F16.format() } else { ElementType::F32.format() };
    let mut top = [0; LANES];
    let (mut low, mut high) = ([0i32; LANES], [0i32; LANES]);
    let mut special = 0;
    let mut of_c = [[0; LANES]; 3];
    for lane in 0..LANES {
        let (sign, exponent, mantissa, is_special) = split(c[lane], to);
        special |= u32::from(is_special) << lane;
        of_c[0][lane] = sign;
        of_c[1][lane] = exponent;
        of_c[2][lane] = mantissa << (ALIGNED_BITS - to.mantissa as i32);
        top[lane] = exponent;
    }
    for &k in ks {
        let exponents = rows(&a.exponent, k, row);
        let [_, other, _] = b(k.into());
        for lane in 0..LANES {
            top[lane] = top[lane].max(exponents[lane] + other[lane]);
        }
    }
    // Terms are truncated toward zero: their magnitudes are shifted, and then negated if necessary.
    // All terms are below 2^27 in magnitude, so that the sum of 8 products and C does not overflow.
    let term = |size: i32, below: i32, sign: i32| ((size >> below.min(31)) ^ sign) - sign;
    let middle = ks.len() / 2;
    for (i, &k) in ks.iter().enumerate() {
        let [sign, exponent, mantissa] =
            [&a.sign, &a.exponent, &a.mantissa].map(|part| rows(part, k, row));
        let [b_sign, b_exponent, b_mantissa] = b(k.into());
        let total = if i < middle { &mut low } else { &mut high };
        for lane in 0..LANES {
            let below = top[lane] - (exponent[lane] + b_exponent[lane]);
            let size = mantissa[lane] * b_mantissa[lane];
            total[lane] += term(size, below, sign[lane] ^ b_sign[lane]);
        }
    }
    for lane in 0..LANES {
        let [sign, exponent, size] = [of_c[0][lane], of_c[1][lane], of_c[2][lane]];
        high[lane] += term(size, top[lane] - exponent, sign);
    }
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        let total = f64::from(low[lane]) + f64::from(high[lane]);
        let scale = top[lane] - ALIGNED_BITS;
        bits[lane] = match MANTISSA {
            10 => nearest_f16(total, scale),
            _ => cut_f32(total, scale),
        };
    }
    (bits, special)
}

#[inline(always)]
fn rows(part: &[[i32; 32]], k: u8, row: usize) -> &[i32; LANES] {
    &part[usize::from(k)].as_chunks().0[row / LANES]
}

/// `total * 2^scale` as f32, truncated toward zero.
#[inline(always)]
fn cut_f32(total: f64, scale: i32) -> u32 {
    // The leading 24 bits of the total fit into an f32.
    let cut = f64::from_bits(total.to_bits() & !0x1fff_ffff) as f32;
    let size = cut.to_bits() & 0x7fff_ffff;
    let exponent = (size >> 23) as i32 - 127 + scale;
    let mantissa = size & 0x7f_ffff | 0x80_0000;
    let below = (-126 - exponent).clamp(0, 31);
    let field = (exponent + 126).clamp(0, 254) as u32;
    let bits = (field << 23) + (mantissa >> below);
    let bits = if exponent > 127 { 0x7f80_0000 } else { bits };
    if size == 0 || bits == 0 { 0 } else { bits | cut.to_bits() & 0x8000_0000 }
}

/// `total * 2^scale`, rounded to the nearest f16.
#[inline(always)]
fn nearest_f16(total: f64, scale: i32) -> u32 {
    let value = total * f64::from_bits(((scale + 1023).clamp(1, 2046) as u64) << 52);
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i64 - 1023).clamp(-14, 16);
    // Adding `large` rounds to multiples of the last place of the f16.
    let large = f64::from_bits(((exponent - 10 + 52 + 1023) as u64) << 52) * 1.5;
    let n = ((value.clamp(-1e6, 1e6) + large).to_bits() as i64 - large.to_bits() as i64).abs();
    let bits = (((exponent + 14) << 10) + n).min(0x7c00) as u32;
    let sign = (total.to_bits() >> 48 & 0x8000) as u32;
    if n == 0 { 0 } else { bits | sign }
}
