//! The fast paths of 4-byte elements of a converged warp, the most frequent accesses: words of
//! shared memory, and contiguous global memory, which is copied as a whole. Other accesses, and
//! those that fault, are left to [`super::access`].

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::decoded::each;
use super::warp::{Warp, narrow};
use crate::code::{Access, MemSpace};
use texunit_alu::L32;
use texunit_memory::Block;

/// How the elements of the lanes are arranged.
enum Layout {
    /// All lanes access the elements that begin with the word of this index.
    Same(usize),
    /// The lanes access contiguous words, beginning with the word of this index.
    Row(usize),
    /// Each lane accesses arbitrary words.
    Each,
}

/// Stores the index of each lane's first word in `to`. `None`: an access is misaligned, or is not
/// within the `count` words.
#[inline(always)]
fn locate(to: &mut L32, bases: &L32, access: &Access, count: usize) -> Option<Layout> {
    let (offset, total) = (access.offset as u32, access.total());
    let first = bases[0].wrapping_add(offset);
    let (mut high, mut any, mut other, mut apart) = (0, 0, 0, 0);
    for lane in 0..32 {
        let at = bases[lane].wrapping_add(offset);
        high = high.max(at);
        any |= at;
        other |= at ^ first;
        apart |= at ^ first.wrapping_add(4 * lane as u32);
        to[lane] = at / 4;
    }
    match first as usize / 4 {
        // The number of elements is a power of two.
        _ if any & (total - 1) != 0 || high as usize / 4 + access.parts.len() > count => None,
        first if other == 0 => Some(Layout::Same(first)),
        first if apart == 0 && total == 4 => Some(Layout::Row(first)),
        _ => Some(Layout::Each),
    }
}

/// The copied words of each lane. The copy has `32 * N` words.
#[inline(always)]
fn lines<const N: usize>(row: &mut [u8]) -> Option<&mut [[[u8; 4]; N]; 32]> {
    row.as_chunks_mut().0.as_chunks_mut().0.first_chunk_mut()
}

/// Writes the copied words of each lane to registers.
#[inline(always)]
fn by_register<const N: usize>(row: &mut [u8], rows: &mut [L32], access: &Access) -> Option<()> {
    let lines = lines::<N>(row)?;
    for (k, d) in (0..N).zip(&access.parts) {
        each::one(&mut rows[d.index()], lines, |line| u32::from_le_bytes(line[k]));
    }
    Some(())
}

/// Arranges the words of four registers in the order of the lanes.
#[inline(always)]
fn four(to: &mut [[[u8; 4]; 4]; 32], a: &L32, b: &L32, c: &L32, d: &L32) {
    for lane in 0..32 {
        to[lane] = [a[lane], b[lane], c[lane], d[lane]].map(u32::to_le_bytes);
    }
}

/// Whether the access is one of all lanes, whose elements are whole registers of 4 bytes.
#[inline(always)]
fn has_words(access: &Access, mask: u32) -> bool {
    mask == u32::MAX
        && access.size == 4
        && matches!(access.parts.len(), 1 | 2 | 4)
        && access.mask as u32 == u32::MAX
        && !access.constant
        && access.parts.iter().all(|d| !d.is_none() && !d.is_wide() && !d.is_predicate())
}

