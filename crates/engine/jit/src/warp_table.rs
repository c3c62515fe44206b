//! Tables of warps. The runtime adds up to 32 warps to a table and runs them up to the next yield
//! point, where it handles all of them in one call.
//!
//! A table is the one way into compiled code. The state of each warp is in a slot that the code
//! reads and writes, so that the code goes from warp to warp without returning to the runtime
//! ([`crate::emit`]'s `warps`).

#![allow(unsafe_code, reason = "code is called here")]

use crate::compiled::{Function, Running};
use crate::diverged::DivergedLanes;
use crate::frame::{Frame, NarrowFile, Window};
use crate::machine::Mode;
use crate::run::{DivergenceLimits, Exit, ExitReason, Resume, WarpStart};
use crate::waiting::Runtime;
use crate::{B32, Registers};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

/// Warps that run together, in the order in which they were added.
#[derive(Debug)]
pub struct WarpTable<'r, 'a> {
    running: &'r mut Running<'a>,
    mode: Mode,
    /// The smallest size of local memory among the warps, in bytes.
    local: u64,
    /// The register files and the memory of the warps are borrowed while the table lives.
    files: PhantomData<&'r mut [B32]>,
}

/// Totals of the warps that [`WarpTable::run_series`] has run to their ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// The number of warps.
    pub warps: usize,
    /// The number of instructions that they executed.
    pub steps: u64,
    /// Sum over the executed instructions of the lanes that executed each.
    pub threads: u64,
}

impl<'a> Running<'a> {
    /// Creates an empty table for warps of a CTA with this shared memory. In [`Mode::Live`], all
    /// live lanes of a warp are active. `reconverge_at` is the instruction at which the active
    /// lanes reconverge with the caller's group; [`u32::MAX`] if there is none.
    #[inline]
    pub fn table<'r>(
        &'r mut self,
        mode: Mode,
        shared: &'r mut [u8],
        reconverge_at: u32,
        divergence: DivergenceLimits,
    ) -> WarpTable<'r, 'a> {
        let frame = &mut *self.frame;
        if self.function.needs.shared {
            frame.shared.base = shared.as_mut_ptr();
            frame.shared.reach(shared.len() as u64);
        }
        frame.divergence.begin(reconverge_at, divergence);
        (frame.zeros, frame.runtime) = (0, None);
        (frame.batch.yields, frame.batch.releases) = (0, 0);
        (self.len, self.stopped) = (0, None);
        WarpTable { running: self, mode, local: u64::MAX, files: PhantomData }
    }
}

