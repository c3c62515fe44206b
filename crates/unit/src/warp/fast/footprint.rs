//! From texels' places to their words and weights, for the lanes of a vector.

use super::ahead::Rows;
use super::axis::AxisLanes;
use crate::request::Lanes;
use crate::warp::simd::{Int, Simd, int, load, mask};
use texunit_memory::Window;

/// Up to 2 x 2 texels of one slice of one level, for 32 lanes.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    pub(super) x: &'a AxisLanes,
    pub(super) y: &'a AxisLanes,
    /// Byte offset of the slice, layer or face.
    pub(super) base: &'a Lanes,
    /// Lanes whose slice is outside.
    pub(super) outside: u32,
    /// What the group counts of 256.
    pub(super) total: &'a Lanes,
}

impl Group<'_> {
    /// Whether lanes read places near each other, as far as the first and the last one show: then most of
    /// their texels are in the caches, and to ask for them early costs more than it gives.
    #[inline(always)]
    pub(super) fn is_near(&self) -> bool {
        const NEAR: u32 = 1 << 17;
        let [first, last] = [0, 31].map(|lane: usize| {
            self.base[lane].wrapping_add(self.x.lower[lane]).wrapping_add(self.y.lower[lane])
        });
        first.abs_diff(last) < NEAR
    }
}

/// What kernels work on.
pub(super) struct Call<'a> {
    /// At most four: two slices of two levels.
    pub(super) groups: &'a [Group<'a>],
    pub(super) window: Window<'a>,
    /// What the fetch after this one reads, if its texels are asked for.
    pub(super) next: &'a Rows,
    /// Words of the border colour's texel, or zeros for integer coordinates.
    pub(super) border: &'a [u32; 4],
    /// Of the format.
    pub(super) channels: usize,
    /// Components that are wanted.
    pub(super) components: u8,
    pub(super) out: &'a mut [Lanes; 4],
}

/// A texel of each lane: one word up to 4 bytes, else 2 or 4.
pub(super) type Texel<S> = [Int<S>; 4];

/// The texels of a group, those at x and x + 1 of y, then of y + 1, of `size` bytes. `PER` is 1, 2 or 4.
#[inline(always)]
pub(super) fn texels<S: Simd, const PER: usize>(
    simd: S,
    call: &Call<'_>,
    group: &Group<'_>,
    size: usize,
    chunk: usize,
) -> [Texel<S>; PER] {
    let here = ((1_u32 << S::LANES) - 1) << (chunk * S::LANES);
    let mut texels = [[int(simd, 0); 4]; PER];
    let base = load(simd, group.base, chunk);
    let left = load(simd, &group.x.lower, chunk);
    if PER == 1 {
        let at = base + left + load(simd, &group.y.lower, chunk);
        texels[0] = texel(simd, call.window, size, at);
    } else {
        let together = group.x.apart & here == 0;
        let right = load(simd, &group.x.upper, chunk);
        for row in 0..PER / 2 {
            let y = if row == 0 { &group.y.lower } else { &group.y.upper };
            let row_base = base + load(simd, y, chunk);
            let [a, b] = if together {
                pair(simd, call.window, size, row_base + left)
            } else {
                let a = texel(simd, call.window, size, row_base + left);
                [a, texel(simd, call.window, size, row_base + right)]
            };
            texels[2 * row] = a;
            texels[2 * row + 1] = b;
        }
    }
    let edges = group.x.outside[0] | group.y.outside[0] | group.outside;
    let edges = if PER == 1 { edges } else { edges | group.x.outside[1] | group.y.outside[1] };
    if edges & here != 0 {
        for (k, texel) in texels.iter_mut().enumerate() {
            let bits = group.x.outside[k & 1] | group.y.outside[k >> 1] | group.outside;
            let outside = mask(simd, bits, chunk);
            for (word, &border) in texel.iter_mut().zip(call.border).take(size.div_ceil(4)) {
                *word = outside.select(int(simd, border as i32), *word);
            }
        }
    }
    texels
}

/// The texel at an offset.
#[inline(always)]
fn texel<S: Simd>(simd: S, window: Window<'_>, size: usize, at: Int<S>) -> Texel<S> {
    let none = int(simd, 0);
    match size {
        1 => [Int::gather(simd, window, at) & int(simd, 0xff), none, none, none],
        2 => [Int::gather(simd, window, at) & int(simd, 0xffff), none, none, none],
        4 => [Int::gather(simd, window, at), none, none, none],
        8 => {
            let [a, b] = Int::gather2(simd, window, at);
            [a, b, none, none]
        }
        _ => Int::gather4(simd, window, at),
    }
}

/// The texel at an offset and the one behind it.
#[inline(always)]
fn pair<S: Simd>(simd: S, window: Window<'_>, size: usize, at: Int<S>) -> [Texel<S>; 2] {
    let none = int(simd, 0);
    match size {
        1 => {
            let both = Int::gather(simd, window, at);
            let [a, b] = [both & int(simd, 0xff), both.shr(8) & int(simd, 0xff)];
            [[a, none, none, none], [b, none, none, none]]
        }
        2 => {
            let both = Int::gather(simd, window, at);
            let [a, b] = [both & int(simd, 0xffff), both.shr(16)];
            [[a, none, none, none], [b, none, none, none]]
        }
        4 => {
            let [a, b] = Int::gather2(simd, window, at);
            [[a, none, none, none], [b, none, none, none]]
        }
        8 => {
            let [a, b, c, d] = Int::gather4(simd, window, at);
            [[a, b, none, none], [c, d, none, none]]
        }
        _ => {
            let a = Int::gather4(simd, window, at);
            [a, Int::gather4(simd, window, at + int(simd, 16))]
        }
    }
}

/// Weights of the texels of a group (docs/numerics.md 2, "Weights"), split along x, then y.
#[inline(always)]
pub(super) fn weights<S: Simd, const PER: usize>(
    simd: S,
    group: &Group<'_>,
    chunk: usize,
) -> [Int<S>; PER] {
    let total = load(simd, group.total, chunk);
    let mut weights = [total; PER];
    if PER > 1 {
        let half = int(simd, 128);
        let right = (total.times(load(simd, &group.x.weight, chunk)) + half).shr(8);
        let left = total - right;
        if PER == 2 {
            (weights[0], weights[1]) = (left, right);
        } else {
            let b = load(simd, &group.y.weight, chunk);
            let w11 = (right.times(b) + half).shr(8);
            let w00 = (left.times(int(simd, 256) - b) + half).shr(8);
            (weights[0], weights[1]) = (w00, right - w11);
            (weights[2], weights[3]) = (left - w00, w11);
        }
    }
    weights
}

/// The code of a channel of `size` bytes, zero-extended.
#[inline(always)]
pub(super) fn code<S: Simd>(simd: S, texel: &Texel<S>, size: usize, channel: usize) -> Int<S> {
    let byte = channel * size;
    let word = texel[byte / 4].shr((byte % 4 * 8) as u32);
    match size {
        1 if byte % 4 < 3 => word & int(simd, 0xff),
        2 if byte % 4 < 2 => word & int(simd, 0xffff),
        _ => word,
    }
}
