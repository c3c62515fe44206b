//! Vectors: sums are made in double precision, from the first element on.

use crate::number::Number;
use num_complex::Complex64;

/// The sum of products; of the conjugates of `x` if that is wanted.
pub(crate) fn dot<T: Number>(x: &[T], y: &[T], conjugates: bool) -> T {
    let of = |x: T| if conjugates { x.conjugate() } else { x };
    T::narrow(x.iter().zip(y).map(|(&x, &y)| of(x).wide() * y.wide()).sum())
}

/// The Euclidean norm, without overflow or underflow in between.
pub(crate) fn norm<T: Number>(x: &[T]) -> T::Real {
    let parts = || x.iter().flat_map(|&x| [x.wide().re.abs(), x.wide().im.abs()]);
    // What is not a number is the result, too.
    let largest = parts().fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });
    let scale = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
    let sum: f64 = parts().map(|part| (part / scale) * (part / scale)).sum();
    T::Real::narrow(Complex64::new(scale * sum.sqrt(), 0.0))
}

/// |re| + |im|
fn size<T: Number>(x: T) -> f64 {
    x.wide().re.abs() + x.wide().im.abs()
}

/// The sum of the absolute values of all parts.
pub(crate) fn sum<T: Number>(x: &[T]) -> T::Real {
    T::Real::narrow(Complex64::new(x.iter().map(|&x| size(x)).sum(), 0.0))
}

/// The first of the largest or (`smallest`) the smallest elements, counted from 1; of none, 0.
pub(crate) fn extreme<T: Number>(x: &[T], smallest: bool) -> usize {
    let better = |a: f64, b: f64| if smallest { a < b } else { a > b };
    let mut best = None;
    for (i, size) in x.iter().map(|&x| size(x)).enumerate() {
        if best.is_none_or(|(_, found)| better(size, found)) {
            best = Some((i + 1, size));
        }
    }
    best.map_or(0, |(at, _)| at)
}

/// A rotation of the plane: `x = c x + s y`, `y = c y - conj(s) x`.
pub(crate) fn rotate<T: Number>(x: &mut [T], y: &mut [T], c: T::Real, s: T) {
    let c = T::of_real(c);
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - s.conjugate() * *x);
    }
}

/// A modified rotation, by the five numbers that `rotmg` makes.
pub(crate) fn rotate_modified<T: Number>(x: &mut [T], y: &mut [T], parameters: [T; 5]) {
    let [flag, h11, h21, h12, h22] = parameters;
    let one = T::one();
    let [h11, h12, h21, h22] = match flag.wide().re {
        -2.0 => return,
        -1.0 => [h11, h12, h21, h22],
        0.0 => [one, h12, h21, one],
        _ => [h11, one, -one, h22],
    };
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (h11 * *x + h12 * *y, h21 * *x + h22 * *y);
    }
}

/// The rotation that makes `b` zero, of real numbers: what `a` and `b` become, the cosine and the sine.
pub(crate) fn rotation(a: Complex64, b: Complex64) -> [Complex64; 4] {
    let (a, b) = (a.re, b.re);
    let larger = if a.abs() > b.abs() { a } else { b };
    let length = a.hypot(b).copysign(larger);
    if length == 0.0 {
        return [0.0, 0.0, 1.0, 0.0].map(Into::into);
    }
    let (c, s) = (a / length, b / length);
    let z = match () {
        () if a.abs() > b.abs() => s,
        () if c != 0.0 => 1.0 / c,
        () => 1.0,
    };
    [length, z, c, s].map(Into::into)
}

/// The same of complex numbers: the cosine is real, and `b` stays.
pub(crate) fn complex_rotation(a: Complex64, b: Complex64) -> [Complex64; 4] {
    if a.norm() == 0.0 {
        return [b, b, 0.0.into(), 1.0.into()];
    }
    let length = a.norm().hypot(b.norm());
    let direction = a / a.norm();
    [direction * length, b, (a.norm() / length).into(), direction * b.conj() / length]
}

