//! Occupancy (driver API, "Occupancy") of the GPU that is simulated: how many blocks and clusters
//! of a kernel are resident at once. The number of registers is that of `cuFuncGetAttribute`.

use crate::api::*;
use crate::current_call::in_program;
use crate::occupancy::{self, Block};
use crate::{context, launch};

driver_api! {
    /// Maximum number of a kernel's blocks resident on a multiprocessor. The flag about caching has
    /// no effect.
    fn [cuOccupancyMaxActiveBlocksPerMultiprocessor] cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, [flags = 0],
    ) {
        numBlocks.check()?;
        let (function, context) = current(func)?;
        check_flags(flags)?;
        let threads = u32::try_from(blockSize).ok().filter(|&n| n > 0).ok_or_else(|| {
            invalid!("blockSize {blockSize} is not a number of threads, 1 and more")
        })?;
        let block = Block { threads, dynamic_shared: dynamicSMemSize as u64 };
        numBlocks.set(occupancy::blocks(&function, context.gpu.card, block) as c_int)
    }

    /// The block size with which the most threads are resident on a multiprocessor, and the grid
    /// size that fills the device with such blocks. The flag about caching has no effect.
    fn [cuOccupancyMaxPotentialBlockSize] cuOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit,
        [flags = 0],
    ) {
        minGridSize.check()?;
        blockSize.check()?;
        let (function, context) = current(func)?;
        check_flags(flags)?;
        let limit = u32::try_from(blockSizeLimit)
            .map_err(|_| invalid!("blockSizeLimit {blockSizeLimit} is negative (0: no limit)"))?;
        let dynamic = |threads: u32| match blockSizeToDynamicSMemSize {
            // SAFETY: the caller's callback is called with the arguments that the driver would
            // pass.
            Some(of_block) => in_program(|| unsafe { of_block(threads as c_int) as u64 }),
            None => dynamicSMemSize as u64,
        };
        let card = context.gpu.card;
        let (threads, count) = occupancy::best_block(&function, card, limit, dynamic);
        ensure!(
            count != 0,
            "no CTA of kernel `{}` fits a multiprocessor, whatever its size up to blockSizeLimit is",
            crate::module::kernel_name(&function)
        );
        blockSize.set(threads as c_int)?;
        minGridSize.set(count as c_int * card.multiprocessors)
    }

    /// Maximum dynamic shared memory in bytes with which this many blocks are resident.
    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, func, numBlocks, blockSize) {
        dynamicSmemSize.check()?;
        let (function, context) = current(func)?;
        let count = u32::try_from(numBlocks).map_err(|_| invalid!("numBlocks {numBlocks} is negative"))?;
        let threads = u32::try_from(blockSize).map_err(|_| invalid!("blockSize {blockSize} is negative"))?;
        let size = occupancy::available_shared(&function, context.gpu.card, count, threads);
        dynamicSmemSize.set(size.ok_or_else(|| invalid!(
            "{} of {} of the kernel are more than a multiprocessor holds, whatever \
             their shared memory is", Count(numBlocks, "CTA"), Count(blockSize, "thread")
        ))? as usize)
    }

    /// Maximum cluster size for a launch, by the limits of the device and the kernel.
    fn cuOccupancyMaxPotentialClusterSize(clusterSize, func, config) {
        clusterSize.check()?;
        // SAFETY: the caller's structure points to as many attributes as it counts.
        let (function, _) = unsafe { clusters(func, config)? };
        clusterSize.set(function.most_in_cluster(function.takes_non_portable()))
    }

    /// Maximum number of a launch's clusters resident on the device, by their number of blocks.
    fn cuOccupancyMaxActiveClusters(numClusters, func, config) {
        numClusters.check()?;
        // SAFETY: the caller's structure points to as many attributes as it counts.
        numClusters.set(unsafe { clusters(func, config)? }.1)
    }
}

fn current(function: Handle<Function>) -> Answer<(Arc<Function>, Arc<Context>)> {
    let context = context::current()?;
    Ok((launch::function(function, &context)?, context))
}

fn check_flags(flags: c_uint) -> Answer {
    ensure!(
        flags <= 1,
        "flags {flags} is not CU_OCCUPANCY_DEFAULT (0) or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE (1)"
    );
    Ok(())
}

/// The function of a launch, and the number of its clusters that are resident on the device.
///
/// # Safety
/// The structure points to as many attributes as it counts.
unsafe fn clusters(
    function: Handle<Function>,
    config: In<'_, CUlaunchConfig>,
) -> Answer<(Arc<Function>, c_int)> {
    let config = config.get()?;
    let (function, context) = current(function)?;
    let mut shape = Shape { cluster: function.required_cluster(), ..Shape::of(&config) };
    // SAFETY: the caller upholds this function's safety contract.
    for one in unsafe { config.attributes() }.to_vec()? {
        if let (launch_attribute::CLUSTER_DIMENSION, [x, y, z, ..]) = (one.id, one.value) {
            shape.cluster = Some([x, y, z]);
        }
    }
    launch::check_cluster(&function, &shape)?;
    let product = |of: [u32; 3]| of.iter().fold(1_u32, |n, &b| n.saturating_mul(b));
    let block = Block { threads: product(shape.block), dynamic_shared: shape.shared.into() };
    let blocks = occupancy::blocks(&function, context.gpu.card, block);
    let multiprocessors = crate::stream::multiprocessors(Handle::of(config.hStream), &context);
    let cluster = shape.cluster.map_or(1, product).max(1);
    Ok((function, blocks as c_int * multiprocessors as c_int / cluster as c_int))
}
