//! From codes and weights to values: of a `tex`, of a depth compare, of anisotropic footprints, of
//! a `tld4`.

use super::buffers::Buffers;
use super::sums::{self, Shape};
use super::which::some;
use super::{Call, General, Space};
use crate::reference::gather;
use crate::reference::weights::share_that_passes;
use crate::request::{Lanes, lanes};
use crate::sampler::CompareFunction;
use crate::warp::simd::{Arguments, Simd, Stage};
use texunit_texel::Reading;

impl General {
    /// Values of a `tex`.
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
        // A point filter sums only where it blends levels.
        let blended = if slots == 2 { some(&space.levels.share[1]) } else { 0 };
        for (c, out) in out.iter_mut().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let reading = self.readings[c];
            if self.filters() {
                sums::sum(simd, (reading, shape), buffers, c, out);
                continue;
            }
            sums::point(simd, reading, &buffers.texels[0][c], out);
            if blended != 0 {
                let mut sum = [0; 32];
                sums::sum(simd, (reading, shape), buffers, c, &mut sum);
                for lane in lanes(blended) {
                    out[lane] = sum[lane];
                }
            }
            if space.outside != 0 {
                for lane in lanes(space.outside) {
                    out[lane] = 0;
                }
            }
        }
    }

    /// Section 9: the share of the texels that pass, in all components.
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
        for k in shape.places() {
            let passes = self.passes(simd, call, function, &buffers.texels[k][0]);
            for lane in 0..32 {
                passing[lane] += buffers.weights[k][lane] & passes[lane] as u32;
            }
        }
        for lane in lanes(space.outside) {
            passing[lane] = 0;
        }
        put(call.components, passing.map(|weight| (weight as i32 as f32 / 256.0).to_bits()), out);
    }

    /// All ones where a texel, of these codes, passes; else 0.
    #[inline(always)]
    fn passes<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        function: CompareFunction,
        codes: &Lanes,
    ) -> [i32; 32] {
        let (mut texel, mut passes) = ([0; 32], [0; 32]);
        sums::point(simd, self.readings[0], codes, &mut texel);
        let (reference, texel, passes_of) = (call.request.compare, &texel, &mut passes);
        simd.call::<OfCompare, Compare>(Compared { function, reference, texel, passes: passes_of });
        passes
    }

    /// Section 4: the values of anisotropic footprints.
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
        let is_float = |c: usize| matches!(self.readings[c], Reading::F16 | Reading::F32);
        let compare = self.effective.compare;
        // Sums of floats depend on the largest texel of all taps: a round more.
        let twice = compare.is_none() && (0..4).filter(wanted).any(is_float);
        space.taps.clear();
        for slot in 0..slots {
            self.level(slot, space);
        }
        for measure in if twice { [true, false].as_slice() } else { &[false] } {
            for number in 0..space.taps.most {
                space.taps.select(number);
                for slot in 0..slots {
                    self.tap(simd, call, slot, space, buffers);
                }
                match compare {
                    Some(function) => self.passing(simd, call, (function, slots), space, buffers),
                    None => {
                        for c in (0..4).filter(wanted) {
                            let tap = &space.taps.weight;
                            space.taps.tallies[c].add(
                                simd,
                                self.readings[c],
                                *measure,
                                slots,
                                (buffers, c, tap),
                            );
                        }
                    }
                }
            }
        }
        if compare.is_some() {
            let share = |weight: i32| share_that_passes(weight as u32);
            put(call.components, space.taps.passing.map(share), out);
            return;
        }
        for c in (0..4).filter(wanted) {
            space.taps.tallies[c].finish(self.readings[c], &mut out[c]);
        }
    }

    /// Texels and weights of the tap at hand; none for lanes that have fewer.
    #[inline(always)]
    fn tap<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        slot: usize,
        space: &mut Space,
        buffers: &mut Buffers,
    ) {
        self.shifted_axes(call, slot, space);
        self.weigh(simd, slot, space, buffers);
        for weights in &mut buffers.weights[4 * slot..4 * slot + 4] {
            for lane in 0..32 {
                let there = space.taps.weight[lane] > 0;
                weights[lane] = if there { weights[lane] } else { 0 };
            }
        }
        self.read(call, slot, space, buffers);
    }

    /// Adds the weights of the texels of a tap that pass.
    fn passing<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        (function, slots): (CompareFunction, usize),
        space: &mut Space,
        buffers: &Buffers,
    ) {
        let taps = &mut space.taps;
        for k in 0..4 * slots {
            let passes = self.passes(simd, call, function, &buffers.texels[k][0]);
            for lane in 0..32 {
                let weight = buffers.weights[k][lane] as i32 * taps.weight[lane];
                taps.passing[lane] += weight & passes[lane];
            }
        }
    }

    /// Section 8: a component of four texels, counter-clockwise from the lower left one.
    #[inline(always)]
    pub(super) fn gathered<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        component: usize,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        for (c, [x, y]) in gather::ORDER.into_iter().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let (codes, out) = (&buffers.texels[usize::from(x + 2 * y)], &mut out[c]);
            let Some(function) = self.effective.compare else {
                sums::gather(simd, self.readings[component], &codes[component], out);
                continue;
            };
            // Whatever the component, the compare is with the depth, and its outcome is not filtered.
            let passes = self.passes(simd, call, function, &codes[0]);
            for lane in 0..32 {
                out[lane] = passes[lane] as u32 & 1.0_f32.to_bits();
            }
        }
    }
}

/// A call of [`Compare`].
struct Compared<'a> {
    function: CompareFunction,
    reference: &'a Lanes,
    texel: &'a Lanes,
    passes: &'a mut [i32; 32],
}

#[derive(Debug)]
struct OfCompare;

impl Arguments for OfCompare {
    type Of<'a> = Compared<'a>;
}

/// Compares 32 lanes: a function of its own, as there are many texels.
struct Compare;

impl Stage<OfCompare> for Compare {
    #[inline(always)]
    fn run<S: Simd>(_: S, Compared { function, reference, texel, passes }: Compared<'_>) {
        use CompareFunction as F;
        // What passes: references below texels, the same, and above; and if one of both is a NaN.
        let [below, same, above, neither] = match function {
            F::Never => [0, 0, 0, 0],
            F::Less => [-1, 0, 0, 0],
            F::Equal => [0, -1, 0, 0],
            F::LessEqual => [-1, -1, 0, 0],
            F::Greater => [0, 0, -1, 0],
            F::NotEqual => [-1, 0, -1, -1],
            F::GreaterEqual => [0, -1, -1, 0],
            F::Always => [-1, -1, -1, -1],
        };
        for lane in 0..32 {
            let [r, t] = [reference[lane], texel[lane]].map(f32::from_bits);
            let which = if r < t { below } else { neither };
            let which = if r == t { same } else { which };
            passes[lane] = if r > t { above } else { which };
        }
    }
}

/// The same values in all wanted components.
fn put(components: u8, values: Lanes, out: &mut [Lanes; 4]) {
    for (c, out) in out.iter_mut().enumerate() {
        if components >> c & 1 == 1 {
            *out = values;
        }
    }
}
