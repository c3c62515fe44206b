//! Graphs: work that is described once and launched many times.
//!
//! A [`Graph`] holds nodes and the edges between them. A node contains an operation ([`op::Op`]),
//! into which stream capture ([`capture`]) also converts calls instead of executing them. [`exec`]
//! instantiates a graph, and [`run`] launches the executable graph: nodes are executed one after
//! the other in a topological order, each by the code that does the same work in a stream.
//! [`update`] changes executable graphs, [`dot`] writes a graph as text.
//!
//! A node's handle leads to its graph, which holds the node's data. Nodes are sorted by their
//! handles, which increase, and thus by order of creation. An inner graph (a child graph or the
//! body of a conditional node) is owned by a node and destroyed with it.

pub(crate) mod capture;
pub(crate) mod condition;
pub(crate) mod copies;
pub(crate) mod dot;
mod edges;
pub(crate) mod exec;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod op;
mod order;
pub(crate) mod params;
mod races;
pub(crate) mod run;
pub(crate) mod update;
pub(crate) mod user;

pub(crate) use crate::capture::Link;
use condition::{Condition, ConditionalOp};
// Names that most of these modules use.
use crate::context::{self, Context};
use crate::prelude::*;
use copies::CopiesOp;
use exec::{Exec, Plan, Step};
use kernel::KernelOp;
use memory::AllocOp;
use op::{CopyOp, Op};

#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) handle: Handle<Graph>,
    /// Unique number of the graph, which messages use (`cuGraphGetId`).
    pub(crate) id: u32,
    /// Whether the graph was created for a node, and not by the program.
    pub(crate) is_inner: bool,
    /// The node that owns a child graph or a body of a conditional node; the first stays the owner.
    pub(crate) owner: OnceLock<Handle<Node>>,
    state: Mutex<State>,
}

object!(Graph, "a graph", INVALID_VALUE);

/// A node's registry entry, which leads to its graph.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) graph: Handle<Graph>,
}

object!(Node, "a node of a graph", INVALID_VALUE);

/// Mutable state of a graph.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Nodes by handle.
    pub(crate) nodes: BTreeMap<usize, NodeData>,
    /// Number of the next node.
    next_id: u32,
    /// For a cloned graph: the clone's node for each node of the original.
    origins: HashMap<usize, usize>,
    /// User objects that the graph keeps alive, with the number of references it holds.
    pub(crate) users: BTreeMap<usize, u32>,
    /// Conditional handles created for the graph.
    pub(crate) conditions: Vec<Arc<Condition>>,
    /// Whether the graph is instantiated; recorded for graphs that allocate memory or have
    /// device-updatable nodes, which allow one instance.
    pub(crate) is_instantiated: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    /// Number of the node in its graph, from 0 on.
    pub(crate) id: u32,
    pub(crate) op: Op,
    pub(crate) before: Vec<Link>,
    pub(crate) after: Vec<Link>,
}

