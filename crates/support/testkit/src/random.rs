//! Random numbers from a seed (splitmix64).
//!
//! Implemented here and not taken from a crate, because modules of `xtask oracle` are identified by
//! their seeds: a seed must give the same module in all releases.

use std::io::Write;

/// A generator of random numbers. Equal seeds give equal numbers, on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// The seed, if a panic must print it.
    reported_seed: Option<u64>,
    /// The bytes of a fuzzer that are not consumed, in reverse order. Each number consumes two of
    /// them.
    bytes: Vec<u8>,
}

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, reported_seed: None, bytes: Vec::new() }
    }

    /// The generator of a test, with the seed in `TEXUNIT_SEED` (decimal, or hexadecimal with `0x`)
    /// or otherwise this one. A panic during its lifetime prints the seed.
    ///
    /// # Panics
    /// If `TEXUNIT_SEED` is not a number.
    pub fn for_test(seed: u64) -> Self {
        let seed = std::env::var("TEXUNIT_SEED").map_or(seed, |text| {
            let parsed = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            parsed.unwrap_or_else(|_| panic!("TEXUNIT_SEED={text} is not a number"))
        });
        Self { state: seed, reported_seed: Some(seed), bytes: Vec::new() }
    }

    /// A generator whose numbers are made from a fuzzer's bytes, two for each number, and after the
    /// last byte from a seed. Changing a byte changes one number and none of the later ones.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.iter().rev().copied().collect(), ..Self::new(bytes.len() as u64) }
    }

    /// A generator for the item with this number. The numbers of different items are independent.
    pub fn of_item(seed: u64, item: u64) -> Self {
        let mut random = Self::new(seed ^ item.wrapping_mul(0xd134_2543_de82_ef95));
        random.u64();
        random
    }

    /// A random number of 64 bits.
    pub fn u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        if let Some(first) = self.bytes.pop() {
            let second = self.bytes.pop().unwrap_or(0);
            z = u64::from(u16::from_be_bytes([first, second])).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number of 32 bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// A random number from 0 to `n - 1`; 0 if `n` is 0 or less.
    pub fn below<N: Number>(&mut self, n: N) -> N {
        N::of(self.u64() % n.bits().max(1))
    }

    /// A random number of an inclusive range.
    pub fn within<N: Number>(&mut self, range: std::ops::RangeInclusive<N>) -> N {
        let (first, last) = range.into_inner();
        let size = last.bits().wrapping_sub(first.bits()).wrapping_add(1);
        N::of(first.bits().wrapping_add(if size == 0 { self.u64() } else { self.u64() % size }))
    }

    /// A random float between two numbers, in 2^24 equal steps.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.u32() >> 8) as f32 / 16_777_216.0
    }

    /// True with a probability of `percent` %.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100_u32) < percent
    }

    /// True with a probability of 1/n.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// A random element of a nonempty list.
    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        self.pick(list).clone()
    }

    /// A reference to a random element of a nonempty list.
    pub fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    /// A random operand; some are edge cases of integers, f16, f32 and f64.
    pub fn operand(&mut self) -> u64 {
        #[rustfmt::skip]
        const EDGES: [u64; 20] = [
            0, 1, 31, 32, 33, 64, 0x7fff_ffff, 0x8000_0000, 0x3f80_0000_3f80_0000,
            0xbf80_0001_4b00_0001, 0x7f80_0000_ff80_0000, 0x7fc0_1234_7f80_0001,
            0x0040_0000_8000_0001, 0x7e80_0000_7e80_0001, 0x7c00_fc01_8001_03ff,
            0x3c00_bc00_4bff_7bff, 0x7ff0_0000_0000_0001, 0xfff8_0000_0000_1234,
            0x8000_0000_0000_0000, u64::MAX,
        ];
        let (x, choice) = (self.u64(), self.u64());
        match choice % 8 {
            0..4 => EDGES[(x % EDGES.len() as u64) as usize],
            // Floats of moderate size, in both halves.
            4 => (x & 0x83ff_ffff_83ff_ffff) | 0x3c00_0000_3c00_0000,
            5 => x >> (choice >> 32 & 63),
            _ => x,
        }
    }

    /// Random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        std::iter::repeat_with(|| self.u64().to_le_bytes()).flatten().take(count).collect()
    }
}

/// Prints the seed of the generator of a failing test.
impl Drop for Random {
    fn drop(&mut self) {
        if let Some(seed) = self.reported_seed
            && std::thread::panicking()
        {
            // An error in printing is ignored, because a panic while another one unwinds would end
            // all tests.
            let _ = writeln!(std::io::stderr(), "to repeat it: TEXUNIT_SEED={seed:#x}");
        }
    }
}

/// An integer type of which random numbers can be drawn.
pub trait Number: Copy {
    /// The number as 64 bits; negative ones in two's complement.
    fn bits(self) -> u64;
    /// The number with these bits, truncated to the type's size.
    fn of(bits: u64) -> Self;
}

macro_rules! numbers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            fn bits(self) -> u64 {
                self as u64
            }

            fn of(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 usize i32 i64 }

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator gives the sequence for the seed 1234567 from Rosetta Code, on which `xtask
    /// oracle` depends.
    #[test]
    fn numbers_are_splitmix64s() {
        let mut random = Random::new(1_234_567);
        let first = std::array::from_fn(|_| random.u64());
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317_u64,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn everything_that_can_be_drawn_is_and_nothing_else() {
        let mut random = Random::new(1);
        let mut seen = [0; 5];
        let mut signs = [0; 7];
        for _ in 0..1000 {
            seen[random.below(5_usize)] += 1;
            signs[(random.within(-3..=3) + 3) as usize] += 1;
            let float = random.between(-2.0, 3.0);
            assert!((-2.0..3.0).contains(&float), "{float}");
            assert!(!random.chance(0) && random.chance(100) && random.one_in(1));
        }
        assert!(seen.iter().all(|&n| n > 150) && signs.iter().all(|&n| n > 100));
        assert_eq!((random.below(0_u32), random.below(1_u8)), (0, 0));
        assert_eq!(random.within(7..=7), 7);
        let _ = random.within(0..=u64::MAX);
        assert_eq!(random.bytes(13).len(), 13);
    }
}
