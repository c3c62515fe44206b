//! The list of deferred loads from one allocation, with the vector clocks of the loads.

use crate::race::recycled::Recycled;
use std::mem::take;

/// Maximum size in bytes of a worker's list for one allocation. A longer list is recorded in the
/// shadow memory.
pub(super) const MAX: usize = 64 << 20;
/// Memory of the lists of earlier launches.
static RECYCLED: (Recycled<ListedLoad>, Recycled<[u32; 32]>) =
    (Recycled::new(2 * MAX), Recycled::new(2 * MAX));

/// The deferred loads of a worker from one allocation, in order.
#[derive(Debug, Default)]
pub(super) struct LoadList {
    pub(super) all: Vec<ListedLoad>,
    /// The vector clocks of the listed loads.
    pub(super) clocks: Vec<WarpClock>,
    /// The offset of each lane in the allocation, for each listed load whose arrangement is
    /// [`AddressShape::Any`].
    pub(super) offsets: Vec<[u32; 32]>,
}

/// How the lane addresses of a listed load are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressShape {
    Row,
    One,
    /// Arbitrary addresses, which are stored in `offsets`.
    Any,
}

/// The vector clock of a warp at a load, as far as it is not shared with other CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WarpClock {
    pub(super) serial: u32,
    pub(super) now: u32,
    pub(super) all: u32,
    pub(super) of_warp: u32,
}

/// An entry of the list of deferred loads: the load of a warp (a row), or several rows, which are
/// loads by consecutive warps from consecutive addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedLoad {
    /// The address that lane 0 of the first row loads, or the one address that all lanes load.
    pub(super) first: u64,
    pub(super) shape: AddressShape,
    /// Bytes of an element, and the number of elements of each lane.
    pub(super) elements: (u8, u8),
    pub(super) warp: u32,
    pub(super) lanes: u32,
    pub(super) op: u32,
    /// Number of rows, which are the loads of so many consecutive warps.
    pub(super) count: u32,
    /// Index of the vector clock of the first row.
    pub(super) clock: u32,
}

impl LoadList {
    pub(super) fn bytes(&self) -> usize {
        self.all.len() * size_of::<ListedLoad>()
            + self.clocks.len() * size_of::<WarpClock>()
            + self.offsets.len() * size_of::<[u32; 32]>()
    }

    /// Adds a load to the last entry as its next row. Returns false if the load does not continue
    /// the entry's rows.
    // This function and `push` are inlined. Otherwise the fields of `by` would be stored one by one
    // and copied at once, and the copy would wait for the stores.
    #[inline(always)]
    pub(super) fn extend_last(&mut self, by: &ListedLoad, clock: &WarpClock, warps: u32) -> bool {
        let (Some(last), Some(of)) = (self.all.last_mut(), self.clocks.last()) else {
            return false;
        };
        let bytes = u64::from(by.elements.0) * u64::from(by.elements.1) * 32;
        let is_next = (last.shape, by.shape) == (AddressShape::Row, AddressShape::Row)
            && by.first == last.first.wrapping_add(bytes * u64::from(last.count))
            && (last.lanes, last.op, last.elements) == (by.lanes, by.op, by.elements)
            && (of.now, of.all, of.of_warp) == (clock.now, clock.all, clock.of_warp)
            && last.warp_of(last.count, of.serial, warps) == (clock.serial, by.warp)
            && last.warp < warps
            && last.count < u32::MAX / 2;
        last.count += u32::from(is_next);
        is_next
    }

    /// Appends an entry to the list.
    #[inline(always)]
    pub(super) fn push(&mut self, load: ListedLoad, clock: WarpClock) {
        if self.clocks.last() != Some(&clock) {
            self.clocks.push(clock);
        }
        if self.all.capacity() == 0 {
            (self.all, self.offsets) = (RECYCLED.0.take(), RECYCLED.1.take());
        }
        self.all.push(ListedLoad { clock: self.clocks.len() as u32 - 1, ..load });
    }
}

impl Drop for LoadList {
    fn drop(&mut self) {
        RECYCLED.0.keep(take(&mut self.all));
        RECYCLED.1.keep(take(&mut self.offsets));
    }
}

impl ListedLoad {
    /// The CTA's serial number and the warp's number for a row of the entry; `serial` is the CTA of
    /// the first row, and each CTA has `warps` warps.
    pub(super) fn warp_of(&self, row: u32, serial: u32, warps: u32) -> (u32, u32) {
        let warp = self.warp + row;
        (serial.wrapping_add(warp / warps), warp % warps)
    }
}
