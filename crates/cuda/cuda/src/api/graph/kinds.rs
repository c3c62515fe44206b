//! Functions that add a node of one kind, and that change the parameters of such a node in a graph
//! and in an executable graph, where a node is named by the node of the original graph.

use super::{exec, links, nodes, params as of_graph};
use crate::api::*;
use crate::graph::params;
use crate::memory_ops::BatchOp;

/// Defines the three functions of kinds of nodes. Given are the name of the parameters in the
/// second function and in the others, their type, the parameter for the context that the others may
/// have, and the operation that these parameters describe.
macro_rules! kinds {
    ($($(#[$doc:meta])*
    fn $add:ident, $set:ident, $exec:ident($in_set:ident, $arg:ident $(, $ctx:ident)?) $op:block)*) => {
        driver_api! {$(
            $(#[$doc])*
            /// Adds such a node.
            fn $add(phGraphNode, hGraph, dependencies[numDependencies], numDependencies, $arg $(, $ctx)?) {
                let before = || links(dependencies, Elements::null());
                nodes::add(phGraphNode, hGraph, before, |_| $op)
            }

            $(#[$doc])*
            /// Changes such a node.
            fn $set(hNode, $in_set) {
                hNode.get()?;
                $(let $ctx = Handle::<Context>::NULL;)?
                let $arg = $in_set;
                of_graph::set(hNode, $op?)
            }

            $(#[$doc])*
            /// Changes such a node of an executable graph.
            fn $exec(hGraphExec, hNode, $arg $(, $ctx)?) {
                let exec = hGraphExec.get()?;
                exec::set(&exec, hNode, $op?)
            }
        )*}
    };
}
kinds! {
    /// A kernel node for a function (version 1).
    fn cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams(
        nodeParams, nodeParams
    ) {
        let CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra } = nodeParams.get()?;
        let (kern, ctx) = (0, 0);
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe {
            params::kernel(&CUDA_KERNEL_NODE_PARAMS { func, grid, block, sharedMemBytes, kernelParams, extra, kern, ctx })
        }
    }

    /// A kernel node for a function or a library's kernel. A change keeps its attributes.
    fn cuGraphAddKernelNode_v2, cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2(
        nodeParams, nodeParams
    ) {
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe { params::kernel(&nodeParams.get()?) }
    }

    /// A memcpy node. In an executable graph only a one-dimensional one is changed.
    fn cuGraphAddMemcpyNode, cuGraphMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams(
        nodeParams, copyParams, ctx
    ) {
        params::memcpy(&copyParams.get()?, ctx.number())
    }

    /// A memset node.
    fn cuGraphAddMemsetNode, cuGraphMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams(
        nodeParams, memsetParams, ctx
    ) {
        let CUDA_MEMSET_NODE_PARAMS_v1 { dst, pitch, value, elementSize, width, height } = memsetParams.get()?;
        let ctx = ctx.number();
        params::memset(&CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height, ctx })
    }

    /// A host function node.
    fn cuGraphAddHostNode, cuGraphHostNodeSetParams, cuGraphExecHostNodeSetParams(
        nodeParams, nodeParams
    ) {
        let CUDA_HOST_NODE_PARAMS_v1 { function, userData } = nodeParams.get()?;
        params::host(&CUDA_HOST_NODE_PARAMS { function, userData, ..CUDA_HOST_NODE_PARAMS::default() })
    }

    /// An event record node.
    fn cuGraphAddEventRecordNode, cuGraphEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent(
        event, event
    ) {
        params::event(event.number()).map(Op::RecordEvent)
    }

    /// An event wait node.
    fn cuGraphAddEventWaitNode, cuGraphEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent(
        event, event
    ) {
        params::event(event.number()).map(Op::WaitEvent)
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphAddExternalSemaphoresSignalNode, cuGraphExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresSignalNodeSetParams(nodeParams, nodeParams) {
        params::no_semaphores(&nodeParams.get()?)
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphAddExternalSemaphoresWaitNode, cuGraphExternalSemaphoresWaitNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams(nodeParams, nodeParams) {
        params::no_semaphores(&nodeParams.get()?)
    }

    /// A batch memory operation node.
    fn cuGraphAddBatchMemOpNode, cuGraphBatchMemOpNodeSetParams, cuGraphExecBatchMemOpNodeSetParams(
        nodeParams, nodeParams
    ) {
        // SAFETY: the array is valid as the driver API requires.
        unsafe { BatchOp::new(&nodeParams.get()?) }.map(|op| Op::Batch(Arc::new(op)))
    }
}
