//! Launches of executable graphs: the steps of a plan are executed by the code that does the same
//! work in a stream.
//!
//! The order is that of the plan; with `--schedule` the seed chooses among ready steps. Unordered
//! steps run concurrently while a step waits for other work, and, unless the launch is observed,
//! while kernels of few CTAs leave host threads idle ([`order`]). For the race detector each
//! step is a queue of its own, and an edge an event between two queues, so that unordered steps are
//! recognised although they are executed sequentially.

use super::order::shuffled;
use super::races::Queues;
use super::*;
use crate::check_log::QueuePosition;
use crate::copy::CopyParams;
use crate::deferred::{self, Order};
use crate::fill::fill;
use crate::settings::settings;
use crate::{checks, copy, launch};
use std::collections::VecDeque;
use texunit_cuda_abi::graph_instantiate_flag as flag;

/// Maximum nesting depth of graphs that launch each other.
const MAX_DEPTH: usize = 64;
/// Number of iterations after which a loop counts as infinite.
const MAX_ROUNDS: u64 = 1_000_000_000;

/// Launches a graph in a stream, immediately or deferred. An invalid step is returned by this call
/// if it is executed immediately; a fault of a kernel ends the context, as in an ordinary launch.
pub(crate) fn launch(exec: &Arc<Exec>, order: &Order) -> Answer {
    // Later changes of the graph apply to later launches.
    let (exec, plan, place) = (Arc::clone(exec), exec.plan(), order.clone());
    let launch =
        Arc::new(Launch { order: place, tail: Mutex::default(), running: Mutex::default() });
    let (has_memory, may_wait) =
        (plan.any(&|step| step.op.has_memory()), plan.any(&Step::may_wait));
    let mut events = Vec::new();
    plan.each(&mut |_, step| -> Answer {
        if let Op::RecordEvent(event) = &step.op {
            events.push(event.number());
        }
        Ok(())
    })?;
    let keeps = deferred::must_defer(order);
    if has_memory && keeps {
        // The launch is not deferred, because the next call may query the memory that it allocates.
        deferred::wait_before(order);
        order.context.check()?;
        return deferred::at_once(|| launch.run_with_tails(exec, plan));
    }
    if has_memory || !(keeps || may_wait && deferred::may_outlive_call()) {
        return launch.run_with_tails(exec, plan);
    }
    deferred::launch(order, move |works| {
        works?;
        launch.run_with_tails(exec, plan)
    })?;
    deferred::recorded_by_last(order, &events);
    Ok(())
}

/// Prepares memory and conditional values before the first step. Memory of an earlier launch is
/// freed or, unless the graph was instantiated so, an error.
fn begin(plan: &Plan, frees: bool) -> Answer {
    plan.conditions.iter().try_for_each(|condition| condition.begin())?;
    plan.steps.iter().try_for_each(|step| match &step.op {
        Op::MemAlloc(op) => op.begin(frees),
        _ => step.inner.iter().try_for_each(|inner| begin(inner, frees)),
    })
}

/// A launch in progress.
struct Launch {
    /// Stream and context of the launch.
    order: Order,
    /// Graphs for tail launch, to run when the current graph has ended.
    tail: Mutex<VecDeque<Arc<Exec>>>,
    /// Handles of the running graphs, each launched by a kernel of the previous one.
    running: Mutex<Vec<usize>>,
}

impl Launch {
    /// Runs a graph and the tail launches of its kernels.
    fn run_with_tails(self: &Arc<Self>, exec: Arc<Exec>, plan: Arc<Plan>) -> Answer {
        let mut next = Some((exec, plan));
        let mut rounds = 0;
        while let Some((exec, plan)) = next {
            self.one(&exec, &plan)?;
            let behind = lock(&self.tail).pop_front();
            next = behind.map(|exec| (Arc::clone(&exec), exec.plan()));
            rounds += 1;
            if rounds >= settings().max_steps.unwrap_or(MAX_ROUNDS) {
                let reason = format!(
                    "graphs have launched each other {}, and there is no end",
                    Count(rounds, "time")
                );
                return self.fail(CUresult::LAUNCH_TIMEOUT, reason);
            }
        }
        Ok(())
    }

