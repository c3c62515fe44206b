//! From texels' places to their words and weights, for the lanes of a vector.

use crate::request::{Lanes, Places};
use crate::warp::ahead::Rows;
use crate::warp::axis::AxisLanes;
use crate::warp::simd::{Int, Simd, all_lanes, int, load, mask};
use crate::warp::texel::{Texel, texel};
use crate::warp::weights as split;
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

/// What kernels work on.
pub(super) struct Call<'a> {
    /// At most four: two slices of two levels.
    pub(super) groups: &'a [Group<'a>],
    pub(super) task: Task<'a>,
}

/// What kernels are to do with their texels.
pub(super) struct Task<'a> {
    pub(super) window: Window<'a>,
    /// What the fetch after this one reads, if its texels are asked for.
    pub(super) next: Option<&'a Rows>,
    /// Words of the border colour's texel, or zeros for integer coordinates.
    pub(super) border: &'a [u32; 4],
    /// Of the format.
    pub(super) channels: usize,
    /// Where the results go, of the components that are wanted.
    pub(super) out: Places<'a>,
}

impl Task<'_> {
    /// The channels of a format that has more than one, of which there are two or four: the compiler makes no code for texels
    /// of other sizes.
    #[inline(always)]
    pub(super) fn several(&self) -> usize {
        if self.channels == 2 { 2 } else { 4 }
    }
}

/// A group as the lanes of a vector read it.
#[derive(Clone, Copy)]
pub(super) struct Spot<S: Simd> {
    /// Byte offsets of the lower texel along x in the lower and in the upper row, those of slice, layer and face included.
    pub(super) at: [Int<S>; 2],
    /// Bytes from there to the upper texel along x, if some are not [together](Self::together).
    pub(super) across: Int<S>,
    /// Weights of the upper texels along x and y.
    pub(super) weights: [Int<S>; 2],
    /// What the group counts of 256, if that is not all.
    pub(super) total: Option<Int<S>>,
    /// Whether the upper texel along x is the one behind the lower, in all lanes.
    pub(super) together: bool,
    /// If some are.
    pub(super) outside: Option<Outside>,
}

/// Where the groups of a vector's lanes are read. A kernel asks for one after the other, as there is no
/// room in registers for all.
pub(super) trait Spots<S: Simd> {
    fn spot(&self, simd: S, group: usize) -> Spot<S>;
}

/// A kernel: from where the lanes of a vector read to their results.
pub(super) trait Kernel {
    /// Whether texels are found by a point, and not filtered.
    const POINT: bool = false;
    /// Whether it asks for the texels of the next fetch: those in the task's rows, which are first those of
    /// the first chunk, and of a chunk those of the first group.
    const ASKS: bool = false;
    /// Whether both halves of a warp are summed at once with vectors of 16 lanes.
    const TWICE: bool = false;
    /// Writes the results of a vector's lanes.
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, spots: &impl Spots<S>, chunk: usize);
}

/// A vector's part of groups in memory.
pub(super) struct Chunk<'a> {
    pub(super) groups: &'a [Group<'a>],
    pub(super) chunk: usize,
}

impl<S: Simd> Spots<S> for Chunk<'_> {
    #[inline(always)]
    fn spot(&self, simd: S, group: usize) -> Spot<S> {
        Spot::new(simd, &self.groups[group], self.chunk)
    }
}

/// Lanes of a vector, as bits, whose texels are outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    /// The lower and the upper one.
    pub(super) x: [u32; 2],
    /// Likewise.
    pub(super) y: [u32; 2],
    /// Whose slice is.
    pub(super) z: u32,
}

impl Outside {
    pub(super) const NONE: Self = Self { x: [0; 2], y: [0; 2], z: 0 };
}

