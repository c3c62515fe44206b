//! Whole fetches in one stage, for many warps and the most usual samplers: all axes alike, one level, no
//! layers, no offsets. From coordinates to results nothing is put down in memory, and so the
//! CPU has several fetches in work at once.

use super::footprint::{Kernel, Outside, Spot, Spots, Task};
use super::kernel::{Bytes, Footprint, Unrolled};
use super::point::Picked;
use crate::files::FetchRows;
use crate::request::{Lanes, Places, ZERO_LANES};
use crate::warp::ahead::Rows;
use crate::warp::arrays::{AHEAD, prefetch, prefetch_to_write};
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

/// The points of warps, one behind the other.
#[derive(Clone, Copy)]
pub(in crate::warp) enum Points<'a> {
    /// An array along each axis.
    Axes([&'a [Lanes]; 3]),
    /// x and y of each, and no z.
    Pairs(&'a [Pairs]),
}

impl Points<'_> {
    #[inline(always)]
    pub(in crate::warp) fn warps(&self) -> usize {
        match self {
            Self::Axes([x, ..]) => x.len(),
            Self::Pairs(points) => points.len(),
        }
    }
}

/// The points of a warp, x and y of each.
pub(in crate::warp) type Pairs = [[u32; 2]; 32];

/// Where the coordinates and results of warps are.
pub(in crate::warp) enum Registers<'a> {
    /// In arrays, one warp behind the other.
    Arrays {
        points: Points<'a>,
        /// Of each component; nothing for those that are not wanted.
        out: [&'a mut [Lanes]; 4],
    },
    /// In these rows of each warp's file.
    Files { files: &'a mut [&'a mut [Lanes]], rows: &'a FetchRows<'a> },
}

impl Registers<'_> {
    #[inline(always)]
    fn warps(&self) -> usize {
        match self {
            Self::Arrays { points, .. } => points.warps(),
            Self::Files { files, .. } => files.len(),
        }
    }

    /// The coordinates of a warp, for which there is room where they are to be taken apart, and the places of the
    /// results of one. Any coordinates, if there is no such warp or axis.
    #[inline(always)]
    fn of<'s, S: Simd>(
        &'s mut self,
        simd: S,
        (read, written): (usize, usize),
        room: &'s mut [Lanes; 2],
    ) -> ([&'s Lanes; 3], Places<'s>) {
        const NONE: &Lanes = &ZERO_LANES;
        match self {
            Self::Arrays { points, out: [a, b, c, d] } => {
                let coords = match points {
                    Points::Axes(axes) => axes.map(|axis| axis.get(read).unwrap_or(NONE)),
                    Points::Pairs(points) => {
                        if let Some(points) = points.get(read) {
                            take_apart(simd, points, room);
                        }
                        [&room[0], &room[1], NONE]
                    }
                };
                let at = written;
                (coords, [a.get_mut(at), b.get_mut(at), c.get_mut(at), d.get_mut(at)])
            }
            Self::Files { files, rows } => {
                let mut places = Places::default();
                if read == written {
                    let others = rows.results.apart(files[written], &mut places);
                    return (rows.point(|i| others.row(i)), places);
                }
                // The one behind it.
                let (first, behind) = files.split_at_mut(read);
                let coords = behind.first().map_or([NONE; 3], |file| rows.point(|i| &file[i]));
                rows.results.apart(first[written], &mut places);
                (coords, places)
            }
        }
    }

    /// Asks for the lines of a later warp. Those of registers are in the caches already.
    #[inline(always)]
    fn ask_ahead(&self, warp: usize, axes: usize) {
        let Self::Arrays { points, out } = self else { return };
        match points {
            Points::Axes(coords) => {
                for coords in &coords[..axes] {
                    prefetch(coords, warp + AHEAD);
                }
            }
            Points::Pairs(points) => prefetch(points, warp + AHEAD),
        }
        for out in out {
            prefetch_to_write(out, warp + AHEAD);
        }
    }
}

