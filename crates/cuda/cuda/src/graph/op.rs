//! Operations of graph nodes as values: the work that a stream would do, stored to be executed
//! repeatedly.
//!
//! Values are cheap to copy, as a graph, its clones and its instances share their contents.
//! Pointers returned by the getters of the driver API (such as those to a kernel's arguments) lead
//! into the value, and are valid as long as the node keeps it.

use super::*;
use crate::memory_ops::BatchOp;
use crate::module::kernel_name;
use crate::stream::Event;
use crate::work::Task;
use texunit_cuda_abi::{graph_conditional_type, graph_node_type as kind};

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
    /// The kind of the node (`CUgraphNodeType`), and its names in messages and in DOT text.
    fn kinds(&self) -> (u32, &'static str, &'static str) {
        match self {
            Self::Kernel(_) => (kind::KERNEL, "kernel", "KERNEL"),
            Self::Work(..) => (kind::KERNEL, "library", "LIBRARY"),
            Self::Memcpy(_) => (kind::MEMCPY, "memcpy", "MEMCPY"),
            Self::Copies(_) => (kind::MEMCPY_BATCH, "batch of copies", "MEMCPY_BATCH"),
            Self::Memset(_) => (kind::MEMSET, "memset", "MEMSET"),
            Self::Host(_) => (kind::HOST, "host function", "HOST"),
            Self::Child(_) => (kind::GRAPH, "child graph", "CHILD GRAPH"),
            Self::Empty => (kind::EMPTY, "empty node", "EMPTY"),
            Self::WaitEvent(_) => (kind::WAIT_EVENT, "event wait", "EVENT_WAIT"),
            Self::RecordEvent(_) => (kind::EVENT_RECORD, "event record", "EVENT_RECORD"),
            Self::MemAlloc(_) => (kind::MEM_ALLOC, "memory allocation", "MEM_ALLOC"),
            Self::MemFree(_) => (kind::MEM_FREE, "memory free", "MEM_FREE"),
            Self::Batch(_) => (kind::BATCH_MEM_OP, "memory operations", "BATCH_MEM_OP"),
            Self::Conditional(op) => {
                let title = match op.kind {
                    graph_conditional_type::IF => "CONDITIONAL IF",
                    graph_conditional_type::WHILE => "CONDITIONAL WHILE",
                    _ => "CONDITIONAL SWITCH",
                };
                (kind::CONDITIONAL, "conditional node", title)
            }
        }
    }

    /// The kind of the node (`CUgraphNodeType`).
    pub(crate) fn kind(&self) -> u32 {
        self.kinds().0
    }

    /// Name of the kind of node in messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        self.kinds().1
    }

    /// Name of the kind of node in DOT text.
    pub(crate) fn kind_title(&self) -> &'static str {
        self.kinds().2
    }

    /// Name of the operation in a sentence: "kernel `scale`", "memcpy".
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Kernel(kernel) => format!("kernel `{}`", kernel_name(&kernel.function)),
            Self::Work(task, _) => format!("work of `{}`", task.function),
            other => other.kind_name().to_owned(),
        }
    }

    /// Name of a node and its graph in messages: "node 3 (kernel `scale`) of graph 1".
    pub(crate) fn node_name(&self, id: u32, graph: u32) -> String {
        format!("node {id} ({}) of graph {graph}", self.name())
    }

    /// Inner graphs that the node owns.
    pub(crate) fn graphs(&self) -> Vec<Handle<Graph>> {
        match self {
            Self::Child(graph) => vec![*graph],
            Self::Conditional(op) => op.graphs(),
            _ => Vec::new(),
        }
    }

    /// Inner graphs that the node owns, as objects.
    pub(crate) fn inner(&self) -> impl Iterator<Item = Arc<Graph>> + use<> {
        self.graphs().into_iter().filter_map(|graph| Graph::registry().find(graph))
    }

    /// Whether the operation, or one in its inner graphs, allocates or frees memory.
    pub(crate) fn has_memory(&self) -> bool {
        match self {
            Self::MemAlloc(_) | Self::MemFree(_) => true,
            Self::Child(_) => self.inner().any(|graph| graph.state().has_memory_nodes()),
            _ => false,
        }
    }

    /// Whether the node, or one in its inner graphs, is device-updatable.
    pub(crate) fn is_updatable(&self) -> bool {
        match self {
            Self::Kernel(op) => op.updatable.is_some(),
            other => other.inner().any(|graph| graph.state().is_updatable()),
        }
    }

    /// The operation that replaces another one of its kind: the attributes of a kernel are kept.
    pub(crate) fn in_place_of(self, old: &Self) -> Answer<Self> {
        Ok(match (old, self) {
            (Self::Kernel(old), Self::Kernel(new)) => {
                Self::Kernel(Arc::new(new.with_attributes_of(old)?))
            }
            (_, new) => new,
        })
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
