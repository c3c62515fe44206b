//! The fast paths of 4-byte elements of a converged warp, the most frequent accesses: words of
//! shared memory, and a contiguous word of each lane in global memory, which are copied as a whole.
//! Other accesses, and those that fault, are left to [`super::access`].

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::decoded::each;
use super::warp::{Warp, narrow};
use crate::code::{Access, MemSpace};
use texunit_alu::L32;
use texunit_memory::Block;

/// Bytes of the words of all lanes.
const BYTES: usize = 32 * 4;

/// How the words of the lanes are arranged.
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
    let (offset, parts) = (access.at.offset as u32, access.parts.len());
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
        _ if any & (access.total() - 1) != 0 || high as usize / 4 + parts > count => None,
        first if other == 0 => Some(Layout::Same(first)),
        first if apart == 0 && parts == 1 => Some(Layout::Row(first)),
        _ => Some(Layout::Each),
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
        && access.parts.iter().all(|d| d.is_narrow())
}

impl<'a> Context<'a> {
    /// Executes a load of 4-byte elements by all lanes. Returns false, with nothing changed, if the
    /// access has another form or would fault.
    #[inline]
    pub(super) fn load_words(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let done = match access.at.mem_space {
            _ if !has_words(access, mask) => None,
            MemSpace::Shared if !access.at.base.is_wide() => self.load_shared(warp, access),
            _ => self.load_row(warp, access),
        };
        done.is_some()
    }

    /// Executes a store of 4-byte elements by all lanes. Returns false, with nothing changed, if
    /// the access has another form or would fault.
    #[inline]
    pub(super) fn store_words(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        let done = match access.at.mem_space {
            _ if !has_words(access, mask) => None,
            MemSpace::Shared if !access.at.base.is_wide() => self.store_shared(warp, access),
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
                let bases = narrow(rows, constants, access.at.base);
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
        let bases = warp.n(constants, access.at.base);
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

    /// The allocation and offset of an access of all lanes to contiguous words of global memory;
    /// `None` for any other access.
    #[inline]
    fn row(&mut self, warp: &Warp, access: &Access, writes: bool) -> Option<(&'a Block, u64)> {
        let is_row = matches!(access.at.mem_space, MemSpace::Global | MemSpace::Generic)
            && access.parts.len() == 1
            && !access.at.base.is_none()
            && access.at.base.is_wide();
        if !is_row {
            return None;
        }
        let bases = warp.w(&self.launch.constants, access.at.base);
        let first = bases[0];
        let apart = self.level.run(
            #[inline(always)]
            || {
                let mut any = 0;
                for lane in 0..32 {
                    any |= bases[lane] ^ first.wrapping_add(4 * lane as u64);
                }
                any
            },
        );
        let first = first.wrapping_add(access.at.offset);
        // All addresses are aligned if the first one is.
        if apart != 0 || first & 3 != 0 {
            return None;
        }
        let found = self.block_of((first, first.checked_add(31 * 4)?), 4, writes)?;
        if access.at.mem_space == MemSpace::Generic {
            access.seen.record(texunit_memory::SpaceKind::Global);
        }
        Some(found)
    }

    fn load_row(&mut self, warp: &mut Warp, access: &Access) -> Option<()> {
        let (block, at) = self.row(warp, access, false)?;
        let row = &mut self.row[..BYTES];
        block.read(at, row).ok()?;
        let words = row.as_chunks().0.first_chunk()?;
        let d = &mut warp.rows_mut()[access.parts[0].index()];
        self.level.run(
            #[inline(always)]
            || each::one(d, words, u32::from_le_bytes),
        );
        Some(())
    }

    fn store_row(&mut self, warp: &Warp, access: &Access) -> Option<()> {
        let (block, at) = self.row(warp, access, true)?;
        let row = &mut self.row[..BYTES];
        let from = warp.n(&self.launch.constants, access.parts[0]);
        let words = row.as_chunks_mut().0.first_chunk_mut()?;
        self.level.run(
            #[inline(always)]
            || each::one(words, from, u32::to_le_bytes),
        );
        // The bounds were checked for all lanes, so that the store cannot fail.
        block.write(at, row).ok()?;
        // In most kernels the next CTA writes the memory that follows this CTA's.
        block.prefetch_to_write(at + u64::from(self.launch.warps) * BYTES as u64, BYTES);
        Some(())
    }
}