impl<'r, 'a> WarpTable<'r, 'a> {
    /// Makes warps wait at yield points; without this call they exit there. If all warps wait at
    /// the same yield point, the runtime executes its instruction.
    #[inline]
    pub fn wait_at_yield_points(&mut self, runtime: &'r mut (dyn Runtime + 'r)) {
        let runtime = NonNull::from(runtime);
        // SAFETY: only the lifetime changes. The runtime is borrowed while the table lives, and the
        // next table clears the field.
        let runtime = unsafe {
            std::mem::transmute::<NonNull<dyn Runtime + 'r>, NonNull<dyn Runtime + 'static>>(
                runtime,
            )
        };
        self.running.frame.runtime = Some(runtime);
        self.running.frame.batch.yields = 1;
    }

    /// Lets the code release barriers at which all warps of the table wait, if no warp has used up
    /// its turn.
    #[inline]
    pub fn pass_barriers(&mut self) {
        self.running.frame.batch.releases = 1;
    }

    /// Adds a warp with its local memory and the byte range of the running function's frame in it.
    /// Returns false if a register file is shorter than the code needs, the lanes do not fit the
    /// mode, or the table is full.
    #[inline]
    pub fn add(
        &mut self,
        registers: Registers<'r>,
        local: &'r mut [B32],
        of_frame: Range<u64>,
        warp: WarpStart,
    ) -> bool {
        let Function { needs, .. } = self.running.function;
        let WarpStart { index, mask, live, limit, end, atomics, turn_atomics } = warp;
        let is_live = self.mode == Mode::Live;
        let lanes = mask != 0 && mask & !live == 0 && (!is_live || mask == live);
        let holds = needs.hold_warp(&registers, local, &of_frame);
        let len = self.running.len;
        let frame = &mut *self.running.frame;
        let Some(to) = frame.slots.get_mut(len).filter(|_| lanes && holds) else { return false };
        let Registers { narrow, wide, predicates, per_lane } = registers;
        let lengths = [narrow.len(), wide.len(), predicates.len()];
        let base = local.as_mut_ptr();
        // The fields are stored one by one, so that the processor can forward them to the code's
        // loads.
        to.narrow = narrow.as_mut_ptr();
        frame.narrow[len] = NarrowFile(narrow);
        to.wide = wide.as_mut_ptr();
        to.predicates = predicates.as_mut_ptr();
        to.per_lane = per_lane.as_ptr();
        to.local = base;
        // The pointer may be out of bounds if the code does not access the frame.
        to.frame = base.wrapping_add((of_frame.start / 4) as usize);
        to.frame_at = of_frame.start;
        (to.index, to.live, to.mask) = (index, live, mask);
        to.full_mask = if is_live { mask } else { 0 };
        (to.limit, to.end, to.steps, to.missed) = (limit, end, 0, 0);
        (to.counted, to.threads, to.last_atomic) = (0, 0, 0);
        (to.atomics, to.atomics_left) = (turn_atomics, atomics);
        (to.why, to.at) = (0, Frame::NO_INSTRUCTION);
        // `WaitingWarps::each` returns slices of at most this length.
        to.registers = lengths.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.local = self.local.min(4 * local.len() as u64).min(of_frame.end);
        self.running.len += 1;
        true
    }

    /// Reuses the table for the warps of another CTA, with the same register files and live lanes,
    /// shared memory of zeros, and its [`crate::region::Inputs::uniforms`]. Returns false if there
    /// are fewer words than the code needs, or more than the frame can hold.
    #[inline]
    pub fn begin_again(&mut self, uniforms: &[u32], limit: u64) -> bool {
        for slot in &mut self.running.frame.slots[..self.running.len] {
            (slot.limit, slot.end, slot.steps, slot.missed) = (limit, limit, 0, 0);
            (slot.at, slot.counted, slot.threads) = (Frame::NO_INSTRUCTION, 0, 0);
            (slot.atomics_left, slot.last_atomic) = (slot.atomics, 0);
        }
        let running = &mut *self.running;
        if running.function.needs.shared {
            let Window { base, len, .. } = running.frame.shared;
            // SAFETY: `Running::table` has stored the pointer and the length of a slice that is
            // borrowed while the table lives.
            unsafe { base.write_bytes(0, len as usize) };
        }
        uniforms.len() >= running.function.needs.uniforms && running.frame.set_uniforms(uniforms)
    }

    /// The number of warps.
    #[inline]
    pub fn len(&self) -> usize {
        self.running.len
    }

    /// Whether the table has no warps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs a range of warps, each until it waits or retires at the instruction `retire_at` with
    /// all its lanes. Returns the first warp that exited for another reason; the warps after it
    /// have not run.
    #[inline]
    pub fn run(&mut self, which: Range<usize>, from: Resume, retire_at: u32) -> Option<usize> {
        let (function, all) = (self.running.function, self.running.len);
        let offset = match from {
            Resume::Entry(entry)
                if (entry.function, entry.mode) == (function.number, self.mode) =>
            {
                Some(entry.offset)
            }
            Resume::Entry(_) => return None,
            Resume::Exit(at) => Some(function.yield_points.iter().find(|point| point.0 == at)?.1),
            Resume::Previous => None,
        };
        let count = which.end.checked_sub(which.start).filter(|_| which.end <= all)?;
        let remaining = u32::try_from(count.checked_sub(1)?).ok()?;
        let batch = &mut self.running.frame.batch;
        if let Some(offset) = offset {
            batch.target = function.target(offset);
        }
        batch.all = if count == all { all as u32 } else { 0 };
        (batch.passed, batch.passed_warps) = (Frame::NO_INSTRUCTION, 0);
        (batch.remaining, batch.follow) = (remaining, 0);
        batch.retire_at = if let Resume::Exit(at) = from { at } else { retire_at };
        self.enter(which.start);
        // The code counts down to -1 when the last warp waits or retires.
        let remaining = self.running.frame.batch.remaining.wrapping_add(1) as usize;
        self.running.stopped = (remaining != 0).then(|| which.end - remaining);
        self.running.stopped
    }

    /// Runs all warps of several CTAs to their ends in the first slot of the table, with the same
    /// register files: for each CTA's uniform values, one warp with each of the per-lane inputs,
    /// and these live lanes. The warps do not wait at yield points. Stops at the first warp that
    /// does not retire at the instruction `retire_at` within its steps; [`Self::exit`] of slot 0 is
    /// its exit record. Returns `None` if nothing can run.
    #[inline]
    pub fn run_series<const N: usize, const W: usize>(
        &mut self,
        from: Resume,
        (per_lane, live): (&[[B32; N]], u32),
        uniforms: &[[u32; W]],
        retire_at: u32,
    ) -> Option<Retired> {
        let Function { needs, number, .. } = self.running.function;
        let Resume::Entry(entry) = from else { return None };
        let fits = (entry.function, entry.mode) == (*number, Mode::Live) && self.mode == Mode::Live;
        let holds = N >= needs.per_lane() && W >= needs.uniforms && !self.is_empty() && live != 0;
        let (per_cta, ctas) =
            (u32::try_from(per_lane.len()).ok()?, u32::try_from(uniforms.len()).ok()?);
        let last = ctas.checked_sub(1).filter(|_| fits && holds && per_cta != 0)?;
        let target = self.running.function.target(entry.offset);
        let frame = &mut *self.running.frame;
        let before =
            std::mem::replace(&mut frame.inputs.uniforms, uniforms.as_flattened().as_ptr());
        let batch = &mut frame.batch;
        (batch.target, batch.remaining, batch.retire_at) = (target, 0, retire_at);
        (batch.follow, batch.per_cta, batch.ctas) = (per_cta, per_cta, last);
        batch.first_per_lane = per_lane.as_flattened().as_ptr();
        (batch.per_lane_bytes, batch.uniform_bytes) = (size_of::<[B32; N]>() as u64, 4 * W as u64);
        (batch.all_steps, batch.all_threads) = (0, 0);
        let slot = &mut frame.slots[0];
        (slot.per_lane, slot.steps, slot.missed) = (per_lane.as_flattened().as_ptr(), 0, 0);
        (slot.at, slot.limit) = (Frame::NO_INSTRUCTION, slot.end);
        (slot.live, slot.mask, slot.full_mask) = (live, live, live);
        (slot.counted, slot.threads) = (0, 0);
        (slot.atomics_left, slot.last_atomic) = (slot.atomics, 0);
        self.enter(0);
        self.running.stopped = Some(0);
        let frame = &mut *self.running.frame;
        // The pointers are reset, because the inputs were borrowed only for this call.
        (frame.inputs.uniforms, frame.slots[0].per_lane) = (before, std::ptr::null());
        let batch = &frame.batch;
        let all = per_lane.len() * uniforms.len();
        let rest = match batch.follow {
            0 => 0,
            follow => (batch.ctas * per_cta + follow) as usize,
        };
        Some(Retired { warps: all - rest, steps: batch.all_steps, threads: batch.all_threads })
    }

    /// Calls the code, which starts the warp in this slot at the target.
    #[inline(always)]
    fn enter(&mut self, slot: usize) {
        let function = self.running.function;
        let frame = &mut *self.running.frame;
        frame.batch.slot = &raw mut frame.slots[slot];
        frame.local.reach(self.local);
        frame.divergence.begin_again();
        // SAFETY: `compile` has checked that the processor has the instructions. The target is an
        // entry of this code, or the exit of a yield point at which the warps wait. The code
        // accesses only the following memory:
        // * register files and inputs below the lengths of `needs`, which `Function::with`, `add`
        //   and `run_series` have compared;
        // * shared and local memory, and the allocations of sites, after comparing offsets with the
        //   limits in the frame and in the site;
        // * its constant pool, the frame, and as many slots as `remaining` and `all` say.
        // All of it lives until the code returns; allocations do as the `Reach` promises with which
        // `fill` has made the site. The code preserves the callee-saved registers. It returns at
        // the latest when each warp has reached the first backward jump after its step limit.
        unsafe { function.begin()(&raw mut *frame) };
        if let Some(panic) = frame.panic.take() {
            std::panic::resume_unwind(panic);
        }
    }

    /// The last yield point that warps have passed in the last run, if any. Warps that have not run
    /// since then resume after it.
    #[inline]
    pub fn passed(&self) -> Option<u32> {
        let at = self.running.frame.batch.passed;
        (at != Frame::NO_INSTRUCTION).then_some(at)
    }

    /// If the runtime executed the instruction at which all warps wait for some of the warps only
    /// ([`crate::region::Passed::warps`]), their number; else 0.
    #[inline]
    pub fn passed_warps(&self) -> usize {
        self.running.frame.batch.passed_warps as usize
    }

    /// See [`Running::reason`].
    #[inline(always)]
    pub fn reason(&self, i: usize) -> Option<(u32, ExitReason)> {
        self.running.reason(i)
    }

    /// Whether the warp that stopped the last run has diverged lanes.
    #[inline(always)]
    pub fn has_diverged(&self) -> bool {
        self.running.has_diverged()
    }

    /// [`crate::region::DivergenceLimits::shared_turn`] of the warp that has run last; `None` if
    /// the function's lanes cannot diverge.
    #[inline(always)]
    pub fn shared_turn(&self) -> Option<u64> {
        self.running.function.can_diverge.then_some(self.running.frame.divergence.shared_turn)
    }

    /// See [`Running::exit`].
    #[inline]
    pub fn exit(&self, i: usize) -> Option<Exit> {
        self.running.exit(i)
    }

    /// See [`Running::diverged_lanes`].
    pub fn diverged_lanes(&self) -> DivergedLanes {
        self.running.diverged_lanes()
    }
}
