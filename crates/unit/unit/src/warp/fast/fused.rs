//! Whole fetches in one stage, for many warps and the most usual samplers: all axes alike, one level, no
//! layers, no offsets; also on the faces of a cube. Nothing is put down in memory but what the warp behind the one
//! that is summed reads, and so the CPU has several fetches in work at once.

use super::footprint::{Kernel, Task};
use super::held::{Held, OfHeld, Placed};
use super::kernel::{Bytes, Footprint, Unrolled};
use super::point::Picked;
use super::registers::Registers;
use crate::request::{Lanes, ZERO_LANES};
use crate::warp::axis::{
    Axis, BORDER, CLAMP, CUT, EXACT, LINEAR, OnAxis, POINT, Size, WRAP, WRAP_2, along,
};
use crate::warp::build::Wide;
use crate::warp::channel::{F32, Real, Unorm};
use crate::warp::place::on_face;
use crate::warp::simd::{Arguments, Int, Run, Simd, Stage, Twice, int, load, pick_wide};
use std::marker::PhantomData;
use texunit_memory::Window;
use texunit_texel::{Channel as Stored, Format};

/// A call of the stage.
pub(super) struct Call<'a> {
    pub(super) axes: &'a [Option<Axis>; 3],
    pub(super) window: Window<'a>,
    pub(super) border: &'a [u32; 4],
    pub(super) channels: usize,
    /// Bytes from one face of a cube to the next.
    pub(super) face_pitch: u32,
    /// Whether the texels of the next warp are asked for, if the kernel can do that.
    pub(super) asks: bool,
    pub(super) registers: Registers<'a>,
    /// The first warp that is not answered yet. It stops at one with lanes that are far ([`along`]).
    pub(super) next: &'a mut usize,
    /// Room for two warps.
    pub(super) held: &'a mut [Held; 2],
}

#[derive(Debug)]
pub(super) struct OfFused;

impl Arguments for OfFused {
    type Of<'a> = Call<'a>;
}

/// The stage for such fetches, if there is one.
pub(super) fn stage(
    (format, normalized): (Format, bool),
    footprint: Footprint,
    axes: &[Option<Axis>; 3],
    is_cube: bool,
    build: Wide,
) -> Option<Run<OfFused>> {
    let kind = axes[0]?.kind;
    let dims = axes.iter().flatten().count();
    if axes.iter().flatten().any(|axis| axis.kind != kind) {
        return None;
    }
    // Texels are a power of two apart. Rows of such textures are, too, unless someone has put space between them.
    let shifted = if kind.1 == WRAP_2 { dims } else { 1 };
    if axes.iter().take(shifted).flatten().any(|axis| !axis.pitch.is_power_of_two()) {
        return None;
    }
    match (format.plain_channel()?, normalized, format.channels(), dims, footprint) {
        (Stored::U8, true, 4, 2, Footprint::Square) if is_cube => {
            on_cube::<Bytes<1, 4>>(kind, build)
        }
        (Stored::F32, false, 4, 2, Footprint::Square) if is_cube => {
            on_cube::<Unrolled<Real<F32>, 4, 1>>(kind, build)
        }
        _ if is_cube => None,
        (Stored::U8, true, 4, 2, Footprint::Square) => by_kind::<Bytes<1, 4>, 1>(kind, build),
        (Stored::U8, true, 4, 2, Footprint::Texel) => {
            by_kind::<Picked<Unorm<1>, false>, 1>(kind, build)
        }
        (Stored::F32, false, 1, 2, Footprint::Square) => {
            by_kind::<Unrolled<Real<F32>, 1, 1>, 1>(kind, build)
        }
        (Stored::F32, false, 4, 2, Footprint::Square) => {
            by_kind::<Unrolled<Real<F32>, 4, 1>, 1>(kind, build)
        }
        (Stored::F32, false, 1, 3, Footprint::TwoSquares) => {
            by_kind::<Unrolled<Real<F32>, 1, 2>, 2>(kind, build)
        }
        _ => None,
    }
}

fn by_kind<K: Kernel, const GROUPS: usize>(kind: (u8, u8), build: Wide) -> Option<Run<OfFused>> {
    Some(match kind {
        (EXACT, CLAMP) => pick_wide::<_, Fused<K, GROUPS, EXACT, CLAMP, false>>(build),
        (EXACT, WRAP_2) => pick_wide::<_, Fused<K, GROUPS, EXACT, WRAP_2, false>>(build),
        (EXACT, BORDER) => pick_wide::<_, Fused<K, GROUPS, EXACT, BORDER, false>>(build),
        (CUT, CLAMP) => pick_wide::<_, Fused<K, GROUPS, CUT, CLAMP, false>>(build),
        (CUT, WRAP) => pick_wide::<_, Fused<K, GROUPS, CUT, WRAP, false>>(build),
        (CUT, BORDER) => pick_wide::<_, Fused<K, GROUPS, CUT, BORDER, false>>(build),
        _ => return None,
    })
}

/// On the faces of a cube; few want a border there.
fn on_cube<K: Kernel>(kind: (u8, u8), build: Wide) -> Option<Run<OfFused>> {
    Some(match kind {
        (EXACT, CLAMP) => pick_wide::<_, Fused<K, 1, EXACT, CLAMP, true>>(build),
        (EXACT, WRAP_2) => pick_wide::<_, Fused<K, 1, EXACT, WRAP_2, true>>(build),
        (CUT, CLAMP) => pick_wide::<_, Fused<K, 1, CUT, CLAMP, true>>(build),
        (CUT, WRAP) => pick_wide::<_, Fused<K, 1, CUT, WRAP, true>>(build),
        _ => return None,
    })
}

