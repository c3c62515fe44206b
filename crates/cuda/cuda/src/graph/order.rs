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

/// A topological order of steps, given for each the number of steps before it and the steps after
/// it. Among the ready steps, the one with the smallest `key` is next, or the first of equal ones.
/// Steps in a circle or behind one are missing.
fn topological(
    mut open: Vec<usize>,
    after: &[Vec<usize>],
    mut key: impl FnMut() -> usize,
) -> Vec<usize> {
    let mut ready = BinaryHeap::new();
    for i in (0..open.len()).filter(|&i| open[i] == 0) {
        ready.push(Reverse((key(), i)));
    }
    let mut order = Vec::with_capacity(open.len());
    while let Some(Reverse((_, i))) = ready.pop() {
        order.push(i);
        for &next in &after[i] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(Reverse((key(), next)));
            }
        }
    }
    order
}

/// The nodes in topological order; among several candidates the oldest node is next.
pub(super) fn order(id: u32, state: &State) -> Result<Vec<usize>, InstantiationError> {
    let nodes: Vec<(&usize, &NodeData)> = state.nodes.iter().collect();
    let step = |link: &Link| nodes.binary_search_by_key(&link.node, |(number, _)| **number).ok();
    let after = |(_, node): &(_, &NodeData)| node.after.iter().filter_map(step).collect();
    let after: Vec<Vec<usize>> = nodes.iter().map(after).collect();
    let order =
        topological(nodes.iter().map(|(_, node)| node.before.len()).collect(), &after, || 0);
    let seen: HashSet<usize> = order.iter().copied().collect();
    let Some(missing) = (0..nodes.len()).find(|i| !seen.contains(i)) else {
        return Ok(order.into_iter().map(|i| *nodes[i].0).collect());
    };
    let (&number, node) = nodes[missing];
    let name = node.op.node_name(node.id, id);
    let refusal = invalid!("{name} comes behind itself: the edges go round in a circle");
    Err((result::INVALID_STRUCTURE, number, refusal))
}

/// A random topological order of the steps of a plan, by a seed.
pub(super) fn shuffled(plan: &Plan, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let open = plan.steps.iter().map(|step| step.before.len()).collect();
    topological(open, &plan.after(), || random.below(usize::MAX))
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
