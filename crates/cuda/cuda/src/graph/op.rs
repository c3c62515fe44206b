//! Operations of graph nodes as values: the work that a stream would do, stored to be executed
//! repeatedly.
//!
//! Values are cheap to copy, as a graph, its clones and its instances share their contents.
//! Pointers returned by the getters of the driver API (such as those to a kernel's arguments) lead
//! into the value, and are valid as long as the node keeps it.

use super::Graph;
use super::condition::ConditionalOp;
use super::copies::CopiesOp;
use super::memory::AllocOp;
use super::updatable::Updatable;
use crate::args::Answer;
use crate::context::Context;
use crate::handle::{Handle, Object};
use crate::memory_ops::BatchOp;
use crate::module::Function;
use crate::shape::Shape;
use crate::stream::Event;
use crate::work::Task;
use std::collections::BTreeMap;
use std::sync::Arc;
use texunit_cuda_abi::{
    CUDA_HOST_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, graph_node_type as kind,
    invalid, launch_attribute as attribute,
};

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

/// A kernel launch.
#[derive(Clone, Debug)]
pub(crate) struct KernelOp {
    pub(crate) function: Arc<Function>,
    pub(crate) context: Arc<Context>,
    /// Handles by which the program named the kernel.
    pub(crate) func: usize,
    pub(crate) kern: usize,
    pub(crate) shape: Shape,
    /// All parameters, in the layout of the kernel's parameter buffer.
    params: Arc<[u8]>,
    /// Addresses of the parameters in that buffer.
    pointers: Arc<[u64]>,
    /// Attributes that were set, by number.
    pub(crate) attributes: BTreeMap<u32, [u32; 16]>,
    /// The device-side record of a device-updatable node.
    pub(crate) updatable: Option<Arc<Updatable>>,
}

/// A copy, and its context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CopyOp {
    pub(crate) copy: CUDA_MEMCPY3D,
    pub(crate) context: Handle<Context>,
}

impl KernelOp {
    pub(crate) fn new(
        (function, func, kern): (Arc<Function>, usize, usize),
        context: Arc<Context>,
        shape: Shape,
        params: Vec<u8>,
    ) -> Self {
        let params: Arc<[u8]> = params.into();
        let base = params.as_ptr().expose_provenance() as u64;
        let all = function.kernel.params();
        let pointers = all.iter().map(|param| base + u64::from(param.offset)).collect();
        let (attributes, updatable) = Default::default();
        Self { function, context, func, kern, shape, params, pointers, attributes, updatable }
    }

    pub(crate) fn params(&self) -> &[u8] {
        &self.params
    }

    /// Whether two operations launch the same kernel with the same arguments.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.func, self.kern, self.shape) == (other.func, other.kern, other.shape)
            && self.params == other.params
            && self.attributes == other.attributes
    }

    /// Address of the array of pointers to the arguments; null if there are none.
    pub(crate) fn pointers(&self) -> u64 {
        match self.pointers.is_empty() {
            true => 0,
            false => self.pointers.as_ptr().expose_provenance() as u64,
        }
    }

    /// A copy of the operation with an attribute set.
    pub(crate) fn with_attribute(&self, id: u32, value: [u32; 16]) -> Answer<Self> {
        let mut new = self.clone();
        let [x, y, z, ..] = value;
        match id {
            attribute::COOPERATIVE => new.shape.cooperative = x != 0,
            attribute::DEVICE_UPDATABLE_KERNEL_NODE => {
                match (x, &self.updatable) {
                    (1, None) => new.updatable = Some(Arc::new(Updatable::new(self)?)),
                    (1, Some(_)) | (0, None) => {}
                    _ => {
                        return Err(invalid!(
                            "deviceUpdatable is not 0 or 1, or 0 where it is 1: a node stays one that kernels update"
                        ));
                    }
                }
                return Ok(new);
            }
            attribute::CLUSTER_DIMENSION => {
                new.shape.cluster = Some([x, y, z]).filter(|all| *all != [0; 3]);
            }
            _ => {}
        }
        new.attributes.insert(id, value);
        Ok(new)
    }

    /// A copy of the operation with another one's attributes.
    ///
    /// # Errors
    /// The other node is device-updatable, and the function here has more parameters.
    pub(crate) fn with_attributes_of(&self, other: &Self) -> Answer<Self> {
        let mut new = self.clone();
        if let Some(record) = &other.updatable {
            record.set(self)?;
            new.updatable = Some(Arc::clone(record));
        }
        new.attributes.clone_from(&other.attributes);
        new.shape.cooperative = other.shape.cooperative;
        new.shape.cluster = other.shape.cluster;
        Ok(new)
    }

    /// The value of an attribute; zeros if it was not set.
    pub(crate) fn attribute(&self, id: u32) -> [u32; 16] {
        let mut default = [0; 16];
        match id {
            attribute::COOPERATIVE => default[0] = self.shape.cooperative.into(),
            attribute::DEVICE_UPDATABLE_KERNEL_NODE => {
                if let Some(record) = &self.updatable {
                    let address = record.address();
                    (default[0], default[2], default[3]) =
                        (1, address as u32, (address >> 32) as u32);
                }
            }
            attribute::CLUSTER_DIMENSION => {
                default[..3].copy_from_slice(&self.shape.cluster.unwrap_or_default());
            }
            _ => {}
        }
        self.attributes.get(&id).copied().unwrap_or(default)
    }
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
