//! Functions that read and change parameters and attributes of graph nodes.

use super::nodes::not_of_kind;
use crate::api::launch::check_attribute;
use crate::api::*;
use crate::graph::kernel::KernelOp;
use crate::graph::{self, Node, kernel, params};

/// Defines functions that return a property of a node of one kind.
macro_rules! gets {
    ($($(#[$doc:meta])* fn $name:ident($out:ident) $what:literal, $pattern:pat => $value:expr;)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $name(hNode, $out) {
                #[allow(unreachable_patterns)] // of the one for all kinds
                match graph::op_of(hNode)? {
                    $pattern => $out.set($value),
                    other => Err(not_of_kind(&other, $what)),
                }
            }
        )*}
    };
}

gets! {
    /// The graph of a child graph node, which the node owns.
    fn cuGraphChildGraphNodeGetGraph(phGraph) "child graph", Op::Child(graph) => graph;
    /// The event of an event record node.
    fn cuGraphEventRecordNodeGetEvent(event_out) "event record", Op::RecordEvent(event) => event;
    /// The event of an event wait node.
    fn cuGraphEventWaitNodeGetEvent(event_out) "event wait", Op::WaitEvent(event) => event;
    /// The parameters of a kernel node (version 1).
    fn cuGraphKernelNodeGetParams(nodeParams) "kernel", Op::Kernel(op) => to_v1(&op)?;
    /// The parameters of a kernel node.
    fn cuGraphKernelNodeGetParams_v2(nodeParams) "kernel", Op::Kernel(op) => params::of_kernel(&op);
    /// The parameters of a memcpy node.
    fn cuGraphMemcpyNodeGetParams(nodeParams) "memcpy", Op::Memcpy(op) => op.copy;
    /// The parameters of a memset node.
    fn cuGraphMemsetNodeGetParams(nodeParams) "memset", Op::Memset(op) => CUDA_MEMSET_NODE_PARAMS_v1 {
        dst: op.dst, pitch: op.pitch, value: op.value, elementSize: op.elementSize, width: op.width, height: op.height,
    };
    /// The parameters of a host function node.
    fn cuGraphHostNodeGetParams(nodeParams) "host function", Op::Host(op) => CUDA_HOST_NODE_PARAMS_v1 {
        function: op.function, userData: op.userData,
    };
    /// The parameters of a memory allocation node.
    fn cuGraphMemAllocNodeGetParams(params_out) "memory allocation", Op::MemAlloc(op) => op.params();
    /// The address that a memory free node frees.
    fn cuGraphMemFreeNodeGetParams(dptr_out) "memory free", Op::MemFree(dptr) => dptr;
    /// The operations of a batch memory operation node.
    fn cuGraphBatchMemOpNodeGetParams(nodeParams_out) "memory operations", Op::Batch(op) => op.params();
    /// The parameters of a node of any kind.
    fn cuGraphNodeGetParams(nodeParams) "", op => params::of(&op);
}

driver_api! {
    /// Changes the parameters of a node of any kind.
    fn cuGraphNodeSetParams | cuGraphNodeSetParams_v2(hNode, nodeParams) {
        let given = nodeParams.get()?;
        // SAFETY: pointers in the structure are valid as the driver API requires.
        let op = unsafe { changed(hNode, given)? };
        set(hNode, op)
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphExternalSemaphoresSignalNodeGetParams(hNode, params_out) {
        params_out.check()?;
        Err(not_of_kind(&graph::op_of(hNode)?, "external semaphore signal"))
    }

    /// Refused: external semaphores do not exist here, so no graph has such a node.
    fn cuGraphExternalSemaphoresWaitNodeGetParams(hNode, params_out) {
        params_out.check()?;
        Err(not_of_kind(&graph::op_of(hNode)?, "external semaphore wait"))
    }

    /// An attribute of a kernel node.
    fn cuGraphKernelNodeGetAttribute(hNode, attr, value_out) {
        let op = kernel(hNode)?;
        check_attribute(&CUlaunchAttribute { id: attr, pad: 0, value: op.attribute(attr) })?;
        value_out.set(op.attribute(attr))
    }

    /// Sets an attribute of a kernel node.
    fn cuGraphKernelNodeSetAttribute(hNode, attr, value) {
        let value_ptr = value.as_ptr().cast_mut();
        let (op, value) = (kernel(hNode)?, value.get()?);
        check_attribute(&CUlaunchAttribute { id: attr, pad: 0, value })?;
        let new = op.with_attribute(attr, value)?;
        if let Some(record) = new.updatable.as_ref().filter(|_| op.updatable.is_none()) {
            // SAFETY: the caller's value, into which the caller expects the handle to be written.
            unsafe { crate::api::launch::give_node(value_ptr, record.address()) };
        }
        replace(hNode, Op::Kernel(Arc::new(new)))
    }

    /// Copies all attributes from one kernel node to another.
    fn cuGraphKernelNodeCopyAttributes(dst, src) {
        let (to, from) = (kernel(dst)?, kernel(src)?);
        if to.updatable.is_some() || from.updatable.is_some() {
            return Err(kernel::fixed("its attributes cannot be copied"));
        }
        replace(dst, Op::Kernel(Arc::new(to.with_attributes_of(&from)?)))
    }
}

fn kernel(node: Handle<Node>) -> Answer<Arc<KernelOp>> {
    match graph::op_of(node)? {
        Op::Kernel(op) => Ok(op),
        other => Err(not_of_kind(&other, "kernel")),
    }
}

/// Kernel parameters of version 1, which can name functions only.
fn to_v1(op: &KernelOp) -> Answer<CUDA_KERNEL_NODE_PARAMS_v1> {
    let all = params::of_kernel(op);
    let func = match all.func {
        0 => crate::library::function(Handle::of(all.kern), &op.context)?.number(),
        func => func,
    };
    let CUDA_KERNEL_NODE_PARAMS { grid, block, sharedMemBytes, kernelParams, extra, .. } = all;
    Ok(CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra })
}

/// The operation of a node after a change of its parameters, which are of the same kind.
///
/// # Safety
/// The arguments satisfy the safety contract of [`params::any`].
pub(super) unsafe fn changed(node: Handle<Node>, mut given: CUgraphNodeParams) -> Answer<Op> {
    let old = graph::op_of(node)?;
    ensure!(
        old.kind() == given.kind,
        "type {} of nodeParams is not that of hNode, a {} node",
        given.kind,
        old.kind_name()
    );
    use graph_node_type as kind;
    ensure!(
        !matches!(given.kind, kind::GRAPH | kind::MEM_ALLOC | kind::MEM_FREE | kind::CONDITIONAL),
        CUresult::NOT_SUPPORTED,
        "hNode is a {} node, whose parameters cannot be changed",
        old.kind_name()
    );
    let graph = node.get()?.graph.get()?;
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { params::any(&mut given, &graph) }
}

/// Replaces the operation of a node; the attributes of a kernel are kept.
pub(super) fn set(node: Handle<Node>, new: Op) -> Answer {
    let old = graph::op_of(node)?;
    if old.kind() != new.kind() {
        return Err(not_of_kind(&old, new.kind_name()));
    }
    replace(node, new.in_place_of(&old)?)
}

fn replace(node: Handle<Node>, op: Op) -> Answer {
    graph::with_node(node, |node| node.op = op)
}
