//! The fast paths of 4-byte elements of a converged warp, the most frequent accesses: one word of
//! shared memory for each lane, and contiguous global memory, which is copied as a whole. Other
//! accesses, and those that fault, are left to [`super::access`].

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::decoded::each;
use super::warp::{Warp, narrow};
use crate::code::{Access, MemSpace};
use texunit_alu::L32;
use texunit_memory::Block;

/// How the words that the lanes access are arranged.
enum Layout {
    /// All lanes access the word with this index.
    Same(usize),
    /// The lanes access contiguous words, beginning with the word with this index.
    Row(usize),
    /// Each lane accesses an arbitrary word.
    Each,
}

/// Stores the indices of the lanes' words in `to`. `None`: a word is misaligned, or is not one of
/// the `count` words.
#[inline(always)]
fn locate(to: &mut L32, bases: &L32, offset: u32, count: usize) -> Option<Layout> {
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
        _ if any % 4 != 0 || high as usize / 4 >= count => None,
        first if other == 0 => Some(Layout::Same(first)),
        first if apart == 0 => Some(Layout::Row(first)),
        _ => Some(Layout::Each),
    }
}

/// The copied words of each lane. The copy has `32 * N` words.
#[inline(always)]
fn lines<const N: usize>(row: &mut [u8]) -> Option<&mut [[[u8; 4]; N]; 32]> {
    row.as_chunks_mut().0.as_chunks_mut().0.first_chunk_mut()
}

/// Arranges the words of four registers in the order of the lanes.
#[inline(always)]
fn four(to: &mut [[[u8; 4]; 4]; 32], a: &L32, b: &L32, c: &L32, d: &L32) {
    for lane in 0..32 {
        to[lane] = [a[lane], b[lane], c[lane], d[lane]].map(u32::to_le_bytes);
    }
}

/// Whether the elements of an access are whole registers of 4 bytes.
#[inline(always)]
fn has_words(access: &Access) -> bool {
    access.size == 4
        && access.mask as u32 == u32::MAX
        && !access.constant
        && access.parts.iter().all(|d| !d.is_none() && !d.is_wide() && !d.is_predicate())
}

impl<'a> Context<'a> {
    /// Executes the load if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn load_words(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        mask == u32::MAX
            && has_words(access)
            && match access.mem_space {
                MemSpace::Shared => self.load_shared(warp, access).is_some(),
                _ => self.load_row(warp, access).is_some(),
            }
    }

    /// Executes the store if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn store_words(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        mask == u32::MAX
            && has_words(access)
            && match access.mem_space {
                MemSpace::Shared => self.store_shared(warp, access).is_some(),
                _ => self.store_row(warp, access).is_some(),
            }
    }

    #[inline]
    fn load_shared(&mut self, warp: &mut Warp, access: &Access) -> Option<()> {
        let ([d], false) = (&access.parts[..], access.base.is_wide()) else { return None };
        let words: &[[u8; 4]] = self.cta.shared.as_chunks().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let rows = warp.rows_mut();
        self.level.run(
            #[inline(always)]
            || {
                let bases = narrow(rows, constants, access.base);
                let layout = locate(to, bases, access.offset as u32, words.len())?;
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
    fn store_shared(&mut self, warp: &Warp, access: &Access) -> Option<()> {
        let ([from], false) = (&access.parts[..], access.base.is_wide()) else { return None };
        let words: &mut [[u8; 4]] = self.cta.shared.as_chunks_mut().0;
        let (to, constants) = (&mut self.narrow, &self.launch.constants);
        let (bases, from) = (warp.n(constants, access.base), warp.n(constants, *from));
        self.level.run(
            #[inline(always)]
            || {
                match locate(to, bases, access.offset as u32, words.len())? {
                    Layout::Row(first) => {
                        let row = words.get_mut(first..)?.first_chunk_mut()?;
                        each::one(row, from, u32::to_le_bytes);
                    }
                    Layout::Same(_) | Layout::Each => {
                        for lane in 0..32 {
                            if let Some(word) = words.get_mut(to[lane] as usize) {
                                *word = from[lane].to_le_bytes();
                            }
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
            && matches!(total, 4 | 8 | 16)
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
                (0..32).fold(0, |any, lane| {
                    any | bases[lane] ^ first.wrapping_add((lane as u64) << shift)
                })
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
        macro_rules! each {
            ($n:literal) => {{
                let lines = lines::<$n>(row)?;
                self.level.run(
                    #[inline(always)]
                    || {
                        for (k, d) in (0..$n).zip(&access.parts) {
                            each::one(&mut rows[d.index()], lines, |line| {
                                u32::from_le_bytes(line[k])
                            });
                        }
                    },
                );
            }};
        }
        match access.parts.len() {
            1 => each!(1),
            2 => each!(2),
            _ => each!(4),
        }
        Some(())
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
