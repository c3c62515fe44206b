//! The stages of the general schedule from coordinates to codes and weights.

use super::indices::{Buffers, TexelIndices, TexelLanes, some};
use super::texels::{self, Source};
use super::{Call, General, Space, cube};
use crate::effective::Coords;
use crate::request::{FetchKind, Lanes, ZERO_LANES};
use crate::resource::{Level, Resource, TexelIndex};
use crate::warp::axis::{AxisLanes, Find, Operands};
use crate::warp::place::PlaceLanes;
use crate::warp::simd::{Simd, Stage, arguments, load};
use crate::warp::weights;
use std::marker::PhantomData;

impl General {
    /// Whether the fetch filters the texels of a level.
    pub(super) fn filters(&self) -> bool {
        self.find == Find::Linear || self.find == Find::Seamless && !self.gathers()
    }

    /// Whether the fetch is a gather, which returns texels individually.
    pub(super) fn gathers(&self) -> bool {
        matches!(self.form.kind, FetchKind::Gather(_))
    }

    /// The number of texels that a lane reads per slice.
    pub(super) fn per(&self) -> usize {
        if self.filters() || self.gathers() { 4 } else { 1 }
    }

    /// The number of slices that a lane reads per level.
    pub(super) fn slices(&self) -> usize {
        if self.find == Find::Linear && self.axes[2].is_some() { 2 } else { 1 }
    }

    /// Looks up the sizes and the memory layout of one level of each lane. `slot` is 0 for the
    /// first level and 1 for the second.
    #[inline(always)]
    pub(super) fn level(&self, slot: usize, space: &mut Space) {
        let Space { place, levels, sizes, pitches, .. } = space;
        let (sizes, pitches) = (&mut sizes[slot], &mut pitches[slot]);
        let numbers = &levels.level[slot];
        let mut differs = 0;
        for lane in 0..32 {
            differs |= numbers[lane] ^ numbers[0];
        }
        if differs == 0 {
            let level = &self.levels[numbers[0] as usize];
            for (sizes, n) in sizes.iter_mut().zip(level.extent.axes()) {
                sizes.fill(n);
            }
            pitches.fill(level);
            for lane in 0..32 {
                pitches.put_base(lane, base(level, place, lane));
            }
            return;
        }
        for lane in 0..32 {
            let level = &self.levels[numbers[lane] as usize];
            for (sizes, n) in sizes.iter_mut().zip(level.extent.axes()) {
                sizes[lane] = n;
            }
            pitches.put(lane, level);
            pitches.put_base(lane, base(level, place, lane));
        }
    }

    /// Section 1 of docs/numerics.md: computes the texels along each axis; for an anisotropic
    /// fetch, those of the current tap.
    #[inline(always)]
    pub(super) fn axes(&self, call: &Call<'_>, slot: usize, is_tapped: bool, space: &mut Space) {
        let Space { place, sizes, axes, taps, .. } = space;
        let point = self.places.point(call.request, place);
        for (a, lanes) in axes.iter_mut().enumerate() {
            let Some(axis) = &self.axes[a] else {
                *lanes = AxisLanes::ZERO;
                continue;
            };
            let (coords, offset) = (point[a], self.places.offset(a, place));
            let shift = taps.shift.get(a).filter(|_| is_tapped);
            let size = Some(&sizes[slot][a]);
            axis.run(Operands { coords, offset, shift, size, pitch: None }, lanes);
        }
        if let Some(named) = &self.named {
            let outside = named.outside(call.request);
            for lane in crate::request::lanes(outside) {
                axes[0].lower[lane] = u32::MAX;
            }
        }
        if self.find == Find::Seamless {
            cube::pull(slot, space);
        }
    }

