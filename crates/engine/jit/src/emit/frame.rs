//! The frame that compiled code is called with: register files, inputs, limits, results, and state that outlives a step.

use crate::machine::{DivergedLanes, Group, Site};
use crate::region::{DivergenceLimits, Listener, Routine};
use crate::routine::Caller;
use crate::{B32, B64};
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;
use std::ptr::NonNull;

/// Scratch registers for calls of host functions: four sources and the result.
pub(crate) const SCRATCH: usize = 5;

/// Room for [`Frame::own_words`].
const OWN_WORDS: usize = 16;

/// Depth to which reconvergence groups can nest inside a region.
pub(crate) const DEPTH: usize = 8;

/// Shape of the addresses of a base group, and the host addresses of its lowest offset for each part of the lanes: the
/// leading access stores them, the others read them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedShape {
    pub(crate) shape: u64,
    pub(crate) at: [u64; 4],
}

/// Slot of a warp in a [`crate::region::WarpTable`], which compiled code loads and saves.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarpSlot {
    pub(crate) narrow: *mut B32,
    pub(crate) wide: *mut B64,
    pub(crate) predicates: *mut u32,
    pub(crate) rows: *const B32,
    pub(crate) frame_at: u64,
    /// Saved fields of the frame.
    pub(crate) limit: u64,
    pub(crate) steps: u64,
    pub(crate) missed: u64,
    pub(crate) live: u32,
    /// The instruction at which the warp yielded or retired.
    pub(crate) at: u32,
    /// Saved fields of the frame, if lanes can diverge.
    pub(crate) end: u64,
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// Whether the warp yielded ([`crate::region::End::Yield`]).
    pub(crate) yielded: u32,
    /// Lengths of the register files, for the runtime; compiled code does not read them.
    pub(crate) registers: [u32; 3],
}

/// The frame of a call.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Frame {
    /// Scratch registers of the code.
    pub(crate) scratch: MaybeUninit<[B64; SCRATCH]>,
    pub(crate) narrow: *mut B32,
    pub(crate) wide: *mut B64,
    pub(crate) predicates: *mut u32,
    pub(crate) pool: *const u64,
    pub(crate) constants: *const B32,
    pub(crate) wide_constants: *const B64,
    pub(crate) rows: *const B32,
    pub(crate) words: *const u32,
    pub(crate) bytes: *const u8,
    pub(crate) counts: *const Cell<u64>,
    /// See [`crate::region::Inputs::ahead`].
    pub(crate) ahead: u64,
    pub(crate) sites: *mut Site,
    /// Host functions by number, and the routine that calls them.
    pub(crate) routines: *const Routine,
    pub(crate) call: Caller,
    /// The listener, the warp number and the lanes that it is notified with.
    pub(crate) listener: Option<NonNull<dyn Listener>>,
    pub(crate) warp: u32,
    pub(crate) notified: u32,
    pub(crate) shared: *mut u8,
    /// Local memory, and the running function's frame in it.
    pub(crate) local: *mut B32,
    pub(crate) frame: *mut B32,
    /// Offset of that frame.
    pub(crate) frame_at: u64,
    /// Exclusive limits of offsets of accesses of 1, 2, 4, ... 64 bytes.
    pub(crate) shared_limits: [u64; 7],
    pub(crate) local_limits: [u64; 7],
    /// The lengths from which these limits were made.
    pub(crate) shared_len: u64,
    pub(crate) local_len: u64,
    /// See [`crate::region::Budget`].
    pub(crate) limit: u64,
    pub(crate) atomics_left: u32,
    /// Active lanes, and live lanes.
    pub(crate) mask: u32,
    pub(crate) live: u32,
    /// See [`crate::region::Exit`].
    pub(crate) why: u32,
    pub(crate) site: u32,
    pub(crate) steps: u64,
    /// Sum over the counted steps of the active lanes that did not execute each.
    pub(crate) missed: u64,
    pub(crate) last_atomic: u64,
    pub(crate) zeros: u64,
    /// Shapes of base groups ([`super::base_groups`]).
    pub(crate) cached_shapes: [CachedShape; super::base_groups::SLOTS],
    /// Shapes of index registers ([`super::index`]), and the indices of their first lanes.
    pub(crate) indices: [[u32; 2]; 2 * super::index::INDICES],
    /// Saved values during a call.
    pub(crate) saved: [u64; 4],
    /// Host addresses of the parts of an access without a base group.
    pub(crate) parts: [u64; 4],
    /// Ones in inactive lanes: a mask vector for AVX2.
    pub(crate) inactive_lanes: [u32; 32],
    /// The innermost reconvergence group, the number of groups inside the caller's, and the outer groups, the caller's
    /// first ([`super::divergence`]).
    pub(crate) group: Group,
    pub(crate) depth: u32,
    pub(crate) groups: [Group; DEPTH + 1],
    /// Pending lanes: their mask, instruction, code address, and the number of groups that they belong to.
    pub(crate) pending: u32,
    pub(crate) pending_at: u32,
    pub(crate) pending_target: u64,
    pub(crate) pending_depth: u32,
    /// The mask with which code for some lanes changes to code for all live lanes.
    pub(crate) full_mask: u32,
    /// See [`crate::region::DivergenceLimits`]; and the patience while lanes have not diverged.
    pub(crate) end: u64,
    pub(crate) turn: u64,
    pub(crate) wait_limit: u64,
    pub(crate) patience: u64,
    pub(crate) outer_patience: u64,
    /// The step count at the last change of the mask, and the threads counted before.
    pub(crate) counted: u64,
    pub(crate) threads: u64,
    /// The instruction at which warps retire ([`Self::NO_INSTRUCTION`]: the code returns for each), how many warps follow
    /// (-1 when the last has retired), the entry of each, and the distance of their per-lane inputs.
    pub(crate) retire_at: u32,
    pub(crate) remaining: u32,
    pub(crate) target: *const u8,
    pub(crate) row_bytes: u64,
    /// Steps and threads of the retired warps.
    pub(crate) all_steps: u64,
    pub(crate) all_threads: u64,
    /// Slot of the running warp in a table, of which [`Self::remaining`] follow; null outside a table.
    pub(crate) slot: *mut WarpSlot,
    /// Uniform values of the running CTA, if they differ from those of the inputs ([`Self::set_words`]).
    pub(crate) own_words: [u32; OWN_WORDS],
}

