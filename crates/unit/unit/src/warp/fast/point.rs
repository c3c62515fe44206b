//! The kernels of point fetches, which convert a single texel without filtering.

use super::footprint::{AddressSource, Kernel, Task, texels};
use crate::warp::channel::{Plain, Point};
use crate::warp::simd::Simd;
use crate::warp::texel::code;

/// A point kernel. With `ONE`, there is a single channel; otherwise their number is known at run
/// time.
pub(super) struct PointKernel<C, const ONE: bool>(std::marker::PhantomData<C>);

impl<C: Point + Plain, const ONE: bool> Kernel for PointKernel<C, ONE> {
    const POINT: bool = true;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        let (channels, known) = if ONE { (1, 1) } else { (task.channels, task.several()) };
        let [texel] = texels::<S, 1>(simd, task, &source.addresses(simd, 0), C::SIZE * known);
        for c in 0..channels {
            if let Some(out) = &mut task.out[c] {
                C::value(simd, code(simd, &texel, C::SIZE, c)).store(out, chunk);
            }
        }
    }
}
