//! XORWOW (G. Marsaglia): a linear generator over bits, whose step is a bit matrix, plus a counter.

use super::Source;
use std::sync::OnceLock;

/// 32-bit words of the linear state.
const WORDS: usize = 5;
const BITS: usize = WORDS * 32;
/// Increment of the counter in each step.
const STEP: u32 = 362_437;
/// Sequences of one seed are 2^67 numbers apart.
const SEQUENCE: usize = 67;

type Words = [u32; WORDS];
/// The image of each bit of the state.
type Matrix = [Words; BITS];

/// `curandStateXORWOW_t`
#[derive(Clone, Copy)]
pub(crate) struct Xorwow {
    counter: u32,
    words: Words,
}

fn step(words: &mut Words) {
    let t = words[0] ^ (words[0] >> 2);
    words.rotate_left(1);
    let last = words[3];
    words[4] = last ^ (last << 4) ^ t ^ (t << 1);
}

fn apply(matrix: &Matrix, words: &mut Words) {
    let mut sum = Words::default();
    for (bit, row) in matrix.iter().enumerate() {
        let mask = (words[bit / 32] >> (bit % 32) & 1).wrapping_neg();
        for (sum, word) in sum.iter_mut().zip(row) {
            *sum ^= word & mask;
        }
    }
    *words = sum;
}

/// The matrices of 2^0, 2^1, ... steps, up to the distance of two sequences.
fn powers() -> &'static [Matrix] {
    static POWERS: OnceLock<Vec<Matrix>> = OnceLock::new();
    POWERS.get_or_init(|| {
        let mut power: Matrix = std::array::from_fn(|bit| {
            let mut words = Words::default();
            words[bit / 32] = 1 << (bit % 32);
            step(&mut words);
            words
        });
        let mut powers = vec![power];
        for _ in 0..SEQUENCE {
            let before = power;
            power.iter_mut().for_each(|row| apply(&before, row));
            powers.push(power);
        }
        powers
    })
}

impl Xorwow {
    /// `curand_init` for the start of the first sequence.
    pub(crate) fn new(seed: u64) -> Self {
        let s0 = (seed as u32) ^ 0xaad2_6b49;
        let s1 = ((seed >> 32) as u32) ^ 0xf7dc_efdd;
        let t0 = s0.wrapping_mul(1_099_087_573);
        let t1 = s1.wrapping_mul(2_591_861_531);
        let words = [
            123_456_789_u32.wrapping_add(t0),
            362_436_069 ^ t0,
            521_288_629_u32.wrapping_add(t1),
            88_675_123 ^ t1,
            5_783_321_u32.wrapping_add(t0),
        ];
        Self { counter: 6_615_241_u32.wrapping_add(t1).wrapping_add(t0), words }
    }

    /// `skipahead`
    pub(crate) fn skip(&mut self, count: u64) {
        for bit in (0..64).filter(|bit| count >> bit & 1 != 0) {
            apply(&powers()[bit], &mut self.words);
        }
        self.counter = self.counter.wrapping_add(STEP.wrapping_mul(count as u32));
    }

    /// `skipahead_sequence(1)`. The counter does not change, as 2^67 is a multiple of 2^32.
    pub(crate) fn next_sequence(&self) -> Self {
        let mut next = *self;
        apply(&powers()[SEQUENCE], &mut next.words);
        next
    }
}

impl Source for Xorwow {
    fn bits(&mut self) -> u32 {
        step(&mut self.words);
        self.counter = self.counter.wrapping_add(STEP);
        self.words[4].wrapping_add(self.counter)
    }
}
