//! Occupancy (runtime API, "Occupancy").

use crate::abi::cudaLaunchConfig_t;
use crate::api::function::kernel;
use crate::api::launch::{Shape, config};
use crate::call::runtime_api;
use crate::driver::{self, CUfunction, ask};
use std::ffi::{c_int, c_uint};
use texunit_cuda_abi::args::{Answer, In, Out, Raw};
use texunit_cuda_abi::{CUlaunchAttribute, CUlaunchConfig, CUresult};

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
        // SAFETY: the pointer is to our own variable.
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
        // SAFETY: the pointers are to variables of our own.
        clusters(clusterSize, func, launchConfig, |clusterSize, kernel, launchConfig| unsafe {
            driver::cuOccupancyMaxPotentialClusterSize(clusterSize, kernel, launchConfig)
        })
    }

    /// Clusters of a launch that the device holds at a time.
    fn cudaOccupancyMaxActiveClusters(
        numClusters: Out<c_int>,
        func: Raw,
        launchConfig: In<cudaLaunchConfig_t>,
    ) {
        // SAFETY: the pointers are to variables of our own.
        clusters(numClusters, func, launchConfig, |numClusters, kernel, launchConfig| unsafe {
            driver::cuOccupancyMaxActiveClusters(numClusters, kernel, launchConfig)
        })
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
    // SAFETY: the pointer is to our own variable.
    blocks.set(ask(|blocks| unsafe {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            blocks, kernel, threads, shared, flags,
        )
    })?)
}

fn clusters(
    out: Out<c_int>,
    function: Raw,
    given: In<cudaLaunchConfig_t>,
    find: impl FnOnce(*mut c_int, CUfunction, *const CUlaunchConfig) -> CUresult,
) -> Answer {
    out.check()?;
    let given = given.get()?;
    let kernel = kernel(function)?;
    // SAFETY: a structure of the caller points to as many attributes as it says.
    let attributes =
        unsafe { In::<CUlaunchAttribute>::of(given.attrs).elements(given.numAttrs as usize) };
    let attributes = attributes.to_vec()?;
    let (grid, block) = (given.gridDim.all(), given.blockDim.all());
    let shape = Shape { grid, block, shared: given.dynamicSmemBytes };
    let config = config(&shape, given.stream, &attributes)?;
    out.set(ask(|out| find(out, kernel, &raw const config))?)
}
