//! Kernel stages: from texels to results, with a kernel for each kind of channel, number of
//! channels and footprint.

use super::footprint::{Call, Chunk, Kernel, Spot, Spots, Task, texels, twin_weights, weights};
use super::point::Picked;
use crate::warp::ahead::{Ahead, Asking, No};
use crate::warp::build::Wide;
use crate::warp::channel::{
    Channel, F16, F32, Half, Plain, Point, Reads, Real, Signed, Snorm, Snorm8, Snorm16, Unorm,
    Unorm8, Unorm16, Unsigned, Whole, finish_pairs,
};
use crate::warp::simd::{Arguments, Int, Mask, Run, Simd, Stage, int, pick_wide};
use crate::warp::texel::{Texel, code};
use std::marker::PhantomData;
use texunit_texel::{Channel as Stored, Format};

#[derive(Debug)]
pub(super) struct OfKernel;

impl Arguments for OfKernel {
    type Of<'a> = Call<'a>;
}

/// The shape of a footprint: number of groups, and texels per group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footprint {
    /// One texel, unfiltered.
    Texel,
    /// Two texels of a row.
    Row,
    /// Four texels of a slice.
    Square,
    /// Two groups of one texel: a point filter on two mip levels.
    TwoTexels,
    /// Two groups of four texels: two slices or levels.
    TwoSquares,
}

/// The kernel for a format. `None` for formats that do not store their channels one after the
/// other, and for those that `resolve` has refused.
pub(super) fn kernel(
    format: Format,
    normalized: bool,
    footprint: Footprint,
    build: Wide,
) -> Option<Run<OfKernel>> {
    let n = format.channels();
    let stored = format.plain_channel()?;
    if footprint == Footprint::Texel {
        return Some(match (stored, normalized) {
            (Stored::U8, false) => point::<Unsigned<1>>(n, build),
            (Stored::S8, false) => point::<Signed<1>>(n, build),
            (Stored::U16, false) => point::<Unsigned<2>>(n, build),
            (Stored::S16, false) => point::<Signed<2>>(n, build),
            (Stored::U32 | Stored::S32 | Stored::F32, false) => point::<Unsigned<4>>(n, build),
            (Stored::F16, false) => point::<Half>(n, build),
            (Stored::U8, true) => point::<Unorm<1>>(n, build),
            (Stored::S8, true) => point::<Snorm<1>>(n, build),
            (Stored::U16, true) => point::<Unorm<2>>(n, build),
            (Stored::S16, true) => point::<Snorm<2>>(n, build),
            _ => return None,
        });
    }
    Some(match (stored, normalized) {
        (Stored::U8, true) if n == 4 => bytes(footprint, build),
        (Stored::U8, true) => filtered::<Whole<Unorm8>>(n, footprint, build),
        (Stored::S8, true) => filtered::<Whole<Snorm8>>(n, footprint, build),
        (Stored::U16, true) => filtered::<Whole<Unorm16>>(n, footprint, build),
        (Stored::S16, true) => filtered::<Whole<Snorm16>>(n, footprint, build),
        (Stored::F16, false) => filtered::<Real<F16>>(n, footprint, build),
        (Stored::F32, false) => match (n, footprint) {
            (1, Footprint::Square) => alone::<Unrolled<Real<F32>, 1, 1>>(build),
            (1, Footprint::TwoSquares) => alone::<Unrolled<Real<F32>, 1, 2>>(build),
            (4, Footprint::Square) => alone::<Unrolled<Real<F32>, 4, 1>>(build),
            _ => filtered::<Real<F32>>(n, footprint, build),
        },
        _ => return None,
    })
}

/// Kernels for one channel and for any number of channels; more variants are not worth the compile
/// time.
fn point<C: Point + Plain>(channels: u8, build: Wide) -> Run<OfKernel> {
    match channels {
        1 => alone::<Picked<C, true>>(build),
        _ => alone::<Picked<C, false>>(build),
    }
}

fn filtered<C: Channel + Plain>(channels: u8, footprint: Footprint, build: Wide) -> Run<OfKernel> {
    match channels {
        1 => by_footprint::<C, true>(footprint, build),
        _ => by_footprint::<C, false>(footprint, build),
    }
}

fn by_footprint<C: Channel + Plain, const ONE: bool>(
    footprint: Footprint,
    build: Wide,
) -> Run<OfKernel> {
    match footprint {
        Footprint::Texel | Footprint::Row => alone::<Filtered<C, ONE, 1, 2>>(build),
        Footprint::Square => alone::<Filtered<C, ONE, 1, 4>>(build),
        Footprint::TwoTexels => alone::<Filtered<C, ONE, 2, 1>>(build),
        Footprint::TwoSquares => alone::<Filtered<C, ONE, 2, 4>>(build),
    }
}

