//! Updates of executable graphs: as a whole from another graph, or node by node.
//!
//! Nodes of the two graphs are matched backwards from the nodes without successors, in order of
//! creation, along the dependencies of each matched pair. Both kinds of update allow the same
//! changes of a node.

use super::*;
use texunit_cuda_abi::{
    graph_exec_update_result as result, graph_node_type as kind, launch_attribute as attribute,
};

/// A failed update: `CUgraphExecUpdateResult`, the node of the new graph and the source of a
/// differing edge, and the reason.
pub(crate) type Mismatch = (CUgraphExecUpdateResultInfo, String);

fn mismatch(result: u32, node: usize, from: usize, reason: String) -> Mismatch {
    (CUgraphExecUpdateResultInfo { result, errorNode: node, errorFromNode: from }, reason)
}

/// Updates an executable graph to a graph of the same topology.
pub(crate) fn update_all(exec: &Exec, graph: &Graph) -> Result<(), Mismatch> {
    let refused = |result, node, refusal: Refusal| {
        mismatch(result, node, 0, refusal.reason(&[]).into_owned())
    };
    let old = exec.plan();
    if old.steps.iter().any(|step| step.op.is_updatable()) || graph.state().is_updatable() {
        let refusal = kernel::fixed("the whole of it cannot be updated");
        return Err(refused(result::NOT_SUPPORTED, 0, refusal));
    }
    let new =
        Plan::of(graph, 0).map_err(|(_, node, refusal)| refused(result::ERROR, node, refusal))?;
    let updated = merged(&old, &new)?;
    // User objects of the old plan may be destroyed here, outside of any lock.
    let changed = exec.change(|plan| Ok(std::mem::replace(plan, updated)));
    changed.map(drop).map_err(|refusal| refused(result::ERROR, 0, refusal))
}

/// Steps without successors, in order of creation of their nodes.
fn ends(plan: &Plan) -> Vec<usize> {
    let after = plan.after();
    let mut ends: Vec<usize> = (0..after.len()).filter(|&i| after[i].is_empty()).collect();
    ends.sort_by_key(|&i| plan.steps[i].node);
    ends
}

/// For each step of the old plan the matching step of the new one.
fn pairs(old: &Plan, new: &Plan) -> Result<Vec<usize>, Mismatch> {
    let changed = |node: usize, from: usize, reason: String| {
        mismatch(result::TOPOLOGY_CHANGED, node, from, reason)
    };
    let (old_count, new_count) = (old.steps.len(), new.steps.len());
    if old_count != new_count {
        let reason = format!("the graph has {new_count} nodes, and the instance {old_count}");
        return Err(changed(0, 0, reason));
    }
    let (old_ends, new_ends) = (ends(old), ends(new));
    if old_ends.len() != new_ends.len() {
        let node = new_ends.last().map_or(0, |&i| new.steps[i].node);
        let reason = format!(
            "the graph has {} nodes that none comes behind, and the instance {}",
            new_ends.len(),
            old_ends.len()
        );
        return Err(changed(node, 0, reason));
    }
    let mut pair = vec![usize::MAX; old_count];
    let mut back = vec![usize::MAX; new_count];
    let mut open: Vec<(usize, usize, usize)> =
        old_ends.into_iter().zip(new_ends).map(|(a, b)| (a, b, 0)).rev().collect();
    while let Some((a, b, behind)) = open.pop() {
        let (Some(step), Some(other)) = (old.steps.get(a), new.steps.get(b)) else { continue };
        if (pair[a], back[b]) == (b, a) {
            continue;
        }
        let name = || other.op.node_name(other.id, new.graph);
        if pair[a] != usize::MAX || back[b] != usize::MAX {
            let reason = format!("{} comes before another node than in the instance", name());
            return Err(changed(behind, other.node, reason));
        }
        (pair[a], back[b]) = (b, a);
        if step.before.len() != other.before.len() {
            let (now, then) = (other.before.len(), step.before.len());
            let reason =
                format!("{} comes behind {now} nodes, and in the instance behind {then}", name());
            return Err(changed(other.node, 0, reason));
        }
        let before = step.before.iter().zip(&other.before);
        open.extend(before.map(|(&a, &b)| (a as usize, b as usize, other.node)).rev());
    }
    Ok(pair)
}

/// The old plan with the operations of the new one, which must have the same nodes and edges.
fn merged(old: &Plan, new: &Plan) -> Result<Plan, Mismatch> {
    let pairs = pairs(old, new)?;
    let mut updated = old.clone();
    for (step, pair) in updated.steps.iter_mut().zip(pairs) {
        let Some(other) = new.steps.get(pair) else { continue };
        let told = |(how, reason): (u32, String)| {
            let name = other.op.node_name(other.id, new.graph);
            mismatch(how, other.node, 0, format!("{name}: {reason}"))
        };
        check(&step.op, &other.op).map_err(told)?;
        if step.inner.len() != other.inner.len() {
            changed("it has another number of graphs").map_err(told)?;
        }
        let inner = step.inner.iter().zip(&other.inner);
        let inner: Result<Vec<_>, _> = inner.map(|(a, b)| merged(a, b).map(Arc::new)).collect();
        step.inner = inner?;
        step.op = other.op.clone();
    }
    updated.conditions.clone_from(&new.conditions);
    updated.users = Arc::clone(&new.users);
    Ok(updated)
}

