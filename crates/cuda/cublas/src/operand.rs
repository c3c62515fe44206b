//! Vectors and matrices that functions are given: where they are in memory, and their numbers when the work is done.
//!
//! A vector is a matrix of one column, whose rows are as far from each other as its numbers. So what functions of level 2 do is what
//! those of level 3 do.

use crate::call::{Call, Integer, size, too_far};
use crate::code::{Answer, BlasCode};
use crate::format::Format;
use crate::number::Number;
use crate::view::View;
use num_complex::Complex64;
use std::borrow::Cow;
use texunit_client::call::{Code, Refused};
use texunit_client::work::Region;
use texunit_client::{driver, told};
use texunit_cuda_abi::args::In;

/// Memory of work, region by region.
pub(crate) type Memory<'a> = [&'a mut [u8]];

/// A matrix, or as many as a batch has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// Where the first is; of a list, where the addresses are.
    address: u64,
    pub(crate) format: Format,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Numbers from a row, and from a column, to the next.
    steps: [Integer; 2],
    /// The numbers of a row are beside each other, not those of a column.
    by_rows: bool,
    batch: Batch,
}

/// Where the other matrices of a batch are.
#[derive(Clone, Copy, Debug)]
enum Batch {
    /// So many numbers further, each.
    Distance(Integer),
    /// Where an array of addresses says, in memory of the device.
    List,
}

impl Operand {
    /// A matrix of columns that are `leading` numbers from each other.
    pub(crate) fn matrix(
        format: Format,
        address: u64,
        [rows, columns]: [usize; 2],
        (name, leading): (&str, Integer),
    ) -> Answer<Self> {
        if leading < 1 || (leading.unsigned_abs() as usize) < rows {
            let why =
                format!("{name} {leading} is less than {}, the rows of the matrix", rows.max(1));
            return Err(BlasCode::InvalidValue.because(why));
        }
        let batch = Batch::Distance(0);
        Ok(Self { address, format, rows, columns, steps: [1, leading], by_rows: false, batch })
    }

    /// The same of rows that are `leading` numbers from each other.
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

    /// A vector of `n` numbers, `step` numbers from each other; of a negative step, the first one is the last in memory.
    pub(crate) fn vector(format: Format, address: u64, n: usize, step: Integer) -> Answer<Self> {
        let last = (n as i128 - 1).max(0) * i128::from(step.min(0)).abs();
        let back = last.checked_mul(format.size() as i128);
        let first = back.and_then(|back| u64::try_from(back.checked_add(address.into())?).ok());
        let address = if n == 0 { address } else { first.ok_or_else(too_far)? };
        let batch = Batch::Distance(0);
        Ok(Self { address, format, rows: n, columns: 1, steps: [step, 0], by_rows: false, batch })
    }

    /// A vector of a function of level 2, whose step is not 0.
    pub(crate) fn stepped<T: Number>(
        address: u64,
        n: usize,
        (name, step): (&str, Integer),
    ) -> Answer<Self> {
        if step == 0 {
            return Err(BlasCode::InvalidValue.because(format!("{name} is 0")));
        }
        Self::vector(T::FORMAT, address, n, step)
    }

    /// One of a batch, each so many numbers from the one before.
    pub(crate) fn each(self, distance: Integer) -> Self {
        Self { batch: Batch::Distance(distance), ..self }
    }

    /// All of a batch whose addresses are in an array.
    pub(crate) fn listed(self) -> Self {
        Self { batch: Batch::List, ..self }
    }

    /// Adds them to what a call works on.
    pub(crate) fn add(&self, call: &mut Call, count: usize, access: u64) -> Answer<Held> {
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
                // One for all of a batch is there once.
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
        let is_list = matches!(self.batch, Batch::List);
        let is_one = matches!(self.batch, Batch::Distance(0));
        let Self { format, rows, columns, by_rows, .. } = *self;
        Ok(Held { first, is_list, is_one, format, rows, columns, by_rows })
    }
}

/// The addresses in an array of the device, or of the host that devices reach.
fn addresses(call: &Call, array: u64, count: usize) -> Answer<Vec<u64>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let most = 1 << 18;
    if array == 0 || count > most {
        let why = format!("an array of {count} matrices is null, or has more than {most}");
        return Err(BlasCode::InvalidValue.because(why));
    }
    let refused = |why| Refused::from(why).with_code(BlasCode::ExecutionFailed);
    told::check(driver::cuStreamSynchronize(call.settings.stream)).map_err(refused)?;
    let mut all = vec![0_u64; count];
    // SAFETY: there is room for so many bytes.
    let code = unsafe { driver::cuMemcpyDtoH_v2(all.as_mut_ptr().cast(), array, count * 8) };
    told::check(code).map_err(refused)?;
    Ok(all)
}

