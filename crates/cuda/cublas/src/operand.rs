//! Vectors and matrices as operands: their layout in memory when a function is called, and their
//! elements when the computation runs.
//!
//! A vector is a matrix of one column whose row stride is the vector's increment, so that level 2
//! uses the functions of level 3.

use crate::call::{Call, Integer, size, too_far};
use crate::code::*;
use crate::format::Format;
use crate::number::Number;
use crate::view::View;
use num_complex::Complex64;
use std::borrow::Cow;
use std::ops::Deref;

/// Memory of a computation, one slice per region.
pub(crate) type Memory<'a> = [&'a mut [u8]];

/// A matrix, or a batch of matrices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// Address of the first matrix, or of the array of addresses.
    address: u64,
    pub(crate) format: Format,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Strides of rows and columns, in elements.
    steps: [Integer; 2],
    /// Whether the matrix is row-major.
    by_rows: bool,
    batch: Batch,
}

/// Where the matrices of a batch after the first one are.
#[derive(Clone, Copy, Debug)]
enum Batch {
    /// Each matrix is at this distance in elements from the previous one.
    Distance(Integer),
    /// An array in device memory has the addresses of the matrices.
    List,
}

impl Operand {
    /// A column-major matrix with a leading dimension.
    pub(crate) fn matrix(
        format: Format,
        address: u64,
        [rows, columns]: [usize; 2],
        (name, leading): (&str, Integer),
    ) -> Answer<Self> {
        ensure!(
            leading >= 1 && leading.unsigned_abs() as usize >= rows,
            BlasCode::InvalidValue,
            "{name} {leading} is less than {}, the rows of the matrix",
            rows.max(1)
        );
        let batch = Batch::Distance(0);
        Ok(Self { address, format, rows, columns, steps: [1, leading], by_rows: false, batch })
    }

    /// A row-major matrix with a leading dimension.
    pub(crate) fn by_rows(
        format: Format,
        address: u64,
        [rows, columns]: [usize; 2],
        leading: (&str, Integer),
    ) -> Answer<Self> {
        let turned = Self::matrix(format, address, [columns, rows], leading)?;
        let [row, column] = turned.steps;
        Ok(Self { rows, columns, steps: [column, row], by_rows: true, ..turned })
    }

    /// A vector of `n` elements with increment `step`; with a negative increment the first element
    /// is the last in memory.
    pub(crate) fn vector(format: Format, address: u64, n: usize, step: Integer) -> Answer<Self> {
        let last = (n as i128 - 1).max(0) * i128::from(step.min(0)).abs();
        let back = last.checked_mul(format.size() as i128);
        let first = back.and_then(|back| u64::try_from(back.checked_add(address.into())?).ok());
        let address = if n == 0 { address } else { first.ok_or_else(too_far)? };
        let batch = Batch::Distance(0);
        Ok(Self { address, format, rows: n, columns: 1, steps: [step, 0], by_rows: false, batch })
    }

    /// A vector of a level 2 function, whose increment must not be 0.
    pub(crate) fn stepped<T: Number>(
        address: u64,
        n: usize,
        (name, step): (&str, Integer),
    ) -> Answer<Self> {
        ensure!(step != 0, BlasCode::InvalidValue, "{name} is 0");
        Self::vector(T::FORMAT, address, n, step)
    }

    /// Makes the matrix the first of a batch at equal distances.
    pub(crate) fn each(self, distance: Integer) -> Self {
        Self { batch: Batch::Distance(distance), ..self }
    }

    /// Makes the address that of an array with the addresses of a batch.
    pub(crate) fn listed(self) -> Self {
        Self { batch: Batch::List, ..self }
    }

