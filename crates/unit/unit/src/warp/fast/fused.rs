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
use crate::warp::simd::{Arguments, Int, Run, Simd, Stage, int, load, pick_wide};
use std::marker::PhantomData;
use texunit_memory::Window;
use texunit_texel::{Channel as Stored, Format};

/// A call of the stage.
pub(super) struct Call<'a> {
    pub(super) axes: &'a [Option<Axis>; 3],
    pub(super) window: Window<'a>,
    pub(super) border: &'a [u32; 4],
    pub(super) channels: usize,
    /// Whether the texels of the next warp are asked for, if the kernel can do that.
    pub(super) asks: bool,
    pub(super) registers: Registers<'a>,
    /// The first warp that is not answered yet. It stops at one with lanes that are far ([`along`]).
    pub(super) next: &'a mut usize,
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
    build: Wide,
) -> Option<Run<OfFused>> {
    let kind = axes[0]?.kind;
    let dims = axes.iter().flatten().count();
    if axes.iter().flatten().any(|axis| axis.kind != kind) {
        return None;
    }
    // Rows of such textures are a power of two apart, unless someone has put space between them.
    if kind.1 == WRAP_2 && axes.iter().flatten().any(|axis| !axis.pitch.is_power_of_two()) {
        return None;
    }
    match (format.plain_channel()?, normalized, format.channels(), dims, footprint) {
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
        (EXACT, CLAMP) => pick_wide::<_, Fused<K, GROUPS, EXACT, CLAMP>>(build),
        (EXACT, WRAP_2) => pick_wide::<_, Fused<K, GROUPS, EXACT, WRAP_2>>(build),
        (EXACT, BORDER) => pick_wide::<_, Fused<K, GROUPS, EXACT, BORDER>>(build),
        (CUT, CLAMP) => pick_wide::<_, Fused<K, GROUPS, CUT, CLAMP>>(build),
        (CUT, WRAP) => pick_wide::<_, Fused<K, GROUPS, CUT, WRAP>>(build),
        (CUT, BORDER) => pick_wide::<_, Fused<K, GROUPS, CUT, BORDER>>(build),
        _ => return None,
    })
}

/// Along x, y, and z if there is one.
type Axes<'a> = (&'a Axis, &'a Axis, Option<&'a Axis>);

/// Of two axes, or of three with their two groups.
struct Fused<K, const GROUPS: usize, const SCALE: u8, const MODE: u8>(PhantomData<K>);

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8> Stage<OfFused>
    for Fused<K, GROUPS, SCALE, MODE>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        // Copies: nothing that is stored changes what the compiler makes of them before the loop.
        let [Some(x), Some(y), z] = *call.axes else { return };
        let axes = (&x, &y, z.as_ref());
        if K::ASKS {
            Self::ahead(simd, axes, call);
        } else {
            Self::in_turn(simd, axes, call);
        }
    }
}

/// What the lanes of a vector read.
#[derive(Clone, Copy)]
struct Placed<S: Simd, const GROUPS: usize, const MODE: u8> {
    columns: [Int<S>; 2],
    /// Of each group.
    rows: [[Int<S>; 2]; GROUPS],
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
            columns: self.columns,
            rows: self.rows[group],
            weights: self.weights,
            total: if GROUPS == 1 { None } else { Some(self.totals[group]) },
            together: self.together,
            outside: if MODE == BORDER { self.outside[group] } else { Outside::NONE },
        }
    }
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Placed<S, GROUPS, MODE> {
    /// Any place.
    #[inline(always)]
    fn zero(simd: S) -> Self {
        let none = [int(simd, 0); 2];
        Self {
            columns: none,
            rows: [none; GROUPS],
            weights: none,
            totals: [int(simd, 0); GROUPS],
            together: true,
            outside: [Outside::NONE; GROUPS],
        }
    }

    /// The texels of two axes.
    #[inline(always)]
    fn put(&mut self, x: &OnAxis<S>, y: &OnAxis<S>) {
        // One by one: a copy of what has just been put together waits for that.
        self.columns = [x.lower, x.upper];
        self.rows = [[y.lower, y.upper]; GROUPS];
        self.weights = [x.weight, y.weight];
        self.together = x.together.bits() == (1_u32 << S::LANES) - 1;
        if MODE == BORDER {
            let mut outside = Outside::NONE;
            outside.x = [x.outside[0].bits(), x.outside[1].bits()];
            outside.y = [y.outside[0].bits(), y.outside[1].bits()];
            self.together &= outside.x[0] | outside.x[1] == 0;
            self.outside = [outside; GROUPS];
        }
    }

    /// Takes two slices of it (docs/numerics.md 2, "Weights").
    #[inline(always)]
    fn split(&mut self, simd: S, z: &OnAxis<S>) {
        let (bases, totals) = ([z.lower, z.upper], [int(simd, 256) - z.weight, z.weight]);
        for group in 0..GROUPS {
            let [lower, upper] = self.rows[group];
            self.rows[group] = [bases[group] + lower, bases[group] + upper];
            self.totals[group] = totals[group];
            if MODE == BORDER {
                self.outside[group].z = z.outside[group].bits();
            }
        }
    }

    /// Puts down the byte offsets of the lower texels of all rows.
    #[inline(always)]
    fn put_rows(&self, chunk: usize, to: &mut Rows) {
        let chunks = 32 / S::LANES;
        for (n, row) in self.rows.as_flattened().iter().enumerate() {
            let n = chunk * 2 * GROUPS + n;
            (*row + self.columns[0]).store(&mut to[n / chunks], n % chunks);
        }
    }
}