fn bytes(footprint: Footprint, build: Wide) -> Run<OfKernel> {
    match footprint {
        Footprint::Texel | Footprint::Row => alone::<Bytes<1, 2>>(build),
        Footprint::Square => alone::<Bytes<1, 4>>(build),
        Footprint::TwoTexels => alone::<Bytes<2, 1>>(build),
        Footprint::TwoSquares => alone::<Bytes<2, 4>>(build),
    }
}

fn alone<K: Kernel>(build: Wide) -> Run<OfKernel> {
    pick_wide::<_, Alone<K>>(build)
}

/// A kernel as a stage of its own, on axes that earlier stages have stored in memory.
struct Alone<K>(PhantomData<K>);

impl<K: Kernel> Stage<OfKernel> for Alone<K> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, mut call: Call<'_>) {
        let groups = call.groups;
        for chunk in 0..32 / S::LANES {
            K::values(simd, &mut call.task, &Chunk { groups, chunk }, chunk);
        }
    }
}

/// A kernel that filters one channel after the other: a single channel, or a number known at run
/// time.
struct Filtered<C, const ONE: bool, const GROUPS: usize, const PER: usize>(PhantomData<C>);

/// The loaded texels and weights of a vector of lanes.
struct Loaded<S: Simd, C: Channel, const GROUPS: usize, const PER: usize> {
    texels: [[Texel<S>; PER]; GROUPS],
    shares: [[Int<S>; PER]; GROUPS],
    made: [[C::Weight<S>; PER]; GROUPS],
}

impl<S: Simd, C: Channel + Plain, const GROUPS: usize, const PER: usize> Loaded<S, C, GROUPS, PER> {
    #[inline(always)]
    fn new(simd: S, task: &Task<'_>, spots: &impl Spots<S>, channels: usize) -> Self {
        let zero = int(simd, 0);
        let mut loaded = Self {
            texels: [[[zero; 4]; PER]; GROUPS],
            shares: [[zero; PER]; GROUPS],
            made: [[C::weight(zero); PER]; GROUPS],
        };
        // Unrolled: the compiler would keep a loop, and the texels in memory.
        loaded.load(simd, task, &spots.spot(simd, 0), channels, 0);
        if GROUPS > 1 {
            loaded.load(simd, task, &spots.spot(simd, 1), channels, 1);
        }
        loaded
    }

    #[inline(always)]
    fn load(&mut self, simd: S, task: &Task<'_>, spot: &Spot<S>, channels: usize, g: usize) {
        self.texels[g] = texels(simd, task, spot, C::SIZE * channels);
        self.shares[g] = weights(simd, spot);
        for k in 0..PER {
            self.made[g][k] = C::weight(self.shares[g][k]);
        }
    }

    /// Filters a channel, if it is requested.
    #[inline(always)]
    fn channel(
        &self,
        simd: S,
        (task, spots): (&mut Task<'_>, &impl Spots<S>),
        c: usize,
        chunk: usize,
        ahead: impl Ahead,
    ) {
        let Some(out) = &mut task.out[c] else { return };
        let mut codes = [[int(simd, 0); PER]; GROUPS];
        for g in 0..GROUPS {
            for k in 0..PER {
                codes[g][k] = code(simd, &self.texels[g][k], C::SIZE, c);
            }
        }
        let reads = OfSpots::<_, PER>(spots);
        C::sum(simd, &codes, &self.shares, &self.made, &reads, ahead).store(out, chunk);
    }
}

/// Determines which texels are read, from the weights of the axes and the totals of the groups.
/// Needed rarely.
struct OfSpots<'a, T, const PER: usize>(&'a T);

impl<S: Simd, T: Spots<S>, const PER: usize> Reads<S> for OfSpots<'_, T, PER> {
    #[inline(always)]
    fn read(&self, simd: S, group: usize, texel: usize) -> Mask<S> {
        let (spot, zero) = (self.0.spot(simd, group), int(simd, 0));
        let mut read = zero.is(zero);
        if let Some(total) = spot.total {
            read = zero.lt(total);
        }
        if PER > 1 && texel & 1 == 1 {
            read = read & zero.lt(spot.weights[0]);
        }
        if PER > 2 && texel & 2 == 2 {
            read = read & zero.lt(spot.weights[1]);
        }
        read
    }
}

