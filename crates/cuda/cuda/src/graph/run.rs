//! Launching: the steps of a plan are done one after the other, by the code that does the same in a stream.
//!
//! The order is that of the plan; with `--schedule`, the seed chooses among the steps that the edges allow. Kernels use all threads of the
//! host, so that branches beside each other would gain nothing; only where a step waits for somebody, others that may run go on beside it. Each step is a
//! queue of its own for the race check, and an edge is an event between two of them, so that steps without an order are
//! told apart although they are done one after the other.

use super::exec::{Exec, Plan, Step};
use super::op::{KernelOp, Op};
use super::order::shuffled;
use super::queues::Queues;
use super::{device, name};
use crate::args::Answer;
use crate::call::say;
use crate::checks::{self, Stand};
use crate::context::{self, Context};
use crate::handle::Handle;
use crate::late::{self, Order};
use crate::memory::fill::fill;
use crate::refused::InProgram;
use crate::settings::settings;
use crate::{launch, stream};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_checks::race::Queue;
use texunit_cuda_abi::{CUresult, Refusal, graph_conditional_type, graph_instantiate_flag as flag};
use texunit_forms::Count;

/// Graphs that launch each other, one within the other.
const MAX_DEPTH: usize = 64;
/// Rounds of a loop after which it is taken to have no end.
const MAX_ROUNDS: u64 = 1_000_000_000;

/// Launches a graph in a stream, now or later. A wrong step is the answer of this call if it is done now; a fault of a
/// kernel ends the context, as that of a launch does.
pub(crate) fn launch(exec: &Arc<Exec>, order: &Order) -> Answer {
    // What is changed later is of later launches.
    let (exec, plan, place) = (Arc::clone(exec), exec.plan(), order.clone());
    let launch = Launch { order: place, tail: Mutex::default(), running: Mutex::default() };
    let (mut events, mut has_memory, mut may_wait) = (Vec::new(), false, false);
    plan.each(&mut |step| {
        has_memory |= step.op.has_memory();
        may_wait |= step.may_wait();
        if let Op::RecordEvent(event) = &step.op {
            events.push(event.number());
        }
        Ok(())
    })?;
    let keeps = late::keeps(order);
    if has_memory && keeps {
        // Whether its memory is there is what the next call asks.
        late::wait_before(order);
        order.context.check()?;
        return late::at_once(|| launch.whole(exec, plan));
    }
    if has_memory || !(keeps || may_wait && late::may_go_on()) {
        return launch.whole(exec, plan);
    }
    late::launch(order, move |works| {
        works?;
        launch.whole(exec, plan)
    })?;
    late::recorded_by_last(order, &events);
    Ok(())
}

