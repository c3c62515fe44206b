//! Generates the initial contents of buffers: pseudorandom data that is the same in every run.

use super::Data;
use texunit_testkit::Random;
use texunit_texel::Dtype;

/// A buffer of `n` 32-bit integers that are zero.
pub(super) fn zeros(n: usize) -> Data {
    Data::new(Dtype::U32, vec![[0; 4]; n])
}

/// A buffer of `n` floats that are zero.
pub(super) fn zeros_f32(n: usize) -> Data {
    Data::new(Dtype::F32, vec![[0; 4]; n])
}

/// A buffer of `n` doubles that are zero.
pub(super) fn zeros_f64(n: usize) -> Data {
    Data::new(Dtype::F64, vec![[0; 8]; n])
}

/// A buffer of bytes.
pub(super) fn bytes(bytes: Vec<u8>) -> Data {
    Data { dtype: Dtype::U8, bytes }
}

/// A buffer of `n` random 32-bit words.
pub(super) fn words(seed: u64, n: usize) -> Data {
    let mut random = Random::new(seed);
    Data::new(Dtype::U32, (0..n).map(|_| random.u32().to_le_bytes()))
}

/// A buffer of `n` random floats from `low` to `high`.
pub(super) fn floats(seed: u64, n: usize, low: f32, high: f32) -> Data {
    let mut random = Random::new(seed);
    Data::new(Dtype::F32, (0..n).map(|_| random.between(low, high).to_le_bytes()))
}

/// A buffer of `n` random doubles from -1 to 1.
pub(super) fn doubles(seed: u64, n: usize) -> Data {
    let mut random = Random::new(seed);
    Data::new(Dtype::F64, (0..n).map(|_| f64::from(random.between(-1.0, 1.0)).to_le_bytes()))
}

/// A buffer of `n` floats with integer values from 0 to 3. Up to eight million of them have an
/// exact sum in any order.
pub(super) fn small_integers(seed: u64, n: usize) -> Data {
    let mut random = Random::new(seed);
    Data::new(Dtype::F32, (0..n).map(|_| ((random.u32() >> 30) as f32).to_le_bytes()))
}

/// A buffer of `n` random bytes with a bell-shaped distribution, as in photographs.
pub(super) fn picture(seed: u64, n: usize) -> Data {
    let mut random = Random::new(seed);
    let mut texel = || (random.below(128_u32) + random.below(128_u32)) as u8;
    bytes((0..n).map(|_| texel()).collect())
}

/// A buffer of `n` words whose bytes are those of [`picture`].
pub(super) fn picture_words(seed: u64, n: usize) -> Data {
    Data { dtype: Dtype::U32, ..picture(seed, 4 * n) }
}

/// A text of `n` random letters from `a` to `d`.
pub(super) fn letters(seed: u64, n: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..n).map(|_| b'a' + (random.u32() >> 30) as u8).collect()
}

/// A sparse square matrix as row starts, columns and values, with 0 to 32 values per row.
pub(super) fn sparse(seed: u64, rows: u32) -> [Data; 3] {
    let mut random = Random::new(seed);
    let (mut starts, mut columns) = (vec![[0; 4]], Vec::new());
    for _ in 0..rows {
        for _ in 0..random.below(33_u32) {
            columns.push(random.below(rows).to_le_bytes());
        }
        starts.push((columns.len() as u32).to_le_bytes());
    }
    let values = floats(seed + 1, columns.len(), -1.0, 1.0);
    [Data::new(Dtype::U32, starts), Data::new(Dtype::U32, columns), values]
}

/// Densities of a cube of `n` texels per edge, which show a soft ball with noise.
pub(super) fn ball(seed: u64, n: u32) -> Data {
    let mut random = Random::new(seed);
    let from_middle = |i: u32| (i as f32 + 0.5) / n as f32 - 0.5;
    let mut texels = Vec::new();
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                let [x, y, z] = [x, y, z].map(from_middle);
                let inside = (0.5 - (x * x + y * y + z * z).sqrt()).max(0.0);
                texels.push((inside * (1.0 + random.between(0.0, 0.25))).to_le_bytes());
            }
        }
    }
    Data::new(Dtype::F32, texels)
}
