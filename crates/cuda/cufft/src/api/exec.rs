//! Execution of plans: checks the type and addresses, and submits the transform to the plan's
//! stream.

use crate::code::*;
use crate::plan::{self, MadePlan};
use crate::shape::{Kind, Type, together};
use rustfft::FftDirection;
use std::ffi::c_int;

/// `CUFFT_FORWARD`
const FORWARD: c_int = -1;
/// `CUFFT_INVERSE`
const INVERSE: c_int = 1;

library_api! { (FftCode)
    /// Transforms complex numbers in single precision.
    fn cufftExecC2C(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr, direction: c_int) {
        exec("cufftExecC2C", plan, Some(Type::C2C), [idata, odata], direction)
    }

    /// Transforms real numbers in single precision to complex ones.
    fn cufftExecR2C(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr) {
        exec("cufftExecR2C", plan, Some(Type::R2C), [idata, odata], FORWARD)
    }

    /// Transforms complex numbers to real ones in single precision.
    fn cufftExecC2R(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr) {
        exec("cufftExecC2R", plan, Some(Type::C2R), [idata, odata], INVERSE)
    }

    /// Transforms complex numbers in double precision.
    fn cufftExecZ2Z(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr, direction: c_int) {
        exec("cufftExecZ2Z", plan, Some(Type::Z2Z), [idata, odata], direction)
    }

    /// Transforms real numbers in double precision to complex ones.
    fn cufftExecD2Z(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr) {
        exec("cufftExecD2Z", plan, Some(Type::D2Z), [idata, odata], FORWARD)
    }

    /// Transforms complex numbers to real ones in double precision.
    fn cufftExecZ2D(plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr) {
        exec("cufftExecZ2D", plan, Some(Type::Z2D), [idata, odata], INVERSE)
    }

    /// Executes a plan of any type; the direction applies to complex transforms only.
    fn cufftXtExec(plan: c_int, input: CUdeviceptr, output: CUdeviceptr, direction: c_int) {
        exec("cufftXtExec", plan, None, [input, output], direction)
    }
}

/// Submits a plan to its stream.
fn exec(
    function: &'static str,
    handle: c_int,
    of: Option<Type>,
    addresses: [CUdeviceptr; 2],
    direction: c_int,
) -> Answer {
    let (plan, MadePlan { shape, engine, .. }) = plan::made(handle)?;
    if let Some(of) = of.filter(|&of| shape.of != of) {
        bail!(
            FftCode::InvalidType,
            "plan {handle} is of {}, and {function} executes those of {}",
            shape.of.name(),
            of.name()
        );
    }
    for (name, address) in ["input", "output"].into_iter().zip(addresses) {
        ensure!(address != 0, FftCode::InvalidValue, "the {name} is null");
    }
    let direction = match (shape.of.kind, direction) {
        (Kind::FromReal, _) | (Kind::Complex, FORWARD) => FftDirection::Forward,
        (Kind::ToReal, _) | (Kind::Complex, INVERSE) => FftDirection::Inverse,
        _ => bail!(
            FftCode::InvalidValue,
            "direction {direction} is not CUFFT_FORWARD (-1) or CUFFT_INVERSE (1)"
        ),
    };
    plan.check_area()?;
    let [input, output] = addresses;
    let regions = shape.regions(addresses, input == output).ok_or_else(|| {
        FftCode::InvalidValue.because("the transforms reach to more than addresses count")
    })?;
    context::make_current()?;
    let together = together(&regions);
    let done =
        work::submit_in_parts(plan.stream, function, regions.to_vec(), together, move |memory| {
            if let [input, output] = memory {
                engine.run(direction, input, output);
            }
        });
    done.map_err(|why| FftCode::ExecFailed.with(why))
}
