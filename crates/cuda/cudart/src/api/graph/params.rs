//! Parameters of graph nodes: their translation between the runtime's and the driver's structures.

use crate::api::copy::inside;
use crate::api::*;
use texunit_cuda_abi::graph_node_type as kind;

/// Translates a node's parameters from the driver's structures to the runtime's.
#[cfg(not(feature = "cuda-12"))]
pub(super) fn of_driver_params(found: CUgraphNodeParams) -> Answer<CUgraphNodeParams> {
    Ok(match found.kind {
        kind::KERNEL => {
            let launch = of_kernel(&found.get());
            let params = cudaKernelNodeParamsV2 { launch, ..Default::default() };
            CUgraphNodeParams::new(kind::KERNEL, params)
        }
        kind::MEMCPY => {
            let copy = of_memcpy(&found.get::<CUDA_MEMCPY_NODE_PARAMS>().copyParams)?;
            let params = cudaMemcpyNodeParams { copy, ..Default::default() };
            CUgraphNodeParams::new(kind::MEMCPY, params)
        }
        _ => found,
    })
}

/// Translates the parameters of a kernel node for the driver.
pub(super) fn kernel(given: &CUDA_KERNEL_NODE_PARAMS_v1) -> Answer<CUDA_KERNEL_NODE_PARAMS> {
    let func = registry::kernel_or_handle(given.func)?;
    if func == given.func && !registry::was_handle(func) {
        return Err(registry::unknown(func));
    }
    let &CUDA_KERNEL_NODE_PARAMS_v1 { grid, block, sharedMemBytes, kernelParams, extra, .. } =
        given;
    let of = CUDA_KERNEL_NODE_PARAMS { func, ..CUDA_KERNEL_NODE_PARAMS::default() };
    Ok(CUDA_KERNEL_NODE_PARAMS { grid, block, sharedMemBytes, kernelParams, extra, ..of })
}

/// Translates the parameters of a kernel node from the driver's: with the host stub of the kernel,
/// or else its handle.
pub(super) fn of_kernel(found: &CUDA_KERNEL_NODE_PARAMS) -> CUDA_KERNEL_NODE_PARAMS_v1 {
    let &CUDA_KERNEL_NODE_PARAMS { func, kern, grid, block, sharedMemBytes, .. } = found;
    let (kernelParams, extra) = (found.kernelParams, found.extra);
    let handle = if kern != 0 { kern } else { func };
    let func = registry::host_of(handle).unwrap_or(handle);
    CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra }
}

/// Translates the parameters of a memcpy node for the driver.
pub(super) fn memcpy(parms: &cudaMemcpy3DParms) -> Answer<CUDA_MEMCPY3D> {
    crate::api::copy_3d::to_boxes(parms)?.ok_or_else(|| {
        invalid!("the extent of the copy is empty: a memcpy node copies at least one byte")
    })
}

/// Translates the parameters of a memcpy node from the driver's.
pub(super) fn of_memcpy(copy: &CUDA_MEMCPY3D) -> Answer<cudaMemcpy3DParms> {
    let arrays =
        [&copy.src, &copy.dst].into_iter().filter(|side| side.memory_type == CU_MEMORYTYPE_ARRAY);
    // Size in bytes of the elements of the arrays.
    let unit = match arrays.map(|side| side.array).next() {
        None => 1,
        Some(array) => crate::api::array::format_of(array)?.1.bytes()?,
    };
    Ok(of_driver(copy, unit))
}

/// The driver's parameters for a copy of bytes into a variable.
pub(super) fn to_symbol(
    symbol: *const c_void,
    src: u64,
    count: usize,
    offset: usize,
    kind: u32,
) -> Answer<CUDA_MEMCPY3D> {
    let (to, direction) = (inside(symbol, offset, count)?, Direction::of(kind)?);
    direction.writes_device()?;
    Ok(line((to, CU_MEMORYTYPE_DEVICE), (src, direction.source()), count))
}

/// The driver's parameters for a copy of bytes out of a variable.
pub(super) fn of_symbol(
    dst: u64,
    symbol: *const c_void,
    count: usize,
    offset: usize,
    kind: u32,
) -> Answer<CUDA_MEMCPY3D> {
    let (from, direction) = (inside(symbol, offset, count)?, Direction::of(kind)?);
    direction.reads_device()?;
    Ok(line((dst, direction.destination()), (from, CU_MEMORYTYPE_DEVICE), count))
}

/// Translates the parameters of a node of any kind for the driver.
pub(super) fn translated(given: &CUgraphNodeParams) -> Answer<CUgraphNodeParams> {
    let mut new = *given;
    match given.kind {
        kind::KERNEL => {
            new.set(kernel(&given.get::<cudaKernelNodeParamsV2>().launch)?);
        }
        kind::MEMCPY => {
            let cudaMemcpyNodeParams { flags, reserved, copy, .. } = given.get();
            let copy = memcpy(&copy)?;
            new.set(CUDA_MEMCPY_NODE_PARAMS { flags, reserved, copyCtx: 0, copyParams: copy });
        }
        _ => {}
    }
    Ok(new)
}
