//! Views of matrices in host memory with arbitrary row and column strides, and their product.

use crate::number::Number;

/// A read-only view of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a, T> {
    numbers: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Distances in elements between rows and between columns.
    steps: [isize; 2],
    /// Whether elements are conjugated when read.
    conjugates: bool,
}

/// Operation on a matrix before use (`cublasOperation_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    None,
    Transpose,
    Conjugate,
}

impl<'a, T: Number> View<'a, T> {
    /// A contiguous column-major matrix.
    ///
    /// # Panics
    /// If the slice is too short.
    pub(crate) fn new(numbers: &'a [T], rows: usize, columns: usize) -> Self {
        assert!(
            rows.checked_mul(columns).is_some_and(|all| all <= numbers.len()),
            "a matrix that is not there"
        );
        Self { numbers, rows, columns, steps: [1, rows as isize], conjugates: false }
    }

    /// The view of the transposed matrix.
    pub(crate) fn transposed(self) -> Self {
        let Self { rows, columns, steps: [row, column], .. } = self;
        Self { rows: columns, columns: rows, steps: [column, row], ..self }
    }

    /// The view with an operation applied.
    pub(crate) fn after(self, operation: Operation) -> Self {
        match operation {
            Operation::None => self,
            Operation::Transpose => self.transposed(),
            Operation::Conjugate => Self { conjugates: !self.conjugates, ..self.transposed() },
        }
    }

    /// The element at a row and a column.
    pub(crate) fn at(&self, row: usize, column: usize) -> T {
        debug_assert!(row < self.rows && column < self.columns);
        let [down, right] = self.steps;
        let at = row as isize * down + column as isize * right;
        let number = self.numbers[at as usize];
        if self.conjugates { number.conjugate() } else { number }
    }
}

/// `to = alpha * a * b + beta * to`, where `to` is contiguous with these strides. If `beta` is 0,
/// `to` is not read.
pub(crate) fn multiply<T: Number>(
    (to, steps): (&mut [T], [usize; 2]),
    (a, b): (View<'_, T>, View<'_, T>),
    (alpha, beta): (T, T),
    threads: usize,
) {
    let (rows, columns, inner) = (a.rows, b.columns, a.columns);
    let fits = steps == [1, rows] || steps == [columns, 1];
    assert!(inner == b.rows && rows * columns <= to.len() && fits, "matrices that do not fit");
    if rows == 0 || columns == 0 {
        return;
    }
    if inner == 0 || alpha.is_zero() {
        for number in &mut to[..rows * columns] {
            *number = if beta.is_zero() { T::zero() } else { *number * beta };
        }
        return;
    }
    let parallelism = match threads {
        0 | 1 => gemm::Parallelism::None,
        threads => gemm::Parallelism::Rayon(threads),
    };
    // SAFETY: all elements of these matrices are in the slices, as `View::new` and the assertion
    // above have checked; `to` is borrowed exclusively.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            to.as_mut_ptr(),
            steps[1] as isize,
            steps[0] as isize,
            !beta.is_zero(),
            a.numbers.as_ptr(),
            a.steps[1],
            a.steps[0],
            b.numbers.as_ptr(),
            b.steps[1],
            b.steps[0],
            beta,
            alpha,
            false,
            a.conjugates,
            b.conjugates,
            parallelism,
        );
    }
}
