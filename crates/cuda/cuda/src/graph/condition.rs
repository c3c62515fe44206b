//! Conditional nodes, and the values that control them.
//!
//! A conditional handle is the address of a word of device memory, so that a kernel sets the value
//! by a store, which is all that `cudaGraphSetConditional` does (its PTX is in `texunit-link`).

use super::*;
use texunit_cuda_abi::graph_conditional_type as kind;
use texunit_device::Buffer;

/// Maximum number of a switch node's graphs, each of which is an object.
const MAX_SWITCH: u32 = 1 << 16;

/// A value that kernels set and conditional nodes test.
#[derive(Debug)]
pub(crate) struct Condition {
    word: Buffer,
    default: u32,
    is_assigned: bool,
    pub(crate) context: Arc<Context>,
    /// Whether a node uses the value.
    pub(super) is_used: AtomicBool,
}

impl Condition {
    /// Creates a conditional handle for a graph (`cuGraphConditionalHandleCreate`).
    pub(crate) fn create(
        graph: &Graph,
        context: Arc<Context>,
        default: u32,
        flags: u32,
    ) -> Answer<Arc<Self>> {
        ensure!(
            flags & !CU_GRAPH_COND_ASSIGN_DEFAULT == 0,
            "flags {flags:#x} is not 0 or CU_GRAPH_COND_ASSIGN_DEFAULT (1)"
        );
        let device = &context.gpu.device;
        let word = device.alloc(4, "cuGraphConditionalHandleCreate").map_err(refusal)?;
        word.write(0, &default.to_le_bytes()).map_err(refusal)?;
        let is_assigned = flags & CU_GRAPH_COND_ASSIGN_DEFAULT != 0;
        let is_used = AtomicBool::new(false);
        let new = Arc::new(Self { word, default, is_assigned, context, is_used });
        graph.state().conditions.push(Arc::clone(&new));
        Ok(new)
    }

    fn find(handle: u64) -> Answer<Arc<Self>> {
        let find = |graph: &Arc<Graph>| {
            let state = graph.state();
            state.conditions.iter().find(|condition| condition.handle() == handle).cloned()
        };
        Graph::registry().all(|_| true).iter().find_map(find).ok_or_else(|| {
            invalid!(
                "handle {handle:#x} is not a conditional handle (cuGraphConditionalHandleCreate)"
            )
        })
    }

    pub(crate) fn handle(&self) -> u64 {
        self.word.address()
    }

    /// Assigns the default value at the start of a launch.
    pub(crate) fn begin(&self) -> Answer {
        match self.is_assigned {
            true => self.word.write(0, &self.default.to_le_bytes()).map_err(refusal),
            false => Ok(()),
        }
    }

    pub(crate) fn value(&self) -> Answer<u32> {
        let mut bytes = [0; 4];
        self.word.read_at(0, &mut bytes).map_err(refusal)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// A conditional node.
#[derive(Debug)]
pub(crate) struct ConditionalOp {
    pub(crate) condition: Arc<Condition>,
    /// Whether the node is an if, while or switch (`CUgraphConditionalNodeType`).
    pub(crate) kind: u32,
    /// Handles of the bodies, to which the program has a pointer.
    graphs: Box<[usize]>,
}

impl ConditionalOp {
    pub(crate) fn new(params: &CUDA_CONDITIONAL_NODE_PARAMS, graph: &Graph) -> Answer<Self> {
        let condition = Condition::find(params.handle)?;
        let size = params.size;
        let fits = match params.kind {
            kind::IF => (1..=2).contains(&size),
            kind::WHILE => size == 1,
            kind::SWITCH => (1..=MAX_SWITCH).contains(&size),
            other => bail!(
                "type {other} of conditional is not a CUgraphConditionalNodeType: 0 (if), 1 (while) or 2 (switch)"
            ),
        };
        ensure!(
            fits,
            "size {size} of conditional is not 1 or 2 (if), 1 (while) or at least 1 (switch)"
        );
        ensure!(
            params.ctx == 0 || params.ctx == condition.context.handle.number(),
            "ctx {:#x} of conditional is not the context of its handle, of graph {}",
            params.ctx,
            graph.id
        );
        condition.is_used.store(true, Relaxed);
        let graphs = (0..size).map(|_| Graph::create(true).handle.number()).collect();
        Ok(Self { condition, kind: params.kind, graphs })
    }

    pub(crate) fn graphs(&self) -> Vec<Handle<Graph>> {
        self.graphs.iter().map(|&graph| Handle::of(graph)).collect()
    }

    /// Address of the array of body handles.
    pub(crate) fn handles(&self) -> u64 {
        self.graphs.as_ptr().expose_provenance() as u64
    }

    pub(crate) fn params(&self) -> CUDA_CONDITIONAL_NODE_PARAMS {
        CUDA_CONDITIONAL_NODE_PARAMS {
            handle: self.condition.handle(),
            kind: self.kind,
            size: self.graphs.len() as u32,
            phGraph_out: self.handles(),
            ctx: self.condition.context.handle.number(),
        }
    }

    /// Copies the node for a clone, with new bodies. The value is shared, because kernels of the
    /// clone have its handle among their arguments.
    pub(crate) fn copy(&self) -> Answer<Self> {
        let mut graphs = Vec::new();
        for graph in self.graphs() {
            match graph.get().and_then(|graph| graph.copy(true)) {
                Ok(copy) => graphs.push(copy.handle.number()),
                Err(refusal) => {
                    graphs.into_iter().for_each(|graph| end(Handle::of(graph)));
                    return Err(refusal);
                }
            }
        }
        let condition = Arc::clone(&self.condition);
        Ok(Self { condition, kind: self.kind, graphs: graphs.into() })
    }

    /// Index of the body that runs now, if any.
    pub(crate) fn chosen(&self) -> Answer<Option<usize>> {
        let (value, count) = (self.condition.value()?, self.graphs.len());
        Ok(match (self.kind, value) {
            (kind::SWITCH, value) => Some(value as usize).filter(|&i| i < count),
            (kind::IF, 0) => Some(1).filter(|&i| i < count),
            (_, 0) => None,
            _ => Some(0),
        })
    }
}
