//! CTAs that wait for somebody: the host, another launch, another CTA.
//!
//! A CTA whose warps come back to a state that they have had, and have changed nothing outside of it on the way (no store to
//! global memory, nothing printed), does the same for ever unless somebody else changes memory: registers, places, call frames,
//! local and shared memory are all that its next steps depend on but for memory itself. So it waits, whatever its loops look like.
//! Nothing is decided by time.
//!
//! States are compared by a hash, at the ends of a few rounds out of very many (after [`FIRST`], after twice as many, and so on).
//! One that has come back is looked at closely: the CTA is interpreted, and what it stores and where it looks is noted, until the state
//! comes back again. Steps and instructions of a CTA that waits are not counted: how often it has looked depends on others.

pub(super) mod state;

use super::compiled::state::Compiled;
use super::context::Context;
use super::counters::Executed;
use super::warp::{State, Warp, lanes};
use crate::fault::Described;
use crate::launch::split_shared_address;
use crate::waiting::{Looked, WaitingLoop};
use texunit_memory::{SHARED_WINDOW, SpaceKind, space_of};

/// Age of a CTA at which its state is looked at for the first time, in rounds.
const FIRST: u64 = 1024;
/// Instructions of its warps that count as a round.
const INSTRUCTIONS: u64 = 2048;
/// The same of one that has waited, and goes on.
const SOON: u64 = 2;
/// Rounds in which a state may come back.
const PERIOD: u32 = 16;
/// Detects whether a CTA waits.
pub(super) struct Patience<'a> {
    /// Rounds since its beginning or its last progress, and the instructions of its worker by then.
    rounds: u64,
    from: u64,
    /// The age at which its state is compared next.
    next: u64,
    stage: Stage<'a>,
}

enum Stage<'a> {
    /// It runs.
    Runs,
    /// A state may come back in the rounds that are left.
    Seen { state: u64, left: u32 },
    /// A state has come back. It is traced whether that happens again without side effects, in the rounds that are left.
    Close { kept: Kept<'a>, left: u32 },
    /// The CTA waits. `looks`: how often its state has come back.
    Waits { kept: Kept<'a>, left: u32, looks: u64 },
}

/// The state that is restored when the CTA continues.
struct Kept<'a> {
    state: u64,
    compiled: Option<Compiled<'a>>,
    executed: Executed,
    /// Steps, and where turns end, of each warp.
    steps: Vec<(u64, u64)>,
}

impl Default for Patience<'_> {
    fn default() -> Self {
        Self { rounds: 0, from: 0, next: FIRST, stage: Stage::Runs }
    }
}

impl<'a> Patience<'a> {
    /// How often the state of a waiting CTA has come back; `None` if it does not wait.
    pub(super) fn looks(&self) -> Option<u64> {
        match &self.stage {
            Stage::Waits { looks, .. } => Some(*looks),
            _ => None,
        }
    }

    /// Whether it is looked at whether the CTA waits.
    pub(super) fn looks_closely(&self, context: &Context<'_>) -> bool {
        !matches!(self.stage, Stage::Runs) || self.age(context) >= self.next
    }

    /// A round is over. True if the CTA waits, and others may run first.
    #[inline]
    pub(super) fn round(&mut self, context: &mut Context<'a>, warps: &mut [Warp]) -> bool {
        self.rounds += 1;
        self.age(context) >= self.next && self.look(context, warps)
    }

    #[cold]
    fn look(&mut self, context: &mut Context<'a>, warps: &mut [Warp]) -> bool {
        let now = context.state_of(warps);
        self.stage = match std::mem::replace(&mut self.stage, Stage::Runs) {
            Stage::Runs => Stage::Seen { state: now, left: PERIOD },
            Stage::Seen { state, .. } if state == now => {
                let kept = Kept {
                    state,
                    compiled: context.compiled.take(),
                    executed: context.counters.executed,
                    steps: warps.iter().map(|warp| (warp.steps, warp.end)).collect(),
                };
                context.wait_trace = Some(Box::default());
                Stage::Close { kept, left: PERIOD }
            }
            Stage::Seen { state, left } if left > 0 => Stage::Seen { state, left: left - 1 },
            Stage::Seen { .. } => return self.again(context),
            Stage::Waits { kept, left, .. }
                if context.wait_trace.as_ref().is_none_or(|noted| noted.acts)
                    || left == 0 && kept.state != now =>
            {
                context.wait_trace = None;
                context.compiled = kept.compiled;
                // It may wait for the next thing soon.
                self.begin(context, SOON);
                return false;
            }
            Stage::Close { kept, left }
                if context.wait_trace.as_ref().is_none_or(|noted| noted.acts)
                    || left == 0 && kept.state != now =>
            {
                context.wait_trace = None;
                context.compiled = kept.compiled;
                return self.again(context);
            }
            // A loop that looks at nothing is one without an end.
            Stage::Close { kept, .. } if kept.state == now && context.looks_at_nothing() => {
                context.wait_trace = None;
                context.compiled = kept.compiled;
                return self.again(context);
            }
            Stage::Close { kept, .. } if kept.state == now => {
                kept.put_back(context, warps);
                Stage::Waits { kept, left: PERIOD, looks: 1 }
            }
            Stage::Close { kept, left } => Stage::Close { kept, left: left - 1 },
            Stage::Waits { kept, looks, .. } if kept.state == now => {
                kept.put_back(context, warps);
                Stage::Waits { kept, left: PERIOD, looks: looks + 1 }
            }
            Stage::Waits { kept, left, looks } => Stage::Waits { kept, left: left - 1, looks },
        };
        // Only at the end of an iteration of its loop.
        matches!(self.stage, Stage::Waits { left: PERIOD, .. })
    }