    fn one(self: &Arc<Self>, exec: &Exec, plan: &Arc<Plan>) -> Answer {
        let _running = exec.begin();
        begin(plan, exec.flags & flag::AUTO_FREE_ON_LAUNCH != 0)?;
        lock(&self.running).push(exec.handle.number());
        let answer = self.run(plan, None);
        lock(&self.running).pop();
        answer
    }

    /// Ends the context by an error, of which the user is told.
    fn fail(&self, code: CUresult, reason: String) -> Answer {
        say(format_args!("{reason}"));
        let refusal = code.because(reason);
        self.order.context.fail(refusal.clone());
        Err(refusal)
    }

    /// Runs the graphs that a kernel has launched, or stores tail launches.
    fn launched(self: &Arc<Self>, op: &KernelOp) -> Answer {
        for (handle, stream) in kernel::launches(op)? {
            let exec = Handle::<Exec>::of(handle as usize);
            let fits = exec.get().ok().filter(|exec| exec.flags & flag::DEVICE_LAUNCH != 0);
            let running = lock(&self.running).clone();
            let is_running = running.contains(&exec.number());
            let is_tail = stream == kernel::TAIL;
            let fits = match fits {
                None => Err(
                    "is not one that was instantiated with CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
                ),
                Some(_) if is_running && !is_tail => {
                    Err("runs already: only a tail launch can launch it once more")
                }
                Some(_) if running.len() >= MAX_DEPTH => {
                    Err("would be the 64th in a row of graphs that launch each other")
                }
                Some(_) if !kernel::STREAMS.contains(&stream) => {
                    Err("is launched in a stream that is not one of those for graphs")
                }
                Some(exec) => Ok(exec),
            };
            match fits {
                Ok(exec) if is_tail => lock(&self.tail).push_back(exec),
                Ok(exec) => self.one(&exec, &exec.plan())?,
                Err(wrong) => {
                    let name = crate::module::kernel_name(&op.function);
                    let reason = format!("kernel `{name}` launches graph {exec:?}, which {wrong}");
                    return self.fail(CUresult::LAUNCH_FAILED, reason);
                }
            }
        }
        Ok(())
    }

    /// Executes the steps of a plan, in a queue of the race detector if it is an inner graph.
    fn run(self: &Arc<Self>, plan: &Arc<Plan>, within: Option<Queue>) -> Answer {
        let outer = within.unwrap_or(self.order.queue);
        let queues = Queues::new(plan, outer).map(Arc::new);
        let (launch, steps, all) = (Arc::clone(self), Arc::clone(plan), queues.clone());
        let one = move |i: usize| -> Answer {
            let Some(step) = steps.steps.get(i) else { return Ok(()) };
            let queue = all.as_ref().map_or(outer, |queues| queues.begin(step, i));
            // The device-side record of an updatable node decides whether it is enabled.
            let is_updatable = matches!(&step.op, Op::Kernel(op) if op.updatable.is_some());
            if step.is_enabled || is_updatable {
                launch
                    .step(&steps, step, queue)
                    .map_err(|refusal| with_step_name(&steps, step, refusal))?;
            }
            if let Some(queues) = &all {
                queues.end(i);
            }
            Ok(())
        };
        let order: Vec<usize> = match settings().schedule {
            None => (0..plan.steps.len()).collect(),
            Some(seed) => shuffled(plan, seed ^ u64::from(plan.graph)),
        };
        let threads = order::host_threads(plan);
        let may_wait = || deferred::may_outlive_call() && plan.any(&Step::may_wait);
        let answer = if order.len() > 1 && (threads > 1 || may_wait()) {
            let needs = plan.steps.iter().map(|step| order::needs(step, threads)).collect();
            let before = plan.steps.iter().map(|step| &step.before[..]);
            deferred::branches(before, needs, threads, one)
        } else {
            order.iter().copied().try_for_each(one)
        };
        if let Some(queues) = &queues {
            if answer.is_ok() {
                super::races::report(plan, &order, &queues.own);
            }
            queues.finish();
        }
        answer
    }

