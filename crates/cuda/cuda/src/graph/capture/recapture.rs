//! Recapture into the nodes of an existing graph (`cuStreamBeginRecaptureToGraph`): each operation
//! replaces that of the next node, in order of creation. Topology, node types, and allocated or
//! freed memory must be the same; other parameters may change, after a callback of the program has
//! been told.

use super::*;
use crate::capture::{Callback, NextNode};
use crate::current_call::InProgram;
use crate::graph::{Link, end};

fn failed(reason: String) -> Refusal {
    CUresult::GRAPH_RECAPTURE_FAILURE.because(format!("{reason}: the recapture has ended"))
}

/// A recapture of all nodes of a graph, which releases its user objects.
pub(crate) fn recapture(graph: &Graph, told: Option<(Callback, usize)>) -> Recapture {
    let (nodes, users) = {
        let mut state = graph.state();
        (state.nodes.keys().copied().collect(), std::mem::take(&mut state.users))
    };
    users.into_iter().for_each(|(object, count)| user::release(object, count));
    Recapture { nodes, done: 0, told }
}

/// Checks that all nodes have been recaptured.
pub(super) fn check(recapture: &Recapture) -> Answer {
    match recapture.nodes.len() - recapture.done {
        0 => Ok(()),
        left => Err(failed(format!("{left} of the nodes of the graph were not captured again"))),
    }
}

/// The node that an operation replaces.
pub(super) fn node(
    graph: &Graph,
    (node, told): NextNode,
    op: Op,
    links: &[Link],
) -> Answer<Handle<Node>> {
    let node = node.ok_or_else(|| failed("the graph has no more nodes".to_owned()))?;
    let node = Handle::<Node>::of(node);
    let (old, before, id) =
        with_node(node, |node| (node.op.clone(), node.before.clone(), node.id))?;
    let wrong = |what: &str| failed(format!("node {id} of graph {} {what}", graph.id));
    let sorted = |links: &[Link]| {
        let mut links: Vec<Link> = links.to_vec();
        links.sort_by_key(|link| link.node);
        links
    };
    if sorted(&before) != sorted(links) {
        return Err(wrong("comes behind other nodes than what is captured"));
    }
    if old.kind() != op.kind() {
        let (there, here) = (old.kind_name(), op.kind_name());
        return Err(wrong(&format!("is a {there} node, and a {here} is captured")));
    }
    match (&old, &op) {
        // An allocation keeps its address.
        (Op::MemAlloc(old), Op::MemAlloc(new)) if old.is_like(new) => return Ok(node),
        (Op::MemFree(old), Op::MemFree(new)) if old == new => return Ok(node),
        (Op::MemAlloc(_) | Op::MemFree(_), _) => return Err(wrong("is of other memory")),
        (old, new) if is_same(old, new) => return Ok(node),
        _ => {}
    }
    if let Some((function, data)) = told {
        let status = u32::from(update::check(&old, &op).is_err());
        let (original, new) = (params::of(&old), params::of(&op));
        let data = std::ptr::with_exposed_provenance_mut(data);
        let inside = InProgram::enter();
        // SAFETY: the program's callback is called with the driver's arguments; the structures are
        // valid during the call.
        let answer =
            unsafe { function(data, node.number(), &raw const original, &raw const new, status) };
        drop(inside);
        if answer != CUresult::SUCCESS {
            return Err(wrong("changes, which the function of the program refuses"));
        }
    }
    op.inner().for_each(|graph| graph.belong_to(node));
    with_node(node, |data| data.op = op)?;
    old.graphs().into_iter().for_each(end);
    Ok(node)
}

/// Whether two operations are equal.
fn is_same(old: &Op, new: &Op) -> bool {
    match (old, new) {
        (Op::Kernel(old), Op::Kernel(new)) => old.is_same(new),
        (Op::Memcpy(old), Op::Memcpy(new)) => old == new,
        (Op::Batch(old), Op::Batch(new)) => old.is_same(new),
        (Op::Work(..) | Op::Child(_) | Op::Conditional(_), _) => false,
        (old, new) => params::of(old).words == params::of(new).words,
    }
}