/// What happens before the first step.
fn begin(plan: &Plan, flags: u64) -> Answer {
    let frees = flags & flag::AUTO_FREE_ON_LAUNCH != 0;
    plan.conditions.iter().try_for_each(|condition| condition.begin())?;
    plan.each(&mut |step| {
        match &step.op {
            Op::MemAlloc(op) => op.begin(frees)?,
            Op::Child(_) | Op::Conditional(_) => {
                let conditions = step.inner.iter().flat_map(|plan| &plan.conditions);
                conditions.into_iter().try_for_each(|condition| condition.begin())?;
            }
            _ => {}
        }
        Ok(())
    })
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch that is under way.
struct Launch {
    /// The stream.
    order: Order,
    /// Graphs that kernels have launched to be run when the one that runs has ended.
    tail: Mutex<VecDeque<Arc<Exec>>>,
    /// Handles of the graphs that run, each launched by a kernel of the one before.
    running: Mutex<Vec<usize>>,
}

impl Launch {
    /// Runs a graph, and those that its kernels have launched to come behind it.
    fn whole(&self, exec: Arc<Exec>, plan: Arc<Plan>) -> Answer {
        let mut next = Some((exec, plan));
        let mut rounds = 0;
        while let Some((exec, plan)) = next {
            self.one(&exec, &plan)?;
            let behind = locked(&self.tail).pop_front();
            next = behind.map(|exec| (Arc::clone(&exec), exec.plan()));
            rounds += 1;
            if rounds >= settings().max_steps.unwrap_or(MAX_ROUNDS) {
                return self.endless(format!(
                    "graphs have launched each other {}, and there is no end",
                    Count(rounds, "time")
                ));
            }
        }
        Ok(())
    }

    fn one(&self, exec: &Exec, plan: &Plan) -> Answer {
        let _running = exec.begin();
        begin(plan, exec.flags)?;
        locked(&self.running).push(exec.handle.number());
        let answer = self.run(plan, None);
        locked(&self.running).pop();
        answer
    }

    fn endless(&self, reason: String) -> Answer {
        say(format_args!("{reason}"));
        let refusal = CUresult::LAUNCH_TIMEOUT.because(reason);
        self.order.context.fail(refusal.clone());
        Err(refusal)
    }

    /// Runs the graphs that a kernel has launched, or keeps them for later.
    fn launched(&self, op: &KernelOp) -> Answer {
        for (handle, stream) in device::launches(op)? {
            let exec = Handle::<Exec>::of(handle as usize);
            let fits = exec.get().ok().filter(|exec| exec.flags & flag::DEVICE_LAUNCH != 0);
            let running = locked(&self.running).clone();
            let is_running = running.contains(&exec.number());
            let is_tail = stream == device::TAIL;
            let wrong = match &fits {
                None => Some(
                    "is not one that was instantiated with CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
                ),
                Some(_) if is_running && !is_tail => {
                    Some("runs already: only a tail launch can launch it once more")
                }
                Some(_) if running.len() >= MAX_DEPTH => {
                    Some("would be the 64th in a row of graphs that launch each other")
                }
                Some(_) if !device::STREAMS.contains(&stream) => {
                    Some("is launched in a stream that is not one of those for graphs")
                }
                Some(_) => None,
            };
            match (fits, wrong) {
                (Some(exec), None) if is_tail => locked(&self.tail).push_back(exec),
                (Some(exec), None) => self.one(&exec, &exec.plan())?,
                (_, wrong) => {
                    let reason = format!(
                        "kernel `{}` launches graph {exec:?}, which {}",
                        launch::shown(&op.function),
                        wrong.unwrap_or_default()
                    );
                    say(format_args!("{reason}"));
                    let refusal = CUresult::LAUNCH_FAILED.because(reason);
                    self.order.context.fail(refusal.clone());
                    return Err(refusal);
                }
            }
        }
        Ok(())
    }

    /// Does the steps of a plan, in a queue of the race check if it is not the stream's.
    fn run(&self, plan: &Plan, within: Option<Queue>) -> Answer {
        let outer = within.unwrap_or(self.order.queue);
        let queues = Queues::new(plan, outer);
        let one = |i: usize| -> Answer {
            let Some(step) = plan.steps.get(i) else { return Ok(()) };
            let queue = queues.as_ref().map_or(outer, |queues| queues.begin(step, i));
            // Of a node that kernels update, its record says whether it does anything.
            let is_updatable = matches!(&step.op, Op::Kernel(op) if op.updatable.is_some());
            if step.is_enabled || is_updatable {
                self.step(plan, step, queue).map_err(|refusal| told(plan, step, refusal))?;
            }
            if let Some(queues) = &queues {
                queues.end(i);
            }
            Ok(())
        };
        let order: Vec<usize> = match settings().schedule {
            None => (0..plan.steps.len()).collect(),
            Some(seed) => shuffled(plan, seed ^ u64::from(plan.graph)),
        };
        let may_wait = |i: usize| plan.steps.get(i).is_some_and(Step::may_wait);
        if late::may_go_on() && order.len() > 1 && order.iter().any(|&i| may_wait(i)) {
            late::branches(&order, |i| &plan.steps[i].before, may_wait, one)?;
        } else {
            order.iter().copied().try_for_each(one)?;
        }
        if let Some(queues) = &queues {
            super::conflicts::tell(plan, &order, &queues.own);
        }
        Ok(())
    }

    fn order(&self, context: Arc<Context>, queue: Queue) -> Order {
        Order::on(context, queue)
    }

    fn step(&self, plan: &Plan, step: &Step, queue: Queue) -> Answer {
        self.order.context.check()?;
        match &step.op {
            Op::Empty => Ok(()),
            Op::Kernel(op) => {
                op.context.check()?;
                let (stand, graph) = (Stand::now(queue), locked(&self.running).last().copied());
                let graph = graph.unwrap_or_default() as u64;
                let Some((shape, params)) = op.updated()? else { return Ok(()) };
                launch::run((&op.context, &op.function), &shape, &params, stand, graph)?;
                self.launched(op)
            }
            Op::Work(task, context) => {
                let context = alive(*context)?;
                task.run(&context, &Stand::now(queue)).inspect_err(|refusal| {
                    if refusal.code != CUresult::OUT_OF_MEMORY {
                        context.fail(refusal.clone());
                    }
                })
            }
            Op::Memcpy(op) => {
                let order = self.order(alive(op.context)?, queue);
                // SAFETY: the program has promised that its memory is there when the node is run.
                unsafe { crate::api::copy_box::copy_3d(&op.copy, &order) }
            }
            Op::Copies(op) => op.run(&self.order(alive(op.context)?, queue)),
            Op::Memset(op) => {
                let order = self.order(alive(Handle::of(op.ctx))?, queue);
                let pattern = &op.value.to_le_bytes()[..op.elementSize as usize];
                fill(op.dst, op.pitch, pattern, [op.width, op.height], &order).map(|_| ())
            }
            Op::Host(op) => {
                // SAFETY: the program gave a function where it said one, and it is not null.
                let function = unsafe {
                    std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void)>(op.function)
                };
                let inside = InProgram::enter();
                // SAFETY: the program's function, called as the driver would.
                unsafe { function(std::ptr::with_exposed_provenance_mut(op.userData as usize)) };
                drop(inside);
                Ok(())
            }
            Op::RecordEvent(event) => {
                stream::record(*event, &self.order(Arc::clone(&self.order.context), queue));
                Ok(())
            }
            Op::WaitEvent(event) => {
                if let Some(race) = checks::race() {
                    race.event_waited(event.number() as u64, Some(queue));
                }
                Ok(())
            }
            Op::MemAlloc(op) => op.run(&self.order.context),
            Op::MemFree(dptr) => super::memory::free(*dptr, Some(&Stand::now(queue))),
            Op::Batch(op) => op.run(queue),
            Op::Child(_) => step.inner.iter().try_for_each(|inner| self.run(inner, Some(queue))),
            Op::Conditional(op) => self.conditional(plan, step, op, queue),
        }
    }

    fn conditional(
        &self,
        plan: &Plan,
        step: &Step,
        op: &super::condition::ConditionalOp,
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
            if rounds >= most || !sets_condition(body) {
                let name = name::of_node(step.id, &step.op, plan.graph);
                return self.endless(format!(
                    "{name} has run its body {}, and its condition is still not 0: it has no end",
                    Count(rounds, "time")
                ));
            }
        }
        Ok(())
    }
}

/// Whether a body has anything that could change a condition.
fn sets_condition(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| match &step.op {
        Op::Kernel(_) => step.is_enabled,
        _ => step.inner.iter().any(|plan| sets_condition(plan)),
    })
}

fn alive(context: Handle<Context>) -> Answer<Arc<Context>> {
    context::alive(context, "the context of the node")
}

/// What is wrong with a step, with its name. A fault that has ended the context says so itself.
fn told(plan: &Plan, step: &Step, refusal: Refusal) -> Refusal {
    let is_told = matches!(step.op, Op::Child(_) | Op::Conditional(_));
    match is_told {
        true => refusal,
        false => refusal.within(|| name::of_node(step.id, &step.op, plan.graph), &[]),
    }
}
