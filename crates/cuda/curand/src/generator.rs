//! Generators by their handles (`curandGenerator_t`): their settings, and the generation of
//! numbers.

use crate::code::*;
use crate::directions::VectorSet;
use crate::engine::{Distribution, Engine, Recipe, Type};
use std::sync::{Arc, Mutex};

/// Settings of a generator. Submitted work keeps the engine with which it was submitted.
#[derive(Clone)]
pub(crate) struct Generator {
    pub(crate) recipe: Recipe,
    /// Whether the generator writes to host memory.
    of_host: bool,
    pub(crate) stream: CUstream,
    pub(crate) engine: LazyEngine,
}

/// An engine that is built when the first numbers are requested.
pub(crate) type LazyEngine = Arc<Mutex<Option<Box<dyn Engine>>>>;

/// The first handle, in a range that no allocation uses.
const FIRST: usize = 0x0000_5c00_0000_0000;

pub(crate) static GENERATORS: Handles<Generator, RandCode> = Handles::new(FIRST, 16, none);

fn none(handle: usize) -> Refused<RandCode> {
    RandCode::NotInitialized.because(match handle {
        0 => "generator is null".to_owned(),
        handle => format!("generator {handle:#x} was never made, or it was destroyed"),
    })
}

/// `curandRngType_t`
fn type_of(number: u32) -> Answer<Type> {
    Ok(match number {
        100 | 101 => Type::Xorwow,
        121 => Type::Mrg,
        141 => Type::Mtgp,
        142 => Type::Twister,
        161 => Type::Philox,
        200 | 201 => Type::Sobol32(VectorSet::Plain),
        202 => Type::Sobol32(VectorSet::Scrambled),
        203 => Type::Sobol64(VectorSet::Plain),
        204 => Type::Sobol64(VectorSet::Scrambled),
        _ => bail!(RandCode::TypeError, "rng_type {number} is not a curandRngType_t"),
    })
}

/// Creates a generator of a type.
pub(crate) fn create(number: u32, of_host: bool) -> Answer<usize> {
    let of = type_of(number)?;
    if !of_host {
        driver::make_current().map_err(|why| RandCode::InitializationFailed.with(why))?;
    }
    let recipe = Recipe { of, seed: 0, offset: 0, legacy: false, seeded: false, dimensions: 1 };
    let new =
        Generator { recipe, of_host, stream: CUstream::default(), engine: LazyEngine::default() };
    Ok(GENERATORS.insert(new))
}

/// Changes settings; the next numbers come from a new engine.
pub(crate) fn change(handle: usize, change: impl FnOnce(&mut Recipe) -> Answer) -> Answer {
    GENERATORS.with(handle, |generator| {
        change(&mut generator.recipe)?;
        generator.engine = LazyEngine::default();
        Ok(())
    })?
}

pub(crate) fn wrong_type(why: &'static str) -> Answer {
    Err(RandCode::TypeError.because(why))
}

/// Generates numbers at an address.
pub(crate) fn generate(
    function: &'static str,
    handle: usize,
    wanted: Distribution,
    address: u64,
    count: usize,
) -> Answer {
    let Generator { recipe, of_host, stream, engine } = GENERATORS.get(handle)?;
    check_wanted(&recipe, wanted, count)?;
    if count == 0 {
        return Ok(());
    }
    ensure!(address != 0, RandCode::OutOfRange, "outputPtr is null");
    let fill = move |to: &mut [u8]| {
        let mut engine = lock(&engine);
        engine.get_or_insert_with(|| recipe.make()).fill(wanted, to);
    };
    if of_host {
        return fill_host(address, count, wanted.size(), fill);
    }
    let element = wanted.size() as u64;
    let region = Region {
        address,
        element,
        access: Region::WRITTEN,
        count: [1, 1, 1, count as u64],
        stride: [0, 0, 0, element.cast_signed()],
    };
    let fill = move |memory: &mut [&mut [u8]]| memory.iter_mut().for_each(|to| fill(to));
    let done = work::submit(stream, function, vec![region], 0, fill);
    done.map_err(|why| RandCode::LaunchFailure.of_work(why))
}

/// Checks that a generator supports a distribution and a count.
fn check_wanted(recipe: &Recipe, wanted: Distribution, count: usize) -> Answer {
    let is_wide = matches!(recipe.of, Type::Sobol64(_));
    match wanted {
        Distribution::Bits if is_wide => {
            wrong_type("a generator of 64 bits makes numbers of 64 bits")?;
        }
        Distribution::Wide if !is_wide => wrong_type("only Sobol64 makes numbers of 64 bits")?,
        Distribution::Poisson(lambda) => check_lambda(lambda)?,
        _ => {}
    }
    let multiple = match recipe.of.is_quasi() {
        true => recipe.dimensions,
        false if wanted.is_in_pairs() => 2,
        false => 1,
    };
    ensure!(
        count.is_multiple_of(multiple),
        RandCode::LengthNotMultiple,
        "{count} numbers are not a multiple of {multiple}"
    );
    Ok(())
}

/// Checks the lambda of a Poisson distribution.
pub(crate) fn check_lambda(lambda: f64) -> Answer {
    if lambda > 0.0 && lambda <= 400_000.0 {
        return Ok(());
    }
    Err(RandCode::OutOfRange.because(format!("lambda {lambda} is not above 0, or above 400,000")))
}

/// Generates numbers in host memory.
fn fill_host(address: u64, count: usize, size: usize, fill: impl FnOnce(&mut [u8])) -> Answer {
    let mut words: Vec<u64> = Vec::new();
    let bytes =
        count.checked_mul(size).filter(|bytes| words.try_reserve(bytes.div_ceil(8)).is_ok());
    let bytes = bytes.ok_or_else(|| {
        RandCode::AllocationFailed.because(format!("there is no memory for {count} numbers"))
    })?;
    words.resize(bytes.div_ceil(8), 0);
    let made = &mut bytemuck::cast_slice_mut(&mut words)[..bytes];
    fill(made);
    // SAFETY: the caller's memory holds this many numbers.
    Ok(unsafe { Out::<u8>::of(address).elements(bytes) }.set_all(made.iter().copied())?)
}