/// Along x, y, and z if there is one.
#[derive(Clone, Copy)]
struct Axes<'a> {
    x: &'a Axis,
    y: &'a Axis,
    z: Option<&'a Axis>,
    face_pitch: u32,
}

/// Of two axes, also those of the faces of a cube, or of three with their two groups.
struct Fused<K, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>(
    PhantomData<K>,
);

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>
    Stage<OfFused> for Fused<K, GROUPS, SCALE, MODE, CUBE>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        // Copies: nothing that is stored changes what the compiler makes of them before the loop.
        let [Some(x), Some(y), z] = *call.axes else { return };
        let axes = Axes { x: &x, y: &y, z: z.as_ref(), face_pitch: call.face_pitch };
        if K::ASKS {
            if S::LANES == 16 && K::TWICE {
                Self::ahead(Twice(simd), axes, call);
            } else {
                Self::ahead(simd, axes, call);
            }
        } else {
            Self::in_turn(simd, axes, call);
        }
    }
}

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8, const CUBE: bool>
    Fused<K, GROUPS, SCALE, MODE, CUBE>
{
    const COORDINATES: usize = if CUBE { 3 } else { 1 + GROUPS };

    /// A warp after the other.
    #[inline(always)]
    fn in_turn<S: Simd>(simd: S, axes: Axes<'_>, call: Call<'_>) {
        let Call { window, border, channels, mut registers, next, .. } = call;
        let warps = registers.warps();
        let mut room = [ZERO_LANES; 2];
        for warp in *next..warps {
            *next = warp;
            registers.ask_ahead(warp, Self::COORDINATES);
            let (coords, mut out) = registers.of(simd, (warp, warp), &mut room);
            for chunk in 0..32 / S::LANES {
                let Some(placed) = Self::place(simd, axes, &coords, chunk) else { return };
                let out = out.each_mut().map(Option::as_deref_mut);
                let mut task = Task { window, next: None, border, channels, out };
                K::values(simd, &mut task, &placed, chunk);
            }
        }
        *next = warps;
    }

    /// Likewise, but the texels of a warp are found, and asked for, before those of the one before it are
    /// summed.
    #[inline(always)]
    fn ahead<S: Simd>(simd: S, axes: Axes<'_>, call: Call<'_>) {
        let Call { window, border, channels, asks, mut registers, next, held, .. } = call;
        let (chunks, warps) = (32 / S::LANES, registers.warps());
        let [now, then] = held;
        let (mut now, mut then) = (now, then);
        let mut room = [ZERO_LANES; 2];
        let mut is_near = *next < warps;
        if is_near {
            let (coords, _) = registers.of(simd, (*next, *next), &mut room);
            for chunk in 0..chunks {
                is_near &= Self::place_ahead(simd, axes, &coords, chunk, then);
            }
        }
        for warp in *next..warps {
            *next = warp;
            if !is_near {
                return;
            }
            registers.ask_ahead(warp, Self::COORDINATES);
            let (coords, mut out) = registers.of(simd, (warp + 1, warp), &mut room);
            std::mem::swap(&mut now, &mut then);
            for chunk in 0..chunks {
                let mut next = None;
                if warp + 1 < warps {
                    is_near &= Self::place_ahead(simd, axes, &coords, chunk, then);
                    next = if asks { Some(&then.at) } else { None };
                }
                let out = out.each_mut().map(Option::as_deref_mut);
                let mut task = Task { window, next, border, channels, out };
                K::values(simd, &mut task, &OfHeld::<GROUPS, MODE> { held: now, chunk }, chunk);
            }
        }
        *next = warps;
    }

    /// Finds what the lanes of a vector read; none if some of them are far.
    #[inline(always)]
    fn place<S: Simd>(
        simd: S,
        axes: Axes<'_>,
        coords: &[&Lanes; 3],
        chunk: usize,
    ) -> Option<Placed<S, GROUPS, MODE>> {
        let (at, face);
        if CUBE {
            let found = on_face(simd, *coords, chunk);
            (at, face) = (found.at, found.face);
        } else {
            (at, face) =
                ([load(simd, coords[0], chunk), load(simd, coords[1], chunk)], int(simd, 0));
        }
        let x = Self::axis(simd, axes.x, at[0], true);
        let mut y = Self::axis(simd, axes.y, at[1], MODE == WRAP_2);
        if CUBE {
            let plane = face * int(simd, axes.face_pitch as i32);
            (y.lower, y.upper) = (y.lower + plane, y.upper + plane);
        }
        let mut near = x.near & y.near;
        let mut placed = Placed::new(simd, &x, &y);
        if let (true, Some(z)) = (GROUPS == 2, axes.z) {
            let z = Self::axis(simd, z, load(simd, coords[2], chunk), MODE == WRAP_2);
            near = near & z.near;
            placed.split(simd, &z);
        }
        near.is_full().then_some(placed)
    }

    /// The same for one that is read later; false if some of its lanes are far.
    #[inline(always)]
    fn place_ahead<S: Simd>(
        simd: S,
        axes: Axes<'_>,
        coords: &[&Lanes; 3],
        chunk: usize,
        held: &mut Held,
    ) -> bool {
        let Some(placed) = Self::place::<S>(simd, axes, coords, chunk) else { return false };
        placed.hold(held, chunk);
        true
    }

    #[inline(always)]
    fn axis<S: Simd>(simd: S, axis: &Axis, coords: Int<S>, shifts: bool) -> OnAxis<S> {
        let size = Size::of(simd, axis, shifts);
        if K::POINT {
            along::<S, POINT, SCALE, MODE>(simd, axis, coords, int(simd, 0), size)
        } else {
            along::<S, LINEAR, SCALE, MODE>(simd, axis, coords, int(simd, 0), size)
        }
    }
}
