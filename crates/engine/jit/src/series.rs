//! A function that warps enter one after the other with all their lanes: what is the same for all is prepared once.

#![allow(unsafe_code, reason = "code is called here")]

use crate::B32;
use crate::Registers;
use crate::compiled::{Begin, Function, Running, why_of};
use crate::emit::{Frame, Needs};
use crate::machine::{DivergedLanes, Entry, Mode};
use crate::region::{DivergenceLimits, ExitReason, RetiredWarps};
use std::marker::PhantomData;
use std::ops::Range;

/// A function that is prepared to be entered at one place by all live lanes of warps.
#[derive(Debug)]
pub struct Series<'s> {
    pub(crate) function: &'s Function,
    pub(crate) needs: &'s Needs,
    pub(crate) frame: &'s mut Frame,
    begin: Begin,
    target: *const u8,
    /// Whether the code accesses local memory.
    local: bool,
    /// Whether lanes can diverge.
    pub(crate) can_diverge: bool,
    /// Inputs, sites and shared memory are borrowed.
    memory: PhantomData<&'s mut [u8]>,
}

impl Running<'_> {
    /// Prepares a series for the warps of a CTA with this shared memory. The `end` of `divergence` is given for each warp
    /// ([`Series::run`]). `None` if the entry is of another function or not of [`Mode::Live`], or the function has atomics,
    /// which each run must count.
    #[inline]
    pub fn series<'s>(
        &'s mut self,
        entry: Entry,
        shared: &'s mut [u8],
        divergence: DivergenceLimits,
    ) -> Option<Series<'s>> {
        let ours = entry.function == self.function.number && entry.mode == Mode::Live;
        if !ours || self.function.atomics {
            return None;
        }
        let function = self.function;
        let (begin, target) = (function.begin(), function.target(entry.offset));
        let (needs, can_diverge) = (&function.needs, function.can_diverge);
        let frame = &mut *self.frame;
        if needs.shared {
            frame.reach_shared(shared);
        }
        if can_diverge {
            frame.begin_divergence(0, divergence);
        }
        (frame.group.reconverge_at, frame.zeros) = (u32::MAX, 0);
        let local = needs.local || needs.frame != 0;
        Some(Series {
            function,
            needs,
            frame,
            begin,
            target,
            local,
            can_diverge,
            memory: PhantomData,
        })
    }
}

impl<'s> Series<'s> {
    /// Runs the region for the live lanes of a warp until it exits. `until`: the step limit, and the limit after lanes have
    /// diverged and reconverged. Returns the instruction at which it exited; [`Self::why`] and the other functions have the
    /// rest. `None` if a register file is shorter than the code needs or no lane is live; nothing has run then.
    #[inline(always)]
    pub fn run(
        &mut self,
        registers: Registers<'_>,
        local: &mut [B32],
        of_frame: Range<u64>,
        live: u32,
        until: (u64, u64),
    ) -> Option<u32> {
        let rows = registers.rows;
        self.with_files(registers, local, of_frame)?.run(rows, live, until)
    }

    /// Binds the register files of a warp. Other warps whose registers are not live yet can run with the same files. `None` if
    /// a file is shorter than the code needs.
    #[inline(always)]
    pub fn with_files<'f>(
        &'f mut self,
        registers: Registers<'f>,
        local: &'f mut [B32],
        of_frame: Range<u64>,
    ) -> Option<WithFiles<'f, 's>> {
        let frame = &mut *self.frame;
        if !self.needs.hold_registers(&registers) {
            return None;
        }
        if self.local {
            if !self.needs.hold_frame(local, &of_frame) {
                return None;
            }
            frame.reach_local(local, &of_frame);
        }
        frame.narrow = registers.narrow.as_mut_ptr();
        frame.wide = registers.wide.as_mut_ptr();
        frame.predicates = registers.predicates.as_mut_ptr();
        frame.frame_at = of_frame.start;
        Some(WithFiles { series: self, files: PhantomData })
    }

    /// Sets the warp number that listeners are told.
    #[inline(always)]
    pub fn set_warp(&mut self, warp: u32) {
        self.frame.warp = warp;
    }

    /// Starts a CTA with other [`crate::region::Inputs::words`]. False, without effect, if they are fewer than the code needs
    /// or more than the frame has room for.
    #[inline(always)]
    pub fn set_words(&mut self, words: &[u32]) -> bool {
        words.len() >= self.needs.words && self.frame.set_words(words)
    }

    /// Reason of the last exit.
    #[inline(always)]
    pub fn why(&self) -> ExitReason {
        why_of(self.frame)
    }

    /// Instructions executed since the last entry.
    #[inline(always)]
    pub fn steps(&self) -> u64 {
        self.frame.steps
    }

    /// Sum over these instructions of the lanes that executed each.
    #[inline(always)]
    pub fn threads(&self) -> u64 {
        self.frame.all_lanes(self.can_diverge)
    }

    /// The step count at which the turn of the active lanes ends.
    #[inline(always)]
    pub fn limit(&self) -> u64 {
        self.frame.limit
    }

    /// Whether some lanes are pending or wait elsewhere.
    #[inline(always)]
    pub fn has_diverged(&self) -> bool {
        self.can_diverge && self.frame.has_diverged()
    }

    /// The active mask, and the other lanes, after an exit with diverged lanes.
    pub fn diverged_lanes(&mut self) -> (u32, DivergedLanes<'_>) {
        (self.frame.mask, self.frame.diverged_lanes())
    }

    /// The sum of [`crate::region::Action::CountZeros`] over all warps.
    #[inline]
    pub fn zeros(&self) -> u64 {
        self.frame.zeros
    }
}

