//! Fetches with whole arrays of coordinates, for callers without a kernel. The arrays are split
//! into warps, which a plan fetches.

use super::fast::{self, Points};
use super::{Fast, FetchPlan, Schedule, Scratch};
use crate::request::{Coordinates, FetchAnswer, FetchRequest, Lanes, ZERO_LANES};
use texunit_forms::Count;
use texunit_memory::hint;

/// The operands of many fetches: an array for each operand of [`FetchRequest`]. Floats are given as
/// raw bits (see `bytemuck::cast_slice`). Arrays of operands that the instruction does not have may
/// be empty.
#[derive(Clone, Copy, Debug)]
pub struct FetchArrays<'a> {
    /// Layer, sample, and coordinates x, y, z.
    pub coords: Coordinates<&'a [u32]>,
    /// Texel offsets along x, y, z (s32).
    pub offset: [&'a [u32]; 3],
    /// Mip levels of `tex.level`: f32 or s32 bits.
    pub level: &'a [u32],
    /// Derivatives of x, y, z along screen x, for `tex.grad`.
    pub dpdx: [&'a [u32]; 3],
    /// Derivatives of x, y, z along screen y, for `tex.grad`.
    pub dpdy: [&'a [u32]; 3],
    /// Reference values of a depth compare.
    pub compare: &'a [u32],
    /// Mask of the requested components, bit 0 for x.
    pub components: u8,
}

/// The error for an operand array whose length differs from that of the x coordinates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {}, but there {} {}", Count(len, "element"), Count(fetches, "fetch").are(), Count(fetches, "fetch"))]
pub struct LengthError {
    /// Name of the array.
    pub what: &'static str,
    /// The length of the array.
    pub len: usize,
    /// The length of the x array, which is the number of fetches.
    pub fetches: usize,
}

impl<'a> FetchArrays<'a> {
    /// Fetches of all components at these coordinates, without other operands.
    pub fn new(coords: Coordinates<&'a [u32]>) -> Self {
        let (offset, dpdx, dpdy) = ([&[][..]; 3], [&[][..]; 3], [&[][..]; 3]);
        Self { coords, offset, level: &[], dpdx, dpdy, compare: &[], components: 0xf }
    }

    /// All operand arrays in a fixed order, which [`request`] relies on.
    fn all(&self) -> [(&'static str, &'a [u32]); OPERANDS] {
        let Coordinates { layer, sample, point: [x, y, z] } = self.coords;
        let [ox, oy, oz] = self.offset;
        let ([ax, ay, az], [bx, by, bz]) = (self.dpdx, self.dpdy);
        [
            ("layer", layer),
            ("sample", sample),
            ("x", x),
            ("y", y),
            ("z", z),
            ("offset[0]", ox),
            ("offset[1]", oy),
            ("offset[2]", oz),
            ("level", self.level),
            ("dpdx[0]", ax),
            ("dpdx[1]", ay),
            ("dpdx[2]", az),
            ("dpdy[0]", bx),
            ("dpdy[1]", by),
            ("dpdy[2]", bz),
            ("compare", self.compare),
        ]
    }
}

const OPERANDS: usize = 16;

/// How many warps ahead operands and results are prefetched. The distance must be large, because
/// stores that miss the caches fill the CPU's store buffer and then stall all instructions.
pub(super) const AHEAD: usize = 12;

/// Prefetches the cache lines of a warp in an array that is read. The address may be past the end
/// of the array: if the array is a part of a longer one, the next operands are there.
#[inline(always)]
pub(super) fn prefetch<T>(array: &[T], warp: usize) {
    let place = array.as_ptr().wrapping_add(warp).cast::<u8>();
    for line in 0..size_of::<T>() / 64 {
        hint::prefetch(place.wrapping_add(64 * line));
    }
}

/// Prefetches the cache lines of a warp in an array that is written.
#[inline(always)]
pub(super) fn prefetch_to_write(array: &[Lanes], warp: usize) {
    if let Some(lanes) = array.get(warp) {
        let place = lanes.as_ptr().cast::<u8>();
        hint::prefetch_to_write(place);
        hint::prefetch_to_write(place.wrapping_add(64));
    }
}

/// The operand arrays, and for each operand the values of the current warp.
struct Registers<'a> {
    /// The used operands with their arrays; the first `len` are valid.
    used: [(usize, &'a [Lanes]); OPERANDS],
    len: usize,
    lanes: [&'a Lanes; OPERANDS],
    components: u8,
}

impl<'a> Registers<'a> {
    fn new(all: &[(&'static str, &'a [u32]); OPERANDS], components: u8) -> Self {
        let (mut used, mut len) = ([(0, &[][..]); OPERANDS], 0);
        for (register, (_, array)) in all.iter().enumerate().filter(|(_, all)| !all.1.is_empty()) {
            used[len] = (register, array.as_chunks().0);
            len += 1;
        }
        Self { used, len, lanes: [&ZERO_LANES; OPERANDS], components }
    }

    /// The request of a warp, in which all lanes are active.
    #[inline(always)]
    fn request(&mut self, warp: usize) -> FetchRequest<'a> {
        for &(register, array) in &self.used[..self.len] {
            self.lanes[register] = &array[warp];
            prefetch(array, warp + AHEAD);
        }
        request(u32::MAX, self.components, &self.lanes)
    }
}

/// Writes the results of one warp to the output arrays.
#[inline(always)]
fn write(out: &mut [&mut [u32]; 4], warp: usize, values: &[Lanes; 4], components: u8) {
    for (c, (array, values)) in out.iter_mut().zip(values).enumerate() {
        if components >> c & 1 == 1 {
            let lanes = array.as_chunks_mut().0;
            lanes[warp] = *values;
            prefetch_to_write(lanes, warp + AHEAD);
        }
    }
}

/// The output arrays of the requested components, divided into warps.
fn results<'a>(out: &'a mut [&mut [u32]; 4], components: u8) -> [&'a mut [Lanes]; 4] {
    let mut c = 0;
    out.each_mut().map(|array| {
        let is_wanted = components >> c & 1 == 1;
        c += 1;
        if is_wanted { array.as_chunks_mut().0 } else { &mut [] }
    })
}

fn request<'a>(active: u32, components: u8, of: &[&'a Lanes; OPERANDS]) -> FetchRequest<'a> {
    let [layer, sample, x, y, z, ox, oy, oz, level, ax, ay, az, bx, by, bz, compare] = *of;
    FetchRequest {
        active,
        components,
        coords: Coordinates { layer, sample, point: [x, y, z] },
        offset: [ox, oy, oz],
        level,
        dpdx: [ax, ay, az],
        dpdy: [bx, by, bz],
        compare,
    }
}

