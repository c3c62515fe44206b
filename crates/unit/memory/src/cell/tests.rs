//! Tests of the access primitive: against plain bytes, and races between accesses of different
//! sizes.

use super::{Atom, Cell, copy};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Memory that is only accessed through its pointer.
struct Raw(*mut u8);

// SAFETY: every access goes through the primitive.
unsafe impl Sync for Raw {}

impl Raw {
    fn new(words: usize) -> Self {
        Self(vec![0_u64; words].leak().as_mut_ptr().cast())
    }

    fn at(&self, offset: usize) -> *mut u8 {
        self.0.wrapping_add(offset)
    }

    fn free(self, words: usize) {
        // SAFETY: `new` made the pointer from a vector of this length.
        drop(unsafe { Vec::from_raw_parts(self.0.cast::<u64>(), words, words) });
    }
}

#[test]
fn numbers_of_every_size_at_every_place() {
    let raw = Raw::new(4);
    let mut model = [0_u8; 32];
    macro_rules! size {
        ($number:ty, $at:expr, $value:expr) => {{
            const N: usize = size_of::<$number>();
            let value = $value as $number;
            // SAFETY: 8 bytes at less than 24 are inside.
            unsafe { <$number>::store(raw.at($at), value) };
            model[$at..$at + N].copy_from_slice(&value.to_le_bytes());
            // SAFETY: 8 bytes at less than 24 are inside.
            assert_eq!(unsafe { <$number>::load(raw.at($at)) }, value);
        }};
    }
    for i in 0..24 * 4 {
        let (at, value) = (i * 7 % 24, 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i as u64 + 1));
        match i % 4 {
            0 => size!(u8, at, value),
            1 => size!(u16, at, value),
            2 => size!(u32, at, value),
            _ => size!(u64, at, value),
        }
        // SAFETY: the bytes are inside.
        let all = std::array::from_fn(|at| unsafe { u8::load(raw.at(at)) });
        assert_eq!(model, all, "store {i}");
    }
    raw.free(4);
}

#[test]
fn atomics_change_their_bytes_only() {
    let raw = Raw::new(3);
    macro_rules! size {
        ($number:ty) => {{
            const N: usize = size_of::<$number>();
            let all = <$number>::MAX;
            // SAFETY: `at` is the middle one of three words.
            unsafe {
                let at = raw.at(8);
                u64::store(at, 0);
                assert_eq!(<$number>::add(at, all), 0);
                assert_eq!(<$number>::add(at, 3), all, "it wraps");
                assert_eq!(<$number>::compare_exchange(at, 8, 1), 2);
                assert_eq!(<$number>::compare_exchange(at, 2, all - 1), 2);
                assert_eq!(<$number>::update(at, |old| old ^ 1), all - 1);
                assert_eq!(u64::load(at), u64::MAX >> (64 - 8 * N));
            }
        }};
    }
    size!(u16);
    size!(u32);
    size!(u64);
    // SAFETY: both words are inside.
    unsafe { assert_eq!((u64::load(raw.at(0)), u64::load(raw.at(16))), (0, 0)) };
    raw.free(3);
}

#[test]
fn copies_of_every_length_and_alignment() {
    /// The words of memory: those of long copies, and some beyond.
    const WORDS: usize = 1060;
    let raw = Raw::new(WORDS);
    let step = if cfg!(miri) { 7 } else { 1 };
    let few = (0..if cfg!(miri) { 90 } else { 200 }).step_by(step);
    // Long copies are made in another way.
    for len in few.chain((8180..if cfg!(miri) { 8180 } else { 8220 }).step_by(step)) {
        for at in 0..9 {
            let from: Vec<u8> = (0..len).map(|i| (i * i / 7 + at + len) as u8).collect();
            let mut back = vec![0xee_u8; len + 2];
            // SAFETY: at most 9 bytes after offset 8220 of 8480 are touched, and as many of the
            // vectors.
            unsafe {
                u8::store(raw.at(at + len), 0xaa);
                copy(from.as_ptr(), raw.at(at), len, raw.at(at));
                copy(raw.at(at), back.as_mut_ptr().add(1), len, raw.at(at));
                assert_eq!(u8::load(raw.at(at + len)), 0xaa, "nothing behind");
            }
            assert_eq!(back[1..=len], from);
            assert_eq!((back[0], back[len + 1]), (0xee, 0xee));
        }
    }
    raw.free(WORDS);
}

