//! The final stage of the general schedule. It computes from codes and weights the values of a
//! `tex`, a depth compare, an anisotropic fetch or a `tld4`.

use super::indices::{Buffers, TexelLanes};
use super::sums::{self, Shape};
use super::tally::AT_ONCE;
use super::taps::TapLanes;
use super::{Call, General, Space, cube};
use crate::reference::gather;
use crate::reference::weights::share_that_passes;
use crate::request::{Lanes, lanes};
use crate::sampler::CompareFunction;
use crate::warp::axis::Find;
use crate::warp::simd::{Simd, Stage, arguments};
use texunit_texel::{Reading, depth_code, normalized_code};

impl General {
    /// Computes the values of a `tex` from its codes and weights.
    #[inline(always)]
    pub(super) fn sampled<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        slots: usize,
        space: &mut Space,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        let shape = Shape { groups: slots * self.slices(), per: self.per() };
        if let Some(function) = self.effective.compare {
            self.compared(simd, call, (function, shape), space, buffers, out);
            return;
        }
        if self.pairs {
            sums::byte_pairs(simd, shape, buffers, call.components, out);
            return;
        }
        for (c, out) in out.iter_mut().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let reading = self.readings[c];
            if self.effective.sums {
                sums::sum(simd, (reading, shape), buffers, c, out);
            } else {
                sums::point(simd, reading, &buffers.texels[0][c], out);
            }
        }
    }

    /// Section 9 of docs/numerics.md: computes the filtered result of a depth compare for x, and
    /// the constants of the other components.
    fn compared<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        (function, shape): (CompareFunction, Shape),
        space: &mut Space,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        let mut passing = [0; 32];
        self.add_passing(simd, call, (function, shape, 0), buffers, &mut passing);
        for lane in lanes(space.outside) {
            passing[lane] = 0;
        }
        self.put(call.components, passing.map(|weight| share_that_passes(weight, 0)), out);
    }

    /// Writes the filtered result of a depth compare to x. Components y, z and w get the values of
    /// channels that the format lacks (rule 9.3 of docs/numerics.md).
    fn put(&self, components: u8, values: Lanes, out: &mut [Lanes; 4]) {
        for (c, out) in out.iter_mut().enumerate().filter(|(c, _)| components >> c & 1 == 1) {
            *out = if c == 0 { values } else { [self.readings[c].point(0); 32] };
        }
    }

    /// Adds the weights of the texels that pass the depth compare, from texel `first` of the
    /// buffers on.
    #[inline(always)]
    fn add_passing<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        (function, shape, first): (CompareFunction, Shape, usize),
        buffers: &Buffers,
        passing: &mut Lanes,
    ) {
        let (reading, reference) = (self.readings[0], call.request.compare);
        let (texels, weights) = (&buffers.texels[first..], &buffers.weights[first..]);
        let compared = Compared { function, reading, reference, shape, texels, weights, passing };
        simd.call::<CompareArgs, Compare>(compared);
    }

    /// Section 4 of docs/numerics.md: computes the values of an anisotropic fetch.
    #[inline(always)]
    pub(super) fn tapped<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        slots: usize,
        space: &mut Space,
        buffers: &mut Buffers,
        out: &mut [Lanes; 4],
    ) {
        let wanted = |c: &usize| call.components >> c & 1 == 1;
        let compare = self.effective.compare;
        space.taps.clear();
        for slot in 0..slots {
            self.level(slot, space);
            let most = space.taps.most[slot];
            for number in 0..most {
                let share = &space.levels.share[slot];
                space.taps.select(slot, number, share, call.request.active);
                self.tap(simd, call, slot, space, buffers);
                if let Some(function) = compare {
                    let (of, passing) = ((function, GROUP, 4 * slot), &mut space.taps.passing);
                    self.add_passing(simd, call, of, buffers, passing);
                    continue;
                }
                let TapLanes { tallies, scale, .. } = &mut space.taps;
                let is_last = number % AT_ONCE as u32 == AT_ONCE as u32 - 1 || number + 1 == most;
                for c in (0..4).filter(wanted) {
                    tallies[c].add(self.readings[c], (buffers, slot, c));
                    if is_last {
                        tallies[c].flush(self.readings[c], scale);
                    }
                }
            }
        }
        let TapLanes { tallies, scale, passing, .. } = &space.taps;
        if compare.is_some() {
            let share = |lane: usize| share_that_passes(passing[lane], scale[lane]);
            self.put(call.components, std::array::from_fn(share), out);
            return;
        }
        for c in (0..4).filter(wanted) {
            tallies[c].finish(self.readings[c], scale, &mut out[c]);
        }
    }

    /// Reads the texels of the current tap and computes their weights, 0 in lanes with fewer taps.
    #[inline(always)]
    fn tap<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        slot: usize,
        space: &mut Space,
        buffers: &mut Buffers,
    ) {
        self.axes(call, slot, true, space);
        let share = (&space.taps.weight, space.taps.active);
        self.weigh(simd, slot, share, &space.axes, buffers);
        if self.find == Find::Seamless {
            cube::share_missing(cube::missing(slot, space), 4 * slot, buffers);
        }
        for (k, weights) in buffers.weights[4 * slot..4 * slot + 4].iter_mut().enumerate() {
            buffers.read[4 * slot + k] &= space.taps.active;
            for lane in 0..32 {
                weights[lane] <<= space.taps.finer[lane];
            }
        }
        self.read(call, slot, space, buffers);
    }

    /// Section 8 of docs/numerics.md: computes the values of a `tld4`, one component of four
    /// texels, counter-clockwise from the lower left.
    #[inline(always)]
    pub(super) fn gathered<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        component: usize,
        space: &Space,
        buffers: &mut Buffers,
        out: &mut [Lanes; 4],
    ) {
        let reading = self.readings[component];
        let missing = if self.find == Find::Seamless { cube::missing(0, space) } else { [0; 4] };
        for (c, [x, y]) in gather::ORDER.into_iter().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let k = usize::from(x + 2 * y);
            let out = &mut out[c];
            if let Some(function) = self.effective.compare {
                // The depth compare uses the depth, whichever component is requested, and its
                // outcome is not filtered.
                out.fill(0);
                buffers.weights[k] = [1.0_f32.to_bits(); 32];
                let one = Shape { groups: 1, per: 1 };
                self.add_passing(simd, call, (function, one, k), buffers, out);
            } else {
                sums::gather(simd, reading, &buffers.texels[k][component], out);
            }
            if missing[k] != 0 {
                let values = self.missing_corner(simd, call, (reading, component), k, buffers);
                for lane in lanes(missing[k]) {
                    out[lane] = values[lane];
                }
            }
        }
    }

    /// Rule 8.7 of docs/numerics.md: computes the value for a texel that is missing at a corner of
    /// a cube from the three other texels.
    #[inline(never)]
    fn missing_corner<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        (reading, component): (Reading, usize),
        corner: usize,
        buffers: &mut Buffers,
    ) -> Lanes {
        let [inside, behind, _] = gather::MISSING_CORNER;
        for k in 0..4 {
            let weight = match k {
                k if k == corner => 0,
                k if k == 3 - corner => inside,
                _ => behind,
            };
            buffers.weights[k] = [weight; 32];
            buffers.read[k] = if weight > 0 { u32::MAX } else { 0 };
        }
        let mut values = [0; 32];
        let Some(function) = self.effective.compare else {
            sums::sum(simd, (reading, GROUP), buffers, component, &mut values);
            return values;
        };
        self.add_passing(simd, call, (function, GROUP, 0), buffers, &mut values);
        values.map(|weight| share_that_passes(weight, 0))
    }
}