    /// Computes the weights of a level's texels, whose sum is the level's share.
    #[inline(always)]
    pub(super) fn weigh<S: Simd>(
        &self,
        simd: S,
        slot: usize,
        (share, active): (&Lanes, u32),
        axes: &[AxisLanes; 3],
        buffers: &mut Buffers,
    ) {
        let [x, y, z] = axes;
        if !self.filters() {
            let first = 4 * slot;
            buffers.weights[first] = *share;
            buffers.read[first] = active;
            if self.effective.sums {
                // Sums always use groups of four texels.
                buffers.weights[first + 1..first + 4].fill(ZERO_LANES);
                buffers.read[first + 1..first + 4].fill(0);
            }
            return;
        }
        let first = 4 * slot * self.slices();
        let places = buffers.weights[first..].as_chunks_mut::<4>().0;
        for chunk in 0..32 / S::LANES {
            let (x, y) = (load(simd, &x.weight, chunk), load(simd, &y.weight, chunk));
            let share = load(simd, share, chunk);
            let slices = weights::slices(simd, share, load(simd, &z.weight, chunk));
            for slice in 0..self.slices() {
                let total = if self.slices() == 1 { share } else { slices[slice] };
                let texels = weights::rows(simd, weights::row(simd, total, x), y);
                for k in 0..4 {
                    texels[k].store(&mut places[slice][k], chunk);
                }
            }
        }
        if self.asks_for_reads {
            let [x, y, z] = [x, y, z].map(|axis| [u32::MAX, some(&axis.weight)]);
            for place in 0..4 * self.slices() {
                let read = x[place & 1] & y[place >> 1 & 1] & z[place >> 2];
                buffers.read[first + place] = read & active;
            }
        }
    }

    /// Reads the texels of a level.
    #[inline(always)]
    pub(super) fn read(&self, call: &Call, slot: usize, space: &mut Space, buffers: &mut Buffers) {
        self.read.call(Reading { plan: self, call, slot, space, buffers });
    }

    #[inline(always)]
    fn read_here<S: Simd, T: Source>(
        &self,
        simd: S,
        call: &Call<'_>,
        slot: usize,
        space: &mut Space,
        buffers: &mut Buffers,
    ) {
        let block = call.resource.block();
        let General { format, layout, pairs, border, .. } = *self;
        let from = texels::From { format, layout, pairs, block, border };
        let is_sparse = call.resource.residency().is_some();
        let active = call.request.active;
        let (mut past_edges, mut absent) = ([0; 4], [0; 8]);
        for slice in 0..self.slices() {
            for k in 0..self.per() {
                let place = 4 * (slot * self.slices() + slice) + k;
                if self.find == Find::Seamless {
                    past_edges[k] = cube::past_edges(slot, k, space);
                }
                let ([x, y, z], inside) = (&space.axes, &space.inside);
                let at = match self.find {
                    Find::Seamless => [&inside[0], &inside[1], &z.lower],
                    _ => [x.side(k & 1), y.side(k >> 1), z.side(slice)],
                };
                let which = TexelIndices { at, pitches: &space.pitches[slot], wanted: active };
                let (corner, out) = (self.per() * slice + k, &mut buffers.texels[place]);
                T::corner(simd, from, which, corner, &mut space.texels, out);
                if is_sparse && self.find != Find::Seamless {
                    let level = &space.levels.level[slot];
                    absent[corner] = self::absent(call.resource, &space.place, level, which);
                }
                if self.effective.coords == Coords::Integer {
                    space.outside |= negative(at);
                }
            }
        }
        let first = 4 * slot * self.slices();
        let count = self.slices() * self.per();
        T::corners(simd, from, &mut space.texels, &mut buffers.texels[first..first + count]);
        if self.find == Find::Seamless {
            for (k, past) in past_edges.into_iter().enumerate() {
                let which = active & if is_sparse { u32::MAX } else { past };
                let out = &mut buffers.texels[first + k];
                absent[k] = cube::read::<T>(from, call.resource, (slot, k, which), space, out);
            }
        }
        for k in 0..if call.resource.layer_stride.is_some() { self.per() } else { 0 } {
            let [x, y, z] = &space.axes;
            let at = [x.side(k & 1), y.side(k >> 1), &z.lower];
            let which = TexelIndices { at, pitches: &space.pitches[slot], wanted: active };
            let out = &mut buffers.texels[first + k];
            let which = (which, &space.place.plane);
            read_strided::<T>(from, call.resource, which, &mut space.texels, out);
        }
        for place in 0..if is_sparse { 4 * self.slices() } else { 0 } {
            let absent = absent[if self.per() == 4 { place } else { place / 4 }];
            if absent == 0 || self.per() == 1 && place % 4 != 0 {
                continue;
            }
            // Rule 9.4 of docs/numerics.md: texels that are not resident are read as 0. If such a
            // texel has a weight, the fetch is not resident.
            for codes in &mut buffers.texels[first + place] {
                for lane in crate::request::lanes(absent) {
                    codes[lane] = 0;
                }
            }
            let counts =
                if self.gathers() { active } else { some(&buffers.weights[first + place]) };
            space.missing |= absent & active & counts;
        }
    }
}

