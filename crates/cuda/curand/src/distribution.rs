//! Distributions: the functions of `curand_uniform.h`, `curand_normal.h` and `curand_poisson.h`
//! that turn random bits into numbers, with the results of a device. Products and sums are fused
//! where nvcc fuses them.

use crate::source::Source;
use statrs::function::erf::erfc_inv;
use std::f64::consts::SQRT_2;
use texunit_sfu::{mufu, ptx};

/// `CURAND_2POW32_INV`
const PART_32: f32 = 2.328_306_4e-10;
const PART_32_DOUBLE: f64 = 2.328_306_436_538_696_3e-10;
/// `CURAND_2POW53_INV_DOUBLE`
const PART_53: f64 = 1.110_223_024_625_156_5e-16;

/// `_curand_uniform`: in (0, 1].
pub(crate) fn uniform(x: u32) -> f32 {
    (x as f32).mul_add(PART_32, PART_32 / 2.0)
}

/// `_curand_uniform_double` for 32 bits.
pub(crate) fn uniform_double(x: u32) -> f64 {
    f64::from(x).mul_add(PART_32_DOUBLE, PART_32_DOUBLE)
}

/// `_curand_uniform_double` for 64 bits.
pub(crate) fn uniform_wide(x: u64) -> f64 {
    ((x >> 11) as f64).mul_add(PART_53, PART_53 / 2.0)
}

/// `_curand_uniform_double_hq`
pub(crate) fn uniform_of_two(x: u32, y: u32) -> f64 {
    ((u64::from(x) ^ u64::from(y) << 21) as f64).mul_add(PART_53, PART_53 / 2.0)
}

/// Natural logarithm; the device's result may differ in the last bit.
fn ln(x: f32) -> f32 {
    f64::from(x).ln() as f32
}

/// Two normal numbers from a uniform number and an angle (Box-Muller), with the sine and cosine of
/// the GPU's special function unit.
pub(crate) fn box_muller(uniform: f32, angle: f32) -> [f32; 2] {
    let length = (-2.0 * ln(uniform)).sqrt();
    let of = |function: fn(u32) -> u32| f32::from_bits(function(angle.to_bits())) * length;
    [of(ptx::sin), of(ptx::cos)]
}

/// `_curand_box_muller`
pub(crate) fn normals([x, y]: [u32; 2]) -> [f32; 2] {
    /// `CURAND_2POW32_INV_2PI`
    const PART: f32 = PART_32 * std::f32::consts::TAU;
    box_muller(uniform(x), (y as f32).mul_add(PART, PART / 2.0))
}

/// `_curand_box_muller_double`, given a uniform number and an angle in half turns.
pub(crate) fn normals_double(uniform: f64, angle: f64) -> [f64; 2] {
    let length = (-2.0 * uniform.ln()).sqrt();
    // Multiples of a quarter turn are exact; only the remainder is evaluated.
    let quarters = (angle * 2.0).round();
    let (sin, cos) = ((angle - quarters / 2.0) * std::f64::consts::PI).sin_cos();
    let [sin, cos] = match quarters as i64 & 3 {
        0 => [sin, cos],
        1 => [cos, -sin],
        2 => [-sin, -cos],
        _ => [-cos, sin],
    };
    [sin * length, cos * length]
}

/// A normal number by inversion. Values in the upper half of the range are mirrored, so that they
/// are resolved as finely near 1 as near 0: `part(x)` is half the distance from the nearer end.
fn normal_of(x: u64, last: u64, part: impl Fn(u64) -> f64) -> f64 {
    let is_upper = x > last / 2 + 1;
    let x = if is_upper { last - x } else { x };
    let normal = -SQRT_2 * erfc_inv(2.0 * part(x));
    if is_upper { -normal } else { normal }
}

/// `_curand_normal_icdf`
pub(crate) fn normal(x: u32) -> f32 {
    let part = |x: u64| f64::from((x as f32).mul_add(PART_32, PART_32 / 2.0));
    normal_of(x.into(), u32::MAX.into(), part) as f32
}

