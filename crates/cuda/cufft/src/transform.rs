//! Transforms of contiguous elements: given are a plan's shape, the input and the direction; the
//! result is written to the output.
//!
//! The last dimension is transformed row by row. For each other dimension the elements are
//! transposed, transformed as rows, and transposed back. Rows are divided among host threads in
//! chunks that do not depend on the number of threads, so that results do not depend on it either.

#[cfg(test)]
mod tests;

use crate::number::Precision;
use crate::shape::{Kind, Shape};
use bytemuck::{Pod, cast_slice_mut};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::num_traits::Zero;
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::{Arc, OnceLock};
use texunit_client::work::threads;

/// Executes the transforms of a plan. The FFTs' tables (twiddle factors) are computed at the first
/// execution, because they may be as large as the data.
pub(crate) struct Engine {
    shape: Shape,
    of: PrecisionTables,
}

/// The tables of the plan's FFTs, in the precision in which they are computed.
enum PrecisionTables {
    Single(Tables<f32>),
    Double(Tables<f64>),
}

/// Tables of the FFTs in the forward and in the inverse direction, computed when first used.
type Tables<T> = [OnceLock<Steps<T>>; 2];

/// The FFTs of each dimension.
struct Steps<T> {
    last: LastFft<T>,
    /// FFT of each dimension but the last, in the order of the dimensions.
    others: Vec<Arc<dyn Fft<T>>>,
}

/// FFT of the last dimension.
enum LastFft<T> {
    Complex(Arc<dyn Fft<T>>),
    FromReal(Arc<dyn RealToComplex<T>>),
    ToReal(Arc<dyn ComplexToReal<T>>),
}

/// The type in which real numbers are computed: `f32` or `f64`. Byte buffers can be cast to its
/// slices, because the driver aligns them and they contain no incomplete elements.
trait Number: FftNum + Pod {}
impl<T: FftNum + Pod> Number for T {}

impl Engine {
    pub(crate) fn new(shape: Shape) -> Self {
        let of = match shape.of.precision {
            Precision::Double => PrecisionTables::Double(Tables::default()),
            _ => PrecisionTables::Single(Tables::default()),
        };
        Self { shape, of }
    }

    /// Transforms all elements of the input, which is overwritten.
    pub(crate) fn run(&self, direction: FftDirection, input: &mut [u8], output: &mut [u8]) {
        let (shape, precision) = (&self.shape, self.shape.of.precision);
        match &self.of {
            PrecisionTables::Double(tables) => {
                Steps::of(tables, shape, direction).run(
                    shape,
                    cast_slice_mut(input),
                    cast_slice_mut(output),
                );
            }
            PrecisionTables::Single(tables) => {
                let steps = Steps::of(tables, shape, direction);
                if !precision.is_short() {
                    return steps.run(shape, cast_slice_mut(input), cast_slice_mut(output));
                }
                let mut wide = precision.widen(input);
                let mut result = vec![0.0; output.len() / 2];
                steps.run(shape, &mut wide, &mut result);
                precision.narrow(&result, output);
            }
        }
    }
}