/// Matrices of work: their numbers are in its memory, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// The first region of theirs.
    pub(crate) first: usize,
    /// Each has a region.
    is_list: bool,
    /// One stands for all.
    is_one: bool,
    format: Format,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    by_rows: bool,
}

/// Numbers of a matrix, from which views are made.
pub(crate) struct Numbers<'a, T: Clone> {
    all: Cow<'a, [T]>,
    of: Held,
}

impl<T: Number> Numbers<'_, T> {
    /// As they are.
    pub(crate) fn view(&self) -> View<'_, T> {
        let Held { rows, columns, by_rows, .. } = self.of;
        match by_rows {
            false => View::new(&self.all, rows, columns),
            true => View::new(&self.all, columns, rows).transposed(),
        }
    }

    /// All of them, one after the other.
    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }
}

impl Held {
    /// Where the bytes of one are: the region, and the part of it.
    fn part(&self, i: usize) -> (usize, std::ops::Range<usize>) {
        let size = self.rows * self.columns * self.format.size();
        match (self.is_list, self.is_one) {
            (true, _) => (self.first + i, 0..size),
            (_, true) => (self.first, 0..size),
            _ => (self.first, i * size..(i + 1) * size),
        }
    }

    /// The numbers of one.
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
        Numbers { all, of: *self }
    }

    /// Changes the numbers of one, while those of other operands can be read.
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

    /// Its numbers, with their rows and columns.
    pub(crate) fn places<'a, T>(
        &self,
        numbers: &'a mut [T],
    ) -> impl Iterator<Item = (usize, usize, &'a mut T)> + use<'a, T> {
        let Self { rows, columns, by_rows, .. } = *self;
        numbers.iter_mut().enumerate().map(move |(i, number)| match by_rows {
            true => (i / columns, i % columns, number),
            false => (i % rows, i / rows, number),
        })
    }

    /// Steps of numbers from row to row, and from column to column.
    pub(crate) fn steps(&self) -> [usize; 2] {
        if self.by_rows { [self.columns, 1] } else { [1, self.rows] }
    }
}

/// A scalar that a function is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor {
    /// It was in memory of the host, where it was read.
    Host(Complex64),
    /// It is a region of the work.
    Device(usize, Format),
}

impl Factor {
    pub(crate) const ONE: Self = Self::Host(Complex64::new(1.0, 0.0));
    pub(crate) const ZERO: Self = Self::Host(Complex64::new(0.0, 0.0));

    /// Adds it to what a call works on, where the handle says.
    pub(crate) fn new(call: &mut Call, name: &str, address: u64, format: Format) -> Answer<Self> {
        if address == 0 {
            return Err(BlasCode::InvalidValue.because(format!("{name} is null")));
        }
        if call.settings.on_device {
            return Ok(Self::Device(call.bytes(address, format.size(), Region::READ)?, format));
        }
        // SAFETY: the caller's scalar is in host memory and has this many bytes.
        let bytes = unsafe { In::<u8>::of(address).elements(format.size()) }.to_vec()?;
        Ok(Self::Host(format.read(&bytes)))
    }

    /// Its value when the work is done.
    pub(crate) fn value<T: Number>(self, memory: &Memory<'_>) -> T {
        T::narrow(match self {
            Self::Host(value) => value,
            Self::Device(region, format) => format.read(memory[region]),
        })
    }

    /// Whether it is known to be 0 before.
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Self::Host(value) if value == Complex64::new(0.0, 0.0))
    }
}

/// Access flags of the output operand (`C` of `C = alpha A B + beta C`): it is read only where `beta` is not 0.
pub(crate) fn changed(beta: Factor) -> u64 {
    if beta.is_zero() { Region::WRITTEN } else { Region::READ | Region::WRITTEN }
}

/// Sizes that are at least 0.
pub(crate) fn sizes<const N: usize>(given: [(&str, Integer); N]) -> Answer<[usize; N]> {
    let mut all = [0; N];
    for (to, (name, given)) in all.iter_mut().zip(given) {
        *to = size(name, given)?;
    }
    Ok(all)
}