impl<S: Simd> Spot<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, group: &Group<'_>, chunk: usize) -> Self {
        let (Group { x, y, .. }, place) = (group, chunk * S::LANES);
        let all = all_lanes::<S>();
        let lower = load(simd, &x.lower, chunk);
        let base = load(simd, group.base, chunk) + lower;
        let outside = Outside {
            x: [x.outside[0] >> place & all, x.outside[1] >> place & all],
            y: [y.outside[0] >> place & all, y.outside[1] >> place & all],
            z: group.outside >> place & all,
        };
        Self {
            at: [base + load(simd, &y.lower, chunk), base + load(simd, &y.upper, chunk)],
            across: load(simd, &x.upper, chunk) - lower,
            weights: [load(simd, &x.weight, chunk), load(simd, &y.weight, chunk)],
            total: Some(load(simd, group.total, chunk)),
            together: x.apart >> place & all == 0,
            outside: Some(outside),
        }
    }
}

/// The texels of a group, those at x and x + 1 of y, then of y + 1, of `size` bytes. `PER` is 1, 2 or 4.
#[inline(always)]
pub(super) fn texels<S: Simd, const PER: usize>(
    simd: S,
    task: &Task<'_>,
    spot: &Spot<S>,
    size: usize,
) -> [Texel<S>; PER] {
    let mut texels = [[int(simd, 0); 4]; PER];
    let window = task.window;
    if PER == 1 {
        texels[0] = texel(simd, window, size, spot.at[0]);
    } else {
        // No loop: the compiler would leave it one, and the texels in memory.
        [texels[0], texels[1]] = row(simd, window, size, spot, 0);
        if PER == 4 {
            [texels[2], texels[3]] = row(simd, window, size, spot, 1);
        }
    }
    let Some(Outside { x, y, z }) = spot.outside else { return texels };
    let edges = if PER == 1 { x[0] | y[0] | z } else { x[0] | y[0] | z | x[1] | y[1] };
    if edges != 0 {
        for (k, texel) in texels.iter_mut().enumerate() {
            let outside = mask(simd, x[k & 1] | y[k >> 1] | z, 0);
            for (word, &border) in texel.iter_mut().zip(task.border).take(size.div_ceil(4)) {
                *word = outside.select(int(simd, border as i32), *word);
            }
        }
    }
    texels
}

/// The two texels of a row.
#[inline(always)]
fn row<S: Simd>(
    simd: S,
    window: Window<'_>,
    size: usize,
    spot: &Spot<S>,
    row: usize,
) -> [Texel<S>; 2] {
    let left = spot.at[row];
    if spot.together {
        return pair(simd, window, size, left);
    }
    [texel(simd, window, size, left), texel(simd, window, size, left + spot.across)]
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
        _ => Int::gather8(simd, window, at),
    }
}

/// Weights of the texels of a group. `PER` is 1, 2 or 4.
#[inline(always)]
pub(super) fn weights<S: Simd, const PER: usize>(simd: S, spot: &Spot<S>) -> [Int<S>; PER] {
    weights_of(simd, int(simd, 256), spot.weights, spot.total)
}

/// The same, each one twice in its lane, by 16 bits.
#[inline(always)]
pub(super) fn twin_weights<S: Simd, const PER: usize>(simd: S, spot: &Spot<S>) -> [Int<S>; PER] {
    let [x, y] = spot.weights;
    let mut total = spot.total;
    if let Some(total) = &mut total {
        *total = twin(*total);
    }
    weights_of(simd, int(simd, 0x0100_0100), [twin(x), twin(y)], total)
}

#[inline(always)]
fn twin<S: Simd>(weight: Int<S>) -> Int<S> {
    weight | (weight << 16)
}

#[inline(always)]
fn weights_of<S: Simd, const PER: usize>(
    simd: S,
    whole: Int<S>,
    [x, y]: [Int<S>; 2],
    total: Option<Int<S>>,
) -> [Int<S>; PER] {
    let mut weights = [whole; PER];
    if PER == 1 {
        weights[0] = match total {
            Some(total) => total,
            None => whole,
        };
    } else {
        let row = match total {
            Some(total) => split::row(simd, total, x),
            None => [whole - x, x],
        };
        if PER == 2 {
            (weights[0], weights[1]) = (row[0], row[1]);
        } else {
            [weights[0], weights[1], weights[2], weights[3]] = split::rows(simd, row, y);
        }
    }
    weights
}
