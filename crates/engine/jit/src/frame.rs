//! The frame that compiled code is called with: register files, inputs, limits, results, and state that outlives a step.

use crate::machine::{DivergedLanes, Group, Site};
use crate::region::{DivergenceLimits, Listener, MAX_WARPS, Routine};
use crate::{B32, B64};
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{NonNull, null, null_mut};

/// Scratch registers for calls of host functions: four sources and the result.
pub(crate) const SCRATCH: usize = 5;

/// Base groups whose shapes are known at a time ([`Frame::cached_shapes`]).
pub(crate) const BASE_GROUPS: usize = 4;

/// How many index registers can be tracked, and how many address registers ([`Frame::indices`]).
pub(crate) const INDICES: usize = 8;

/// The routine that calls host functions by number ([`crate::routine`]), and the code itself.
#[cfg(target_arch = "x86_64")]
pub(crate) type Caller = unsafe extern "sysv64" fn(*mut Frame, u32);
#[cfg(target_arch = "x86_64")]
pub(crate) type Begin = unsafe extern "sysv64" fn(*mut Frame);
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Caller = unsafe extern "C" fn(*mut Frame, u32);
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Begin = unsafe extern "C" fn(*mut Frame);

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
    /// Lengths of the register files, and how many atomics were left at first, for the runtime.
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
    const NONE: Self = Self { base: null_mut(), limits: [0; 7], len: 0 };

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

/// The frame of a call.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Frame {
    /// Scratch registers of the code.
    pub(crate) scratch: MaybeUninit<[B64; SCRATCH]>,
    /// The running warp: what its slot had when it started, with what has changed.
    pub(crate) warp: WarpSlot,
    pub(crate) inputs: FrameInputs,
    /// The listener, and the lanes that it is notified with.
    pub(crate) listener: Option<NonNull<dyn Listener>>,
    pub(crate) notified: u32,
    pub(crate) shared: Window,
    /// Local memory: the limits hold for all warps, each of which has a base of its own.
    pub(crate) local: Window,
    pub(crate) zeros: u64,
    /// Shapes of base groups (`emit::base_groups`).
    pub(crate) cached_shapes: [CachedShape; BASE_GROUPS],
    /// Shapes of index registers (`emit::index`), and the indices of their first lanes.
    pub(crate) indices: [[u32; 2]; 2 * INDICES],
    /// Saved values during a call.
    pub(crate) saved: [u64; 4],
    /// Host addresses of the parts of an access without a base group.
    pub(crate) parts: [u64; 4],
    /// Ones in inactive lanes: a mask vector for AVX2.
    pub(crate) inactive_lanes: [u32; 32],
    pub(crate) divergence: FrameDivergence,
    pub(crate) batch: Batch,
    pub(crate) slots: [WarpSlot; MAX_WARPS],
    /// Uniform values of the running CTA, if they differ from those of the inputs ([`Self::set_words`]).
    pub(crate) own_words: [u32; OWN_WORDS],
}

// SAFETY: only runs of a `WarpTable` lead to accesses through the pointers, each after setting all that the code reads; stale
// pointers are never used.
#[allow(unsafe_code, reason = "pointers that are only numbers between calls")]
unsafe impl Send for Frame {}

/// Constants for the offsets of fields.
macro_rules! offsets {
    ($($name:ident $($field:ident).+,)*) => {
        $(pub(crate) const $name: usize = offset_of!(Frame, $($field).+);)*

        /// The name of the field that begins at an offset.
        pub(crate) fn field(at: usize) -> Option<&'static str> {
            let fields = [$((Self::$name, stringify!($($field).+))),*];
            fields.iter().find(|field| field.0 == at).map(|field| field.1)
        }
    };
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

impl Frame {
    /// No instruction has this number.
    pub(crate) const NO_INSTRUCTION: u32 = u32::MAX;

