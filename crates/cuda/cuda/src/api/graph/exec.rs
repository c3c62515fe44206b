//! Instantiation, update and launch of executable graphs, and changes of their nodes' parameters. A
//! node is named by the node of the original graph.

use crate::api::*;
use crate::graph::exec::{self, Exec};
use crate::graph::{Graph, Node, run, update};
use texunit_cuda_abi::{graph_instantiate_flag as flag, graph_instantiate_result as result};

driver_api! {
    /// Instantiates a graph; on failure, names the node and the reason.
    fn cuGraphInstantiate | cuGraphInstantiate_v2(
        phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize,
    ) {
        phGraphExec.check()?;
        // SAFETY: the caller passes the capacity of its buffer.
        let log = unsafe { logBuffer.room(bufferSize) };
        match exec::instantiate(hGraph, 0) {
            Ok(exec) => {
                phErrorNode.set_if(Handle::NULL);
                phGraphExec.set(exec.handle)
            }
            Err((_, node, refusal)) => {
                phErrorNode.set_if(Handle::of(node));
                if !logBuffer.is_null() && !log.is_empty() {
                    let reason = refusal.reason(&[]);
                    let mut text = reason.as_bytes()[..reason.len().min(log.len() - 1)].to_vec();
                    text.push(0);
                    log.write(0, &text)?;
                }
                Err(refusal)
            }
        }
    }

    /// Instantiates a graph with flags.
    fn cuGraphInstantiateWithFlags(phGraphExec, hGraph, flags) {
        phGraphExec.give(|| Ok(exec::instantiate(hGraph, flags).map_err(|(_, _, refusal)| refusal)?.handle))
    }

    /// Instantiates a graph; on failure, the structure names the node and the reason.
    fn cuGraphInstantiateWithParams(phGraphExec, hGraph, instantiateParams) {
        phGraphExec.check()?;
        let given = instantiateParams.get()?;
        let made = match given.flags & flag::UPLOAD {
            0 => Ok(()),
            _ => Order::of(Handle::of(given.hUploadStream)).map(|_| ()).map_err(
                |refusal| (result::ERROR, 0, refusal.named("hUploadStream")),
            ),
        };
        let made = made.and_then(|()| exec::instantiate(hGraph, given.flags));
        let (node, how) = match &made {
            Ok(_) => (0, result::SUCCESS),
            Err((how, node, _)) => (*node, *how),
        };
        let told = CUDA_GRAPH_INSTANTIATE_PARAMS { hErrNode_out: node, result_out: how, ..given };
        instantiateParams.out().set(told)?;
        phGraphExec.set(made.map_err(|(_, _, refusal)| refusal)?.handle)
    }

    /// Destroys an executable graph.
    fn cuGraphExecDestroy(hGraphExec) {
        hGraphExec.take()?.ended();
        Ok(())
    }

    /// The flags of an executable graph's instantiation.
    fn cuGraphExecGetFlags(hGraphExec, flags) {
        flags.set(hGraphExec.get()?.flags)
    }

    /// A unique number of an executable graph.
    fn cuGraphExecGetId(hGraphExec, graphId) {
        graphId.set(hGraphExec.get()?.id)
    }

    /// Uploads an executable graph, which has no effect here.
    fn cuGraphUpload(hGraphExec, hStream) {
        let order = Order::of(hStream)?;
        hGraphExec.get()?;
        order.context.check()
    }

    /// Launches an executable graph in a stream. During a capture it becomes a child graph node.
    fn cuGraphLaunch(hGraphExec, hStream) {
        let order = Order::capturable(hStream)?;
        let exec = hGraphExec.get()?;
        match order.capture {
            None => run::launch(&exec, &order),
            Some(place) => {
                place.check()?;
                place.add(Op::Child(exec.plan().to_graph()?))
            }
        }
    }

    /// Updates an executable graph to a graph of the same topology (version 1).
    fn cuGraphExecUpdate(hGraphExec, hGraph, hErrorNode_out, updateResult_out) {
        updateResult_out.check()?;
        updated(hGraphExec, hGraph, |info| {
            hErrorNode_out.set_if(Handle::of(info.errorNode));
            updateResult_out.set_if(info.result);
        })
    }

    /// Updates an executable graph to a graph of the same topology, or returns the first
    /// difference.
    fn cuGraphExecUpdate_v2(hGraphExec, hGraph, resultInfo) {
        updated(hGraphExec, hGraph, |info| resultInfo.set_if(info))
    }
}

fn updated(
    exec: Handle<Exec>,
    graph: Handle<Graph>,
    tell: impl FnOnce(CUgraphExecUpdateResultInfo),
) -> Answer {
    let (exec, graph) = (exec.get()?, graph.get()?);
    match update::update_all(&exec, &graph) {
        Ok(()) => {
            tell(CUgraphExecUpdateResultInfo::default());
            Ok(())
        }
        Err((info, reason)) => {
            tell(info);
            Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE.because(reason))
        }
    }
}

driver_api! {
    /// Changes the parameters of a node of any kind.
    fn cuGraphExecNodeSetParams(hGraphExec, hNode, nodeParams) {
        let (exec, given) = (hGraphExec.get()?, nodeParams.get()?);
        if given.kind == graph_node_type::GRAPH {
            let child: CUDA_CHILD_GRAPH_NODE_PARAMS = given.get();
            return exec.step(hNode, |step| update::child(step, Handle::of(child.graph)));
        }
        // SAFETY: pointers in the structure are valid as the driver API requires.
        set(&exec, hNode, unsafe { super::params::changed(hNode, given)? })
    }

    /// Updates a child graph node to a graph of the same topology.
    fn cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, childGraph) {
        hGraphExec.get()?.step(hNode, |step| update::child(step, childGraph))
    }

    /// Enables (1) or disables a node.
    fn cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled) {
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
    fn cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled) {
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
        other => Err(invalid!(
            "hNode is a {} node: only kernels, copies and sets can be disabled",
            other.kind_name()
        )),
    }
}

pub(super) fn set(exec: &Exec, node: Handle<Node>, op: Op) -> Answer {
    exec.step(node, |step| update::step(step, op))
}
