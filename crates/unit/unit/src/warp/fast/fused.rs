//! The fused stage: whole fetches in one loop over many warps, for the most common samplers (all
//! axes alike, one level, no layers, no offsets), including the faces of a cube. Only the locations
//! of the next warp's texels are stored in memory, so that the CPU can overlap several fetches.

use super::footprint::{Kernel, Task};
use super::kernel::{Bytes, Footprint, PointKernel, Unrolled};
use super::registers::Registers;
use super::stored::{ANY, StoredAddresses, StoredVector, VectorAddresses};
use crate::request::{Lanes, ZERO_LANES, reborrow};
use crate::warp::axis::{
    Axis, BORDER, CLAMP, CUT, EXACT, LINEAR, OnAxis, POINT, Size, WRAP, WRAP_2, along,
};
use crate::warp::build::Wide;
use crate::warp::channel::{F32, FloatFilter, Unorm};
use crate::warp::place::{USUAL, on_face, scale};
use crate::warp::simd::{Int, PairedSimd, Run, Simd, Stage, arguments, int, load, pick_wide};
use std::marker::PhantomData;
use texunit_memory::Window;
use texunit_texel::{Channel as Stored, Format};

/// The arguments of the fused stage.
pub(super) struct Call<'a> {
    pub(super) axes: &'a [Option<Axis>; 3],
    pub(super) window: Window<'a>,
    pub(super) border: &'a [u32; 4],
    pub(super) channels: usize,
    /// For cubes, the number of bytes between faces.
    pub(super) face_pitch: Option<u32>,
    /// Whether the texels of the next warp are prefetched, if the kernel supports it.
    pub(super) prefetches: bool,
    /// The operands and results of the warps. They are passed by reference, because a copy would
    /// read with vectors what was just written as words, which stalls the CPU.
    pub(super) registers: &'a mut Registers<'a>,
    /// The index of the first warp that has not been fetched. The stage stops at a warp with lanes
    /// outside the range of [`along`].
    pub(super) next: &'a mut usize,
    /// Buffers for the texel locations of two warps.
    pub(super) stored: &'a mut [StoredAddresses; 2],
}

arguments!(pub(super) FusedArgs = Call);

/// The fused stage for a format, footprint and axes; `None` if there is none.
pub(super) fn stage(
    (format, normalized): (Format, bool),
    footprint: Footprint,
    axes: &[Option<Axis>; 3],
    is_cube: bool,
    build: Wide,
) -> Option<Run<FusedArgs>> {
    let kind = axes[0]?.kind;
    let dims = axes.iter().flatten().count();
    if axes.iter().flatten().any(|axis| axis.kind != kind) {
        return None;
    }
    // The distance between texels must be a power of two. With address mode wrap the distance
    // between rows must be one, too, which is true unless the memory has padding between rows.
    let shifted = if kind.1 == WRAP_2 { dims } else { 1 };
    if axes.iter().take(shifted).flatten().any(|axis| !axis.pitch.is_power_of_two()) {
        return None;
    }
    if !KINDS.contains(&kind) {
        return None;
    }
    match (format.plain_channel()?, normalized, format.channels(), dims, footprint) {
        (Stored::U8, true, 4, 2, Footprint::Square) if is_cube => Some(match kind {
            (EXACT, CLAMP) => pick_wide::<_, Fused<Bytes<1, 4>, 1, EXACT, CLAMP, true>>(build),
            _ => pick_wide::<_, Fused<Bytes<1, 4>, 1, ANY, ANY, true>>(build),
        }),
        (Stored::F32, false, 4, 2, Footprint::Square) if is_cube => {
            Some(pick_wide::<_, Fused<Unrolled<FloatFilter<F32>, 4, 1>, 1, ANY, ANY, true>>(build))
        }
        _ if is_cube => None,
        (Stored::U8, true, 4, 2, Footprint::Square) => Some(match kind {
            (EXACT, CLAMP) => pick_wide::<_, Fused<Bytes<1, 4>, 1, EXACT, CLAMP, false>>(build),
            (EXACT, WRAP_2) => pick_wide::<_, Fused<Bytes<1, 4>, 1, EXACT, WRAP_2, false>>(build),
            (CUT, CLAMP) => pick_wide::<_, Fused<Bytes<1, 4>, 1, CUT, CLAMP, false>>(build),
            _ => pick_wide::<_, Fused<Bytes<1, 4>, 1, ANY, ANY, true>>(build),
        }),
        (Stored::U8, true, 4, 2, Footprint::Texel) => {
            Some(pick_wide::<_, Fused<PointKernel<Unorm<1>, false>, 1, ANY, ANY, false>>(build))
        }
        (Stored::F32, false, 1, 2, Footprint::Square) => {
            Some(by_kind::<Unrolled<FloatFilter<F32>, 1, 1>, 1>(kind, build))
        }
        (Stored::F32, false, 4, 2, Footprint::Square) => {
            Some(pick_wide::<_, Fused<Unrolled<FloatFilter<F32>, 4, 1>, 1, ANY, ANY, true>>(build))
        }
        (Stored::F32, false, 1, 3, Footprint::TwoSquares) => {
            Some(by_kind::<Unrolled<FloatFilter<F32>, 1, 2>, 2>(kind, build))
        }
        _ => None,
    }
}

