//! Execution of plans: checks the plan's type and the addresses, and submits the transform to the
//! plan's stream.

use crate::code::*;
use crate::plan::{self, MadePlan};
use crate::shape::{Kind, Type, together};
use rustfft::FftDirection;
use std::ffi::c_int;

/// `CUFFT_FORWARD`
const FORWARD: c_int = -1;
/// `CUFFT_INVERSE`
const INVERSE: c_int = 1;

/// Defines the functions that execute plans of one type. For each, the macro is given the
/// documentation, the name, the type, and the direction, which may be a parameter.
macro_rules! executes {
    ($($doc:literal $name:ident $of:ident $(($direction:ident))? => $way:expr;)*) => {
        library_api! { (FftCode) $(
            #[doc = concat!("Transforms ", $doc, ".")]
            fn $name(
                plan: c_int, idata: CUdeviceptr, odata: CUdeviceptr, $($direction: c_int)?
            ) {
                exec(stringify!($name), plan, Some(Type::$of), [idata, odata], $way)
            }
        )* }
    };
}
executes! {
    "complex numbers in single precision" cufftExecC2C C2C (direction) => direction;
    "real numbers in single precision to complex ones" cufftExecR2C R2C => FORWARD;
    "complex numbers to real ones in single precision" cufftExecC2R C2R => INVERSE;
    "complex numbers in double precision" cufftExecZ2Z Z2Z (direction) => direction;
    "real numbers in double precision to complex ones" cufftExecD2Z D2Z => FORWARD;
    "complex numbers to real ones in double precision" cufftExecZ2D Z2D => INVERSE;
}

library_api! { (FftCode)
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
    let together = together(&regions);
    let done = work::submit(plan.stream, function, regions.to_vec(), together, move |memory| {
        if let [input, output] = memory {
            engine.run(direction, input, output);
        }
    });
    done.map_err(|why| FftCode::ExecFailed.with(why))
}
