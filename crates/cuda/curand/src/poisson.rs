//! Poisson numbers of a mean that changes from call to call: the functions of `curand_poisson.h`
//! that draw from a source until a number is accepted.

use crate::source::Source;
use texunit_sfu::mufu;

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
    use crate::distribution::Draw;
    use crate::source::xorwow::Xorwow;

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
                of_one += f64::from(source.bits().poisson(lambda));
            }
            let count = f64::from(count);
            let bound = 5.0 * (lambda / count).sqrt();
            assert!((sum / count - lambda).abs() < bound, "{lambda}: {}", sum / count);
            assert!((of_one / count - lambda).abs() < bound, "{lambda}: {}", of_one / count);
            assert!((squares / count / lambda - 1.0).abs() < 0.06, "{lambda}: {squares}");
        }
    }
}
