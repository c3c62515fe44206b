//! Operations of graph nodes as values: the work that a stream would do, stored to be executed
//! repeatedly.
//!
//! Values are cheap to copy, as a graph, its clones and its instances share their contents.
//! Pointers returned by the getters of the driver API (such as those to a kernel's arguments) lead
//! into the value, and are valid as long as the node keeps it.

use super::Graph;
use super::condition::ConditionalOp;
use super::copies::CopiesOp;
use super::kernel::KernelOp;
use super::memory::AllocOp;
use crate::context::Context;
use crate::memory_ops::BatchOp;
use crate::prelude::*;
use crate::stream::Event;
use crate::work::Task;
use texunit_cuda_abi::graph_node_type as kind;

/// The operation of a node.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Kernel(Arc<KernelOp>),
    /// Work of a library, in place of its own kernels, in a context.
    Work(Arc<Task>, Handle<Context>),
    Memcpy(Arc<CopyOp>),
    Copies(Arc<CopiesOp>),
    Memset(Arc<CUDA_MEMSET_NODE_PARAMS>),
    Host(Arc<CUDA_HOST_NODE_PARAMS>),
    Child(Handle<Graph>),
    Empty,
    WaitEvent(Handle<Event>),
    RecordEvent(Handle<Event>),
    MemAlloc(Arc<AllocOp>),
    MemFree(u64),
    Batch(Arc<BatchOp>),
    Conditional(Arc<ConditionalOp>),
}

/// A copy, and its context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CopyOp {
    pub(crate) copy: CUDA_MEMCPY3D,
    pub(crate) context: Handle<Context>,
}

impl Op {
    /// The kind of the node (`CUgraphNodeType`).
    pub(crate) fn kind(&self) -> u32 {
        match self {
            Self::Kernel(_) | Self::Work(..) => kind::KERNEL,
            Self::Memcpy(_) => kind::MEMCPY,
            Self::Copies(_) => kind::MEMCPY_BATCH,
            Self::Memset(_) => kind::MEMSET,
            Self::Host(_) => kind::HOST,
            Self::Child(_) => kind::GRAPH,
            Self::Empty => kind::EMPTY,
            Self::WaitEvent(_) => kind::WAIT_EVENT,
            Self::RecordEvent(_) => kind::EVENT_RECORD,
            Self::MemAlloc(_) => kind::MEM_ALLOC,
            Self::MemFree(_) => kind::MEM_FREE,
            Self::Batch(_) => kind::BATCH_MEM_OP,
            Self::Conditional(_) => kind::CONDITIONAL,
        }
    }

    /// Inner graphs that the node owns.
    pub(crate) fn graphs(&self) -> Vec<Handle<Graph>> {
        match self {
            Self::Child(graph) => vec![*graph],
            Self::Conditional(op) => op.graphs(),
            _ => Vec::new(),
        }
    }

    /// Whether the operation, or one in its inner graphs, allocates or frees memory.
    pub(crate) fn has_memory(&self) -> bool {
        match self {
            Self::MemAlloc(_) | Self::MemFree(_) => true,
            Self::Child(graph) => {
                Graph::registry().find(*graph).is_some_and(|graph| graph.state().has_memory_nodes())
            }
            _ => false,
        }
    }

    /// Whether the node, or one in its inner graphs, is device-updatable.
    pub(crate) fn is_updatable(&self) -> bool {
        let has = |graph: &Handle<Graph>| {
            Graph::registry().find(*graph).is_some_and(|graph| graph.state().is_updatable())
        };
        match self {
            Self::Kernel(op) => op.updatable.is_some(),
            other => other.graphs().iter().any(has),
        }
    }

    /// A copy of the operation for a clone, with copies of its inner graphs.
    pub(crate) fn copy(&self) -> Answer<Self> {
        Ok(match self {
            Self::Child(graph) => Self::Child(graph.get()?.copy(true)?.handle),
            Self::Conditional(op) => Self::Conditional(Arc::new(op.copy()?)),
            other => other.clone(),
        })
    }
}
