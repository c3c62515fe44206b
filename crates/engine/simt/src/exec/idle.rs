//! Detects CTAs that wait in a loop for a store by the host, another launch or another CTA.
//!
//! If the warps of a CTA return to an earlier state without a side effect in between (a store to
//! global memory, printed text), the CTA repeats the same steps until another thread changes
//! memory, because registers, program counters, call frames, local and shared memory determine its
//! next steps together with global memory. Such a CTA waits, whatever the form of its loop. The
//! decision does not depend on time.
//!
//! States are compared by a hash, in rare rounds (after [`FIRST`] rounds, twice as many, and so
//! on). When a state recurs, the CTA is interpreted while its stores and the addresses that it
//! loads from are traced, until the state recurs again. The instructions of a waiting CTA are not
//! counted, because their number depends on other threads.
//!
//! A loop that counts its iterations or reads a clock has no state that recurs. If the trace shows
//! that its CTA only looks at a few places of global memory, the CTA probably waits, too: it takes
//! turns with other CTAs, but does not count as waiting. A loop with side effects may wait as well
//! (a server with a heartbeat). [`crate::ExternalWriters`] are told of CTAs of all these kinds, so
//! that the host can continue.

pub(super) mod state;

use super::cluster::state::Barrier;
use super::compiled::state::Compiled;
use super::context::{Context, Cta};
use super::counters::Done;
use super::warp::{Warp, lanes};
use crate::fault::Described;
use crate::launch::split_shared_address;
use crate::waiting::{PolledMemory, WaitingLoop};
use std::hash::{DefaultHasher, Hash, Hasher};
use texunit_memory::{SHARED_WINDOW, SpaceKind, space_of};

/// Number of rounds after which a CTA is first checked for a state that recurs.
const FIRST: u64 = 1024;
/// Number of warp instructions of the CTA that count as a round.
const INSTRUCTIONS: u64 = 2048;
/// Age from which a CTA of any kind may wait for the host: some 8 million instructions of warps.
const LONG: u64 = 4 * FIRST;
/// Number of rounds after which a CTA that has stopped waiting is checked for a recurring state
/// again.
const SOON: u64 = 2;
/// Number of rounds within which a recorded state must recur.
const PERIOD: u32 = 16;
/// Number of turns after which a CTA in [`Stage::Shares`] is checked for a recurring state again.
const TURNS: u32 = 1024;

/// Detects whether a CTA waits.
pub(super) struct WaitDetector<'a> {
    /// Rounds since the CTA's start or last progress, and the worker's instruction count at that
    /// time.
    rounds: u64,
    from: u64,
    /// Age of the CTA in rounds at which the next check for a recurring state begins.
    next: u64,
    stage: Stage<'a>,
}

enum Stage<'a> {
    /// The CTA is not suspected to wait, and none of its states is recorded.
    Runs,
    /// The hash `state` of a state was recorded. The state may recur in the `left` remaining
    /// rounds.
    Seen { state: u64, left: u32 },
    /// The recorded state has recurred. The `left` remaining rounds are traced, to find whether the
    /// state recurs again without side effects; the CTA then waits. `polls`: number of recurrences
    /// that were traced.
    Traced { saved: SavedState<'a>, left: u32, polls: u64 },
    /// The recorded state has not recurred. The `left` remaining rounds are traced, to find whether
    /// the CTA only polls a few addresses.
    Probed { compiled: Option<Compiled<'a>>, left: u32 },
    /// The CTA polls memory without a recurring state, and takes turns with other CTAs of its
    /// worker.
    Shares { left: u32 },
}

/// The hash of a CTA's state when it recurred, and the compiled code and counters that are restored
/// when the CTA stops waiting.
struct SavedState<'a> {
    state: u64,
    compiled: Option<Compiled<'a>>,
    executed: Done,
    /// For each warp, its step count and the step at which its turn ends.
    steps: Vec<(u64, u64)>,
}

impl Default for WaitDetector<'_> {
    fn default() -> Self {
        Self { rounds: 0, from: 0, next: FIRST, stage: Stage::Runs }
    }
}

impl<'a> WaitDetector<'a> {
    /// How often the state of a waiting CTA has recurred; `None` if the CTA does not wait.
    pub(super) fn polls(&self) -> Option<u64> {
        match &self.stage {
            Stage::Traced { polls: polls @ 1.., .. } => Some(*polls),
            _ => None,
        }
    }

    /// Whether the CTA polls memory without a recurring state, so that it may wait for other CTAs.
    pub(super) fn shares(&self) -> bool {
        matches!(self.stage, Stage::Shares { .. })
    }

