//! A batch of warps, each executed up to the next yield point, where the runtime handles all of them in one call.
//!
//! The state of each warp is in a slot of a table that compiled code reads and writes, so that it changes from warp to warp
//! without returning ([`crate::emit`]'s `yield_point`).

#![allow(unsafe_code, reason = "code is called here")]

use crate::emit::{Frame, WarpSlot};
use crate::machine::{DivergedLanes, Mode};
use crate::region::{MAX_WARPS, RegisterFiles, Resume, Series, WarpState};
use crate::{B32, Registers};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A batch of warps, in the order in which they were added.
#[derive(Debug)]
pub struct WarpTable<'l, 's> {
    series: &'l mut Series<'s>,
    table: [MaybeUninit<WarpSlot>; MAX_WARPS],
    len: usize,
    /// The register files of the warps are borrowed.
    files: PhantomData<&'l mut [B32]>,
}

impl<'s> Series<'s> {
    /// An empty table. `None` if the function has no yield points ([`crate::region::Function::has_yield_points`]).
    #[inline]
    pub fn warp_table<'l>(&'l mut self) -> Option<WarpTable<'l, 's>> {
        if !self.function.has_yield_points() {
            return None;
        }
        let table = [const { MaybeUninit::uninit() }; MAX_WARPS];
        Some(WarpTable { series: self, table, len: 0, files: PhantomData })
    }
}

impl<'l, 's> WarpTable<'l, 's> {
    /// Adds a warp with its live lanes, the offset of its frame in local memory, and its limits as for [`Series::run`]. False
    /// if a register file is shorter than the code needs, no lane is live, or the table is full.
    #[inline]
    pub fn add(
        &mut self,
        registers: Registers<'l>,
        frame_at: u64,
        live: u32,
        (limit, end): (u64, u64),
    ) -> bool {
        let Series { needs, .. } = &*self.series;
        let holds = needs.hold_registers(&registers) && needs.hold_rows(registers.rows);
        let Some(to) = self.table.get_mut(self.len).filter(|_| live != 0 && holds) else {
            return false;
        };
        let Registers { narrow, wide, predicates, rows } = registers;
        let registers = [narrow.len(), wide.len(), predicates.len()];
        to.write(WarpSlot {
            // `Self::each` hands out at most so many.
            registers: registers.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            narrow: narrow.as_mut_ptr(),
            wide: wide.as_mut_ptr(),
            predicates: predicates.as_mut_ptr(),
            rows: rows.as_ptr(),
            frame_at,
            limit,
            steps: 0,
            missed: 0,
            live,
            at: Frame::NO_INSTRUCTION,
            end,
            counted: 0,
            threads: 0,
            yielded: 0,
        });
        self.len += 1;
        true
    }

    /// Reuses the table for the warps of another CTA, with the same register files and live lanes; `words` as for
    /// [`Series::set_words`].
    #[inline]
    pub fn begin_again(&mut self, words: &[u32], (limit, end): (u64, u64)) -> bool {
        for slot in self.all_mut() {
            (slot.limit, slot.end, slot.steps, slot.missed) = (limit, end, 0, 0);
            (slot.at, slot.counted, slot.threads, slot.yielded) = (Frame::NO_INSTRUCTION, 0, 0, 0);
        }
        self.series.set_words(words)
    }

