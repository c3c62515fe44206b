//! Computations of level 1 on slices. Sums are accumulated in double precision, in the order of the
//! elements.

use crate::number::Number;
use num_complex::Complex64;

/// Dot product, with the conjugates of `x` if `conjugates`.
pub(crate) fn dot<T: Number>(x: &[T], y: &[T], conjugates: bool) -> T {
    let of = |x: T| if conjugates { x.conjugate() } else { x };
    T::narrow(x.iter().zip(y).map(|(&x, &y)| of(x).wide() * y.wide()).sum())
}

/// Euclidean norm, scaled against intermediate overflow and underflow.
pub(crate) fn norm<T: Number>(x: &[T]) -> T::Real {
    let parts = || x.iter().flat_map(|&x| [x.wide().re.abs(), x.wide().im.abs()]);
    // A NaN makes the result NaN.
    let largest = parts().fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });
    let scale = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
    let sum: f64 = parts().map(|part| (part / scale) * (part / scale)).sum();
    T::Real::narrow(Complex64::new(scale * sum.sqrt(), 0.0))
}

/// |re| + |im|, by which elements are compared and summed.
fn size<T: Number>(x: T) -> f64 {
    x.wide().re.abs() + x.wide().im.abs()
}

/// Sum of the absolute values of real and imaginary parts.
pub(crate) fn sum<T: Number>(x: &[T]) -> T::Real {
    T::Real::narrow(Complex64::new(x.iter().map(|&x| size(x)).sum(), 0.0))
}

/// Index of the first element of maximum or (`smallest`) minimum absolute value, counted from 1; 0
/// without elements.
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

/// Applies a plane rotation: `x = c x + s y`, `y = c y - conj(s) x`.
pub(crate) fn rotate<T: Number>(x: &mut [T], y: &mut [T], c: T::Real, s: T) {
    let c = T::of_real(c);
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - s.conjugate() * *x);
    }
}

/// Applies a modified rotation, given by the five numbers (flag and matrix) that `rotmg` computes.
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

/// The rotation that maps the real number `b` to zero: returns new `a` and `b`, the cosine and the
/// sine.
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

/// The rotation that maps the complex number `b` to zero: the cosine is real, and `b` keeps its
/// value.
pub(crate) fn complex_rotation(a: Complex64, b: Complex64) -> [Complex64; 4] {
    if a.norm() == 0.0 {
        return [b, b, 0.0.into(), 1.0.into()];
    }
    let length = a.norm().hypot(b.norm());
    let direction = a / a.norm();
    [direction * length, b, (a.norm() / length).into(), direction * b.conj() / length]
}

/// The modified rotation that maps `y1` to zero: given d1, d2, x1, y1, the flag, h11, h21, h12 and
/// h22, returns their new values. Numbers are rescaled against overflow and underflow, as in the
/// reference implementation.
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
    // After the first rescaling all four matrix elements are explicit.
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
        assert_eq!(dot(&[1e8_f32, 1.0, -1e8], &[1.0; 3], false), 1.0);
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
        for (flag, [h11, h12, h21, h22]) in [
            (-2.0, [1.0, 0.0, 0.0, 1.0]),
            (-1.0, [5.0, 2.0, 6.0, 5.0]),
            (0.0, [1.0, 2.0, 6.0, 1.0]),
            (1.0, [5.0, 1.0, -1.0, 5.0]),
        ] {
            let (mut x, mut y) = ([2.0_f64], [-1.0]);
            rotate_modified(&mut x, &mut y, [flag, 5.0, 6.0, 2.0, 5.0]);
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
            // The rotation preserves the weighted length.
            let before = d1 * x1 * x1 + d2 * y1 * y1;
            let after = e1 * a[0] * a[0] + e2 * b[0] * b[0];
            assert!((before / after - 1.0).abs() < 1e-12, "{made:?}: {before} {after}");
        }
        assert_eq!(modified_rotation([1.0, 0.0, 2.0, 1.0, 9.0, 0.0, 0.0, 0.0, 0.0])[4], -2.0);
    }
}