/// The modified rotation that makes `y1` zero: of d1, d2, x1, y1, and the flag with h11, h21, h12, h22, what they become. Numbers are
/// scaled so that they neither overflow nor vanish, as in the reference implementation.
pub(crate) fn modified_rotation(given: [f64; 9]) -> [f64; 9] {
    const GAMMA: f64 = 4096.0;
    let [mut d1, mut d2, mut x1, y1, _, mut h11, mut h21, mut h12, mut h22] = given;
    let (p1, p2) = (d1 * x1, d2 * y1);
    let (q1, q2) = (p1 * x1, p2 * y1);
    if d1 >= 0.0 && p2 == 0.0 {
        return [d1, d2, x1, y1, -2.0, h11, h21, h12, h22];
    }
    let nothing = |flag: f64| [0.0, 0.0, 0.0, y1, flag, 0.0, 0.0, 0.0, 0.0];
    if d1 < 0.0 {
        return nothing(-1.0);
    }
    let mut flag;
    if q1.abs() > q2.abs() {
        (h21, h12) = (-y1 / x1, p2 / p1);
        let u = 1.0 - h12 * h21;
        if u <= 0.0 {
            return nothing(-1.0);
        }
        (flag, d1, d2, x1) = (0.0, d1 / u, d2 / u, x1 * u);
    } else if q2 < 0.0 {
        return nothing(-1.0);
    } else {
        (h11, h22) = (p1 / p2, x1 / y1);
        let u = 1.0 + h11 * h22;
        (flag, d1, d2, x1) = (1.0, d2 / u, d1 / u, y1 * u);
    }
    // All four numbers count from the first scaling on.
    let mut whole = |[h11, h21, h12, h22]: [&mut f64; 4]| {
        match flag {
            0.0 => (*h11, *h22) = (1.0, 1.0),
            1.0 => (*h21, *h12) = (-1.0, 1.0),
            _ => {}
        }
        flag = -1.0;
    };
    while d1 != 0.0 && d1.is_finite() && (d1 <= GAMMA.powi(-2) || d1 >= GAMMA.powi(2)) {
        whole([&mut h11, &mut h21, &mut h12, &mut h22]);
        let by = if d1 <= GAMMA.powi(-2) { GAMMA } else { 1.0 / GAMMA };
        (d1, x1, h11, h12) = (d1 * by * by, x1 / by, h11 / by, h12 / by);
    }
    while d2 != 0.0 && d2.is_finite() && (d2.abs() <= GAMMA.powi(-2) || d2.abs() >= GAMMA.powi(2)) {
        whole([&mut h11, &mut h21, &mut h12, &mut h22]);
        let by = if d2.abs() <= GAMMA.powi(-2) { GAMMA } else { 1.0 / GAMMA };
        (d2, h21, h22) = (d2 * by * by, h21 / by, h22 / by);
    }
    [d1, d2, x1, y1, flag, h11, h21, h12, h22]
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex32;

    #[test]
    fn sums_are_in_double_precision() {
        let x = [1e8_f32, 1.0, -1e8];
        assert_eq!(dot(&x, &[1.0; 3], false), 1.0);
        let i = Complex32::i();
        assert_eq!(dot(&[i], &[i], false), Complex32::new(-1.0, 0.0));
        assert_eq!(dot(&[i], &[i], true), Complex32::new(1.0, 0.0));
        assert_eq!(sum(&[Complex32::new(3.0, -4.0)]), 7.0);
    }

    #[test]
    fn norms_do_not_overflow() {
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-15, "{a} {b}");
        near(norm(&[3e200, 4e200]), 5e200);
        near(norm(&[3e-200, 4e-200]), 5e-200);
        assert_eq!(norm::<f64>(&[]), 0.0);
        assert!(norm(&[1.0, f64::NAN]).is_nan() && norm(&[f64::NAN, 1.0]).is_nan());
        assert_eq!(norm(&[1.0, f64::INFINITY]), f64::INFINITY);
    }

    #[test]
    fn the_first_of_equal_elements_is_found() {
        assert_eq!(extreme(&[1.0_f32, -3.0, 3.0], false), 2);
        assert_eq!(extreme(&[1.0_f32, -3.0, 1.0], true), 1);
        assert_eq!(extreme::<f32>(&[], false), 0);
    }

    #[test]
    fn rotations_of_all_kinds() {
        let (mut x, mut y) = ([1.0_f64], [2.0]);
        rotate(&mut x, &mut y, 0.0, 1.0);
        assert_eq!((x, y), ([2.0], [-1.0]));
        for flag in [-2.0, -1.0, 0.0, 1.0] {
            let (mut x, mut y) = ([2.0_f64], [-1.0]);
            rotate_modified(&mut x, &mut y, [flag, 5.0, 6.0, 2.0, 5.0]);
            let [h11, h12, h21, h22] = match flag {
                -1.0 => [5.0, 2.0, 6.0, 5.0],
                0.0 => [1.0, 2.0, 6.0, 1.0],
                1.0 => [5.0, 1.0, -1.0, 5.0],
                _ => [1.0, 0.0, 0.0, 1.0],
            };
            assert_eq!((x[0], y[0]), (h11 * 2.0 - h12, h21 * 2.0 - h22));
        }
    }

    #[test]
    fn rotations_make_zeros() {
        for (a, b) in [(3.0, 4.0), (-5.0, 1.0), (0.0, 2.0), (2.0, 0.0), (0.0, 0.0)] {
            let [r, _, c, s] = rotation(a.into(), b.into()).map(|number| number.re);
            let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-15, "{a} {b}: {x} {y}");
            near(c * a + s * b, r);
            near(c * b - s * a, 0.0);
            near(c * c + s * s, 1.0);
        }
        let (a, b) = (Complex64::new(1.0, -2.0), Complex64::new(0.5, 3.0));
        let [r, _, c, s] = complex_rotation(a, b);
        assert!((c * a + s * b - r).norm() < 1e-15 && (c * b - s.conj() * a).norm() < 1e-15);
    }

    #[test]
    fn modified_rotations_make_zeros() {
        let cases = [
            [2.0, 1.0, 3.0, 1.0],
            [1.0, 2.0, 1.0, 3.0],
            [1e10, 1.0, 1.0, 1.0],
            [1.0, 1e-12, 1.0, 5.0],
            [1e-9, 3e9, 2.0, 1.0],
            [1.0, -0.5, 2.0, 1.0],
        ];
        for [d1, d2, x1, y1] in cases {
            let made = modified_rotation([d1, d2, x1, y1, 9.0, 0.0, 0.0, 0.0, 0.0]);
            let [e1, e2, x, _, flag, rest @ ..] = made;
            let (mut a, mut b) = ([x1], [y1]);
            let [h11, h21, h12, h22] = rest;
            rotate_modified(&mut a, &mut b, [flag, h11, h21, h12, h22]);
            assert!((a[0] / x - 1.0).abs() < 1e-14 && b[0].abs() < 1e-12, "{made:?} {a:?} {b:?}");
            // The weighted length stays.
            let before = d1 * x1 * x1 + d2 * y1 * y1;
            let after = e1 * a[0] * a[0] + e2 * b[0] * b[0];
            assert!((before / after - 1.0).abs() < 1e-12, "{made:?}: {before} {after}");
        }
        assert_eq!(modified_rotation([1.0, 0.0, 2.0, 1.0, 9.0, 0.0, 0.0, 0.0, 0.0])[4], -2.0);
    }
}
