//! Asking the caches of the CPU for a line before it is needed. Nothing but time can show it, and every
//! address is allowed. Targets without such an instruction in stable Rust ignore it.

/// Asks for the cache line at an address, to be read.
#[inline(always)]
pub fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks for the cache line at an address, to be written.
#[inline(always)]
pub fn prefetch_to_write(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a hint, which never faults.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
