//! Generator states as device code has them: `curand_init` creates a state, and `curand` advances
//! it and returns a number.

pub(crate) mod mrg;
pub(crate) mod mtgp;
pub(crate) mod philox;
pub(crate) mod twister;
pub(crate) mod xorwow;

use crate::distribution as of;

/// A state of a pseudorandom generator, one for each thread.
pub(crate) trait Source {
    /// `curand`
    fn bits(&mut self) -> u32;

    /// `curand_uniform`
    fn uniform(&mut self) -> f32 {
        of::uniform(self.bits())
    }

    /// `curand_uniform_double`; for Philox the first number of `curand_uniform2_double`.
    fn uniform_double(&mut self) -> f64 {
        of::uniform_of_two(self.bits(), self.bits())
    }

    /// `curand_normal2`
    fn normals(&mut self) -> [f32; 2] {
        of::normals([self.bits(), self.bits()])
    }

    /// `curand_normal2_double`
    fn normals_double(&mut self) -> [f64; 2] {
        let (u, v) = (self.uniform_double(), self.uniform_double());
        of::normals_double(u, 2.0 * v)
    }
}
