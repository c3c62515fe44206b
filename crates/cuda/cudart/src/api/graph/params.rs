//! Parameters and attributes of graph nodes, and their translation between the runtime's and the
//! driver's structures.

use crate::api::copy_3d::to_boxes;
use crate::api::symbol::inside;
use crate::call::{check, forward, runtime_api};
use crate::codes::INVALID_DEVICE_FUNCTION;
use crate::driver::{self, CUevent, CUgraph, CUgraphNode, ask};
use crate::types::{
    Direction, cudaKernelNodeParamsV2, cudaMemcpy3DParms, cudaMemcpyNodeParams, line, of_driver,
};
use crate::{registry, state};
use std::ffi::{c_uint, c_void};
use texunit_cuda_abi::args::{Answer, In, Out};
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CUDA_EXT_SEM_NODE_PARAMS, CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEM_ALLOC_NODE_PARAMS,
    CUDA_MEMCPY_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS_v1, CUdeviceptr,
    CUgraphNodeParams, CUresult, graph_node_type as kind,
};

forward! {
    /// The graph of a child graph node.
    fn cudaGraphChildGraphNodeGetGraph(node: CUgraphNode, pGraph: Out<CUgraph>) = cuGraphChildGraphNodeGetGraph;
    /// The event of an event record node.
    fn cudaGraphEventRecordNodeGetEvent(node: CUgraphNode, event_out: Out<CUevent>) = cuGraphEventRecordNodeGetEvent;
    /// The event of an event wait node.
    fn cudaGraphEventWaitNodeGetEvent(node: CUgraphNode, event_out: Out<CUevent>) = cuGraphEventWaitNodeGetEvent;
    /// Changes the event of an event record node.
    fn cudaGraphEventRecordNodeSetEvent(node: CUgraphNode, event: CUevent) = cuGraphEventRecordNodeSetEvent;
    /// Changes the event of an event wait node.
    fn cudaGraphEventWaitNodeSetEvent(node: CUgraphNode, event: CUevent) = cuGraphEventWaitNodeSetEvent;
    /// The parameters of a memset node.
    fn cudaGraphMemsetNodeGetParams(node: CUgraphNode, pNodeParams: Out<CUDA_MEMSET_NODE_PARAMS_v1>) = cuGraphMemsetNodeGetParams;
    /// Changes the parameters of a memset node.
    fn cudaGraphMemsetNodeSetParams(node: CUgraphNode, pNodeParams: In<CUDA_MEMSET_NODE_PARAMS_v1>) = cuGraphMemsetNodeSetParams;
    /// The parameters of a host function node.
    fn cudaGraphHostNodeGetParams(node: CUgraphNode, pNodeParams: Out<CUDA_HOST_NODE_PARAMS_v1>) = cuGraphHostNodeGetParams;
    /// The parameters of a memory allocation node.
    fn cudaGraphMemAllocNodeGetParams(node: CUgraphNode, params_out: Out<CUDA_MEM_ALLOC_NODE_PARAMS>) = cuGraphMemAllocNodeGetParams;
    /// The address that a memory free node frees.
    fn cudaGraphMemFreeNodeGetParams(node: CUgraphNode, dptr_out: Out<CUdeviceptr>) = cuGraphMemFreeNodeGetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cudaGraphExternalSemaphoresSignalNodeGetParams(hNode: CUgraphNode, params_out: Out<CUDA_EXT_SEM_NODE_PARAMS>) = cuGraphExternalSemaphoresSignalNodeGetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cudaGraphExternalSemaphoresWaitNodeGetParams(hNode: CUgraphNode, params_out: Out<CUDA_EXT_SEM_NODE_PARAMS>) = cuGraphExternalSemaphoresWaitNodeGetParams;
    /// An attribute of a kernel node.
    fn cudaGraphKernelNodeGetAttribute(hNode: CUgraphNode, attr: c_uint, value_out: Out<[u32; 16]>) = cuGraphKernelNodeGetAttribute;
    /// Sets an attribute of a kernel node.
    fn cudaGraphKernelNodeSetAttribute(hNode: CUgraphNode, attr: c_uint, value: In<[u32; 16]>) = cuGraphKernelNodeSetAttribute;
    /// Copies all attributes from the second kernel node to the first.
    fn cudaGraphKernelNodeCopyAttributes(hDst: CUgraphNode, hSrc: CUgraphNode) = cuGraphKernelNodeCopyAttributes;
}

