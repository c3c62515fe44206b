//! Occupancy: how many blocks or clusters of a kernel are resident at once (runtime API,
//! "Occupancy").

use crate::api::function::kernel;
use crate::api::launch::config;
use crate::api::*;

runtime_api! {
    /// Maximum cluster size for a launch.
    fn cudaOccupancyMaxPotentialClusterSize(clusterSize, func, launchConfig) {
        // SAFETY: the caller's structure has as many attributes as it counts; the driver's function
        // gets local variables.
        unsafe { clusters(clusterSize, func, launchConfig, driver::cuOccupancyMaxPotentialClusterSize) }
    }

    /// Maximum number of a launch's clusters resident on the device.
    fn cudaOccupancyMaxActiveClusters(numClusters, func, launchConfig) {
        // SAFETY: the caller's structure has as many attributes as it counts; the driver's function
        // gets local variables.
        unsafe { clusters(numClusters, func, launchConfig, driver::cuOccupancyMaxActiveClusters) }
    }
}

/// Calls a driver function about clusters.
///
/// # Safety
/// The structure points to as many attributes as it counts.
unsafe fn clusters(
    out: Out<'_, c_int>,
    function: Raw<'_>,
    given: In<'_, cudaLaunchConfig_t>,
    find: unsafe extern "C" fn(*mut c_int, CUfunction, *const CUlaunchConfig) -> CUresult,
) -> Answer {
    out.check()?;
    let given = given.get()?;
    let kernel = kernel(function)?;
    // SAFETY: the caller upholds this function's safety contract.
    let attributes = unsafe { given.attributes() }.to_vec()?;
    let config = config(&given, &attributes)?;
    // SAFETY: the pointers are to local variables.
    out.set(ask(|out| unsafe { find(out, kernel, &raw const config) })?)
}
