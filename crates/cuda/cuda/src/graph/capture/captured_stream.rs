//! How operations of a captured stream become nodes of the graph.

use super::*;
use crate::capture::{CapturedStream, join};
use crate::graph;
use crate::module::Function;
use crate::shape::Shape;
use texunit_cuda_abi::launch_attribute as attribute;

impl CapturedStream {
    fn graph(self) -> Answer<(Arc<Graph>, Vec<Link>)> {
        let (graph, links) = self.graph_and_links()?;
        Ok((Handle::of(graph).get()?, links))
    }

    /// Checks that the capture has not been invalidated.
    pub(crate) fn check(self) -> Answer {
        self.graph().map(|_| ())
    }

    /// Adds an operation to the captured graph as a node that depends on the stream's current
    /// capture dependencies.
    pub(crate) fn add(self, op: Op) -> Answer {
        self.add_with(op, CUgraphEdgeData::default()).map(|_| ())
    }

    /// As [`Self::add`], with data for edges between kernels.
    fn add_with(self, op: Op, data: CUgraphEdgeData) -> Answer<Handle<Node>> {
        let (graph, mut links) = self.graph()?;
        if data != CUgraphEdgeData::default() {
            let state = graph.state();
            let is_kernel = |link: &Link| {
                state.nodes.get(&link.node).is_some_and(|node| matches!(node.op, Op::Kernel(_)))
            };
            if links.iter().all(is_kernel) {
                links.iter_mut().for_each(|link| link.data = data);
            }
        }
        let made = match self.next_node() {
            None => graph.add(op, &links),
            Some(next) => recaptured_node(&graph, next, op, &links),
        };
        let node = made.inspect_err(|_| self.invalidate())?;
        self.set_links(vec![Link::plain(node.number())]);
        Ok(node)
    }

    /// Adds a memory allocation node and returns its address.
    pub(crate) fn allocate(self, device: CUdevice, bytesize: usize) -> Answer<u64> {
        let location = CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: device };
        let alloc_type = CU_MEM_ALLOCATION_TYPE_PINNED;
        let props = CUmemPoolProps { alloc_type, location, ..CUmemPoolProps::default() };
        let mut params =
            CUDA_MEM_ALLOC_NODE_PARAMS { poolProps: props, bytesize, ..Default::default() };
        // SAFETY: the structure has no access descriptions.
        let op = unsafe { AllocOp::new(&mut params)? };
        let node = self.add_with(Op::MemAlloc(Arc::new(op)), CUgraphEdgeData::default())?;
        // A recaptured allocation keeps its address.
        match graph::op_of(node)? {
            Op::MemAlloc(op) => Ok(op.dptr()),
            _ => Ok(params.dptr),
        }
    }

    /// Adds a kernel node. Returns the device handle of a node that kernels can update, or else 0.
    pub(crate) fn add_launch(
        self,
        (function, handle): (Arc<Function>, Handle<Function>),
        context: &Arc<Context>,
        shape: Shape,
        (params, attributes): (Vec<u8>, &[CUlaunchAttribute]),
    ) -> Answer<u64> {
        let of = (function, handle.number());
        let mut op = KernelOp::new(of, Arc::clone(context), shape, params);
        let mut data = CUgraphEdgeData::default();
        for one in attributes {
            match one.id {
                // These attributes are ignored here, because the capture records the events that
                // they name.
                attribute::IGNORE
                | attribute::PROGRAMMATIC_EVENT
                | attribute::LAUNCH_COMPLETION_EVENT => {}
                attribute::PROGRAMMATIC_STREAM_SERIALIZATION if one.value[0] != 0 => {
                    data = CUgraphEdgeData { from_port: 1, kind: 1, ..data };
                }
                id => op = op.with_attribute(id, one.value)?,
            }
        }
        let record = op.updatable.as_ref().map_or(0, |record| record.address());
        self.add_with(Op::Kernel(Arc::new(op)), data).map(|_| record)
    }

    /// Changes the stream's dependencies (`cuStreamUpdateCaptureDependencies`).
    pub(crate) fn update(self, new: &[Link], replaces: bool) -> Answer {
        let (graph, mut links) = self.graph()?;
        for (i, link) in new.iter().enumerate() {
            let node = Handle::<Node>::of(link.node);
            let own = node.get().map_err(|refusal| refusal.named(&format!("dependencies[{i}]")))?;
            ensure!(
                own.graph == graph.handle,
                "dependencies[{i}] {node:?} is not a node of the graph that is captured"
            );
        }
        if replaces {
            links.clear();
        }
        join(&mut links, new);
        self.set_links(links);
        Ok(())
    }
}