/// One thread stores single bytes of a word, a second adds to its halves, a third flips its bits,
/// and a fourth loads it.
// Miri does not support racing accesses of different sizes.
#[cfg_attr(miri, ignore)]
#[test]
fn races_of_different_sizes_lose_nothing() {
    const ROUNDS: u32 = 20_000;
    let raw = Raw::new(1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (raw, done) = (&raw, &done);
        // Bytes 0 and 1 belong to the first thread, 2 and 3 to the second; bytes 4 to 7 are used by
        // the other two.
        let bytes = scope.spawn(move || {
            for i in 0..ROUNDS {
                // SAFETY: all accesses below are inside and aligned.
                unsafe {
                    u8::store(raw.at(0), i as u8);
                    u8::store(raw.at(1), i as u8);
                    assert_eq!(u16::load(raw.at(0)), u16::from_le_bytes([i as u8; 2]));
                }
            }
        });
        let halves = scope.spawn(move || {
            for i in 0..ROUNDS {
                // SAFETY: the bytes are inside the buffer, and never behind a reference.
                unsafe {
                    assert_eq!(u16::add(raw.at(2), 1), i as u16);
                    u32::add(raw.at(4), 1);
                }
            }
        });
        let words = scope.spawn(move || {
            for _ in 0..ROUNDS {
                // SAFETY: the bytes are inside the buffer, and never behind a reference.
                unsafe { u64::update(raw.at(0), |old| old.wrapping_add(1 << 32)) };
            }
        });
        let watch = scope.spawn(move || {
            let mut last = 0;
            while !done.load(Relaxed) {
                // SAFETY: the bytes are inside the buffer, and never behind a reference.
                let now = unsafe { u64::load(raw.at(0)) } >> 32;
                assert!(now >= last, "it only grows");
                last = now;
            }
        });
        for thread in [bytes, halves, words] {
            thread.join().unwrap();
        }
        done.store(true, Relaxed);
        watch.join().unwrap();
    });
    // SAFETY: the bytes are inside.
    unsafe {
        assert_eq!(u32::load(raw.at(4)), 2 * ROUNDS);
        assert_eq!(u16::load(raw.at(2)), ROUNDS as u16);
        assert_eq!(u16::load(raw.at(0)), u16::from_le_bytes([(ROUNDS - 1) as u8; 2]));
    }
    raw.free(1);
}

/// One thread copies long arrays of equal bytes, a second sees words that are one of them.
// Miri does not support racing accesses of different sizes.
#[cfg_attr(miri, ignore)]
#[test]
fn long_copies_tear_no_words() {
    const WORDS: usize = 2048;
    let raw = Raw::new(WORDS);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (raw, done) = (&raw, &done);
        scope.spawn(move || {
            let all: [Vec<u8>; 2] = [0, 0xff].map(|byte| vec![byte; 8 * WORDS + 8]);
            for i in 0..2000 {
                let from = &all[i % 2][i % 8..];
                // SAFETY: both sides have this size.
                unsafe { copy(from.as_ptr(), raw.at(0), 8 * WORDS, raw.at(0)) };
            }
            done.store(true, Relaxed);
        });
        for at in (0..WORDS).cycle() {
            // SAFETY: the word is inside.
            let word = unsafe { u64::load(raw.at(8 * at)) };
            assert!(word == 0 || word == u64::MAX, "{word:#x}");
            if done.load(Relaxed) {
                break;
            }
        }
    });
    raw.free(WORDS);
}
