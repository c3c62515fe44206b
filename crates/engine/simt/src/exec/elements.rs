//! Transfers elements of 1, 2, 4 and 8 bytes between memory and registers, with a loop for words of
//! 4 bytes and one for all other sizes. Bounds have already been checked ([`super::access`]); index
//! checks here only serve memory safety.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

mod loops;

use super::decoded::each;
use crate::lower::mask_of;
pub(super) use loops::{load, store};
use texunit_alu::{L32, L64};
use texunit_memory::Block;

/// The lanes of an access.
#[derive(Clone, Copy)]
pub(super) struct ActiveLanes {
    /// Mask of the lanes that take part.
    pub(super) mask: u32,
    /// Mask of the lanes that have not exited. If all of these take part, registers are written as
    /// a whole.
    pub(super) live: u32,
    /// Whether all lanes have the same address.
    pub(super) same: bool,
    /// Whether the lanes access contiguous single words.
    pub(super) row: bool,
}

/// Registers of the running call frame.
pub(super) struct Registers<'w> {
    pub(super) narrow: &'w mut [L32],
    pub(super) wide: &'w mut [L64],
}

/// Shared memory, or the read-only parameters.
pub(super) struct Bytes<'a, T> {
    pub(super) bytes: T,
    pub(super) at: &'a L32,
}

/// An allocation in global memory.
pub(super) struct Global<'a> {
    pub(super) block: &'a Block,
    pub(super) at: &'a L64,
}

/// Local memory of a warp, stored word by word with the 32 lanes of each word adjacent.
pub(super) struct Local<'a, T> {
    pub(super) rows: T,
    pub(super) at: &'a L32,
}

/// Memory that elements are loaded from.
pub(super) trait Source {
    /// Whether lanes with the same address access the same bytes.
    const COMMON: bool;

    /// The element of `size` bytes in a lane, `offset` bytes after the lane's address.
    fn element(&self, lane: usize, offset: u32, size: u8) -> u64;

    /// Loads 4-byte elements of all lanes, if they are contiguous in memory. Returns false if they
    /// are not.
    fn row(&self, to: &mut L32, offset: u32, active: ActiveLanes) -> bool;
}

/// Memory that elements are stored to.
pub(super) trait Sink {
    fn put(&mut self, lane: usize, offset: u32, size: u8, value: u64);

    /// Stores 4-byte elements of all lanes, if they are contiguous in memory. Returns false if they
    /// are not.
    fn put_row(&mut self, values: &L32, offset: u32, active: ActiveLanes) -> bool;
}

/// Elements of N bytes, little endian.
#[inline(always)]
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let elements: &[[u8; N]] = bytes.as_chunks().0;
    let mut number = [0; 8];
    if let Some(bytes) = elements.get(at / N) {
        number[..N].copy_from_slice(bytes);
    }
    u64::from_le_bytes(number)
}

#[inline(always)]
fn put_number<const N: usize>(bytes: &mut [u8], at: usize, value: u64) {
    let elements: &mut [[u8; N]] = bytes.as_chunks_mut().0;
    if let Some(bytes) = elements.get_mut(at / N) {
        bytes.copy_from_slice(&value.to_le_bytes()[..N]);
    }
}

impl Source for Bytes<'_, &[u8]> {
    const COMMON: bool = true;

    #[inline(always)]
    fn element(&self, lane: usize, offset: u32, size: u8) -> u64 {
        let at = (self.at[lane] + offset) as usize;
        match size {
            1 => number::<1>(self.bytes, at),
            2 => number::<2>(self.bytes, at),
            4 => number::<4>(self.bytes, at),
            _ => number::<8>(self.bytes, at),
        }
    }

    #[inline(always)]
    fn row(&self, to: &mut L32, offset: u32, active: ActiveLanes) -> bool {
        if !active.row || active.mask != u32::MAX {
            return false;
        }
        let words: Option<&[[u8; 4]]> = self.bytes.as_chunks().0.get(self.first(offset)..);
        let Some(words) = words.and_then(|words| words.first_chunk::<32>()) else { return false };
        each::one(to, words, u32::from_le_bytes);
        true
    }
}

impl Sink for Bytes<'_, &mut [u8]> {
    #[inline(always)]
    fn put(&mut self, lane: usize, offset: u32, size: u8, value: u64) {
        let at = (self.at[lane] + offset) as usize;
        match size {
            1 => put_number::<1>(self.bytes, at, value),
            2 => put_number::<2>(self.bytes, at, value),
            4 => put_number::<4>(self.bytes, at, value),
            _ => put_number::<8>(self.bytes, at, value),
        }
    }

    #[inline(always)]
    fn put_row(&mut self, values: &L32, offset: u32, active: ActiveLanes) -> bool {
        if !active.row || active.mask != u32::MAX {
            return false;
        }
        let first = self.first(offset);
        let words: Option<&mut [[u8; 4]]> = self.bytes.as_chunks_mut().0.get_mut(first..);
        let Some(words) = words.and_then(|words| words.first_chunk_mut::<32>()) else {
            return false;
        };
        each::one(words, values, u32::to_le_bytes);
        true
    }
}

impl<T> Bytes<'_, T> {
    /// Index of the first lane's word.
    #[inline(always)]
    fn first(&self, offset: u32) -> usize {
        (self.at[0] + offset) as usize / 4
    }
}

impl Source for Global<'_> {
    const COMMON: bool = true;

    #[inline(always)]
    fn element(&self, lane: usize, offset: u32, size: u8) -> u64 {
        self.block.load(self.at[lane] + u64::from(offset), size).unwrap_or(0)
    }

    #[inline(always)]
    fn row(&self, _: &mut L32, _: u32, _: ActiveLanes) -> bool {
        // Contiguous global accesses are handled earlier (`super::contiguous`).
        false
    }
}

