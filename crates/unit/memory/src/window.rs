//! A part of a block for code that reads many elements at once, such as the texels of a warp.

use crate::Block;
use crate::cell::Cell;
use std::marker::PhantomData;

/// The bytes of a block from some offset on, at most 2^31 - 1 of them. Reads never fail: an offset
/// that is too large is clamped to the last offset at which the element fits. Callers keep to valid
/// offsets by other means (address modes, extents); the clamp is only for memory safety.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    base: *const u8,
    /// Length in bytes, at least 16.
    reach: u32,
    block: PhantomData<&'a Block>,
}

// SAFETY: a window acts as a shared reference to a block, which is `Sync`.
unsafe impl Send for Window<'_> {}
// SAFETY: a window acts as a shared reference to a block, which is `Sync`.
unsafe impl Sync for Window<'_> {}

impl<'a> Window<'a> {
    /// A window of `reach` bytes at `base`, which is inside a block that lives for `'a`.
    ///
    /// # Safety
    /// The bytes belong to one allocation that lives for `'a`, and there is no Rust reference to
    /// them.
    pub(crate) unsafe fn new(base: *const u8, reach: u64) -> Option<Self> {
        let reach = reach.min(i32::MAX as u64) as u32;
        (reach >= 16).then_some(Self { base, reach, block: PhantomData })
    }

    /// Host address of the first byte of the window.
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
        // SAFETY: the address is inside the window, and never behind a reference.
        unsafe { u32::load(self.place(offset, 4)) }
    }

    /// Loads a `u64`, as one access or several.
    #[inline(always)]
    pub fn load_u64(self, offset: u32) -> u64 {
        // SAFETY: the address is inside the window, and never behind a reference.
        unsafe { u64::load(self.place(offset, 8)) }
    }

    /// Loads 16 bytes, as two accesses or more.
    #[inline(always)]
    pub fn load_u128(self, offset: u32) -> u128 {
        let p = self.place(offset, 16);
        // SAFETY: all 16 bytes are inside the window, and never behind a reference.
        let [low, high] = unsafe { [u64::load(p), u64::load(p.add(8))] };
        u128::from(low) | u128::from(high) << 64
    }

    /// Address of `size` bytes at an offset, which is clamped to the window.
    #[inline(always)]
    fn place(self, offset: u32, size: u32) -> *const u8 {
        // SAFETY: the clamp keeps the bytes inside.
        unsafe { self.base.add(offset.min(self.last(size)) as usize) }
    }
}

#[cfg(test)]
mod tests {
    use crate::Block;

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
}
