//! The memory that an access refers to, and accesses to its elements. Accesses of a whole warp
//! ([`super::access`]), of single lanes ([`super::memory`]) and of shadows end here.

use super::warp::lanes;
use crate::lower::mask_of;
use texunit_alu::{L32, L64};
use texunit_memory::Block;

/// Memory with elements of 1, 2, 4 or 8 bytes. Accesses outside of it return `None`.
pub(super) enum Target<'t> {
    /// An allocation in global memory, or shadow memory.
    Block(&'t Block),
    /// Shared memory, or a copy of a row of global memory.
    Bytes(&'t mut [u8]),
    /// The kernel's parameters, which are not stored to.
    Params(&'t [u8]),
    /// Local memory of a warp, stored word by word with the 32 lanes of each word adjacent.
    Local(&'t mut [L32]),
}

impl Target<'_> {
    #[inline(always)]
    pub(super) fn load(&self, lane: usize, at: u64, size: u8) -> Option<u64> {
        match self {
            Self::Block(block) => block.load(at, size).ok(),
            Self::Bytes(bytes) => load_bytes(bytes, at, size),
            Self::Params(bytes) => load_bytes(bytes, at, size),
            Self::Local(rows) => load_local(rows, lane, at, size),
        }
    }

    #[inline(always)]
    pub(super) fn store(&mut self, lane: usize, at: u64, size: u8, value: u64) -> Option<()> {
        match self {
            Self::Block(block) => block.store(at, size, value).ok(),
            Self::Bytes(bytes) => store_bytes(bytes, at, size, value),
            Self::Params(_) => None,
            Self::Local(rows) => store_local(rows, lane, at, size, value),
        }
    }

    /// Loads an element of each of these lanes, at valid addresses.
    pub(super) fn load_lanes(&self, mask: u32, at: (&L64, u64), size: u8, out: &mut L64) {
        // The loops are compiled for each size and kind of memory.
        match size {
            1 => self.load_each(mask, at, 1, out),
            2 => self.load_each(mask, at, 2, out),
            4 => self.load_each(mask, at, 4, out),
            _ => self.load_each(mask, at, 8, out),
        }
    }

    #[inline(always)]
    fn load_each(&self, mask: u32, at: (&L64, u64), size: u8, out: &mut L64) {
        match self {
            Self::Block(block) => each(out, mask, at, |_, at| block.load(at, size).ok()),
            Self::Bytes(bytes) => each(out, mask, at, |_, at| load_bytes(bytes, at, size)),
            Self::Params(bytes) => each(out, mask, at, |_, at| load_bytes(bytes, at, size)),
            Self::Local(rows) => each(out, mask, at, |lane, at| load_local(rows, lane, at, size)),
        }
    }

    /// Stores an element of each of these lanes, at valid addresses.
    pub(super) fn store_lanes(&mut self, mask: u32, at: &L64, (skip, size): (u64, u8), from: &L64) {
        match size {
            1 => self.store_each(mask, at, (skip, 1), from),
            2 => self.store_each(mask, at, (skip, 2), from),
            4 => self.store_each(mask, at, (skip, 4), from),
            _ => self.store_each(mask, at, (skip, 8), from),
        }
    }

    #[inline(always)]
    fn store_each(&mut self, mask: u32, at: &L64, (skip, size): (u64, u8), from: &L64) {
        for lane in lanes(mask) {
            // Bounds and alignment were checked for all lanes.
            let _ = self.store(lane, at[lane] + skip, size, from[lane]);
        }
    }

    /// Replaces an aligned element, atomically for other threads, and returns its old value.
    #[inline(always)]
    pub(super) fn update(
        &mut self,
        lane: usize,
        at: u64,
        size: u8,
        mut new: impl FnMut(u64) -> u64,
    ) -> Option<u64> {
        let Self::Block(block) = self else {
            let old = self.load(lane, at, size)?;
            self.store(lane, at, size, new(old))?;
            return Some(old);
        };
        match size {
            2 => block.update_u16(at, |old| new(old.into()) as u16).map(u64::from).ok(),
            4 => block.update_u32(at, |old| new(old.into()) as u32).map(u64::from).ok(),
            _ => block.update_u64(at, new).ok(),
        }
    }

    /// Adds to an aligned element, atomically for other threads, and returns its old value.
    #[inline(always)]
    pub(super) fn add(&mut self, lane: usize, at: u64, size: u8, value: u64) -> Option<u64> {
        match (self, size) {
            (Self::Block(block), 2) => block.add_u16(at, value as u16).map(u64::from).ok(),
            (Self::Block(block), 4) => block.add_u32(at, value as u32).map(u64::from).ok(),
            (Self::Block(block), _) => block.add_u64(at, value).ok(),
            (target, _) => target.update(lane, at, size, |old| old.wrapping_add(value)),
        }
    }
}

/// Loads or updates an element of each lane, in the order of the lanes, by a function of the lane
/// and the element's address.
#[inline(always)]
pub(super) fn each(
    out: &mut L64,
    mask: u32,
    (addresses, offset): (&L64, u64),
    mut one: impl FnMut(usize, u64) -> Option<u64>,
) {
    for lane in lanes(mask) {
        // Bounds and alignment were checked for all lanes.
        out[lane] = one(lane, addresses[lane] + offset).unwrap_or(0);
    }
}

#[inline(always)]
pub(super) fn load_bytes(bytes: &[u8], at: u64, size: u8) -> Option<u64> {
    let bytes = bytes.get(usize::try_from(at).ok()?..)?;
    Some(match size {
        1 => (*bytes.first()?).into(),
        2 => u16::from_le_bytes(*bytes.first_chunk()?).into(),
        4 => u32::from_le_bytes(*bytes.first_chunk()?).into(),
        _ => u64::from_le_bytes(*bytes.first_chunk()?),
    })
}

#[inline(always)]
fn store_bytes(bytes: &mut [u8], at: u64, size: u8, value: u64) -> Option<()> {
    let bytes = bytes.get_mut(usize::try_from(at).ok()?..)?;
    match size {
        1 => *bytes.first_mut()? = value as u8,
        2 => *bytes.first_chunk_mut()? = (value as u16).to_le_bytes(),
        4 => *bytes.first_chunk_mut()? = (value as u32).to_le_bytes(),
        _ => *bytes.first_chunk_mut()? = value.to_le_bytes(),
    }
    Some(())
}

/// Loads an element of a lane's local memory, or of its shadow, at an aligned address.
#[inline(always)]
pub(super) fn load_local(rows: &[L32], lane: usize, at: u64, size: u8) -> Option<u64> {
    let word = |i: usize| rows.get(i).map(|row| u64::from(row[lane]));
    let i = usize::try_from(at / 4).ok()?;
    match size {
        8 => Some(word(i)? | word(i.checked_add(1)?)? << 32),
        size => Some(word(i)? >> (at % 4 * 8) & mask_of(u32::from(size) * 8)),
    }
}

#[inline(always)]
pub(super) fn store_local(rows: &mut [L32], lane: usize, at: u64, size: u8, v: u64) -> Option<()> {
    let i = usize::try_from(at / 4).ok()?;
    if size == 8 {
        rows.get_mut(i.checked_add(1)?)?[lane] = (v >> 32) as u32;
        rows[i][lane] = v as u32;
    } else {
        let (shift, keep) = (at % 4 * 8, mask_of(u32::from(size) * 8) as u32);
        let row = rows.get_mut(i)?;
        row[lane] = (row[lane] & !(keep << shift)) | ((v as u32 & keep) << shift);
    }
    Some(())
}