/// Number of points that are split into x and y coordinates at once, if the plan does not read
/// interleaved pairs.
const PAIRS: usize = 256;

fn check(what: &'static str, len: usize, fetches: usize) -> Result<(), LengthError> {
    if len == fetches { Ok(()) } else { Err(LengthError { what, len, fetches }) }
}

impl FetchPlan {
    /// Whether the plan can fetch these arrays with the fused stage, which processes many warps in
    /// one loop. The fused stage does not support coordinates without an array, which are zero.
    fn is_fused(&self, fast: &Fast, operands: &FetchArrays<'_>) -> bool {
        let mut coords = operands.coords.vector(self.form.geometry);
        fast.is_fused() && !self.is_narrow() && coords.all(|array| !array.is_empty())
    }

    /// Fetches once for each point of two coordinates x and y, encoded as in [`FetchArrays`]. All
    /// other operands are zero. Results go to the arrays of the requested components (bit 0 for x),
    /// as in [`Self::fetch_arrays`]. Fails if the array of a requested component has another length
    /// than `points`.
    pub fn fetch_pairs(
        &self,
        points: &[[u32; 2]],
        components: u8,
        mut out: [&mut [u32]; 4],
        scratch: &mut Scratch,
    ) -> Result<(), LengthError> {
        let components = self.check_results(components, &out, points.len())?;
        let mut done = 0;
        if let Schedule::Fast(fast) = &self.schedule
            && fast.is_fused()
            && !self.is_narrow()
            && self.form.geometry.axes() == 2
        {
            let (warps, _) = points.as_chunks::<32>();
            let pairs = Points::Pairs(warps);
            self.fetch_fused(
                fast,
                pairs,
                (&mut out, components),
                scratch,
                |warp, scratch, answer| {
                    let [x, y] = [0, 1].map(|axis| warps[warp].map(|point| point[axis]));
                    let coords = Coordinates::at([&x, &y, &ZERO_LANES], &ZERO_LANES);
                    let request =
                        FetchRequest { components, ..FetchRequest::new(u32::MAX, coords) };
                    self.fetch(&request, scratch, answer);
                },
            );
            done = 32 * warps.len();
        }
        for part in points[done..].chunks(PAIRS) {
            let mut axes = [[0; PAIRS]; 2];
            for (n, point) in part.iter().enumerate() {
                (axes[0][n], axes[1][n]) = (point[0], point[1]);
            }
            let [x, y] = axes.each_ref().map(|axis| &axis[..part.len()]);
            let operands =
                FetchArrays { components, ..FetchArrays::new(Coordinates::at([x, y, &[]], &[])) };
            let results = out.each_mut().map(|array| {
                if array.is_empty() { &mut [] } else { &mut array[done..done + part.len()] }
            });
            self.fetch_arrays(&operands, results, scratch)?;
            done += part.len();
        }
        Ok(())
    }

