//! Which steps of a graph may run concurrently, and on how many host threads.

use super::*;
use crate::debug;
use crate::deferred::StepNeeds;
use crate::settings::settings;

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
    let prints = plan.steps.iter().any(prints);
    match small.filter(is_small).nth(1) {
        Some(_) if !prints => threads,
        _ => 1,
    }
}

/// Whether kernels of a step print: their texts are in the order of the steps.
fn prints(step: &Step) -> bool {
    match &step.op {
        Op::Kernel(op) => op.function.kernel.prints(),
        _ => step.inner.iter().any(|plan| plan.steps.iter().any(prints)),
    }
}

/// The needs of a step, on a number of host threads.
pub(super) fn needs(step: &Step, threads: usize) -> StepNeeds {
    let used = match &step.op {
        _ if threads == 1 => 1,
        // A device-updatable node has a grid that is not known before it runs; graphs that a kernel
        // launches are executed as its part.
        Op::Kernel(op) if op.updatable.is_none() && !device::may_launch(op) => {
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
