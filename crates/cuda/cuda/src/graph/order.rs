//! Topological orders of a graph's nodes, which of its steps may run concurrently, and on how many
//! host threads.

use super::*;
use crate::debug;
use crate::deferred::{Random, StepNeeds};
use crate::settings::settings;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use texunit_cuda_abi::graph_instantiate_result as result;

/// The reason why a graph cannot be instantiated: `CUgraphInstantiateResult`, the node, and the
/// refusal.
pub(crate) type InstantiationError = (u32, usize, Refusal);

/// The nodes in topological order; among several candidates the oldest node is next.
pub(super) fn order(id: u32, state: &State) -> Result<Vec<usize>, InstantiationError> {
    let mut open: HashMap<usize, usize> = HashMap::with_capacity(state.nodes.len());
    let mut ready = BinaryHeap::new();
    for (&number, node) in &state.nodes {
        open.insert(number, node.before.len());
        if node.before.is_empty() {
            ready.push(Reverse(number));
        }
    }
    let mut order = Vec::with_capacity(state.nodes.len());
    while let Some(Reverse(number)) = ready.pop() {
        order.push(number);
        for link in state.nodes.get(&number).iter().flat_map(|node| &node.after) {
            if let Some(left) = open.get_mut(&link.node) {
                *left -= 1;
                if *left == 0 {
                    ready.push(Reverse(link.node));
                }
            }
        }
    }
    if order.len() == state.nodes.len() {
        return Ok(order);
    }
    let in_circle =
        state.nodes.iter().find(|(number, _)| open.get(number).is_some_and(|&left| left > 0));
    let (number, node) = in_circle.map_or((0, "a node".to_owned()), |(&number, node)| {
        (number, node.op.node_name(node.id, id))
    });
    let refusal = invalid!("{node} comes behind itself: the edges go round in a circle");
    Err((result::INVALID_STRUCTURE, number, refusal))
}

/// A random topological order of steps, of which each has those before it, by a seed.
pub(super) fn shuffled(steps: &[&[u32]], seed: u64) -> Vec<usize> {
    let mut open: Vec<usize> = steps.iter().map(|before| before.len()).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); open.len()];
    for (i, before) in steps.iter().enumerate() {
        before.iter().for_each(|&before| after[before as usize].push(i));
    }
    let mut ready: Vec<usize> = (0..open.len()).filter(|&i| open[i] == 0).collect();
    let (mut order, mut random) = (Vec::with_capacity(open.len()), Random(seed));
    while !ready.is_empty() {
        let i = ready.swap_remove(random.below(ready.len()));
        order.push(i);
        for &next in &after[i] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(next);
            }
        }
    }
    order
}

/// Number of host threads for unordered steps: 1 if steps are executed one after the other, because
/// the launch is to be repeatable or observed, prints, or has no steps that would leave threads
/// idle.
pub(super) fn host_threads(plan: &Plan) -> usize {
    let settings = settings();
    let is_observed = settings.schedule.is_some()
        || settings.record.is_some()
        || settings.checks.is_some()
        || settings.trace != Default::default()
        || debug::is_on();
    // Each step depends on the previous one.
    let is_chain = plan
        .steps
        .iter()
        .enumerate()
        .skip(1)
        .all(|(i, step)| step.before.iter().any(|&before| before as usize + 1 == i));
    if is_observed || is_chain || settings.threads == 1 {
        return 1;
    }
    let threads = match settings.threads {
        0 => texunit_threads::cores(),
        threads => threads,
    };
    let is_small = |step: &&Step| needs(step, threads).threads < threads;
    let small = plan.steps.iter().filter(|step| matches!(step.op, Op::Kernel(_)));
    // The texts of kernels that print are in the order of the steps.
    let prints =
        plan.any(&|step| matches!(&step.op, Op::Kernel(op) if op.function.kernel.prints()));
    match small.filter(is_small).nth(1) {
        Some(_) if !prints => threads,
        _ => 1,
    }
}

/// The needs of a step, on a number of host threads.
pub(super) fn needs(step: &Step, threads: usize) -> StepNeeds {
    let used = match &step.op {
        _ if threads == 1 => 1,
        // A device-updatable node has a grid that is not known before it runs; graphs that a kernel
        // launches are executed as its part.
        Op::Kernel(op) if op.updatable.is_none() && !kernel::may_launch(op) => {
            let shape = &op.shape;
            let is_alone = shape.cooperative
                || shape.cluster_of(&op.function).is_some()
                || op.function.kernel.uses_runtime();
            let ctas = shape.grid.iter().fold(1_usize, |all, &n| all.saturating_mul(n as usize));
            if is_alone { threads } else { ctas.clamp(1, threads) }
        }
        Op::Kernel(_) | Op::Work(..) | Op::Child(_) | Op::Conditional(_) => threads,
        _ => 1,
    };
    // Host functions are called in the thread that launches the graph.
    let is_pinned = matches!(step.op, Op::Host(_) | Op::Child(_) | Op::Conditional(_));
    StepNeeds { threads: used, is_pinned }
}
