//! Kernel stages: from texels to results. There is a kernel for each kind of channel, number of
//! channels and footprint.

use super::footprint::{
    AddressSource, Call, Chunk, Kernel, Task, TexelAddresses, texels, twin_weights, weights,
};
use crate::warp::build::Wide;
use crate::warp::channel::{
    Channel, F16, F32, FloatFilter, Half, NormalizedFilter, Plain, Point, Reads, Signed, Snorm,
    Snorm8, Snorm16, Unorm, Unorm8, Unorm16, Unsigned, finish_pairs,
};
use crate::warp::prefetch::{NoPrefetch, PrefetchEach, Prefetcher};
use crate::warp::simd::{Int, Mask, Run, Simd, Stage, arguments, int, pick_wide};
use crate::warp::texel::{Texel, code};
use std::marker::PhantomData;
use texunit_texel::{Channel as Stored, Format};

arguments!(pub(super) KernelArgs = Call);

/// The shape of a footprint: the number of groups, and of texels per group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footprint {
    /// One texel per lane, which is returned without filtering.
    Texel,
    /// Two texels of a row.
    Row,
    /// Four texels of a slice.
    Square,
    /// Two groups of one texel each, for a point filter on two mip levels.
    TwoTexels,
    /// Two groups of four texels each, for two slices or two levels.
    TwoSquares,
}

/// The kernel for a format. Returns `None` for formats that do not store their channels one after
/// the other, and for those that `resolve` has refused.
pub(super) fn kernel(
    format: Format,
    normalized: bool,
    footprint: Footprint,
    build: Wide,
) -> Option<Run<KernelArgs>> {
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
        (Stored::U8, true) => filtered::<NormalizedFilter<Unorm8>>(n, footprint, build),
        (Stored::S8, true) => filtered::<NormalizedFilter<Snorm8>>(n, footprint, build),
        (Stored::U16, true) => filtered::<NormalizedFilter<Unorm16>>(n, footprint, build),
        (Stored::S16, true) => filtered::<NormalizedFilter<Snorm16>>(n, footprint, build),
        (Stored::F16, false) => filtered::<FloatFilter<F16>>(n, footprint, build),
        (Stored::F32, false) if (n, footprint) == (4, Footprint::Square) => {
            alone::<Unrolled<FloatFilter<F32>, 4, 1>>(build)
        }
        (Stored::F32, false) => filtered::<FloatFilter<F32>>(n, footprint, build),
        _ => return None,
    })
}

/// The point kernel for one channel, or for any number of channels. More variants are not worth the
/// compile time.
fn point<C: Point + Plain>(channels: u8, build: Wide) -> Run<KernelArgs> {
    match channels {
        1 => alone::<PointKernel<C, true>>(build),
        _ => alone::<PointKernel<C, false>>(build),
    }
}

fn filtered<C: Channel + Plain>(
    channels: u8,
    footprint: Footprint,
    build: Wide,
) -> Run<KernelArgs> {
    match channels {
        1 => by_footprint::<C, true>(footprint, build),
        _ => by_footprint::<C, false>(footprint, build),
    }
}

fn by_footprint<C: Channel + Plain, const ONE: bool>(
    footprint: Footprint,
    build: Wide,
) -> Run<KernelArgs> {
    match footprint {
        Footprint::Texel | Footprint::Row => alone::<Filtered<C, ONE, 1, 2>>(build),
        Footprint::Square => alone::<Filtered<C, ONE, 1, 4>>(build),
        Footprint::TwoTexels => alone::<Filtered<C, ONE, 2, 1>>(build),
        Footprint::TwoSquares => alone::<Filtered<C, ONE, 2, 4>>(build),
    }
}

fn bytes(footprint: Footprint, build: Wide) -> Run<KernelArgs> {
    match footprint {
        Footprint::Texel | Footprint::Row => alone::<Bytes<1, 2>>(build),
        Footprint::Square => alone::<Bytes<1, 4>>(build),
        Footprint::TwoTexels => alone::<Bytes<2, 1>>(build),
        Footprint::TwoSquares => alone::<Bytes<2, 4>>(build),
    }
}

fn alone<K: Kernel>(build: Wide) -> Run<KernelArgs> {
    pick_wide::<_, SeparateKernel<K>>(build)
}

/// A kernel as a stage of its own. Earlier stages have stored the locations of texels in memory.
struct SeparateKernel<K>(PhantomData<K>);

