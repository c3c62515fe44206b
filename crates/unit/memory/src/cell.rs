//! The only primitive that reads and writes memory which kernels can reach.
//!
//! Threads that run CTAs and the host program access the same bytes at the same time, with accesses
//! of any size at any address: a kernel may store a byte while another one loads the word around
//! it, or while a fetch gathers it as part of a texel. Rust's memory model has no such accesses:
//! its atomics may race only with accesses of the same size, and every other race is undefined
//! behaviour. Therefore no access of this module is a Rust memory access. Each is a machine
//! instruction written in inline assembly, of which the compiler knows only that it executes there,
//! once (none is `pure`). The outcome of a race is then defined by the memory model of the machine,
//! which covers accesses of all sizes:
//!
//! * A load, store or atomic of 1, 2, 4 or 8 bytes at a multiple of its size is one access, and
//!   never torn.
//! * A larger or unaligned access is a number of such accesses in any order, each as large as
//!   possible.
//! * An atomic is indivisible also for accesses of other sizes to its bytes.
//! * Nothing here orders accesses to different addresses; code that needs an order uses a fence or
//!   a lock.
//!
//! Under Miri, and on processors without an assembly version, accesses are relaxed atomics of the
//! same sizes, and single bytes where they are not aligned. Races of different sizes are then
//! undefined.

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

/// A number of 1, 2, 4 or 8 bytes that one access loads or stores. Its bytes in memory are little
/// endian.
pub(crate) trait Cell: Copy + Eq {
    /// Loads the number, from any alignment.
    ///
    /// # Safety
    /// The bytes are inside an allocation, and there is no Rust reference to them.
    unsafe fn load(from: *const u8) -> Self;

    /// Loads a number from memory that kernels cannot reach. Shared references to the bytes may
    /// exist.
    ///
    /// # Safety
    /// The bytes are inside an allocation.
    #[inline(always)]
    unsafe fn load_own(from: *const u8) -> Self {
        // SAFETY: as the caller promises; the instruction only reads.
        unsafe { Self::load(from) }
    }

    /// Stores the number, at any alignment.
    ///
    /// # Safety
    /// As for [`Cell::load`], and the bytes can be written.
    unsafe fn store(to: *mut u8, value: Self);
}

/// A number that atomics can change: 2, 4 or 8 bytes.
pub(crate) trait Atom: Cell {
    /// Atomically stores `new` if the number is `old`. Returns the previous value.
    ///
    /// # Safety
    /// As for [`Cell::store`], and the address is aligned.
    unsafe fn compare_exchange(at: *mut u8, old: Self, new: Self) -> Self;

    /// Atomically adds to the number. Returns the previous value.
    ///
    /// # Safety
    /// The arguments satisfy the safety contract of [`Atom::compare_exchange`].
    unsafe fn add(at: *mut u8, value: Self) -> Self;

    /// Atomically replaces the number by `f` of it. Returns the previous value.
    ///
    /// # Safety
    /// The arguments satisfy the safety contract of [`Atom::compare_exchange`].
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

/// Loads one number (1 or 8 bytes) of a copy. `is_own`: the source is memory of the caller, which
/// kernels cannot reach.
///
/// # Safety
/// The arguments satisfy the safety contract of [`copy`].
#[inline(always)]
unsafe fn piece<T: Cell>(from: *const u8, is_own: bool) -> T {
    // SAFETY: as the caller promises.
    unsafe { if is_own { T::load_own(from) } else { T::load(from) } }
}

/// Copies bytes between memory that kernels can reach (`shared`, which is `from` or `to`) and
/// memory of the caller. Aligned words of 8 bytes on the shared side are copied as one access, the
/// bytes before and after them singly.
///
/// # Safety
/// All bytes of both sides are inside allocations, `to` can be written, and there is no Rust
/// reference to the shared side. The sides do not overlap.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize, shared: *const u8) {
    // If the source is memory of the caller, shared references to it may exist.
    let is_own = from != shared;
    // SAFETY: the caller upholds this function's safety contract, and `at` plus the size of the
    // piece is at most `len`.
    let one = |at: usize| unsafe { u8::store(to.add(at), piece(from.add(at), is_own)) };
    let head = shared.align_offset(8).min(len);
    (0..head).for_each(one);
    let mut at = head;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if len - at >= machine::LONG {
        let words = (len - at) / 8;
        // SAFETY: the caller upholds this function's safety contract; the words are in what is
        // left.
        unsafe { machine::copy_words(from.add(at), to.add(at), words) };
        at += 8 * words;
    }
    while len - at >= 64 {
        // SAFETY: the caller upholds this function's safety contract, and at least 64 bytes are
        // left.
        unsafe { machine::copy_line(from.add(at), to.add(at), is_own) };
        at += 64;
    }
    while len - at >= 8 {
        // SAFETY: the caller upholds this function's safety contract, and at least 8 bytes are
        // left.
        unsafe { u64::store(to.add(at), piece(from.add(at), is_own)) };
        at += 8;
    }
    (at..len).for_each(one);
}