runtime_api! {
    /// The parameters of a kernel node, with the host stub of the kernel if it has one.
    fn cudaGraphKernelNodeGetParams(node: CUgraphNode, pNodeParams: Out<CUDA_KERNEL_NODE_PARAMS_v1>) {
        state::context()?;
        pNodeParams.check()?;
        let found = ask(|params| driver::cuGraphKernelNodeGetParams_v2(node, one(params)))?;
        let CUDA_KERNEL_NODE_PARAMS { grid, block, sharedMemBytes, kernelParams, extra, .. } = found;
        let func = host_function(&found);
        pNodeParams.set(CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra })
    }

    /// Changes the parameters of a kernel node.
    fn cudaGraphKernelNodeSetParams(node: CUgraphNode, pNodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>) {
        state::context()?;
        let params = kernel(&pNodeParams.get()?)?;
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        check(unsafe { driver::cuGraphKernelNodeSetParams_v2(node, &raw const params) })
    }

    /// The parameters of a memcpy node.
    fn cudaGraphMemcpyNodeGetParams(node: CUgraphNode, pNodeParams: Out<cudaMemcpy3DParms>) {
        state::context()?;
        pNodeParams.check()?;
        let copy = ask(|copy| driver::cuGraphMemcpyNodeGetParams(node, one(copy)))?;
        pNodeParams.set(of_driver(&copy, unit(&copy)?))
    }

    /// Changes the parameters of a memcpy node.
    fn cudaGraphMemcpyNodeSetParams(node: CUgraphNode, pNodeParams: In<cudaMemcpy3DParms>) {
        state::context()?;
        set_copy(node, &memcpy(&pNodeParams.get()?)?)
    }

    /// Changes a memcpy node to a copy of bytes.
    fn cudaGraphMemcpyNodeSetParams1D(node: CUgraphNode, dst: u64, src: u64, count: usize, kind: u32) {
        state::context()?;
        let direction = Direction::of(kind)?;
        set_copy(node, &line((dst, direction.destination()), (src, direction.source()), count))
    }

    /// Changes a memcpy node to a copy into a variable.
    fn cudaGraphMemcpyNodeSetParamsToSymbol(
        node: CUgraphNode,
        symbol: *const c_void,
        src: u64,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        state::context()?;
        set_copy(node, &to_symbol(symbol, src, count, offset, kind)?)
    }

    /// Changes a memcpy node to a copy out of a variable.
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        node: CUgraphNode,
        dst: u64,
        symbol: *const c_void,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        state::context()?;
        set_copy(node, &of_symbol(dst, symbol, count, offset, kind)?)
    }

    /// Changes the parameters of a node of any kind.
    fn cudaGraphNodeSetParams(node: CUgraphNode, nodeParams: In<CUgraphNodeParams>) {
        state::context()?;
        let params = translated(&nodeParams.get()?)?;
        // SAFETY: pointers in the parameters are valid as the runtime API requires.
        check(unsafe { driver::cuGraphNodeSetParams(node, &raw const params) })
    }
}

forward! {
    /// Changes the parameters of a host function node.
    unsafe fn cudaGraphHostNodeSetParams(
        node: CUgraphNode, pNodeParams: In<CUDA_HOST_NODE_PARAMS_v1>,
    ) = cuGraphHostNodeSetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    unsafe fn cudaGraphExternalSemaphoresSignalNodeSetParams(
        hNode: CUgraphNode, nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>,
    ) = cuGraphExternalSemaphoresSignalNodeSetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    unsafe fn cudaGraphExternalSemaphoresWaitNodeSetParams(
        hNode: CUgraphNode, nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>,
    ) = cuGraphExternalSemaphoresWaitNodeSetParams;
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// The parameters of a node of any kind.
    fn cudaGraphNodeGetParams(node: CUgraphNode, nodeParams: Out<CUgraphNodeParams>) {
        state::context()?;
        nodeParams.check()?;
        let found = ask(|params| driver::cuGraphNodeGetParams(node, one(params)))?;
        nodeParams.set(of_driver_params(found)?)
    }
}

