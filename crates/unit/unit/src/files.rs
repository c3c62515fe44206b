//! Where fetches of several warps have their operands and results: in rows of the warps' register files.

use crate::request::{FetchRequest, Lanes, Places};

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'c> {
    /// A row of the warp's file.
    Row(usize),
    /// The same of all warps.
    Lanes(&'c Lanes),
}

/// Rows that results go to, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// The first one.
    pub first: usize,
    /// How many there are.
    pub len: usize,
    /// In the order of the rows, the component that each gets; `len` of them.
    pub components: [u8; 4],
}

/// Where all warps have the point of a fetch and its results. No operand is in a row that results go to.
#[derive(Clone, Copy, Debug)]
pub struct FetchRows<'c> {
    /// x, y, z by the type of the coordinates; any lanes for those that the geometry lacks.
    pub point: [Operand<'c>; 3],
    /// The components that are wanted.
    pub results: Results,
}

/// Rows of a file but for those of results.
#[derive(Clone, Copy, Debug)]
pub struct Others<'w> {
    below: &'w [Lanes],
    above: &'w [Lanes],
    /// The number of the first one above.
    end: usize,
}

/// Who knows all operands of the warps' fetches.
pub trait Requests {
    /// The fetch of a warp. Its components count for nothing.
    fn request<'w>(&'w self, warp: usize, others: &Others<'w>) -> FetchRequest<'w>;
}

impl<'w> Others<'w> {
    /// A row.
    ///
    /// # Panics
    ///
    /// If there is none of this number, or results go there.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &'w Lanes {
        if i < self.below.len() { &self.below[i] } else { &self.above[i - self.end] }
    }
}

impl Results {
    /// Puts the rows of results into the places of their components, and lends all others.
    // By reference: a copy of places that have just been written one by one waits for these stores.
    #[inline(always)]
    pub fn apart<'w>(&self, file: &'w mut [Lanes], places: &mut Places<'w>) -> Others<'w> {
        let (below, rest) = file.split_at_mut(self.first);
        let (results, above) = rest.split_at_mut(self.len);
        for (row, &component) in results.iter_mut().zip(&self.components) {
            places[usize::from(component)] = Some(row);
        }
        Others { below, above, end: self.first + self.len }
    }
}

impl FetchRows<'_> {
    /// The point of a warp with these rows.
    #[inline(always)]
    pub(crate) fn point<'w>(&'w self, row: impl Fn(usize) -> &'w Lanes) -> [&'w Lanes; 3] {
        self.point.map(|operand| match operand {
            Operand::Row(i) => row(i),
            Operand::Lanes(lanes) => lanes,
        })
    }
}
