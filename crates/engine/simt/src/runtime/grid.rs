//! Pending work that the threads of a grid have submitted, with its dependencies.

use super::{Caller, MAX_DEPTH, Shape, Task, Work, code};
use crate::launch::KernelId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_forms::sort_by_key;

/// Maximum number of streams and of events of a grid.
const MAX_HANDLES: usize = 1 << 16;

/// Handles of the predefined streams of every grid (`cudaStreamLegacy`, `cudaStreamPerThread`,
/// `cudaStreamTailLaunch`, `cudaStreamFireAndForget`).
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;
const TAIL_LAUNCH: u64 = 3;
const FIRE_AND_FORGET: u64 = 4;

/// A running grid with the work that its threads have submitted.
#[derive(Debug)]
pub struct Grid {
    /// Nesting depth: 0 for a grid launched by the host.
    depth: u32,
    /// Number of pending launches of the grids that this grid descends from, and the maximum number
    /// of all pending launches.
    outstanding: usize,
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the next work item.
    next: u64,
    /// Parameter buffers that threads have allocated, by address.
    buffers: BTreeMap<u64, Prepared>,
    /// Pending work items, by CTA number and item number.
    kept: BTreeMap<(u64, u64), Work>,
    open: HashSet<u64>,
    /// For each stream: the items that the next item depends on.
    ends: HashMap<Queue, Vec<u64>>,
    streams: HashSet<u64>,
    /// Events, each with the items that it was recorded after.
    events: HashMap<u64, Vec<u64>>,
}

/// Kernel and launch shape of an allocated parameter buffer, if they are known.
pub(crate) type Prepared = Option<(KernelId, Shape)>;

/// The queue that orders a work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Queue {
    /// The default stream of a CTA.
    Block(u64),
    /// The default stream of a thread, by CTA and thread number.
    Thread(u64, u32),
    /// A stream that was created by a thread.
    Own(u64),
    /// Tail launches, which run after the end of the grid.
    Tail,
    /// The item is not ordered (fire and forget).
    None,
}

/// A stream as a thread names it, with the naming thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) stream: u64,
    pub(crate) is_per_thread: bool,
    pub(crate) cta: u64,
    pub(crate) thread: u32,
}

impl Grid {
    /// The grid of a launch by the host; at most `limit` launches of it and its descendants may be
    /// pending.
    pub fn new(limit: usize) -> Self {
        Self { depth: 0, outstanding: 0, limit, state: Mutex::default() }
    }

    /// The grid of a launch by a thread of this grid, while `outstanding` launches of this grid are
    /// pending.
    #[must_use]
    pub fn child(&self, outstanding: usize) -> Self {
        Self {
            depth: self.depth + 1,
            outstanding: self.outstanding + outstanding,
            limit: self.limit,
            state: Mutex::default(),
        }
    }

    /// Nesting depth of the grid.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another level of nesting is allowed.
    pub(crate) fn check_depth(&self) -> Result<(), u32> {
        if self.depth >= MAX_DEPTH { Err(code::LAUNCH_MAX_DEPTH_EXCEEDED) } else { Ok(()) }
    }

    /// Records a parameter buffer that a thread has allocated.
    pub(crate) fn prepare(&self, address: u64, prepared: Prepared) {
        self.state().buffers.insert(address, prepared);
    }

    /// Removes a parameter buffer that a thread releases.
    pub(crate) fn take_buffer(&self, address: u64) -> Option<Prepared> {
        self.state().buffers.remove(&address)
    }

    /// Removes all parameter buffers that were not released, for freeing them.
    pub(crate) fn take_buffers(&self) -> impl Iterator<Item = u64> + use<> {
        std::mem::take(&mut self.state().buffers).into_keys()
    }

    /// Adds a work item to a stream and returns its number.
    pub(crate) fn submit(&self, target: Target, caller: Caller, task: Task) -> Result<u64, u32> {
        let mut state = self.state();
        let queue = state.queue(target)?;
        if self.outstanding + state.kept.len() >= self.limit {
            return Err(code::LAUNCH_PENDING_COUNT_EXCEEDED);
        }
        let id = state.next;
        state.next += 1;
        let after = state.end(queue);
        if !matches!(queue, Queue::None | Queue::Tail) {
            state.ends.insert(queue, vec![id]);
        }
        state.open.insert(id);
        let work = Work { id, after, is_tail: queue == Queue::Tail, caller, task };
        state.kept.insert((target.cta, id), work);
        Ok(id)
    }

