//! Changes of node parameters in executable graphs. A node is named by the node of the original
//! graph.

use crate::api::*;
use crate::graph::exec::Exec;
use crate::graph::{Node, update};

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