/// The arguments of [`Read`].
pub(super) struct Reading<'a> {
    plan: &'a General,
    call: &'a Call<'a>,
    slot: usize,
    space: &'a mut Space,
    buffers: &'a mut Buffers,
}

arguments!(pub(super) ReadArgs = Reading);

/// The stage that reads the texels of a level from a source of type `T`.
pub(super) struct Read<T>(PhantomData<T>);

impl<T: Source> Stage<ReadArgs> for Read<T> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, reading: Reading<'_>) {
        let Reading { plan, call, slot, space, buffers } = reading;
        plan.read_here::<S, T>(simd, call, slot, space, buffers);
    }
}

/// The byte offset of the first texel in the layer or face and the sample that a lane reads.
#[inline(always)]
fn base(level: &Level, place: &PlaceLanes, lane: usize) -> i64 {
    let (plane, sample) = (u64::from(place.plane[lane]), u64::from(place.sample[lane]));
    (level.offset + plane * level.plane_pitch + sample * level.sample_pitch) as i64
}

/// The mask of the lanes that have a negative index along any axis.
#[inline(always)]
fn negative([x, y, z]: [&Lanes; 3]) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= (x[lane] | y[lane] | z[lane]) >> 31 << lane;
    }
    mask
}

/// The binary logarithm of a power of two that divides all tile sizes of sparse arrays, along each
/// axis.
const PART_OF_TILE: u32 = 4;

/// The mask of the lanes whose texel is not resident. Neighbouring lanes are often in one tile, for
/// which the map of tiles is read once.
#[inline(always)]
fn absent(resource: &Resource, place: &PlaceLanes, level: &[u32; 32], which: TexelIndices) -> u32 {
    let [x, y, z] = which.at;
    let mut starts = 1;
    for lane in 1..32 {
        let before = lane - 1;
        let way = (x[lane] ^ x[before]) | (y[lane] ^ y[before]) | (z[lane] ^ z[before]);
        let other = (place.plane[lane] ^ place.plane[before]) | (level[lane] ^ level[before]);
        let differs = way >> PART_OF_TILE | other != 0;
        starts |= u32::from(differs) << lane;
    }
    let mut mask = 0;
    while starts != 0 {
        let lane = starts.trailing_zeros();
        starts &= starts - 1;
        let all = ((1_u64 << starts.trailing_zeros()) - (1 << lane)) as u32 & which.wanted;
        let lane = lane as usize;
        let outside = (x[lane] | y[lane] | z[lane]) >> 31 != 0;
        if all != 0 && !outside && !is_resident(resource, place, level[lane], which, lane) {
            mask |= all;
        }
    }
    mask
}

/// Rule 1.11 level array of docs/numerics.md: reads texels that do not lie at the pitches of their
/// level. Texels in padding are read as 0.
#[cold]
#[inline(never)]
fn read_strided<T: Source>(
    from: texels::From<'_>,
    resource: &Resource,
    (which, plane): (TexelIndices<'_>, &Lanes),
    space: &mut texels::Space,
    out: &mut TexelLanes,
) {
    let block = from.format.block_extent();
    for lane in crate::request::lanes(which.wanted) {
        let [x, y, z] = which.at.map(|axis| axis[lane]);
        if (x | y | z) >> 31 == 1 {
            continue;
        }
        let index = TexelIndex { plane: plane[lane], at: [x, y, z], ..TexelIndex::default() };
        let codes = resource
            .texel_offset(index)
            .map_or([0; 4], |at| T::texel(from, (at as i64, 0), [x % block, y % block], space));
        texels::put(out, lane, codes);
    }
}

fn is_resident(
    resource: &Resource,
    place: &PlaceLanes,
    level: u32,
    which: TexelIndices<'_>,
    lane: usize,
) -> bool {
    let at = which.at.map(|axis| axis[lane]);
    let (plane, sample) = (place.plane[lane], place.sample[lane]);
    resource.is_resident(TexelIndex { level, plane, sample, at })
}
