//! Distributions: the functions of `curand_uniform.h`, `curand_normal.h` and `curand_poisson.h`
//! that turn random bits into numbers, with the results of a device. Products and sums are fused
//! where nvcc fuses them.

use bytemuck::Pod;
use statrs::function::erf::erfc_inv;
use std::f64::consts::SQRT_2;
use std::ops::BitXor;
use texunit_sfu::ptx;

/// `CURAND_2POW32_INV`
const PART_32: f32 = 2.328_306_4e-10;
const PART_32_DOUBLE: f64 = 2.328_306_436_538_696_3e-10;
/// `CURAND_2POW53_INV_DOUBLE`
const PART_53: f64 = 1.110_223_024_625_156_5e-16;

/// `_curand_uniform`: in (0, 1].
pub(crate) fn uniform(x: u32) -> f32 {
    (x as f32).mul_add(PART_32, PART_32 / 2.0)
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

/// Poisson number by the normal approximation, rounded to nearest.
pub(crate) fn poisson_of_normal(lambda: f64, normal: f64) -> u32 {
    (lambda.sqrt().mul_add(normal, lambda) + 0.5) as u32
}

/// A random integer of 32 or 64 bits from which one number is made.
pub(crate) trait Draw: BitXor<Output = Self> + Pod + Send {
    /// The upper 32 bits.
    fn upper(self) -> u32;

    /// `_curand_uniform_double`
    fn uniform_double(self) -> f64;

    /// `_curand_uniform_double_excluding_one`
    fn uniform_below_one(self) -> f64;

    /// `_curand_normal_icdf_double`
    fn normal_double(self) -> f64;

    /// `_curand_poisson` with one uniform number in (0, 1).
    fn poisson(self, lambda: f64) -> u32 {
        /// Exponents are split into steps of this size, so that powers of e do not underflow.
        const AT_ONCE: f64 = 500.0;
        if lambda >= 1000.0 {
            return poisson_of_normal(lambda, self.normal_double());
        }
        let uniform = self.uniform_below_one();
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
}

impl Draw for u32 {
    fn upper(self) -> u32 {
        self
    }

    fn uniform_double(self) -> f64 {
        f64::from(self).mul_add(PART_32_DOUBLE, PART_32_DOUBLE)
    }

    fn uniform_below_one(self) -> f64 {
        f64::from(self).mul_add(PART_32_DOUBLE, PART_32_DOUBLE / 2.0)
    }

    fn normal_double(self) -> f64 {
        let part = |x: u64| (x as f64).mul_add(PART_32_DOUBLE, PART_32_DOUBLE / 2.0);
        normal_of(self.into(), u32::MAX.into(), part)
    }
}

impl Draw for u64 {
    fn upper(self) -> u32 {
        (self >> 32) as u32
    }

    fn uniform_double(self) -> f64 {
        ((self >> 11) as f64).mul_add(PART_53, PART_53 / 2.0)
    }

    fn uniform_below_one(self) -> f64 {
        ((self >> 11) as f64).mul_add(PART_53, PART_53 / 4.0)
    }

    fn normal_double(self) -> f64 {
        let part = |x: u64| (x as f64).mul_add(PART_53, PART_53 / 2.0);
        normal_of(self >> 11, (1 << 53) - 1, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_are_the_inverse_of_their_distribution() {
        assert!(normal(0x8000_0000).abs() < 1e-9);
        // The 97.5 % quantile.
        let near = |x: f64| assert!((x - 1.959_963_984_540_054).abs() < 1e-9, "{x}");
        near(((0.975 * 2f64.powi(32)) as u32).normal_double());
        near(((0.975 * 2f64.powi(64)) as u64).normal_double());
        near(-((0.025 * 2f64.powi(64)) as u64).normal_double());
        assert_eq!(normal(0), -normal(u32::MAX));
    }

    #[test]
    fn angles_are_exact_at_quarters() {
        let e = (-0.5_f64).exp();
        assert_eq!(normals_double(e, 0.5), [1.0, 0.0]);
        assert_eq!(normals_double(e, 1.0), [0.0, -1.0]);
        assert_eq!(normals_double(e, 1.5), [-1.0, 0.0]);
    }
}
