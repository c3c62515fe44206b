//! MRG32k3a (P. L'Ecuyer): two linear recurrences of three terms, modulo primes below 2^32.

use super::*;
use std::sync::OnceLock;

const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
const A12: u64 = 1_403_580;
const A13: u64 = 810_728;
const A21: u64 = 527_612;
const A23: u64 = 1_370_589;
/// Sequences of one seed are 2^76 numbers apart.
const SEQUENCE: u32 = 76;

type Matrix = [[u64; 3]; 3];

/// `curandStateMRG32k3a_t`
#[derive(Clone, Copy)]
pub(crate) struct Mrg {
    /// The last three terms of each recurrence.
    terms: [[u64; 3]; 2],
}

/// The transition matrix of each recurrence.
fn steps() -> [Matrix; 2] {
    let [m1, m2] = MODULI;
    let shift = |last| [[0, 1, 0], [0, 0, 1], last];
    [shift([m1 - A13, A12, 0]), shift([m2 - A23, 0, A21])]
}

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let entry =
        |i: usize, j: usize| (0..3).fold(0, |sum, k| (sum + a[i][k] * b[k][j] % modulus) % modulus);
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// Squares the matrices, which doubles the number of steps.
fn square(powers: &mut [Matrix; 2]) {
    for (power, modulus) in powers.iter_mut().zip(MODULI) {
        *power = product(power, power, modulus);
    }
}

impl Mrg {
    /// `curand_init` for the start of the first sequence.
    pub(crate) fn new(seed: u64) -> Self {
        let mut terms = [[12_345; 3]; 2];
        if seed != 0 {
            let x1 = u64::from((seed as u32) ^ 0x5555_5555);
            let x2 = u64::from(((seed >> 32) as u32) ^ 0xaaaa_aaaa);
            for (of, factors) in [[x1, x2, x1], [x2, x1, x2]].into_iter().enumerate() {
                for (term, factor) in terms[of].iter_mut().zip(factors) {
                    *term = *term * factor % MODULI[of];
                }
            }
        }
        Self { terms }
    }

    /// Applies a matrix to each recurrence.
    fn apply(&mut self, matrices: &[Matrix; 2]) {
        for ((terms, matrix), modulus) in self.terms.iter_mut().zip(matrices).zip(MODULI) {
            let sum = |row: &[u64; 3]| {
                row.iter().zip(&*terms).fold(0, |sum, (a, b)| (sum + a * b % modulus) % modulus)
            };
            *terms = std::array::from_fn(|i| sum(&matrix[i]));
        }
    }

    /// `skipahead`
    pub(crate) fn skip(&mut self, count: u64) {
        let mut powers = steps();
        for bit in 0..64 {
            if count >> bit & 1 != 0 {
                self.apply(&powers);
            }
            square(&mut powers);
        }
    }

    /// `skipahead_subsequence(1)`
    pub(crate) fn next_sequence(&self) -> Self {
        static JUMP: OnceLock<[Matrix; 2]> = OnceLock::new();
        let mut next = *self;
        next.apply(JUMP.get_or_init(|| {
            let mut powers = steps();
            (0..SEQUENCE).for_each(|_| square(&mut powers));
            powers
        }));
        next
    }

    /// `curand_MRG32k3a`: an integer from 1 to the larger modulus.
    fn next(&mut self) -> u32 {
        let [m1, m2] = MODULI;
        let [s1, s2] = &mut self.terms;
        let p1 = (A12 * s1[1] + A13 * (m1 - s1[0])) % m1;
        *s1 = [s1[1], s1[2], p1];
        let p2 = (A21 * s2[2] + A23 * (m2 - s2[0])) % m2;
        *s2 = [s2[1], s2[2], p2];
        let difference = if p1 > p2 { p1 - p2 } else { p1 + m1 - p2 };
        difference as u32
    }
}

/// `MRG32K3A_NORM`
const NORM: f64 = 2.328_306_549_837_829e-10;

impl Source for Mrg {
    fn bits(&mut self) -> u32 {
        // The conversion saturates, as on a device.
        (f64::from(self.next()) * 1.000_000_048_662) as u32
    }

    fn uniform(&mut self) -> f32 {
        (f64::from(self.next()) * NORM) as f32
    }

    fn uniform_double(&mut self) -> f64 {
        f64::from(self.next()) * NORM
    }

    fn normals(&mut self) -> [f32; 2] {
        let (x, y) = (self.uniform(), self.uniform());
        of::box_muller(x, y * std::f32::consts::TAU)
    }
}
