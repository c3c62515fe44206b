//! Element types of matrices: their formats, and the arithmetic of single elements.

use half::f16;
use texunit_forms::words;

words! {
    /// The type of a matrix's elements.
    ElementType {
        F16 = "f16", Bf16 = "bf16", Tf32 = "tf32", E4m3 = "e4m3", E5m2 = "e5m2", F32 = "f32",
        F64 = "f64", S32 = "s32", S8 = "s8", U8 = "u8", S4 = "s4", U4 = "u4", B1 = "b1",
    }
}

impl ElementType {
    /// The number of bits of an element.
    pub const fn bits(self) -> u32 {
        match self {
            Self::B1 => 1,
            Self::S4 | Self::U4 => 4,
            Self::S8 | Self::U8 | Self::E4m3 | Self::E5m2 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }

    /// The value of an integer element.
    pub(crate) const fn integer(self, bits: u32) -> i32 {
        match self {
            Self::S8 => bits as i8 as i32,
            Self::S4 => (bits << 28) as i32 >> 28,
            _ => bits as i32,
        }
    }

    /// The format of a float type that tensor cores multiply or add.
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::F16 => Format { exponent: 5, mantissa: 10, skipped: 0 },
            Self::Bf16 => Format { exponent: 8, mantissa: 7, skipped: 0 },
            // The low bits of a tf32's register are ignored.
            Self::Tf32 => Format { exponent: 8, mantissa: 10, skipped: 13 },
            _ => Format { exponent: 8, mantissa: 23, skipped: 0 },
        }
    }
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The number of exponent bits.
    pub(crate) exponent: u32,
    /// The number of mantissa bits, without the hidden bit.
    pub(crate) mantissa: u32,
    /// The number of low bits that are ignored in a register that has a number of this format.
    pub(crate) skipped: u32,
}

/// The value of a float, decoded from its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The number `mantissa * 2^(exponent - f)`, where f is the format's number of mantissa bits.
    /// Subnormals have the smallest exponent.
    Finite {
        negative: bool,
        exponent: i32,
        mantissa: u32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

impl Format {
    pub(crate) const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of infinity, without the low bits that are ignored in registers of this format.
    pub(crate) const fn infinity(self) -> u32 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// The NaN result of arithmetic.
    pub(crate) const fn nan(self) -> u32 {
        (1 << (self.exponent + self.mantissa)) - 1
    }

    pub(crate) const fn value(self, bits: u32) -> Value {
        let bits = bits >> self.skipped;
        let negative = bits >> (self.exponent + self.mantissa) & 1 == 1;
        let field = bits >> self.mantissa & ((1 << self.exponent) - 1);
        let mantissa = bits & ((1 << self.mantissa) - 1);
        if field == (1 << self.exponent) - 1 {
            return if mantissa == 0 { Value::Infinite { negative } } else { Value::Nan };
        }
        let hidden = ((field != 0) as u32) << self.mantissa;
        let exponent = if field == 0 { 1 } else { field as i32 } - self.bias();
        Value::Finite { negative, exponent, mantissa: mantissa | hidden }
    }

    /// The number `total * 2^scale` in this format, truncated toward zero or rounded to nearest
    /// even. A result of zero is positive, and one that is too large is infinite.
    pub(crate) fn bits(self, total: i64, scale: i32, nearest: bool) -> u32 {
        let size = total.unsigned_abs();
        if size == 0 {
            return 0;
        }
        let lowest = 1 - self.bias() - self.mantissa as i32;
        let top = 63 - size.leading_zeros() as i32 + scale;
        let unit = (top - self.mantissa as i32).max(lowest);
        let n = match u32::try_from(unit - scale) {
            Ok(shift) => {
                let n = size.checked_shr(shift).unwrap_or(0);
                let half = 1u64.checked_shl(shift.wrapping_sub(1)).unwrap_or(0);
                let below = size & 1u64.checked_shl(shift).map_or(u64::MAX, |unit| unit - 1);
                let up = nearest && half != 0 && (below > half || below == half && n & 1 == 1);
                n + u64::from(up)
            }
            Err(_) => size << (scale - unit),
        };
        if n == 0 {
            return 0;
        }
        let bits = (((unit - lowest) as u64) << self.mantissa) + n;
        let bits = bits.min(self.infinity().into()) as u32;
        bits | u32::from(total < 0) << (self.exponent + self.mantissa)
    }
}

/// Converts an 8-bit float to f16, which holds every value exactly.
pub(crate) const fn float8_to_f16(number: ElementType, bits: u32) -> u32 {
    let (sign, size) = ((bits & 0x80) << 8, bits & 0x7f);
    match number {
        ElementType::E5m2 => sign | size << 8,
        // The magnitude of e4m3's only NaN; e4m3 has no infinity.
        _ if size == 0x7f => 0x7fff,
        _ if size >= 8 => sign | ((size << 7) + (8 << 10)),
        _ => {
            // Subnormals, up to 7 / 512.
            let shift = size.leading_zeros() - 28;
            let normal = (size << shift & 7) << 7 | (9 - shift) << 10;
            if size == 0 { sign } else { sign | normal }
        }
    }
}

/// The sum of two f32, rounded to nearest.
pub(crate) fn add_f32(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(a) + f32::from_bits(b);
    if sum.is_nan() { ElementType::F32.format().nan() } else { sum.to_bits() }
}

/// Converts f16 to f32.
pub(crate) fn f16_to_f32(bits: u32) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

/// Converts f32 to the nearest f16.
pub(crate) fn f32_to_f16(value: f32) -> u32 {
    match value.is_nan() {
        true => ElementType::F16.format().nan(),
        false => f16::from_f32(value).to_bits().into(),
    }
}

/// `a * b + c` with one rounding.
pub(crate) fn fma_f64(a: u64, b: u64, c: u64) -> u64 {
    f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
}

/// `a * b + c` by the given function. If several operands are NaNs, the hardware returns the first
/// NaN among b, c, a.
pub(crate) fn fma_f64_by(fma: fn(u64, u64, u64) -> u64, a: u64, b: u64, c: u64) -> u64 {
    let is_nan = |bits: u64| f64::from_bits(bits).is_nan();
    if let Some(nan) = [b, c, a].into_iter().find(|&bits| is_nan(bits)) {
        return nan | 1 << 51;
    }
    let bits = fma(a, b, c);
    if is_nan(bits) { 0xfff8 << 48 } else { bits }
}