impl Sink for Global<'_> {
    #[inline(always)]
    fn put(&mut self, lane: usize, offset: u32, size: u8, value: u64) {
        // The bounds of all lanes were checked.
        let _ = self.block.store(self.at[lane] + u64::from(offset), size, value);
    }

    #[inline(always)]
    fn put_row(&mut self, _: &L32, _: u32, _: ActiveLanes) -> bool {
        false
    }
}

impl Source for Local<'_, &[L32]> {
    const COMMON: bool = false;

    #[inline(always)]
    fn element(&self, lane: usize, offset: u32, size: u8) -> u64 {
        load_local(self.rows, lane, (self.at[lane] + offset).into(), size).unwrap_or(0)
    }

    #[inline(always)]
    fn row(&self, to: &mut L32, offset: u32, active: ActiveLanes) -> bool {
        let row = self.rows.get((self.at[0] + offset) as usize / 4);
        let row = row.filter(|_| active.same && active.mask == active.live);
        row.map(|row| *to = *row).is_some()
    }
}

impl Sink for Local<'_, &mut [L32]> {
    #[inline(always)]
    fn put(&mut self, lane: usize, offset: u32, size: u8, value: u64) {
        // The bounds of all lanes were checked.
        let _ = store_local(self.rows, lane, (self.at[lane] + offset).into(), size, value);
    }

    #[inline(always)]
    fn put_row(&mut self, values: &L32, offset: u32, active: ActiveLanes) -> bool {
        let row = self.rows.get_mut((self.at[0] + offset) as usize / 4);
        let row = row.filter(|_| active.same && active.mask == active.live);
        row.map(|row| *row = *values).is_some()
    }
}

/// Memory that atomics update.
pub(super) trait Cells {
    /// Whether the memory is global.
    const GLOBAL: bool;

    /// Updates the element of N bytes in a lane, and returns its old value.
    fn update<const N: usize>(&mut self, lane: usize, offset: u32, new: impl Fn(u64) -> u64)
    -> u64;

    /// Adds to the element of N bytes in a lane. Returns its old value.
    #[inline(always)]
    fn add<const N: usize>(&mut self, lane: usize, offset: u32, value: u64) -> u64 {
        self.update::<N>(lane, offset, |old| old.wrapping_add(value))
    }
}

impl Cells for Bytes<'_, &mut [u8]> {
    const GLOBAL: bool = false;

    #[inline(always)]
    fn update<const N: usize>(
        &mut self,
        lane: usize,
        offset: u32,
        new: impl Fn(u64) -> u64,
    ) -> u64 {
        let elements: &mut [[u8; N]] = self.bytes.as_chunks_mut().0;
        let Some(bytes) = elements.get_mut((self.at[lane] + offset) as usize / N) else { return 0 };
        let mut old = [0; 8];
        old[..N].copy_from_slice(bytes);
        let old = u64::from_le_bytes(old);
        bytes.copy_from_slice(&new(old).to_le_bytes()[..N]);
        old
    }
}

impl Cells for Global<'_> {
    const GLOBAL: bool = true;

    #[inline(always)]
    fn update<const N: usize>(
        &mut self,
        lane: usize,
        offset: u32,
        new: impl Fn(u64) -> u64,
    ) -> u64 {
        let (block, at) = (self.block, self.at[lane] + u64::from(offset));
        let old = match N {
            2 => block.update_u16(at, |old| new(old.into()) as u16).map(u64::from),
            4 => block.update_u32(at, |old| new(old.into()) as u32).map(u64::from),
            _ => block.update_u64(at, new),
        };
        // Bounds and alignment were checked before.
        old.unwrap_or(0)
    }

    #[inline(always)]
    fn add<const N: usize>(&mut self, lane: usize, offset: u32, value: u64) -> u64 {
        let (block, at) = (self.block, self.at[lane] + u64::from(offset));
        let old = match N {
            2 => block.add_u16(at, value as u16).map(u64::from),
            4 => block.add_u32(at, value as u32).map(u64::from),
            _ => block.add_u64(at, value),
        };
        old.unwrap_or(0)
    }
}

/// Loads an element of a lane's local memory, or of its shadow, at an aligned address.
#[inline]
pub(in crate::exec) fn load_local(
    rows: &[L32],
    lane: usize,
    address: u64,
    size: u8,
) -> Option<u64> {
    let word = |i: usize| rows.get(i).map(|row| u64::from(row[lane]));
    let at = usize::try_from(address / 4).ok()?;
    match size {
        8 => Some(word(at)? | word(at.checked_add(1)?)? << 32),
        size => Some(word(at)? >> (address % 4 * 8) & mask_of(u32::from(size) * 8)),
    }
}

#[inline]
pub(in crate::exec) fn store_local(
    rows: &mut [L32],
    lane: usize,
    address: u64,
    size: u8,
    value: u64,
) -> Option<()> {
    let at = usize::try_from(address / 4).ok()?;
    if size == 8 {
        rows.get_mut(at.checked_add(1)?)?[lane] = (value >> 32) as u32;
        rows[at][lane] = value as u32;
    } else {
        let (shift, keep) = (address % 4 * 8, mask_of(u32::from(size) * 8) as u32);
        let row = rows.get_mut(at)?;
        row[lane] = (row[lane] & !(keep << shift)) | ((value as u32 & keep) << shift);
    }
    Some(())
}