/// `_curand_normal_icdf_double` for 32 bits.
pub(crate) fn normal_double(x: u32) -> f64 {
    let part = |x: u64| (x as f64).mul_add(PART_32_DOUBLE, PART_32_DOUBLE / 2.0);
    normal_of(x.into(), u32::MAX.into(), part)
}

/// `_curand_normal_icdf_double` for 64 bits.
pub(crate) fn normal_wide(x: u64) -> f64 {
    let part = |x: u64| (x as f64).mul_add(PART_53, PART_53 / 2.0);
    normal_of(x >> 11, (1 << 53) - 1, part)
}

/// Poisson number by the normal approximation, rounded to nearest.
pub(crate) fn poisson_of_normal(lambda: f64, normal: f64) -> u32 {
    (lambda.sqrt().mul_add(normal, lambda) + 0.5) as u32
}

/// `_curand_poisson` with one uniform number in (0, 1).
pub(crate) fn poisson_of_one(uniform: f64, normal: impl FnOnce() -> f64, lambda: f64) -> u32 {
    /// Exponents are split into steps of this size, so that powers of e do not underflow.
    const AT_ONCE: f64 = 500.0;
    if lambda >= 1000.0 {
        return poisson_of_normal(lambda, normal());
    }
    let (mut p, mut q, mut k, mut done) = (1.0_f64, 1.0_f64, 0_u32, 0.0);
    loop {
        let power = if lambda > done + AT_ONCE { -AT_ONCE } else { done - lambda };
        p *= power.exp();
        q *= power.exp();
        done += AT_ONCE;
        while uniform > q && p > 0.0 {
            k += 1;
            p *= lambda / f64::from(k);
            q += p;
        }
        if done >= lambda {
            return k;
        }
    }
}

/// `_curand_uniform_double_excluding_one` for 32 bits.
pub(crate) fn uniform_below_one(x: u32) -> f64 {
    f64::from(x).mul_add(PART_32_DOUBLE, PART_32_DOUBLE / 2.0)
}

/// `_curand_uniform_double_excluding_one` for 64 bits.
pub(crate) fn uniform_wide_below_one(x: u64) -> f64 {
    ((x >> 11) as f64).mul_add(PART_53, PART_53 / 4.0)
}

/// Maximum lambda for Knuth's method.
pub(crate) const FEW: f64 = 64.0;
/// Minimum lambda for the normal approximation.
pub(crate) const MANY: f64 = 4000.0;

/// `curand_poisson_knuth`: counts uniform numbers until their product falls below e^-lambda.
pub(crate) fn poisson_few(source: &mut impl Source, lambda: f64) -> u32 {
    let mut product = f64::from(lambda as f32).exp() as f32;
    let mut count = 0;
    loop {
        product *= source.uniform();
        if product <= 1.0 {
            return count;
        }
        count += 1;
    }
}

/// Evaluates an approximate instruction of the GPU's special function unit.
fn special(function: fn(u32) -> u32, x: f32) -> f32 {
    f32::from_bits(function(x.to_bits()))
}

/// `__cr_exp`
fn exp(x: f32) -> f32 {
    special(mufu::ex2, (f64::from(x) * std::f64::consts::LOG2_E) as f32)
}

/// `__cr_log`
fn log(x: f32) -> f32 {
    (f64::from(special(mufu::lg2, x)) * std::f64::consts::LN_2) as f32
}

/// Parameters of the approximate incomplete gamma function that depend on `a` alone.
fn gamma_parameters(a: f32) -> [f32; 2] {
    let root = |x: f32| special(mufu::rsq, x);
    [
        1.432_480_3_f32.mul_add(root(a - 0.124_009_795), 0.000_253_610_75),
        0.210_967_35_f32.mul_add(root(a - 1.973_811_6), 0.942_017_3),
    ]
}

/// `__cr_pgammainc`
fn gamma_part([alpha, beta]: [f32; 2], a: f32, x: f32) -> f32 {
    let t = 1.0 + exp(alpha.mul_add(a - x, -beta));
    special(mufu::rcp, t * t)
}

/// `__cr_pgammaincinv`
fn gamma_inverse([alpha, beta]: [f32; 2], a: f32, y: f32) -> f32 {
    let t = beta + log(special(mufu::rsq, y) - 1.0);
    (-t).mul_add(special(mufu::rcp, alpha), a)
}