/// The four texels of a group.
const GROUP: Shape = Shape { groups: 1, per: 4 };

/// The arguments of [`Compare`].
struct Compared<'a> {
    function: CompareFunction,
    reading: Reading,
    reference: &'a Lanes,
    shape: Shape,
    texels: &'a [TexelLanes],
    weights: &'a [Lanes],
    /// The sum of the weights of the texels that pass, to which those of these texels are added.
    passing: &'a mut Lanes,
}

arguments!(CompareArgs = Compared);

/// The stage that compares texels of 32 lanes with the reference values. It is compiled once as a
/// stage of its own, because it is called at several places.
struct Compare;

impl Stage<CompareArgs> for Compare {
    #[inline(always)]
    fn run<S: Simd>(_: S, call: Compared<'_>) {
        use CompareFunction as F;
        let Compared { function, reading, reference, shape, texels, weights, passing } = call;
        // The outcomes if the reference value is below, equal to or above the texel, and if one of
        // the two is a NaN.
        let [below, same, above, neither] = match function {
            F::Never => [0, 0, 0, 0],
            F::Less => [!0, 0, 0, 0],
            F::Equal => [0, !0, 0, 0],
            F::LessEqual => [!0, !0, 0, 0],
            F::Greater => [0, 0, !0, 0],
            F::NotEqual => [!0, 0, !0, !0],
            F::GreaterEqual => [0, !0, !0, 0],
            F::Always => [!0, !0, !0, !0],
        };
        let (mut references, mut depths) = ([0.0; 32], [0.0; 32]);
        for lane in 0..32 {
            references[lane] = match reading {
                Reading::F32 => flushed(reference[lane]),
                Reading::Unorm { bits: 24 } => depth_code(reference[lane]) as f32,
                _ => normalized_code(16, 0.0, reference[lane]) as f32,
            };
        }
        for k in shape.places() {
            let codes = &texels[k][0];
            for lane in 0..32 {
                depths[lane] = match reading {
                    Reading::F32 => flushed(codes[lane]),
                    Reading::Unorm { bits: 24 } => codes[lane] as f32,
                    _ => (codes[lane] & 0xffff) as f32,
                };
            }
            for lane in 0..32 {
                let (r, t) = (references[lane], depths[lane]);
                let which = if r < t { below } else { neither };
                let which = if r == t { same } else { which };
                passing[lane] += weights[k][lane] & if r > t { above } else { which };
            }
        }
    }
}

/// The f32 with the given bits; a subnormal number becomes zero.
#[inline(always)]
fn flushed(bits: u32) -> f32 {
    f32::from_bits(if bits & 0x7f80_0000 == 0 { 0 } else { bits })
}
