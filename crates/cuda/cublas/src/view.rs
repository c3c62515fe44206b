//! Matrices in memory of the host: numbers, with steps from row to row and from column to column.

use crate::number::Number;

/// A matrix that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a, T> {
    numbers: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// From a row, and from a column, to the next.
    steps: [isize; 2],
    /// Whether its numbers are the conjugates.
    conjugates: bool,
}

/// What is done with a matrix before it is used (`cublasOperation_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    None,
    Transpose,
    Conjugate,
}

impl<'a, T: Number> View<'a, T> {
    /// Columns that lie one after the other.
    ///
    /// # Panics
    /// If there are fewer numbers.
    pub(crate) fn new(numbers: &'a [T], rows: usize, columns: usize) -> Self {
        assert!(
            rows.checked_mul(columns).is_some_and(|all| all <= numbers.len()),
            "a matrix that is not there"
        );
        Self { numbers, rows, columns, steps: [1, rows as isize], conjugates: false }
    }

    /// Rows as columns.
    pub(crate) fn transposed(self) -> Self {
        let Self { rows, columns, steps: [row, column], .. } = self;
        Self { rows: columns, columns: rows, steps: [column, row], ..self }
    }

    /// As an operation has it.
    pub(crate) fn after(self, operation: Operation) -> Self {
        match operation {
            Operation::None => self,
            Operation::Transpose => self.transposed(),
            Operation::Conjugate => Self { conjugates: !self.conjugates, ..self.transposed() },
        }
    }

    /// The number of a row and a column.
    pub(crate) fn at(&self, row: usize, column: usize) -> T {
        debug_assert!(row < self.rows && column < self.columns);
        let [down, right] = self.steps;
        let at = row as isize * down + column as isize * right;
        let number = self.numbers[at as usize];
        if self.conjugates { number.conjugate() } else { number }
    }
}

/// `to = alpha * a * b + beta * to`, where `to` has steps from row to row and from column to column, and nothing in between. With `beta`
/// 0, what is there does not matter.
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
    // SAFETY: all numbers of these matrices are in the slices, as `View::new` and the assertion above have checked; what is
    // written is borrowed by nobody else.
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