impl<K: Kernel, const GROUPS: usize, const SCALE: u8, const MODE: u8>
    Fused<K, GROUPS, SCALE, MODE>
{
    /// A warp after the other.
    #[inline(always)]
    fn in_turn<S: Simd>(simd: S, axes: Axes<'_>, call: Call<'_>) {
        let Call { window, border, channels, mut registers, next, .. } = call;
        let warps = registers.warps();
        let mut room = [ZERO_LANES; 2];
        for warp in *next..warps {
            *next = warp;
            registers.ask_ahead(warp, 1 + GROUPS);
            let (coords, mut out) = registers.of(simd, (warp, warp), &mut room);
            for chunk in 0..32 / S::LANES {
                let mut placed = Placed::<S, GROUPS, MODE>::zero(simd);
                if !Self::place(simd, axes, &coords, chunk, &mut placed) {
                    return;
                }
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
        let Call { window, border, channels, asks, mut registers, next, .. } = call;
        let (chunks, warps) = (32 / S::LANES, registers.warps());
        let mut rows = [[0; 32]; 4];
        let mut placed = [simd.chunks(Placed::<S, GROUPS, MODE>::zero(simd)); 2];
        let [now, then] = &mut placed;
        let (mut now, mut then) = (now.as_mut(), then.as_mut());
        let mut room = [ZERO_LANES; 2];
        let mut is_near = *next < warps;
        if is_near {
            let (coords, _) = registers.of(simd, (*next, *next), &mut room);
            for chunk in 0..chunks {
                is_near &= Self::place(simd, axes, &coords, chunk, &mut then[chunk]);
            }
        }
        for warp in *next..warps {
            *next = warp;
            if !is_near {
                return;
            }
            registers.ask_ahead(warp, 1 + GROUPS);
            let (coords, mut out) = registers.of(simd, (warp + 1, warp), &mut room);
            std::mem::swap(&mut now, &mut then);
            for chunk in 0..chunks {
                let mut next = None;
                if warp + 1 < warps {
                    is_near &= Self::place(simd, axes, &coords, chunk, &mut then[chunk]);
                    if asks {
                        then[chunk].put_rows(chunk, &mut rows);
                        next = Some(&rows);
                    }
                }
                let out = out.each_mut().map(Option::as_deref_mut);
                let mut task = Task { window, next, border, channels, out };
                K::values(simd, &mut task, &now[chunk], chunk);
            }
        }
        *next = warps;
    }

    /// Finds what the lanes of a vector read; false if some of them are far.
    #[inline(always)]
    fn place<S: Simd>(
        simd: S,
        (x, y, z): Axes<'_>,
        coords: &[&Lanes; 3],
        chunk: usize,
        to: &mut Placed<S, GROUPS, MODE>,
    ) -> bool {
        let x = Self::axis(simd, x, load(simd, coords[0], chunk));
        let y = Self::axis(simd, y, load(simd, coords[1], chunk));
        let mut near = x.near & y.near;
        to.put(&x, &y);
        if let (true, Some(z)) = (GROUPS == 2, z) {
            let z = Self::axis(simd, z, load(simd, coords[2], chunk));
            near = near & z.near;
            to.split(simd, &z);
        }
        near.bits() == (1_u32 << S::LANES) - 1
    }

    #[inline(always)]
    fn axis<S: Simd>(simd: S, axis: &Axis, coords: Int<S>) -> OnAxis<S> {
        let size = Size::of(simd, axis, MODE == WRAP_2);
        if K::POINT {
            along::<S, POINT, SCALE, MODE>(simd, axis, coords, int(simd, 0), size)
        } else {
            along::<S, LINEAR, SCALE, MODE>(simd, axis, coords, int(simd, 0), size)
        }
    }
}