impl Graph {
    /// Creates an empty graph.
    pub(crate) fn create(is_inner: bool) -> Arc<Self> {
        static IDS: AtomicU32 = AtomicU32::new(1);
        let graph = Arc::new(Self {
            handle: Handle::fresh(),
            id: IDS.fetch_add(1, Relaxed),
            is_inner,
            owner: OnceLock::new(),
            state: Mutex::default(),
        });
        Self::registry().insert_as(graph.handle, Arc::clone(&graph));
        graph
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Makes the handle of a node, which owns the inner graphs of its operation.
    fn new_node(&self, op: &Op) -> Handle<Node> {
        let handle = Handle::fresh();
        Node::registry().insert_as(handle, Arc::new(Node { graph: self.handle }));
        op.inner().for_each(|graph| _ = graph.owner.set(handle));
        handle
    }

    /// Adds a node with its dependencies.
    pub(crate) fn add(&self, op: Op, before: &[Link]) -> Answer<Handle<Node>> {
        let mut state = self.state();
        self.check_before(&state, &op, before)?;
        let handle = self.new_node(&op);
        let number = handle.number();
        let id = state.next_id;
        state.next_id += 1;
        for link in before {
            if let Some(other) = state.nodes.get_mut(&link.node) {
                other.after.push(Link { node: number, data: link.data });
            }
        }
        let node = NodeData { id, op, before: before.to_vec(), after: Vec::new() };
        state.nodes.insert(number, node);
        Ok(handle)
    }

    /// Removes a node and its edges.
    pub(crate) fn remove(&self, node: Handle<Node>) -> Answer {
        let mut state = self.state();
        if state.has_memory_nodes() {
            return Err(memory::fixed("nodes of it cannot be destroyed"));
        }
        if state.nodes.get(&node.number()).is_some_and(|node| node.op.is_updatable()) {
            return Err(kernel::fixed("it cannot be destroyed"));
        }
        let Some(data) = state.nodes.remove(&node.number()) else { return Err(node.refusal()) };
        for (links, is_before) in [(&data.before, true), (&data.after, false)] {
            for link in links {
                if let Some(other) = state.nodes.get_mut(&link.node) {
                    let links = if is_before { &mut other.after } else { &mut other.before };
                    links.retain(|own| own.node != node.number());
                }
            }
        }
        drop(state);
        Node::registry().remove(node);
        data.op.graphs().into_iter().for_each(end);
        Ok(())
    }

    /// Copies a graph with all its nodes and edges.
    pub(crate) fn copy(&self, is_inner: bool) -> Answer<Arc<Self>> {
        let original = self.state();
        if original.has_memory_nodes() {
            return Err(memory::fixed(
                "it cannot be cloned, nor become a child graph but by a move",
            ));
        }
        if original.is_updatable() {
            return Err(kernel::fixed("it cannot be cloned"));
        }
        let copy = Self::create(is_inner);
        let mut state = copy.state();
        state.conditions.clone_from(&original.conditions);
        for (&number, node) in &original.nodes {
            let op = node.op.copy()?;
            let handle = copy.new_node(&op).number();
            state.origins.insert(number, handle);
            state.nodes.insert(handle, NodeData { op, ..node.clone() });
        }
        state.next_id = original.next_id;
        let State { nodes, origins, .. } = &mut *state;
        for node in nodes.values_mut() {
            for link in node.before.iter_mut().chain(&mut node.after) {
                link.node = origins.get(&link.node).copied().unwrap_or_default();
            }
        }
        for (&object, &count) in &original.users {
            user::retain(object, count);
            state.users.insert(object, count);
        }
        drop(state);
        Ok(copy)
    }

    /// The node of a clone that corresponds to a node of the original, also in inner graphs.
    pub(crate) fn find_in_clone(&self, original: Handle<Node>) -> Option<Handle<Node>> {
        let inside = {
            let state = self.state();
            if let Some(&own) = state.origins.get(&original.number()) {
                return state.nodes.contains_key(&own).then(|| Handle::of(own));
            }
            state.nodes.values().flat_map(|node| node.op.inner()).collect::<Vec<_>>()
        };
        inside.into_iter().find_map(|graph| graph.find_in_clone(original))
    }
}

impl State {
    /// Whether the graph has a device-updatable node, which forbids some changes.
    pub(crate) fn is_updatable(&self) -> bool {
        self.nodes.values().any(|node| node.op.is_updatable())
    }

    /// Whether nodes allocate or free memory, which forbids some changes.
    pub(crate) fn has_memory_nodes(&self) -> bool {
        self.nodes.values().any(|node| node.op.has_memory())
    }
}

/// Destroys a graph (`cuGraphDestroy`). An inner graph is destroyed with its node only.
pub(crate) fn destroy(graph: Handle<Graph>) -> Answer {
    if let Some(node) = graph.get()?.owner.get() {
        bail!("hGraph {graph:?} belongs to node {node:?}, and ends with it");
    }
    end(graph);
    Ok(())
}

/// Destroys a graph and everything it owns.
pub(crate) fn end(graph: Handle<Graph>) {
    let Some(graph) = Graph::registry().remove(graph) else { return };
    let state = std::mem::take(&mut *graph.state());
    for (number, node) in state.nodes {
        Node::registry().remove(Handle::of(number));
        node.op.graphs().into_iter().for_each(end);
    }
    for (object, count) in state.users {
        user::release(object, count);
    }
}

/// Calls `work` with a node of its graph.
pub(crate) fn with_node<T>(node: Handle<Node>, work: impl FnOnce(&mut NodeData) -> T) -> Answer<T> {
    let graph = node.get()?.graph.get()?;
    let mut state = graph.state();
    state.nodes.get_mut(&node.number()).map(work).ok_or_else(|| node.refusal())
}

/// The operation of a node.
pub(crate) fn op_of(node: Handle<Node>) -> Answer<Op> {
    with_node(node, |node| node.op.clone())
}