/// A series with the register files of a warp.
#[derive(Debug)]
pub struct WithFiles<'f, 's> {
    series: &'f mut Series<'s>,
    /// Register files and local memory are borrowed.
    files: PhantomData<&'f mut [B32]>,
}

impl WithFiles<'_, '_> {
    /// As [`Series::set_words`].
    #[inline(always)]
    pub fn set_words(&mut self, words: &[u32]) -> bool {
        self.series.set_words(words)
    }

    /// As [`Series::run`], for a warp with these per-lane inputs.
    #[inline(always)]
    pub fn run(&mut self, rows: &[B32], live: u32, (steps, end): (u64, u64)) -> Option<u32> {
        let Series { needs, frame, begin, target, can_diverge, .. } = &mut *self.series;
        if live == 0 || !needs.hold_rows(rows) {
            return None;
        }
        frame.rows = rows.as_ptr();
        frame.limit = steps;
        (frame.mask, frame.live) = (live, live);
        if *can_diverge {
            frame.begin_divergence_again(live, end);
        }
        // SAFETY: as in `Running::run`: the function has been made for this processor, the target is an entry of
        // it, the lengths of the warp's files have been compared by `Series::with_files`, that of its rows just now, and those
        // of the inputs by `Function::with`, and all of them live until it returns; shared memory is borrowed as long as the
        // series.
        Some(unsafe { begin(&raw mut **frame, *target) })
    }

    /// Runs warps with these per-lane inputs one after the other, as long as each retires at the instruction `exit` with all
    /// lanes. Stops at the first warp that does not; query its state as after [`Self::run`]. `None` as there, or without warps.
    #[inline(always)]
    pub fn run_warps<const N: usize>(
        &mut self,
        rows: &[[B32; N]],
        live: u32,
        steps: u64,
        exit: u32,
    ) -> Option<RetiredWarps> {
        let remaining = u32::try_from(rows.len()).ok()?.checked_sub(1)?;
        let Series { needs, frame, target, .. } = &mut *self.series;
        if !needs.hold_rows(&rows[0]) {
            return None;
        }
        // All warps have as many rows as the first, and the code runs exactly `rows.len()` warps.
        (frame.remaining, frame.retire_at, frame.target) = (remaining, exit, *target);
        frame.row_bytes = size_of::<[B32; N]>() as u64;
        (frame.all_steps, frame.all_threads) = (0, 0);
        let at = self.run(rows.as_flattened(), live, (steps, steps));
        let frame = &mut *self.series.frame;
        frame.retire_at = Frame::NO_INSTRUCTION;
        let ended = remaining.wrapping_sub(frame.remaining);
        let left = at.filter(|_| ended <= remaining);
        at.map(|_| RetiredWarps { ended, steps: frame.all_steps, threads: frame.all_threads, left })
    }

    /// Steps, and threads summed over them, of a warp that exited before an instruction with all lanes together; else `None`.
    #[inline]
    pub fn came_together(&self) -> Option<(u64, u64)> {
        let series = &*self.series;
        let together = series.why() == ExitReason::Instruction && !series.has_diverged();
        together.then(|| (series.steps(), series.threads()))
    }
}
