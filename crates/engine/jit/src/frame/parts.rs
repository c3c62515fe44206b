//! Parts of the frame.

use super::{Caller, DEPTH, Frame};
use crate::machine::{DivergedLanes, Group, Site};
use crate::region::{DivergenceLimits, Routine};
use crate::{B32, B64};
use std::cell::Cell;
use std::ptr::{null, null_mut};

/// Shape of the addresses of a base group, and the host addresses of its lowest offset for each part of the lanes: the
/// leading access stores them, the others read them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedShape {
    pub(crate) shape: u64,
    pub(crate) at: [u64; 4],
}

/// A warp in a [`crate::region::WarpTable`]: what compiled code loads when it starts or resumes the warp, and saves when the
/// warp stops.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarpSlot {
    pub(crate) narrow: *mut B32,
    pub(crate) wide: *mut B64,
    pub(crate) predicates: *mut u32,
    pub(crate) rows: *const B32,
    /// Local memory, and the running function's frame in it.
    pub(crate) local: *mut B32,
    pub(crate) frame: *mut B32,
    /// Offset of that frame.
    pub(crate) frame_at: u64,
    /// The number that listeners are told.
    pub(crate) index: u32,
    pub(crate) live: u32,
    /// The step count at which the turn of the active lanes ends, and that of the warp.
    pub(crate) limit: u64,
    pub(crate) end: u64,
    /// Executed instructions.
    pub(crate) steps: u64,
    /// Sum over the counted steps of the active lanes that did not execute each.
    pub(crate) missed: u64,
    /// The step count at the last change of the mask, and the threads counted before.
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// Active lanes.
    pub(crate) mask: u32,
    /// The mask with which code for some lanes changes to code for all live lanes.
    pub(crate) full_mask: u32,
    pub(crate) atomics_left: u32,
    /// Why the warp stopped, as [`crate::region::ExitReason`] encodes it, and before which instruction.
    pub(crate) why: u32,
    pub(crate) at: u32,
    /// Lengths of the three register files, and the initial budget of atomics: the runtime subtracts what is left of it.
    pub(crate) registers: [u32; 3],
    pub(crate) atomics: u32,
    pub(crate) last_atomic: u64,
}

impl WarpSlot {
    pub(crate) const NONE: Self = Self {
        narrow: null_mut(),
        wide: null_mut(),
        predicates: null_mut(),
        rows: null(),
        local: null_mut(),
        frame: null_mut(),
        frame_at: 0,
        index: 0,
        live: 0,
        limit: 0,
        end: 0,
        steps: 0,
        missed: 0,
        counted: 0,
        threads: 0,
        mask: 0,
        full_mask: 0,
        atomics_left: 0,
        why: 0,
        at: Frame::NO_INSTRUCTION,
        registers: [0; 3],
        atomics: 0,
        last_atomic: 0,
    };
}

/// Inputs of a run, for all warps of a table.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FrameInputs {
    pub(crate) pool: *const u64,
    pub(crate) constants: *const B32,
    pub(crate) wide_constants: *const B64,
    pub(crate) words: *const u32,
    pub(crate) bytes: *const u8,
    pub(crate) counts: *const Cell<u64>,
    /// See [`crate::region::Inputs::ahead`].
    pub(crate) ahead: u64,
    pub(crate) sites: *mut Site,
    /// Host functions by number, and the routine that calls them.
    pub(crate) routines: *const Routine,
    pub(crate) call: Caller,
}

/// Memory that is accessed by offsets.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) base: *mut u8,
    /// Exclusive limits of offsets of accesses of 1, 2, 4, ... 64 bytes, and the length from which they were made.
    pub(crate) limits: [u64; 7],
    pub(crate) len: u64,
}

impl Window {
    pub(super) const NONE: Self = Self { base: null_mut(), limits: [0; 7], len: 0 };

