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
}
