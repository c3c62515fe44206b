//! Graph launches in the race detector: each step is a queue, and each edge an event between two of
//! them.

use super::*;

/// A queue without other work.
fn fresh_queue() -> Queue {
    /// Queue numbers of graph nodes, above all stream handles and below the numbers of per-thread
    /// default streams.
    static NEXT: AtomicU64 = AtomicU64::new(1 << 62);
    Queue::new(NEXT.fetch_add(1, Relaxed), false)
}

fn number(queue: Queue) -> u64 {
    queue.own.map_or(0, |(id, _)| id)
}

/// The race detector's queues for the steps of a plan.
pub(super) struct Queues {
    race: &'static texunit_checks::race::Memory,
    outer: Queue,
    pub(super) own: Vec<Queue>,
    is_last: Vec<bool>,
}

impl Queues {
    /// Queues for a plan; `None` if races are not checked.
    pub(super) fn new(plan: &Plan, outer: Queue) -> Option<Self> {
        let race = crate::check_log::race()?;
        let own: Vec<Queue> = plan.steps.iter().map(|_| fresh_queue()).collect();
        for (step, queue) in plan.steps.iter().zip(&own) {
            race.streams().named(*queue, step.op.node_name(step.id, plan.graph));
        }
        Some(Self { race, outer, own, is_last: plan.ends() })
    }

    /// Begins a step, which waits for its dependencies.
    pub(super) fn begin(&self, step: &Step, i: usize) -> Queue {
        let queue = self.own[i];
        if step.before.is_empty() {
            let event = number(queue);
            self.race.streams().record(event, self.outer);
            self.race.streams().wait(event, Some(queue));
        }
        for &before in &step.before {
            self.race.streams().wait(number(self.own[before as usize]), Some(queue));
        }
        queue
    }

    pub(super) fn end(&self, i: usize) {
        self.race.streams().record(number(self.own[i]), self.own[i]);
    }

    /// Ends the queues: later work of the outer queue is ordered after all steps.
    pub(super) fn finish(&self) {
        for (&queue, &is_last) in self.own.iter().zip(&self.is_last) {
            if is_last {
                self.race.streams().wait(number(queue), Some(self.outer));
            }
            self.race.streams().end_event(number(queue));
            self.race.streams().end_stream(queue);
        }
    }
}
