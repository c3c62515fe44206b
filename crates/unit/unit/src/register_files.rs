//! Register files of several warps, which share a layout: the rows (registers of 32 lanes) that
//! hold the operands of a fetch, and the rows that receive its results.

use crate::request::{FetchRequest, Lanes, OutputRegisters};

/// Where an operand of a fetch is.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'c> {
    /// The row of the warp's register file with this index.
    Row(usize),
    /// These values, one for each lane, which are the same in all warps.
    Lanes(&'c Lanes),
}

/// The consecutive rows of a register file that receive the results of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// Index of the first row.
    pub first: usize,
    /// Number of rows.
    pub len: usize,
    /// The component (0 for x) that each result row receives; the first `len` entries are valid.
    /// Fetches are faster if this is [`Self::IN_ORDER`].
    pub components: [u8; 4],
}

/// The rows of a fetch's coordinates and results, which are the same for all warps. No operand is
/// in a row that receives results.
#[derive(Clone, Copy, Debug)]
pub struct FetchRows<'c> {
    /// The coordinates x, y and z in the type of the instruction; ignored for axes that the
    /// geometry lacks.
    pub point: [Operand<'c>; 3],
    /// The rows that receive the requested components.
    pub results: Results,
}

/// The rows of a register file that receive no results of the fetch.
#[derive(Clone, Copy, Debug)]
pub struct UnwrittenRows<'w> {
    below: &'w [Lanes],
    above: &'w [Lanes],
    /// Number of the first row of `above` in the register file.
    end: usize,
}

/// A source of the operands for the fetches of several warps.
pub trait Requests {
    /// The fetch request of a warp, whose operands may lie in the given rows. The component mask of
    /// the request is ignored.
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
    /// The first row receives x, and each row the component after that of the row before.
    pub const IN_ORDER: [u8; 4] = [0, 1, 2, 3];

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
        // Only the less usual cases index an array, so that the usual one needs none in memory.
        let rows = match results {
            [x, y, z, w] => [Some(x), Some(y), Some(z), Some(w)],
            [x] => [Some(x), None, None, None],
            _ => {
                let mut rows = results.iter_mut();
                std::array::from_fn(|_| rows.next())
            }
        };
        *places = if self.components == Self::IN_ORDER { rows } else { self.by_component(rows) };
        UnwrittenRows { below, above, end: self.first + self.len }
    }

    /// The result rows at the indices of their components.
    #[inline(always)]
    fn by_component<'w>(&self, mut rows: OutputRegisters<'w>) -> OutputRegisters<'w> {
        std::array::from_fn(|component| {
            let is_its = |&of: &u8| usize::from(of) == component;
            rows[self.components.iter().position(is_its)?].take()
        })
    }
}

impl FetchRows<'_> {
    /// The coordinates of a warp. `row` gives access to the rows of its register file.
    #[inline(always)]
    pub(crate) fn point<'w>(&'w self, row: impl Fn(usize) -> &'w Lanes) -> [&'w Lanes; 3] {
        self.point.map(|operand| match operand {
            Operand::Row(i) => row(i),
            Operand::Lanes(lanes) => lanes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each result row must be found at its component, in whatever order and number the rows are.
    #[test]
    fn result_rows_are_found_by_component() {
        let orders: [&[u8]; 8] =
            [&[0], &[2], &[0, 1], &[3, 1], &[0, 1, 2], &[2, 0, 1], &[0, 1, 2, 3], &[2, 0, 3, 1]];
        for order in orders {
            let mut components = Results::IN_ORDER;
            components[..order.len()].copy_from_slice(order);
            let results = Results { first: 1, len: order.len(), components };
            let mut file: Vec<Lanes> = (0..6).map(|row| [row; 32]).collect();
            let mut places = OutputRegisters::default();
            let others = results.split_file(&mut file, &mut places);
            assert_eq!((others.row(0)[0], others.row(5)[0]), (0, 5), "{order:?}");
            let found = places.map(|row| row.map(|row| row[0] as usize - 1));
            let wanted = [0, 1, 2, 3].map(|c| order.iter().position(|&of| of == c));
            assert_eq!(found, wanted, "{order:?}");
        }
    }
}