    /// Creates a stream of the grid.
    pub(crate) fn create_stream(&self) -> Result<u64, u32> {
        let mut state = self.state();
        let handle = fresh(state.streams.len())?;
        state.streams.insert(handle);
        Ok(handle)
    }

    /// Destroys a stream; its pending work is still executed.
    pub(crate) fn destroy_stream(&self, stream: u64) -> Result<(), u32> {
        let mut state = self.state();
        state.ends.remove(&Queue::Own(stream));
        if state.streams.remove(&stream) { Ok(()) } else { Err(code::INVALID_RESOURCE_HANDLE) }
    }

    pub(crate) fn create_event(&self) -> Result<u64, u32> {
        let mut state = self.state();
        let handle = fresh(state.events.len())?;
        state.events.insert(handle, Vec::new());
        Ok(handle)
    }

    pub(crate) fn destroy_event(&self, event: u64) -> Result<(), u32> {
        self.state().events.remove(&event).map(|_| ()).ok_or(code::INVALID_RESOURCE_HANDLE)
    }

    pub(crate) fn record(&self, event: u64, target: Target) -> Result<(), u32> {
        let mut state = self.state();
        let queue = state.queue(target)?;
        let end = state.end(queue);
        *state.events.get_mut(&event).ok_or(code::INVALID_RESOURCE_HANDLE)? = end;
        Ok(())
    }

    pub(crate) fn wait(&self, target: Target, event: u64) -> Result<(), u32> {
        let mut state = self.state();
        let queue = state.queue(target)?;
        let prior_items = state.events.get(&event).ok_or(code::INVALID_RESOURCE_HANDLE)?.clone();
        let mut end = state.end(queue);
        end.extend(prior_items.into_iter().filter(|id| state.open.contains(id)));
        sort_by_key(&mut end, |&id| id);
        end.dedup();
        state.ends.insert(queue, end);
        Ok(())
    }

    /// Removes all work to be executed after the end of the grid, in order of execution.
    pub fn take(&self) -> Vec<Work> {
        let mut state = self.state();
        let mut all = state.take(|work| !work.is_tail);
        all.extend(state.take(|_| true));
        all
    }

    /// Removes the work submitted by the threads of a CTA and its dependencies, except tail
    /// launches.
    pub(crate) fn take_of(&self, cta: u64) -> Vec<Work> {
        let mut state = self.state();
        let own = state.kept.iter().filter(|((of, _), work)| *of == cta && !work.is_tail);
        let mut wanted: HashSet<u64> = own.map(|((_, id), _)| *id).collect();
        // A work item depends only on items with lower numbers.
        let mut all: Vec<(u64, Vec<u64>)> =
            state.kept.values().map(|work| (work.id, work.after.clone())).collect();
        sort_by_key(&mut all, |(id, _)| std::cmp::Reverse(*id));
        for (id, after) in all {
            if wanted.contains(&id) {
                wanted.extend(after);
            }
        }
        state.take(|work| wanted.contains(&work.id))
    }
}

/// A handle that was not used for any stream or event before, if a grid may have another.
fn fresh(existing: usize) -> Result<u64, u32> {
    static NEXT: AtomicU64 = AtomicU64::new(0x1000);
    if existing >= MAX_HANDLES {
        return Err(code::MEMORY_ALLOCATION);
    }
    Ok(NEXT.fetch_add(16, Relaxed))
}

impl State {
    fn queue(&self, Target { stream, is_per_thread, cta, thread }: Target) -> Result<Queue, u32> {
        Ok(match stream {
            0 if is_per_thread => Queue::Thread(cta, thread),
            0 | LEGACY => Queue::Block(cta),
            PER_THREAD => Queue::Thread(cta, thread),
            TAIL_LAUNCH => Queue::Tail,
            FIRE_AND_FORGET => Queue::None,
            own if self.streams.contains(&own) => Queue::Own(own),
            _ => return Err(code::INVALID_RESOURCE_HANDLE),
        })
    }

    /// The pending items that the next item of a stream depends on.
    fn end(&self, queue: Queue) -> Vec<u64> {
        let end = self.ends.get(&queue).into_iter().flatten();
        end.copied().filter(|id| self.open.contains(id)).collect()
    }

