//! Portable implementation, for Miri and for processors without an assembly version: relaxed
//! atomics.

use super::{Atom, Cell};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes of a number at any alignment.
///
/// # Safety
/// The arguments satisfy the safety contract of [`Cell::load`].
unsafe fn bytes<const N: usize>(from: *const u8) -> [u8; N] {
    // SAFETY: as the caller promises.
    std::array::from_fn(|i| unsafe { AtomicU8::from_ptr(from.add(i).cast_mut()) }.load(Relaxed))
}

macro_rules! cells {
    ($($number:ty, $atomic:ty;)*) => {
        $(impl Cell for $number {
            #[inline(always)]
            unsafe fn load(from: *const u8) -> Self {
                if (from as usize).is_multiple_of(size_of::<Self>()) {
                    // SAFETY: the address is aligned; the rest is as the caller promises.
                    let cell = unsafe { <$atomic>::from_ptr(from.cast_mut().cast()) };
                    return Self::from_le(cell.load(Relaxed));
                }
                // SAFETY: as the caller promises.
                Self::from_le_bytes(unsafe { bytes(from) })
            }

            // The load must not be atomic: an atomic would require the right to write.
            #[inline(always)]
            unsafe fn load_own(from: *const u8) -> Self {
                // SAFETY: as the caller promises.
                Self::from_le(unsafe { from.cast::<Self>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store(to: *mut u8, value: Self) {
                if (to as usize).is_multiple_of(size_of::<Self>()) {
                    // SAFETY: the address is aligned; the rest is as the caller promises.
                    unsafe { <$atomic>::from_ptr(to.cast()) }.store(value.to_le(), Relaxed);
                    return;
                }
                for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
                    // SAFETY: as the caller promises.
                    unsafe { AtomicU8::from_ptr(to.add(i)) }.store(byte, Relaxed);
                }
            }
        })*
    };
}
cells! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

macro_rules! atoms {
    ($($number:ty, $atomic:ty;)*) => {
        $(impl Atom for $number {
            #[inline(always)]
            unsafe fn compare_exchange(at: *mut u8, old: Self, new: Self) -> Self {
                // SAFETY: as the caller promises.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let (Ok(now) | Err(now)) =
                    cell.compare_exchange(old.to_le(), new.to_le(), Relaxed, Relaxed);
                Self::from_le(now)
            }

            #[inline(always)]
            unsafe fn add(at: *mut u8, value: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { Self::update(at, |old| old.wrapping_add(value)) }
            }
        })*
    };
}
atoms! { u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// Copies 64 bytes.
///
/// # Safety
/// The arguments satisfy the safety contract of [`super::copy`].
#[inline(always)]
pub(super) unsafe fn copy_line(from: *const u8, to: *mut u8, is_own: bool) {
    for i in 0..8 {
        // SAFETY: as the caller promises.
        unsafe { u64::store(to.add(8 * i), super::piece(from.add(8 * i), is_own)) };
    }
}
