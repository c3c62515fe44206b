//! Graph launches in the race detector: each step is a queue, and each edge an event between two of
//! them. Races of copies and memory sets, with each other and with kernels that ran after them.
//!
//! A copy after a kernel is checked against the kernel's shadow memory when it is done. Copies
//! leave no trace in shadow memory, so that their ranges are compared after the graph has run.

use super::*;
use crate::check_log::{event_of, fresh_queue};
use crate::checks;

/// Maximum number of rows that are compared one by one; of a larger region the gaps between rows
/// count as accessed, too.
const MAX_ROWS: usize = 1 << 12;

/// Address, size in bytes, and whether the range is written.
type Range = (u64, u64, bool);

fn rows(
    ranges: &mut Vec<Range>,
    (start, pitch, slice): (u64, u64, u64),
    [width, height, depth]: [usize; 3],
    writes: bool,
) {
    let is_packed =
        (height <= 1 || pitch == width as u64) && (depth <= 1 || slice == (width * height) as u64);
    if is_packed || height.saturating_mul(depth) > MAX_ROWS {
        let last = slice
            .saturating_mul(depth as u64 - 1)
            .saturating_add(pitch.saturating_mul(height as u64 - 1));
        ranges.push((start, last.saturating_add(width as u64), writes));
        return;
    }
    for z in 0..depth as u64 {
        for y in 0..height as u64 {
            ranges.push((start + z * slice + y * pitch, width as u64, writes));
        }
    }
}

/// The memory ranges that a step copies or sets.
fn ranges(step: &Step) -> Vec<Range> {
    let mut ranges = Vec::new();
    match &step.op {
        Op::Copies(op) => ranges.extend(op.ranges()),
        Op::Memcpy(op) => {
            let size = [op.copy.width_in_bytes, op.copy.height, op.copy.depth];
            for (side, writes) in [(&op.copy.src, false), (&op.copy.dst, true)] {
                if side.memory_type == CU_MEMORYTYPE_ARRAY {
                    continue;
                }
                let is_host = side.memory_type == CU_MEMORYTYPE_HOST;
                let (pitch, height) = (side.pitch as u64, side.height as u64);
                let slice = pitch.saturating_mul(height);
                let start = [(slice, side.z), (pitch, side.y), (1, side.x_in_bytes)]
                    .map(|(stride, count)| stride.saturating_mul(count as u64))
                    .into_iter()
                    .fold(if is_host { side.host } else { side.device }, u64::saturating_add);
                rows(&mut ranges, (start, pitch, slice), size, writes);
            }
        }
        Op::Memset(op) => {
            let size = [op.width * op.elementSize as usize, op.height, 1];
            rows(&mut ranges, (op.dst, op.pitch as u64, 0), size, true);
        }
        _ => {}
    }
    ranges
}

/// Steps that are ordered with a step by a path of edges, in one direction.
fn ordered(plan: &Plan, after: &[Vec<usize>], step: usize) -> HashSet<usize> {
    let mut seen = HashSet::from([step]);
    for is_before in [true, false] {
        let mut open = vec![step];
        while let Some(i) = open.pop() {
            let next: Vec<usize> = match is_before {
                true => plan.steps[i].before.iter().map(|&i| i as usize).collect(),
                false => after[i].clone(),
            };
            open.extend(next.into_iter().filter(|&next| seen.insert(next)));
        }
    }
    seen
}

/// Reports races between copies and memory sets, given the executed order of the steps and the
/// queue of each.
pub(super) fn report(plan: &Plan, order: &[usize], queues: &[Queue]) {
    let ranges: Vec<Vec<Range>> = plan.steps.iter().map(ranges).collect();
    if ranges.iter().all(Vec::is_empty) {
        return;
    }
    let after = plan.after();
    let name = |i: usize| {
        let step = &plan.steps[i];
        step.op.node_name(step.id, plan.graph)
    };
    for (at, &i) in order.iter().enumerate() {
        if ranges[i].is_empty() || !plan.steps[i].is_enabled {
            continue;
        }
        let known = ordered(plan, &after, i);
        let is_later = |j: &usize| !known.contains(j) && plan.steps[*j].is_enabled;
        let later: Vec<usize> = order[at + 1..].iter().copied().filter(is_later).collect();
        for &j in &later {
            let both = ranges[i].iter().flat_map(|a| ranges[j].iter().map(move |b| (a, b)));
            let meets = |(a, b): &(&Range, &Range)| {
                (a.2 || b.2) && a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
            };
            let mut both = both.filter(meets);
            if let Some((a, b)) = both.next() {
                checks::copies_race((name(i), a.2), (name(j), b.2), a.0.max(b.0));
            }
        }
        let kernels = later.iter().filter(|&&j| matches!(plan.steps[j].op, Op::Kernel(_)));
        let kernels: Vec<Queue> = kernels.map(|&j| queues[j]).collect();
        if kernels.is_empty() {
            continue;
        }
        for &(address, len, writes) in &ranges[i] {
            checks::copied_before(&kernels, (address, len), writes, &name(i));
        }
    }
}

/// The race detector's queues for the steps of a plan.
pub(super) struct Queues {
    race: &'static texunit_checks::race::Memory,
    outer: Queue,
    pub(super) own: Vec<Queue>,
    /// Steps that depend on each step.
    after: Vec<Vec<usize>>,
}

impl Queues {
    /// Queues for a plan; `None` if races are not checked.
    pub(super) fn new(plan: &Plan, outer: Queue) -> Option<Self> {
        let race = crate::check_log::race()?;
        let own: Vec<Queue> = plan.steps.iter().map(|_| fresh_queue()).collect();
        for (step, queue) in plan.steps.iter().zip(&own) {
            race.streams().named(*queue, step.op.node_name(step.id, plan.graph));
        }
        Some(Self { race, outer, own, after: plan.after() })
    }

    /// Begins a step, which waits for its dependencies.
    pub(super) fn begin(&self, step: &Step, i: usize) -> Queue {
        let queue = self.own[i];
        if step.before.is_empty() {
            let event = event_of(queue);
            self.race.streams().record(event, self.outer);
            self.race.streams().wait(event, Some(queue));
        }
        for &before in &step.before {
            self.race.streams().wait(event_of(self.own[before as usize]), Some(queue));
        }
        queue
    }

    pub(super) fn end(&self, i: usize) {
        self.race.streams().record(event_of(self.own[i]), self.own[i]);
    }

    /// Ends the queues: later work of the outer queue is ordered after all steps.
    pub(super) fn finish(&self) {
        for (&queue, after) in self.own.iter().zip(&self.after) {
            if after.is_empty() {
                self.race.streams().wait(event_of(queue), Some(self.outer));
            }
            self.race.streams().end_event(event_of(queue));
            self.race.streams().end_stream(queue);
        }
    }
}
