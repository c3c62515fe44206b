//! Functions for streams, work areas and properties of plans, and for versions of the library.

use crate::code::*;
use crate::plan;
use std::ffi::{c_int, c_longlong};

library_api! { (FftCode)
    /// Sets the stream in which a plan is executed.
    fn cufftSetStream(plan: c_int, stream: CUstream) {
        plan::get(plan)?;
        driver::check_stream(stream)?;
        plan::change(plan, |plan| plan.stream = stream)
    }

    /// Sets whether the plan allocates its work area when its shape is set.
    fn cufftSetAutoAllocation(plan: c_int, autoAllocate: c_int) {
        plan::change(plan, |plan| plan.is_manual = autoAllocate == 0)
    }

    /// Sets a work area that the program provides.
    fn cufftSetWorkArea(plan: c_int, workArea: CUdeviceptr) {
        plan::change(plan, |plan| plan.set_area(workArea))
    }

    /// Sets the work areas of a plan's devices; a plan has one device.
    fn cufftXtSetWorkArea(plan: c_int, workArea: In<CUdeviceptr>) {
        plan::get(plan)?;
        let area = workArea.get()?;
        plan::change(plan, |plan| plan.set_area(area))
    }

    /// Sets a policy for the size of the work area, which has no effect: the size does not change.
    fn cufftXtSetWorkAreaPolicy(plan: c_int, policy: u32, workSize: Out<usize>) {
        plan::get(plan)?;
        ensure!(
            policy <= 2,
            FftCode::InvalidValue,
            "policy {policy} is not a cufftXtWorkAreaPolicy: 0 (minimal), 1 (user) or 2 (performance)"
        );
        if let Ok((_, made)) = plan::made(plan) {
            workSize.set_if(made.shape.work_size());
        }
        Ok(())
    }

    /// Sets a property of a plan.
    fn cufftSetPlanPropertyInt64(plan: c_int, property: u32, inputValueInt: c_longlong) {
        plan::get(plan)?;
        plan::check_property(property)?;
        plan::change(plan, |plan| plan.set_property(property, Some(inputValueInt)))
    }

    /// Value of a plan's property.
    fn cufftGetPlanPropertyInt64(plan: c_int, property: u32, returnPtrValue: Out<c_longlong>) {
        returnPtrValue.give(|| plan::get(plan)?.property(property))
    }

    /// Resets a plan's property to its default.
    fn cufftResetPlanProperty(plan: c_int, property: u32) {
        plan::get(plan)?;
        plan::check_property(property)?;
        plan::change(plan, |plan| plan.set_property(property, None))
    }
}

/// Defines functions whose result depends on the library's version, for a major version.
macro_rules! versions {
    ($($major:literal $version:expr; $get:ident $property:ident)*) => {
        library_api! { (FftCode) $(
            #[doc = concat!("The version of `libcufft.so.", $major, "`.")]
            fn $get(version: Out<c_int>) {
                let [major, minor, patch] = $version;
                Ok(version.set(major * 1000 + minor * 100 + patch)?)
            }

            #[doc = concat!("A component of the version of `libcufft.so.", $major, "`.")]
            fn $property(r#type: u32, value: Out<c_int>) {
                property($version, r#type, value, FftCode::InvalidType)
            }
        )* }
    };
}
// The versions of cuFFT in CUDA 12.9 and in CUDA 13.5.
versions! {
    11 [11, 4, 1]; cufftGetVersion_11 cufftGetProperty_11
    12 [12, 5, 0]; cufftGetVersion_12 cufftGetProperty_12
}
