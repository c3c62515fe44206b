//! Register files of several warps: which rows hold the operands of a fetch, and which receive its
//! results.

use crate::request::{FetchRequest, Lanes, OutputRegisters};

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'c> {
    /// A row of the warp's register file.
    Row(usize),
    /// All warps have the same values in these lanes.
    Lanes(&'c Lanes),
}

/// The consecutive rows that receive results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// Index of the first row.
    pub first: usize,
    /// Number of rows.
    pub len: usize,
    /// The component that each row receives; the first `len` entries are valid.
    pub components: [u8; 4],
}

/// Rows of a fetch's point and results, the same in all warps. No operand is in a result row.
#[derive(Clone, Copy, Debug)]
pub struct FetchRows<'c> {
    /// x, y, z in the type of the coordinates; ignored for axes that the geometry lacks.
    pub point: [Operand<'c>; 3],
    /// The requested components.
    pub results: Results,
}

/// The rows of a register file that receive no results.
#[derive(Clone, Copy, Debug)]
pub struct UnwrittenRows<'w> {
    below: &'w [Lanes],
    above: &'w [Lanes],
    /// Index of the first row in `above`.
    end: usize,
}

/// A source of all operands of the warps' fetches.
pub trait Requests {
    /// The fetch request of a warp. Its component mask is ignored.
    fn request<'w>(&'w self, warp: usize, others: &UnwrittenRows<'w>) -> FetchRequest<'w>;
}

impl<'w> UnwrittenRows<'w> {
    /// A row of the register file.
    ///
    /// # Panics
    ///
    /// If the row does not exist or receives results.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &'w Lanes {
        if i < self.below.len() { &self.below[i] } else { &self.above[i - self.end] }
    }
}

impl Results {
    /// Splits a register file: stores each result row in `places` at the index of its component,
    /// and returns the other rows.
    // `places` is passed by reference because a copy of it would wait for the stores that have just
    // filled it.
    #[inline(always)]
    pub fn split_file<'w>(
        &self,
        file: &'w mut [Lanes],
        places: &mut OutputRegisters<'w>,
    ) -> UnwrittenRows<'w> {
        let (below, rest) = file.split_at_mut(self.first);
        let (results, above) = rest.split_at_mut(self.len);
        for (row, &component) in results.iter_mut().zip(&self.components) {
            places[usize::from(component)] = Some(row);
        }
        UnwrittenRows { below, above, end: self.first + self.len }
    }
}

impl FetchRows<'_> {
    /// The point of a warp, given access to its rows.
    #[inline(always)]
    pub(crate) fn point<'w>(&'w self, row: impl Fn(usize) -> &'w Lanes) -> [&'w Lanes; 3] {
        self.point.map(|operand| match operand {
            Operand::Row(i) => row(i),
            Operand::Lanes(lanes) => lanes,
        })
    }
}
