//! The kernels of point fetches, which convert a single texel without filtering.

use super::footprint::{AddressSource, Kernel, Task, texels};
use crate::warp::channel::{Plain, Point};
use crate::warp::simd::Simd;
use crate::warp::texel::code;

/// A point kernel for a number of channels; 0 stands for a number that is known at run time.
pub(super) struct PointKernel<C, const CHANNELS: usize>(std::marker::PhantomData<C>);

impl<C: Point + Plain, const CHANNELS: usize> Kernel for PointKernel<C, CHANNELS> {
    const POINT: bool = true;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, source: &impl AddressSource<S>, chunk: usize) {
        let channels = match task.channels {
            _ if CHANNELS > 0 => CHANNELS,
            1 => 1,
            _ => task.several(),
        };
        let [texel] = texels::<S, 1>(simd, task, &source.addresses(simd, 0), C::SIZE * channels);
        for c in 0..channels {
            if let Some(out) = &mut task.out[c] {
                C::value(simd, code(simd, &texel, C::SIZE, c)).store(out, chunk);
            }
        }
    }
}
