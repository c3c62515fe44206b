//! Hints for the CPU's caches: prefetches, and copies that bypass the caches. They affect only the
//! speed and accept any address. Targets without such an instruction in stable Rust ignore them.

/// Prefetches the cache line at an address, to be read.
#[inline(always)]
pub fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the prefetch is a hint and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Prefetches the cache line at an address, to be written.
#[inline(always)]
pub fn prefetch_to_write(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: the prefetch is a hint and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Copies bytes between slices of equal length with stores that bypass the caches, for large data
/// that is not read soon. The destination lines are then not read before they are written, and
/// evict nothing.
pub fn copy_around_caches(to: &mut [u8], from: &[u8]) {
    debug_assert_eq!(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        // SAFETY: every bit pattern is a valid vector.
        let (head, vectors, tail) = unsafe { to.align_to_mut::<__m128i>() };
        let (first, rest) = from.split_at(head.len());
        let (middle, last) = rest.split_at(vectors.len() * 16);
        head.copy_from_slice(first);
        for (to, from) in vectors.iter_mut().zip(middle.as_chunks::<16>().0) {
            // SAFETY: 16 bytes are read, and written to an aligned address.
            unsafe { _mm_stream_si128(to, _mm_loadu_si128(from.as_ptr().cast())) }
        }
        tail.copy_from_slice(last);
        // SAFETY: the fence orders the non-temporal stores before later stores.
        unsafe { _mm_sfence() }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    #[test]
    fn copies_any_bytes() {
        let from: Vec<u8> = (0..200_u32).map(|i| (i * 37) as u8).collect();
        for first in 0..17 {
            for len in [0, 1, 15, 16, 17, 31, 32, 100, 183] {
                let mut to = [7; 200];
                super::copy_around_caches(&mut to[first..first + len], &from[..len]);
                assert_eq!(&to[first..first + len], &from[..len]);
                assert!(to[..first].iter().chain(&to[first + len..]).all(|&byte| byte == 7));
            }
        }
    }
}