impl<'a> Context<'a> {
    /// Executes the load if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn load_words(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let done = match access.mem_space {
            _ if !has_words(access, mask) => None,
            MemSpace::Shared if !access.base.is_wide() => self.load_shared(warp, access),
            _ => self.load_row(warp, access),
        };
        done.is_some()
    }

    /// Executes the store if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn store_words(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        let done = match access.mem_space {
            _ if !has_words(access, mask) => None,
            MemSpace::Shared if !access.base.is_wide() => self.store_shared(warp, access),
            _ => self.store_row(warp, access),
        };
        done.is_some()
    }

    #[inline]
    fn load_shared(&mut self, warp: &mut Warp, access: &Access) -> Option<()> {
        let words: &[[u8; 4]] = self.cta.shared.as_chunks().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let rows = warp.rows_mut();
        self.level.run(
            #[inline(always)]
            || {
                let bases = narrow(rows, constants, access.base);
                let layout = locate(to, bases, access, words.len())?;
                let word = u32::from_le_bytes;
                for (k, d) in access.parts.iter().enumerate() {
                    let (d, words) = (&mut rows[d.index()], &words[k..]);
                    match layout {
                        Layout::Same(first) => *d = [word(*words.get(first)?); 32],
                        Layout::Row(first) => {
                            each::one(d, words.get(first..)?.first_chunk()?, word);
                        }
                        Layout::Each => each::one(d, to, |at| {
                            words.get(at as usize).map_or(0, |bytes| word(*bytes))
                        }),
                    }
                }
                Some(())
            },
        )
    }

    #[inline]
    fn store_shared(&mut self, warp: &Warp, access: &Access) -> Option<()> {
        let words: &mut [[u8; 4]] = self.cta.shared.as_chunks_mut().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let bases = warp.n(constants, access.base);
        self.level.run(
            #[inline(always)]
            || {
                let layout = locate(to, bases, access, words.len())?;
                for (k, &from) in access.parts.iter().enumerate() {
                    let (from, words) = (warp.n(constants, from), &mut words[k..]);
                    if let Layout::Row(first) = layout {
                        let row = words.get_mut(first..)?.first_chunk_mut()?;
                        each::one(row, from, u32::to_le_bytes);
                        continue;
                    }
                    for lane in 0..32 {
                        if let Some(word) = words.get_mut(to[lane] as usize) {
                            *word = from[lane].to_le_bytes();
                        }
                    }
                }
                Some(())
            },
        )
    }

    /// The allocation and offset of a contiguous access of all lanes to global memory, and its
    /// bytes; `None` if the lanes are not contiguous.
    #[inline]
    fn row(&mut self, warp: &Warp, access: &Access, writes: bool) -> Option<(&'a Block, u64, u64)> {
        let total = u64::from(access.total());
        let is_row = matches!(access.mem_space, MemSpace::Global | MemSpace::Generic)
            && !access.base.is_none()
            && access.base.is_wide();
        if !is_row {
            return None;
        }
        let bases = warp.w(&self.launch.constants, access.base);
        let (first, shift) = (bases[0], total.trailing_zeros());
        let apart = self.level.run(
            #[inline(always)]
            || {
                let mut any = 0;
                for lane in 0..32 {
                    any |= bases[lane] ^ first.wrapping_add((lane as u64) << shift);
                }
                any
            },
        );
        let first = first.wrapping_add(access.offset);
        // All addresses are aligned if the first one is.
        if apart != 0 || first & (total - 1) != 0 {
            return None;
        }
        let (block, at) = self.block_of((first, first.checked_add(31 * total)?), total, writes)?;
        if access.mem_space == MemSpace::Generic {
            access.seen.record(texunit_memory::SpaceKind::Global);
        }
        Some((block, at, 32 * total))
    }

    fn load_row(&mut self, warp: &mut Warp, access: &Access) -> Option<()> {
        let (block, at, bytes) = self.row(warp, access, false)?;
        let row = &mut self.row[..bytes as usize];
        block.read(at, row).ok()?;
        let rows = warp.rows_mut();
        self.level.run(
            #[inline(always)]
            || match access.parts.len() {
                1 => by_register::<1>(row, rows, access),
                2 => by_register::<2>(row, rows, access),
                _ => by_register::<4>(row, rows, access),
            },
        )
    }

    fn store_row(&mut self, warp: &Warp, access: &Access) -> Option<()> {
        let (block, at, bytes) = self.row(warp, access, true)?;
        let row = &mut self.row[..bytes as usize];
        let n = |k: usize| warp.n(&self.launch.constants, access.parts[k]);
        let word = u32::to_le_bytes;
        self.level.run(
            #[inline(always)]
            || {
                match access.parts.len() {
                    1 => each::one(lines(row)?, n(0), |a| [word(a)]),
                    2 => each::two(lines(row)?, n(0), n(1), |a, b| [word(a), word(b)]),
                    _ => four(lines(row)?, n(0), n(1), n(2), n(3)),
                }
                Some(())
            },
        )?;
        // The bounds were checked for all lanes, so that the store cannot fail.
        block.write(at, row).ok()?;
        // In most kernels the next CTA writes the memory that follows this CTA's.
        block.prefetch_to_write(at + u64::from(self.launch.warps) * bytes, bytes as usize);
        Some(())
    }
}