    /// It does not wait: the next comparison is much later.
    fn again(&mut self, context: &Context<'a>) -> bool {
        self.next = self.age(context).saturating_mul(2);
        false
    }

    /// Rounds, of which one of many instructions counts as several.
    fn age(&self, context: &Context<'_>) -> u64 {
        let executed = context.counters.executed.warp_instructions;
        self.rounds + executed.wrapping_sub(self.from) / INSTRUCTIONS
    }

    fn begin(&mut self, context: &Context<'a>, next: u64) {
        (self.rounds, self.next, self.from) =
            (0, next, context.counters.executed.warp_instructions);
    }

    /// The CTA has ended, or a new one begins.
    pub(super) fn end(&mut self, context: &mut Context<'a>) {
        if let Stage::Close { kept, .. } | Stage::Waits { kept, .. } =
            std::mem::replace(&mut self.stage, Stage::Runs)
        {
            context.compiled = kept.compiled;
        }
        context.wait_trace = None;
        self.begin(context, FIRST);
    }
}

impl Kept<'_> {
    /// Undoes the counts of an iteration of the loop.
    fn put_back(&self, context: &mut Context<'_>, warps: &mut [Warp]) {
        context.counters.executed = self.executed;
        for (warp, &(steps, end)) in warps.iter_mut().zip(&self.steps) {
            (warp.steps, warp.end) = (steps, end);
        }
    }
}

/// A hash of numbers.
struct Mix(u64);

impl Mix {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }

    /// Registers of the lanes that have not exited: what others hold depends on how an instruction was executed.
    fn add_rows<T: Copy + Into<u64>>(&mut self, rows: &[[T; 32]], live: u32) {
        for row in rows {
            lanes(live).for_each(|lane| self.add(row[lane].into()));
        }
    }
}

impl<'a> Context<'a> {
    /// A hash of all that the next steps of a CTA depend on, but for global memory.
    fn state_of(&self, warps: &[Warp]) -> u64 {
        let mut mix = Mix(0);
        for warp in warps.iter().filter(|warp| warp.live != 0) {
            mix.add(u64::from(warp.live) | u64::from(warp.index) << 32);
            mix.add((warp.carry & warp.live).into());
            for split in &warp.splits {
                mix.add(u64::from(split.pc) | u64::from(split.mask) << 32);
                let state = match split.state {
                    State::Ready => 0,
                    State::Sync => 1,
                    State::Cluster => 2,
                    State::Barrier(id) => 3 + u64::from(id),
                };
                mix.add(u64::from(split.frame) | u64::from(split.group) << 32);
                mix.add(state);
            }
            for group in &warp.groups {
                mix.add(u64::from(group.expected) | u64::from(group.arrived) << 32);
                // Its lanes go on when they have waited long enough (`open_stale`), so that it is not the same for ever.
                if group.arrived != 0 {
                    mix.add(warp.steps);
                }
            }
            mix.add_rows(&warp.narrow, warp.live);
            mix.add_rows(&warp.wide, warp.live);
            warp.predicates.iter().for_each(|&word| mix.add((word & warp.live).into()));
            mix.add_rows(&warp.local, warp.live);
        }
        if let Some(cluster) = &self.cluster {
            cluster.barrier.masks().for_each(|mask| mix.add(mask.into()));
        }
        for barrier in &self.cta.barriers {
            mix.add(u64::from(barrier.arrived) | u64::from(barrier.votes) << 32);
        }
        for bytes in [&self.cta.shared, &self.cta.tail] {
            let (words, rest) = bytes.as_chunks::<8>();
            words.iter().for_each(|word| mix.add(u64::from_le_bytes(*word)));
            rest.iter().for_each(|&byte| mix.add(byte.into()));
        }
        mix.0
    }

    fn looks_at_nothing(&self) -> bool {
        self.wait_trace.as_ref().is_none_or(|noted| noted.looks.is_empty())
    }

    /// Records a side effect that others can see.
    #[inline(always)]
    pub(super) fn acts(&mut self) {
        if let Some(noted) = &mut self.wait_trace {
            noted.acts = true;
        }
    }

    /// The loop of a waiting CTA.
    pub(super) fn waiting_loop(&self, warps: &[Warp]) -> Option<WaitingLoop> {
        let ready = |warp: &&Warp| warp.splits.iter().any(|split| split.state == State::Ready);
        let warp = warps.iter().find(ready).or_else(|| warps.iter().find(|warp| warp.live != 0))?;
        let caller = self.caller(warp, Self::any_split(warp), 0);
        let looks = self.wait_trace.iter().flat_map(|noted| &noted.looks);
        Some(WaitingLoop {
            kernel: caller.kernel,
            cta: caller.cta,
            span: caller.span,
            threads: self.cta.live,
            looks: looks.map(|&(address, size)| self.looked(address, size)).collect(),
        })
    }

    fn looked(&self, address: u64, size: u32) -> Looked {
        if space_of(address) == SpaceKind::Shared {
            let (rank, place) = split_shared_address(address - SHARED_WINDOW);
            let rank = rank.unwrap_or(self.cluster_place().2);
            let text = format!("shared memory of CTA {rank} of the cluster, at {place:#x}");
            let object = Some(Described { text, allocation: None });
            return Looked { address, size, value: None, object };
        }
        let map = self.launch.config.memory;
        let found = map.find(address, size.into(), usize::MAX).ok();
        let value = found
            .filter(|_| matches!(size, 1 | 2 | 4 | 8))
            .and_then(|(index, offset)| map.block(index).load(offset, size as u8).ok());
        let object = found.map(|(index, _)| super::address_fault::object(map, index));
        Looked { address, size, value, object }
    }
}