    /// Whether the CTA is being checked for waiting.
    pub(super) fn is_checking(&self, context: &Context<'_>) -> bool {
        !matches!(self.stage, Stage::Runs | Stage::Shares { .. }) || self.age(context) >= self.next
    }

    /// Called at the end of a round. Returns true if the CTA waits, or may wait, and other CTAs may
    /// run first.
    #[inline]
    pub(super) fn round(&mut self, context: &mut Context<'a>, warps: &mut [Warp]) -> bool {
        self.rounds += 1;
        self.age(context) >= self.next && self.look(context, warps)
    }

    #[cold]
    fn look(&mut self, context: &mut Context<'a>, warps: &mut [Warp]) -> bool {
        let cluster = context.cluster.as_ref().map(|cluster| &cluster.barrier);
        let now = state_of(&context.cta, cluster, warps);
        self.stage = match std::mem::replace(&mut self.stage, Stage::Runs) {
            Stage::Runs => Stage::Seen { state: now, left: PERIOD },
            Stage::Seen { state, .. } if state == now => {
                let saved = SavedState {
                    state,
                    compiled: context.compiled.take(),
                    executed: context.counters.executed,
                    steps: warps.iter().map(|warp| (warp.steps, warp.end)).collect(),
                };
                context.wait_trace = Some(Box::default());
                Stage::Traced { saved, left: PERIOD, polls: 0 }
            }
            Stage::Seen { left: 0, .. } => {
                context.wait_trace = Some(Box::default());
                Stage::Probed { compiled: context.compiled.take(), left: PERIOD }
            }
            Stage::Seen { state, left } => Stage::Seen { state, left: left - 1 },
            Stage::Probed { compiled, left } => {
                let trace = context.wait_trace.as_deref();
                let has_side_effect = trace.is_none_or(|trace| trace.has_side_effect);
                if left > 0 && !has_side_effect {
                    self.stage = Stage::Probed { compiled, left: left - 1 };
                    return false;
                }
                let polls = trace.map_or(0, |trace| trace.polls.len());
                (context.wait_trace, context.compiled) = (None, compiled);
                if has_side_effect || !(1..state::MAX_LOOKS).contains(&polls) {
                    return self.compare_later(context);
                }
                self.begin(context, SOON);
                Stage::Shares { left: TURNS }
            }
            Stage::Shares { left: 0 } => {
                self.begin(context, FIRST);
                return false;
            }
            Stage::Shares { left } => {
                self.begin(context, SOON);
                Stage::Shares { left: left - 1 }
            }
            Stage::Traced { saved, left, polls } => {
                let trace = context.wait_trace.as_deref();
                let has_side_effect = trace.is_none_or(|trace| trace.has_side_effect);
                let recurs = saved.state == now;
                // A loop that loads nothing is infinite, not waiting.
                let polls_nothing = trace.is_none_or(|trace| trace.polls.is_empty());
                let is_endless = polls == 0 && recurs && polls_nothing;
                if has_side_effect || left == 0 && !recurs || is_endless {
                    context.wait_trace = None;
                    context.compiled = saved.compiled;
                    if polls == 0 {
                        return self.compare_later(context);
                    }
                    // The CTA may soon wait again, so the next comparison of states begins after
                    // `SOON` rounds.
                    self.begin(context, SOON);
                    return false;
                }
                if recurs {
                    saved.put_back(context, warps);
                    Stage::Traced { saved, left: PERIOD, polls: polls + 1 }
                } else {
                    Stage::Traced { saved, left: left - 1, polls }
                }
            }
        };
        if self.shares() {
            context.may_wait();
            return true;
        }
        // A CTA waits only at the end of an iteration of its waiting loop.
        matches!(self.stage, Stage::Traced { left: PERIOD, polls: 1.., .. })
    }

    /// Called if the CTA does not wait. Its state is compared again when its age has doubled.
    fn compare_later(&mut self, context: &Context<'a>) -> bool {
        let age = self.age(context);
        if age >= LONG {
            context.may_wait();
        }
        self.next = age.saturating_mul(2);
        false
    }

    /// Age in rounds, where a round with many instructions counts several times.
    fn age(&self, context: &Context<'_>) -> u64 {
        let executed = context.counters.executed.warp_instructions;
        self.rounds + executed.wrapping_sub(self.from) / INSTRUCTIONS
    }

