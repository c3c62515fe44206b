//! The exported functions.

use crate::code::{Answer, RandCode};
use crate::directions::{self, Set};
use crate::discrete;
use crate::engine::Wanted;
use crate::generator::{self, generate};
use std::ffi::{c_double, c_float, c_int};
use texunit_client::call::Code;
use texunit_client::driver::{self, CUstream};
use texunit_client::{context, library_api, told};
use texunit_cuda_abi::args::Out;

/// The version of CUDA 13.5; CUDA 12 and 13 have one name for this library.
const VERSION: [c_int; 3] = [10, 4, 5];

library_api! { (RandCode)
    /// A new generator whose numbers go to the device.
    fn curandCreateGenerator(generator: Out<usize>, rng_type: u32) {
        generator.check()?;
        generator.set(generator::create(rng_type, false)?)?;
        Ok(())
    }

    /// A new generator whose numbers go to memory of the host.
    fn curandCreateGeneratorHost(generator: Out<usize>, rng_type: u32) {
        generator.check()?;
        generator.set(generator::create(rng_type, true)?)?;
        Ok(())
    }

    /// Ends a generator: numbers that were asked for are made all the same.
    fn curandDestroyGenerator(generator: usize) {
        generator::destroy(generator)
    }

    /// The version of the library.
    fn curandGetVersion(version: Out<c_int>) {
        let [major, minor, patch] = VERSION;
        version.set(major * 1000 + minor * 100 + patch)?;
        Ok(())
    }

    /// A part of the version.
    fn curandGetProperty(r#type: u32, value: Out<c_int>) {
        let Some(&part) = VERSION.get(r#type as usize) else {
            let why = format!("type {} is not a libraryPropertyType: 0 (major), 1 (minor) or 2 (patch level)", r#type);
            return Err(RandCode::OutOfRange.because(why));
        };
        value.set(part)?;
        Ok(())
    }

    /// The stream in whose order numbers are made.
    fn curandSetStream(generator: usize, stream: CUstream) {
        generator::check(generator)?;
        context::make_current()?;
        let mut flags = 0;
        // SAFETY: the out-pointer is to a local variable.
        told::check(unsafe { driver::cuStreamGetFlags(stream, &raw mut flags) })?;
        generator::set_stream(generator, stream)
    }

    /// The seed of a pseudorandom generator, which begins anew.
    fn curandSetPseudoRandomGeneratorSeed(generator: usize, seed: u64) {
        generator::set_seed(generator, seed)
    }

    /// The number of the sequence that comes next.
    fn curandSetGeneratorOffset(generator: usize, offset: u64) {
        generator::set_offset(generator, offset)
    }

    /// How numbers of sequences become those of an array.
    fn curandSetGeneratorOrdering(generator: usize, order: u32) {
        generator::set_ordering(generator, order)
    }

    /// How many dimensions a quasirandom generator has.
    fn curandSetQuasiRandomGeneratorDimensions(generator: usize, num_dimensions: u32) {
        generator::set_dimensions(generator, num_dimensions)
    }

    /// Numbers of 32 random bits.
    fn curandGenerate(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerate", generator, Wanted::Bits, outputPtr, num)
    }

    /// Numbers of 64 bits, of generators that make them.
    fn curandGenerateLongLong(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateLongLong", generator, Wanted::Wide, outputPtr, num)
    }

    /// Numbers above 0, up to 1.
    fn curandGenerateUniform(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateUniform", generator, Wanted::Uniform, outputPtr, num)
    }

    /// Numbers above 0, up to 1, in double precision.
    fn curandGenerateUniformDouble(generator: usize, outputPtr: u64, num: usize) {
        generate("curandGenerateUniformDouble", generator, Wanted::UniformDouble, outputPtr, num)
    }

    /// Normal numbers.
    fn curandGenerateNormal(generator: usize, outputPtr: u64, n: usize, mean: c_float, stddev: c_float) {
        generate("curandGenerateNormal", generator, Wanted::Normal([mean, stddev]), outputPtr, n)
    }

    /// Normal numbers in double precision.
    fn curandGenerateNormalDouble(generator: usize, outputPtr: u64, n: usize, mean: c_double, stddev: c_double) {
        generate("curandGenerateNormalDouble", generator, Wanted::NormalDouble([mean, stddev]), outputPtr, n)
    }

    /// Numbers whose logarithms are normal.
    fn curandGenerateLogNormal(generator: usize, outputPtr: u64, n: usize, mean: c_float, stddev: c_float) {
        generate("curandGenerateLogNormal", generator, Wanted::LogNormal([mean, stddev]), outputPtr, n)
    }

    /// Numbers whose logarithms are normal, in double precision.
    fn curandGenerateLogNormalDouble(generator: usize, outputPtr: u64, n: usize, mean: c_double, stddev: c_double) {
        generate("curandGenerateLogNormalDouble", generator, Wanted::LogNormalDouble([mean, stddev]), outputPtr, n)
    }

    /// Poisson numbers.
    fn curandGeneratePoisson(generator: usize, outputPtr: u64, n: usize, lambda: c_double) {
        generate("curandGeneratePoisson", generator, Wanted::Poisson(lambda), outputPtr, n)
    }

    /// A table of Poisson numbers for `curand_discrete` of the device.
    fn curandCreatePoissonDistribution(lambda: c_double, discrete_distribution: Out<u64>) {
        if discrete_distribution.is_null() {
            return Err(RandCode::NotInitialized.because("discrete_distribution is null"));
        }
        generator::check_lambda(lambda)?;
        discrete_distribution.set(discrete::create(lambda)?)?;
        Ok(())
    }

    /// Ends such a table.
    fn curandDestroyDistribution(discrete_distribution: u64) {
        discrete::destroy(discrete_distribution)
    }

    /// Makes the states of a generator before numbers are wanted.
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

    /// The constants of scrambled Sobol32.
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

    /// The constants of scrambled Sobol64.
    fn curandGetScrambleConstants64(constants: Out<usize>) {
        constants.check()?;
        constants.set(directions::wide_constants().as_ptr().expose_provenance())?;
        Ok(())
    }
}

/// `curandDirectionVectorSet_t`, of two.
fn set_of(number: u32, [plain, scrambled]: [u32; 2]) -> Answer<Set> {
    match number {
        number if number == plain => Ok(Set::Plain),
        number if number == scrambled => Ok(Set::Scrambled),
        _ => {
            let why = format!("set {number} is not {plain} (plain) or {scrambled} (scrambled)");
            Err(RandCode::OutOfRange.because(why))
        }
    }
}