    /// Removes work items: by CTA in order of submission, each after its dependencies.
    fn take(&mut self, is_wanted: impl Fn(&Work) -> bool) -> Vec<Work> {
        let mut out = Vec::new();
        loop {
            let before = out.len();
            let keys: Vec<(u64, u64)> = self.kept.keys().copied().collect();
            for key in keys {
                let waits = |id: &u64| self.open.contains(id);
                let is_ready = |work: &Work| is_wanted(work) && !work.after.iter().any(waits);
                if self.kept.get(&key).is_some_and(is_ready)
                    && let Some(work) = self.kept.remove(&key)
                {
                    self.open.remove(&work.id);
                    out.push(work);
                }
            }
            if out.len() == before {
                return out;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::runtime::Pitched;

    fn caller() -> Caller {
        let (cta, thread, calls) = ([0; 3], [0; 3], Vec::new());
        Caller { kernel: "k".to_owned(), cta, thread, span: Default::default(), calls }
    }

    fn task() -> Task {
        Task::Fill { to: Pitched { address: 0, row: 0, slice: 0 }, value: 0, extent: [0; 3] }
    }

    fn target(stream: u64, cta: u64) -> Target {
        Target { stream, is_per_thread: false, cta, thread: 0 }
    }

    fn order(work: &[Work]) -> Vec<u64> {
        work.iter().map(|work| work.id).collect()
    }

    #[test]
    fn ctas_come_in_their_order_and_tails_last() {
        let grid = Grid::new(8);
        let all =
            [(TAIL_LAUNCH, 0), (0, 1), (0, 0), (FIRE_AND_FORGET, 0), (0, 1), (TAIL_LAUNCH, 1)];
        for (stream, cta) in all {
            grid.submit(target(stream, cta), caller(), task()).unwrap();
        }
        assert_eq!(order(&grid.take()), [2, 3, 1, 4, 0, 5]);
        assert!(grid.take().is_empty());
    }

    #[test]
    fn streams_and_events_order_work_of_several_ctas() {
        let grid = Grid::new(100);
        let (a, b) = (grid.create_stream().unwrap(), grid.create_stream().unwrap());
        let event = grid.create_event().unwrap();
        // The CTA with the higher number uses stream `a` first.
        grid.submit(target(a, 1), caller(), task()).unwrap();
        grid.submit(target(a, 0), caller(), task()).unwrap();
        grid.record(event, target(a, 0)).unwrap();
        grid.wait(target(b, 0), event).unwrap();
        grid.submit(target(b, 0), caller(), task()).unwrap();
        grid.submit(target(0, 0), caller(), task()).unwrap();
        assert_eq!(order(&grid.take_of(2)), [] as [u64; 0]);
        let work = grid.take_of(0);
        assert_eq!(order(&work), [3, 0, 1, 2]);
        assert_eq!(work[3].after, [1]);
        assert!(grid.take().is_empty());
    }

    #[test]
    fn limits_and_wrong_handles() {
        let grid = Grid::new(2);
        let submit =
            |grid: &Grid, stream| grid.submit(target(stream, 0), caller(), task()).map(|_| ());
        assert_eq!(submit(&grid, 99), Err(code::INVALID_RESOURCE_HANDLE));
        assert_eq!((submit(&grid, 0), submit(&grid, 0)), (Ok(()), Ok(())));
        assert_eq!(submit(&grid, 0), Err(code::LAUNCH_PENDING_COUNT_EXCEEDED));
        let child = grid.child(1);
        assert_eq!(child.depth(), 1);
        assert_eq!(submit(&child, 0), Ok(()));
        assert_eq!(submit(&child, 0), Err(code::LAUNCH_PENDING_COUNT_EXCEEDED));
        let stream = grid.create_stream().unwrap();
        // It is a stream of the parent's.
        assert_eq!(submit(&child, stream), Err(code::INVALID_RESOURCE_HANDLE));
        assert_eq!(grid.destroy_stream(stream), Ok(()));
        assert_eq!(grid.destroy_stream(stream), Err(code::INVALID_RESOURCE_HANDLE));
        assert_eq!(grid.wait(target(0, 0), 5), Err(code::INVALID_RESOURCE_HANDLE));
    }
}
