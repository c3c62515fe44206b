//! Plans by their handles: creation, settings, work areas, and properties.

use crate::code::*;
use crate::shape::Shape;
use crate::transform::Engine;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Arc;

/// A cuFFT plan (`cufftHandle`). It has no transform sizes and types until `cufftMakePlan*` sets
/// them.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// The plan's shape and allocated work area, once `cufftMakePlan*` has set the shape.
    pub(crate) made: Option<MadePlan>,
    pub(crate) stream: CUstream,
    /// Whether the program provides the work area.
    pub(crate) is_manual: bool,
    /// Address of the work area that the program has provided.
    area: CUdeviceptr,
    /// Values of `cufftProperty` by number.
    properties: BTreeMap<u32, i64>,
}

/// Shape and work area of a plan, which `cufftMakePlan*` has set.
#[derive(Clone)]
pub(crate) struct MadePlan {
    pub(crate) shape: Shape,
    pub(crate) engine: Arc<Engine>,
    /// The work area that the plan has allocated. It is not used, but allocated as cuFFT does, so
    /// that a program whose plans do not fit or leak sees the same errors.
    area: Option<Arc<driver::DeviceMemory>>,
}

static PLANS: Handles<Plan, FftCode> = Handles::new(1, 1, none);

fn none(handle: usize) -> texunit_client::call::Refused<FftCode> {
    FftCode::InvalidPlan.because(format!(
        "plan {} is not a plan: it was never made, or it was destroyed",
        handle as c_int
    ))
}

/// Creates an empty plan and returns its handle.
pub(crate) fn create() -> Answer<c_int> {
    driver::make_current().map_err(|why| FftCode::SetupFailed.with(why))?;
    let handle = PLANS.insert(Plan::default());
    c_int::try_from(handle).map_err(|_| {
        FftCode::AllocFailed.because("no more plans can be made: all handles have been used")
    })
}

pub(crate) fn destroy(handle: c_int) -> Answer {
    PLANS.remove(handle as usize).map(drop)
}

/// A copy of a plan and its settings, by its handle.
pub(crate) fn get(handle: c_int) -> Answer<Plan> {
    PLANS.get(handle as usize)
}

/// A plan with its shape; refused if no `cufftMakePlan*` has set the shape.
pub(crate) fn made(handle: c_int) -> Answer<(Plan, MadePlan)> {
    let plan = get(handle)?;
    match plan.made.clone() {
        Some(made) => Ok((plan, made)),
        None => {
            let why = format!(
                "plan {handle} is not made: `cufftMakePlan1d` and its like say what it transforms"
            );
            Err(FftCode::InvalidPlan.because(why))
        }
    }
}

pub(crate) fn change(handle: c_int, change: impl FnOnce(&mut Plan)) -> Answer {
    PLANS.with(handle as usize, change)
}

/// Sets the shape of a plan and returns the size of its work area in bytes.
pub(crate) fn make(handle: c_int, shape: Shape) -> Answer<usize> {
    let plan = get(handle)?;
    ensure!(
        plan.made.is_none(),
        FftCode::InvalidPlan,
        "plan {handle} is made already, and cannot be made again"
    );
    let size = shape.work_size();
    let area = match plan.is_manual {
        true => None,
        false => {
            driver::make_current()?;
            Some(Arc::new(driver::DeviceMemory::new(size)?))
        }
    };
    let engine = Arc::new(Engine::new(shape.clone()));
    change(handle, |plan| plan.made = Some(MadePlan { shape, engine, area }))?;
    Ok(size)
}

impl Plan {
    /// Sets the work area that the program provides, or (null) removes it.
    pub(crate) fn set_area(&mut self, area: CUdeviceptr) {
        self.area = area;
        if let Some(made) = self.made.as_mut().filter(|_| area != 0) {
            made.area = None;
        }
    }

    /// Fails with `CUFFT_NO_WORKSPACE` if the plan has no work area.
    pub(crate) fn check_area(&self) -> Answer {
        let own = self.made.as_ref().and_then(|made| made.area.as_ref());
        ensure!(
            own.is_some() || self.area != 0,
            FftCode::NoWorkspace,
            "the plan has no work area: `cufftSetAutoAllocation` says that `cufftSetWorkArea` provides it"
        );
        Ok(())
    }

    /// Value of a property, or its default.
    pub(crate) fn property(&self, property: u32) -> Answer<i64> {
        check_property(property)?;
        let usual = i64::from(property == MAX_NUM_HOST_THREADS);
        Ok(self.properties.get(&property).copied().unwrap_or(usual))
    }

    /// Sets a property, or (`None`) resets it. Properties have no effect here, as they control how
    /// cuFFT generates kernels.
    pub(crate) fn set_property(&mut self, property: u32, value: Option<i64>) {
        match value {
            Some(value) => self.properties.insert(property, value),
            None => self.properties.remove(&property),
        };
    }
}

/// `NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS`
const MAX_NUM_HOST_THREADS: u32 = 2;

/// Fails with `CUFFT_INVALID_VALUE` for an unknown `cufftProperty`.
pub(crate) fn check_property(property: u32) -> Answer {
    if (1..=4).contains(&property) {
        return Ok(());
    }
    Err(FftCode::InvalidValue.because(format!("property {property} is not a cufftProperty")))
}
