//! A part of a block for code that reads many elements at once.

use crate::Block;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// A block from some offset on, as far as 31 bits reach. Reads are never refused: an offset that is too
/// large is limited to the last place where the element fits. Whoever takes a window keeps to what is
/// theirs by other means (address modes, extents); the limit is only for safety.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    base: *const u8,
    /// Bytes; at least 16.
    reach: u32,
    block: PhantomData<&'a Block>,
}

// SAFETY: a window is a shared reference to a block, which is `Sync`.
unsafe impl Send for Window<'_> {}
// SAFETY: as above.
unsafe impl Sync for Window<'_> {}

impl<'a> Window<'a> {
    /// `reach` bytes at `base`, which is inside a block that lives for `'a`.
    ///
    /// # Safety
    /// The bytes belong to one allocation that lives for `'a`, and there is no Rust reference to them.
    pub(crate) unsafe fn new(base: *const u8, reach: u64) -> Option<Self> {
        let reach = reach.min(i32::MAX as u64) as u32;
        (reach >= 16).then_some(Self { base, reach, block: PhantomData })
    }

    /// The first byte.
    #[inline(always)]
    pub fn base(self) -> *const u8 {
        self.base
    }

    /// The last offset at which `size` bytes (at most 16) can be read.
    #[inline(always)]
    pub fn last(self, size: u32) -> u32 {
        debug_assert!(size <= 16);
        self.reach.wrapping_sub(size)
    }

    /// Loads a `u32`.
    #[inline(always)]
    pub fn load_u32(self, offset: u32) -> u32 {
        let [word] = self.words(offset);
        word
    }

    /// Loads a `u64`, as two words.
    #[inline(always)]
    pub fn load_u64(self, offset: u32) -> u64 {
        let [low, high] = self.words(offset).map(u64::from);
        low | high << 32
    }

    /// Loads 16 bytes, as four words.
    #[inline(always)]
    pub fn load_u128(self, offset: u32) -> u128 {
        let [a, b, c, d] = self.words(offset).map(u128::from);
        a | b << 32 | c << 64 | d << 96
    }

    #[inline(always)]
    fn words<const N: usize>(self, offset: u32) -> [u32; N] {
        let offset = offset.min(self.last(4 * N as u32));
        // SAFETY: the limit keeps the words inside the window.
        let p = unsafe { self.base.add(offset as usize) }.cast_mut();
        std::array::from_fn(|word| {
            // SAFETY: as above.
            let p = unsafe { p.add(4 * word) };
            if (p as usize).is_multiple_of(4) {
                // SAFETY: inside, aligned, and accessed atomically everywhere.
                u32::from_le(unsafe { AtomicU32::from_ptr(p.cast()) }.load(Relaxed))
            } else {
                // SAFETY: inside, and accessed atomically everywhere.
                let byte = |i| unsafe { AtomicU8::from_ptr(p.add(i)) }.load(Relaxed);
                u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Block;
    use std::ptr::NonNull;

    #[test]
    fn offsets_are_limited_to_the_window() {
        let block = Block::new(40, "test").expect("a few bytes");
        block.write(0, &std::array::from_fn::<u8, 40, _>(|i| i as u8)).expect("inside");
        let window = block.window(8).expect("inside");
        assert_eq!(window.load_u32(1), 0x0c0b_0a09, "any alignment");
        assert_eq!(window.load_u64(24) as u32, 0x2322_2120);
        assert_eq!(window.load_u32(u32::MAX), 0, "the zeros behind the block");
        assert_eq!(window.last(4), 32 + 16 - 4);
        assert!(block.window(40).is_some_and(|end| end.load_u128(0) == 0), "at the very end");
        assert!(block.window(41).is_none(), "not 16 bytes any more");
    }

    #[test]
    fn memory_of_the_host_has_no_slack() {
        let mut bytes = vec![7_u8; 20].into_boxed_slice();
        let data = NonNull::from(&mut bytes[0]);
        // SAFETY: the box lives longer, and is only read again after the block is gone.
        let block = unsafe { Block::foreign(data, 20, true, "host") };
        assert_eq!(block.window(4).map(|w| w.last(16)), Some(0));
        assert!(block.window(5).is_none());
        drop(block);
        drop(bytes);
    }
}
