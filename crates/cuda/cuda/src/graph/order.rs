//! Topological orders of a graph's nodes.

use super::*;
use crate::deferred::Random;
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