    fn begin(&mut self, context: &Context<'a>, next: u64) {
        (self.rounds, self.next, self.from) =
            (0, next, context.counters.executed.warp_instructions);
    }

    /// Resets the detector at the end of a CTA.
    pub(super) fn end(&mut self, context: &mut Context<'a>) {
        match std::mem::replace(&mut self.stage, Stage::Runs) {
            Stage::Traced { saved, .. } => context.compiled = saved.compiled,
            Stage::Probed { compiled, .. } => context.compiled = compiled,
            _ => {}
        }
        context.wait_trace = None;
        self.begin(context, FIRST);
    }
}

impl SavedState<'_> {
    /// Restores the instruction counts from before an iteration in which all warps only polled
    /// memory, because the number of such iterations depends on timing.
    fn put_back(&self, context: &mut Context<'_>, warps: &mut [Warp]) {
        context.counters.executed = self.executed;
        for (warp, &(steps, end)) in warps.iter_mut().zip(&self.steps) {
            (warp.steps, warp.end) = (steps, end);
        }
    }
}

/// A hash of the state that determines the next steps of a CTA, except global memory. Of registers,
/// only the lanes that have not exited count, because the values of other lanes depend on the
/// execution strategy.
pub(super) fn state_of(cta: &Cta, cluster: Option<&Barrier>, warps: &[Warp]) -> u64 {
    fn add<T: Copy + Hash>(hash: &mut DefaultHasher, rows: &[[T; 32]], live: u32) {
        match live {
            u32::MAX => rows.hash(hash),
            _ => rows.iter().for_each(|row| lanes(live).for_each(|lane| row[lane].hash(hash))),
        }
    }
    let hash = &mut DefaultHasher::new();
    for warp in warps.iter().filter(|warp| warp.live != 0) {
        (warp.live, warp.index, warp.carry & warp.live, &warp.splits).hash(hash);
        for group in &warp.groups {
            (group.expected, group.arrived).hash(hash);
            // The waiting lanes will be released after some time (`open_stale`), so the state is
            // not periodic.
            if group.arrived != 0 {
                warp.steps.hash(hash);
            }
        }
        add(hash, &warp.narrow, warp.live);
        add(hash, &warp.wide, warp.live);
        add(hash, &warp.local, warp.live);
        warp.predicates.iter().for_each(|word| (word & warp.live).hash(hash));
    }
    cluster.into_iter().flat_map(Barrier::masks).for_each(|mask| mask.hash(hash));
    cta.barriers.iter().for_each(|barrier| (barrier.arrived, barrier.votes).hash(hash));
    (&cta.shared, &cta.tail).hash(hash);
    hash.finish()
}

impl<'a> Context<'a> {
    /// Tells the external writers that the CTA may wait for them.
    fn may_wait(&self) {
        if let Some(writers) = self.launch.config.external_writers {
            writers.may_wait();
        }
    }

    /// Records a side effect that is visible outside the CTA.
    #[inline(always)]
    pub(super) fn record_side_effect(&mut self) {
        if let Some(trace) = &mut self.wait_trace {
            trace.has_side_effect = true;
        }
    }

    /// The loop of a waiting CTA.
    pub(super) fn waiting_loop(&self, warps: &[Warp]) -> Option<WaitingLoop> {
        let warp = Self::any_waiting(warps)?;
        let caller = self.caller(warp, Self::any_split(warp), 0);
        let polls = self.wait_trace.iter().flat_map(|trace| &trace.polls);
        Some(WaitingLoop {
            kernel: caller.kernel,
            cta: caller.cta,
            span: caller.span,
            threads: self.cta.live,
            polls: polls.map(|&(address, size)| self.polled_memory(address, size)).collect(),
        })
    }

    fn polled_memory(&self, address: u64, size: u32) -> PolledMemory {
        if space_of(address) == SpaceKind::Shared {
            let (rank, place) = split_shared_address(address - SHARED_WINDOW);
            let rank = rank.unwrap_or(self.cluster_place().2);
            let text = format!("shared memory of CTA {rank} of the cluster, at {place:#x}");
            let object = Some(Described { text, allocation: None });
            return PolledMemory { address, size, value: None, object };
        }
        let map = self.launch.config.memory;
        let found = map.find(address, size.into(), usize::MAX).ok();
        let value = found
            .filter(|_| matches!(size, 1 | 2 | 4 | 8))
            .and_then(|(index, offset)| map.block(index).load(offset, size as u8).ok());
        let object = found.map(|(index, _)| super::address_fault::object(map, index));
        PolledMemory { address, size, value, object }
    }
}