// SAFETY: only `Running::run`, `Series::run` and `WarpTable::run` lead to accesses through the pointers, each after setting all
// that the code reads; stale pointers are never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// Exclusive limits of offsets by the size of an access, in memory of `len` bytes.
fn limits(len: u64) -> [u64; 7] {
    std::array::from_fn(|i| len.checked_sub(1 << i).map_or(0, |last| last + 1))
}

/// Constants for the offsets of fields.
macro_rules! offsets {
    ($($name:ident $field:ident)*) => {
        $(pub(super) const $name: usize = offset_of!(Frame, $field);)*

        /// The name of the field that begins at an offset.
        pub(crate) fn field(at: usize) -> Option<&'static str> {
            let fields = [$((Self::$name, stringify!($field))),*];
            fields.iter().find(|field| field.0 == at).map(|field| field.1)
        }
    };
}

impl Frame {
    /// No instruction has this number.
    pub(crate) const NO_INSTRUCTION: u32 = u32::MAX;

    /// An empty frame: callers set all that the code reads.
    pub(crate) fn new(call: Caller) -> Self {
        use std::ptr::{null, null_mut};
        Self {
            scratch: MaybeUninit::uninit(),
            narrow: null_mut(),
            wide: null_mut(),
            predicates: null_mut(),
            pool: null(),
            constants: null(),
            wide_constants: null(),
            rows: null(),
            words: null(),
            bytes: null(),
            counts: null(),
            ahead: 0,
            sites: null_mut(),
            routines: null(),
            call,
            listener: None,
            warp: 0,
            notified: 0,
            shared: null_mut(),
            local: null_mut(),
            frame: null_mut(),
            frame_at: 0,
            shared_limits: [0; 7],
            local_limits: [0; 7],
            shared_len: 0,
            local_len: 0,
            limit: 0,
            atomics_left: 0,
            mask: 0,
            live: 0,
            why: 0,
            site: 0,
            steps: 0,
            missed: 0,
            last_atomic: 0,
            zeros: 0,
            cached_shapes: [CachedShape { shape: 0, at: [0; 4] }; super::base_groups::SLOTS],
            indices: [[0; 2]; 2 * super::index::INDICES],
            saved: [0; 4],
            parts: [0; 4],
            inactive_lanes: [0; 32],
            group: Group::NONE,
            depth: 0,
            groups: [Group::NONE; DEPTH + 1],
            pending: 0,
            pending_at: 0,
            pending_target: 0,
            pending_depth: 0,
            full_mask: 0,
            end: 0,
            turn: 0,
            wait_limit: 0,
            patience: 0,
            outer_patience: 0,
            counted: 0,
            threads: 0,
            retire_at: Self::NO_INSTRUCTION,
            remaining: 0,
            target: null(),
            row_bytes: 0,
            all_steps: 0,
            all_threads: 0,
            slot: null_mut(),
            own_words: [0; OWN_WORDS],
        }
    }