    /// Sets the length.
    #[inline]
    pub(crate) fn reach(&mut self, len: u64) {
        let len = len.min(1 << 31);
        if self.len != len {
            self.len = len;
            self.limits =
                std::array::from_fn(|i| len.checked_sub(1 << i).map_or(0, |last| last + 1));
        }
    }
}

/// Diverged lanes of the running warp (`emit::divergence`).
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FrameDivergence {
    /// The innermost reconvergence group, the number of groups inside the caller's, and the outer groups, the caller's
    /// first.
    pub(crate) group: Group,
    pub(crate) depth: u32,
    pub(crate) groups: [Group; DEPTH + 1],
    /// Pending lanes: their mask, instruction, code address, and the number of groups that they belong to.
    pub(crate) pending: u32,
    pub(crate) pending_at: u32,
    pub(crate) pending_target: u64,
    pub(crate) pending_depth: u32,
    /// See [`DivergenceLimits`]; and the patience while lanes have not diverged.
    pub(crate) turn: u64,
    pub(crate) wait_limit: u64,
    pub(crate) patience: u64,
    pub(crate) outer_patience: u64,
}

/// How the code goes from warp to warp (`emit::warps`).
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Batch {
    /// The running warp's slot, and how many follow it (-1 when the last has stopped).
    pub(crate) slot: *mut WarpSlot,
    pub(crate) remaining: u32,
    /// The instruction at which warps retire; [`Frame::NO_INSTRUCTION`]: none.
    pub(crate) retire_at: u32,
    /// The entry of each.
    pub(crate) target: *const u8,
    /// Whether warps wait at yield points; else they exit there.
    pub(crate) yields: u32,
    /// How many slots there are if the code passes barriers at which the warps of all wait; else 0.
    pub(crate) barriers: u32,
    /// The barrier that the code passed last.
    pub(crate) passed: u32,
    /// Warps with the register files of the slot, from the running one on, in its CTA; 0: it is the only one.
    pub(crate) follow: u32,
    /// How many there are in a CTA, and how many CTAs follow (-1 when the last has ended).
    pub(crate) per_cta: u32,
    pub(crate) ctas: u32,
    /// Per-lane inputs of the first warp of a CTA, and the distance to those of the next one.
    pub(crate) first_rows: *const B32,
    pub(crate) row_bytes: u64,
    /// The distance of the uniform values of CTAs.
    pub(crate) word_bytes: u64,
    /// Steps and threads of those that have retired.
    pub(crate) all_steps: u64,
    pub(crate) all_threads: u64,
}

impl FrameDivergence {
    /// Starts a run without diverged lanes, in a group that reconverges at an instruction.
    #[inline(always)]
    pub(crate) fn begin(&mut self, reconverge_at: u32, limits: DivergenceLimits) {
        (self.group.reconverge_at, self.group.expected, self.group.arrived) = (reconverge_at, 0, 0);
        (self.depth, self.pending) = (0, 0);
        (self.turn, self.wait_limit) = (limits.turn, limits.wait_limit);
        (self.patience, self.outer_patience) = (limits.patience, limits.patience);
    }

    /// The same for the next warp of a table, if the lanes of the one before have diverged.
    #[inline(always)]
    pub(crate) fn begin_again(&mut self) {
        if self.has_diverged() {
            (self.group.reconverge_at, self.group.expected, self.group.arrived) = (u32::MAX, 0, 0);
            (self.depth, self.pending) = (0, 0);
        }
    }

    /// Whether lanes are pending or wait elsewhere than the active ones.
    #[inline(always)]
    pub(crate) fn has_diverged(&self) -> bool {
        self.depth | self.group.arrived | self.pending != 0
    }

    /// See [`crate::region::Running::diverged_lanes`].
    pub(crate) fn lanes(&mut self) -> DivergedLanes<'_> {
        let depth = (self.depth as usize).min(DEPTH);
        self.groups[depth] = self.group;
        let pending = (self.pending_at, self.pending, self.pending_depth as usize);
        DivergedLanes {
            groups: &self.groups[..=depth],
            pending: (self.pending != 0).then_some(pending),
        }
    }
}
