//! The fast paths of accesses to one word in each lane of a converged warp, the most frequent ones:
//! words of shared memory, and contiguous global memory, which is copied as a whole. Other
//! accesses, and those that fault, are left to [`super::access`].

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::decoded::each;
use super::warp::{Warp, narrow};
use crate::code::{Access, MemSpace, Slot};
use texunit_alu::L32;
use texunit_memory::Block;

/// Bytes of the words of all lanes.
const BYTES: usize = 32 * 4;

/// How the words of the lanes are arranged.
enum Layout {
    /// All lanes access the word of this index.
    Same(usize),
    /// The lanes access contiguous words, beginning with the word of this index.
    Row(usize),
    /// Each lane accesses arbitrary words.
    Each,
}

/// Stores the index of each lane's word in `to`. `None`: an access is misaligned, or is not
/// within the `count` words.
#[inline(always)]
fn locate(to: &mut L32, bases: &L32, access: &Access, count: usize) -> Option<Layout> {
    let offset = access.offset as u32;
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
        _ if any & 3 != 0 || high as usize / 4 >= count => None,
        first if other == 0 => Some(Layout::Same(first)),
        first if apart == 0 => Some(Layout::Row(first)),
        _ => Some(Layout::Each),
    }
}

/// The register of an access of all lanes to one element of 4 bytes that is a whole register.
#[inline(always)]
fn word_of(access: &Access, mask: u32) -> Option<Slot> {
    let is_word =
        mask == u32::MAX && access.size == 4 && access.mask as u32 == u32::MAX && !access.constant;
    match access.parts[..] {
        [d] if is_word && !d.is_none() && !d.is_wide() && !d.is_predicate() => Some(d),
        _ => None,
    }
}

impl<'a> Context<'a> {
    /// Executes the load if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn load_words(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let Some(d) = word_of(access, mask) else { return false };
        let done = match access.mem_space {
            MemSpace::Shared if !access.base.is_wide() => self.load_shared(warp, access, d),
            _ => self.load_row(warp, access, d),
        };
        done.is_some()
    }

    /// Executes the store if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn store_words(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        let Some(source) = word_of(access, mask) else { return false };
        let done = match access.mem_space {
            MemSpace::Shared if !access.base.is_wide() => self.store_shared(warp, access, source),
            _ => self.store_row(warp, access, source),
        };
        done.is_some()
    }

    #[inline]
    fn load_shared(&mut self, warp: &mut Warp, access: &Access, d: Slot) -> Option<()> {
        let words: &[[u8; 4]] = self.cta.shared.as_chunks().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let rows = warp.rows_mut();
        self.level.run(
            #[inline(always)]
            || {
                let bases = narrow(rows, constants, access.base);
                let layout = locate(to, bases, access, words.len())?;
                let (d, word) = (&mut rows[d.index()], u32::from_le_bytes);
                match layout {
                    Layout::Same(first) => *d = [word(*words.get(first)?); 32],
                    Layout::Row(first) => each::one(d, words.get(first..)?.first_chunk()?, word),
                    Layout::Each => each::one(d, to, |at| {
                        words.get(at as usize).map_or(0, |bytes| word(*bytes))
                    }),
                }
                Some(())
            },
        )
    }

    #[inline]
    fn store_shared(&mut self, warp: &Warp, access: &Access, source: Slot) -> Option<()> {
        let words: &mut [[u8; 4]] = self.cta.shared.as_chunks_mut().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let (bases, from) = (warp.n(constants, access.base), warp.n(constants, source));
        self.level.run(
            #[inline(always)]
            || {
                if let Layout::Row(first) = locate(to, bases, access, words.len())? {
                    let row = words.get_mut(first..)?.first_chunk_mut()?;
                    each::one(row, from, u32::to_le_bytes);
                    return Some(());
                }
                for lane in 0..32 {
                    if let Some(word) = words.get_mut(to[lane] as usize) {
                        *word = from[lane].to_le_bytes();
                    }
                }
                Some(())
            },
        )
    }

    /// The allocation and offset of a contiguous access of all lanes to global memory; `None` if
    /// the lanes are not contiguous.
    #[inline]
    fn row(&mut self, warp: &Warp, access: &Access, writes: bool) -> Option<(&'a Block, u64)> {
        let is_row = matches!(access.mem_space, MemSpace::Global | MemSpace::Generic)
            && !access.base.is_none()
            && access.base.is_wide();
        if !is_row {
            return None;
        }
        let bases = warp.w(&self.launch.constants, access.base);
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
        let first = first.wrapping_add(access.offset);
        // All addresses are aligned if the first one is.
        if apart != 0 || first & 3 != 0 {
            return None;
        }
        let found = self.block_of((first, first.checked_add(31 * 4)?), 4, writes)?;
        if access.mem_space == MemSpace::Generic {
            access.seen.record(texunit_memory::SpaceKind::Global);
        }
        Some(found)
    }

    fn load_row(&mut self, warp: &mut Warp, access: &Access, d: Slot) -> Option<()> {
        let (block, at) = self.row(warp, access, false)?;
        let row = &mut self.row[..BYTES];
        block.read(at, row).ok()?;
        let (words, d) = (row.as_chunks().0.first_chunk()?, &mut warp.rows_mut()[d.index()]);
        self.level.run(
            #[inline(always)]
            || each::one(d, words, u32::from_le_bytes),
        );
        Some(())
    }

    fn store_row(&mut self, warp: &Warp, access: &Access, source: Slot) -> Option<()> {
        let (block, at) = self.row(warp, access, true)?;
        let row = &mut self.row[..BYTES];
        let from = warp.n(&self.launch.constants, source);
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