    /// Replaces the uniform values of the inputs. False if there is no room.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, words: &[u32]) -> bool {
        let Some(own) = self.own_words.get_mut(..words.len()) else { return false };
        own.copy_from_slice(words);
        self.words = (&raw const self.own_words).cast();
        true
    }

    /// Sets the shared memory of the CTA.
    #[inline]
    pub(crate) fn reach_shared(&mut self, shared: &mut [u8]) {
        self.shared = shared.as_mut_ptr();
        let len = (shared.len() as u64).min(1 << 31);
        if self.shared_len != len {
            (self.shared_len, self.shared_limits) = (len, limits(len));
        }
    }

    /// Sets the local memory of a warp and the running function's frame in it.
    #[inline]
    pub(crate) fn reach_local(&mut self, local: &mut [B32], frame: &Range<u64>) {
        let len = (4 * local.len() as u64).min(frame.end).min(1 << 31);
        if self.local_len != len {
            (self.local_len, self.local_limits) = (len, limits(len));
        }
        self.local = local.as_mut_ptr();
        // May lie outside if the code has no accesses to the frame.
        self.frame = self.local.wrapping_add((frame.start / 4) as usize);
    }

    /// Starts a run without diverged lanes. `full_mask`: the mask with which code for all live lanes continues.
    #[inline(always)]
    pub(crate) fn begin_divergence(&mut self, full_mask: u32, divergence: DivergenceLimits) {
        (self.group.expected, self.group.arrived) = (0, 0);
        (self.depth, self.pending, self.full_mask) = (0, 0, full_mask);
        (self.end, self.turn, self.wait_limit) =
            (divergence.end, divergence.turn, divergence.wait_limit);
        (self.patience, self.outer_patience) = (divergence.patience, divergence.patience);
        (self.counted, self.threads) = (0, 0);
    }

    /// The same for the next warp of a series, where only the mask and the end differ.
    #[inline(always)]
    pub(crate) fn begin_divergence_again(&mut self, full_mask: u32, end: u64) {
        if self.has_diverged() {
            (self.group.reconverge_at, self.group.expected, self.group.arrived) = (u32::MAX, 0, 0);
            (self.depth, self.pending) = (0, 0);
        }
        (self.full_mask, self.end, self.counted, self.threads) = (full_mask, end, 0, 0);
    }

    /// Whether lanes are pending or wait elsewhere than the active ones.
    #[inline(always)]
    pub(crate) fn has_diverged(&self) -> bool {
        self.depth | self.group.arrived | self.pending != 0
    }

    /// Threads: the sum over the steps of the lanes that executed each. `can_diverge`: whether lanes can diverge.
    #[inline(always)]
    pub(crate) fn all_lanes(&self, can_diverge: bool) -> u64 {
        let (before, steps) = match can_diverge {
            true => (self.threads, self.steps - self.counted),
            false => (0, self.steps),
        };
        // Without POPCNT in this build, counting takes fifteen instructions.
        let lanes = if self.mask == u32::MAX { 32 } else { u64::from(self.mask.count_ones()) };
        (before + steps * lanes).wrapping_sub(self.missed)
    }

    /// See [`crate::region::Running::diverged_lanes`].
    pub(crate) fn diverged_lanes(&mut self) -> DivergedLanes<'_> {
        let depth = (self.depth as usize).min(DEPTH);
        self.groups[depth] = self.group;
        let pending = (self.pending_at, self.pending, self.pending_depth as usize);
        DivergedLanes {
            groups: &self.groups[..=depth],
            pending: (self.pending != 0).then_some(pending),
        }
    }

    offsets! {
        NARROW narrow WIDE wide PREDICATES predicates POOL pool CONSTANTS constants
        WIDE_CONSTANTS wide_constants ROWS rows WORDS words BYTES bytes COUNTS counts AHEAD ahead SITES sites CALL call NOTIFIED notified
        SHARED shared LOCAL local FRAME frame FRAME_AT frame_at SHARED_LIMITS shared_limits
        LOCAL_LIMITS local_limits LIMIT limit ATOMICS_LEFT atomics_left MASK mask LIVE live
        WHY why SITE site STEPS steps MISSED missed LAST_ATOMIC last_atomic ZEROS zeros SAVED saved PARTS parts INACTIVE_LANES inactive_lanes
        GROUP group DEPTH depth GROUPS groups PENDING pending PENDING_AT pending_at PENDING_TARGET pending_target
        PENDING_DEPTH pending_depth FULL_MASK full_mask END end TURN turn WAIT_LIMIT wait_limit PATIENCE patience
        OUTER_PATIENCE outer_patience COUNTED counted THREADS threads RETIRE_AT retire_at REMAINING remaining TARGET target
        ROW_BYTES row_bytes ALL_STEPS all_steps ALL_THREADS all_threads SLOT slot
    }

    /// The reconvergence point of the innermost group.
    pub(super) const RECONVERGE_AT: usize = Self::GROUP + offset_of!(Group, reconverge_at);

    /// Offset of the shape of a base group; the shape is 0 if unknown.
    pub(super) fn shape(slot: usize) -> usize {
        offset_of!(Frame, cached_shapes) + slot * size_of::<CachedShape>()
    }

    /// Offset of the host address of a part of its lanes.
    pub(super) fn place(slot: usize, part: usize) -> usize {
        Self::shape(slot) + offset_of!(CachedShape, at) + 8 * part
    }

    /// Offset of the shape of an index register.
    pub(super) fn index(slot: usize) -> usize {
        offset_of!(Frame, indices) + 8 * slot
    }

    /// Offset of the index of its first lane.
    pub(super) fn first_index(slot: usize) -> usize {
        Self::index(slot) + 4
    }

    /// Offset of a scratch register.
    pub(super) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<B64>()
    }
}
