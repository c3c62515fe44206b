//! Transforms of elements that lie one after the other.
//!
//! The last dimension is transformed row by row. For each other one the elements are transposed, so that it becomes rows, and
//! back. Rows are divided among the threads of the host in parts that do not depend on their number, so that results do not either.

mod rows;
#[cfg(test)]
mod tests;

use crate::number::Precision;
use crate::shape::{Kind, Shape};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rows::{divided, each_row, each_rows};
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::{Arc, OnceLock};

/// What executes the transforms of a plan; what that takes is computed with the first one, as it may be as much as the data.
pub(crate) struct Engine {
    shape: Shape,
    of: Of,
}

/// By how numbers are computed.
enum Of {
    Single(Tables<f32>),
    Double(Tables<f64>),
}

/// What has been computed of each direction.
struct Tables<T> {
    forward: OnceLock<Steps<T>>,
    inverse: OnceLock<Steps<T>>,
}

impl<T> Default for Tables<T> {
    fn default() -> Self {
        Self { forward: OnceLock::new(), inverse: OnceLock::new() }
    }
}

/// The transforms of each dimension.
struct Steps<T> {
    last: Last<T>,
    /// Of the dimensions before it, from the first on.
    others: Vec<Arc<dyn Fft<T>>>,
}

/// That of the last dimension.
enum Last<T> {
    Complex(Arc<dyn Fft<T>>),
    FromReal(Arc<dyn RealToComplex<T>>),
    ToReal(Arc<dyn ComplexToReal<T>>),
}

/// Numbers of a type in memory of the host.
trait Number: FftNum {
    /// Bytes as real numbers.
    fn reals(bytes: &mut [u8]) -> &mut [Self];
    /// Real numbers as pairs.
    fn pairs(reals: &mut [Self]) -> &mut [Complex<Self>];
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            fn reals(bytes: &mut [u8]) -> &mut [Self] {
                // SAFETY: each sequence of bytes is a number.
                let (before, all, after) = unsafe { bytes.align_to_mut() };
                // What the driver hands out is aligned, and whole numbers.
                assert!(before.is_empty() && after.is_empty(), "memory that is not aligned");
                all
            }

            fn pairs(reals: &mut [Self]) -> &mut [Complex<Self>] {
                // SAFETY: a complex number is a structure of C of two real ones, and aligned as they are.
                unsafe { reals.align_to_mut() }.1
            }
        }
    };
}
number!(f32);
number!(f64);

impl Engine {
    pub(crate) fn new(shape: Shape) -> Self {
        let of = match shape.of.precision {
            Precision::Double => Of::Double(Tables::default()),
            _ => Of::Single(Tables::default()),
        };
        Self { shape, of }
    }

    /// Transforms all elements of the input, which is not kept.
    pub(crate) fn run(&self, direction: FftDirection, input: &mut [u8], output: &mut [u8]) {
        let precision = self.shape.of.precision;
        match &self.of {
            Of::Double(tables) => {
                tables.run(&self.shape, direction, f64::reals(input), f64::reals(output));
            }
            Of::Single(tables) if precision.is_short() => {
                let mut wide = precision.widen(input);
                let mut result = vec![0.0; output.len() / 2];
                tables.run(&self.shape, direction, &mut wide, &mut result);
                precision.narrow(&result, output);
            }
            Of::Single(tables) => {
                tables.run(&self.shape, direction, f32::reals(input), f32::reals(output));
            }
        }
    }
}

impl<T: Number> Tables<T> {
    fn run(&self, shape: &Shape, direction: FftDirection, input: &mut [T], output: &mut [T]) {
        let table = match direction {
            FftDirection::Forward => &self.forward,
            FftDirection::Inverse => &self.inverse,
        };
        table.get_or_init(|| Steps::new(shape, direction)).run(shape, input, output);
    }
}