/// Translates a node's parameters from the driver's structures to the runtime's.
#[cfg(not(feature = "cuda-12"))]
pub(super) fn of_driver_params(found: CUgraphNodeParams) -> Answer<CUgraphNodeParams> {
    Ok(match found.kind {
        kind::KERNEL => {
            let params: CUDA_KERNEL_NODE_PARAMS = found.get();
            let CUDA_KERNEL_NODE_PARAMS {
                grid, block, sharedMemBytes, kernelParams, extra, ..
            } = params;
            CUgraphNodeParams::new(
                kind::KERNEL,
                cudaKernelNodeParamsV2 {
                    func: host_function(&params),
                    grid,
                    block,
                    shared: sharedMemBytes,
                    args: kernelParams,
                    extra,
                    context: 0,
                    function_type: 0,
                },
            )
        }
        kind::MEMCPY => {
            let params: CUDA_MEMCPY_NODE_PARAMS = found.get();
            let copy = of_driver(&params.copyParams, unit(&params.copyParams)?);
            CUgraphNodeParams::new(
                kind::MEMCPY,
                cudaMemcpyNodeParams { copy, ..Default::default() },
            )
        }
        _ => found,
    })
}

/// Wraps a pointer to a local variable as an argument.
pub(super) fn one<'a, T>(result: *mut T) -> Out<'a, T> {
    // SAFETY: `ask` passes a pointer to its own variable.
    unsafe { Out::new(result) }
}

/// Translates the parameters of a kernel node for the driver.
pub(super) fn kernel(given: &CUDA_KERNEL_NODE_PARAMS_v1) -> Answer<CUDA_KERNEL_NODE_PARAMS> {
    let &CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra } =
        given;
    let found = registry::kernel_or_handle(func)?;
    if found == func && func >> 40 != texunit_cuda_abi::FIRST_HANDLE >> 40 {
        return Err(INVALID_DEVICE_FUNCTION.because(format!(
            "func {func:#x} is not a `__global__` function that the program has registered, nor a handle of one"
        )));
    }
    Ok(CUDA_KERNEL_NODE_PARAMS {
        func: found,
        grid,
        block,
        sharedMemBytes,
        kernelParams,
        extra,
        kern: 0,
        ctx: 0,
    })
}

/// The host stub of a kernel node's kernel, or else its handle.
fn host_function(params: &CUDA_KERNEL_NODE_PARAMS) -> usize {
    let handle = if params.kern != 0 { params.kern } else { params.func };
    registry::host_of(handle).unwrap_or(handle)
}

/// Translates the parameters of a memcpy node for the driver.
pub(super) fn memcpy(parms: &cudaMemcpy3DParms) -> Answer<CUDA_MEMCPY3D> {
    to_boxes(parms)?.ok_or_else(|| {
        CUresult::INVALID_VALUE
            .because("the extent of the copy is empty: a memcpy node copies at least one byte")
    })
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

fn set_copy(node: CUgraphNode, copy: &CUDA_MEMCPY3D) -> Answer {
    // SAFETY: the program's memory is valid as the runtime API requires.
    check(unsafe { driver::cuGraphMemcpyNodeSetParams(node, std::ptr::from_ref(copy)) })
}

/// Element size in bytes of the arrays of a copy.
fn unit(copy: &CUDA_MEMCPY3D) -> Answer<usize> {
    let arrays =
        [&copy.src, &copy.dst].into_iter().filter(|side| side.memory_type == CU_MEMORYTYPE_ARRAY);
    match arrays.map(|side| side.array).next() {
        None => Ok(1),
        Some(array) => crate::api::array::format_of(array)?.1.bytes(),
    }
}

/// Translates the parameters of a node of any kind for the driver.
pub(super) fn translated(given: &CUgraphNodeParams) -> Answer<CUgraphNodeParams> {
    let mut new = *given;
    match given.kind {
        kind::KERNEL => {
            let params: cudaKernelNodeParamsV2 = given.get();
            let cudaKernelNodeParamsV2 { func, grid, block, shared, args, extra, .. } = params;
            new.set(kernel(&CUDA_KERNEL_NODE_PARAMS_v1 {
                func,
                grid,
                block,
                sharedMemBytes: shared,
                kernelParams: args,
                extra,
            })?);
        }
        kind::MEMCPY => {
            let params: cudaMemcpyNodeParams = given.get();
            let (flags, reserved) = (params.flags, params.reserved);
            new.set(CUDA_MEMCPY_NODE_PARAMS {
                flags,
                reserved,
                copyCtx: 0,
                copyParams: memcpy(&params.copy)?,
            });
        }
        _ => {}
    }
    Ok(new)
}

/// The parameters with the results that the driver has written when it added the node.
pub(super) fn with_results(
    given: &CUgraphNodeParams,
    of_driver: &CUgraphNodeParams,
) -> CUgraphNodeParams {
    match given.kind {
        kind::MEM_ALLOC | kind::CONDITIONAL => *of_driver,
        _ => *given,
    }
}
