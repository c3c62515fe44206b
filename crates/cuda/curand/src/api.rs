//! The exported functions of cuRAND's host API.

use crate::code::{Answer, RandCode};
use crate::directions::{self, VectorSet};
use crate::discrete;
use crate::engine::Distribution;
use crate::generator::{self, generate};
use std::ffi::{c_double, c_float, c_int};
use texunit_client::call::Code;
use texunit_client::driver::{self, CUstream};
use texunit_client::{context, library_api};
use texunit_cuda_abi::args::Out;

/// Version in CUDA 13.5; the library has the same file name in CUDA 12 and 13.
const VERSION: [c_int; 3] = [10, 4, 5];

library_api! { (RandCode)
    /// Creates a generator that writes to device memory.
    fn curandCreateGenerator(generator: Out<usize>, rng_type: u32) {
        generator.check()?;
        generator.set(generator::create(rng_type, false)?)?;
        Ok(())
    }

    /// Creates a generator that writes to host memory.
    fn curandCreateGeneratorHost(generator: Out<usize>, rng_type: u32) {
        generator.check()?;
        generator.set(generator::create(rng_type, true)?)?;
        Ok(())
    }

    /// Destroys a generator; numbers that were requested before are still generated.
    fn curandDestroyGenerator(generator: usize) {
        generator::destroy(generator)
    }

    /// Version of the library.
    fn curandGetVersion(version: Out<c_int>) {
        let [major, minor, patch] = VERSION;
        version.set(major * 1000 + minor * 100 + patch)?;
        Ok(())
    }

    /// A component of the version.
    fn curandGetProperty(r#type: u32, value: Out<c_int>) {
        let Some(&part) = VERSION.get(r#type as usize) else {
            let why = format!("type {} is not a libraryPropertyType: 0 (major), 1 (minor) or 2 (patch level)", r#type);
            return Err(RandCode::OutOfRange.because(why));
        };
        value.set(part)?;
        Ok(())
    }

    /// Sets the stream to which the generator submits work.
    fn curandSetStream(generator: usize, stream: CUstream) {
        generator::check(generator)?;
        context::make_current()?;
        let mut flags = 0;
        // SAFETY: the out-pointer is to a local variable.
        driver::check(unsafe { driver::cuStreamGetFlags(stream, &raw mut flags) })?;
        generator::set_stream(generator, stream)
    }

    /// Sets the seed of a pseudorandom generator, which restarts.
    fn curandSetPseudoRandomGeneratorSeed(generator: usize, seed: u64) {
        generator::set_seed(generator, seed)
    }

    /// Sets the position in the sequence at which the generator continues.
    fn curandSetGeneratorOffset(generator: usize, offset: u64) {
        generator::set_offset(generator, offset)
    }

    /// Sets the order in which the numbers of the states are written to an array.
    fn curandSetGeneratorOrdering(generator: usize, order: u32) {
        generator::set_ordering(generator, order)
    }

    /// Sets the number of dimensions of a quasirandom generator.
    fn curandSetQuasiRandomGeneratorDimensions(generator: usize, num_dimensions: u32) {
        generator::set_dimensions(generator, num_dimensions)
    }

    /// Generates 32-bit random integers.
    fn curandGenerate(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerate", generator, Distribution::Bits, outputPtr, num)
    }

    /// Generates 64-bit random integers, for generators of 64 bits.
    fn curandGenerateLongLong(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateLongLong", generator, Distribution::Wide, outputPtr, num)
    }

    /// Generates uniform numbers in (0, 1].
    fn curandGenerateUniform(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateUniform", generator, Distribution::Uniform, outputPtr, num)
    }

    /// Generates uniform numbers in (0, 1] in double precision.
    fn curandGenerateUniformDouble(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateUniformDouble", generator, Distribution::UniformDouble, outputPtr, num)
    }

    /// Generates normally distributed numbers.
    fn curandGenerateNormal(generator: usize, outputPtr: u64, n: usize, mean: c_float, stddev: c_float) {
        generate("curandGenerateNormal", generator, Distribution::Normal([mean, stddev]), outputPtr, n)
    }

    /// Generates normally distributed numbers in double precision.
    fn curandGenerateNormalDouble(generator: usize, outputPtr: u64, n: usize, mean: c_double, stddev: c_double) {
        generate("curandGenerateNormalDouble", generator, Distribution::NormalDouble([mean, stddev]), outputPtr, n)
    }

    /// Generates log-normally distributed numbers.
    fn curandGenerateLogNormal(generator: usize, outputPtr: u64, n: usize, mean: c_float, stddev: c_float) {
        generate("curandGenerateLogNormal", generator, Distribution::LogNormal([mean, stddev]), outputPtr, n)
    }

    /// Generates log-normally distributed numbers in double precision.
    fn curandGenerateLogNormalDouble(generator: usize, outputPtr: u64, n: usize, mean: c_double, stddev: c_double) {
        generate("curandGenerateLogNormalDouble", generator, Distribution::LogNormalDouble([mean, stddev]), outputPtr, n)
    }

    /// Generates Poisson distributed numbers.
    fn curandGeneratePoisson(generator: usize, outputPtr: u64, n: usize, lambda: c_double) {
        generate("curandGeneratePoisson", generator, Distribution::Poisson(lambda), outputPtr, n)
    }

    /// Creates a table of a Poisson distribution for the device function `curand_discrete`.
    fn curandCreatePoissonDistribution(lambda: c_double, discrete_distribution: Out<u64>) {
        if discrete_distribution.is_null() {
            return Err(RandCode::NotInitialized.because("discrete_distribution is null"));
        }
        generator::check_lambda(lambda)?;
        discrete_distribution.set(discrete::create(lambda)?)?;
        Ok(())
    }

    /// Frees a table of a distribution.
    fn curandDestroyDistribution(discrete_distribution: u64) {
        discrete::destroy(discrete_distribution)
    }

    /// Initialises a generator's states before numbers are requested.
    fn curandGenerateSeeds(generator: usize) {
        generator::make_engine(generator)
    }

    /// The direction vectors of Sobol32.
    fn curandGetDirectionVectors32(vectors: Out<usize>, set: u32) {
        let set = set_of(set, [101, 102])?;
        vectors.check()?;
        vectors.set(directions::short_table(set).as_ptr().expose_provenance())?;
        Ok(())
    }

    /// The scramble constants of scrambled Sobol32.
    fn curandGetScrambleConstants32(constants: Out<usize>) {
        constants.check()?;
        constants.set(directions::short_constants().as_ptr().expose_provenance())?;
        Ok(())
    }

    /// The direction vectors of Sobol64.
    fn curandGetDirectionVectors64(vectors: Out<usize>, set: u32) {
        let set = set_of(set, [103, 104])?;
        vectors.check()?;
        vectors.set(directions::wide_table(set).as_ptr().expose_provenance())?;
        Ok(())
    }

    /// The scramble constants of scrambled Sobol64.
    fn curandGetScrambleConstants64(constants: Out<usize>) {
        constants.check()?;
        constants.set(directions::wide_constants().as_ptr().expose_provenance())?;
        Ok(())
    }
}

/// The vector set of a `curandDirectionVectorSet_t`, given the numbers of the plain and the
/// scrambled set.
fn set_of(number: u32, [plain, scrambled]: [u32; 2]) -> Answer<VectorSet> {
    match number {
        number if number == plain => Ok(VectorSet::Plain),
        number if number == scrambled => Ok(VectorSet::Scrambled),
        _ => {
            let why = format!("set {number} is not {plain} (plain) or {scrambled} (scrambled)");
            Err(RandCode::OutOfRange.because(why))
        }
    }
}