/// All x, and all y.
#[inline(always)]
fn take_apart<S: Simd>(simd: S, points: &Pairs, to: &mut [Lanes; 2]) {
    let (words, chunks) = (points.as_flattened().as_chunks().0, 32 / S::LANES);
    for chunk in 0..chunks {
        let at = |n: usize| (&words[n / chunks], n % chunks);
        let (first, second) = (at(2 * chunk), at(2 * chunk + 1));
        let [x, y] = load(simd, first.0, first.1).unzip(load(simd, second.0, second.1));
        x.store(&mut to[0], chunk);
        y.store(&mut to[1], chunk);
    }
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
    if !axes[0]?.pitch.is_power_of_two() {
        return None;
    }
    // Rows of such textures are a power of two apart, unless someone has put space between them.
    if kind.1 == WRAP_2 && axes.iter().flatten().any(|axis| !axis.pitch.is_power_of_two()) {
        return None;
    }
    match (format.plain_channel()?, normalized, format.channels(), dims, footprint) {
        _ if is_cube => match (format.plain_channel()?, normalized, format.channels(), footprint) {
            (Stored::U8, true, 4, Footprint::Square) => on_cube::<Bytes<1, 4>>(kind, build),
            (Stored::F32, false, 4, Footprint::Square) => {
                on_cube::<Unrolled<Real<F32>, 4, 1>>(kind, build)
            }
            _ => None,
        },
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

/// What the lanes of a vector read.
#[derive(Clone, Copy)]
struct Placed<S: Simd, const GROUPS: usize, const MODE: u8> {
    /// Byte offsets of the lower texels along x in the two rows of each group.
    at: [[Int<S>; 2]; GROUPS],
    /// From there to the upper ones.
    across: Int<S>,
    weights: [Int<S>; 2],
    /// What each group counts, if there are two.
    totals: [Int<S>; GROUPS],
    together: bool,
    /// Of each group, of border modes.
    outside: [Outside; GROUPS],
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Spots<S> for Placed<S, GROUPS, MODE> {
    #[inline(always)]
    fn spot(&self, _: S, group: usize) -> Spot<S> {
        Spot {
            at: self.at[group],
            across: self.across,
            weights: self.weights,
            total: if GROUPS == 1 { None } else { Some(self.totals[group]) },
            together: self.together,
            outside: if MODE == BORDER { self.outside[group] } else { Outside::NONE },
        }
    }
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Placed<S, GROUPS, MODE> {
    /// The texels of two axes.
    #[inline(always)]
    fn new(simd: S, x: &OnAxis<S>, y: &OnAxis<S>) -> Self {
        let mut together = x.together.bits() == all_lanes::<S>();
        let mut outside = Outside::NONE;
        if MODE == BORDER {
            outside.x = [x.outside[0].bits(), x.outside[1].bits()];
            outside.y = [y.outside[0].bits(), y.outside[1].bits()];
            together &= outside.x[0] | outside.x[1] == 0;
        }
        Self {
            at: [[y.lower + x.lower, y.upper + x.lower]; GROUPS],
            across: x.upper - x.lower,
            weights: [x.weight, y.weight],
            totals: [int(simd, 0); GROUPS],
            together,
            outside: [outside; GROUPS],
        }
    }

    /// Takes two slices of it (docs/numerics.md 2, "Weights").
    #[inline(always)]
    fn split(&mut self, simd: S, z: &OnAxis<S>) {
        let (bases, totals) = ([z.lower, z.upper], [int(simd, 256) - z.weight, z.weight]);
        for group in 0..GROUPS {
            let [lower, upper] = self.at[group];
            self.at[group] = [bases[group] + lower, bases[group] + upper];
            self.totals[group] = totals[group];
            if MODE == BORDER {
                self.outside[group].z = z.outside[group].bits();
            }
        }
    }

    /// Puts it down where a fetch behind this one finds it.
    #[inline(always)]
    fn hold(&self, held: &mut Held, chunk: usize) {
        let chunks = 32 / S::LANES;
        for (n, at) in self.at.as_flattened().iter().enumerate() {
            let n = chunk * 2 * GROUPS + n;
            at.store(&mut held.at[n / chunks], n % chunks);
        }
        held.together[chunk] = self.together;
        if !self.together {
            self.across.store(&mut held.across, chunk);
        }
        for (weight, to) in self.weights.iter().zip(&mut held.weights) {
            weight.store(to, chunk);
        }
        if GROUPS == 2 {
            self.totals[0].store(&mut held.total, chunk);
        }
        if MODE == BORDER {
            held.outside[chunk][..GROUPS].copy_from_slice(&self.outside);
        }
    }
}

/// What the lanes of a warp read, until the warp behind it has been placed.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Held {
    at: Rows,
    across: Lanes,
    weights: [Lanes; 2],
    /// What the first of two groups counts.
    total: Lanes,
    /// Of each vector of a warp, of which there are at most eight.
    together: [bool; 8],
    outside: [[Outside; 2]; 8],
}

impl Held {
    pub(super) const fn new() -> Self {
        Self {
            at: [ZERO_LANES; 4],
            across: ZERO_LANES,
            weights: [ZERO_LANES; 2],
            total: ZERO_LANES,
            together: [false; 8],
            outside: [[Outside::NONE; 2]; 8],
        }
    }
}

/// A vector's part of that.
struct OfHeld<'h, const GROUPS: usize, const MODE: u8> {
    held: &'h Held,
    chunk: usize,
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Spots<S> for OfHeld<'_, GROUPS, MODE> {
    #[inline(always)]
    fn spot(&self, simd: S, group: usize) -> Spot<S> {
        let (Self { held, chunk }, chunks) = (self, 32 / S::LANES);
        let at = |row: usize| {
            let n = (chunk * GROUPS + group) * 2 + row;
            (&held.at[n / chunks], n % chunks)
        };
        let (lower, upper) = (at(0), at(1));
        let weights = &held.weights;
        let mut total = None;
        if GROUPS == 2 {
            let first = load(simd, &held.total, *chunk);
            total = Some(if group == 0 { first } else { int(simd, 256) - first });
        }
        Spot {
            at: [load(simd, lower.0, lower.1), load(simd, upper.0, upper.1)],
            across: load(simd, &held.across, *chunk),
            weights: [load(simd, &weights[0], *chunk), load(simd, &weights[1], *chunk)],
            total,
            together: held.together[*chunk],
            outside: if MODE == BORDER { held.outside[*chunk][group] } else { Outside::NONE },
        }
    }
}

#[inline(always)]
fn all_lanes<S: Simd>() -> u32 {
    u32::MAX >> (32 - S::LANES)
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
        // Texels of 4 and 16 bytes.
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
        (near.bits() == all_lanes::<S>()).then_some(placed)
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
