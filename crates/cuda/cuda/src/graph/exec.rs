//! Executable graphs.
//!
//! Instantiation sorts a graph's nodes topologically, in the same order each time. The result
//! ([`Plan`]) is shared: a launch keeps the plan with which it began, and an update during a launch
//! changes a copy.

pub(crate) use super::order::InstantiationError;
use super::order::order;
use super::user::HeldReferences;
use super::*;
use std::borrow::Cow;
use std::sync::{Condvar, PoisonError};
use std::thread::ThreadId;
use texunit_cuda_abi::{graph_instantiate_flag as flag, graph_instantiate_result as result};

/// Maximum nesting depth of graphs, which limits stack usage.
const MAX_DEPTH: u32 = 64;

/// An [`InstantiationError`] of a node with `CUDA_ERROR_NOT_SUPPORTED`.
fn not_supported(
    how: u32,
    node: usize,
    reason: impl Into<Cow<'static, str>>,
) -> InstantiationError {
    (how, node, CUresult::NOT_SUPPORTED.because(reason))
}

/// An executable graph.
#[derive(Debug)]
pub(crate) struct Exec {
    pub(crate) handle: Handle<Exec>,
    /// Unique number (`cuGraphExecGetId`).
    pub(crate) id: u32,
    pub(crate) flags: u64,
    pub(crate) context: Handle<Context>,
    /// The original graph. If it allows only one instance, it can be instantiated again when this
    /// one is destroyed.
    graph: Handle<Graph>,
    plan: Mutex<Arc<Plan>>,
    /// The thread that launches the graph, as launches of a graph are serialised.
    running: Mutex<Option<ThreadId>>,
    ended: Condvar,
}

object!(Exec, "an instantiated graph", INVALID_VALUE);

/// The nodes of a graph in execution order.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Number of the graph.
    pub(crate) graph: u32,
    pub(crate) steps: Vec<Step>,
    /// Step of each node, by the node's handle.
    index: HashMap<usize, u32>,
    /// Conditional values that a launch initialises.
    pub(crate) conditions: Vec<Arc<Condition>>,
    /// User objects that the graph, and therefore its instances, keep alive.
    pub(crate) users: Arc<HeldReferences>,
}

/// A node in a plan.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Handle of the original node.
    pub(crate) node: usize,
    pub(crate) id: u32,
    pub(crate) op: Op,
    pub(crate) is_enabled: bool,
    /// Steps that this step depends on.
    pub(crate) before: Vec<u32>,
    /// Plans of inner graphs.
    pub(crate) inner: Vec<Arc<Plan>>,
}

impl Step {
    /// Whether the operation may wait for other work.
    pub(crate) fn may_wait(&self) -> bool {
        match &self.op {
            Op::Batch(op) => op.may_wait(),
            Op::Kernel(op) => op.function.kernel.may_wait(),
            _ => false,
        }
    }
}

impl Plan {
    /// The plan of a graph.
    pub(crate) fn of(graph: &Graph, depth: u32) -> Result<Self, InstantiationError> {
        let state = graph.state();
        let order = order(graph.id, &state)?;
        let index: HashMap<usize, u32> =
            order.iter().zip(0..).map(|(&node, i)| (node, i)).collect();
        let mut steps = Vec::with_capacity(order.len());
        for &number in &order {
            let Some(node) = state.nodes.get(&number) else { continue };
            let before = node.before.iter().filter_map(|link| index.get(&link.node).copied());
            let mut inner = Vec::new();
            for inside in node.op.graphs() {
                if depth >= MAX_DEPTH {
                    let reason = format!("more than {MAX_DEPTH} graphs lie in each other");
                    return Err(not_supported(result::ERROR, number, reason));
                }
                let inside = inside.get().map_err(|refusal| (result::ERROR, number, refusal))?;
                let plan = Self::of(&inside, depth + 1)?;
                if matches!(node.op, Op::Conditional(_)) {
                    plan.check_body()?;
                }
                inner.push(Arc::new(plan));
            }
            let (id, op, before) = (node.id, node.op.clone(), before.collect());
            steps.push(Step { node: number, id, op, is_enabled: true, before, inner });
        }
        if let Some(unused) =
            state.conditions.iter().find(|condition| !condition.is_used.load(Relaxed))
        {
            let refusal = invalid!(
                "conditional handle {:#x} was made for graph {}, and no conditional node looks at it",
                unused.handle(),
                graph.id
            );
            return Err((result::CONDITIONAL_HANDLE_UNUSED, 0, refusal));
        }
        let users = Arc::new(HeldReferences::new(&state.users));
        Ok(Self { graph: graph.id, steps, index, conditions: state.conditions.clone(), users })
    }