impl<T: Number> Steps<T> {
    fn new(shape: &Shape, direction: FftDirection) -> Self {
        // Sizes are those of memory that is there.
        let sizes = shape.sizes.iter().map(|&size| usize::try_from(size).unwrap_or(1));
        let mut sizes: Vec<usize> = sizes.collect();
        let size = sizes.pop().unwrap_or(1);
        let mut planner = FftPlanner::new();
        let others = sizes.iter().map(|&size| planner.plan_fft(size, direction)).collect();
        let last = match shape.of.kind {
            Kind::Complex => Last::Complex(planner.plan_fft(size, direction)),
            Kind::FromReal => Last::FromReal(RealFftPlanner::new().plan_fft_forward(size)),
            Kind::ToReal => Last::ToReal(RealFftPlanner::new().plan_fft_inverse(size)),
        };
        Self { last, others }
    }

    fn run(&self, shape: &Shape, input: &mut [T], output: &mut [T]) {
        match &self.last {
            Last::Complex(fft) => {
                let (input, output) = (T::pairs(input), T::pairs(output));
                each_rows(fft.len(), input, output, |input, output| {
                    let mut scratch = zeros(fft.get_outofplace_scratch_len());
                    fft.process_outofplace_with_scratch(input, output, &mut scratch);
                });
                self.others(&shape.counts(1), output, input);
            }
            Last::FromReal(fft) => {
                let output = T::pairs(output);
                let sizes = [fft.len(), fft.len() / 2 + 1];
                each_row(sizes, input, output, |rows| {
                    let mut scratch = zeros(fft.get_scratch_len());
                    for (from, to) in rows {
                        // The lengths are those that it has asked for: it refuses nothing else.
                        let _ = fft.process_with_scratch(from, to, &mut scratch);
                    }
                });
                if !self.others.is_empty() {
                    let mut room = zeros(output.len());
                    self.others(&shape.counts(1), output, &mut room);
                }
            }
            Last::ToReal(fft) => {
                let input = T::pairs(input);
                if !self.others.is_empty() {
                    let mut room = zeros(input.len());
                    self.others(&shape.counts(0), input, &mut room);
                }
                let half = fft.len() / 2;
                each_row([half + 1, fft.len()], input, output, |rows| {
                    let mut scratch = zeros(fft.get_scratch_len());
                    for (from, to) in rows {
                        // Of real numbers these parts are 0: they are taken to be, as cuFFT takes them.
                        from[0].im = T::zero();
                        if fft.len().is_multiple_of(2) {
                            from[half].im = T::zero();
                        }
                        // As above.
                        let _ = fft.process_with_scratch(from, to, &mut scratch);
                    }
                });
            }
        }
    }

    /// Transforms all dimensions but the last, of arrays with these counts; `room` is as large.
    fn others(&self, counts: &[i64], data: &mut [Complex<T>], room: &mut [Complex<T>]) {
        let counts: Vec<usize> =
            counts.iter().map(|&count| usize::try_from(count).unwrap_or(1)).collect();
        for (d, fft) in self.others.iter().enumerate() {
            let inner: usize = counts[d + 1..].iter().product();
            transposed(data, room, [counts[d], inner]);
            each_rows(fft.len(), room, data, |rows, scratch| {
                let size = fft.get_inplace_scratch_len();
                match scratch.get_mut(..size) {
                    Some(scratch) => fft.process_with_scratch(rows, scratch),
                    None => fft.process_with_scratch(rows, &mut zeros(size)),
                }
            });
            transposed(room, data, [inner, counts[d]]);
        }
    }
}

fn zeros<T: Number>(count: usize) -> Vec<Complex<T>> {
    vec![Complex::zero(); count]
}

/// Copies matrices that lie one after the other, each of `rows` and `columns`, so that their columns become rows.
fn transposed<T: Copy + Send + Sync>(from: &[T], to: &mut [T], [rows, columns]: [usize; 2]) {
    let size = rows * columns;
    let matrices = from.chunks_exact(size).zip(to.chunks_exact_mut(size));
    divided(matrices.collect(), |(from, to)| transpose::transpose(from, to, columns, rows));
}
