//! Yield points at which all warps of a table wait: compiled code calls the runtime, which executes
//! the instruction for all of them, and the warps resume in code.

#![allow(unsafe_code, reason = "register files are pointers while code runs")]

use crate::B32;
use crate::run::RegisterFiles;
use crate::warp_slot::WarpSlot;

/// Executes the instructions of yield points.
pub trait Runtime {
    /// Executes the instruction `at`, at which all warps wait, for the warps in order. Returns
    /// `None` if it was not executed: then the code returns to the caller of the table.
    fn execute(&mut self, at: u32, warps: &mut WaitingWarps<'_>) -> Option<Passed>;
}

/// The result of [`Runtime::execute`]: how far the warps have got at a yield point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The number of warps, from the first in the table on, for which the instruction was executed.
    /// If it is not all warps, the code returns, and no warp resumes.
    pub warps: usize,
    /// The number of instructions that the executed instruction counts as, for each warp.
    pub steps: u32,
    /// Whether the executed instruction has ended the turns of the warps, so that their next turns
    /// may execute [`crate::region::WarpStart::turn_atomics`] atomics.
    pub ends_turns: bool,
}

/// All warps of a table, which wait at one yield point.
#[derive(Debug)]
pub struct WaitingWarps<'w> {
    pub(crate) slots: &'w mut [WarpSlot],
    pub(crate) narrow: &'w mut [&'w mut [B32]],
}

impl<'w> WaitingWarps<'w> {
    /// The number of warps.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "no table without warps runs")]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The registers of 32-bit lanes of all warps, and the mask of live lanes of each warp.
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
