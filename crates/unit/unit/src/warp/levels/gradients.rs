//! Computes levels from the gradients of 32 lanes: docs/numerics.md, section 4. The reference
//! computes rare cases: quads that cross an edge of a cube, and gradients that are huge, tiny or
//! NaN.

mod quads;

use super::float10::{self, Scale, is_ordinary};
use crate::reference::gradient::flat;
use crate::reference::level::RequestedLevel;
use crate::request::{FetchRequest, Geometry, Lanes};
use crate::resource::Extent;
use crate::warp::simd::Simd;
use std::sync::LazyLock;

/// The gradients of 32 lanes in texels of the base level, with ten significant bits each.
#[derive(Clone, Debug)]
pub(in crate::warp) struct Texels {
    /// dPdx along x, y, z. Components along axes that the geometry lacks stay 0.
    pub(in crate::warp) dpdx: [[f32; 32]; 3],
    /// dPdy along x, y, z. Components along axes that the geometry lacks stay 0.
    pub(in crate::warp) dpdy: [[f32; 32]; 3],
}

impl Texels {
    pub(in crate::warp) const ZERO: Self = Self { dpdx: [[0.0; 32]; 3], dpdy: [[0.0; 32]; 3] };
}

/// The parameters of the gradient computation, which are the same for all fetches of a plan.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Gauge {
    /// The number of axes, 1 to 3; for a cube, 2 as for its faces.
    axes: usize,
    is_cube: bool,
    scales: [Scale; 3],
    /// Whether the sizes along all axes are powers of two.
    powers: bool,
    log2: &'static [u8; 256],
}

impl Gauge {
    /// Makes the parameters for a base level of this size. For unnormalized coordinates, the size
    /// must be 1 along all axes.
    pub(in crate::warp) fn new(geometry: Geometry, size: Extent) -> Self {
        let scales = size.axes().map(Scale::new);
        Self {
            axes: geometry.axes(),
            is_cube: geometry.is_cube(),
            scales,
            powers: scales.iter().all(|s| s.is_power),
            log2: &LOG2_256,
        }
    }

    /// Rules 4.1, 4.2, 4.9 and 4.11 of docs/numerics.md: converts gradients to texels. Returns the
    /// mask of the lanes that the reference must compute; their results are arbitrary.
    #[inline(always)]
    fn texels<S: Simd>(&self, simd: S, request: &FetchRequest<'_>, out: &mut Texels) -> u32 {
        let point = request.coords.point;
        if self.is_cube {
            let scale = &self.scales[0];
            mask(&match self.powers {
                true => quads::of_cube::<S, true>(simd, point, request, scale, out),
                false => quads::of_cube::<S, false>(simd, point, request, scale, out),
            })
        } else if self.powers {
            self.scaled::<true>(point, request, out)
        } else {
            self.scaled::<false>(point, request, out)
        }
    }

    #[inline(always)]
    fn scaled<const POWERS: bool>(
        &self,
        point: [&Lanes; 3],
        request: &FetchRequest<'_>,
        out: &mut Texels,
    ) -> u32 {
        let mut odd = [0; 32];
        for a in 0..self.axes {
            for (d, out) in
                [(request.dpdx[a], &mut out.dpdx[a]), (request.dpdy[a], &mut out.dpdy[a])]
            {
                let scale = &self.scales[a];
                if self.axes == 3 {
                    for lane in 0..32 {
                        let [p, d] = [point[a][lane], d[lane]].map(f32::from_bits);
                        let (difference, near) = quads::of_point(p, d);
                        odd[lane] |= u32::from(!(near & is_ordinary(difference)));
                        out[lane] = scale.apply::<POWERS>(difference);
                    }
                } else {
                    for lane in 0..32 {
                        let d = f32::from_bits(d[lane]);
                        odd[lane] |= u32::from(!is_ordinary(d));
                        out[lane] = scale.apply::<POWERS>(d);
                    }
                }
            }
        }
        mask(&odd)
    }

    /// Rules 4.3 to 4.7 of docs/numerics.md: computes levels in 1/256, before bias and clamps.
    /// Returns the mask of the lanes that the reference must compute.
    #[inline(always)]
    pub(in crate::warp) fn levels<S: Simd>(
        &self,
        simd: S,
        request: &FetchRequest<'_>,
        out: &mut [i32; 32],
    ) -> u32 {
        let mut texels = Texels::ZERO;
        let odd = self.texels(simd, request, &mut texels);
        let Texels { dpdx: [ax, ay, az], dpdy: [bx, by, bz] } = &texels;
        let mut rho = [0.0; 32];
        if self.axes == 3 {
            for lane in 0..32 {
                let (a, b) = ([ax[lane], ay[lane], az[lane]], [bx[lane], by[lane], bz[lane]]);
                rho[lane] = longest(a, b, float10::solid_length, float10::solid_diagonal);
            }
        } else {
            for lane in 0..32 {
                let (a, b) = ([ax[lane], ay[lane]], [bx[lane], by[lane]]);
                rho[lane] = longest(a, b, float10::length, float10::diagonal);
            }
        }
        self.log2_256(&rho, out);
        odd
    }

    /// Rule 4.7 of docs/numerics.md: binary logarithms in 1/256. For zero the result is far below
    /// all levels.
    #[inline(always)]
    pub(in crate::warp) fn log2_256(&self, of: &[f32; 32], out: &mut [i32; 32]) {
        for lane in 0..32 {
            out[lane] = log2_of(of[lane], self.log2);
        }
    }
}

/// The binary logarithm in 1/256 of a number of ten significant bits.
#[inline(always)]
fn log2_of(x: f32, table: &[u8; 256]) -> i32 {
    let bits = x.to_bits();
    let whole = 256 * ((bits >> 23) as i32 - 127);
    let rest = table[(bits >> 15 & 0xff) as usize];
    if bits == 0 { LOWEST } else { whole + i32::from(rest) }
}

/// A level in 1/256 that is so low that no bias raises it to an existing level.
pub(in crate::warp) const LOWEST: i32 = -(1 << 28);

/// The hardware's table of the binary logarithms of 1 + i/256, from the reference.
static LOG2_256: LazyLock<[u8; 256]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let x = 1.0 + i as f32 / 256.0;
        match flat([x, 0.0], [0.0; 2], [1, 1]).level() {
            RequestedLevel::At(q) => q as u8,
            _ => unreachable!("{x} has a logarithm"),
        }
    })
});

/// Rule 4.6 of docs/numerics.md: the longest of two gradients and their diagonals, in texels.
#[inline(always)]
fn longest<const N: usize>(
    a: [f32; N],
    b: [f32; N],
    length: impl Fn([f32; N]) -> f32,
    diagonal: impl Fn([f32; N]) -> f32,
) -> f32 {
    let (mut sum, mut difference) = ([0.0; N], [0.0; N]);
    for axis in 0..N {
        [sum[axis], difference[axis]] = float10::sum_and_difference(a[axis], b[axis]);
    }
    let larger = |x: f32, y: f32| if x > y { x } else { y };
    let lengths = larger(length(a.map(f32::abs)), length(b.map(f32::abs)));
    larger(lengths, larger(diagonal(sum), diagonal(difference)))
}

/// The mask of the lanes whose number is not 0.
#[inline(always)]
fn mask(of: &[u32; 32]) -> u32 {
    if of.iter().fold(0, |any, x| any | x) == 0 {
        return 0;
    }
    (0..32).fold(0, |mask, lane| mask | u32::from(of[lane] != 0) << lane)
}