/// `__cr_lgamma_integer`
fn log_gamma(a: i32) -> f64 {
    const SMALL: [f64; 8] = [
        0.0,
        0.0,
        std::f64::consts::LN_2,
        1.791_759_469_228_055,
        3.178_053_830_347_946,
        4.787_491_742_782_046,
        6.579_251_212_010_101,
        8.525_161_361_065_415,
    ];
    if a <= 8 {
        return usize::try_from(a - 1).ok().and_then(|i| SMALL.get(i)).copied().unwrap_or_default();
    }
    let a = f64::from(a);
    let s = 1.0 / a;
    let t = s * s;
    let sum = [
        8.364_587_892_2e-4,
        -5.951_896_861_197e-4,
        7.936_505_764_934_54e-4,
        -2.777_777_777_357_65e-3,
        8.333_333_333_333_331e-2,
    ];
    let sum = sum.iter().fold(-1.633_436_431e-3, |sum: f64, &next| sum.mul_add(t, next));
    let sum = sum.mul_add(s, 0.918_938_533_204_672);
    let product = 0.5 * a.ln() * (a - 0.5);
    (product - a) + (product + sum)
}

/// `curand_poisson_gammainc`: rejection sampling with the approximate incomplete gamma function.
pub(crate) fn poisson_between(source: &mut impl Source, lambda: f64) -> u32 {
    let lambda = lambda as f32;
    let log_lambda = log(lambda);
    let parameters = gamma_parameters(lambda);
    loop {
        let x = gamma_inverse(parameters, lambda, source.uniform()).floor();
        let z = source.uniform();
        let width = gamma_part(parameters, lambda, x + 1.0) - gamma_part(parameters, lambda, x);
        let v = width * 1.3;
        let power = x.mul_add(log_lambda, -lambda) - log_gamma((1.0 + x) as i32) as f32;
        if z * v < exp(power) && f64::from(v) >= 1e-20 {
            return x as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::xorwow::Xorwow;

    #[test]
    fn normal_numbers_are_the_inverse_of_their_distribution() {
        assert!(normal(0x8000_0000).abs() < 1e-9);
        // The 97.5 % quantile.
        let near = |x: f64| assert!((x - 1.959_963_984_540_054).abs() < 1e-9, "{x}");
        near(normal_double((0.975 * 2f64.powi(32)) as u32));
        near(normal_wide((0.975 * 2f64.powi(64)) as u64));
        near(-normal_wide((0.025 * 2f64.powi(64)) as u64));
        assert_eq!(normal(0), -normal(u32::MAX));
    }

    #[test]
    fn angles_are_exact_at_quarters() {
        let e = (-0.5_f64).exp();
        assert_eq!(normals_double(e, 0.5), [1.0, 0.0]);
        assert_eq!(normals_double(e, 1.0), [0.0, -1.0]);
        assert_eq!(normals_double(e, 1.5), [-1.0, 0.0]);
    }

    #[test]
    fn poisson_numbers_have_their_mean_and_variance() {
        let mut source = Xorwow::new(1);
        for lambda in [0.5, 10.0, 63.9, 64.0, 500.0, 3999.0] {
            let count = 20_000;
            let (mut sum, mut squares, mut of_one) = (0.0, 0.0, 0.0);
            for _ in 0..count {
                let number = match lambda < FEW {
                    true => poisson_few(&mut source, lambda),
                    false => poisson_between(&mut source, lambda),
                };
                sum += f64::from(number);
                squares += (f64::from(number) - lambda).powi(2);
                let bits = source.bits();
                of_one += f64::from(poisson_of_one(
                    uniform_below_one(bits),
                    || normal_double(bits),
                    lambda,
                ));
            }
            let count = f64::from(count);
            let bound = 5.0 * (lambda / count).sqrt();
            assert!((sum / count - lambda).abs() < bound, "{lambda}: {}", sum / count);
            assert!((of_one / count - lambda).abs() < bound, "{lambda}: {}", of_one / count);
            assert!((squares / count / lambda - 1.0).abs() < 0.06, "{lambda}: {squares}");
        }
    }
}
