//! Execution of steps along their edges: unordered steps run concurrently on idle host threads, and
//! beside steps that wait.
//!
//! The calling thread executes the first ready step; helpers execute further ready steps as long as
//! host threads are left. With one host thread, steps are executed one after the other in their
//! order, and a helper is called only when all running steps wait for other work.

use super::waiting_launches::{Counted, WaitNotice, notified, run_in_thread, wait_notice};
use super::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A step's requirements, besides the steps that it depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepNeeds {
    /// Number of host threads that the step keeps busy.
    pub(crate) threads: usize,
    /// Whether the calling thread executes the step, unless that thread waits.
    pub(crate) is_pinned: bool,
}

type Work = dyn Fn(usize) -> Answer + Send + Sync;

/// Steps in execution.
struct Branches {
    work: Box<Work>,
    needs: Vec<StepNeeds>,
    /// Steps that depend on each step.
    after: Vec<Vec<usize>>,
    /// Number of host threads.
    threads: usize,
    /// Callback of the outer run, for the notice that all running steps wait.
    outer: Option<WaitNotice>,
    state: Mutex<State>,
    /// Notified when the calling thread has something to do.
    news: Condvar,
}

#[derive(Default)]
struct State {
    /// Number of unfinished steps that each step depends on.
    open: Vec<usize>,
    /// Ready steps that any thread may execute, the first one on top.
    ready: BinaryHeap<Reverse<usize>>,
    /// Ready steps that are pinned.
    pinned: BinaryHeap<Reverse<usize>>,
    /// Running steps, and whether each waits.
    running: Vec<(usize, bool)>,
    /// The step that the calling thread executes.
    callers: Option<usize>,
    /// Whether the calling thread sleeps.
    caller_sleeps: bool,
    /// Whether a helper has been called that has not begun yet.
    is_called: bool,
    /// The first refusal, which stops further steps.
    refusal: Option<Refusal>,
}

/// Executes steps by `work`, each after the steps that `before` lists for it. Returns when all have
/// ended; the first refusal is the result and stops further steps.
pub(crate) fn branches<'p>(
    before: impl Iterator<Item = &'p [u32]>,
    needs: Vec<StepNeeds>,
    threads: usize,
    work: impl Fn(usize) -> Answer + Send + Sync + 'static,
) -> Answer {
    let (mut open, mut after) = (Vec::with_capacity(needs.len()), vec![Vec::new(); needs.len()]);
    for (i, before) in before.enumerate() {
        before.iter().for_each(|&before| after[before as usize].push(i));
        open.push(before.len());
    }
    let mut state = State { open, ..State::default() };
    for i in 0..needs.len() {
        if state.open[i] == 0 {
            state.add(i, &needs);
        }
    }
    let (work, outer, state) = (Box::new(work), wait_notice(), Mutex::new(state));
    Arc::new(Branches { work, needs, after, threads, outer, state, news: Condvar::new() }).run()
}

impl State {
    fn add(&mut self, i: usize, needs: &[StepNeeds]) {
        let list = if needs[i].is_pinned { &mut self.pinned } else { &mut self.ready };
        list.push(Reverse(i));
    }

    /// The list with the next step for the calling thread or a helper.
    fn next(&mut self, is_caller: bool) -> Option<&mut BinaryHeap<Reverse<usize>>> {
        let caller_waits = self.callers.is_some_and(|of| self.running.contains(&(of, true)));
        let [first, pinned] = [self.ready.peek(), self.pinned.peek()].map(|i| i.map(|i| i.0));
        match (first, pinned.filter(|_| is_caller || caller_waits)) {
            _ if self.refusal.is_some() => None,
            (Some(first), Some(pinned)) if first < pinned => Some(&mut self.ready),
            (_, Some(_)) => Some(&mut self.pinned),
            (first, None) => first.map(|_| &mut self.ready),
        }
    }
}

impl Branches {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Takes the next step, if enough host threads are idle.
    fn take(&self, state: &mut State, is_caller: bool) -> Option<usize> {
        let i = self.fitting(state, is_caller)?;
        state.next(is_caller)?.pop();
        state.running.push((i, false));
        if is_caller {
            (state.callers, state.caller_sleeps) = (Some(i), false);
        }
        Some(i)
    }

    fn fitting(&self, state: &mut State, is_caller: bool) -> Option<usize> {
        let active = state.running.iter().filter(|(_, waits)| !waits);
        let used: usize = active.map(|&(i, _)| self.needs[i].threads).sum();
        let Reverse(i) = *state.next(is_caller)?.peek()?;
        (used == 0 || used + self.needs[i].threads <= self.threads).then_some(i)
    }

    /// Wakes a thread for a step that can begin, or tells the outer run that all steps wait.
    fn changed(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let is_over = state.running.is_empty();
        if state.caller_sleeps && (is_over || self.fitting(&mut state, true).is_some()) {
            state.caller_sleeps = false;
            self.news.notify_one();
        } else if self.fitting(&mut state, false).is_some() {
            if !std::mem::replace(&mut state.is_called, true) {
                drop(state);
                self.call_helper();
            }
        } else if !is_over && state.running.iter().all(|&(_, waits)| waits) {
            drop(state);
            self.outer.iter().for_each(|told| (told.0)());
        }
    }

    fn call_helper(self: &Arc<Self>) {
        let all = Arc::clone(self);
        let job = move || {
            let _counted = Counted::item();
            let mut state = all.state();
            state.is_called = false;
            while let Some(i) = all.take(&mut state, false) {
                all.changed(state);
                state = at_once(|| all.one(i));
            }
            all.changed(state);
        };
        // Without a thread, the steps are executed when the running ones have ended.
        if run_in_thread(Box::new(job)).is_err() {
            self.state().is_called = false;
        }
    }

    /// Executes a step that was taken.
    fn one(self: &Arc<Self>, i: usize) -> MutexGuard<'_, State> {
        let all = Arc::clone(self);
        let waits = move || {
            let mut state = all.state();
            let own = state.running.iter_mut().find(|(other, _)| *other == i);
            own.into_iter().for_each(|(_, waits)| *waits = true);
            all.changed(state);
        };
        let work = || {
            let _call = crate::host_access::called();
            (self.work)(i)
        };
        let notice = WaitNotice(Arc::new(waits));
        let answer = catch_unwind(AssertUnwindSafe(|| notified(notice, work)));
        let mut state = self.state();
        state.running.retain(|&(other, _)| other != i);
        state.callers = state.callers.filter(|&of| of != i);
        if state.refusal.is_none() {
            let ended = |_| Err(CUresult::UNKNOWN.because("a step of the graph has panicked"));
            state.refusal = answer.unwrap_or_else(ended).err();
        }
        for &next in &self.after[i] {
            state.open[next] -= 1;
            if state.open[next] == 0 {
                state.add(next, &self.needs);
            }
        }
        state
    }

    /// Executes steps in the calling thread until all have ended.
    fn run(self: &Arc<Self>) -> Answer {
        let mut state = self.state();
        loop {
            if let Some(i) = self.take(&mut state, true) {
                self.changed(state);
                state = self.one(i);
            } else if state.running.is_empty() {
                return state.refusal.take().map_or(Ok(()), Err);
            } else if !std::mem::replace(&mut state.caller_sleeps, true) {
                // Tells the outer run if all running steps wait. The state is looked at again,
                // because steps may end meanwhile.
                self.changed(state);
                state = self.state();
            } else {
                let _blocked = Counted::blocked();
                state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.caller_sleeps = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;
