//! The approximate PTX instructions, as ptxas 13.5 compiles them to `MUFU` instructions. The forms
//! without `.ftz` scale subnormal operands and results. A `.ftz` form that has no function in this
//! module is the `MUFU` instruction alone.

use super::mufu;
use super::{INFINITY, NAN, ONE, SIGN};

/// The bits of powers of two as f32: 2^24, 2^12, 2^-12, 1/2 and 1/4.
const TWO_24: u32 = 0x4b80_0000;
const TWO_12: u32 = 0x4580_0000;
const TWO_MINUS_12: u32 = 0x3980_0000;
const HALF: u32 = 0x3f00_0000;
const QUARTER: u32 = 0x3e80_0000;
/// 1 / 2π, rounded to the nearest f32.
const TURNS: u32 = 0x3e22_f983;

/// Returns the bits of an f32, and [`NAN`] for any NaN.
fn put(x: f32) -> u32 {
    if x.is_nan() { NAN } else { x.to_bits() }
}

/// The product of two f32, rounded to the nearest f32.
fn mul(a: u32, b: u32) -> u32 {
    put(f32::from_bits(a) * f32::from_bits(b))
}

/// The product of `mul.ftz.f32`: subnormal operands and subnormal results become zeros.
fn mul_ftz(a: u32, b: u32) -> u32 {
    let flush = |x: u32| if x & INFINITY == 0 { x & SIGN } else { x };
    // The product in f64 is exact. Whether a result is subnormal is decided after it is rounded to
    // 24 bits. The product times 2^64 is rounded so, because its exponent is in the range of normal
    // numbers.
    let product = f64::from(f32::from_bits(flush(a))) * f64::from(f32::from_bits(flush(b)));
    let scaled = (product * 2f64.powi(64)) as f32;
    let is_tiny = product.is_finite() && scaled.abs() < 2f32.powi(64 - 126);
    if is_tiny { (a ^ b) & SIGN } else { put(product as f32) }
}

/// Returns whether |x| is below 2^-126. NaNs count as below.
fn is_small(x: u32) -> bool {
    !(0x0080_0000..=INFINITY).contains(&(x & !SIGN))
}

/// Whether |x| > 2^126.
fn is_large(x: u32) -> bool {
    (0x7e80_0001..=INFINITY).contains(&(x & !SIGN))
}

/// The factor by which a divisor is multiplied before its reciprocal is computed, so that neither
/// the divisor nor its reciprocal is subnormal.
fn scale(x: u32) -> u32 {
    match () {
        _ if is_small(x) => TWO_24,
        _ if is_large(x) => QUARTER,
        _ => ONE,
    }
}

/// Applies an f32 function. An operand below 2^-126 is first multiplied by 2^24, and then the
/// function's result is multiplied by `back`.
fn scaled(x: u32, function: fn(u32) -> u32, back: u32) -> u32 {
    if is_small(x) { mul(function(mul(x, TWO_24)), back) } else { function(x) }
}

/// The instruction `rcp.approx.f32`.
pub fn rcp(x: u32) -> u32 {
    mul(scale(x), mufu::rcp(mul(x, scale(x))))
}

/// The instruction `rsqrt.approx.f32`.
pub fn rsqrt(x: u32) -> u32 {
    scaled(x, mufu::rsq, TWO_12)
}

/// The instruction `sqrt.approx.f32`.
pub fn sqrt(x: u32) -> u32 {
    scaled(x, mufu::sqrt, TWO_MINUS_12)
}

/// The instruction `lg2.approx.f32`.
pub fn lg2(x: u32) -> u32 {
    let value = |x| f32::from_bits(mufu::lg2(x));
    if is_small(x) { put(value(mul(x, TWO_24)) - 24.0) } else { mufu::lg2(x) }
}

/// The instruction `ex2.approx.f32`. For x below -126, the result is the square of 2^(x/2).
pub fn ex2(x: u32) -> u32 {
    if f32::from_bits(x) >= -126.0 {
        return mufu::ex2(x);
    }
    let root = mufu::ex2(mul(x, HALF));
    mul(root, root)
}

/// Converts an angle from radians to turns: `mul.rz` by 1 / 2π. A subnormal product needs no
/// flushing here, because `MUFU.SIN` and `MUFU.COS` flush their operand.
fn turns(x: u32) -> u32 {
    let product = f64::from(f32::from_bits(x)) * f64::from(f32::from_bits(TURNS));
    put(f64::from_bits(product.to_bits() & !0x1fff_ffff) as f32)
}