impl<T: Number> Steps<T> {
    /// The FFTs for a direction, whose tables are computed if they are missing.
    fn of<'t>(tables: &'t Tables<T>, shape: &Shape, direction: FftDirection) -> &'t Self {
        tables[direction as usize].get_or_init(|| Self::new(shape, direction))
    }

    fn new(shape: &Shape, direction: FftDirection) -> Self {
        // The sizes fit into `usize`, as memory of these sizes exists.
        let sizes = shape.sizes.iter().map(|&size| usize::try_from(size).unwrap_or(1));
        let mut sizes: Vec<usize> = sizes.collect();
        let size = sizes.pop().unwrap_or(1);
        let mut planner = FftPlanner::new();
        let others = sizes.iter().map(|&size| planner.plan_fft(size, direction)).collect();
        let last = match shape.of.kind {
            Kind::Complex => LastFft::Complex(planner.plan_fft(size, direction)),
            Kind::FromReal => LastFft::FromReal(RealFftPlanner::new().plan_fft_forward(size)),
            Kind::ToReal => LastFft::ToReal(RealFftPlanner::new().plan_fft_inverse(size)),
        };
        Self { last, others }
    }

    fn run(&self, shape: &Shape, input: &mut [T], output: &mut [T]) {
        match &self.last {
            LastFft::Complex(fft) => {
                let (input, output) = (
                    cast_slice_mut::<T, Complex<T>>(input),
                    cast_slice_mut::<T, Complex<T>>(output),
                );
                each_rows(fft.len(), input, output, |input, output| {
                    let mut scratch = zeros(fft.get_outofplace_scratch_len());
                    fft.process_outofplace_with_scratch(input, output, &mut scratch);
                });
                self.transform_outer(&shape.counts(1), output, input);
            }
            LastFft::FromReal(fft) => {
                let output = cast_slice_mut::<T, Complex<T>>(output);
                let sizes = [fft.len(), fft.len() / 2 + 1];
                each_row(sizes, input, output, |rows| {
                    let mut scratch = zeros(fft.get_scratch_len());
                    for (from, to) in rows {
                        // The call fails only if the buffers' lengths differ from those that the
                        // FFT expects, and they do not.
                        let _ = fft.process_with_scratch(from, to, &mut scratch);
                    }
                });
                if !self.others.is_empty() {
                    let mut room = zeros(output.len());
                    self.transform_outer(&shape.counts(1), output, &mut room);
                }
            }
            LastFft::ToReal(fft) => {
                let input = cast_slice_mut::<T, Complex<T>>(input);
                if !self.others.is_empty() {
                    let mut room = zeros(input.len());
                    self.transform_outer(&shape.counts(0), input, &mut room);
                }
                let half = fft.len() / 2;
                each_row([half + 1, fft.len()], input, output, |rows| {
                    let mut scratch = zeros(fft.get_scratch_len());
                    for (from, to) in rows {
                        // For real output the imaginary parts of these elements are 0 by symmetry;
                        // other values are ignored, as cuFFT does.
                        from[0].im = T::zero();
                        if fft.len().is_multiple_of(2) {
                            from[half].im = T::zero();
                        }
                        // The call fails only for wrong lengths, and these are right, as above.
                        let _ = fft.process_with_scratch(from, to, &mut scratch);
                    }
                });
            }
        }
    }

    /// Transforms `data`, arrays with `counts` elements along each dimension, along all dimensions
    /// but the last; `room` is a temporary buffer of the size of `data`.
    fn transform_outer(&self, counts: &[i64], data: &mut [Complex<T>], room: &mut [Complex<T>]) {
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

/// Transposes contiguous matrices of `rows` and `columns` each.
fn transposed<T: Copy + Send + Sync>(from: &[T], to: &mut [T], [rows, columns]: [usize; 2]) {
    let size = rows * columns;
    let matrices = from.chunks_exact(size).zip(to.chunks_exact_mut(size));
    divided(matrices.collect(), |(from, to)| transpose::transpose(from, to, columns, rows));
}

/// Minimum number of elements of a chunk of rows, so that the work outweighs the cost of a thread.
const PART: usize = 1 << 14;
/// Chunks are multiples of this number of rows, as some FFTs process several rows at once.
const TOGETHER: usize = 8;

/// Number of rows in a chunk, if a row has `size` elements.
fn rows_of_part(size: usize) -> usize {
    PART.div_ceil(size.max(1)).next_multiple_of(TOGETHER)
}

/// Calls a function for each chunk of rows in two buffers with rows of equal length.
fn each_rows<A: Send, B: Send>(
    size: usize,
    from: &mut [A],
    to: &mut [B],
    work: impl Fn(&mut [A], &mut [B]) + Sync,
) {
    let part = rows_of_part(size) * size;
    let parts = from.chunks_mut(part).zip(to.chunks_mut(part));
    divided(parts.collect(), |(from, to)| work(from, to));
}

/// Calls a function for each chunk of rows in two buffers with rows of different lengths.
fn each_row<A: Send, B: Send>(
    [size, size_to]: [usize; 2],
    from: &mut [A],
    to: &mut [B],
    work: impl Fn(std::iter::Zip<std::slice::ChunksExactMut<'_, A>, std::slice::ChunksExactMut<'_, B>>)
    + Sync,
) {
    let rows = rows_of_part(size.max(size_to));
    let parts = from.chunks_mut(rows * size).zip(to.chunks_mut(rows * size_to));
    divided(parts.collect(), |(from, to)| {
        work(from.chunks_exact_mut(size).zip(to.chunks_exact_mut(size_to)));
    });
}

/// Processes items in parallel on host threads.
fn divided<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let share = items.len().div_ceil(threads()).max(1);
    let mut items = items.into_iter();
    let shares = std::iter::from_fn(|| {
        let share: Vec<T> = items.by_ref().take(share).collect();
        (!share.is_empty()).then_some(share)
    });
    let shares: Vec<Vec<T>> = shares.collect();
    texunit_threads::each(shares, |share| share.into_iter().for_each(&work));
}