impl<K: Kernel> Stage<KernelArgs> for SeparateKernel<K> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, Call { groups, task }: Call<'_>) {
        // Nothing is prefetched, because the variant of the kernel that prefetches is not compiled
        // for this stage.
        let mut task = Task { next: None, ..task };
        for chunk in 0..32 / S::LANES {
            K::values(simd, &mut task, &Chunk { groups, chunk }, chunk);
        }
    }
}

/// A kernel that filters one channel after the other. With `ONE`, there is a single channel;
/// otherwise the number is known at run time.
struct Filtered<C, const ONE: bool, const GROUPS: usize, const PER: usize>(PhantomData<C>);

/// The texels and weights that a vector of lanes has loaded.
struct Loaded<S: Simd, C: Channel, const GROUPS: usize, const PER: usize> {
    texels: [[Texel<S>; PER]; GROUPS],
    shares: [[Int<S>; PER]; GROUPS],
    made: [[C::Weight<S>; PER]; GROUPS],
}

impl<S: Simd, C: Channel + Plain, const GROUPS: usize, const PER: usize> Loaded<S, C, GROUPS, PER> {
    #[inline(always)]
    fn new(simd: S, task: &Task<'_>, source: &impl AddressSource<S>, channels: usize) -> Self {
        let zero = int(simd, 0);
        let mut loaded = Self {
            texels: [[[zero; 4]; PER]; GROUPS],
            shares: [[zero; PER]; GROUPS],
            made: [[C::weight(zero); PER]; GROUPS],
        };
        // The loop is unrolled by hand. The compiler would not unroll it, and would keep the texels
        // in memory.
        loaded.load(simd, task, &source.addresses(simd, 0), channels, 0);
        if GROUPS > 1 {
            loaded.load(simd, task, &source.addresses(simd, 1), channels, 1);
        }
        loaded
    }

    #[inline(always)]
    fn load(
        &mut self,
        simd: S,
        task: &Task<'_>,
        addresses: &TexelAddresses<S>,
        channels: usize,
        g: usize,
    ) {
        self.texels[g] = texels(simd, task, addresses, C::SIZE * channels);
        self.shares[g] = weights(simd, addresses);
        for k in 0..PER {
            self.made[g][k] = C::weight(self.shares[g][k]);
        }
    }

    /// Filters a channel and writes its results, if the channel is requested.
    #[inline(always)]
    fn channel(
        &self,
        simd: S,
        (task, source): (&mut Task<'_>, &impl AddressSource<S>),
        c: usize,
        chunk: usize,
        ahead: impl Prefetcher,
    ) {
        let Some(out) = &mut task.out[c] else { return };
        let mut codes = [[int(simd, 0); PER]; GROUPS];
        for g in 0..GROUPS {
            for k in 0..PER {
                codes[g][k] = code(simd, &self.texels[g][k], C::SIZE, c);
            }
        }
        let reads = GroupReads::<_, PER>(source);
        C::sum(simd, &codes, &self.shares, &self.made, &reads, ahead).store(out, chunk);
    }
}

/// Determines which texels are read, from the weights of the axes and the weights of the groups.
/// This is needed rarely.
struct GroupReads<'a, T, const PER: usize>(&'a T);

impl<S: Simd, T: AddressSource<S>, const PER: usize> Reads<S> for GroupReads<'_, T, PER> {
    #[inline(always)]
    fn read(&self, simd: S, group: usize, texel: usize) -> Mask<S> {
        let (addresses, zero) = (self.0.addresses(simd, group), int(simd, 0));
        let mut read = zero.is(zero);
        if let Some(total) = addresses.total {
            read = zero.lt(total);
        }
        if PER > 1 && texel & 1 == 1 {
            read = read & zero.lt(addresses.weights[0]);
        }
        if PER > 2 && texel & 2 == 2 {
            read = read & zero.lt(addresses.weights[1]);
        }
        read
    }
}

impl<C: Channel + Plain, const ONE: bool, const GROUPS: usize, const PER: usize> Kernel
    for Filtered<C, ONE, GROUPS, PER>
{
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        let channels = if ONE { 1 } else { task.channels };
        let known = if ONE || C::SIZE == 4 { channels } else { task.several() };
        let loaded = Loaded::<S, C, GROUPS, PER>::new(simd, task, source, known);
        for c in 0..channels {
            loaded.channel(simd, (&mut *task, source), c, chunk, NoPrefetch);
        }
    }
}

