//! The interface between the axis stages and the kernels of the fast schedule: locations, words and
//! weights of texels, for the lanes of a vector.

use crate::request::{Lanes, OutputRegisters};
use crate::warp::axis::AxisLanes;
use crate::warp::prefetch::PrefetchRows;
use crate::warp::simd::{Int, Simd, all_lanes, int, load, mask};
use crate::warp::texel::{Texel, texel};
use crate::warp::weights as split;
use texunit_memory::Window;

/// The texels that 32 lanes read in one slice of one level, at most 2 x 2 per lane.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    pub(super) x: &'a AxisLanes,
    pub(super) y: &'a AxisLanes,
    /// Byte offset of the slice, layer or face that each lane reads.
    pub(super) base: &'a Lanes,
    /// The mask of the lanes whose slice is outside the extent.
    pub(super) outside: u32,
    /// Weight of the group of texels, in 1/256.
    pub(super) total: &'a Lanes,
}

/// Arguments of a kernel stage.
pub(super) struct Call<'a> {
    /// The groups of texels, at most four: two slices of two levels.
    pub(super) groups: &'a [Group<'a>],
    pub(super) task: Task<'a>,
}

/// The inputs and outputs of a kernel, apart from the locations of texels.
pub(super) struct Task<'a> {
    pub(super) window: Window<'a>,
    /// The rows of texels that the next fetch reads, if they are prefetched.
    pub(super) next: Option<&'a PrefetchRows>,
    /// The border colour as the words of a texel; zeros for integer coordinates.
    pub(super) border: &'a [u32; 4],
    /// Number of channels of the format.
    pub(super) channels: usize,
    /// Output registers of the requested components.
    pub(super) out: OutputRegisters<'a>,
}

impl Task<'_> {
    /// The number of channels if it is not 1, which is 2 or 4. This lets the compiler drop the code
    /// for other sizes.
    #[inline(always)]
    pub(super) fn several(&self) -> usize {
        if self.channels == 2 { 2 } else { 4 }
    }
}

/// The locations and weights of the texels of one group, for the lanes of a vector.
#[derive(Clone, Copy)]
pub(super) struct TexelAddresses<S: Simd> {
    /// Byte offsets of the lower texel along x, in the lower and in the upper row. They include
    /// slice, layer and face.
    pub(super) at: [Int<S>; 2],
    /// Distance in bytes from the lower to the upper texel along x. It is used if the two texels of
    /// some lane are not adjacent in memory ([`Self::together`]).
    pub(super) across: Int<S>,
    /// Weights of the upper texels along x and along y, in 1/256.
    pub(super) weights: [Int<S>; 2],
    /// Weight of the group in 1/256; `None` stands for 256.
    pub(super) total: Option<Int<S>>,
    /// Whether the upper texel along x follows the lower one in memory, in all lanes.
    pub(super) together: bool,
    /// The lanes that read a texel outside; `None` if there are none.
    pub(super) outside: Option<Outside>,
}

/// A source of the texel locations of each group. A kernel requests one group at a time, because
/// registers do not have room for all groups.
pub(super) trait AddressSource<S: Simd> {
    fn addresses(&self, simd: S, group: usize) -> TexelAddresses<S>;
}

/// A kernel: reads the texels of a vector of lanes and computes their results.
pub(super) trait Kernel {
    /// Whether the kernel has a point filter.
    const POINT: bool = false;
    /// Whether the kernel prefetches the rows of texels that the next fetch reads. Prefetched rows
    /// are ordered by chunk of the warp (the lanes of one vector), then by group.
    const PREFETCHES: bool = false;
    /// Whether both halves of a warp are summed together, if a vector has 16 lanes.
    const PAIRED: bool = false;
    /// Reads the texels of one vector of lanes and writes their results.
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize);
}

/// The part of a warp that one vector holds, as a source of locations from groups in memory.
pub(super) struct Chunk<'a> {
    pub(super) groups: &'a [Group<'a>],
    pub(super) chunk: usize,
}

impl<S: Simd> AddressSource<S> for Chunk<'_> {
    #[inline(always)]
    fn addresses(&self, simd: S, group: usize) -> TexelAddresses<S> {
        TexelAddresses::new(simd, &self.groups[group], self.chunk)
    }
}

/// For the lanes of a vector, masks of the lanes whose texels are outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    /// The masks for the lower and the upper texel along x.
    pub(super) x: [u32; 2],
    /// The masks for the lower and the upper texel along y.
    pub(super) y: [u32; 2],
    /// The mask of the lanes whose slice is outside.
    pub(super) z: u32,
}

impl Outside {
    pub(super) const NONE: Self = Self { x: [0; 2], y: [0; 2], z: 0 };
}

impl<S: Simd> TexelAddresses<S> {
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
            together: x.scattered >> place & all == 0,
            outside: Some(outside),
        }
    }
}

/// Reads the texels of a group, of `size` bytes each: texels x and x + 1 of row y, then of row y +
/// 1. `PER` is the number of texels: 1, 2 or 4.
#[inline(always)]
pub(super) fn texels<S: Simd, const PER: usize>(
    simd: S,
    task: &Task<'_>,
    addresses: &TexelAddresses<S>,
    size: usize,
) -> [Texel<S>; PER] {
    let mut texels = [[int(simd, 0); 4]; PER];
    let window = task.window;
    if PER == 1 {
        texels[0] = texel(simd, window, size, addresses.at[0]);
    } else {
        // The rows are written out, because the compiler would not unroll a loop over them, and
        // would keep the texels in memory instead of registers.
        [texels[0], texels[1]] = row(simd, window, size, addresses, 0);
        if PER == 4 {
            [texels[2], texels[3]] = row(simd, window, size, addresses, 1);
        }
    }
    let Some(Outside { x, y, z }) = addresses.outside else { return texels };
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

/// Reads the two texels of a row.
#[inline(always)]
fn row<S: Simd>(
    simd: S,
    window: Window<'_>,
    size: usize,
    addresses: &TexelAddresses<S>,
    row: usize,
) -> [Texel<S>; 2] {
    let left = addresses.at[row];
    if addresses.together {
        return pair(simd, window, size, left);
    }
    [texel(simd, window, size, left), texel(simd, window, size, left + addresses.across)]
}

/// Reads the texel at a byte offset and the texel after it.
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

/// Computes the weights of a group's texels, in 1/256. `PER` is the number of texels per lane: 1, 2
/// or 4.
#[inline(always)]
pub(super) fn weights<S: Simd, const PER: usize>(
    simd: S,
    addresses: &TexelAddresses<S>,
) -> [Int<S>; PER] {
    weights_of(simd, int(simd, 256), addresses.weights, addresses.total)
}

/// Computes the weights of a group's texels in 1/256, each twice in its lane as a 16-bit number.
#[inline(always)]
pub(super) fn twin_weights<S: Simd, const PER: usize>(
    simd: S,
    addresses: &TexelAddresses<S>,
) -> [Int<S>; PER] {
    let [x, y] = addresses.weights;
    let mut total = addresses.total;
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
