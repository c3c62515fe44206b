//! The shadow of a block: which of its bytes have been written (check `init`). The shadow is itself
//! a block of the same size, with one byte for each byte that it describes: 0xff for an undefined
//! byte, 0 for a defined one.
//!
//! A shadow takes as much memory as its block. When all shadows together would exceed [`MAX_SIZE`],
//! no further shadows are made. A block without a shadow counts as defined, so the limit can hide
//! findings but never causes false ones.

use super::Block;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Upper limit for the total size of all shadows of a process, in bytes.
const MAX_SIZE: u64 = 4 << 30;
/// Number of bytes of a shadow that are read or set in one step.
const PIECE: usize = 4096;

/// Value of `undefined_at` if no byte is undefined.
const NONE: u64 = u64::MAX;

/// Total size of all shadows of the process, in bytes.
static USED: AtomicU64 = AtomicU64::new(0);

impl Block {
    /// Gives the block a shadow, in which all bytes are defined at first.
    pub fn track(&self) {
        let size = self.size as u64;
        if self.shadow.get().is_some() {
            return;
        }
        let reserve = |used: u64| used.checked_add(size).filter(|&used| used <= MAX_SIZE);
        if USED.fetch_update(Relaxed, Relaxed, reserve).is_err() {
            return;
        }
        let made =
            Self::new(self.size, "shadow").is_some_and(|s| self.shadow.set(s.into()).is_ok());
        if !made {
            USED.fetch_sub(size, Relaxed);
        }
    }

    /// Releases the shadow when the block is dropped.
    pub(super) fn forget_shadow(&self) {
        if self.shadow.get().is_some() {
            USED.fetch_sub(self.size as u64, Relaxed);
        }
    }

    /// The shadow: 0xff at the offset of each undefined byte. `None` if the block has no shadow, so
    /// that all bytes count as defined.
    #[inline]
    pub fn shadow(&self) -> Option<&Arc<Block>> {
        self.shadow.get()
    }

    /// Marks a range of bytes as undefined, if the block has a shadow.
    pub fn undefine(&self, offset: u64, len: u64) {
        self.set_shadow(offset, len, 0xff);
        self.undefined_at.store(offset, Relaxed);
    }

    /// Whether any byte of the block is undefined. The answer is quick if the last search found no
    /// undefined byte, or if the byte that it found is still undefined. After stores directly to
    /// the shadow ([`Self::shadow`]), `look_again` must be called first.
    pub fn has_undefined(&self) -> bool {
        let Some(shadow) = self.shadow.get() else { return false };
        let at = self.undefined_at.load(Relaxed);
        if at == NONE {
            return false;
        }
        if shadow.load_u8(at).is_ok_and(|state| state != 0) {
            return true;
        }
        // The search begins at the last undefined byte, so that a kernel which writes the block
        // from front to back does not cause a search from the start after each store.
        let size = self.size as u64;
        let found =
            shadow.first_byte_set(at..size).or_else(|| shadow.first_byte_set(0..at.min(size)));
        self.undefined_at.store(found.unwrap_or(NONE), Relaxed);
        found.is_some()
    }

    /// Makes the next [`Self::has_undefined`] search the whole shadow, because the shadow may have
    /// been written directly.
    pub(crate) fn look_again(&self) {
        self.undefined_at.store(0, Relaxed);
    }

    /// Called on a shadow: offset of the first byte in the range that is not 0.
    fn first_byte_set(&self, range: Range<u64>) -> Option<u64> {
        let mut piece = [0; PIECE];
        range.clone().step_by(PIECE).find_map(|at| {
            let part = &mut piece[..(range.end - at).min(PIECE as u64) as usize];
            self.read(at, part).ok()?;
            Some(at + first_set(part)? as u64)
        })
    }

    /// Whether any byte of a range is undefined. Bytes outside the block count as defined.
    pub fn has_undefined_in(&self, range: Range<u64>) -> bool {
        let end = range.end.min(self.size as u64);
        let shadow = self.shadow.get();
        shadow.is_some_and(|shadow| shadow.first_byte_set(range.start..end).is_some())
    }

    /// Marks a range of bytes as defined, because they have been written. Bytes outside the block
    /// are ignored.
    #[inline]
    pub fn define(&self, offset: u64, len: u64) {
        if self.shadow.get().is_some() {
            self.set_shadow(offset, len, 0);
        }
    }

    fn set_shadow(&self, offset: u64, len: u64, value: u8) {
        let Some(shadow) = self.shadow.get() else { return };
        let end = offset.saturating_add(len).min(self.size as u64);
        for at in (offset..end).step_by(PIECE) {
            let part = (end - at).min(PIECE as u64);
            // The write cannot fail, because the range is inside the shadow.
            let _ = shadow.write(at, &[value; PIECE][..part as usize]);
        }
    }

