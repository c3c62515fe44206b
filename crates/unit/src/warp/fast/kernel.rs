//! From texels to results: a stage for each kind of channel, number of channels and footprint.

use super::ahead::{Ahead, Asking, No};
use super::floats::{F16, Real};
use super::footprint::{Call, Group, Texel, code, texels, weights};
use super::point::{Half, Picked, Point, Signed, Snorm, Unorm, Unsigned};
use super::singles::F32;
use super::sums::{Channel, Snorm8, Snorm16, Unorm8, Unorm16, Whole};
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Int, Run, Simd, Stage, int, pick};
use std::marker::PhantomData;
use texunit_texel::{Channel as Stored, Format};

#[derive(Debug)]
pub(super) struct OfKernel;

impl Arguments for OfKernel {
    type Of<'a> = Call<'a>;
}

/// A footprint: how many groups of how many texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footprint {
    /// One texel, not filtered.
    Texel,
    /// Two texels of a row.
    Row,
    /// Four texels.
    Square,
    /// Two groups of one texel: a point filter between levels.
    TwoTexels,
    /// Two groups of four: slices or levels.
    TwoSquares,
}

/// The kernel for a format; `None` if there is none: formats that do not have their channels one after
/// the other, and those that `resolve` has refused.
pub(super) fn kernel(
    format: Format,
    normalized: bool,
    footprint: Footprint,
    build: Build,
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
        (Stored::F32, false) if n == 4 && footprint == Footprint::Square => {
            pick::<_, Unrolled<Real<F32>, 4, 1, false>>(build)
        }
        (Stored::F32, false) => filtered::<Real<F32>>(n, footprint, build),
        _ => return None,
    })
}

/// The kernel that also asks for the texels of the next fetch, where there is one: for texels that fill
/// the caches soon.
pub(super) fn asking(format: Format, footprint: Footprint, build: Build) -> Option<Run<OfKernel>> {
    use Footprint::{Square, TwoSquares};
    match (format.plain_channel()?, format.channels(), footprint) {
        (Stored::F32, 1, Square) => Some(pick::<_, Unrolled<Real<F32>, 1, 1, true>>(build)),
        (Stored::F32, 1, TwoSquares) => Some(pick::<_, Unrolled<Real<F32>, 1, 2, true>>(build)),
        (Stored::F32, 4, Square) => Some(pick::<_, Unrolled<Real<F32>, 4, 1, true>>(build)),
        _ => None,
    }
}

/// Kernels for one channel, and for any number of them: the time to compile is worth no more.
fn point<C: Point>(channels: u8, build: Build) -> Run<OfKernel> {
    match channels {
        1 => pick::<_, Picked<C, true>>(build),
        _ => pick::<_, Picked<C, false>>(build),
    }
}

fn filtered<C: Channel>(channels: u8, footprint: Footprint, build: Build) -> Run<OfKernel> {
    match channels {
        1 => by_footprint::<C, true>(footprint, build),
        _ => by_footprint::<C, false>(footprint, build),
    }
}

fn by_footprint<C: Channel, const ONE: bool>(footprint: Footprint, build: Build) -> Run<OfKernel> {
    match footprint {
        Footprint::Texel | Footprint::Row => pick::<_, Filtered<C, ONE, 1, 2>>(build),
        Footprint::Square => pick::<_, Filtered<C, ONE, 1, 4>>(build),
        Footprint::TwoTexels => pick::<_, Filtered<C, ONE, 2, 1>>(build),
        Footprint::TwoSquares => pick::<_, Filtered<C, ONE, 2, 4>>(build),
    }
}

fn bytes(footprint: Footprint, build: Build) -> Run<OfKernel> {
    match footprint {
        Footprint::Texel | Footprint::Row => pick::<_, Bytes<1, 2>>(build),
        Footprint::Square => pick::<_, Bytes<1, 4>>(build),
        Footprint::TwoTexels => pick::<_, Bytes<2, 1>>(build),
        Footprint::TwoSquares => pick::<_, Bytes<2, 4>>(build),
    }
}

/// The groups of a call, as many as the kernel was picked for.
#[inline(always)]
fn groups<'a, const GROUPS: usize>(call: &Call<'a>) -> &'a [Group<'a>; GROUPS] {
    call.groups.first_chunk().expect("the kernel fits the footprint")
}

/// Channels of a kind, one by one: a single one, or as many as there are.
struct Filtered<C, const ONE: bool, const GROUPS: usize, const PER: usize>(PhantomData<C>);

/// Texels and weights of a vector's lanes.
struct Loaded<S: Simd, C: Channel, const GROUPS: usize, const PER: usize> {
    texels: [[Texel<S>; PER]; GROUPS],
    shares: [[Int<S>; PER]; GROUPS],
    made: [[C::Weight<S>; PER]; GROUPS],
}

impl<S: Simd, C: Channel, const GROUPS: usize, const PER: usize> Loaded<S, C, GROUPS, PER> {
    #[inline(always)]
    fn new(simd: S, call: &Call<'_>, channels: usize, chunk: usize) -> Self {
        let zero = int(simd, 0);
        let mut loaded = Self {
            texels: [[[zero; 4]; PER]; GROUPS],
            shares: [[zero; PER]; GROUPS],
            made: [[C::weight(zero); PER]; GROUPS],
        };
        // No loop: the compiler would leave it one, and the texels in memory.
        loaded.load(simd, call, channels, 0, chunk);
        if GROUPS > 1 {
            loaded.load(simd, call, channels, 1, chunk);
        }
        loaded
    }