    /// Adds the matrices as regions of the call.
    pub(crate) fn add(&self, call: &mut Call, count: usize, access: u64) -> Answer<BoundOperand> {
        let element = self.format.size() as u64;
        let bytes =
            |numbers: Integer| numbers.checked_mul(element.cast_signed()).ok_or_else(too_far);
        let (mut counts, mut strides) = ([self.columns, self.rows], [self.steps[1], self.steps[0]]);
        if self.by_rows {
            counts.reverse();
            strides.reverse();
        }
        let [outer, inner] = counts.map(|count| count as u64);
        let region = |address: u64, count: usize, distance: Integer| -> Answer<Region> {
            Ok(Region {
                address,
                element,
                access,
                count: [count as u64, 1, outer, inner],
                stride: [bytes(distance)?, 0, bytes(strides[0])?, bytes(strides[1])?],
            })
        };
        let first = call.regions();
        match self.batch {
            Batch::Distance(distance) => {
                // With distance 0, all matrices of the batch are the same memory.
                let count = if distance == 0 { count.min(1) } else { count };
                call.push(region(self.address, count, distance)?)?;
            }
            Batch::List if outer == 0 || inner == 0 => {}
            Batch::List => {
                for address in addresses(call, self.address, count)? {
                    call.push(region(address, 1, 0)?)?;
                }
            }
        }
        Ok(BoundOperand { first, of: *self })
    }
}

/// Reads an array of addresses in device memory, or in host memory that the device can access.
fn addresses(call: &Call, array: u64, count: usize) -> Answer<Vec<u64>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let most = 1 << 18;
    ensure!(
        array != 0 && count <= most,
        BlasCode::InvalidValue,
        "an array of {count} matrices is null, or has more than {most}"
    );
    let refused = |why| BlasCode::ExecutionFailed.with(why);
    driver::check(driver::cuStreamSynchronize(call.settings.stream)).map_err(refused)?;
    let mut all = vec![0_u64; count];
    // SAFETY: the buffer holds this many bytes.
    let code = unsafe { driver::cuMemcpyDtoH_v2(all.as_mut_ptr().cast(), array, count * 8) };
    driver::check(code).map_err(refused)?;
    Ok(all)
}

/// Matrices of a submitted computation, whose elements are contiguous in its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundOperand {
    /// Index of the first region.
    pub(crate) first: usize,
    of: Operand,
}

impl Deref for BoundOperand {
    type Target = Operand;

    fn deref(&self) -> &Operand {
        &self.of
    }
}

/// The elements of a stored matrix, of which [`Self::view`] makes a view.
pub(crate) struct Numbers<'a, T: Clone> {
    all: Cow<'a, [T]>,
    of: Operand,
}

impl<T: Number> Numbers<'_, T> {
    /// The matrix as it is stored, before any operation on it.
    pub(crate) fn view(&self) -> View<'_, T> {
        let Operand { rows, columns, by_rows, .. } = self.of;
        match by_rows {
            false => View::new(&self.all, rows, columns),
            true => View::new(&self.all, columns, rows).transposed(),
        }
    }

    /// All elements of the matrix, in the order of their addresses.
    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }
}

impl BoundOperand {
    /// Region and byte range of the matrix with index `i`.
    fn part(&self, i: usize) -> (usize, std::ops::Range<usize>) {
        let size = self.rows * self.columns * self.format.size();
        match self.batch {
            Batch::List => (self.first + i, 0..size),
            // With distance 0, all matrices of the batch are the same memory.
            Batch::Distance(0) => (self.first, 0..size),
            Batch::Distance(_) => (self.first, i * size..(i + 1) * size),
        }
    }

    /// Reads the elements of matrix `i`.
    pub(crate) fn read<'a, T: Number>(&self, memory: &'a Memory<'_>, i: usize) -> Numbers<'a, T> {
        let (region, part) = self.part(i);
        let bytes = match part.is_empty() {
            true => &[][..],
            false => &memory[region][part],
        };
        let all = match self.format == T::FORMAT {
            true => Cow::Borrowed(T::read(bytes)),
            false => Cow::Owned(self.format.widen(bytes)),
        };
        Numbers { all, of: self.of }
    }