/// A kernel for one or four channels of a kind, unrolled so that texels stay in registers. It
/// prefetches the texels of the next fetch.
pub(super) struct Unrolled<C, const N: usize, const GROUPS: usize>(PhantomData<C>);

impl<C: Channel + Plain, const N: usize, const GROUPS: usize> Kernel for Unrolled<C, N, GROUPS> {
    // Only this kernel prefetches; other kernels need too many registers for their texels.
    const PREFETCHES: bool = true;
    const PAIRED: bool = N == 1 && GROUPS == 1;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        let loaded = Loaded::<S, C, GROUPS, 4>::new(simd, task, source, N);
        Self::channel(simd, (&mut *task, source), &loaded, 0, chunk);
        if N > 1 {
            Self::channel(simd, (&mut *task, source), &loaded, 1, chunk);
            Self::channel(simd, (&mut *task, source), &loaded, 2, chunk);
            Self::channel(simd, (&mut *task, source), &loaded, 3, chunk);
        }
    }
}

impl<C: Channel + Plain, const N: usize, const GROUPS: usize> Unrolled<C, N, GROUPS> {
    #[inline(always)]
    fn channel<S: Simd>(
        simd: S,
        (task, source): (&mut Task<'_>, &impl AddressSource<S>),
        loaded: &Loaded<S, C, GROUPS, 4>,
        c: usize,
        chunk: usize,
    ) {
        // The next fetch reads two rows per group.
        let all = 2 * GROUPS * S::LANES;
        let (first, some) = (chunk * all + c * (all / N), all / N);
        let offsets = task.next.map(|rows| &rows.as_flattened()[first..first + some]);
        let ahead = PrefetchEach { window: task.window, offsets, each: some / (4 * GROUPS) };
        loaded.channel(simd, (task, source), c, chunk, ahead);
    }
}

/// A kernel for four channels of 8-bit unorm. It sums two channels at a time in 16-bit arithmetic,
/// which holds their sums of at most 255 * 256.
pub(super) struct Bytes<const GROUPS: usize, const PER: usize>;

impl<const GROUPS: usize, const PER: usize> Kernel for Bytes<GROUPS, PER> {
    const PREFETCHES: bool = true;
    const PAIRED: bool = GROUPS == 1;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        // The next fetch reads two rows per group.
        let all = 2 * GROUPS * S::LANES;
        // Small enough for a variant of its own.
        let sums = match task.next {
            Some(rows) => {
                let offsets = Some(&rows.as_flattened()[chunk * all..(chunk + 1) * all]);
                let (window, each) = (task.window, 2 * S::LANES / PER);
                Self::sums(simd, task, source, PrefetchEach { window, offsets, each })
            }
            None => Self::sums(simd, task, source, NoPrefetch),
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
    /// The sums of the even channels and of the odd channels, 16 bits each.
    #[inline(always)]
    fn sums<S: Simd>(
        simd: S,
        task: &Task<'_>,
        source: &impl AddressSource<S>,
        ahead: impl Prefetcher,
    ) -> [Int<S>; 2] {
        let low = int(simd, 0x00ff_00ff);
        let mut sums = [int(simd, 0); 2];
        for g in 0..GROUPS {
            let addresses = source.addresses(simd, g);
            let texels = texels::<S, PER>(simd, task, &addresses, 4);
            let weights = twin_weights::<S, PER>(simd, &addresses);
            for k in 0..PER {
                let (mut texel, weight) = (texels[k][0], weights[k]);
                ahead.prefetch(g * PER + k, &mut texel, &mut sums[0]);
                sums[0] = sums[0].add16((texel & low).mul16(weight));
                sums[1] = sums[1].add16(texel.shr16_8().mul16(weight));
            }
        }
        sums
    }
}

/// A point kernel. With `ONE`, there is a single channel; otherwise their number is known at run
/// time.
pub(super) struct PointKernel<C, const ONE: bool>(PhantomData<C>);

impl<C: Point + Plain, const ONE: bool> Kernel for PointKernel<C, ONE> {
    const POINT: bool = true;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        let (channels, known) = if ONE { (1, 1) } else { (task.channels, task.several()) };
        let [texel] = texels::<S, 1>(simd, task, &source.addresses(simd, 0), C::SIZE * known);
        for c in 0..channels {
            if let Some(out) = &mut task.out[c] {
                C::value(simd, code(simd, &texel, C::SIZE, c)).store(out, chunk);
            }
        }
    }
}
