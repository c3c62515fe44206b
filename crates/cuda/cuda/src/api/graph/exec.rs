//! Instantiation, update and launch of executable graphs.

use crate::api::*;
use crate::graph::exec::{self, Exec};
use crate::graph::{Graph, run, update};
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
        exec::destroy(hGraphExec)
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
    match update::whole(&exec, &graph) {
        Ok(()) => {
            tell(CUgraphExecUpdateResultInfo::default());
            Ok(())
        }
        Err(wrong) => {
            tell(wrong.info);
            Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE.because(wrong.reason))
        }
    }
}
