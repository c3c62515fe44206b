//! The coordinates of the benchmarks. The arithmetic is that of the kernels in `kernels.cu` as
//! compiled by nvcc, so that coordinates are bit-identical.

use texunit_unit::{Coordinates, FetchOperands};

/// Distance between the fetches of one thread in the kernels.
pub const STRIDE: u32 = 1 << 20;

/// The scan is rotated by 5 degrees.
const COS: f32 = 0.996_194_7;
const SIN: f32 = 0.087_155_74;

/// Mixes the bits of a number (Wellons' lowbias32).
pub fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// A point of a rotated grid.
fn turned(x: u32, y: u32, scale: f32) -> [f32; 2] {
    let (x, y) = (x as f32, y as f32);
    [(x * COS - y * SIN + 0.5) * scale, (x.mul_add(SIN, y * COS) + 0.5) * scale]
}

/// Rows of 2048 points at a distance of `scale`.
pub fn plane_coherent(i: u32, scale: f32) -> [f32; 2] {
    turned(i & 2047, i >> 11, scale)
}

/// Random points of the unit square.
pub fn plane_random(i: u32) -> [f32; 2] {
    let h = hash(i);
    [(h & 0xffff) as f32 / 65536.0, (h >> 16) as f32 / 65536.0]
}

/// Slices of 128 x 128 points at a distance of half a texel.
pub fn space_coherent(i: u32) -> [f32; 3] {
    let [x, y] = turned(i & 127, i >> 7 & 127, 1.0 / 128.0);
    [x, y, ((i >> 14) as f32 * 0.5 + 0.5) / 128.0]
}

/// Random points of the unit cube.
pub fn space_random(i: u32) -> [f32; 3] {
    let h = hash(i);
    [(h & 2047) as f32 / 2048.0, (h >> 11 & 2047) as f32 / 2048.0, (h >> 22) as f32 / 1024.0]
}

/// Directions to one face of a cube map, and around its edges.
pub fn direction_coherent(i: u32) -> [f32; 3] {
    let [x, y] = plane_coherent(i, 1.0 / 1024.0);
    [x.mul_add(2.0, -1.0), y.mul_add(2.0, -1.0), 0.7]
}

/// Random directions.
pub fn direction_random(i: u32) -> [f32; 3] {
    space_random(i).map(|x| x - 0.5)
}

/// The fractional part.
fn fraction(x: f32) -> f32 {
    x - x.floor()
}

/// The operands of a fetch at a point.
pub fn at<const N: usize>(point: [f32; N]) -> FetchOperands {
    let mut coords = Coordinates::default();
    for (to, x) in coords.point.iter_mut().zip(point) {
        *to = x.to_bits();
    }
    FetchOperands { coords, ..FetchOperands::default() }
}

/// Mip levels from 0 to 2, similar for neighbouring points.
pub fn level_coherent(i: u32) -> FetchOperands {
    let [x, y] = plane_coherent(i, 1.0 / 1024.0);
    FetchOperands { level: (2.0 * fraction(y)).to_bits(), ..at([x, y]) }
}

/// Random mip levels from 0 to 5.
pub fn level_random(i: u32) -> FetchOperands {
    let [x, y] = plane_random(i);
    FetchOperands { level: (x * 5.0).to_bits(), ..at([x, y]) }
}

/// Gradients of 1 to 4 texels of the largest level, of equal length in x and y.
pub fn gradient([x, y]: [f32; 2]) -> FetchOperands {
    let q = (fraction(y).mul_add(3.0, 1.0) / 1024.0).to_bits();
    FetchOperands { dpdx: [q, 0, 0], dpdy: [0, q, 0], ..at([x, y]) }
}