    /// Number of warps.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the table has no warps.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn all(&self) -> &[WarpSlot] {
        // SAFETY: the first `len` slots have been written.
        unsafe { self.table[..self.len].assume_init_ref() }
    }

    #[inline(always)]
    fn all_mut(&mut self) -> &mut [WarpSlot] {
        // SAFETY: as above.
        unsafe { self.table[..self.len].assume_init_mut() }
    }

    /// Runs the warps of a range, each until it yields or retires at the instruction `exit` with its lanes together. Returns
    /// the first warp that exited for another reason, and its instruction; the warps after it have not run.
    #[inline]
    pub fn run(&mut self, which: Range<usize>, way: Resume, exit: u32) -> Option<(usize, u32)> {
        let function = self.series.function;
        let target = match way {
            Resume::Entry(entry)
                if entry.function == function.number && entry.mode == Mode::Live =>
            {
                entry.offset
            }
            Resume::Exit(at) => function.yield_points.iter().find(|pause| pause.0 == at)?.1,
            Resume::Entry(_) => return None,
        };
        let entry = function.batch_entry?;
        let (end, can_diverge, all) = (which.end, self.series.can_diverge, self.all_mut());
        let some = all.get_mut(which)?;
        let remaining = u32::try_from(some.len()).ok()?.checked_sub(1)?;
        let first = some.as_mut_ptr();
        let Series { frame, .. } = &mut *self.series;
        (frame.slot, frame.remaining, frame.target) = (first, remaining, function.target(target));
        frame.retire_at = if let Resume::Exit(at) = way { at } else { exit };
        if can_diverge {
            frame.begin_divergence_again(0, 0);
        }
        // SAFETY: as in `Running::run`: the function is for this processor, and the target is an entry of it, or the exit of
        // the yield point where these warps wait. `add` has compared the lengths of their register files, which are borrowed
        // as long as the table lives; `remaining` is the number of slots after the first.
        let at = unsafe { function.begin()(&raw mut **frame, function.target(entry)) };
        (frame.slot, frame.retire_at) = (std::ptr::null_mut(), Frame::NO_INSTRUCTION);
        // The code counts down to -1 when the last warp yields or retires.
        let remaining = frame.remaining.wrapping_add(1) as usize;
        (remaining != 0).then(|| (end - remaining, at))
    }

    /// Counts `steps` instructions, executed by all lanes, for each of the first `warps` warps.
    #[inline]
    pub fn count(&mut self, warps: usize, steps: u64) {
        self.all_mut().iter_mut().take(warps).for_each(|slot| slot.steps += steps);
    }

    /// State of a warp that yielded or retired.
    #[inline]
    pub fn state(&self, i: usize) -> Option<WarpState> {
        let slot = self.all().get(i)?;
        let lanes = if slot.live == u32::MAX { 32 } else { u64::from(slot.live.count_ones()) };
        let threads = slot.threads + (slot.steps - slot.counted) * lanes;
        Some(WarpState {
            at: slot.at,
            yielded: slot.yielded != 0,
            steps: slot.steps,
            threads: threads.wrapping_sub(slot.missed),
            limit: slot.limit,
        })
    }

    /// The yield point at which all warps wait, if it is the same.
    #[inline]
    pub fn wait_at(&self) -> Option<u32> {
        let first = self.all().first()?;
        let same = self.all().iter().all(|slot| slot.yielded != 0 && slot.at == first.at);
        same.then_some(first.at)
    }

    /// The series, whose state is that of the warp that exited in another way.
    #[inline]
    pub fn series(&self) -> &Series<'s> {
        self.series
    }

    /// Diverged lanes of the warp that exited in another way ([`Series::diverged_lanes`]).
    pub fn diverged_lanes(&mut self) -> (u32, DivergedLanes<'_>) {
        self.series.diverged_lanes()
    }

    /// Whether no warp has used up its turn.
    #[inline]
    pub fn may_go_on(&self) -> bool {
        self.all().iter().all(|slot| slot.steps < slot.limit)
    }

    /// Register files and live lanes of each warp.
    #[inline(always)]
    pub fn each(&mut self) -> impl Iterator<Item = (RegisterFiles<'_>, u32)> {
        self.all_mut().iter_mut().map(|slot| {
            let [narrow, wide, predicates] = slot.registers.map(|n| n as usize);
            // SAFETY: pointers and lengths of slices that are borrowed as long as the table lives, different ones for each
            // warp. Compiled code does not run while `self` is borrowed.
            let files = unsafe {
                RegisterFiles {
                    narrow: std::slice::from_raw_parts_mut(slot.narrow, narrow),
                    wide: std::slice::from_raw_parts_mut(slot.wide, wide),
                    predicates: std::slice::from_raw_parts_mut(slot.predicates, predicates),
                }
            };
            (files, slot.live)
        })
    }
}