    fn step(self: &Arc<Self>, plan: &Plan, step: &Step, queue: Queue) -> Answer {
        self.order.context.check()?;
        match &step.op {
            Op::Empty => Ok(()),
            Op::Kernel(op) => {
                op.context.check()?;
                let position = QueuePosition::now(queue);
                let graph = lock(&self.running).last().copied().unwrap_or_default() as u64;
                let Some((shape, params)) = op.updated()? else { return Ok(()) };
                launch::run((&op.context, &op.function), &shape, &params, position, graph)?;
                self.launched(op)
            }
            Op::Work(task, context) => task.run(&*alive(*context)?, &QueuePosition::now(queue)),
            Op::Memcpy(op) => {
                let order = Order::on(alive(op.context)?, queue);
                let params = CopyParams { copy: op.copy, is_line: false };
                // SAFETY: the program guarantees that the operands' memory exists when the node
                // runs.
                unsafe { copy::copy(&params, &order) }
            }
            Op::Copies(op) => {
                let order = Order::on(alive(op.context)?, queue);
                op.each().try_for_each(|(to, from, size)| {
                    let params = CopyParams::line(copy::any(to), copy::any(from), size);
                    // SAFETY: the program guarantees that the operands' memory exists when the node
                    // runs.
                    unsafe { copy::copy(&params, &order) }
                })
            }
            Op::Memset(op) => fill(op, &Order::on(alive(Handle::of(op.ctx))?, queue)).map(|_| ()),
            Op::Host(op) => {
                // SAFETY: the program passed the address of a host function, which is not null.
                let function = unsafe {
                    std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void)>(op.function)
                };
                let data = std::ptr::with_exposed_provenance_mut(op.userData as usize);
                // SAFETY: the program's callback is called with the driver's argument.
                checks::host_function(queue, || unsafe { function(data) });
                Ok(())
            }
            Op::RecordEvent(event) => {
                deferred::record_event(*event, &Order::on(Arc::clone(&self.order.context), queue));
                Ok(())
            }
            Op::WaitEvent(event) => {
                crate::check_log::with_race(|race| {
                    race.streams().wait(event.number() as u64, Some(queue))
                });
                Ok(())
            }
            Op::MemAlloc(op) => op.run(&self.order.context),
            Op::MemFree(dptr) => super::memory::free(*dptr, Some(&QueuePosition::now(queue))),
            Op::Batch(op) => op.run(queue),
            Op::Child(_) => step.inner.iter().try_for_each(|inner| self.run(inner, Some(queue))),
            Op::Conditional(op) => self.conditional(plan, step, op, queue),
        }
    }

    fn conditional(
        self: &Arc<Self>,
        plan: &Plan,
        step: &Step,
        op: &ConditionalOp,
        queue: Queue,
    ) -> Answer {
        let most = settings().max_steps.unwrap_or(MAX_ROUNDS);
        let mut rounds = 0;
        while let Some(body) = op.chosen()?.and_then(|i| step.inner.get(i)) {
            self.run(body, Some(queue))?;
            self.order.context.check()?;
            rounds += 1;
            if op.kind != graph_conditional_type::WHILE {
                break;
            }
            // A loop body without kernels cannot change its condition.
            let sets = |step: &Step| step.is_enabled && matches!(step.op, Op::Kernel(_));
            if rounds >= most || !body.any(&sets) {
                let name = step.op.node_name(step.id, plan.graph);
                let reason = format!(
                    "{name} has run its body {}, and its condition is still not 0: it has no end",
                    Count(rounds, "time")
                );
                return self.fail(CUresult::LAUNCH_TIMEOUT, reason);
            }
        }
        Ok(())
    }
}

fn alive(context: Handle<Context>) -> Answer<Arc<Context>> {
    context::alive(context, "the context of the node")
}

/// The refusal of a step with the step's name. Steps with inner graphs name it themselves.
fn with_step_name(plan: &Plan, step: &Step, refusal: Refusal) -> Refusal {
    match step.op {
        Op::Child(_) | Op::Conditional(_) => refusal,
        _ => refusal.within(|| step.op.node_name(step.id, plan.graph), &[]),
    }
}