/// The supported combinations of scaling and address mode of an axis.
const KINDS: [(u8, u8); 6] =
    [(EXACT, CLAMP), (EXACT, WRAP_2), (EXACT, BORDER), (CUT, CLAMP), (CUT, WRAP), (CUT, BORDER)];

/// Compiles a cheap kernel separately for each of the most common combinations of scaling and
/// address mode, and once for all other combinations, between which it decides at run time for each
/// vector. An expensive kernel is compiled only in the latter form, because kernels are most of the
/// code.
fn by_kind<K: Kernel, const GROUPS: usize>(kind: (u8, u8), build: Wide) -> Run<FusedArgs> {
    match kind {
        (EXACT, CLAMP) => pick_wide::<_, Fused<K, GROUPS, EXACT, CLAMP, false>>(build),
        (EXACT, WRAP_2) => pick_wide::<_, Fused<K, GROUPS, EXACT, WRAP_2, false>>(build),
        _ => pick_wide::<_, Fused<K, GROUPS, ANY, ANY, false>>(build),
    }
}

/// The axes x, y and, if there is one, z.
#[derive(Clone, Copy)]
struct Axes<'a> {
    x: &'a Axis,
    y: &'a Axis,
    z: Option<&'a Axis>,
    /// For cubes, the number of bytes between faces.
    face_pitch: Option<u32>,
}

