//! Names of nodes in messages.

use super::op::Op;
use crate::module::kernel_name;
use texunit_cuda_abi::graph_node_type as kind;

impl Op {
    /// Name of an operation in a sentence: "kernel `scale`", "memcpy".
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Kernel(kernel) => format!("kernel `{}`", kernel_name(&kernel.function)),
            Self::Work(task, _) => format!("work of `{}`", task.function),
            other => other.kind_name().to_owned(),
        }
    }

    /// Name of the kind of node.
    pub(crate) fn kind_name(&self) -> &'static str {
        if matches!(self, Self::Work(..)) {
            return "library";
        }
        match self.kind() {
            kind::KERNEL => "kernel",
            kind::MEMCPY => "memcpy",
            kind::MEMSET => "memset",
            kind::HOST => "host function",
            kind::GRAPH => "child graph",
            kind::EMPTY => "empty node",
            kind::WAIT_EVENT => "event wait",
            kind::EVENT_RECORD => "event record",
            kind::MEM_ALLOC => "memory allocation",
            kind::MEM_FREE => "memory free",
            kind::BATCH_MEM_OP => "memory operations",
            kind::MEMCPY_BATCH => "batch of copies",
            _ => "conditional node",
        }
    }
}

/// Name of a node and its graph in messages: "node 3 (kernel `scale`) of graph 1".
pub(crate) fn of_node(id: u32, op: &Op, graph: u32) -> String {
    format!("node {id} ({}) of graph {graph}", op.name())
}