/// The instruction `sin.approx.f32`, with `.ftz` and without.
pub fn sin(x: u32) -> u32 {
    mufu::sin(turns(x))
}

/// The instruction `cos.approx.f32`, with `.ftz` and without.
pub fn cos(x: u32) -> u32 {
    mufu::cos(turns(x))
}

/// The instruction `div.approx.f32`.
pub fn div_approx(a: u32, b: u32) -> u32 {
    if is_small(b) { mul(mul(a, TWO_24), mufu::rcp(mul(b, TWO_24))) } else { mul(a, mufu::rcp(b)) }
}

/// The instruction `div.approx.ftz.f32`.
pub fn div_approx_ftz(a: u32, b: u32) -> u32 {
    mul_ftz(a, mufu::rcp(b))
}

/// The instruction `div.full.f32`.
pub fn div_full(a: u32, b: u32) -> u32 {
    let scale = scale(b);
    mul(mul(a, scale), mufu::rcp(mul(b, scale)))
}

/// The instruction `div.full.ftz.f32`.
pub fn div_full_ftz(a: u32, b: u32) -> u32 {
    if is_large(b) {
        mul_ftz(mul_ftz(a, QUARTER), mufu::rcp(mul_ftz(b, QUARTER)))
    } else {
        mul_ftz(a, mufu::rcp(b))
    }
}

/// The instruction `rcp.approx.ftz.f64`.
pub fn rcp64(x: u64) -> u64 {
    u64::from(mufu::rcp64h((x >> 32) as u32)) << 32
}

/// The instruction `rsqrt.approx.ftz.f64`.
pub fn rsqrt64_ftz(x: u64) -> u64 {
    u64::from(mufu::rsq64h((x >> 32) as u32)) << 32
}

/// The instruction `rsqrt.approx.f64`: the hardware's root, improved by one iteration. The results
/// are assumed, because they were not measured on a GPU.
pub fn rsqrt64(x: u64) -> u64 {
    let high = (x >> 32) as u32;
    if high.wrapping_sub(0x0010_0000) < 0x7fe0_0000 {
        return refined(x);
    }
    let value = f64::from_bits(x);
    match () {
        _ if value.is_nan() => (value + value).to_bits(),
        _ if value == 0.0 => x & 1 << 63 | f64::INFINITY.to_bits(),
        _ if value < 0.0 => 0xfff8_0000_0000_0000,
        _ if value.is_infinite() => 0,
        // A subnormal number.
        _ => (f64::from_bits(refined((value * 2f64.powi(54)).to_bits())) * 2f64.powi(27)).to_bits(),
    }
}

/// Improves the hardware's reciprocal root of a positive normal number by one iteration of cubic
/// convergence.
fn refined(x: u64) -> u64 {
    let (x, y) = (f64::from_bits(x), f64::from_bits(rsqrt64_ftz(x)));
    let rest = x.mul_add(-(y * y), 1.0);
    rest.mul_add(0.375, 0.5).mul_add(y * rest, y).to_bits()
}

/// Applies an f32 function to an f16 operand, and truncates the result to f16.
fn of_f16(function: fn(u32) -> u32, x: u16) -> u16 {
    mufu::cut_to_f16(function(widen(x)))
}

/// Widens an f16 to f32 exactly. A subnormal f16 becomes a normal f32, and a NaN stays a NaN.
pub fn widen(x: u16) -> u32 {
    let (sign, magnitude) = (u32::from(x & 0x8000) << 16, u32::from(x & 0x7fff));
    sign | match magnitude {
        0x7c00.. => INFINITY | magnitude << 13,
        0x0400.. => (magnitude << 13) + 0x3800_0000,
        _ => (magnitude as f32 * 2f32.powi(-24)).to_bits(),
    }
}

/// The instruction `ex2.approx.f16`.
pub fn ex2_f16(x: u16) -> u16 {
    of_f16(mufu::ex2, x)
}

/// The instruction `tanh.approx.f16`.
pub fn tanh_f16(x: u16) -> u16 {
    of_f16(mufu::tanh, x)
}

/// The instruction `ex2.approx.ftz.bf16`.
pub fn ex2_bf16(x: u16) -> u16 {
    mufu::cut_to_bf16(mufu::ex2(u32::from(x) << 16))
}

/// The instruction `tanh.approx.bf16`.
pub fn tanh_bf16(x: u16) -> u16 {
    mufu::cut_to_bf16(mufu::tanh(u32::from(x) << 16))
}