    /// The requested components that the instruction has. Fails if the array of one of them has
    /// another length than the number of fetches.
    fn check_results(
        &self,
        components: u8,
        out: &[&mut [u32]; 4],
        fetches: usize,
    ) -> Result<u8, LengthError> {
        let names = ["out[0]", "out[1]", "out[2]", "out[3]"];
        let components = components & [0, 1, 3, 7, 15][usize::from(self.form.result.registers())];
        for c in (0..4).filter(|c| components >> c & 1 == 1) {
            check(names[c], out[c].len(), fetches)?;
        }
        Ok(components)
    }

    /// Fetches whole warps with the fused stage. `alone` fetches a warp that has lanes outside the
    /// range of the fused stage.
    fn fetch_fused(
        &self,
        fast: &Fast,
        points: Points<'_>,
        (out, components): (&mut [&mut [u32]; 4], u8),
        scratch: &mut Scratch,
        mut alone: impl FnMut(usize, &mut Scratch, &mut FetchAnswer),
    ) {
        for c in (fast.channels()..4).filter(|c| components >> c & 1 == 1) {
            out[c].fill(0);
        }
        let mut answer = FetchAnswer::default();
        let (mut warp, warps) = (0, points.warps());
        while warp < warps {
            let mut arrays = fast::Registers::Arrays { points, out: results(out, components) };
            fast.run_fused(&self.seen.resource, &mut arrays, &mut warp, &mut scratch.fast);
            if warp < warps {
                alone(warp, scratch, &mut answer);
                write(out, warp, &answer.values, components);
                warp += 1;
            }
        }
    }

    /// Fetches once for each element of x. Results go to the arrays of the requested components;
    /// arrays of other components may be empty. Fails if an operand array that is not empty, or the
    /// array of a requested component, has another length than x.
    pub fn fetch_arrays(
        &self,
        operands: &FetchArrays<'_>,
        mut out: [&mut [u32]; 4],
        scratch: &mut Scratch,
    ) -> Result<(), LengthError> {
        let fetches = operands.coords.point[0].len();
        let all = operands.all();
        for (what, array) in all.into_iter().filter(|(_, array)| !array.is_empty()) {
            check(what, array.len(), fetches)?;
        }
        let components = self.check_results(operands.components, &out, fetches)?;
        let wanted = |c: &usize| components >> c & 1 == 1;

        let mut answer = FetchAnswer::default();
        let warps = fetches / 32;
        match &self.schedule {
            Schedule::Fast(fast) if self.is_fused(fast, operands) => {
                let points = Points::Axes(operands.coords.point.map(|array| array.as_chunks().0));
                self.fetch_fused(
                    fast,
                    points,
                    (&mut out, components),
                    scratch,
                    |warp, scratch, answer| {
                        let mut registers = Registers::new(&all, components);
                        self.fetch(&registers.request(warp), scratch, answer);
                    },
                );
            }
            Schedule::Fast(fast) if !self.is_narrow() => {
                let mut registers = Registers::new(&all, components);
                let mut places = results(&mut out, components).map(|lanes| lanes.iter_mut());
                let mut warps = 0..warps;
                fast.fetch_staged(
                    &self.seen.resource,
                    |to| {
                        let warp = warps.next()?;
                        for (to, rest) in to.iter_mut().zip(&mut places) {
                            prefetch_to_write(rest.as_slice(), AHEAD);
                            *to = rest.next();
                        }
                        Some(registers.request(warp))
                    },
                    &mut scratch.fast,
                );
            }
            _ => {
                let mut registers = Registers::new(&all, components);
                for warp in 0..warps {
                    self.fetch(&registers.request(warp), scratch, &mut answer);
                    write(&mut out, warp, &answer.values, components);
                }
            }
        }

        let rest = fetches % 32;
        if rest != 0 {
            let padded = all.map(|(_, array)| {
                let mut lanes = ZERO_LANES;
                let rest = array.as_chunks::<32>().1;
                lanes[..rest.len()].copy_from_slice(rest);
                lanes
            });
            let request = request((1 << rest) - 1, components, &padded.each_ref());
            self.fetch(&request, scratch, &mut answer);
            for c in (0..4).filter(wanted) {
                out[c].as_chunks_mut::<32>().1.copy_from_slice(&answer.values[c][..rest]);
            }
        }
        Ok(())
    }
}