/// The fused stage for two axes, or for three axes, whose texels are in two groups. With `CUBE`,
/// the stage also supports the faces of a cube.
struct Fused<K, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>(
    PhantomData<K>,
);

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>
    Stage<FusedArgs> for Fused<K, GROUPS, SCALE, MODE, CUBE>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        // The axes are copied to locals, so that stores in the loop do not force the compiler to
        // reload them.
        let [Some(x), Some(y), z] = *call.axes else { return };
        let axes = Axes { x: &x, y: &y, z: z.as_ref(), face_pitch: call.face_pitch };
        if K::PREFETCHES {
            if S::LANES == 16 && K::PAIRED {
                Self::pipelined(PairedSimd(simd), axes, call);
            } else {
                Self::pipelined(simd, axes, call);
            }
        } else {
            Self::sequential(simd, axes, call);
        }
    }
}

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>
    Fused<K, GROUPS, SCALE, MODE, CUBE>
{
    /// Processes one warp after the other.
    #[inline(always)]
    fn sequential<S: Simd>(simd: S, axes: Axes<'_>, call: Call<'_>) {
        let Call { window, border, channels, registers, next, .. } = call;
        let warps = registers.warps();
        let mut room = [ZERO_LANES; 2];
        for warp in *next..warps {
            *next = warp;
            registers.prefetch_ahead(warp, 1 + GROUPS);
            let (coords, mut out) = registers.of(simd, (warp, warp), &mut room);
            for chunk in 0..32 / S::LANES {
                let placed = Self::place(simd, axes, (&coords, &ZERO_LANES), chunk);
                if !placed.near.is_full() {
                    return;
                }
                let out = reborrow(&mut out);
                let mut task = Task { window, next: None, border, channels, out };
                K::values(simd, &mut task, &placed, chunk);
            }
        }
        *next = warps;
    }

    /// Processes one warp after the other, but computes and prefetches the locations of a warp's
    /// texels before it sums the texels of the warp before.
    #[inline(always)]
    fn pipelined<S: Simd>(simd: S, axes: Axes<'_>, call: Call<'_>) {
        let Call { window, border, channels, prefetches, registers, next, stored, .. } = call;
        let coordinates = if axes.face_pitch.is_some() { 3 } else { 1 + GROUPS };
        let (chunks, warps) = (32 / S::LANES, registers.warps());
        let [now, then] = stored;
        let (mut now, mut then) = (now, then);
        let mut scales = ZERO_LANES;
        let mut room = [ZERO_LANES; 2];
        let (first, mut is_near) = (*next, true);
        if first == warps {
            return;
        }
        // The first step of the loop only computes locations. A separate step before the loop would
        // be a second copy of the code that computes locations, which takes as long to compile as
        // the rest of the stage.
        for step in first..=warps {
            let sums = step > first;
            if sums {
                *next = step - 1;
                if !is_near {
                    return;
                }
                registers.prefetch_ahead(step - 1, coordinates);
                std::mem::swap(&mut now, &mut then);
            }
            let warp = step - usize::from(sums);
            let (coords, mut out) = registers.of(simd, (step, warp), &mut room);
            let next = if step < warps {
                // Both loops compute long chains of instructions for each vector. The chains of
                // several vectors overlap only if the sums, which are long, too, come later.
                if CUBE && axes.face_pitch.is_some() {
                    for chunk in 0..chunks {
                        let (scale, near) = scale::<S, USUAL>(simd, coords, chunk);
                        scale.store(&mut scales, chunk);
                        is_near &= near.is_full();
                    }
                }
                for chunk in 0..chunks {
                    is_near &= Self::locate_ahead(simd, axes, (&coords, &scales), chunk, then);
                }
                prefetches.then_some(&then.at)
            } else {
                None
            };
            if sums {
                for chunk in 0..chunks {
                    let out = reborrow(&mut out);
                    let mut task = Task { window, next, border, channels, out };
                    let now = StoredVector::<GROUPS, MODE> { stored: now, chunk };
                    K::values(simd, &mut task, &now, chunk);
                }
            }
        }
        *next = warps;
    }

    /// Computes the texel locations of a vector of lanes and stores them. Returns false if some
    /// lanes are outside the range of the fused stage.
    #[inline(always)]
    fn locate_ahead<S: Simd>(
        simd: S,
        axes: Axes<'_>,
        coords: (&[&Lanes; 3], &Lanes),
        chunk: usize,
        stored: &mut StoredAddresses,
    ) -> bool {
        let placed = Self::place::<S>(simd, axes, coords, chunk);
        placed.store(stored, chunk);
        // Coordinates on a face are at most 1.
        CUBE && axes.face_pitch.is_some() || placed.near.is_full()
    }

    /// Computes the texel locations of a vector of lanes from its coordinates, which for cubes are
    /// a direction and its scale.
    #[inline(always)]
    fn place<S: Simd>(
        simd: S,
        axes: Axes<'_>,
        (coords, scales): (&[&Lanes; 3], &Lanes),
        chunk: usize,
    ) -> VectorAddresses<S, GROUPS, MODE> {
        let mut at = [load(simd, coords[0], chunk), load(simd, coords[1], chunk), int(simd, 0)];
        if GROUPS == 2 {
            at[2] = load(simd, coords[2], chunk);
        }
        let mut plane = None;
        if let (true, Some(pitch)) = (CUBE, axes.face_pitch) {
            let of = (*coords, load(simd, scales, chunk), int(simd, pitch as i32));
            let (face, on_face) = on_face::<S, USUAL>(simd, of, chunk);
            (at[0], at[1], plane) = (on_face[0], on_face[1], Some(face));
        }
        let mut placed = match axes.x.kind {
            _ if MODE != ANY => Self::of_kind::<S, MODE>(simd, SCALE, axes, at),
            (scale, CLAMP) => Self::of_kind::<S, CLAMP>(simd, scale, axes, at),
            (_, WRAP_2) => Self::of_kind::<S, WRAP_2>(simd, EXACT, axes, at),
            (_, WRAP) => Self::of_kind::<S, WRAP>(simd, CUT, axes, at),
            (scale, _) => Self::of_kind::<S, BORDER>(simd, scale, axes, at),
        };
        if let Some(plane) = plane {
            placed.move_by(plane);
        }
        placed
    }

    #[inline(always)]
    fn of_kind<S: Simd, const OF: u8>(
        simd: S,
        scale: u8,
        axes: Axes<'_>,
        at: [Int<S>; 3],
    ) -> VectorAddresses<S, GROUPS, MODE> {
        let x = Self::axis::<S, OF>(simd, (scale, axes.x), at[0], true);
        let y = Self::axis::<S, OF>(simd, (scale, axes.y), at[1], OF == WRAP_2);
        let mut placed = VectorAddresses::new::<OF>(simd, &x, &y);
        if let (true, Some(z)) = (GROUPS == 2, axes.z) {
            let z = Self::axis::<S, OF>(simd, (scale, z), at[2], OF == WRAP_2);
            placed.split::<OF>(simd, &z);
        }
        placed
    }

    #[inline(always)]
    fn axis<S: Simd, const OF: u8>(
        simd: S,
        (scale, axis): (u8, &Axis),
        coords: Int<S>,
        shifts: bool,
    ) -> OnAxis<S> {
        let size = Size::of(simd, axis, shifts);
        if K::POINT {
            along::<S, POINT, OF>(simd, scale, (axis, coords, int(simd, 0)), size)
        } else {
            along::<S, LINEAR, OF>(simd, scale, (axis, coords, int(simd, 0)), size)
        }
    }
}
