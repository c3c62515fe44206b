//! Copies out of a block and into it.

use super::{Block, OutOfBounds};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

impl Block {
    /// Copies `out.len()` bytes from `offset` on.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), OutOfBounds> {
        let p = self.pointer(offset, out.len())?;
        let head = p.align_offset(8).min(out.len());
        let (front, rest) = out.split_at_mut(head);
        let (words, back) = rest.as_chunks_mut::<8>();
        for (i, b) in front.iter_mut().enumerate() {
            // SAFETY: `pointer` has checked all of `out.len()` bytes, and i is less.
            *b = unsafe { AtomicU8::from_ptr(p.add(i)) }.load(Relaxed);
        }
        // SAFETY: `head` is at most `out.len()`.
        let q = unsafe { p.add(head) };
        let load = |i: usize, w: &mut [u8; 8]| {
            // SAFETY: the words are checked with the rest, and lie behind `head`: if there is one,
            // `head` is what `align_offset` said.
            *w = unsafe { AtomicU64::from_ptr(q.cast::<u64>().add(i)) }.load(Relaxed).to_ne_bytes();
        };
        // Eight at a time take half as many instructions.
        let (eights, others) = words.as_chunks_mut::<8>();
        let first = 8 * eights.len();
        for (i, eight) in eights.iter_mut().enumerate() {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            // SAFETY: the words are inside, as said above.
            unsafe {
                copy_line(q.add(64 * i), eight.as_mut_ptr().cast());
            }
            #[cfg(not(all(target_arch = "x86_64", not(miri))))]
            (0..8).for_each(|k| load(8 * i + k, &mut eight[k]));
        }
        others.iter_mut().enumerate().for_each(|(i, w)| load(first + i, w));
        // SAFETY: front and words together are at most `out.len()` bytes.
        let q = unsafe { q.add(words.len() * 8) };
        for (i, b) in back.iter_mut().enumerate() {
            // SAFETY: the three parts together are `out.len()` bytes.
            *b = unsafe { AtomicU8::from_ptr(q.add(i)) }.load(Relaxed);
        }
        Ok(())
    }

    /// Copies `bytes` to `offset` and on.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), OutOfBounds> {
        let p = self.target(offset, bytes.len())?;
        let head = p.align_offset(8).min(bytes.len());
        let (front, rest) = bytes.split_at(head);
        let (words, back) = rest.as_chunks::<8>();
        for (i, &b) in front.iter().enumerate() {
            // SAFETY: `pointer` has checked all of `bytes.len()` bytes, and i is less.
            unsafe { AtomicU8::from_ptr(p.add(i)) }.store(b, Relaxed);
        }
        // SAFETY: `head` is at most `bytes.len()`.
        let q = unsafe { p.add(head) };
        let store = |i: usize, w: [u8; 8]| {
            // SAFETY: the words are checked with the rest, and lie behind `head`: if there is one,
            // `head` is what `align_offset` said.
            unsafe { AtomicU64::from_ptr(q.cast::<u64>().add(i)) }
                .store(u64::from_ne_bytes(w), Relaxed);
        };
        let (eights, others) = words.as_chunks::<8>();
        let first = 8 * eights.len();
        for (i, eight) in eights.iter().enumerate() {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            // SAFETY: the words are inside, as said above.
            unsafe {
                copy_line(eight.as_ptr().cast(), q.add(64 * i));
            }
            #[cfg(not(all(target_arch = "x86_64", not(miri))))]
            (0..8).for_each(|k| store(8 * i + k, eight[k]));
        }
        others.iter().enumerate().for_each(|(i, &w)| store(first + i, w));
        // SAFETY: front and words together are at most `bytes.len()` bytes.
        let q = unsafe { q.add(words.len() * 8) };
        for (i, &b) in back.iter().enumerate() {
            // SAFETY: the three parts together are `bytes.len()` bytes.
            unsafe { AtomicU8::from_ptr(q.add(i)) }.store(b, Relaxed);
        }
        Ok(())
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.size];
        self.read(0, &mut out).expect("the whole block is inside itself");
        out
    }
}

/// Copies 64 bytes in four pieces. Others may access them at the same time, which Rust's own copies rule
/// out; no aligned word is torn.
///
/// # Safety
/// All of both is inside an allocation, and there is no Rust reference to what is in a block.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn copy_line(from: *const u8, to: *mut u8) {
    // SAFETY: as above; only the named registers change.
    unsafe {
        std::arch::asm!(
            "movups {a}, [{from}]",
            "movups {b}, [{from} + 16]",
            "movups {c}, [{from} + 32]",
            "movups {d}, [{from} + 48]",
            "movups [{to}], {a}",
            "movups [{to} + 16], {b}",
            "movups [{to} + 32], {c}",
            "movups [{to} + 48], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
}