fn changed(reason: &str) -> Result<(), (u32, String)> {
    Err((result::PARAMETERS_CHANGED, reason.to_owned()))
}

/// Whether an update may replace an operation by another; if not, the code and the reason.
pub(crate) fn check(old: &Op, new: &Op) -> Result<(), (u32, String)> {
    match (old, new) {
        (Op::Kernel(old), Op::Kernel(new)) => check_kernel(old, new),
        (Op::Memcpy(old), Op::Memcpy(new)) => check_copy(old, new),
        (Op::Memset(old), Op::Memset(new)) => check_fill(old, new),
        (Op::MemAlloc(_), Op::MemAlloc(_)) | (Op::MemFree(_), Op::MemFree(_)) => Err((
            result::NOT_SUPPORTED,
            "nodes that allocate or free memory cannot be updated".to_owned(),
        )),
        (Op::Copies(old), Op::Copies(new)) => old.differs(new).map_or(Ok(()), changed),
        (Op::Batch(old), Op::Batch(new)) if old.params().ctx != new.params().ctx => {
            changed("the context of its operations changes")
        }
        (Op::Batch(old), Op::Batch(new)) if old.params().count != new.params().count => {
            changed("the number of its operations changes")
        }
        (Op::Conditional(old), Op::Conditional(new)) if old.kind != new.kind => {
            changed("the type of a conditional node changes")
        }
        _ if old.kind() != new.kind() => {
            let reason =
                format!("the instance has a node of another type there: {}", old.kind_name());
            Err((result::NODE_TYPE_CHANGED, reason))
        }
        _ => Ok(()),
    }
}

fn check_kernel(old: &KernelOp, new: &KernelOp) -> Result<(), (u32, String)> {
    if old.context.handle != new.context.handle {
        let reason = "its function is of another context".to_owned();
        return Err((result::UNSUPPORTED_FUNCTION_CHANGE, reason));
    }
    for (id, name) in [
        (attribute::COOPERATIVE, "cooperative"),
        (attribute::CLUSTER_DIMENSION, "cluster dimension"),
    ] {
        if old.attribute(id) != new.attribute(id) {
            return Err((result::ATTRIBUTES_CHANGED, format!("its attribute `{name}` changes")));
        }
    }
    Ok(())
}

/// Whether the kind of memory of a copy's end has changed.
fn is_moved(old: &CopySide3D, new: &CopySide3D) -> bool {
    let kind = |side: &CopySide3D| match side.memory_type {
        // For an unified address, whether it is known to devices.
        CU_MEMORYTYPE_UNIFIED => match crate::memory::is_known(side.device) {
            Ok(true) => CU_MEMORYTYPE_DEVICE,
            _ => CU_MEMORYTYPE_HOST,
        },
        kind => kind,
    };
    kind(old) != kind(new)
}

fn check_copy(old: &CopyOp, new: &CopyOp) -> Result<(), (u32, String)> {
    if old == new {
        return Ok(());
    }
    if old.context != new.context {
        return changed("its context changes");
    }
    if is_moved(&old.copy.src, &new.copy.src) || is_moved(&old.copy.dst, &new.copy.dst) {
        return changed("the type of the memory that it copies changes");
    }
    let is_line = |op: &CopyOp| op.copy.height == 1 && op.copy.depth == 1;
    match is_line(old) && is_line(new) {
        true => Ok(()),
        false => changed("a copy of more than one dimension changes"),
    }
}

fn check_fill(
    old: &CUDA_MEMSET_NODE_PARAMS,
    new: &CUDA_MEMSET_NODE_PARAMS,
) -> Result<(), (u32, String)> {
    if old.ctx != new.ctx {
        return changed("its context changes");
    }
    if old.height != new.height {
        return changed("its height changes");
    }
    let shape = |op: &CUDA_MEMSET_NODE_PARAMS| (op.width, op.elementSize, op.pitch);
    match old.height > 1 && shape(old) != shape(new) {
        true => changed("the size of a region of rows changes"),
        false => Ok(()),
    }
}

/// Changes the operation of a step (`cuGraphExec*NodeSetParams`).
pub(crate) fn step(step: &mut Step, new: Op) -> Answer {
    ensure!(
        !matches!(step.op.kind(), kind::CONDITIONAL | kind::MEM_ALLOC | kind::MEM_FREE),
        CUresult::NOT_SUPPORTED,
        "hNode is a {} node, whose parameters cannot be changed in an instance",
        step.op.kind_name()
    );
    check(&step.op, &new).map_err(|(_, reason)| invalid!("hNode: {reason}"))?;
    step.op = new.in_place_of(&step.op)?;
    Ok(())
}

/// Updates a child graph of an executable graph to a graph of the same topology.
pub(crate) fn child(step: &mut Step, graph: Handle<Graph>) -> Answer {
    let graph = graph.get().map_err(|refusal| refusal.named("childGraph"))?;
    let (Op::Child(_), [inner]) = (&step.op, &step.inner[..]) else {
        bail!("hNode is not a child graph node");
    };
    let new = Plan::of(&graph, 0).map_err(|(_, _, refusal)| refusal)?;
    let updated = merged(inner, &new).map_err(|(_, reason)| invalid!("childGraph: {reason}"))?;
    step.inner = vec![Arc::new(updated)];
    Ok(())
}
