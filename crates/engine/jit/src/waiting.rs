//! Yield points at which all warps of a table wait: compiled code calls the runtime, which executes
//! the instruction for all of them, and the warps resume in code.

#![allow(unsafe_code, reason = "register files are pointers while code runs")]

use crate::B32;
use crate::frame::{Frame, WarpSlot};
use crate::run::RegisterFiles;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Executes the instructions of yield points.
pub trait Runtime {
    /// Executes the instruction `at`, at which all warps wait, for the warps in order. Returns
    /// `None` if it was not executed: then the code returns to the caller of the table.
    fn execute(&mut self, at: u32, warps: &mut WaitingWarps<'_>) -> Option<Passed>;
}

/// What the runtime has executed at a yield point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The number of warps, from the first one on, for which the instruction was executed. If some
    /// are missing, the code returns, and nobody resumes.
    pub warps: usize,
    /// The number of instructions that it counts as, for each warp.
    pub steps: u32,
    /// Whether it has ended the turns of these warps, so that their next turns may execute
    /// [`crate::region::WarpStart::turn_atomics`] atomics.
    pub ends_turns: bool,
}

/// All warps of a table, which wait at one yield point.
#[derive(Debug)]
pub struct WaitingWarps<'w> {
    slots: &'w mut [WarpSlot],
    narrow: &'w mut [&'w mut [B32]],
}

impl<'w> WaitingWarps<'w> {
    /// The number of warps.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "no table without warps runs")]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The registers of 32-bit lanes of all warps, and the live lanes of a warp.
    #[inline(always)]
    pub fn narrow(&mut self) -> (&mut [&'w mut [B32]], impl Fn(usize) -> u32) {
        let Self { slots, narrow } = self;
        (narrow, |i| slots[i].live)
    }

    /// The register files and the live lanes of each warp.
    #[inline(always)]
    pub fn each(&mut self) -> impl Iterator<Item = (RegisterFiles<'_>, u32)> {
        self.slots.iter_mut().zip(self.narrow.iter_mut()).map(|(slot, narrow)| {
            let [_, wide, predicates] = slot.registers.map(|n| n as usize);
            // SAFETY: pointers and lengths come from slices that are borrowed while the table
            // lives, different ones for each warp. Compiled code waits for the runtime.
            let files = unsafe {
                RegisterFiles {
                    narrow,
                    wide: std::slice::from_raw_parts_mut(slot.wide, wide),
                    predicates: std::slice::from_raw_parts_mut(slot.predicates, predicates),
                }
            };
            (files, slot.live)
        })
    }
}

/// The bit that the code adds to the number of an instruction at which all warps wait
/// ([`crate::routine`]).
pub(crate) const POINT: u32 = 1 << 31;

/// The bits of the result of [`pass`]: that all warps resume, and whether their turns have ended.
/// The bits above are the number of instructions that each warp has executed.
pub(crate) const RESUMES: u64 = 1;
pub(crate) const ENDS_TURNS: u64 = 2;
pub(crate) const STEPS: u32 = 2;

/// Lets the runtime execute the instruction at which all warps of the table wait. Returns 0 if the
/// warps cannot resume.
pub(crate) fn pass(frame: &mut Frame, at: u32) -> u64 {
    let all = frame.batch.all as usize;
    let Some(mut runtime) = frame.runtime else { return 0 };
    let narrow = frame.narrow[..all].as_mut_ptr().cast::<&mut [B32]>();
    // SAFETY: `WarpTable::add` has stored these pointers, which were references to different slices
    // that are borrowed while the table lives. Compiled code does not run meanwhile.
    let narrow = unsafe { std::slice::from_raw_parts_mut(narrow, all) };
    let mut warps = WaitingWarps { slots: &mut frame.slots[..all], narrow };
    // SAFETY: `WarpTable::wait_at_yield_points` made this pointer from a unique reference that
    // lives while the table does. The runtime cannot reach the frame.
    let runtime = unsafe { runtime.as_mut() };
    // A panic cannot unwind through compiled code.
    let passed = match catch_unwind(AssertUnwindSafe(|| runtime.execute(at, &mut warps))) {
        Ok(passed) => passed,
        Err(panic) => {
            frame.panic = Some(panic);
            None
        }
    };
    let Some(Passed { warps, steps, ends_turns }) = passed else { return 0 };
    frame.batch.passed = at;
    if warps == all {
        let ends_turns = if ends_turns { ENDS_TURNS } else { 0 };
        return u64::from(steps) << STEPS | ends_turns | RESUMES;
    }
    frame.batch.passed_warps = warps as u32;
    for slot in &mut frame.slots[..warps] {
        slot.steps += u64::from(steps);
        if ends_turns {
            slot.atomics_left = slot.atomics;
        }
    }
    0
}
