//! The exported functions of cuRAND's host API.

use crate::code::*;
use crate::directions::{self, DIMENSIONS, VectorSet};
use crate::discrete;
use crate::engine::{Distribution, Type};
use crate::generator::{self, GENERATORS, change, generate, wrong_type};
use std::ffi::{c_double, c_float, c_int};

/// Version in CUDA 13.5; the library has the same file name in CUDA 12 and 13.
const VERSION: [c_int; 3] = [10, 4, 5];

library_api! { (RandCode)
    /// Creates a generator that writes to device memory.
    fn curandCreateGenerator(generator: Out<usize>, rng_type: u32) {
        generator.give(|| generator::create(rng_type, false))
    }

    /// Creates a generator that writes to host memory.
    fn curandCreateGeneratorHost(generator: Out<usize>, rng_type: u32) {
        generator.give(|| generator::create(rng_type, true))
    }

    /// Destroys a generator; numbers that were requested before are still generated.
    fn curandDestroyGenerator(generator: usize) {
        GENERATORS.remove(generator).map(drop)
    }

    /// Version of the library.
    fn curandGetVersion(version: Out<c_int>) {
        let [major, minor, patch] = VERSION;
        Ok(version.set(major * 1000 + minor * 100 + patch)?)
    }

    /// A component of the version.
    fn curandGetProperty(r#type: u32, value: Out<c_int>) {
        property(VERSION, r#type, value, RandCode::OutOfRange)
    }

    /// Sets the stream to which the generator submits work.
    fn curandSetStream(generator: usize, stream: CUstream) {
        GENERATORS.with(generator, |_| ())?;
        driver::check_stream(stream)?;
        GENERATORS.with(generator, |generator| generator.stream = stream)
    }

    /// Sets the seed of a pseudorandom generator, which restarts.
    fn curandSetPseudoRandomGeneratorSeed(generator: usize, seed: u64) {
        change(generator, |recipe| {
            if recipe.of.is_quasi() {
                return wrong_type("a quasirandom generator has no seed");
            }
            recipe.seed = seed;
            Ok(())
        })
    }

    /// Sets the position in the sequence at which the generator continues.
    fn curandSetGeneratorOffset(generator: usize, offset: u64) {
        change(generator, |recipe| {
            if matches!(recipe.of, Type::Mtgp | Type::Twister) && offset != 0 {
                return wrong_type("generators of MTGP32 and MT19937 have no offset");
            }
            recipe.offset = offset;
            Ok(())
        })
    }

    /// Sets the order in which the numbers of the states are written to an array.
    fn curandSetGeneratorOrdering(generator: usize, order: u32) {
        change(generator, |recipe| {
            let fits = match recipe.of.is_quasi() {
                true => order == 201,
                false => (100..=104).contains(&order),
            };
            ensure!(fits, RandCode::OutOfRange, "order {order} is not an ordering of this generator");
            recipe.seeded = order == 102;
            recipe.legacy = order == 103;
            Ok(())
        })
    }

    /// Sets the number of dimensions of a quasirandom generator.
    fn curandSetQuasiRandomGeneratorDimensions(generator: usize, num_dimensions: u32) {
        change(generator, |recipe| {
            if !recipe.of.is_quasi() {
                return wrong_type("a pseudorandom generator has no dimensions");
            }
            let count = usize::try_from(num_dimensions).unwrap_or(usize::MAX);
            ensure!(
                (1..=DIMENSIONS).contains(&count),
                RandCode::OutOfRange,
                "num_dimensions {num_dimensions} is not 1 to {DIMENSIONS}"
            );
            recipe.dimensions = count;
            Ok(())
        })
    }

    /// Creates a table of a Poisson distribution for the device function `curand_discrete`.
    fn curandCreatePoissonDistribution(lambda: c_double, discrete_distribution: Out<u64>) {
        if discrete_distribution.is_null() {
            bail!(RandCode::NotInitialized, "discrete_distribution is null");
        }
        generator::check_lambda(lambda)?;
        Ok(discrete_distribution.set(discrete::create(lambda)?)?)
    }

    /// Frees a table of a distribution.
    fn curandDestroyDistribution(discrete_distribution: u64) {
        discrete::destroy(discrete_distribution)
    }

    /// Initialises a generator's states before numbers are requested.
    fn curandGenerateSeeds(generator: usize) {
        let generator = GENERATORS.get(generator)?;
        lock(&generator.engine).get_or_insert_with(|| generator.recipe.make());
        Ok(())
    }

    /// The direction vectors of Sobol32.
    fn curandGetDirectionVectors32(vectors: Out<usize>, set: u32) {
        let set = set_of(set, [101, 102])?;
        Ok(vectors.set(directions::short_tables(set).0.as_ptr().expose_provenance())?)
    }

    /// The scramble constants of scrambled Sobol32.
    fn curandGetScrambleConstants32(constants: Out<usize>) {
        let (_, all) = directions::short_tables(VectorSet::Scrambled);
        Ok(constants.set(all.as_ptr().expose_provenance())?)
    }

    /// The direction vectors of Sobol64.
    fn curandGetDirectionVectors64(vectors: Out<usize>, set: u32) {
        let set = set_of(set, [103, 104])?;
        Ok(vectors.set(directions::wide_tables(set).0.as_ptr().expose_provenance())?)
    }

    /// The scramble constants of scrambled Sobol64.
    fn curandGetScrambleConstants64(constants: Out<usize>) {
        let (_, all) = directions::wide_tables(VectorSet::Scrambled);
        Ok(constants.set(all.as_ptr().expose_provenance())?)
    }
}

/// Defines the functions that generate numbers of a distribution, given with its parameters.
macro_rules! generates {
    ($($(#[$doc:meta])* $name:ident($count:ident $(, $arg:ident: $type:ty)*) { $($wanted:tt)+ })*) => {
        library_api! { (RandCode) $(
            $(#[$doc])*
            fn $name(generator: usize, outputPtr: u64, $count: usize $(, $arg: $type)*) {
                let wanted = Distribution::$($wanted)+;
                generate(stringify!($name), generator, wanted, outputPtr, $count)
            }
        )* }
    };
}

generates! {
    /// Generates 32-bit random integers.
    curandGenerate(num) { Bits }
    /// Generates 64-bit random integers, for generators of 64 bits.
    curandGenerateLongLong(num) { Wide }
    /// Generates uniform numbers in (0, 1].
    curandGenerateUniform(num) { Uniform }
    /// Generates uniform numbers in (0, 1] in double precision.
    curandGenerateUniformDouble(num) { UniformDouble }
    /// Generates normally distributed numbers.
    curandGenerateNormal(n, mean: c_float, stddev: c_float) { Normal([mean, stddev], false) }
    /// Generates normally distributed numbers in double precision.
    curandGenerateNormalDouble(n, mean: c_double, stddev: c_double) { NormalDouble([mean, stddev], false) }
    /// Generates log-normally distributed numbers.
    curandGenerateLogNormal(n, mean: c_float, stddev: c_float) { Normal([mean, stddev], true) }
    /// Generates log-normally distributed numbers in double precision.
    curandGenerateLogNormalDouble(n, mean: c_double, stddev: c_double) { NormalDouble([mean, stddev], true) }
    /// Generates Poisson distributed numbers.
    curandGeneratePoisson(n, lambda: c_double) { Poisson(lambda) }
}

/// The vector set of a `curandDirectionVectorSet_t`, given the numbers of the plain and the
/// scrambled set.
fn set_of(number: u32, [plain, scrambled]: [u32; 2]) -> Answer<VectorSet> {
    match number {
        number if number == plain => Ok(VectorSet::Plain),
        number if number == scrambled => Ok(VectorSet::Scrambled),
        _ => bail!(
            RandCode::OutOfRange,
            "set {number} is not {plain} (plain) or {scrambled} (scrambled)"
        ),
    }
}
