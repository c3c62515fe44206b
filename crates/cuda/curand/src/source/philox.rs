//! Philox 4x32 with ten rounds (J. Salmon and others): maps a counter and a key to four numbers.

use super::Source;

/// `curandStatePhilox4_32_10_t`
#[derive(Clone, Copy)]
pub(crate) struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
    /// The four numbers of the current counter.
    given: [u32; 4],
    /// Index of the next of these numbers.
    next: usize,
}

fn rounds(mut c: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let wide = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        let (high0, low0) = wide(0xd251_1f53, c[0]);
        let (high1, low1) = wide(0xcd9e_8d57, c[2]);
        c = [high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0];
    }
    c
}

impl Philox {
    /// `curand_init`
    pub(crate) fn new(seed: u64, sequence: u64, offset: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        // Sequences are 2^66 numbers apart.
        let counter = [0, 0, sequence as u32, (sequence >> 32) as u32];
        let mut new = Self { counter, key, given: [0; 4], next: (offset & 3) as usize };
        new.count(offset / 4);
        new
    }

    /// `Philox_State_Incr`, including its carry rule: a carry occurs only if the second word has
    /// become less than the addend.
    fn count(&mut self, by: u64) {
        let [low, mut high] = [by as u32, (by >> 32) as u32];
        let [x, y, z, w] = &mut self.counter;
        *x = x.wrapping_add(low);
        if *x < low {
            high = high.wrapping_add(1);
        }
        *y = y.wrapping_add(high);
        if high > *y {
            *z = z.wrapping_add(1);
            if *z == 0 {
                *w = w.wrapping_add(1);
            }
        }
        self.given = rounds(self.counter, self.key);
    }
}

impl Source for Philox {
    fn bits(&mut self) -> u32 {
        let bits = self.given[self.next];
        self.next += 1;
        if self.next == 4 {
            self.next = 0;
            self.count(1);
        }
        bits
    }
}
