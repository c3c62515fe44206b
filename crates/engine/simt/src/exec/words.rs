//! The fast path for one 4-byte word per lane of a converged warp in shared memory, the most
//! frequent access of tiled kernels. It is a single function for each SIMD level. Other accesses,
//! and those that fault, are left to [`super::access`].

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::warp::{Warp, narrow};
use crate::code::{Access, MemSpace, Slot};
use texunit_alu::L32;

/// How the words that the lanes access are arranged.
enum WordLayout {
    /// A word is misaligned or out of bounds.
    No,
    /// All lanes access the same word.
    Same(usize),
    /// The lanes access contiguous words, beginning with the word at this index.
    Row(usize),
    /// Each lane accesses an arbitrary word.
    Each,
}

/// Stores the word indices of the lanes in `to`. There are `count` words.
#[inline(always)]
fn locate(to: &mut L32, bases: &L32, offset: u32, count: usize) -> WordLayout {
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
        _ if any % 4 != 0 || high as usize / 4 >= count => WordLayout::No,
        first if other == 0 => WordLayout::Same(first),
        first if apart == 0 => WordLayout::Row(first),
        _ => WordLayout::Each,
    }
}

/// The register of an access whose lanes each load or store a single word; `None` for other
/// accesses.
#[inline(always)]
fn word(access: &Access) -> Option<Slot> {
    let [part] = access.parts[..] else { return None };
    let narrow = !part.is_wide() && !part.is_predicate() && !access.base.is_wide();
    (access.mem_space == MemSpace::Shared && access.size == 4 && narrow).then_some(part)
}

impl Context<'_> {
    /// Executes the load if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn load_words(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let Some(d) = word(access) else { return false };
        if mask != u32::MAX || access.mask as u32 != u32::MAX {
            return false;
        }
        let words: &[[u8; 4]] = self.cta.shared.as_chunks().0;
        let (to, constants) = (&mut self.offsets, &self.launch.constants);
        let (registers, _) = warp.registers_and_local();
        self.level.run(
            #[inline(always)]
            || {
                let bases = narrow(registers.narrow, constants, access.base);
                let place = locate(to, bases, access.offset as u32, words.len());
                let d = &mut registers.narrow[d.index()];
                let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
                match place {
                    WordLayout::No => return false,
                    WordLayout::Same(first) => *d = [words.get(first).map_or(0, number); 32],
                    WordLayout::Row(first) => {
                        let row = words.get(first..).and_then(|words| words.first_chunk::<32>());
                        let Some(row) = row else { return false };
                        for lane in 0..32 {
                            d[lane] = number(&row[lane]);
                        }
                    }
                    WordLayout::Each => {
                        for lane in 0..32 {
                            d[lane] = words.get(to[lane] as usize).map_or(0, number);
                        }
                    }
                }
                true
            },
        )
    }

    /// Executes the store if the access has this form; otherwise nothing has been changed.
    #[inline]
    pub(super) fn store_words(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        let Some(from) = word(access) else { return false };
        if mask != u32::MAX {
            return false;
        }
        let words: &mut [[u8; 4]] = self.cta.shared.as_chunks_mut().0;
        let (to, constants) = (&mut self.offsets, &self.launch.constants);
        let (bases, from) = (warp.n(constants, access.base), warp.n(constants, from));
        self.level.run(
            #[inline(always)]
            || match locate(to, bases, access.offset as u32, words.len()) {
                WordLayout::No => false,
                WordLayout::Row(first) => {
                    let row = words.get_mut(first..).and_then(|words| words.first_chunk_mut());
                    let Some(row) = row else { return false };
                    let row: &mut [[u8; 4]; 32] = row;
                    for lane in 0..32 {
                        row[lane] = from[lane].to_le_bytes();
                    }
                    true
                }
                WordLayout::Same(_) | WordLayout::Each => {
                    for lane in 0..32 {
                        if let Some(word) = words.get_mut(to[lane] as usize) {
                            *word = from[lane].to_le_bytes();
                        }
                    }
                    true
                }
            },
        )
    }
}
