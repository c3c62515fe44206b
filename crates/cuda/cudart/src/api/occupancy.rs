//! Occupancy (runtime API, "Occupancy").

use crate::abi::cudaLaunchConfig_t;
use crate::api::function::kernel;
use crate::api::launch::{Shape, config};
use crate::call::runtime_api;
use crate::driver::{self, CUfunction, ask};
use std::ffi::{c_int, c_uint};
use texunit_cuda_abi::args::{Answer, In, Out, Raw};
use texunit_cuda_abi::{CUlaunchConfig, CUresult};

runtime_api! {
    /// Blocks of a kernel that a multiprocessor holds at a time.
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: Out<c_int>,
        func: Raw,
        blockSize: c_int,
        dynamicSMemSize: usize,
    ) {
        active(numBlocks, func, blockSize, dynamicSMemSize, 0)
    }

    /// Blocks of a kernel that a multiprocessor holds at a time.
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: Out<c_int>,
        func: Raw,
        blockSize: c_int,
        dynamicSMemSize: usize,
        flags: c_uint,
    ) {
        active(numBlocks, func, blockSize, dynamicSMemSize, flags)
    }

    /// Most bytes of dynamic shared memory of a block with which so many blocks are held.
    fn cudaOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize: Out<usize>,
        func: Raw,
        numBlocks: c_int,
        blockSize: c_int,
    ) {
        dynamicSmemSize.check()?;
        let kernel = kernel(func)?;
        // SAFETY: the out-pointer is to a local variable.
        dynamicSmemSize.set(ask(|dynamicSmemSize| unsafe {
            driver::cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, kernel, numBlocks, blockSize)
        })?)
    }

    /// The largest cluster of a launch.
    fn cudaOccupancyMaxPotentialClusterSize(
        clusterSize: Out<c_int>,
        func: Raw,
        launchConfig: In<cudaLaunchConfig_t>,
    ) {
        // SAFETY: the structure has as many attributes as it says; the driver's function is given variables of our own.
        unsafe { clusters(clusterSize, func, launchConfig, driver::cuOccupancyMaxPotentialClusterSize) }
    }

    /// Clusters of a launch that the device holds at a time.
    fn cudaOccupancyMaxActiveClusters(
        numClusters: Out<c_int>,
        func: Raw,
        launchConfig: In<cudaLaunchConfig_t>,
    ) {
        // SAFETY: the structure has as many attributes as it says; the driver's function is given variables of our own.
        unsafe { clusters(numClusters, func, launchConfig, driver::cuOccupancyMaxActiveClusters) }
    }
}

fn active(
    blocks: Out<c_int>,
    function: Raw,
    threads: c_int,
    shared: usize,
    flags: c_uint,
) -> Answer {
    blocks.check()?;
    let kernel = kernel(function)?;
    // SAFETY: the out-pointer is to a local variable.
    blocks.set(ask(|blocks| unsafe {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            blocks, kernel, threads, shared, flags,
        )
    })?)
}

/// Asks one of the driver's functions of clusters.
///
/// # Safety
/// The structure has as many attributes as it says.
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
    let (grid, block) = (given.gridDim.all(), given.blockDim.all());
    let shape = Shape { grid, block, shared: given.dynamicSmemBytes };
    let config = config(&shape, given.stream, &attributes)?;
    // SAFETY: the pointers are to variables of our own.
    out.set(ask(|out| unsafe { find(out, kernel, &raw const config) })?)
}