    /// Whether any of the bytes is undefined. If so, `out` receives the state of each byte: 0xff if
    /// undefined, else 0. Bytes outside the block count as defined.
    pub fn undefined_mask(&self, offset: u64, out: &mut [u8]) -> bool {
        let Some(shadow) = self.shadow.get() else { return false };
        shadow.read(offset, out).is_ok() && first_set(out).is_some()
    }

    /// Sets the state of each byte (0xff undefined, 0 defined), if the block has a shadow and the
    /// bytes are inside.
    pub fn set_states(&self, offset: u64, states: &[u8]) {
        if let Some(shadow) = self.shadow.get() {
            let _ = shadow.write(offset, states);
            if let Some(first) = states.iter().position(|&state| state != 0) {
                self.undefined_at.store(offset.saturating_add(first as u64), Relaxed);
            }
        }
    }
}

/// Index of the first byte that is not 0.
fn first_set(states: &[u8]) -> Option<usize> {
    // Nearly all bytes are 0, so they are tested 64 at a time.
    let is_set = |line: &[u8]| line.iter().fold(0, |all, &state| all | state) != 0;
    let line = states.chunks(64).position(is_set)?;
    Some(64 * line + states[64 * line..].iter().position(|&state| state != 0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random writes and copies of shadow states between two blocks, compared with plain byte
    /// lists.
    #[test]
    fn states_are_those_of_plain_bytes() {
        let sizes = [9000, 700];
        let blocks = sizes.map(|size| Block::new(size, "block").unwrap());
        let mut models = sizes.map(|size| vec![0_u8; size]);
        for (block, model) in blocks.iter().zip(&mut models) {
            assert!(!block.undefined_mask(0, &mut [0; 8]), "nothing is tracked");
            block.track();
            assert!(!block.undefined_mask(0, &mut vec![0; block.size()]), "defined at first");
            block.undefine(0, block.size() as u64);
            model.fill(0xff);
        }
        let mut random = 7_u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % n
        };
        for _ in 0..if cfg!(miri) { 40 } else { 2000 } {
            let (from, to) = (below(2), below(2));
            let len = below(700.min(sizes[from]).min(sizes[to])) + 1;
            let (a, b) = (below(sizes[from] - len + 1), below(sizes[to] - len + 1));
            if below(3) == 0 {
                blocks[to].define(b as u64, len as u64);
                models[to][b..b + len].fill(0);
                assert_eq!(blocks[to].has_undefined(), models[to].iter().any(|&state| state != 0));
                continue;
            }
            let mut states = vec![0; len];
            let is_any = blocks[from].undefined_mask(a as u64, &mut states);
            assert_eq!(is_any, models[from][a..a + len].iter().any(|&state| state != 0));
            assert_eq!(is_any, blocks[from].has_undefined_in(a as u64..(a + len) as u64));
            if is_any {
                blocks[to].set_states(b as u64, &states);
            } else {
                blocks[to].define(b as u64, len as u64);
            }
            let part = models[from][a..a + len].to_vec();
            models[to][b..b + len].copy_from_slice(&part);
        }
        for (block, model) in blocks.iter().zip(&models) {
            block.define(0, block.size() as u64 - 1);
            let last = block.size() - 1;
            assert_eq!(block.has_undefined(), model[last] != 0);
            block.set_states(last as u64, &[0xff]);
            assert!(block.has_undefined());
            block.define(last as u64, 1);
            assert!(!block.has_undefined());
            block.shadow().unwrap().store_u8(3, 0xff).unwrap();
            assert!(!block.has_undefined(), "nobody has said that it may be");
            block.look_again();
            assert!(block.has_undefined());
            block.set_states(0, model);
            assert_eq!(&block.shadow().unwrap().to_vec(), model);
        }
    }

    #[test]
    fn what_is_outside_is_defined() {
        let block = Block::new(16, "block").unwrap();
        block.track();
        block.undefine(0, 16);
        assert_eq!([9, u64::MAX].map(|at| block.undefined_mask(at, &mut [0; 8])), [false; 2]);
        assert!(block.has_undefined_in(15..u64::MAX) && !block.has_undefined_in(16..u64::MAX));
        block.define(12, u64::MAX);
        block.set_states(15, &[0xff; 2]);
        let mut states = [1; 16];
        assert!(block.undefined_mask(0, &mut states));
        assert_eq!(states, [[0xff; 8], [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]].concat()[..]);
    }
}