    /// An empty frame: callers set all that the code reads.
    pub(crate) fn new(call: Caller) -> Self {
        Self {
            scratch: MaybeUninit::uninit(),
            warp: WarpSlot::NONE,
            inputs: FrameInputs {
                pool: null(),
                constants: null(),
                wide_constants: null(),
                words: null(),
                bytes: null(),
                counts: null(),
                ahead: 0,
                sites: null_mut(),
                routines: null(),
                call,
            },
            listener: None,
            notified: 0,
            shared: Window::NONE,
            local: Window::NONE,
            zeros: 0,
            cached_shapes: [CachedShape { shape: 0, at: [0; 4] }; BASE_GROUPS],
            indices: [[0; 2]; 2 * INDICES],
            saved: [0; 4],
            parts: [0; 4],
            inactive_lanes: [0; 32],
            divergence: FrameDivergence {
                group: Group::NONE,
                depth: 0,
                groups: [Group::NONE; DEPTH + 1],
                pending: 0,
                pending_at: 0,
                pending_target: 0,
                pending_depth: 0,
                turn: 0,
                wait_limit: 0,
                patience: 0,
                outer_patience: 0,
            },
            batch: Batch {
                slot: null_mut(),
                remaining: 0,
                retire_at: Self::NO_INSTRUCTION,
                target: null(),
                yields: 0,
                barriers: 0,
                passed: Self::NO_INSTRUCTION,
                follow: 0,
                per_cta: 0,
                ctas: 0,
                first_rows: null(),
                row_bytes: 0,
                word_bytes: 0,
                all_steps: 0,
                all_threads: 0,
            },
            slots: [WarpSlot::NONE; MAX_WARPS],
            own_words: [0; OWN_WORDS],
        }
    }

    /// Replaces the uniform values of the inputs. False if there is no room.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, words: &[u32]) -> bool {
        let Some(own) = self.own_words.get_mut(..words.len()) else { return false };
        own.copy_from_slice(words);
        self.inputs.words = (&raw const self.own_words).cast();
        true
    }

    offsets! {
        NARROW warp.narrow, WIDE warp.wide, PREDICATES warp.predicates, ROWS warp.rows, LOCAL warp.local, FRAME warp.frame,
        FRAME_AT warp.frame_at, INDEX warp.index, LIVE warp.live, LIMIT warp.limit, END warp.end, COUNTED warp.counted, THREADS warp.threads,
        MASK warp.mask, FULL_MASK warp.full_mask, ATOMICS_LEFT warp.atomics_left, LAST_ATOMIC warp.last_atomic,
        POOL inputs.pool, CONSTANTS inputs.constants, WIDE_CONSTANTS inputs.wide_constants, WORDS inputs.words,
        BYTES inputs.bytes, COUNTS inputs.counts, AHEAD inputs.ahead, SITES inputs.sites, CALL inputs.call,
        NOTIFIED notified, SHARED shared.base, SHARED_LIMITS shared.limits, LOCAL_LIMITS local.limits, ZEROS zeros,
        SAVED saved, PARTS parts, INACTIVE_LANES inactive_lanes,
        GROUP divergence.group, DEPTH divergence.depth, GROUPS divergence.groups, PENDING divergence.pending,
        PENDING_AT divergence.pending_at, PENDING_TARGET divergence.pending_target,
        PENDING_DEPTH divergence.pending_depth, TURN divergence.turn, WAIT_LIMIT divergence.wait_limit,
        PATIENCE divergence.patience, OUTER_PATIENCE divergence.outer_patience,
        SLOT batch.slot, REMAINING batch.remaining, RETIRE_AT batch.retire_at, TARGET batch.target, YIELDS batch.yields,
        BARRIERS batch.barriers, PASSED batch.passed, FOLLOW batch.follow, PER_CTA batch.per_cta, CTAS batch.ctas,
        FIRST_ROWS batch.first_rows, ROW_BYTES batch.row_bytes, WORD_BYTES batch.word_bytes, ALL_STEPS batch.all_steps,
        ALL_THREADS batch.all_threads,
    }

    /// Offset of the table.
    pub(crate) const SLOTS: usize = offset_of!(Frame, slots);

    /// The reconvergence point of the innermost group.
    pub(crate) const RECONVERGE_AT: usize = Self::GROUP + offset_of!(Group, reconverge_at);

    /// Offset of the shape of a base group; the shape is 0 if unknown.
    pub(crate) fn shape(slot: usize) -> usize {
        offset_of!(Frame, cached_shapes) + slot * size_of::<CachedShape>()
    }

    /// Offset of the host address of a part of its lanes.
    pub(crate) fn place(slot: usize, part: usize) -> usize {
        Self::shape(slot) + offset_of!(CachedShape, at) + 8 * part
    }

    /// Offset of the shape of an index register.
    pub(crate) fn index(slot: usize) -> usize {
        offset_of!(Frame, indices) + 8 * slot
    }

    /// Offset of the index of its first lane.
    pub(crate) fn first_index(slot: usize) -> usize {
        Self::index(slot) + 4
    }

    /// Offset of a scratch register.
    pub(crate) fn scratch(row: usize) -> usize {
        offset_of!(Frame, scratch) + row * size_of::<B64>()
    }
}
