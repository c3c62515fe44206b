//! Executable graphs: instantiation, launches, and updates of node parameters.

use super::params::{kernel, memcpy, of_symbol, to_symbol, translated};
use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUevent, CUgraph, CUgraphExec, CUgraphNode, CUstream};
use crate::state;
use crate::types::{Direction, cudaMemcpy3DParms, line};
use std::ffi::{c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::args::{Answer, In, InOut, Out};
use texunit_cuda_abi::{
    CUDA_EXT_SEM_NODE_PARAMS, CUDA_GRAPH_INSTANTIATE_PARAMS, CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS_v1,
    CUgraphExecUpdateResultInfo, CUgraphNodeParams,
};

forward! {
    /// Instantiates a graph.
    fn cudaGraphInstantiate(pGraphExec: Out<CUgraphExec>, graph: CUgraph, flags: c_ulonglong) = cuGraphInstantiateWithFlags;
    /// Instantiates a graph with flags.
    fn cudaGraphInstantiateWithFlags(pGraphExec: Out<CUgraphExec>, graph: CUgraph, flags: c_ulonglong) = cuGraphInstantiateWithFlags;
    /// Instantiates a graph; on failure, the structure names the node and the reason.
    fn cudaGraphInstantiateWithParams(pGraphExec: Out<CUgraphExec>, graph: CUgraph, instantiateParams: InOut<CUDA_GRAPH_INSTANTIATE_PARAMS>) = cuGraphInstantiateWithParams;
    /// Destroys an executable graph.
    fn cudaGraphExecDestroy(graphExec: CUgraphExec) = cuGraphExecDestroy;
    /// The flags of an executable graph's instantiation.
    fn cudaGraphExecGetFlags(graphExec: CUgraphExec, flags: Out<c_ulonglong>) = cuGraphExecGetFlags;
    /// Uploads an executable graph to the device.
    fn cudaGraphUpload(graphExec: CUgraphExec, stream: CUstream) = cuGraphUpload;
    /// Launches an executable graph in a stream.
    fn cudaGraphLaunch(graphExec: CUgraphExec, stream: CUstream) = cuGraphLaunch;
    /// Updates an executable graph to a graph of the same topology.
    fn cudaGraphExecUpdate(hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: Out<CUgraphExecUpdateResultInfo>) = cuGraphExecUpdate_v2;
    /// Changes the event of an event record node.
    fn cudaGraphExecEventRecordNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent) = cuGraphExecEventRecordNodeSetEvent;
    /// Changes the event of an event wait node.
    fn cudaGraphExecEventWaitNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent) = cuGraphExecEventWaitNodeSetEvent;
    /// Updates a child graph node to a graph of the same topology.
    fn cudaGraphExecChildGraphNodeSetParams(hGraphExec: CUgraphExec, node: CUgraphNode, childGraph: CUgraph) = cuGraphExecChildGraphNodeSetParams;
    /// Enables (1) or disables a node.
    fn cudaGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: c_uint) = cuGraphNodeSetEnabled;
    /// Whether a node is enabled.
    fn cudaGraphNodeGetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: Out<c_uint>) = cuGraphNodeGetEnabled;
}

runtime_api! {
    /// Changes the parameters of a kernel node.
    fn cudaGraphExecKernelNodeSetParams(
        hGraphExec: CUgraphExec,
        node: CUgraphNode,
        pNodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
    ) {
        state::context()?;
        let params = kernel(&pNodeParams.get()?)?;
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        check(unsafe { driver::cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &raw const params) })
    }

    /// Changes the parameters of a memcpy node.
    fn cudaGraphExecMemcpyNodeSetParams(hGraphExec: CUgraphExec, node: CUgraphNode, pNodeParams: In<cudaMemcpy3DParms>) {
        state::context()?;
        set_copy(hGraphExec, node, &memcpy(&pNodeParams.get()?)?)
    }

    /// Changes a memcpy node to a copy of bytes.
    fn cudaGraphExecMemcpyNodeSetParams1D(
        hGraphExec: CUgraphExec,
        node: CUgraphNode,
        dst: u64,
        src: u64,
        count: usize,
        kind: u32,
    ) {
        state::context()?;
        let direction = Direction::of(kind)?;
        set_copy(hGraphExec, node, &line((dst, direction.destination()), (src, direction.source()), count))
    }

    /// Changes a memcpy node to a copy into a variable.
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        hGraphExec: CUgraphExec,
        node: CUgraphNode,
        symbol: *const c_void,
        src: u64,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        state::context()?;
        set_copy(hGraphExec, node, &to_symbol(symbol, src, count, offset, kind)?)
    }

    /// Changes a memcpy node to a copy out of a variable.
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        hGraphExec: CUgraphExec,
        node: CUgraphNode,
        dst: u64,
        symbol: *const c_void,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        state::context()?;
        set_copy(hGraphExec, node, &of_symbol(dst, symbol, count, offset, kind)?)
    }

    /// Changes the parameters of a memset node.
    fn cudaGraphExecMemsetNodeSetParams(
        hGraphExec: CUgraphExec,
        node: CUgraphNode,
        pNodeParams: In<CUDA_MEMSET_NODE_PARAMS_v1>,
    ) {
        state::context()?;
        check(driver::cuGraphExecMemsetNodeSetParams(hGraphExec, node, pNodeParams, 0_usize))
    }

    /// Changes the parameters of a node of any kind.
    fn cudaGraphExecNodeSetParams(graphExec: CUgraphExec, node: CUgraphNode, nodeParams: In<CUgraphNodeParams>) {
        state::context()?;
        let params = translated(&nodeParams.get()?)?;
        // SAFETY: pointers in the parameters are valid as the runtime API requires.
        check(unsafe { driver::cuGraphExecNodeSetParams(graphExec, node, &raw const params) })
    }
}

forward! {
    /// Changes the parameters of a host function node.
    unsafe fn cudaGraphExecHostNodeSetParams(
        hGraphExec: CUgraphExec, node: CUgraphNode, pNodeParams: In<CUDA_HOST_NODE_PARAMS_v1>,
    ) = cuGraphExecHostNodeSetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    unsafe fn cudaGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>,
    ) = cuGraphExecExternalSemaphoresSignalNodeSetParams;
    /// Refused: external semaphores do not exist here, so no graph has such a node.
    unsafe fn cudaGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>,
    ) = cuGraphExecExternalSemaphoresWaitNodeSetParams;
}

fn set_copy(exec: CUgraphExec, node: CUgraphNode, copy: &CUDA_MEMCPY3D) -> Answer {
    // SAFETY: the program's memory is valid as the runtime API requires.
    check(unsafe {
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, std::ptr::from_ref(copy), 0)
    })
}