    /// Checks the nodes of a conditional node's body, which allows some kinds only.
    fn check_body(&self) -> Result<(), InstantiationError> {
        for step in &self.steps {
            let fits = match &step.op {
                Op::Child(_) => step.inner.iter().all(|plan| plan.check_body().is_ok()),
                Op::Kernel(_) | Op::Work(..) | Op::Empty | Op::Conditional(_) => true,
                Op::Memset(_) | Op::Memcpy(_) | Op::Copies(_) => true,
                _ => false,
            };
            if !fits {
                let name = step.op.node_name(step.id, self.graph);
                let reason = format!(
                    "{name} is in the body of a conditional node, which has kernels, copies, sets, empty nodes, child \
                     graphs and conditional nodes only"
                );
                return Err(not_supported(result::NODE_OPERATION_NOT_SUPPORTED, step.node, reason));
            }
        }
        Ok(())
    }

    /// Checks that a graph can be launched by a kernel.
    fn check_device_launch(&self) -> Result<(), InstantiationError> {
        let mut context = None;
        self.each(&mut |plan, step| {
            let own = match &step.op {
                Op::Kernel(op) => op.context.handle,
                Op::Work(_, context) => *context,
                Op::Memcpy(op) => op.context,
                Op::Copies(op) => op.context,
                Op::Memset(op) => Handle::of(op.ctx),
                Op::Empty | Op::Child(_) => return Ok(()),
                other => {
                    let name = other.node_name(step.id, plan.graph);
                    let reason = format!(
                        "{name}: a graph for launches from the device has kernels, copies, sets and child graphs only"
                    );
                    let how = result::NODE_OPERATION_NOT_SUPPORTED;
                    return Err(not_supported(how, step.node, reason));
                }
            };
            if *context.get_or_insert(own) != own {
                let why = "nodes of a graph for launches from the device are of several contexts";
                return Err(not_supported(result::MULTIPLE_CTXS_NOT_SUPPORTED, step.node, why));
            }
            Ok(())
        })
    }

    /// For each step the steps that depend on it.
    pub(super) fn after(&self) -> Vec<Vec<usize>> {
        let mut after = vec![Vec::new(); self.steps.len()];
        for (i, step) in self.steps.iter().enumerate() {
            step.before.iter().for_each(|&before| after[before as usize].push(i));
        }
        after
    }

    /// The step of a node, also in inner graphs.
    pub(crate) fn find(&self, node: usize) -> Option<&Step> {
        if let Some(&i) = self.index.get(&node) {
            return self.steps.get(i as usize);
        }
        self.steps.iter().flat_map(|step| &step.inner).into_iter().find_map(|plan| plan.find(node))
    }

    /// The step of a node for a change; plans that a launch uses are copied.
    pub(crate) fn find_mut(&mut self, node: usize) -> Option<&mut Step> {
        if let Some(&i) = self.index.get(&node) {
            return self.steps.get_mut(i as usize);
        }
        let has = |plan: &Arc<Plan>| plan.find(node).is_some();
        let inner = self.steps.iter_mut().flat_map(|step| &mut step.inner);
        Arc::make_mut(inner.into_iter().find(|plan| has(plan))?).find_mut(node)
    }

    /// Creates an inner graph with the same nodes and edges.
    pub(crate) fn to_graph(&self) -> Answer<Handle<Graph>> {
        let graph = Graph::create(true);
        graph.state().conditions.clone_from(&self.conditions);
        let mut nodes = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let op = match (&step.op, &step.inner[..]) {
                _ if !step.is_enabled => Op::Empty,
                (Op::Child(_), [inner]) => Op::Child(inner.to_graph()?),
                (op, _) => op.copy()?,
            };
            let before = step.before.iter().filter_map(|&i| nodes.get(i as usize));
            let before: Vec<Link> = before.map(|&node| Link::plain(node)).collect();
            nodes.push(graph.add(op, &before)?.number());
        }
        Ok(graph.handle)
    }

    /// Calls `work` for all steps, including those of inner graphs, with their plans.
    pub(crate) fn each<E>(
        &self,
        work: &mut dyn FnMut(&Self, &Step) -> Result<(), E>,
    ) -> Result<(), E> {
        for step in &self.steps {
            work(self, step)?;
            step.inner.iter().try_for_each(|plan| plan.each(work))?;
        }
        Ok(())
    }

    /// Whether a question is true of a step, also of inner graphs.
    pub(crate) fn any(&self, question: &dyn Fn(&Step) -> bool) -> bool {
        let inside = |step: &Step| step.inner.iter().any(|plan| plan.any(question));
        self.steps.iter().any(|step| question(step) || inside(step))
    }
}

