//! MT19937 (M. Matsumoto, T. Nishimura), with jumps ahead by polynomials (H. Haramoto and others).
//!
//! A step is a linear map of the state, so that x^n modulo the characteristic polynomial, applied
//! to a state, yields the state n steps later.

use std::sync::OnceLock;

const WORDS: usize = 624;
const MIDDLE: usize = 397;
/// Significant bits of the state.
const DEGREE: usize = 19_937;
const UPPER: u32 = 0x8000_0000;
const A: u32 = 0x9908_b0df;
/// Sequences of one seed are 2^1000 numbers apart.
const SEQUENCE: usize = 1000;

/// A state of MT19937: the last 624 words, in a ring whose oldest word is at `next`.
#[derive(Clone)]
pub(crate) struct Twister {
    words: Vec<u32>,
    next: usize,
}

impl Twister {
    /// `init_genrand`, seeded with the XOR of the seed's halves.
    pub(crate) fn new(seed: u64) -> Self {
        let mut word = (seed ^ (seed >> 32)) as u32;
        let mut words = vec![word];
        for i in 1..WORDS as u32 {
            word = (word ^ (word >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i);
            words.push(word);
        }
        Self { words, next: 0 }
    }

    /// Advances the state by one step without computing an output.
    fn step(&mut self) -> u32 {
        let at = |i: usize| (self.next + i) % WORDS;
        let y = (self.words[at(0)] & UPPER) | (self.words[at(1)] & !UPPER);
        let new = self.words[at(MIDDLE)] ^ (y >> 1) ^ if y & 1 == 0 { 0 } else { A };
        self.words[self.next] = new;
        self.next = at(1);
        new
    }

    pub(crate) fn bits(&mut self) -> u32 {
        let mut y = self.step();
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// The state 2^1000 numbers later.
    pub(crate) fn next_sequence(&self) -> Self {
        static JUMP: OnceLock<Polynomial> = OnceLock::new();
        self.jump(JUMP.get_or_init(|| {
            let characteristic = characteristic();
            let mut power = Polynomial::of([1]);
            (0..SEQUENCE).for_each(|_| power = power.squared(&characteristic));
            power
        }))
    }

    /// Jumps ahead: applies a polynomial to the state. The result is the XOR of the states n steps
    /// later, for each term x^n of the polynomial.
    fn jump(&self, polynomial: &Polynomial) -> Self {
        let mut sum = vec![0; WORDS];
        let mut state = self.clone();
        for bit in 0..DEGREE {
            if polynomial.has(bit) {
                let (newer, older) = state.words.split_at(state.next);
                for (sum, word) in sum.iter_mut().zip(older.iter().chain(newer)) {
                    *sum ^= word;
                }
            }
            state.step();
        }
        Self { words: sum, next: 0 }
    }
}

/// A polynomial over GF(2) of a degree below that of the characteristic polynomial; below twice
/// that degree while it is squared.
#[derive(Clone)]
struct Polynomial {
    bits: Vec<u64>,
}

impl Polynomial {
    fn of<const N: usize>(terms: [usize; N]) -> Self {
        let mut new = Self { bits: vec![0; (2 * DEGREE).div_ceil(64) + 1] };
        terms.into_iter().for_each(|term| new.bits[term / 64] ^= 1 << (term % 64));
        new
    }

    fn has(&self, term: usize) -> bool {
        self.bits[term / 64] >> (term % 64) & 1 != 0
    }

    /// The square of the polynomial modulo the characteristic polynomial.
    fn squared(&self, characteristic: &[usize]) -> Self {
        let mut square = Self::of([]);
        for term in (0..DEGREE).filter(|&term| self.has(term)) {
            square.bits[term / 32] ^= 1 << (term % 32 * 2);
        }
        square.reduce(characteristic);
        square
    }

    /// Reduces the polynomial modulo the characteristic polynomial, one 64-bit word at a time from
    /// the highest on. That is possible because the characteristic polynomial's second term is more
    /// than a word below its first.
    fn reduce(&mut self, characteristic: &[usize]) {
        for word in (DEGREE / 64..self.bits.len()).rev() {
            let first = DEGREE.max(word * 64);
            let high = self.bits[word] >> (first % 64);
            self.bits[word] ^= high << (first % 64);
            for &term in characteristic {
                // The word is added for each lower term, at the term's distance below the first
                // term.
                let at = first - DEGREE + term;
                self.bits[at / 64] ^= high << (at % 64);
                if !at.is_multiple_of(64) {
                    self.bits[at / 64 + 1] ^= high >> (64 - at % 64);
                }
            }
        }
    }
}

/// Exponents of the characteristic polynomial's terms without the first term.
///
/// With n = 624, m = 397, w = 32, r = 31, and the bits a_i of [`A`], the polynomial is the sum of
/// (t^n + t^m)(t^(n-1) + t^(m-1))^r, of a_i (t^n + t^m)(t^(n-1) + t^(m-1))^(r-1-i) for i < r, and
/// of a_r.
fn characteristic() -> Vec<usize> {
    const R: u32 = 31;
    let mut is_there = vec![false; DEGREE + 1];
    let mut add = |power: u32| {
        for first in [WORDS, MIDDLE] {
            // Over GF(2), a power of a binomial has the terms whose binomial coefficient is odd.
            for k in (0..=power).filter(|k| k & !power == 0) {
                let term = first + k as usize * (WORDS - 1) + (power - k) as usize * (MIDDLE - 1);
                is_there[term] ^= true;
            }
        }
    };
    add(R);
    (0..R).filter(|i| A >> i & 1 != 0).for_each(|i| add(R - 1 - i));
    is_there[0] ^= A >> R != 0;
    (0..DEGREE).filter(|&term| is_there[term]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_published_ones() {
        // Reference values of mt19937ar with seed 5489: the first and the ten-thousandth number.
        let mut twister = Twister::new(5489);
        assert_eq!(twister.bits(), 3_499_211_612);
        (0..9998).for_each(|_| _ = twister.bits());
        assert_eq!(twister.bits(), 4_123_659_995);
    }

    #[test]
    fn jumps_go_where_steps_go() {
        let characteristic = characteristic();
        let mut power = Polynomial::of([1]);
        // Sixteen squarings give 2^16 steps; squares from 2^15 on need reduction.
        (0..16).for_each(|_| power = power.squared(&characteristic));
        let first = Twister::new(7);
        let mut jumped = first.jump(&power);
        let mut stepped = first.clone();
        (0..1 << 16).for_each(|_| _ = stepped.bits());
        for _ in 0..1000 {
            assert_eq!(jumped.bits(), stepped.bits());
        }
    }
}
