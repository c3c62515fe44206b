//! Direction vectors of Sobol sequences: those of Joe and Kuo for up to 20,000 dimensions, and scrambled ones.
//!
//! Of the scrambling of cuRAND's sets nothing is published. Here each dimension is scrambled by a random triangular matrix over bits (J.
//! Matoušek), and begins with a random constant; both come of XORWOW, seeded by the dimension.

use crate::source::Source;
use crate::source::xorwow::Xorwow;
use std::sync::OnceLock;

/// Dimensions that there are.
pub(crate) const DIMENSIONS: usize = 20_000;

/// Which vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Plain,
    Scrambled,
}

/// The polynomial and the first numbers of a dimension.
struct Start {
    /// Its coefficients but the first and the last.
    polynomial: u64,
    numbers: Vec<u64>,
}

/// Of each dimension but the first, from `data/joe-kuo.bin`; data/LICENSES.md describes it.
fn starts() -> impl Iterator<Item = Start> {
    let data = include_bytes!("../data/joe-kuo.bin");
    let mut at = 0;
    let mut read = move |count: usize| {
        let bit = |i: usize| u64::from(data[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
        let bits = (0..count).map(bit).sum::<u64>();
        at += count;
        bits
    };
    (1..DIMENSIONS).map(move |_| {
        let degree = read(5) as usize;
        let polynomial = read(degree - 1);
        let numbers = (0..degree).map(|i| read(i) << 1 | 1).collect();
        Start { polynomial, numbers }
    })
}

/// The vectors of a dimension, of 64 bits.
fn vectors(start: Option<&Start>) -> [u64; 64] {
    let mut vectors = std::array::from_fn(|i| 1 << (63 - i));
    let Some(Start { polynomial, numbers }) = start else { return vectors };
    let degree = numbers.len();
    for i in 0..64 {
        vectors[i] = match numbers.get(i) {
            Some(number) => number << (63 - i),
            None => {
                let terms = (1..degree).filter(|k| polynomial >> (degree - 1 - k) & 1 != 0);
                let oldest = vectors[i - degree];
                terms.fold(oldest ^ (oldest >> degree), |sum, k| sum ^ vectors[i - k])
            }
        };
    }
    vectors
}

/// Vectors that are multiplied by a triangular matrix over bits, of which each column has a one on the diagonal and what is random below.
fn scramble(vectors: &mut [u64; 64], random: &mut impl FnMut() -> u64) {
    let columns: [u64; 64] = std::array::from_fn(|bit| {
        let top = 1 << (63 - bit);
        top | (random() & (top - 1))
    });
    for vector in vectors {
        let given = *vector;
        let set = columns.iter().enumerate().filter(|(bit, _)| given << bit >> 63 != 0);
        *vector = set.fold(0, |sum, (_, column)| sum ^ column);
    }
}

/// The vectors of some dimensions, from the first on, of 64 bits, each with its constant.
pub(crate) fn wide(set: Set, dimensions: usize) -> Vec<([u64; 64], u64)> {
    let starts = std::iter::once(None).chain(starts().map(Some));
    let made = starts.take(dimensions).enumerate().map(|(dimension, start)| {
        let mut vectors = vectors(start.as_ref());
        let mut source = Xorwow::new(dimension as u64);
        let mut random = || u64::from(source.bits()) << 32 | u64::from(source.bits());
        let constant = match set {
            Set::Plain => 0,
            Set::Scrambled => {
                scramble(&mut vectors, &mut random);
                random()
            }
        };
        (vectors, constant)
    });
    made.collect()
}

/// Those of 32 bits: the upper halves of the first 32.
pub(crate) fn short(set: Set, dimensions: usize) -> Vec<([u32; 32], u32)> {
    let halves = |(vectors, constant): ([u64; 64], u64)| {
        (std::array::from_fn(|i| (vectors[i] >> 32) as u32), (constant >> 32) as u32)
    };
    wide(set, dimensions).into_iter().map(halves).collect()
}

/// Tables that the program gets a pointer to: of vectors, and of constants.
type Table<T> = OnceLock<Vec<T>>;

/// The vectors of all dimensions, of 32 bits, which stay.
pub(crate) fn short_table(set: Set) -> &'static [[u32; 32]] {
    static TABLES: [Table<[u32; 32]>; 2] = [const { OnceLock::new() }; 2];
    let make = || short(set, DIMENSIONS).into_iter().map(|(vectors, _)| vectors).collect();
    TABLES[set as usize].get_or_init(make)
}

/// The vectors of all dimensions, of 64 bits, which stay.
pub(crate) fn wide_table(set: Set) -> &'static [[u64; 64]] {
    static TABLES: [Table<[u64; 64]>; 2] = [const { OnceLock::new() }; 2];
    let make = || wide(set, DIMENSIONS).into_iter().map(|(vectors, _)| vectors).collect();
    TABLES[set as usize].get_or_init(make)
}

/// The constants of all dimensions, of 32 bits, which stay.
pub(crate) fn short_constants() -> &'static [u32] {
    static TABLE: Table<u32> = OnceLock::new();
    TABLE.get_or_init(|| short(Set::Scrambled, DIMENSIONS).into_iter().map(|(_, c)| c).collect())
}

/// The constants of all dimensions, of 64 bits, which stay.
pub(crate) fn wide_constants() -> &'static [u64] {
    static TABLE: Table<u64> = OnceLock::new();
    TABLE.get_or_init(|| wide(Set::Scrambled, DIMENSIONS).into_iter().map(|(_, c)| c).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::sobol::{after, at};

    #[test]
    fn first_points_are_the_published_ones() {
        // Joe and Kuo's program, in the order of Gray codes: (0.5, 0.5, 0.5), (0.75, 0.25, 0.25), (0.25, 0.75, 0.75), (0.375, 0.375, 0.625).
        let all = short(Set::Plain, 3);
        let point = |index| [0, 1, 2].map(|d| at(&all[d].0, 0, index) as f64 / 2f64.powi(32));
        assert_eq!(point(1), [0.5, 0.5, 0.5]);
        assert_eq!(point(2), [0.75, 0.25, 0.25]);
        assert_eq!(point(3), [0.25, 0.75, 0.75]);
        assert_eq!(point(4), [0.375, 0.375, 0.625]);
    }

    #[test]
    fn scrambled_points_are_spread_as_evenly() {
        // Of the first 2^10 numbers of each dimension, one is in each part of 2^-10.
        for set in [Set::Plain, Set::Scrambled] {
            for (vectors, constant) in wide(set, DIMENSIONS).iter().step_by(997) {
                let mut seen = [false; 1 << 10];
                let mut number = at(vectors, *constant, 0);
                for index in 0..1 << 10 {
                    assert_eq!(number, at(vectors, *constant, index));
                    seen[(number >> 54) as usize] = true;
                    number = after(vectors, number, index);
                }
                assert!(seen.iter().all(|&seen| seen));
            }
        }
    }
}
