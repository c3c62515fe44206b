//! Computations with symmetric, Hermitian and triangular matrices of which one triangle is stored.
//! All matrices are contiguous and column-major.

use crate::number::Number;
use crate::view::{View, multiply};

/// What the triangle of a square matrix that is not stored stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherTriangle {
    /// The triangle is the transpose of the stored triangle.
    Symmetric,
    /// The triangle is the conjugate transpose of the stored one; the diagonal is real.
    Hermitian,
    /// The triangle is zeros; `unit` means that the diagonal is ones.
    Zeros { unit: bool },
}

/// Completes a square matrix of which the upper or lower triangle is given.
pub(crate) fn completed<T: Number>(a: &[T], n: usize, upper: bool, other: OtherTriangle) -> Vec<T> {
    let mut all = vec![T::zero(); n * n];
    for column in 0..n {
        for row in 0..n {
            let here = a.get(column * n + row).copied().unwrap_or_else(T::zero);
            let mirrored = || a.get(row * n + column).copied().unwrap_or_else(T::zero);
            let is_given = if upper { row <= column } else { row >= column };
            all[column * n + row] = match (other, is_given) {
                (OtherTriangle::Zeros { unit: true }, _) if row == column => T::one(),
                (OtherTriangle::Hermitian, _) if row == column => T::of_real(here.real()),
                (_, true) => here,
                (OtherTriangle::Symmetric, false) => mirrored(),
                (OtherTriangle::Hermitian, false) => mirrored().conjugate(),
                (OtherTriangle::Zeros { .. }, false) => T::zero(),
            };
        }
    }
    all
}

/// Updates one triangle of a square matrix: `c = product + beta * c`. The diagonal of a Hermitian
/// matrix stays real.
pub(crate) fn add_half<T: Number>(
    c: &mut [T],
    product: &[T],
    n: usize,
    upper: bool,
    beta: T,
    hermitian: bool,
) {
    for column in 0..n {
        for row in if upper { 0..column + 1 } else { column..n } {
            let at = column * n + row;
            let old = if beta.is_zero() { T::zero() } else { beta * c[at] };
            let new = product[at] + old;
            c[at] = if hermitian && row == column { T::of_real(new.real()) } else { new };
        }
    }
}

/// Number of rows of a block, which is solved by substitution; products update the remaining rows.
const BLOCK: usize = 48;

/// Solves `a x = b` for each column of `b`, where `a` is triangular, and overwrites `b` with `x`.
pub(crate) fn solve<T: Number>(
    a: View<'_, T>,
    lower: bool,
    b: &mut [T],
    columns: usize,
    threads: usize,
) {
    let n = a.rows;
    let mut order: Vec<usize> = (0..n).step_by(BLOCK).collect();
    let mut solved = Vec::new();
    if !lower {
        order.reverse();
    }
    for first in order {
        let end = n.min(first + BLOCK);
        let rows = end - first;
        solved.clear();
        for column in b.chunks_exact_mut(n) {
            let part = &mut column[first..end];
            for i in 0..rows {
                let i = if lower { i } else { rows - 1 - i };
                let known = if lower { 0..i } else { i + 1..rows };
                let sum: T = known.map(|j| a.at(first + i, first + j) * part[j]).sum();
                part[i] = (part[i] - sum) / a.at(first + i, first + i);
            }
            solved.extend_from_slice(part);
        }
        // Subtracts the solved rows' contribution from the remaining rows.
        let rest = if lower { end..n } else { 0..first };
        if rest.is_empty() {
            continue;
        }
        let mut part = Vec::with_capacity(rest.len() * rows);
        for j in first..end {
            part.extend(rest.clone().map(|i| a.at(i, j)));
        }
        let mut product = vec![T::zero(); rest.len() * columns];
        let factors = (View::new(&part, rest.len(), rows), View::new(&solved, rows, columns));
        multiply((&mut product, [1, rest.len()]), factors, (T::one(), T::zero()), threads);
        for (column, product) in b.chunks_exact_mut(n).zip(product.chunks_exact(rest.len())) {
            for (number, &product) in column[rest.clone()].iter_mut().zip(product) {
                *number -= product;
            }
        }
    }
}

/// The transpose of a matrix.
pub(crate) fn transposed<T: Number>(a: &[T], rows: usize, columns: usize) -> Vec<T> {
    let mut to = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        to.extend((0..columns).map(|column| a[column * rows + row]));
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Operation;
    use num_complex::Complex64;
    use texunit_testkit::Random;

    fn numbers(count: usize, random: &mut Random) -> Vec<Complex64> {
        let part = |random: &mut Random| f64::from(random.between(-1.0, 1.0));
        (0..count).map(|_| Complex64::new(part(random), part(random))).collect()
    }

    #[test]
    fn what_was_solved_comes_back() {
        let mut random = Random::for_test(52);
        for (n, columns) in [(1, 1), (5, 3), (BLOCK, 2), (BLOCK + 1, 7), (3 * BLOCK + 5, 4)] {
            for (upper, operation) in [
                (false, Operation::None),
                (true, Operation::None),
                (false, Operation::Transpose),
                (true, Operation::Conjugate),
            ] {
                let mut a = numbers(n * n, &mut random);
                for i in 0..n {
                    a[i * n + i] += Complex64::new(n as f64, 0.0);
                }
                let a = completed(&a, n, upper, OtherTriangle::Zeros { unit: false });
                let a = View::new(&a, n, n).after(operation);
                let b = numbers(n * columns, &mut random);
                let mut x = b.clone();
                solve(a, upper == (operation != Operation::None), &mut x, columns, 1);
                for (i, &wanted) in b.iter().enumerate() {
                    let (row, column) = (i % n, i / n);
                    let back: Complex64 = (0..n).map(|j| a.at(row, j) * x[column * n + j]).sum();
                    assert!(
                        (back - wanted).norm() < 1e-12,
                        "{n} {upper} {operation:?}: {back} {wanted}"
                    );
                }
            }
        }
    }
}