impl<C: Channel + Plain, const ONE: bool, const GROUPS: usize, const PER: usize> Kernel
    for Filtered<C, ONE, GROUPS, PER>
{
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, spots: &impl Spots<S>, chunk: usize) {
        let channels = if ONE { 1 } else { task.channels };
        let known = if ONE || C::SIZE == 4 { channels } else { task.several() };
        let loaded = Loaded::<S, C, GROUPS, PER>::new(simd, task, spots, known);
        for c in 0..channels {
            loaded.channel(simd, (&mut *task, spots), c, chunk, No);
        }
    }
}

/// A kernel for one or four channels of a kind, unrolled so that texels stay in registers.
/// Prefetches the texels of the next fetch.
pub(super) struct Unrolled<C, const N: usize, const GROUPS: usize>(PhantomData<C>);

impl<C: Channel + Plain, const N: usize, const GROUPS: usize> Kernel for Unrolled<C, N, GROUPS> {
    // Other kernels need too many registers for their texels.
    const ASKS: bool = true;
    const TWICE: bool = N == 1 && GROUPS == 1;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, spots: &impl Spots<S>, chunk: usize) {
        let loaded = Loaded::<S, C, GROUPS, 4>::new(simd, task, spots, N);
        Self::channel(simd, (&mut *task, spots), &loaded, 0, chunk);
        if N > 1 {
            Self::channel(simd, (&mut *task, spots), &loaded, 1, chunk);
            Self::channel(simd, (&mut *task, spots), &loaded, 2, chunk);
            Self::channel(simd, (&mut *task, spots), &loaded, 3, chunk);
        }
    }
}

impl<C: Channel + Plain, const N: usize, const GROUPS: usize> Unrolled<C, N, GROUPS> {
    #[inline(always)]
    fn channel<S: Simd>(
        simd: S,
        (task, spots): (&mut Task<'_>, &impl Spots<S>),
        loaded: &Loaded<S, C, GROUPS, 4>,
        c: usize,
        chunk: usize,
    ) {
        // Two rows per group.
        let all = 2 * GROUPS * S::LANES;
        let (first, some) = (chunk * all + c * (all / N), all / N);
        match task.next {
            Some(rows) => {
                let offsets = &rows.as_flattened()[first..first + some];
                let asking = Asking { window: task.window, offsets, each: some / (4 * GROUPS) };
                loaded.channel(simd, (task, spots), c, chunk, asking);
            }
            None => loaded.channel(simd, (task, spots), c, chunk, No),
        }
    }
}

/// A kernel for four channels of 8-bit unorm: sums two channels at a time in 16-bit arithmetic,
/// which holds their sums of at most 255 * 256.
pub(super) struct Bytes<const GROUPS: usize, const PER: usize>;

impl<const GROUPS: usize, const PER: usize> Kernel for Bytes<GROUPS, PER> {
    const ASKS: bool = true;
    const TWICE: bool = GROUPS == 1;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, spots: &impl Spots<S>, chunk: usize) {
        // Two rows per group.
        let all = 2 * GROUPS * S::LANES;
        let sums = match task.next {
            Some(rows) => {
                let offsets = &rows.as_flattened()[chunk * all..(chunk + 1) * all];
                let asking = Asking { window: task.window, offsets, each: 2 * S::LANES / PER };
                Self::sums(simd, task, spots, asking)
            }
            None => Self::sums(simd, task, spots, No),
        };
        for odd in 0..2 {
            let [low, high] = finish_pairs(simd, sums[odd]);
            if let Some(out) = &mut task.out[odd] {
                low.store(out, chunk);
            }
            if let Some(out) = &mut task.out[odd + 2] {
                high.store(out, chunk);
            }
        }
    }
}

impl<const GROUPS: usize, const PER: usize> Bytes<GROUPS, PER> {
    /// The sums of the even and of the odd channels, 16 bits each.
    #[inline(always)]
    fn sums<S: Simd>(
        simd: S,
        task: &Task<'_>,
        spots: &impl Spots<S>,
        ahead: impl Ahead,
    ) -> [Int<S>; 2] {
        let low = int(simd, 0x00ff_00ff);
        let mut sums = [int(simd, 0); 2];
        for g in 0..GROUPS {
            let spot = spots.spot(simd, g);
            let texels = texels::<S, PER>(simd, task, &spot, 4);
            let weights = twin_weights::<S, PER>(simd, &spot);
            for k in 0..PER {
                let (mut texel, weight) = (texels[k][0], weights[k]);
                ahead.ask(g * PER + k, &mut texel, &mut sums[0]);
                sums[0] = sums[0].add16((texel & low).mul16(weight));
                sums[1] = sums[1].add16(texel.shr16_8().mul16(weight));
            }
        }
        sums
    }
}
