//! The one primitive by which memory that kernels can reach is read and written.
//!
//! Threads that run CTAs, and the program itself, access the same bytes at the same time, with accesses of any size at
//! any place: a kernel may store a byte while another loads the word around it, or while a fetch gathers it as part of a
//! texel. Rust has no words for that. Its atomics describe races of accesses of one size, and everything else is
//! undefined. So no access is one of Rust's: each is an instruction of the machine, written in assembly, of which the
//! compiler knows only that it happens, there and once (none is `pure`). What a race gives is then what the machine's own
//! memory model says, which has accesses of all sizes:
//!
//! * A load, store or atomic of 1, 2, 4 or 8 bytes at a multiple of its size is one access, and never torn.
//! * What is larger, or at another place, is a number of such accesses, in any order, each as large as it can be.
//! * An atomic is one step also for accesses of other sizes to its bytes.
//! * Nothing here orders accesses to different places; who needs that has a fence or a lock.
//!
//! Under Miri, and on processors that have no assembly here, accesses are relaxed atomics of the same sizes, and bytes
//! where they are not aligned. Races of different sizes are then what the compiler makes of them.

#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
mod aarch64;
#[cfg(any(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))),
    miri
))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86_64;

#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
use aarch64 as machine;
#[cfg(any(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))),
    miri
))]
use portable as machine;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use x86_64 as machine;

/// A number of 1, 2, 4 or 8 bytes that is loaded and stored by one access. In memory it is little endian.
pub(crate) trait Cell: Copy + Eq {
    /// Loads it, from any alignment.
    ///
    /// # Safety
    /// The bytes are inside an allocation, and there is no Rust reference to them.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores it, at any alignment.
    ///
    /// # Safety
    /// As for [`Cell::load`]; they can be written.
    unsafe fn store(to: *mut u8, value: Self);
}

/// One that atomics change: of 2, 4 or 8 bytes.
pub(crate) trait Atom: Cell {
    /// Stores `new` if the number is `old`, in one step. The number that was there.
    ///
    /// # Safety
    /// As for [`Cell::store`], and it is aligned.
    unsafe fn compare_exchange(at: *mut u8, old: Self, new: Self) -> Self;

    /// Adds to the number, in one step. The number that was there.
    ///
    /// # Safety
    /// As for [`Atom::compare_exchange`].
    unsafe fn add(at: *mut u8, value: Self) -> Self;

    /// Replaces the number by `f` of it, in one step. The number that was there.
    ///
    /// # Safety
    /// As for [`Atom::compare_exchange`].
    #[inline(always)]
    unsafe fn update(at: *mut u8, mut f: impl FnMut(Self) -> Self) -> Self {
        // SAFETY: as the caller promises.
        let mut old = unsafe { Self::load(at) };
        loop {
            // SAFETY: as the caller promises.
            let now = unsafe { Self::compare_exchange(at, old, f(old)) };
            if now == old {
                return old;
            }
            old = now;
        }
    }
}

/// Loads a part of what is copied, from memory that kernels can reach, or from what is the caller's own.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn piece<T: Cell>(from: *const u8, is_own: bool) -> T {
    // SAFETY: as the caller promises.
    unsafe { if is_own { machine::load_own(from) } else { T::load(from) } }
}

/// Copies bytes of which one side can be reached by kernels: words of 8 bytes where that side has them, and single bytes
/// before and behind them.
///
/// # Safety
/// All bytes of both sides are inside allocations, `to` can be written, and there is no Rust reference to what kernels
/// can reach. The sides do not overlap. `shared` is one of them.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize, shared: *const u8) {
    // Of the side that kernels cannot reach there may be references that only read.
    let is_own = from != shared;
    // SAFETY: as the caller promises; `at` is less than `len` by the size of what is copied there.
    let one = |at: usize| unsafe { u8::store(to.add(at), piece(from.add(at), is_own)) };
    let head = shared.align_offset(8).min(len);
    (0..head).for_each(one);
    let mut at = head;
    while len - at >= 64 {
        // SAFETY: as above.
        unsafe { machine::copy_line(from.add(at), to.add(at), is_own) };
        at += 64;
    }
    while len - at >= 8 {
        // SAFETY: as above.
        unsafe { u64::store(to.add(at), piece(from.add(at), is_own)) };
        at += 8;
    }
    (at..len).for_each(one);
}