    #[inline(always)]
    fn load(&mut self, simd: S, call: &Call<'_>, channels: usize, g: usize, chunk: usize) {
        let group = &groups::<GROUPS>(call)[g];
        self.texels[g] = texels(simd, call, group, C::SIZE * channels, chunk);
        self.shares[g] = weights(simd, group, chunk);
        for k in 0..PER {
            self.made[g][k] = C::weight(self.shares[g][k]);
        }
    }

    /// Filters a channel, if it is wanted.
    #[inline(always)]
    fn channel(&self, simd: S, call: &mut Call<'_>, c: usize, chunk: usize, ahead: impl Ahead) {
        if call.components >> c & 1 == 0 {
            return;
        }
        let mut codes = [[int(simd, 0); PER]; GROUPS];
        for g in 0..GROUPS {
            for k in 0..PER {
                codes[g][k] = code(simd, &self.texels[g][k], C::SIZE, c);
            }
        }
        C::sum(simd, &codes, &self.shares, &self.made, ahead).store(&mut call.out[c], chunk);
    }
}

impl<C: Channel, const ONE: bool, const GROUPS: usize, const PER: usize> Stage<OfKernel>
    for Filtered<C, ONE, GROUPS, PER>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, mut call: Call<'_>) {
        let channels = if ONE { 1 } else { call.channels };
        for chunk in 0..32 / S::LANES {
            let loaded = Loaded::<S, C, GROUPS, PER>::new(simd, &call, channels, chunk);
            for c in 0..channels {
                loaded.channel(simd, &mut call, c, chunk, No);
            }
        }
    }
}

/// One or four channels of a kind. Each is in the code by itself, so that texels stay in registers. `ASK`
/// says that the texels of the next fetch are asked for.
struct Unrolled<C, const N: usize, const GROUPS: usize, const ASK: bool>(PhantomData<C>);

impl<C: Channel, const N: usize, const GROUPS: usize, const ASK: bool> Stage<OfKernel>
    for Unrolled<C, N, GROUPS, ASK>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, mut call: Call<'_>) {
        for chunk in 0..32 / S::LANES {
            let loaded = Loaded::<S, C, GROUPS, 4>::new(simd, &call, N, chunk);
            Self::channel(simd, &mut call, &loaded, 0, chunk);
            if N > 1 {
                Self::channel(simd, &mut call, &loaded, 1, chunk);
                Self::channel(simd, &mut call, &loaded, 2, chunk);
                Self::channel(simd, &mut call, &loaded, 3, chunk);
            }
        }
    }
}

impl<C: Channel, const N: usize, const GROUPS: usize, const ASK: bool> Unrolled<C, N, GROUPS, ASK> {
    #[inline(always)]
    fn channel<S: Simd>(
        simd: S,
        call: &mut Call<'_>,
        loaded: &Loaded<S, C, GROUPS, 4>,
        c: usize,
        chunk: usize,
    ) {
        if ASK {
            let (window, rows) = (call.window, call.next);
            // Two rows a group.
            let all = 2 * GROUPS * S::LANES;
            let first = chunk * all + c * (all / N);
            let asking = Asking { window, rows, first, each: all / N / (4 * GROUPS) };
            loaded.channel(simd, call, c, chunk, asking);
        } else {
            loaded.channel(simd, call, c, chunk, No);
        }
    }
}

/// Four channels of 8-bit unorm: two at a time in 16-bit arithmetic, which holds their sums of at most
/// 255 * 256.
struct Bytes<const GROUPS: usize, const PER: usize>;

impl<const GROUPS: usize, const PER: usize> Stage<OfKernel> for Bytes<GROUPS, PER> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let groups = groups::<GROUPS>(&call);
        let low = int(simd, 0x00ff_00ff);
        for chunk in 0..32 / S::LANES {
            let mut sums = [int(simd, 0); 2];
            for group in groups {
                let texels = texels::<S, PER>(simd, &call, group, 4, chunk);
                let weights = weights::<S, PER>(simd, group, chunk);
                for k in 0..PER {
                    let (texel, weight) = (texels[k][0], weights[k] | (weights[k] << 16));
                    sums[0] = sums[0].add16((texel & low).mul16(weight));
                    sums[1] = sums[1].add16(texel.shr16_8().mul16(weight));
                }
            }
            for odd in 0..2 {
                let sum = sums[odd];
                // (257 * sum + 128) >> 8, as for single channels.
                let k = sum.add16(sum.add16(int(simd, 0x0080_0080)).shr16_8());
                let (low, high) = (k & int(simd, 0xffff), k.shr(16));
                if call.components >> odd & 1 == 1 {
                    low.to_float().ratio(65_535.0).as_int().store(&mut call.out[odd], chunk);
                }
                if call.components >> (odd + 2) & 1 == 1 {
                    high.to_float().ratio(65_535.0).as_int().store(&mut call.out[odd + 2], chunk);
                }
            }
        }
    }
}