    /// Modifies the elements of matrix `i`, while other operands stay readable.
    pub(crate) fn change<T: Number>(
        &self,
        memory: &mut Memory<'_>,
        i: usize,
        change: impl FnOnce(&mut [T], &Memory<'_>),
    ) {
        let (region, part) = self.part(i);
        if part.is_empty() {
            return;
        }
        let whole = std::mem::take(&mut memory[region]);
        let bytes = &mut whole[part];
        if self.format == T::FORMAT {
            change(T::of(bytes), memory);
        } else {
            let mut numbers = self.format.widen(bytes);
            change(&mut numbers, memory);
            self.format.narrow(&numbers, bytes);
        }
        memory[region] = whole;
    }

    /// Iterates over the elements with their row and column.
    pub(crate) fn places<'a, T>(
        &self,
        numbers: &'a mut [T],
    ) -> impl Iterator<Item = (usize, usize, &'a mut T)> + use<'a, T> {
        let Operand { rows, columns, by_rows, .. } = self.of;
        numbers.iter_mut().enumerate().map(move |(i, number)| match by_rows {
            true => (i / columns, i % columns, number),
            false => (i % rows, i / rows, number),
        })
    }

    /// Strides of rows and columns in elements.
    pub(crate) fn steps(&self) -> [usize; 2] {
        if self.by_rows { [self.columns, 1] } else { [1, self.rows] }
    }
}

/// A scalar argument of a cuBLAS function, such as alpha.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor {
    /// A value that was read from host memory during the call.
    Host(Complex64),
    /// A scalar in device memory: the index of its region, and its format.
    Device(usize, Format),
}

impl Factor {
    pub(crate) const ONE: Self = Self::Host(Complex64::new(1.0, 0.0));
    pub(crate) const ZERO: Self = Self::Host(Complex64::new(0.0, 0.0));

    /// Reads the scalar, or adds it as a region, by the handle's pointer mode.
    pub(crate) fn new(call: &mut Call, name: &str, address: u64, format: Format) -> Answer<Self> {
        ensure!(address != 0, BlasCode::InvalidValue, "{name} is null");
        if call.settings.on_device {
            return Ok(Self::Device(call.bytes(address, format.size(), Region::READ)?, format));
        }
        // SAFETY: the caller's scalar is in host memory and has this many bytes.
        let bytes = unsafe { In::<u8>::of(address).elements(format.size()) }.to_vec()?;
        Ok(Self::Host(format.read(&bytes)))
    }

    /// The scalars alpha and beta at these addresses.
    pub(crate) fn both(call: &mut Call, at: [u64; 2], format: Format) -> Answer<[Self; 2]> {
        Ok([Self::new(call, "alpha", at[0], format)?, Self::new(call, "beta", at[1], format)?])
    }

    /// Value of the scalar when the computation runs.
    pub(crate) fn value<T: Number>(self, memory: &Memory<'_>) -> T {
        T::narrow(match self {
            Self::Host(value) => value,
            Self::Device(region, format) => format.read(memory[region]),
        })
    }

    /// Whether the scalar is known to be 0 when the function is called.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Self::Host(value) if value == Complex64::new(0.0, 0.0))
    }
}

/// Access flags of the output operand (`C` of `C = alpha A B + beta C`): it is read only where
/// `beta` is not 0.
pub(crate) fn changed(beta: Factor) -> u64 {
    if beta.is_zero() { Region::WRITTEN } else { Region::READ | Region::WRITTEN }
}

/// Checks that sizes are not negative.
pub(crate) fn sizes<const N: usize>(given: [(&str, Integer); N]) -> Answer<[usize; N]> {
    let mut all = [0; N];
    for (to, (name, given)) in all.iter_mut().zip(given) {
        *to = size(name, given)?;
    }
    Ok(all)
}