/// Instantiates a graph.
pub(crate) fn instantiate(
    graph: Handle<Graph>,
    flags: u64,
) -> Result<Arc<Exec>, InstantiationError> {
    static IDS: AtomicU32 = AtomicU32::new(1);
    let whole = |refusal| (result::ERROR, 0, refusal);
    let given = || -> Answer<(Arc<Graph>, Arc<Context>)> {
        use flag::{AUTO_FREE_ON_LAUNCH, DEVICE_LAUNCH, UPLOAD, USE_NODE_PRIORITY};
        let known = AUTO_FREE_ON_LAUNCH | UPLOAD | DEVICE_LAUNCH | USE_NODE_PRIORITY;
        ensure!(
            flags & !known == 0,
            "flags {flags:#x} has bits that are not CUgraphInstantiate_flags: those are 1, 2, 4 and 8"
        );
        ensure!(
            flags & DEVICE_LAUNCH == 0 || flags & AUTO_FREE_ON_LAUNCH == 0,
            "flags have CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH and _AUTO_FREE_ON_LAUNCH, which do not go together"
        );
        Ok((graph.get()?, context::current()?))
    };
    let (graph, context) = given().map_err(whole)?;
    let plan = Plan::of(&graph, 0)?;
    if flags & flag::DEVICE_LAUNCH != 0 {
        plan.check_device_launch()?;
    }
    {
        let mut state = graph.state();
        let (has_memory, is_updatable) = (state.has_memory_nodes(), state.is_updatable());
        if has_memory || is_updatable {
            if state.is_instantiated {
                let why = "only one instance of it may exist at a time";
                return Err(whole(match has_memory {
                    true => super::memory::fixed(why),
                    false => super::kernel::fixed(why),
                }));
            }
            state.is_instantiated = true;
        }
    }
    let exec = Arc::new(Exec {
        handle: Handle::fresh(),
        id: IDS.fetch_add(1, Relaxed),
        flags,
        context: context.handle,
        graph: graph.handle,
        plan: Mutex::new(Arc::new(plan)),
        running: Mutex::new(None),
        ended: Condvar::new(),
    });
    Exec::registry().insert_as(exec.handle, Arc::clone(&exec));
    crate::check_log::created(exec.handle.number());
    Ok(exec)
}

/// Destroys the executable graphs of a context.
pub(crate) fn release_context(context: &Context) {
    let ended = Exec::registry().remove_all(|exec| exec.context == context.handle);
    ended.iter().for_each(|exec| exec.ended());
}

impl Exec {
    /// Lets the original graph be instantiated again.
    pub(crate) fn ended(&self) {
        if let Some(graph) = Graph::registry().find(self.graph) {
            graph.state().is_instantiated = false;
        }
    }

    pub(crate) fn plan(&self) -> Arc<Plan> {
        Arc::clone(&lock(&self.plan))
    }

    /// Changes the plan, unless `work` fails.
    pub(crate) fn change<T>(&self, work: impl FnOnce(&mut Plan) -> Answer<T>) -> Answer<T> {
        let mut plan = lock(&self.plan);
        work(Arc::make_mut(&mut plan))
    }

    /// Calls `work` with the step of a node of the original graph.
    pub(crate) fn step<T>(
        &self,
        node: Handle<Node>,
        work: impl FnOnce(&mut Step) -> Answer<T>,
    ) -> Answer<T> {
        node.get()?;
        self.change(|plan| match plan.find_mut(node.number()) {
            Some(step) => work(step),
            None => bail!(
                "hNode {node:?} is not a node of the graph that hGraphExec was instantiated of"
            ),
        })
    }

    /// Begins a launch after the previous one has ended. A nested launch, from a host function of
    /// the same graph, does not wait.
    pub(crate) fn begin(&self) -> OnDrop<impl FnMut()> {
        let me = std::thread::current().id();
        let running = lock(&self.running);
        let busy = |running: &mut Option<ThreadId>| running.is_some_and(|thread| thread != me);
        let mut running: MutexGuard<'_, _> =
            self.ended.wait_while(running, busy).unwrap_or_else(PoisonError::into_inner);
        let outer = running.replace(me);
        drop(running);
        OnDrop(move || {
            *lock(&self.running) = outer;
            self.ended.notify_all();
        })
    }
}
