//! Changes of node parameters in executable graphs. A node is named by the node of the original
//! graph.

use super::nodes::{host_of_v1, memset_of_v1, of_v1};
use crate::args::{Answer, In, Out};
use crate::call::driver_api;
use crate::context::Context;
use crate::graph::exec::Exec;
use crate::graph::op::Op;
use crate::graph::{Graph, Node, params, update};
use crate::handle::Handle;
use crate::memory_ops::BatchOp;
use crate::stream::Event;
use std::ffi::c_uint;
use std::sync::Arc;
use texunit_cuda_abi::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_EXT_SEM_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS_v1, CUgraphNodeParams, CUresult, graph_node_type,
};

/// Defines functions that change a node of one kind in an executable graph.
macro_rules! sets {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $op:block)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $name(hGraphExec: Handle<Exec>, hNode: Handle<Node>, $($arg: $type),*) {
                let exec = hGraphExec.get()?;
                set(&exec, hNode, $op)
            }
        )*}
    };
}

sets! {
    /// Changes the parameters of a kernel node (version 1).
    fn cuGraphExecKernelNodeSetParams(nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>) {
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe { params::kernel(&of_v1(&nodeParams.get()?))? }
    }

    /// Changes the parameters of a kernel node.
    fn cuGraphExecKernelNodeSetParams_v2(nodeParams: In<CUDA_KERNEL_NODE_PARAMS>) {
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe { params::kernel(&nodeParams.get()?)? }
    }

    /// Changes the parameters of a one-dimensional memcpy node.
    fn cuGraphExecMemcpyNodeSetParams(copyParams: In<CUDA_MEMCPY3D>, ctx: Handle<Context>) {
        params::memcpy(&copyParams.get()?, ctx.number())?
    }

    /// Changes the parameters of a memset node.
    fn cuGraphExecMemsetNodeSetParams(memsetParams: In<CUDA_MEMSET_NODE_PARAMS_v1>, ctx: Handle<Context>) {
        params::memset(&memset_of_v1(&memsetParams.get()?, ctx.number()))?
    }

    /// Changes the parameters of a host function node.
    fn cuGraphExecHostNodeSetParams(nodeParams: In<CUDA_HOST_NODE_PARAMS_v1>) {
        params::host(&host_of_v1(&nodeParams.get()?))?
    }

    /// Changes the event of an event record node.
    fn cuGraphExecEventRecordNodeSetEvent(event: Handle<Event>) {
        Op::RecordEvent(params::event(event.number())?)
    }

    /// Changes the event of an event wait node.
    fn cuGraphExecEventWaitNodeSetEvent(event: Handle<Event>) {
        Op::WaitEvent(params::event(event.number())?)
    }

    /// Changes the operations of a batch memory operation node.
    fn cuGraphExecBatchMemOpNodeSetParams(nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>) {
        // SAFETY: the array is valid as the driver API requires.
        let op = unsafe { BatchOp::new(&nodeParams.get()?)? };
        Op::Batch(Arc::new(op))
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphExecExternalSemaphoresSignalNodeSetParams(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) {
        params::no_semaphores(&nodeParams.get()?)?
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphExecExternalSemaphoresWaitNodeSetParams(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) {
        params::no_semaphores(&nodeParams.get()?)?
    }
}

driver_api! {
    /// Changes the parameters of a node of any kind.
    fn cuGraphExecNodeSetParams(hGraphExec: Handle<Exec>, hNode: Handle<Node>, nodeParams: In<CUgraphNodeParams>) {
        let (exec, given) = (hGraphExec.get()?, nodeParams.get()?);
        if given.kind == graph_node_type::GRAPH {
            let child: CUDA_CHILD_GRAPH_NODE_PARAMS = given.get();
            return exec.step(hNode, |step| update::child(step, Handle::of(child.graph)));
        }
        // SAFETY: pointers in the structure are valid as the driver API requires.
        set(&exec, hNode, unsafe { super::params::changed(hNode, given)? })
    }

    /// Updates a child graph node to a graph of the same topology.
    fn cuGraphExecChildGraphNodeSetParams(hGraphExec: Handle<Exec>, hNode: Handle<Node>, childGraph: Handle<Graph>) {
        hGraphExec.get()?.step(hNode, |step| update::child(step, childGraph))
    }

    /// Enables (1) or disables a node.
    fn cuGraphNodeSetEnabled(hGraphExec: Handle<Exec>, hNode: Handle<Node>, isEnabled: c_uint) {
        hGraphExec.get()?.step(hNode, |step| {
            can_be_disabled(&step.op)?;
            step.is_enabled = isEnabled != 0;
            match &step.op {
                Op::Kernel(op) => op.updatable.iter().try_for_each(|record| record.set_enabled(step.is_enabled)),
                _ => Ok(()),
            }
        })
    }

    /// Whether a node is enabled.
    fn cuGraphNodeGetEnabled(hGraphExec: Handle<Exec>, hNode: Handle<Node>, isEnabled: Out<c_uint>) {
        isEnabled.check()?;
        let found = hGraphExec.get()?.step(hNode, |step| {
            can_be_disabled(&step.op)?;
            Ok(step.is_enabled)
        })?;
        isEnabled.set(found.into())
    }
}

fn can_be_disabled(op: &Op) -> Answer {
    match op {
        Op::Kernel(_) | Op::Memset(_) | Op::Memcpy(_) => Ok(()),
        other => Err(CUresult::INVALID_VALUE.because(format!(
            "hNode is a {} node: only kernels, copies and sets can be disabled",
            other.kind_name()
        ))),
    }
}

fn set(exec: &Exec, node: Handle<Node>, op: Op) -> Answer {
    exec.step(node, |step| update::step(step, op))
}
